import type { RecordReader } from '../db/record-reader.ts';
import type { Letterhead, Logo } from '../print/letterhead.ts';
import type { AccountRecord } from '../resources/account/index.ts';
import { building } from '../resources/letting/building.ts';
import { unit } from '../resources/letting/unit.ts';
import type { Home, Sender } from './contents.ts';

/** Returns the letterhead of an account as documents show it, or null if it has none. */
export function letterheadOf({ letterhead }: AccountRecord, logo: Logo | null): Letterhead | null {
  if (!letterhead) return null;
  const { name, email, phone, registration } = letterhead;
  const { line1, line2, city, postal_code: postalCode, country } = letterhead.address;
  return { name, address: { line1, line2, city, postalCode, country }, email, phone, registration, logo };
}

/** Returns the account as the sender of a document. Without a letterhead, it has a name only. */
export function senderOf(account: AccountRecord, logo: Logo | null): Sender {
  const letterhead = letterheadOf(account, logo);
  const bank = account.letterhead?.bank ?? null;
  if (!letterhead)
    return { name: account.name, address: null, email: null, phone: null, registration: null, logo: null, bank: null };
  return {
    ...letterhead,
    bank: bank && {
      accountName: bank.account_name,
      bankName: bank.bank_name,
      sortCode: bank.sort_code,
      accountNumber: bank.account_number,
      iban: bank.iban,
      bic: bank.bic,
    },
  };
}

/** Reads a home and its address. Returns null if the account keeps it elsewhere. */
export async function homeAt(readRecord: RecordReader, accountId: string, unitId: string): Promise<Home | null> {
  const home = await readRecord(unit, accountId, unitId);
  const house = home && (await readRecord(building, accountId, home.building));
  if (!home || !house) return null;
  const { line1, line2, city, postal_code: postalCode, country } = house.address;
  return { unit: home.name, address: { line1, line2, city, postalCode, country } };
}

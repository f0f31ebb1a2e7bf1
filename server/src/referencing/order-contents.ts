import { isId } from '../core/ids.ts';
import type { RecordReader } from '../db/record-reader.ts';
import type { Address, Order } from './providers/provider.ts';
import { account, type AccountRecord } from '../resources/account/index.ts';
import { application, type ApplicationRecord } from '../resources/letting/application/index.ts';
import { guarantorBy, isStanding } from '../resources/letting/application/guarantors.ts';
import { customer, type CustomerRecord } from '../resources/customer.ts';
import type { ReferenceRecord } from '../resources/reference/record.ts';

export async function readAccount(readRecord: RecordReader, accountId: string): Promise<AccountRecord> {
  const owner = await readRecord(account, accountId, accountId);
  if (!owner) throw new Error(`Bug! The account ${accountId} is not there.`);
  return owner;
}

/** Returns the person, if the account keeps them here. */
export async function readApplicant(
  readRecord: RecordReader,
  { account_id: accountId, customer: id }: ReferenceRecord,
): Promise<CustomerRecord | null> {
  if (id === null || !isId('cus', id)) return null;
  return readRecord(customer, accountId, id);
}

/** Returns what the service learns about a reference, its person and the application. */
export async function orderOf(
  readRecord: RecordReader,
  reference: ReferenceRecord,
  { key, callbackUrl, isSimulated }: { key: string; callbackUrl: string; isSimulated: boolean },
): Promise<Order> {
  const person = await readApplicant(readRecord, reference);
  const wish = await readWish(readRecord, reference);
  return {
    referenceId: key,
    applicant: person && {
      name: person.name,
      email: person.email,
      phone: person.phone,
      dateOfBirth: person.date_of_birth,
      addresses: person.addresses.filter(({ to }) => to === null).map(addressOf),
    },
    rent: shareOf(wish, reference.customer),
    hasGuarantor: hasGuarantor(wish, reference.customer),
    callbackUrl,
    // A real service must not see the account's own notes.
    scenario: isSimulated ? (reference.metadata?.simulate ?? null) : null,
  };
}

export function addressOf({ line1, line2, city, postal_code, country }: CustomerRecord['addresses'][number]): Address {
  return { line1, line2, city, postalCode: postal_code, country };
}

/** Returns the reference's application, if the account keeps it here. */
export async function readWish(
  readRecord: RecordReader,
  reference: ReferenceRecord,
): Promise<ApplicationRecord | null> {
  const { account_id: accountId, application: id } = reference;
  if (id === null || !isId('app', id)) return null;
  return readRecord(application, accountId, id);
}

/**
 * Returns what one person pays. Co-applicants pay the same, because an application has no other shares. A guarantor pays the shares of the
 * applicants that it stands for.
 */
export function shareOf(wish: ApplicationRecord | null, personId: string | null): Order['rent'] {
  if (!wish?.rent) return null;
  const applicants = Math.max(1, wish.customers.length);
  const guarantor = personId === null ? null : guarantorBy(wish, personId);
  const shares = guarantor ? (guarantor.guarantees?.length ?? applicants) : 1;
  return { ...wish.rent, amount: Math.round((wish.rent.amount * shares) / applicants) };
}

/** Returns whether a guarantor stands by this applicant, or was asked to. */
export function hasGuarantor(wish: ApplicationRecord | null, personId: string | null): boolean {
  if (!wish || (personId !== null && guarantorBy(wish, personId))) return false;
  return wish.guarantors_known.some(
    (guarantor) =>
      isStanding(guarantor) &&
      (guarantor.guarantees === null || personId === null || guarantor.guarantees.includes(personId)),
  );
}

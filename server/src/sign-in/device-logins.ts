import { createHmac } from 'node:crypto';
import { randomBase62 } from '../core/base62.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import type { IdMaker } from '../core/ids.ts';
import type { RandomBytes } from '../core/random.ts';
import { hashToken } from '../core/secrets/tokens.ts';
import type { Reader } from '../db/reader.ts';
import { newRecord } from '../model/change.ts';
import type { DeviceLoginRecord } from '../resources/people/device-login.ts';

/** How long a person has to decide, in seconds. */
export const deviceLoginSeconds = 10 * 60;

/** How long the command has to pick up the key after an approval at the last moment, in seconds. */
const pickUpSeconds = 60;

/** Seconds between two polls of the command. */
export const pollSeconds = 2;

/** The lifetime of the key, in seconds. */
export const deviceKeySeconds = 90 * 24 * 3600;

/** So many base62 digits are 256 bits, which cannot be guessed. */
const deviceCodeLength = 43;
const deviceCodeForm = /^[0-9A-Za-z]{43}$/;

/** Consonants only, so that no code is a word (RFC 8628, 6.1). Eight of them are 34 bits. */
const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
const userCodeLength = 8;
const userCodeForm = new RegExp(`^[${userCodeLetters}]{${userCodeLength}}$`);

/** The parts of the context that hash a user code. */
interface Hashing {
  encryption: Pick<Encryption, 'derive'>;
}

/** Makes a sign-in that waits for a person, and its two codes. The user code is for the person, the device code for the command alone. */
export function newDeviceLogin(
  context: Hashing & { ids: IdMaker; randomBytes: RandomBytes; realSeconds: number },
  login: { accountId: string; machine: string; ipAddress: string | null },
): { deviceCode: string; userCode: string; record: DeviceLoginRecord } {
  const { ids, randomBytes, realSeconds } = context;
  const deviceCode = randomBase62(deviceCodeLength, randomBytes);
  const letters = randomLetters(randomBytes);
  const record: DeviceLoginRecord = {
    ...newRecord(ids.make('dvl'), login.accountId),
    device_code_hash: hashToken(deviceCode),
    user_code_hash: hashUserCode(context, letters),
    machine: login.machine,
    ip_address: login.ipAddress,
    expires_at: realSeconds + deviceLoginSeconds,
    decision: null,
    decided_by: null,
    key_account_id: null,
    key_id: null,
    secret: null,
  };
  return { deviceCode, userCode: `${letters.slice(0, 4)}-${letters.slice(4)}`, record };
}

/** Returns random letters, each equally likely: bytes from 240 would favour the first letters, so they are discarded. */
function randomLetters(randomBytes: RandomBytes): string {
  const count = userCodeLetters.length;
  let text = '';
  while (text.length < userCodeLength) {
    for (const byte of randomBytes(userCodeLength - text.length)) {
      if (byte < 256 - (256 % count)) text += userCodeLetters[byte % count];
    }
  }
  return text;
}

/** Returns the letters of a user code as a person typed it, or null if it has another form. Case, spaces and dashes do not matter. */
export function lettersOfUserCode(text: string): string | null {
  const letters = text.replaceAll(/[\s-]/g, '').toUpperCase();
  return userCodeForm.test(letters) ? letters : null;
}

/** Returns the stored form of a user code. The hash has a key, because a reader of the database could guess 34 bits. */
function hashUserCode({ encryption }: Hashing, letters: string): string {
  return createHmac('sha256', encryption.derive('user codes')).update(letters).digest('base64url');
}

/** Returns when an approved sign-in ends, in seconds of real time. */
export function pickUpUntil({ expires_at }: DeviceLoginRecord, realSeconds: number): number {
  return Math.max(expires_at, realSeconds + pickUpSeconds);
}

/** Returns the name of the key of a sign-in. */
export function deviceKeyName(machine: string): string {
  return `CLI on ${machine}`;
}

/** Returns whether a key was made by a sign-in of the command line: by a person, and with its name. */
export function isDeviceKey(key: { type: string; name: string | null; created_by: string | null }): boolean {
  const isOfPerson = key.created_by?.startsWith('usr_') ?? false;
  return key.type === 'restricted' && isOfPerson && (key.name?.startsWith(deviceKeyName('')) ?? false);
}

/** A sign-in by its id and account. */
interface FoundDeviceLogin {
  id: string;
  accountId: string;
}

/** Finds the sign-in with a device code. It may have expired. */
export async function findByDeviceCode(reader: Reader, deviceCode: string): Promise<FoundDeviceLogin | null> {
  if (!deviceCodeForm.test(deviceCode)) return null;
  const [row] = await reader.query<{ id: string; account_id: string }>({
    name: 'find_device_login',
    text: 'select id, account_id from device_logins where device_code_hash = $1',
    values: [hashToken(deviceCode)],
  });
  return row ? { id: row.id, accountId: row.account_id } : null;
}

/** Finds the sign-in with a user code. It may have expired. */
export async function findByUserCode(
  context: Hashing & { reader: Reader },
  letters: string,
): Promise<FoundDeviceLogin | null> {
  const [row] = await context.reader.query<{ id: string; account_id: string }>({
    name: 'find_device_login_of_user_code',
    text: 'select id, account_id from device_logins where user_code_hash = $1',
    values: [hashUserCode(context, letters)],
  });
  return row ? { id: row.id, accountId: row.account_id } : null;
}

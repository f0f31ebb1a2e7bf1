import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '../core/errors.ts';
import { FairQueue, patient } from '../core/limits/fair-queue.ts';
import { networkOf, siteOf } from '../core/addresses/network.ts';
import type { RandomBytes } from '../core/random.ts';
import { isCommonPassword } from './common-passwords.ts';

const derive = promisify(argon2);

/** OWASP's first choice for argon2id: 19 MiB of memory, two passes, one lane. */
const cost = { memory: 19 * 1024, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagLength = 32;

/** Hashes at once, and those that wait. Each takes a thread and 19 MiB for about 30 ms. */
const atOnce = 2;
const waitingMax = 20;

/** The fewest characters of a password (NIST SP 800-63B-4, 3.1.1.2). */
export const lengthAlone = 15;
const lengthWithSecondFactor = 8;
export const passwordLengthMax = 256;

const phcForm = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/**
 * Hashes passwords, a few at a time, so that sign-ins leave memory and threads to other work. Sites of clients take turns. So a stranger
 * that tries many passwords neither keeps people from signing in nor delays them for long.
 */
export class Passwords {
  readonly #randomBytes: RandomBytes;
  readonly #queue = new FairQueue(atOnce, {
    max: waitingMax,
    refusal: () =>
      new ApiError('overloaded', 'Too many people sign in at once. Try again shortly.', { retryAfterSeconds: 1 }),
  });

  constructor(randomBytes: RandomBytes) {
    this.#randomBytes = randomBytes;
  }

  /**
   * Returns what a user stores of a new password.
   *
   * @param address the client's address.
   * @throws {ApiError} `overloaded` if too many wait.
   */
  async stored(
    password: string,
    address: string | null,
  ): Promise<{ password_hash: string; password_is_short: boolean }> {
    return { password_hash: await this.hash(password, address), ...lengthFactOf(password) };
  }

  /**
   * Returns the hash of a password as a PHC string.
   *
   * @throws {ApiError} `overloaded` if too many wait.
   */
  async hash(password: string, address: string | null): Promise<string> {
    const nonce = Buffer.from(this.#randomBytes(saltBytes));
    const tag = await this.#derive(address, password, { ...cost, nonce, tagLength });
    const { memory, passes, parallelism } = cost;
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64Of(nonce)}$${base64Of(tag)}`;
  }

  /**
   * Returns whether a password has this hash. Without a hash, it takes the same time. So the time of a response does not tell whether an
   * address is known.
   *
   * @param address the client's address.
   * @throws {ApiError} `overloaded` if too many wait.
   */
  async matches(password: string, hash: string | null, address: string | null): Promise<boolean> {
    const parts = hash === null ? null : phcForm.exec(hash);
    if (hash !== null && !parts) throw new Error('Bug! A stored password hash has another form.');
    const [, memory, passes, parallelism, salt = '', tag = ''] = parts ?? [];
    const nonce = parts ? Buffer.from(salt, 'base64') : Buffer.alloc(saltBytes);
    const wanted = parts ? Buffer.from(tag, 'base64') : Buffer.alloc(tagLength);
    const settings = parts
      ? { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
      : cost;
    const found = await this.#derive(address, password, { ...settings, nonce, tagLength: wanted.length });
    return timingSafeEqual(found, wanted) && parts !== null;
  }

  #derive(
    address: string | null,
    message: string,
    parameters: { memory: number; passes: number; parallelism: number; nonce: Buffer; tagLength: number },
  ): Promise<Buffer> {
    const party = { accountId: networkOf(address ?? ''), rootId: siteOf(address ?? '') };
    // A client that disconnects leaves the queue no sooner: a person that closes the page has signed in.
    return this.#queue.run(party, patient, () => derive('argon2id', { message, ...parameters }));
  }
}

function base64Of(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/**
 * Refuses a password that can be guessed. There are no rules of composition, and nothing is cut or changed (NIST SP 800-63B-4, 3.1.1.2).
 *
 * @param context.names texts that the password must not be, such as the e-mail address and the account's name.
 * @throws {ApiError} `password_weak` with the parameter.
 */
export async function refuseWeakPassword(
  password: string,
  { hasSecondFactor, names }: { hasSecondFactor: boolean; names: readonly string[] },
): Promise<void> {
  const least = hasSecondFactor ? lengthWithSecondFactor : lengthAlone;
  if (lengthOf(password) < least)
    throw weak(`The password has fewer than ${least} characters. Choose a longer one, such as a few words in a row.`);
  if (await isCommonPassword(password)) throw weak('Many people use this password. Choose one that is only yours.');
  const plain = password.toLowerCase();
  const parts = names.flatMap((name) => [name.toLowerCase(), ...name.toLowerCase().split('@')]);
  if ([...parts, 'tenure'].some((part) => part.length > 3 && plain.replaceAll(part, '').length < least / 2))
    throw weak('The password is little more than your name, or that of the account. Choose another one.');
}

/**
 * Returns what a user stores of the length of its password. A hash tells no length, and an older process sets a hash alone. So each
 * sign-in and each confirmation by password corrects it.
 */
export function lengthFactOf(password: string): { password_is_short: boolean } {
  return { password_is_short: lengthOf(password) < lengthAlone };
}

/** Returns the number of characters as people count them, not of code units. */
function lengthOf(password: string): number {
  return Array.from(password).length;
}

function weak(message: string): ApiError {
  return new ApiError('password_weak', message, { param: 'password' });
}

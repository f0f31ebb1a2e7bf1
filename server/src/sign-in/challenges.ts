import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Encryption } from '../core/secrets/encryption.ts';
import { idOfText } from '../core/ids.ts';
import type { RandomBytes } from '../core/random.ts';
import type { RecordReader } from '../db/record-reader.ts';
import type { RecordChange } from '../model/resource.ts';
import { usedChallenge, type UsedChallengeRecord } from '../resources/people/used-challenge.ts';

/** How long a passkey may take to answer, in seconds. */
export const challengeSeconds = 5 * 60;

const timeBytes = 6;
const randomLength = 16;
const openBytes = timeBytes + randomLength;
const macBytes = 32;

/** The purpose of a challenge. After sign-in, it belongs to one session. */
export type ChallengePurpose = 'sign_in' | `register ${string}` | `confirm ${string}`;

interface ChallengeContext {
  encryption: Encryption;
  randomBytes: RandomBytes;
}

/**
 * Makes a challenge for a passkey: its end, random bytes, and a code that only this deployment can compute. Nothing is stored, so that
 * strangers cannot fill the database. Each process accepts it, also after a restart.
 */
export function newChallenge(
  { encryption, randomBytes }: ChallengeContext,
  purpose: ChallengePurpose,
  realSeconds: number,
): Uint8Array<ArrayBuffer> {
  const end = Buffer.alloc(timeBytes);
  end.writeUIntBE(realSeconds + challengeSeconds, 0, timeBytes);
  const open = Buffer.concat([end, Buffer.from(randomBytes(randomLength))]);
  return new Uint8Array(Buffer.concat([open, macOf(encryption, purpose, open)]));
}

/** Returns whether a text is a challenge of this deployment for this purpose that has not expired. */
export function isOpenChallenge(
  { encryption }: Pick<ChallengeContext, 'encryption'>,
  purpose: ChallengePurpose,
  text: string,
  realSeconds: number,
): boolean {
  const bytes = Buffer.from(text, 'base64url');
  // Another spelling of the same bytes would pass as another challenge.
  if (bytes.length !== openBytes + macBytes || bytes.toString('base64url') !== text) return false;
  const open = bytes.subarray(0, openBytes);
  return timingSafeEqual(macOf(encryption, purpose, open), bytes.subarray(openBytes)) && endOf(bytes) > realSeconds;
}

/**
 * Returns the change that uses a challenge up, or null if it was used before. If two processes use it at once, the database refuses one.
 *
 * @param accountId the account that stores all used challenges.
 */
export async function challengeUse(
  { readRecord }: { readRecord: RecordReader },
  accountId: string,
  challenge: string,
  realSeconds: number,
): Promise<RecordChange | null> {
  return useOnce({ readRecord }, accountId, {
    text: challenge,
    endsAt: endOf(Buffer.from(challenge, 'base64url')),
    realSeconds,
  });
}

/**
 * Returns the change that uses a secret text up, or null if it was used before. Only a hash of the text is stored.
 *
 * @param used.endsAt when the text ends by itself, in seconds of real time.
 */
export async function useOnce(
  { readRecord }: { readRecord: RecordReader },
  accountId: string,
  { text, endsAt, realSeconds }: { text: string; endsAt: number; realSeconds: number },
): Promise<RecordChange | null> {
  const id = idOfText('uch', text);
  if (await readRecord(usedChallenge, accountId, id)) return null;
  const after: UsedChallengeRecord = {
    id,
    account_id: accountId,
    created: realSeconds,
    revision: 1,
    expires_at: endsAt,
  };
  return { resource: usedChallenge, before: null, after };
}

function endOf(challenge: Buffer): number {
  return challenge.readUIntBE(0, timeBytes);
}

function macOf(encryption: Encryption, purpose: ChallengePurpose, open: Buffer): Buffer {
  return createHmac('sha256', encryption.derive('challenges')).update(`${purpose} `).update(open).digest();
}

import type { Committer } from '../commit/committer.ts';
import { ApiError } from '../core/errors.ts';
import { idOfText, type Id } from '../core/ids.ts';
import { DatabaseError } from '../db/pools.ts';
import type { RecordReader } from '../db/record-reader.ts';
import type { RecordChange } from '../model/resource.ts';
import { signInAttempts, type SignInAttemptsRecord } from '../resources/people/sign-in-attempts.ts';

/** Failures that a subject may have in this time, in seconds. A user code is short, so a person has fewer tries. */
const failuresMax = 10;
const codeFailuresMax = 5;
const windowSeconds = 15 * 60;

/**
 * The subject of an attempt: a client's address, a user, a browser that has signed in before, or a link. All links for a new password of a
 * user are one subject. For the command line: the address that begins sign-ins, or the person that enters user codes. For a new e-mail
 * address: the person that tries it.
 */
export type Subject =
  | `address ${string}`
  | `email ${string}`
  | `browser ${string}`
  | `link ${string}`
  | `device ${string}`
  | `code ${string}`
  | `new email ${string}`;

interface AttemptsContext {
  committer: Committer;
  readRecord: RecordReader;
}

/**
 * Counts an attempt of each subject as failed before it is tried. So attempts at once cannot pass the limit together. A successful one is
 * taken back with `forgiven`.
 *
 * @param accountId the account that stores the counters.
 * @throws {ApiError} `too_many_attempts` if a subject has none left. Then nothing is counted.
 */
export async function takeAttempt(
  { committer, readRecord }: AttemptsContext,
  accountId: string,
  subjects: readonly Subject[],
  realSeconds: number,
): Promise<void> {
  let refusal: ApiError | null = null as ApiError | null;
  const count = async (): Promise<void> =>
    committer.commitAsSystem({
      accountId,
      locks: subjects.map(idOf),
      async decide() {
        refusal = null;
        const changes: RecordChange[] = [];
        for (const subject of subjects) {
          const id = idOf(subject);
          const before = await readRecord(signInAttempts, accountId, id);
          const counted = before !== null && before.since > realSeconds - windowSeconds ? before : null;
          if (counted && counted.failures >= failuresMaxOf(subject)) {
            refusal = tooMany(subject, counted.since + windowSeconds - realSeconds);
            return { changes: [] };
          }
          const failures = (counted?.failures ?? 0) + 1;
          const since = counted?.since ?? realSeconds;
          const after: SignInAttemptsRecord = before
            ? { ...before, failures, since, revision: before.revision + 1 }
            : { id, account_id: accountId, created: realSeconds, revision: 1, failures, since };
          changes.push({ resource: signInAttempts, before, after });
        }
        return { changes };
      },
    });
  // Another process may make the same counter at this moment. The second time, it is there.
  await count().catch((error: unknown) => (isCounterMade(error) ? count() : Promise.reject(error)));
  if (refusal) throw refusal;
}

function isCounterMade(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '23505';
}

/**
 * Returns the changes that take an attempt back.
 *
 * @param isSuccess the sign-in is complete, which also forgives the earlier failures. An address keeps them: else one valid user would let
 * it continue with others.
 */
export async function forgiven(
  { readRecord }: Pick<AttemptsContext, 'readRecord'>,
  accountId: string,
  subjects: readonly Subject[],
  { isSuccess }: { isSuccess: boolean },
): Promise<RecordChange[]> {
  const changes: RecordChange[] = [];
  for (const subject of subjects) {
    const before = await readRecord(signInAttempts, accountId, idOf(subject));
    if (!before) continue;
    const isKept = before.failures > 1 && (!isSuccess || subject.startsWith('address '));
    const after = isKept ? { ...before, failures: before.failures - 1, revision: before.revision + 1 } : null;
    changes.push({ resource: signInAttempts, before, after });
  }
  return changes;
}

/** Returns the id of a subject's counter. It follows from the subject, so that two processes count in one record. */
export function idOf(subject: Subject): Id<'sia'> {
  return idOfText('sia', subject);
}

function failuresMaxOf(subject: Subject): number {
  return subject.startsWith('code ') ? codeFailuresMax : failuresMax;
}

function tooMany(subject: Subject, seconds: number): ApiError {
  return new ApiError('too_many_attempts', textOf(subject), { retryAfterSeconds: Math.max(1, seconds) });
}

function textOf(subject: Subject): string {
  if (subject.startsWith('device '))
    return 'Too many sign-ins of the command line were begun at this address, and not approved. Wait for the time in `Retry-After`.';
  if (subject.startsWith('code ')) return 'Too many codes were wrong. Wait for the time in `Retry-After`.';
  if (subject.startsWith('new email '))
    return 'You have tried too many e-mail addresses. Wait for the time in `Retry-After`.';
  return 'Too many attempts to sign in have failed. Wait for the time in `Retry-After`, or ask an owner of the account for a new link.';
}

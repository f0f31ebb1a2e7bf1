import { Type, type Static } from 'typebox';
import { ApiError } from '../../core/errors.ts';
import type { RecordChange } from '../../model/resource.ts';
import { session, type Factor } from '../../resources/people/session.ts';
import { user as users, type UserRecord } from '../../resources/people/user.ts';
import { closedObject } from '../../model/schemas/make.ts';
import { forgiven, takeAttempt, type Subject } from '../../sign-in/attempts.ts';
import { lengthFactOf, passwordLengthMax } from '../../sign-in/passwords.ts';
import { endOf, endsForRoom, lifetimeOf, newSession, readSessionsOf, realSecondsOf } from '../../sign-in/sessions.ts';
import { hashOfRecoveryCode, stepOfCode } from '../../sign-in/totp.ts';
import { accountOfCell, findUser } from '../../sign-in/users.ts';
import {
  authError,
  browserOf,
  commitBy,
  refuseStranger,
  replacedSession,
  setSessionCookies,
  signInFailed,
  subjectsOf,
  type AuthCall,
  type AuthDecision,
} from './call.ts';

export const Email = Type.String({ maxLength: 254, format: 'email' });
export const Password = Type.String({ minLength: 1, maxLength: passwordLengthMax });
export const Code = Type.String({ minLength: 1, maxLength: 64 });

export const SignInBody = closedObject({ email: Email, password: Password, code: Type.Optional(Code) });

/**
 * Signs a user in by password, and by code if the user has a second factor.
 *
 * @returns the token of the new session.
 * @throws {ApiError} `sign_in_failed`, `second_factor_required` or `too_many_attempts`.
 */
export async function signIn(call: AuthCall<Static<typeof SignInBody>>): Promise<string> {
  const { context, body } = call;
  const found = await findUser(context.reader, body.email);
  // An unknown address costs the same reads, so that the time tells nothing.
  const user = await context.readRecord(users, found?.accountId ?? '', found?.id ?? '');
  const subjects = subjectsOf(call, body.email, user);
  await takeAttemptOf(call, subjects);
  const isRight = await context.passwords.matches(
    body.password,
    user?.password_hash ?? null,
    call.request.client.address,
  );
  if (!user) return refuseStranger(call, await countingAccountOf(call), signInFailed());
  return beginSession(call, user, {
    subjects,
    factors: ['password'],
    isAllowed: (current) => isRight && current.password_hash === user.password_hash,
    also: async (current) => ({ user: { ...current, ...lengthFactOf(body.password) }, changes: [] }),
  });
}

/**
 * Counts an attempt as failed before it is tried.
 *
 * @throws {ApiError} `too_many_attempts`. It leaves no log, so that a flood of attempts does not fill the database.
 */
export async function takeAttemptOf(call: AuthCall, subjects: readonly Subject[]): Promise<void> {
  const { context } = call;
  if (subjects.length === 0) return;
  const accountId = await countingAccountOf(call);
  await takeAttempt(context, accountId, subjects, realSecondsOf(context));
}

/**
 * Returns the account that has the counters of all attempts. An unknown address has a counter there, too.
 *
 * @throws {ApiError} `sign_in_failed` in an empty database.
 */
export async function countingAccountOf({ context }: AuthCall): Promise<string> {
  const accountId = await accountOfCell(context.reader);
  if (accountId === null) throw signInFailed();
  return accountId;
}

/** Returns the changes that take back the attempt of a user. See `forgiven`. */
export async function forgivenOf(
  { context }: AuthCall,
  subjects: readonly Subject[],
  { isSuccess } = { isSuccess: true },
): Promise<RecordChange[]> {
  const accountId = await accountOfCell(context.reader);
  return accountId === null ? [] : forgiven(context, accountId, subjects, { isSuccess });
}

/**
 * Begins a session of a user after the first factor. A user with a second factor needs a code, too.
 *
 * @param proof.isAllowed judges the user as it is at the commit.
 * @param proof.also returns changes of other records in the same commit, and the changed user. Null refuses the sign-in.
 * @param proof.isBothFactors the proof needs no second factor beside it.
 * @param proof.confirmedAt when the first factor was proved, in seconds. By default now. Null if that is not known.
 * @param proof.refusal the error if the user may not sign in. By default that of a wrong password.
 * @returns the token of the session.
 */
export async function beginSession(
  call: AuthCall,
  user: UserRecord,
  proof: {
    subjects: readonly Subject[];
    factors: Factor[];
    isAllowed?(current: UserRecord): boolean;
    also?(current: UserRecord): Promise<{ user: UserRecord; changes: RecordChange[] } | null>;
    isBothFactors?: boolean;
    confirmedAt?: number | null | undefined;
    refusal?: ApiError;
  },
): Promise<string> {
  const { context } = call;
  const { ids, randomBytes, config, readRecord, reader } = context;
  const { refusal = signInFailed() } = proof;
  let begun: { token: string; user: UserRecord } | null = null as { token: string; user: UserRecord } | null;
  await commitBy(call, user, [], async (): Promise<AuthDecision> => {
    const current = await readRecord(users, user.account_id, user.id);
    if (!current || current.status !== 'active' || proof.isAllowed?.(current) === false)
      return { changes: [], error: refusal };
    const second =
      proof.isBothFactors === true
        ? { user: current, factors: [] }
        : useSecondFactor(call, current, (call.body as { code?: string }).code);
    if (second instanceof ApiError) {
      // A missing code is no failure: the browser asks for it next. It forgives no wrong code before it.
      const isMissing = second.code === 'second_factor_required';
      const changes = isMissing ? await forgivenOf(call, proof.subjects, { isSuccess: false }) : [];
      return { changes, error: second };
    }
    const also = proof.also ? await proof.also(second.user) : { user: second.user, changes: [] };
    if (!also) return { changes: [], error: refusal };
    const realSeconds = realSecondsOf(context);
    const signedIn = { ...also.user, last_signed_in_at: realSeconds, revision: current.revision + 1 };
    const { token, record } = newSession({ ids, mode: config.mode, realSeconds, randomBytes }, signedIn, {
      factors: [...proof.factors, ...second.factors],
      // A code is of this moment.
      confirmedAt: second.factors.length > 0 ? realSeconds : proof.confirmedAt,
      ...browserOf(call),
    });
    begun = { token, user: signedIn };
    const replaced = await replacedSession(call);
    const others = (await readSessionsOf(reader, user.account_id, user.id)).filter(({ id }) => id !== replaced?.id);
    return {
      changes: [
        { resource: session, before: null, after: record },
        { resource: users, before: current, after: signedIn },
        ...also.changes,
        ...(replaced ? [endOf(replaced)] : []),
        ...endsForRoom(others),
        ...(await forgivenOf(call, proof.subjects)),
      ],
    };
  });
  if (!begun) throw new Error('Bug! A session was committed without its token.');
  setSessionCookies(call, begun.user, begun.token, lifetimeOf(config.mode));
  return begun.token;
}

/** Checks the second factor of a user, and uses the code up. Returns the error if it is missing or wrong. */
export function useSecondFactor(
  { context }: AuthCall,
  user: UserRecord,
  code: string | undefined,
): { user: UserRecord; factors: Factor[] } | ApiError {
  if (!user.totp_secret && user.passkeys.length > 0)
    return authError(
      'second_factor_required',
      'Sign in with your passkey. It needs no password, link or code beside it.',
      'passkey',
    );
  if (!user.totp_secret) return { user, factors: [] };
  if (code === undefined)
    return authError('second_factor_required', 'Send `code` too: six digits from your app, or a recovery code.');
  const digits = code.replaceAll(/\s/g, '');
  if (/^\d{6}$/.test(digits)) {
    const secret = context.encryption.decrypt(user.totp_secret);
    const step = stepOfCode(secret, digits, context.realClock.nowMs(), user.totp_step);
    return step === null ? signInFailed() : { user: { ...user, totp_step: step }, factors: ['totp'] };
  }
  const hash = hashOfRecoveryCode(code);
  if (!user.recovery_codes.includes(hash)) return signInFailed();
  const left = user.recovery_codes.filter((other) => other !== hash);
  return { user: { ...user, recovery_codes: left }, factors: ['recovery_code'] };
}

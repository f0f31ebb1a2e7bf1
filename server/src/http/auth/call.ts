import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { randomBase62 } from '../../core/base62.ts';
import { ApiError, type ErrorCode } from '../../core/errors.ts';
import { findKnown } from '../../core/arrays.ts';
import { DatabaseError } from '../../db/pools.ts';
import { principalOfPerson, type Actor, type Principal } from '../../model/callers/principal.ts';
import type { RecordChange, Resource } from '../../model/resource.ts';
import type { Guard } from '../../commit/write-request.ts';
import { cached } from '../../model/traits/cached.ts';
import { session, type SessionRecord } from '../../resources/people/session.ts';
import { user as users, type UserRecord } from '../../resources/people/user.ts';
import type { Subject } from '../../sign-in/attempts.ts';
import type { HttpContext } from '../context.ts';
import { headerOf } from '../headers.ts';
import { cookieHeader, cookieOf, sessionTokenOf, type BrowserPlace } from '../pipeline/browser.ts';
import { networkOf } from '../../core/addresses/network.ts';
import { authenticated, type AuthenticatedRequest, type ReceivedRequest } from '../request.ts';
import { requestFacts } from '../write/request-facts.ts';

/** The lifetime of the cookie by which a browser is known again, in seconds. */
const deviceSeconds = 365 * 24 * 3600;
const deviceIdLength = 22;

/** A request about a sign-in, from our own pages. */
export interface AuthCall<Body = unknown> {
  context: HttpContext;
  request: ReceivedRequest;
  reply: FastifyReply;
  place: BrowserPlace;
  body: Body;
}

/** What a decision about a sign-in writes. With an error, only the changes that go with it. */
export interface AuthDecision {
  changes: RecordChange[];
  guards?: Guard[];
  error?: ApiError;
}

/**
 * Commits changes by a user, with a log without bodies: the audit trail of sign-ins. A refusal is logged too.
 *
 * @param decide is called again if a record has changed meanwhile.
 * @throws {ApiError} the error of the decision, after its commit.
 */
export async function commitBy(
  { context, request }: AuthCall,
  user: UserRecord,
  locks: readonly string[],
  decide: () => Promise<AuthDecision>,
): Promise<void> {
  await commitAs(context, asUser(request, user), locks, decide);
}

/** Commits changes by the principal of a request. See `commitBy`. */
export async function commitAs(
  context: HttpContext,
  request: AuthenticatedRequest,
  locks: readonly string[],
  decide: () => Promise<AuthDecision>,
): Promise<void> {
  let refusal: ApiError | null = null as ApiError | null;
  const outcome = await context.committer.commit({
    accountId: request.accountId,
    payer: null,
    request: requestFacts(context, request),
    claim: null,
    locks: [request.principal.id, ...locks],
    async decide() {
      const { changes, guards = [], error } = await decide();
      refusal = error ?? null;
      const { status, type, code } = error ?? { status: 200 };
      return {
        changes,
        guards,
        response: { status, body: '', isUnlogged: true, ...(type && code && { error: { type, code } }) },
      };
    },
  });
  if (outcome.kind === 'refused') {
    // Another request has just stored the same e-mail address, identity or counter.
    if (outcome.error instanceof DatabaseError && outcome.error.code === '23505')
      throw new ApiError(
        'unavailable',
        'Another request has just used the same e-mail address or identity. Nothing was changed. Try again.',
        { retryAfterSeconds: 1, cause: outcome.error },
      );
    throw outcome.error;
  }
  if (!refusal) return;
  logged.add(refusal);
  throw refusal;
}

/** The refusals that have their log. */
const logged = new WeakSet<ApiError>();

/** Logs a refusal of a known user, unless it is logged already, and throws it. */
export async function refuse(call: AuthCall, user: UserRecord, error: unknown): Promise<never> {
  if (error instanceof ApiError && !logged.has(error))
    await commitBy(call, user, [], async () => ({ changes: [], error }));
  throw error;
}

/** A visitor that is no known user. */
const stranger: Actor = { type: 'system', id: null, name: null, key: null, source: 'dashboard' };

/**
 * Logs a refusal of a visitor that is no known user, and throws it. The log of a known user takes as long. So the time of a response does not
 * tell whether an e-mail address is known.
 *
 * @param accountId the account that gets the log, which names no address.
 */
export async function refuseStranger(
  { context, request }: AuthCall,
  accountId: string,
  error: ApiError,
): Promise<never> {
  const { status, type, code } = error;
  const facts = requestFacts(context, authenticated({ ...request, bodyText: null }, { ...visitor, accountId }));
  const outcome = await context.committer.commit({
    accountId,
    payer: null,
    request: { ...facts, actor: stranger },
    claim: null,
    locks: [],
    decide: async () => ({
      changes: [],
      response: { status, body: '', isUnlogged: true, error: { type, code } },
    }),
  });
  if (outcome.kind === 'refused') throw outcome.error;
  throw error;
}

/**
 * Waits until no process accepts a session or a key any more that has just ended.
 *
 * @param kind by default that of users: another process may use a cached session for as long as a cached user.
 */
export async function untilEndedEverywhere(
  { context }: Pick<AuthCall, 'context'>,
  kind: Pick<Resource, 'path'> = users,
): Promise<void> {
  await delay(cached.of(findKnown(context.resources, ({ path }) => path === kind.path)) ?? 0);
}

/** Returns the session that the browser already has, of any user. A sign-in ends it. */
export async function replacedSession({ context, request, place }: AuthCall): Promise<SessionRecord | null> {
  const token = sessionTokenOf(request.incoming, place);
  const stored = token === null ? null : await context.sessionRing.getAnew(token);
  if (!stored?.principal.person) return null;
  return context.readRecord(session, stored.principal.accountId, stored.principal.person.sessionId);
}

/** The principal of a request without one. It has no permission. */
const visitor: Omit<Principal, 'accountId'> = {
  ...stranger,
  id: '',
  permissions: new Set(),
  expiresAt: null,
  approvals: 'none',
  person: null,
};

/** Returns the request as one of this user, for its log. */
function asUser(request: ReceivedRequest, user: UserRecord): AuthenticatedRequest {
  const principal = principalOfPerson({
    id: user.id,
    role: user.role,
    email: user.email,
    accountId: user.account_id,
    sessionId: '',
    confirmedUntil: null,
    lacksSecondFactor: false,
    permissions: new Set(),
  });
  return authenticated({ ...request, bodyText: null }, principal);
}

/**
 * Returns the subjects whose failures count for an attempt. A browser in which the user has signed in before is counted by itself. So
 * neither its neighbors at the address nor an attacker of the user can lock it out.
 *
 * @param email null for a passkey, which cannot be guessed. Then the address alone counts, so that an attacker locks no user out.
 */
export function subjectsOf(call: AuthCall, email: string | null, user: UserRecord | null): Subject[] {
  const device = user && deviceOf(call, user);
  if (device) return [`browser ${device}`];
  const address = call.request.client.address ?? '';
  const network: Subject = `address ${networkOf(address)}`;
  return email === null ? [network] : [network, `email ${email.toLowerCase()}`];
}

/** Returns the id of a browser in which this user has signed in before, or null. */
function deviceOf(call: AuthCall, user: UserRecord): string | null {
  const [id = '', mac = ''] = (cookieOf(call.request.incoming, deviceCookieOf(call.place)) ?? '').split('.');
  const wanted = macOf(call.context, user, id);
  const isRight = mac.length === wanted.length && timingSafeEqual(Buffer.from(mac), Buffer.from(wanted));
  return id.length === deviceIdLength && isRight ? id : null;
}

/** Sets the cookies of a new session, and the one that knows this browser again. */
export function setSessionCookies(call: AuthCall, user: UserRecord, token: string, maxAgeSeconds: number): void {
  const { context, place, reply } = call;
  const id = deviceOf(call, user) ?? randomBase62(deviceIdLength, context.randomBytes);
  reply.header('set-cookie', [
    cookieHeader(place, place.cookieName, token, maxAgeSeconds),
    cookieHeader(place, deviceCookieOf(place), `${id}.${macOf(context, user, id)}`, deviceSeconds),
  ]);
}

export function removeSessionCookie({ place, reply }: AuthCall): void {
  reply.header('set-cookie', cookieHeader(place, place.cookieName, '', 0));
}

function deviceCookieOf({ cookieName }: BrowserPlace): string {
  return `${cookieName}_browser`;
}

function macOf({ encryption }: HttpContext, { id: userId }: UserRecord, id: string): string {
  return createHmac('sha256', encryption.derive('browsers')).update(`${userId} ${id}`).digest('base64url');
}

/** Returns the facts about the browser that a session shows. */
export function browserOf({ request }: AuthCall): { ipAddress: string | null; userAgent: string | null } {
  return {
    ipAddress: request.client.address ?? null,
    userAgent: headerOf(request.incoming, 'user-agent')?.slice(0, 500) ?? null,
  };
}

/** The error of a failed sign-in: the same for an unknown address, a wrong password and a disabled user. */
export function signInFailed(): ApiError {
  return authError('sign_in_failed', 'The e-mail address, the password or the code is wrong.');
}

/** The error of everything that can be wrong with a passkey. */
export function passkeyFailed(): ApiError {
  return authError(
    'sign_in_failed',
    'The passkey was not accepted. It may be removed, or it took too long. Try again, or use your password.',
  );
}

export function authError(code: ErrorCode, message: string, param?: string): ApiError {
  return new ApiError(code, message, param === undefined ? {} : { param });
}

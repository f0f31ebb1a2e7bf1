import { Type, type Static } from 'typebox';
import { toSeconds } from '../../core/clock.ts';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { operatorCommand } from '../../core/installation.ts';
import { decideCreate } from '../../model/change.ts';
import { fewestOf, includesPermission, requirePermission } from '../../model/callers/permissions.ts';
import type { RecordChange } from '../../model/resource.ts';
import { closedObject, oneOf } from '../../model/schemas/make.ts';
import { apiKey, type ApiKeyRecord } from '../../resources/api_key.ts';
import { deviceLogin, type DeviceLoginRecord } from '../../resources/people/device-login.ts';
import { user as users } from '../../resources/people/user.ts';
import { forgiven, takeAttempt, type Subject } from '../../sign-in/attempts.ts';
import {
  deviceKeyName,
  deviceKeySeconds,
  deviceLoginSeconds,
  findByDeviceCode,
  findByUserCode,
  isDeviceKey,
  lettersOfUserCode,
  newDeviceLogin,
  pickUpUntil,
  pollSeconds,
} from '../../sign-in/device-logins.ts';
import { realSecondsOf, requireConfirmation } from '../../sign-in/sessions.ts';
import { accountOfCell, hasUsers } from '../../sign-in/users.ts';
import type { HttpContext } from '../context.ts';
import { headerOf } from '../headers.ts';
import { authenticate, requireSecondFactor } from '../pipeline/authenticate.ts';
import { isFromDashboard } from '../pipeline/browser.ts';
import { networkOf } from '../../core/addresses/network.ts';
import { authenticated, type ReceivedRequest } from '../request.ts';
import { callerOf } from '../write/caller.ts';
import { commitAs, commitBy, untilEndedEverywhere, type AuthDecision } from './call.ts';
import { current, type OwnCall } from './own-account.ts';
import { forgivenOf, takeAttemptOf } from './sign-in.ts';

/*
 * The sign-in of the command line by a device code (RFC 8628). The command begins it and shows a user code. A person enters that code in the
 * dashboard, and approves. Then the command picks up an API key, once.
 */

export const BeginDeviceBody = closedObject({
  machine: Type.String({ minLength: 1, maxLength: 100, format: 'single-line' }),
});
export const DeviceTokenBody = closedObject({ device_code: Type.String({ maxLength: 100 }) });
const UserCode = Type.String({ maxLength: 40 });
export const ReadDeviceBody = closedObject({ user_code: UserCode });
export const DecideDeviceBody = closedObject({
  user_code: UserCode,
  decision: oneOf('approve', 'deny'),
  access: Type.Optional(oneOf('read_only', 'full')),
});

/** A request of the command line. It has no session. */
export interface ProgramCall<Body = unknown> {
  context: HttpContext;
  request: ReceivedRequest;
  body: Body;
}

/**
 * Refuses a browser. A page must neither begin a sign-in nor pick up a key, not even a page of the dashboard.
 *
 * @throws {ApiError} `origin_forbidden`.
 */
export function requireProgram({ incoming }: ReceivedRequest): void {
  const isFromPage = ['origin', 'cookie'].some((name) => headerOf(incoming, name) !== undefined);
  if (isFromPage || isFromDashboard(incoming))
    throw new ApiError('origin_forbidden', 'Only the command line uses this path. A browser cannot send this request.');
}

/**
 * Begins a sign-in, and returns its two codes. It leaves no log, because no account is behind it yet.
 *
 * @throws {ApiError} `resource_missing` if no person could approve it, or `too_many_attempts`.
 */
export async function beginDeviceLogin(call: ProgramCall<Static<typeof BeginDeviceBody>>): Promise<JsonObject> {
  const { context, request, body } = call;
  const { config, reader, committer } = context;
  if (!config.hasDashboard)
    throw noSignIn('This server has no dashboard, so that no person can approve the sign-in. Use an API key instead.');
  const accountId = await accountOfCell(reader);
  if (accountId === null || !(await hasUsers(reader)))
    throw noSignIn(
      `No person can sign in to the dashboard yet. Open the link that \`${operatorCommand('login-link')}\` prints, then try again.`,
    );
  const realSeconds = realSecondsOf(context);
  const ipAddress = request.client.address;
  await takeAttempt(context, accountId, [beginnerOf(ipAddress)], realSeconds);
  const begun = newDeviceLogin({ ...context, realSeconds }, { accountId, machine: body.machine, ipAddress });
  const change = { resource: deviceLogin, before: null, after: begun.record };
  await committer.commitAsSystem({ accountId, locks: [], decide: async () => ({ changes: [change] }) });
  return {
    object: 'device_login',
    device_code: begun.deviceCode,
    user_code: begun.userCode,
    verification_url: `${config.publicUrl}/dashboard/cli`,
    expires_in: deviceLoginSeconds,
    interval: pollSeconds,
    // The terminal shows it, so that the person can compare it with the page.
    ip_address: ipAddress,
  };
}

function noSignIn(message: string): ApiError {
  return new ApiError('resource_missing', message, { status: 404 });
}

/** Returns the subject whose begun sign-ins count. An approval takes one back, so that a busy office is not stopped. */
function beginnerOf(ipAddress: string | null): Subject {
  return `device ${networkOf(ipAddress ?? '')}`;
}

/**
 * Returns the state of a sign-in. If it is approved, the response has the key's secret, and the sign-in is deleted in the commit before.
 *
 * @throws {ApiError} `parameter_invalid`: the same for an unknown, a used and an expired code.
 */
export async function pickUpKey({ context, body }: ProgramCall<Static<typeof DeviceTokenBody>>): Promise<JsonObject> {
  const { reader, readRecord, committer, encryption, accounts } = context;
  const found = await findByDeviceCode(reader, body.device_code);
  if (!found) throw deviceCodeInvalid();
  const read = async (): Promise<DeviceLoginRecord> => {
    const login = await readRecord(deviceLogin, found.accountId, found.id);
    if (!login || login.expires_at <= realSecondsOf(context)) throw deviceCodeInvalid();
    return login;
  };
  const login = await read();
  if (login.decision === null) return { object: 'device_login', status: 'pending' };
  if (login.decision === 'denied') return { object: 'device_login', status: 'denied' };
  const { key_account_id: accountId, key_id: keyId, secret } = login;
  if (accountId === null || keyId === null || !secret) throw new Error('Bug! An approved sign-in has no key.');
  // Before the commit, so that nothing after it can fail and lose the key.
  const key = await readRecord(apiKey, accountId, keyId);
  const response = {
    object: 'device_login',
    status: 'approved',
    api_key: encryption.decrypt(secret),
    key: {
      id: keyId,
      name: key?.name ?? null,
      permissions: key?.permissions ?? [],
      expires_at: key?.expires_at ?? null,
    },
    account: { id: accountId, name: (await accounts.get(accountId))?.name ?? null },
  };
  await committer.commitAsSystem({
    accountId: found.accountId,
    locks: [found.id],
    decide: async () => ({ changes: [{ resource: deviceLogin, before: await read(), after: null }] }),
  });
  return response;
}

function deviceCodeInvalid(): ApiError {
  return invalidParameter(
    'device_code',
    'This sign-in was used, has expired, or does not exist. Begin again with `tenure login`.',
  );
}

/**
 * Revokes the key that a sign-in of the command line made. The key itself asks for it, also one that only reads.
 *
 * @throws {ApiError} 401 without a valid key, or `permission_denied` for a key of another origin.
 */
export async function endDeviceKey({ context, request }: ProgramCall): Promise<JsonObject> {
  const { clock, readRecord } = context;
  const principal = await authenticate(request.incoming, context);
  await commitAs(context, authenticated({ ...request, bodyText: null }, principal), [], async () => {
    const before = await readRecord(apiKey, principal.accountId, principal.id);
    if (!before || !isDeviceKey(before))
      throw new ApiError(
        'permission_denied',
        'Only a key that `tenure login` made ends itself. Revoke this one on the page of API keys, or with `DELETE /v1/api_keys/{id}`.',
      );
    if (before.revoked_at !== null) return { changes: [] };
    const after: ApiKeyRecord = { ...before, revoked_at: toSeconds(clock.nowMs()), revision: before.revision + 1 };
    return { changes: [{ resource: apiKey, before, after, verbs: ['revoked'] }] };
  });
  await untilEndedEverywhere({ context }, apiKey);
  return { object: 'api_key', id: principal.id, status: 'revoked' };
}

/**
 * Returns what a person compares with the terminal. It decides nothing.
 *
 * @throws {ApiError} `parameter_invalid` if no sign-in waits for this code, `permission_denied` or `too_many_attempts`.
 */
export async function readDeviceLogin(call: OwnCall<Static<typeof ReadDeviceBody>>): Promise<JsonObject> {
  requireKeyMaker(call);
  const login = await waitingLogin(call);
  await commitBy(call, call.user, [], async () => ({ changes: await rightCode(call) }));
  return shown(login);
}

/**
 * Approves or denies a sign-in. An approval makes an API key of the person's account, as `POST /v1/api_keys` does.
 *
 * @throws {ApiError} as `readDeviceLogin`, and `reauthentication_required` in live mode.
 */
export async function decideDeviceLogin(call: OwnCall<Static<typeof DecideDeviceBody>>): Promise<JsonObject> {
  const { context, session, user, body } = call;
  requireKeyMaker(call);
  const isApproval = body.decision === 'approve';
  if (isApproval && body.access === undefined)
    throw new ApiError('parameter_missing', 'Choose `access`: `read_only` or `full`.', { param: 'access' });
  // Before the attempt is counted, so that the same code can be sent again.
  if (isApproval && context.config.mode === 'live') requireConfirmation(session.principal, realSecondsOf(context));
  const login = await waitingLogin(call);
  let key: ApiKeyRecord | null = null as ApiKeyRecord | null;
  await commitBy(call, user, [login.id], async (): Promise<AuthDecision> => {
    const { member } = await current(call);
    const before = await context.readRecord(deviceLogin, login.account_id, login.id);
    if (!isWaiting(before, context)) return { changes: [], error: userCodeInvalid() };
    key = isApproval ? await newKey(call, before.machine, body.access!) : null;
    const after: DeviceLoginRecord = {
      ...before,
      decision: isApproval ? 'approved' : 'denied',
      decided_by: member.id,
      ...(key && {
        key_account_id: key.account_id,
        key_id: key.id,
        secret: key.secret ?? null,
        expires_at: pickUpUntil(before, realSecondsOf(context)),
      }),
      revision: before.revision + 1,
    };
    const changes: RecordChange[] = [{ resource: deviceLogin, before, after }, ...(await rightCode(call))];
    if (key) {
      const beginner = [beginnerOf(before.ip_address)];
      changes.push({ resource: apiKey, before: null, after: key });
      changes.push(...(await forgiven(context, before.account_id, beginner, { isSuccess: false })));
    }
    return { changes, guards: [{ resource: users, record: member }] };
  });
  return { ...shown(login), status: isApproval ? 'approved' : 'denied', key: key && key.id };
}

/**
 * Requires a person that may make API keys.
 *
 * @throws {ApiError} `second_factor_setup_required` or `permission_denied`.
 */
function requireKeyMaker({ session: { principal } }: OwnCall): void {
  requireSecondFactor(principal);
  requirePermission('api_keys.write', principal);
}

/**
 * Returns the sign-in that waits for this user code. A wrong code counts as a failed attempt of the person.
 *
 * @throws {ApiError} `parameter_invalid` or `too_many_attempts`.
 */
async function waitingLogin(call: OwnCall<{ user_code: string }>): Promise<DeviceLoginRecord> {
  const { context, body } = call;
  const letters = lettersOfUserCode(body.user_code);
  if (letters === null) throw userCodeInvalid();
  await takeAttemptOf(call, [guesserOf(call)]);
  const found = await findByUserCode(context, letters);
  const login = found && (await context.readRecord(deviceLogin, found.accountId, found.id));
  if (!isWaiting(login, context)) throw userCodeInvalid();
  return login;
}

function isWaiting(login: DeviceLoginRecord | null, context: HttpContext): login is DeviceLoginRecord {
  return login !== null && login.decision === null && login.expires_at > realSecondsOf(context);
}

function guesserOf({ user }: OwnCall): Subject {
  return `code ${user.id}`;
}

/** Returns the change that takes the attempt of a right code back. Earlier wrong codes stay counted, or an own code would forgive them. */
function rightCode(call: OwnCall): ReturnType<typeof forgivenOf> {
  return forgivenOf(call, [guesserOf(call)], { isSuccess: false });
}

function userCodeInvalid(): ApiError {
  return invalidParameter(
    'user_code',
    'No sign-in waits for this code. It may have expired, or was decided already. Compare it with your terminal.',
  );
}

/** Makes the key of an approval, by the definition of API keys. */
async function newKey(
  { context, request, session }: OwnCall,
  machine: string,
  access: 'read_only' | 'full',
): Promise<ApiKeyRecord> {
  const { accounts, ids, permissions } = context;
  const { principal } = session;
  const { accountId } = principal;
  const account = await accounts.get(accountId);
  if (!account) throw new Error(`Bug! The account ${accountId} is not there.`);
  const { versionsServed } = request;
  const pinned = { ...account, apiVersion: account.apiVersion ?? versionsServed[0] };
  const caller = callerOf(context, { account: pinned, accountId, principal, versionsServed });
  const held = permissions.filter((permission) => includesPermission(principal.permissions, permission));
  const input = {
    type: 'restricted',
    name: deviceKeyName(machine),
    permissions: access === 'full' ? fewestOf(held) : held.filter((permission) => permission.endsWith('.read')),
    expires_at: caller.nowSeconds + deviceKeySeconds,
  };
  const [{ after }] = decideCreate(apiKey, ids.make(apiKey.prefix), accountId, input, caller).changes;
  return after as ApiKeyRecord;
}

function shown({ machine, ip_address: ipAddress, expires_at: expiresAt }: DeviceLoginRecord): JsonObject {
  return {
    object: 'device_login',
    machine,
    ip_address: ipAddress,
    begun_at: expiresAt - deviceLoginSeconds,
    expires_at: expiresAt,
  };
}

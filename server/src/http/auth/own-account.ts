import { Type, type Static } from 'typebox';
import type { Guard } from '../../commit/write-request.ts';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { hashToken } from '../../core/secrets/tokens.ts';
import { firstEmailStatus, queuedEmail } from '../../email/queue.ts';
import type { EmailToSend } from '../../model/email.ts';
import { SingleLine } from '../../model/schemas/fields.ts';
import { mayHandle } from '../../model/callers/roles.ts';
import { closedObject, nullable } from '../../model/schemas/make.ts';
import { account as accountResource } from '../../resources/account/index.ts';
import { invitation, statusOf } from '../../resources/people/invitation.ts';
import { session as sessions, type SessionRecord } from '../../resources/people/session.ts';
import { user as users, type UserRecord } from '../../resources/people/user.ts';
import type { ChallengePurpose } from '../../sign-in/challenges.ts';
import { newLink } from '../../sign-in/links.ts';
import { lengthAlone, lengthFactOf, refuseWeakPassword } from '../../sign-in/passwords.ts';
import {
  endOf,
  isOpen,
  lifetimeOf,
  readSessionsOf,
  realSecondsOf,
  renewed,
  requireConfirmation,
  type StoredSession,
} from '../../sign-in/sessions.ts';
import { newRecoveryCodes, newTotpSecret, stepOfCode, totpUrl } from '../../sign-in/totp.ts';
import { findInvitations, findUser } from '../../sign-in/users.ts';
import { requireSecondFactor } from '../pipeline/authenticate.ts';
import type { HttpContext } from '../context.ts';
import {
  authError,
  commitBy,
  passkeyFailed,
  removeSessionCookie,
  setSessionCookies,
  signInFailed,
  subjectsOf,
  untilEndedEverywhere,
  type AuthCall,
  type AuthDecision,
} from './call.ts';
import { AssertionBody, provePasskey, relyingPartyOf, spendProof } from './passkey-proof.ts';
import { Code, Email, forgivenOf, Password, takeAttemptOf, useSecondFactor } from './sign-in.ts';

/** A request of a person that is signed in. */
export interface OwnCall<Body = unknown> extends AuthCall<Body> {
  /** The text of its cookie. */
  token: string;
  session: StoredSession;
  user: UserRecord;
}

export const ConfirmBody = closedObject({
  password: Type.Optional(Password),
  code: Type.Optional(Code),
  passkey: Type.Optional(AssertionBody),
});
export const MeBody = closedObject({
  name: Type.Optional(nullable(SingleLine)),
  email: Type.Optional(Email),
  password: Type.Optional(Password),
});
export const EndBody = closedObject({
  id: Type.Optional(Type.String({ maxLength: 100 })),
  others: Type.Optional(Type.Boolean()),
});
export const CodeBody = closedObject({ code: Code });
export const UserBody = closedObject({ user: Type.String({ maxLength: 100 }) });

/** Ends the session of this browser. */
export async function signOut(call: OwnCall): Promise<void> {
  await commitBy(call, call.user, [], async () => ({ changes: [endOf((await current(call)).own)] }));
  removeSessionCookie(call);
  await untilEndedEverywhere(call);
}

/**
 * Confirms that the person is still the one that signed in.
 *
 * @returns the new token of the session.
 */
export async function confirm(call: OwnCall<Static<typeof ConfirmBody>>): Promise<string> {
  const { context, user, body } = call;
  if ([body.password, body.code, body.passkey].filter((proof) => proof !== undefined).length !== 1)
    throw new ApiError('parameters_exclusive', 'Send `password`, `code` or `passkey`, and only one.', {
      param: 'code',
    });
  const party = body.passkey ? relyingPartyOf(call) : null;
  const subjects = subjectsOf(call, user.email, user);
  await takeAttemptOf(call, subjects);
  const isRightPassword =
    body.password !== undefined &&
    (await context.passwords.matches(body.password, user.password_hash, call.request.client.address));
  const proof = body.passkey && party && (await provePasskey(call, party, user, body.passkey, confirmPurposeOf(call)));
  return changeOwn(call, async (member) => {
    const confirmed = { confirmed_at: realSecondsOf(context) };
    if (body.passkey) {
      const used = proof && (await spendProof(call, member, proof));
      if (!used) return { changes: [], error: passkeyFailed() };
      return { user: used.user, session: confirmed, changes: [...used.changes, ...(await forgivenOf(call, subjects))] };
    }
    const proved =
      body.code === undefined
        ? isRightPassword && member.password_hash === user.password_hash && { user: member }
        : member.totp_secret !== null && useSecondFactor(call, member, body.code);
    if (proved === false || proved instanceof ApiError) return { changes: [], error: proved || signInFailed() };
    const fact = body.password === undefined ? null : lengthFactOf(body.password);
    return { user: { ...proved.user, ...fact }, session: confirmed, changes: await forgivenOf(call, subjects) };
  });
}

/** Returns the purpose of a challenge with which a passkey confirms this session. */
export function confirmPurposeOf({ session }: OwnCall): ChallengePurpose {
  return `confirm ${session.principal.person!.sessionId}`;
}

/**
 * Changes the own name, e-mail address or password. A new address or password ends all other sessions, and the links that the person has
 * got.
 *
 * @throws {ApiError} `second_factor_setup_required` if a person without a required second factor changes more than its name.
 */
export async function changeMe(call: OwnCall<Static<typeof MeBody>>): Promise<string> {
  const { context, session, user, body } = call;
  const { accounts, passwords } = context;
  const email = body.email ?? user.email;
  const isNewEmail = email.toLowerCase() !== user.email.toLowerCase();
  if (isNewEmail || body.password !== undefined) {
    requireSecondFactor(session.principal);
    requireConfirmation(session.principal, realSecondsOf(context));
  }
  // A person could otherwise wait at an address for the identity of another person.
  if (isNewEmail && context.identityProvider)
    throw new ApiError(
      'status_transition_invalid',
      `The address of a member leads its identity of ${context.identityProvider.name} here, so you cannot change it. Ask an owner or an admin to invite the new address.`,
      { param: 'email' },
    );
  if (isNewEmail) await requireFreeEmail(call, email);
  let newPassword: Partial<UserRecord> | null = null;
  if (body.password !== undefined) {
    const names = [email, body.name ?? user.name ?? '', (await accounts.get(user.account_id))?.name ?? ''];
    await refuseWeakPassword(body.password, { hasSecondFactor: hasSecondFactor(user), names });
    newPassword = await passwords.stored(body.password, call.request.client.address);
  }
  return changeOwn(call, async (member) => {
    const changed = {
      ...member,
      email: body.email ?? member.email,
      name: body.name === undefined ? member.name : body.name,
      ...newPassword,
    };
    return { user: isNewEmail || newPassword !== null ? withNewCredentials(changed, {}) : changed, changes: [] };
  });
}

/**
 * Refuses an e-mail address of a user, or of a person that the account has invited. The error tells which addresses are known here. So
 * a person has few tries, and no success gives one back.
 *
 * @throws {ApiError} `parameter_invalid` or `too_many_attempts`.
 */
async function requireFreeEmail(call: OwnCall, email: string): Promise<void> {
  const { context, user } = call;
  await takeAttemptOf(call, [`new email ${user.id}`]);
  if (!(await findUser(context.reader, email)) && !(await isInvited(call, email))) return;
  throw invalidParameter('email', 'This e-mail address belongs to a user or an invitation. Choose another one.');
}

async function isInvited({ context, user }: OwnCall, email: string): Promise<boolean> {
  const { reader, readRecord } = context;
  const found = await findInvitations(reader, email);
  const own = found.filter(({ accountId }) => accountId === user.account_id);
  const records = await Promise.all(own.map(({ id }) => readRecord(invitation, user.account_id, id)));
  return records.some((record) => record !== null && statusOf(record, realSecondsOf(context)) === 'pending');
}

/** Begins the set-up of an authenticator app. The secret counts when its first code has come. */
export async function beginTotp(call: OwnCall): Promise<JsonObject> {
  const { context, session, user } = call;
  requireConfirmation(session.principal, realSecondsOf(context));
  const secret = newTotpSecret(context.randomBytes);
  const pending = context.encryption.encrypt(secret);
  await commitBy(call, user, [], async () => {
    const { member } = await current(call);
    const after = { ...member, totp_pending: pending, revision: member.revision + 1 };
    return { changes: [{ resource: users, before: member, after }] };
  });
  const account = await context.accounts.get(user.account_id);
  const issuer = `Tenure ${account?.name ?? ''}${context.config.mode === 'sandbox' ? ' (sandbox)' : ''}`.trim();
  return { object: 'totp', secret, url: totpUrl(secret, { issuer, label: user.email }) };
}

/** Ends the set-up of an authenticator app with its first code. Returns recovery codes, which are shown once. */
export async function finishTotp(
  call: OwnCall<Static<typeof CodeBody>>,
): Promise<{ token: string; object: JsonObject }> {
  const { context, session, body } = call;
  requireConfirmation(session.principal, realSecondsOf(context));
  const { codes, hashes } = newRecoveryCodes(context.randomBytes);
  const token = await changeOwn(call, async (member) => {
    const pending = member.totp_pending && context.encryption.decrypt(member.totp_pending);
    const digits = body.code.replaceAll(/\s/g, '');
    const step = pending ? stepOfCode(pending, digits, context.realClock.nowMs(), null) : null;
    if (step === null)
      return {
        changes: [],
        error: authError(
          'parameter_invalid',
          'The code is wrong or too old. Enter the six digits that your app shows now.',
          'code',
        ),
      };
    const changed = { totp_secret: member.totp_pending, totp_pending: null, totp_step: step, recovery_codes: hashes };
    return { user: withNewCredentials(member, changed), changes: [] };
  });
  return { token, object: { object: 'recovery_codes', codes } };
}

/** Removes the authenticator app. */
export async function removeTotp(call: OwnCall): Promise<string> {
  const { context, session } = call;
  requireConfirmation(session.principal, realSecondsOf(context));
  const removed = { totp_secret: null, totp_pending: null, totp_step: null, recovery_codes: [] };
  return changeOwn(call, async (member) => {
    const changed = withNewCredentials(member, removed);
    const guards = await guardsOfLastFactor(call, changed, 'this app is your only one. Add a passkey first');
    return { user: changed, changes: [], guards };
  });
}

/**
 * Returns what must stay as it is while a person loses a second factor. That is the account, which may begin to require one.
 *
 * @param changed the person afterwards.
 * @param reason ends the message of the error: why the person cannot lose it, and what to do.
 * @throws {ApiError} `status_transition_invalid` if none is left, and the account requires one or the password is too short without one.
 */
export async function guardsOfLastFactor({ context }: OwnCall, changed: UserRecord, reason: string): Promise<Guard[]> {
  if (hasSecondFactor(changed)) return [];
  const account = await context.readRecord(accountResource, changed.account_id, changed.account_id);
  if (account?.require_second_factor ?? context.config.mode === 'live')
    throw new ApiError('status_transition_invalid', `Your account requires a second factor, and ${reason}.`);
  if (changed.password_is_short)
    throw new ApiError(
      'status_transition_invalid',
      `Without a second factor, a password needs ${lengthAlone} characters. Set a longer password first.`,
    );
  return account ? [{ resource: accountResource, record: account }] : [];
}

/** Makes new recovery codes. The old ones no longer count. */
export async function renewRecoveryCodes(call: OwnCall): Promise<{ token: string; object: JsonObject }> {
  const { context, session, user } = call;
  requireConfirmation(session.principal, realSecondsOf(context));
  if (!user.totp_secret)
    throw new ApiError('status_transition_invalid', 'Recovery codes belong to an authenticator app. Set one up first.');
  const { codes, hashes } = newRecoveryCodes(context.randomBytes);
  const token = await changeOwn(call, async (member) => ({
    user: withNewCredentials(member, { recovery_codes: hashes }),
    changes: [],
  }));
  return { token, object: { object: 'recovery_codes', codes } };
}

/** Returns the sessions of the person. */
export async function listSessions({ context, session, user }: OwnCall): Promise<JsonObject> {
  const own = await readSessionsOf(context.reader, user.account_id, user.id);
  const now = { mode: context.config.mode, realSeconds: realSecondsOf(context) };
  const open = own.filter((record) => isOpen(record, user, now));
  const data = open.map((record) => ({
    id: record.id,
    object: 'session',
    created: record.created,
    last_seen_at: record.last_seen_at ?? record.created,
    ip_address: record.ip_address,
    user_agent: record.user_agent,
    current: record.id === session.principal.person?.sessionId,
  }));
  return { object: 'list', count: data.length, has_more: false, data };
}

/**
 * Ends one session of the person, or all but the one of this browser.
 *
 * @throws {ApiError} `second_factor_setup_required` if a person without a required second factor ends others than its own.
 */
export async function endSessions(call: OwnCall<Static<typeof EndBody>>): Promise<void> {
  const { context, session, user, body } = call;
  const { person } = session.principal;
  const ownId = person?.sessionId;
  if (body.others === true || body.id !== ownId) requireSecondFactor(session.principal);
  await commitBy(call, user, [], async () => {
    await current(call);
    const all = await readSessionsOf(context.reader, user.account_id, user.id);
    const ending = all.filter(({ id }) => (body.others === true ? id !== ownId : id === body.id));
    return { changes: ending.map(endOf) };
  });
  await untilEndedEverywhere(call);
}

/** Makes a link with which a member sets a new password. */
export async function makeResetLink(call: OwnCall<Static<typeof UserBody>>): Promise<JsonObject> {
  const { context } = call;
  let made: ReturnType<typeof newLink> | null = null as ReturnType<typeof newLink> | null;
  const account = await context.accounts.get(call.user.account_id);
  if (!account) throw new Error(`Bug! The account ${call.user.account_id} is not there.`);
  await commitBy(call, call.user, [call.body.user], async () => {
    const { actor, member } = await memberToHandle(call);
    made = newLink(
      { ...context, realSeconds: realSecondsOf(context) },
      { accountId: member.account_id, purpose: 'password_reset', user: member, madeBy: actor },
    );
    const queued = queuedEmail(context, account, resetEmail(context, account, made, { actor, member }));
    return {
      changes: queued ? [made.change, queued] : [made.change],
      guards: [actor, member].map((record) => ({ resource: users, record })),
    };
  });
  return {
    object: 'link',
    url: made!.url,
    expires_at: made!.expiresAt,
    email_status: firstEmailStatus(context.config),
  };
}

/** Returns the e-mail with a link to a new password. */
function resetEmail(
  { encryption }: HttpContext,
  { name }: { name: string },
  { url, expiresAt, change }: ReturnType<typeof newLink>,
  { actor, member }: { actor: UserRecord; member: UserRecord },
): EmailToSend {
  return {
    kind: 'password_link',
    about: change.after!.id,
    mentions: [member.id],
    audience: member.role === 'owner' ? 'owners' : 'team',
    to: member.email,
    link: encryption.encrypt(url),
    expiresAt,
    texts: {
      subject: `Choose a new password for ${name}`,
      paragraphs: [
        `${actor.email} has made a link with which you choose a new password for ${name} in Tenure.`,
        'The link works once, for an hour. Your second factor stays as it is.',
      ],
      button: 'Choose a new password',
      notes: [`If you have not asked for it, tell ${actor.email}. Your password stays until you open the link.`],
    },
  };
}

/** Ends all sessions of a member. */
export async function endSessionsOfMember(call: OwnCall<Static<typeof UserBody>>): Promise<void> {
  await commitBy(call, call.user, [call.body.user], async () => {
    const { actor, member } = await memberToHandle(call);
    const after = { ...withNewCredentials(member, {}), revision: member.revision + 1 };
    return {
      changes: [{ resource: users, before: member, after }],
      guards: actor.id === member.id ? [] : [{ resource: users, record: actor }],
    };
  });
  await untilEndedEverywhere(call);
}

/**
 * Returns a member that the person may handle, and the person as it is now.
 *
 * @throws {ApiError} `second_factor_setup_required`, `resource_missing`, `permission_denied` or `reauthentication_required`.
 */
async function memberToHandle(call: OwnCall<{ user: string }>): Promise<{ actor: UserRecord; member: UserRecord }> {
  const { context, session, body } = call;
  requireSecondFactor(session.principal);
  const { member: actor } = await current(call);
  const member = await context.readRecord(users, actor.account_id, body.user);
  if (!member)
    throw new ApiError('resource_missing', 'There is no such user in this account.', { param: 'user', status: 404 });
  if (!mayHandle(actor.role, member.role))
    throw new ApiError('permission_denied', `Your role, ${actor.role}, may not do this for the role ${member.role}.`);
  requireConfirmation(session.principal, realSecondsOf(context));
  return { actor, member };
}

function hasSecondFactor({ totp_secret: totp, passkeys }: UserRecord): boolean {
  return totp !== null || passkeys.length > 0;
}

/** Returns a user with other credentials. All sessions of the user end, except one that gets the new number. */
export function withNewCredentials(member: UserRecord, changed: Partial<UserRecord>): UserRecord {
  return { ...member, ...changed, credentials_revision: member.credentials_revision + 1 };
}

/**
 * Changes the own user, and gives the session a new token.
 *
 * @returns the token.
 */
export async function changeOwn(
  call: OwnCall,
  decide: (member: UserRecord) => Promise<AuthDecision & { user?: UserRecord; session?: Partial<SessionRecord> }>,
): Promise<string> {
  const { context, user } = call;
  let token = '';
  let changed = user;
  await commitBy(call, user, [], async () => {
    const { member, own } = await current(call);
    const decided = await decide(member);
    if (decided.error) return decided;
    changed = { ...(decided.user ?? member), revision: member.revision + 1 };
    const renewal = renewed(
      own,
      { ...decided.session, credentials_revision: changed.credentials_revision },
      context.randomBytes,
    );
    token = renewal.token;
    return {
      changes: [{ resource: users, before: member, after: changed }, renewal.change, ...decided.changes],
      guards: decided.guards ?? [],
    };
  });
  setSessionCookies(call, changed, token, lifetimeOf(context.config.mode));
  if (changed.credentials_revision !== user.credentials_revision) await untilEndedEverywhere(call);
  return token;
}

/**
 * Returns the person and the session as they are now. A slow request must not revive a session that has ended meanwhile.
 *
 * @throws {ApiError} `session_expired`.
 */
export async function current({
  context,
  session,
  user,
  token,
}: OwnCall): Promise<{ member: UserRecord; own: SessionRecord }> {
  const id = session.principal.person!.sessionId;
  const [member, own] = await Promise.all([
    context.readRecord(users, user.account_id, user.id),
    context.readRecord(sessions, user.account_id, id),
  ]);
  const now = { mode: context.config.mode, realSeconds: realSecondsOf(context) };
  if (member && own && own.token_hash === hashToken(token) && isOpen(own, member, now)) return { member, own };
  throw authError('session_expired', 'Your session has ended. Sign in again.');
}

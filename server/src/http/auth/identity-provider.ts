import { Type, type Static } from 'typebox';
import { ApiError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { closedObject } from '../../model/schemas/make.ts';
import { session as sessions, type Factor } from '../../resources/people/session.ts';
import { user as users, type UserRecord } from '../../resources/people/user.ts';
import type { Subject } from '../../sign-in/attempts.ts';
import { useOnce } from '../../sign-in/challenges.ts';
import {
  IdentityProviderFault,
  type FlowSecrets,
  type Identity,
  type IdentityProvider,
} from '../../sign-in/identity-provider.ts';
import { endOf, lifetimeOf, newSession, realSecondsOf, requireConfirmation } from '../../sign-in/sessions.ts';
import { findInvitations, findUser, findUserOfIdentity } from '../../sign-in/users.ts';
import { requireSecondFactor } from '../pipeline/authenticate.ts';
import { cookieHeader, cookieOf } from '../pipeline/browser.ts';
import {
  authError,
  browserOf,
  commitBy,
  refuse,
  refuseStranger,
  replacedSession,
  setSessionCookies,
  subjectsOf,
  type AuthCall,
  type AuthDecision,
} from './call.ts';
import { acceptanceOf, newMember, openInvitation, type OpenInvitation } from './links.ts';
import { changeOwn, withNewCredentials, type OwnCall } from './own-account.ts';
import { beginSession, Code, countingAccountOf, forgivenOf, takeAttemptOf } from './sign-in.ts';

/*
 * The sign-in by a company's own identity provider (OpenID Connect). The dashboard begins it, and leads the browser to the provider. The
 * provider sends the browser back to a page of the dashboard, which sends the parameters of that address here. So both steps are requests
 * of our own pages, and no address changes anything when it is opened.
 */

/** A path of the dashboard. Two slashes or a backslash at the start would lead to another host. */
const ReturnPath = Type.String({ maxLength: 500, pattern: '^/(?:[!-.0-\\[\\]-~][!-\\[\\]-~]*)?$' });

export const BeginIdentityBody = closedObject({
  return_to: Type.Optional(ReturnPath),
  fresh: Type.Optional(Type.Boolean()),
});
export const FinishIdentityBody = closedObject({
  response: Type.Optional(Type.String({ maxLength: 6_000 })),
  code: Type.Optional(Code),
});

type FinishCall = AuthCall<Static<typeof FinishIdentityBody>>;

/** How long a person may take at the provider, and then for the code of an own second factor. In seconds. */
const flowSeconds = 10 * 60;
const proofSeconds = 5 * 60;

/** So many random bytes cannot be guessed. */
const secretBytes = 32;

/** What the cookie of a sign-in holds, encrypted: the secrets of its beginning, and later the proved identity. */
type Progress = { returnTo: string; endsAt: number; state: string; isFresh: boolean } & (
  | ({ step: 'begun' } & FlowSecrets)
  | { step: 'proved'; identity: Identity }
);

/** Begins a sign-in. It stores nothing but a cookie. Returns the address at the provider. */
export async function beginIdentitySignIn(call: AuthCall<Static<typeof BeginIdentityBody>>): Promise<JsonObject> {
  const { context, body } = call;
  const provider = providerOf(call);
  const secret = (): string => Buffer.from(context.randomBytes(secretBytes)).toString('base64url');
  const secrets: FlowSecrets = { state: secret(), nonce: secret(), verifier: secret() };
  const isFresh = body.fresh === true;
  const url = await provider
    .begin(secrets, { isFresh })
    .catch((error: unknown) => Promise.reject(explained(call, provider, error)));
  const endsAt = realSecondsOf(context) + flowSeconds;
  keepProgress(call, { step: 'begun', ...secrets, endsAt, returnTo: body.return_to ?? '/', isFresh });
  return { object: 'identity_provider_sign_in', url };
}

/**
 * Ends a sign-in, with the parameters that the provider has sent. A second request with the code follows if the person has an own factor.
 *
 * @returns the token of the new session, and the path of the dashboard where the person began.
 * @throws {ApiError} `sign_in_failed`, `second_factor_required`, `too_many_attempts` or `identity_provider_unavailable`.
 */
export async function finishIdentitySignIn(call: FinishCall): Promise<{ token: string; returnTo: string }> {
  const provider = providerOf(call);
  const progress = progressOf(call);
  const isSecondStep = call.body.response === undefined;
  if (!progress || progress.step !== (isSecondStep ? 'proved' : 'begun')) throw notBegun();
  const { state, endsAt, returnTo, isFresh } = progress;
  if (progress.step === 'proved') {
    const { identity } = progress;
    const member = await memberOf(call, identity);
    const subjects = member ? subjectsOf(call, member.email, member) : [];
    await takeAttemptOf(call, subjects);
    return { token: await signInAs(call, provider, { identity, member, subjects, state, endsAt, isFresh }), returnTo };
  }
  const subjects = subjectsOf(call, null, null);
  await takeAttemptOf(call, subjects);
  // The provider's code counts once, so that this sign-in cannot be tried again.
  dropProgress(call);
  const identity = await provider
    .prove(call.body.response!, progress)
    .catch(async (error: unknown) => refuseFault(call, provider, subjects, error));
  const proofEndsAt = realSecondsOf(call.context) + proofSeconds;
  const member = await memberOf(call, identity);
  try {
    const token = await signInAs(call, provider, { identity, member, subjects, state, endsAt: proofEndsAt, isFresh });
    return { token, returnTo };
  } catch (error) {
    const isOnlyCodeMissing = error instanceof ApiError && error.code === 'second_factor_required';
    if (isOnlyCodeMissing)
      keepProgress(call, { step: 'proved', identity, state, endsAt: proofEndsAt, returnTo, isFresh });
    throw error;
  }
}

/** Removes the identity from the person. The sessions that it began end, and the next sign-in with the same address links it again. */
export async function unlinkIdentity(call: OwnCall): Promise<string> {
  const { principal } = call.session;
  requireSecondFactor(principal);
  requireConfirmation(principal, realSecondsOf(call.context));
  return changeOwn(call, async (member) => {
    if (member.identity_issuer === null)
      throw new ApiError('status_transition_invalid', 'No identity is linked to you. There is nothing to remove.');
    if (member.password_hash === null && member.passkeys.length === 0)
      throw new ApiError(
        'status_transition_invalid',
        'This identity is your only way to sign in. Set a password or add a passkey first.',
      );
    const none = { identity_issuer: null, identity_subject: null, identity_linked_at: null };
    return { user: withNewCredentials(member, none), changes: [] };
  });
}

/**
 * Returns the provider, if it sends browsers back to this page's address.
 *
 * @throws {ApiError} `resource_missing` without a provider, or `origin_forbidden`.
 */
function providerOf({ context, place }: AuthCall): IdentityProvider {
  const { identityProvider: provider, config } = context;
  if (!provider)
    throw new ApiError('resource_missing', 'This server has no identity provider. Sign in by another way.', {
      status: 404,
    });
  if (new URL(config.publicUrl).origin === place.origin) return provider;
  throw authError(
    'origin_forbidden',
    `${provider.name} sends you back to ${config.publicUrl}/dashboard only. Open the dashboard there, and sign in again.`,
  );
}

/** A sign-in whose identity the provider has proved. */
interface Proved {
  identity: Identity;
  member: UserRecord | null;
  subjects: readonly Subject[];
  /** Each sign-in counts once. */
  state: string;
  endsAt: number;
  /** The provider was asked for a new proof. */
  isFresh: boolean;
}

/** Returns the user of an identity: the one to which it is linked, else the one with the verified address. */
async function memberOf({ context }: AuthCall, identity: Identity): Promise<UserRecord | null> {
  const { reader, readRecord } = context;
  const linked = await findUserOfIdentity(reader, identity);
  const found = linked ?? (identity.email === null ? null : await findUser(reader, identity.email));
  return found && readRecord(users, found.accountId, found.id);
}

/** Begins the session of a member, or makes the member by an open invitation. */
async function signInAs(call: FinishCall, provider: IdentityProvider, proved: Proved): Promise<string> {
  const { context } = call;
  const { identity, member, subjects } = proved;
  if (!member) {
    const [invited, ...others] = await invitationsOf(call, identity);
    // One account must not draw in a person that another one has invited.
    const isOfSeveral = others.some(({ link }) => link.account_id !== invited?.link.account_id);
    if (invited && !isOfSeveral) return acceptInvitation(call, provider, invited, proved);
    return refuseStranger(call, await countingAccountOf(call), noJoining(provider, identity, isOfSeveral));
  }
  if (isOfAnother(member, identity)) return refuse(call, member, linkedToAnother(provider));
  const token = await beginSession(call, member, {
    subjects,
    factors: factorsOf(identity),
    isBothFactors: identity.hasSeveralFactors,
    confirmedAt: provedAtOf(call, proved),
    refusal: noMember(provider),
    isAllowed: (current) => mayLink(current, identity),
    async also(current) {
      const used = await spend(call, proved);
      return used && { user: { ...current, ...linkOf(current, identity, realSecondsOf(context)) }, changes: [used] };
    },
  });
  dropProgress(call);
  return token;
}

/** Returns the invitations of the proved address that still work, the newest first. */
async function invitationsOf({ context }: AuthCall, { email }: Identity): Promise<OpenInvitation[]> {
  if (email === null) return [];
  const found = await findInvitations(context.reader, email);
  const open = await Promise.all(found.map((each) => openInvitation(context, each)));
  return open.filter((each) => each !== null);
}

/** Makes an invited member without a password, and signs that person in. */
async function acceptInvitation(
  call: FinishCall,
  provider: IdentityProvider,
  { link: { account_id: accountId, id, email, role } }: OpenInvitation,
  proved: Proved,
): Promise<string> {
  const { context } = call;
  const { ids, config, randomBytes } = context;
  const { identity, subjects } = proved;
  const realSeconds = realSecondsOf(context);
  const blank = newMember(context, accountId);
  const member: UserRecord = { ...blank, email, name: identity.name, role, ...linkOf(blank, identity, realSeconds) };
  const { token, record } = newSession({ ids, mode: config.mode, realSeconds, randomBytes }, member, {
    factors: factorsOf(identity),
    confirmedAt: provedAtOf(call, proved),
    ...browserOf(call),
  });
  await commitBy(call, member, [id], async (): Promise<AuthDecision> => {
    const again = await openInvitation(context, { accountId, id });
    const used = await spend(call, proved);
    if (!again || !used) return { changes: [], error: noMember(provider) };
    const replaced = await replacedSession(call);
    return {
      changes: [
        acceptanceOf(again.link, realSeconds),
        used,
        ...(replaced ? [endOf(replaced)] : []),
        { resource: users, before: null, after: member },
        { resource: sessions, before: null, after: record },
        ...(await forgivenOf(call, subjects)),
      ],
      // The inviter may be removed at this moment.
      guards: [{ resource: users, record: again.inviter }],
    };
  });
  setSessionCookies(call, member, token, lifetimeOf(config.mode));
  return token;
}

/** Returns the change that uses a sign-in up, or null if it was used before. */
async function spend(call: AuthCall, { state, endsAt }: Proved): ReturnType<typeof useOnce> {
  const realSeconds = realSecondsOf(call.context);
  return useOnce(call.context, await countingAccountOf(call), { text: `identity ${state}`, endsAt, realSeconds });
}

function factorsOf({ hasSeveralFactors }: Identity): Factor[] {
  return hasSeveralFactors ? ['identity_provider', 'identity_provider_mfa'] : ['identity_provider'];
}

/**
 * Returns when the person proved its identity, or null if that is not known. A provider where the person is still signed in may ask for
 * nothing. Without its time, such a sign-in is no proof of this moment.
 */
function provedAtOf({ context }: AuthCall, { identity: { provedAt }, isFresh }: Proved): number | null {
  const realSeconds = realSecondsOf(context);
  if (provedAt === null) return isFresh ? realSeconds : null;
  return Math.min(provedAt, realSeconds);
}

/** Returns whether the user has another identity of the same provider. The same address does not replace it. */
function isOfAnother(member: UserRecord, { issuer, subject }: Identity): boolean {
  return member.identity_issuer === issuer && member.identity_subject !== subject;
}

/** Judges the user at the commit: the identity is linked to it, or its address is the proved one. */
function mayLink(member: UserRecord, identity: Identity): boolean {
  if (member.identity_issuer === identity.issuer) return member.identity_subject === identity.subject;
  return identity.email !== null && member.email.toLowerCase() === identity.email.toLowerCase();
}

function linkOf(
  member: Pick<UserRecord, 'identity_issuer' | 'identity_linked_at'>,
  { issuer, subject }: Identity,
  realSeconds: number,
): Pick<UserRecord, 'identity_issuer' | 'identity_subject' | 'identity_linked_at'> {
  const linkedAt = member.identity_issuer === issuer ? member.identity_linked_at : realSeconds;
  return { identity_issuer: issuer, identity_subject: subject, identity_linked_at: linkedAt };
}

/** Logs a fault for the operator, and throws its error. Only a response that the provider did not make counts as a failed attempt. */
async function refuseFault(
  call: AuthCall,
  provider: IdentityProvider,
  subjects: readonly Subject[],
  fault: unknown,
): Promise<never> {
  const error = explained(call, provider, fault);
  const accountId = await countingAccountOf(call);
  if (!(fault instanceof IdentityProviderFault) || fault.kind === 'refused')
    throw error instanceof ApiError ? await refuseStranger(call, accountId, error) : error;
  const decide = async () => ({ changes: await forgivenOf(call, subjects, { isSuccess: false }) });
  await call.context.committer.commitAsSystem({ accountId, locks: [], decide });
  throw error;
}

function explained({ context, request }: AuthCall, { name }: IdentityProvider, fault: unknown): unknown {
  if (!(fault instanceof IdentityProviderFault)) return fault;
  if (fault.kind === 'denied')
    return authError('sign_in_failed', `${name} did not sign you in, or you canceled. Begin again.`);
  context.log.warn({ request: request.id, reason: fault.message }, 'a sign-in by the identity provider failed');
  if (fault.kind === 'unreachable')
    return new ApiError(
      'identity_provider_unavailable',
      `${name} cannot be reached now. Try again later, or sign in by another way.`,
    );
  return authError(
    'sign_in_failed',
    `The response of ${name} was not accepted. Begin again. If that does not help, ask the operator of this server: its log has the reason.`,
  );
}

function notBegun(): ApiError {
  return authError(
    'sign_in_failed',
    'This sign-in took too long, was used before, or began in another browser. Begin again.',
  );
}

function noJoining(provider: IdentityProvider, { email }: Identity, isInvitedBySeveral: boolean): ApiError {
  if (email === null) return addressNotVerified(provider);
  if (!isInvitedBySeveral) return noMember(provider);
  return authError(
    'sign_in_failed',
    'Several accounts have invited you. Open the link in the invitation of the account that you want to join.',
  );
}

function noMember({ name }: IdentityProvider): ApiError {
  return authError(
    'sign_in_failed',
    `${name} knows you, but you are no active member of this team. Ask an owner or an admin for an invitation to the address that you have there.`,
  );
}

function addressNotVerified({ name }: IdentityProvider): ApiError {
  return authError(
    'sign_in_failed',
    `${name} did not confirm your e-mail address. Verify the address there, or ask the administrator of ${name}. Then sign in again.`,
  );
}

function linkedToAnother({ name }: IdentityProvider): ApiError {
  return authError(
    'sign_in_failed',
    `The member with your e-mail address has another identity of ${name}. Sign in by another way, and unlink that identity in your profile. Or ask an owner or an admin for a link to set a password.`,
  );
}

function cookieNameOf({ place }: AuthCall): string {
  return `${place.cookieName}_identity`;
}

function keepProgress(call: AuthCall, progress: Progress): void {
  const { context, place, reply } = call;
  const value = context.encryption.encrypt(JSON.stringify(progress)).toString('base64url');
  const maxAge = progress.endsAt - realSecondsOf(context);
  reply.header('set-cookie', cookieHeader(place, cookieNameOf(call), value, maxAge));
}

function dropProgress(call: AuthCall): void {
  call.reply.header('set-cookie', cookieHeader(call.place, cookieNameOf(call), '', 0));
}

/** Returns the progress in the cookie, or null if it has ended, was changed or is of another browser. */
function progressOf(call: AuthCall): Progress | null {
  const { context, request } = call;
  const value = cookieOf(request.incoming, cookieNameOf(call));
  if (value === null) return null;
  try {
    const progress = JSON.parse(context.encryption.decrypt(Buffer.from(value, 'base64url'))) as Progress;
    return progress.endsAt > realSecondsOf(context) ? progress : null;
  } catch {
    return null;
  }
}

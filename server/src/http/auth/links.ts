import { Type, type Static } from 'typebox';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { hashToken, isLinkToken } from '../../core/secrets/tokens.ts';
import { operatorCommand } from '../../core/installation.ts';
import type { RecordChange } from '../../model/resource.ts';
import { mayHandle, type Role } from '../../model/callers/roles.ts';
import { closedObject } from '../../model/schemas/make.ts';
import { SingleLine } from '../../model/schemas/fields.ts';
import { invitation, statusOf, type InvitationRecord } from '../../resources/people/invitation.ts';
import { oneTimeLink, type OneTimeLinkRecord } from '../../resources/people/one-time-link.ts';
import { secondFactorOf, user as users, type UserRecord } from '../../resources/people/user.ts';
import { session } from '../../resources/people/session.ts';
import { refuseWeakPassword } from '../../sign-in/passwords.ts';
import { endOf, lifetimeOf, newSession, realSecondsOf } from '../../sign-in/sessions.ts';
import {
  findFirstOwnerLinks,
  findLink,
  findUser,
  hasMembers,
  hasNewerInvitation,
  hasNewerPasswordLink,
  newUser,
} from '../../sign-in/users.ts';
import type { Subject } from '../../sign-in/attempts.ts';
import type { HttpContext } from '../context.ts';
import { refuseAway } from '../pipeline/account-context.ts';
import {
  browserOf,
  commitBy,
  replacedSession,
  setSessionCookies,
  untilEndedEverywhere,
  type AuthCall,
  type AuthDecision,
} from './call.ts';
import { beginSession, Code, Email, Password, takeAttemptOf } from './sign-in.ts';

const Token = Type.String({ maxLength: 100 });

export const ReadLinkBody = closedObject({ token: Token });
export const UseLinkBody = closedObject({
  token: Token,
  email: Type.Optional(Email),
  name: Type.Optional(SingleLine),
  password: Type.Optional(Password),
  code: Type.Optional(Code),
});

type UseLinkCall = AuthCall<Static<typeof UseLinkBody>>;

/** An invitation that still works. */
export interface OpenInvitation {
  purpose: 'invitation';
  link: InvitationRecord;
  inviter: UserRecord;
}

/** A link that still works. */
type OpenLink =
  | { purpose: 'first_owner'; link: OneTimeLinkRecord }
  | { purpose: 'password_reset' | 'sign_in'; link: OneTimeLinkRecord; user: UserRecord }
  | OpenInvitation;

/** Returns what a link is for. It changes nothing, so that a preview of the link does not use it up. */
export async function readLink(call: AuthCall<Static<typeof ReadLinkBody>>): Promise<JsonObject> {
  const { context } = call;
  const open = await openLink(call, call.body.token);
  const { purpose, link } = open;
  const account = await context.accounts.get(link.account_id);
  refuseAway(account);
  return {
    object: 'link',
    purpose,
    email: purpose === 'invitation' ? open.link.email : purpose === 'first_owner' ? null : open.user.email,
    role: roleOf(open),
    account: { name: account?.name ?? null },
    expires_at: link.expires_at,
    password_required: needsPassword(call, open),
    code_required: 'user' in open && open.user.totp_secret !== null,
    passkey_required: 'user' in open && secondFactorOf(open.user) === 'passkey',
  };
}

/**
 * Does what a link is for, once, and signs the person in.
 *
 * @returns the token of the session.
 * @throws {ApiError} `link_invalid`, `password_weak`, `parameter_missing` or `parameter_invalid`.
 */
export async function useLink(call: UseLinkCall): Promise<string> {
  const open = await openLink(call, call.body.token);
  if (needsPassword(call, open) && call.body.password === undefined)
    throw new ApiError('parameter_missing', 'Choose a password.', { param: 'password' });
  if (open.purpose === 'sign_in' && call.body.password !== undefined)
    throw invalidParameter(
      'password',
      'This link signs you in, and sets no password. Leave `password` out, and set one in your profile.',
    );
  if (open.purpose === 'first_owner') {
    if (call.body.email === undefined)
      throw new ApiError('parameter_missing', 'Enter your e-mail address.', { param: 'email' });
    return makeUser(call, open, call.body.email);
  }
  if (open.purpose === 'invitation') return makeUser(call, open, open.link.email);
  return signInByLink(call, open);
}

function roleOf(open: OpenLink): Role {
  if (open.purpose === 'first_owner') return 'owner';
  return open.purpose === 'invitation' ? open.link.role : open.user.role;
}

/** The first owner of a sandbox may do without a password: the operator can print another link. */
function needsPassword({ context }: AuthCall, { purpose }: OpenLink): boolean {
  if (purpose === 'first_owner') return context.config.mode === 'live';
  return purpose !== 'sign_in';
}

/** @throws {ApiError} `link_invalid`, with no hint whether the link ever existed. */
async function openLink({ context }: AuthCall, token: string): Promise<OpenLink> {
  const { reader, readRecord } = context;
  const found = isLinkToken(token) ? await findLink(reader, hashToken(token)) : null;
  if (!found) throw linkInvalid();
  const realSeconds = realSecondsOf(context);
  if (found.kind === 'invitation') {
    const open = await openInvitation(context, found);
    if (!open) throw linkInvalid();
    return open;
  }
  const link = await readRecord(oneTimeLink, found.accountId, found.id);
  if (!link || link.used_at !== null || link.expires_at <= realSeconds) throw linkInvalid();
  if (link.purpose === 'first_owner') {
    if (await hasMembers(reader, link.account_id)) throw linkInvalid();
    return { purpose: 'first_owner', link };
  }
  const user = link.user_id === null ? null : await readRecord(users, found.accountId, link.user_id);
  if (!user || user.status !== 'active' || user.credentials_revision !== link.credentials_revision) throw linkInvalid();
  if (link.purpose === 'password_reset' && (await hasNewerPasswordLink(reader, link))) throw linkInvalid();
  const maker = link.made_by === null ? null : await readRecord(users, found.accountId, link.made_by);
  if (link.made_by !== null && !maySend(maker, user.role)) throw linkInvalid();
  return { purpose: link.purpose, link, user };
}

/** Returns an invitation if it still works, or null. */
export async function openInvitation(
  context: HttpContext,
  { accountId, id }: { accountId: string; id: string },
): Promise<OpenInvitation | null> {
  const { reader, readRecord } = context;
  const link = await readRecord(invitation, accountId, id);
  const inviter = link?.invited_by ? await readRecord(users, accountId, link.invited_by) : null;
  if (!link || !maySend(inviter, link.role) || statusOf(link, realSecondsOf(context)) !== 'pending') return null;
  return (await hasNewerInvitation(reader, accountId, link)) ? null : { purpose: 'invitation', link, inviter };
}

/** Returns whether the maker of a link still may give this role. Else a link would outlive the rights of its maker. */
function maySend(maker: UserRecord | null, role: Role): maker is UserRecord {
  return maker !== null && maker.status === 'active' && mayHandle(maker.role, role);
}

/** Makes the first owner or an invited member, and signs that person in. */
async function makeUser(
  call: UseLinkCall,
  open: Extract<OpenLink, { purpose: 'first_owner' | 'invitation' }>,
  email: string,
): Promise<string> {
  const { context, body } = call;
  const { ids, reader, accounts, passwords, config, randomBytes } = context;
  const { account_id: accountId } = open.link;
  if (await findUser(reader, email))
    throw new ApiError('parameter_invalid', 'A user has this e-mail address already. Sign in, or use another one.', {
      param: 'email',
    });
  if (body.password !== undefined) {
    const names = [email, body.name ?? '', (await accounts.get(accountId))?.name ?? ''];
    await refuseWeakPassword(body.password, { hasSecondFactor: false, names });
  }
  const realSeconds = realSecondsOf(context);
  const user: UserRecord = {
    ...newMember(context, accountId),
    email,
    name: body.name ?? null,
    role: roleOf(open),
    ...(body.password !== undefined && (await passwords.stored(body.password, call.request.client.address))),
  };
  const { token, record } = newSession({ ids, mode: config.mode, realSeconds, randomBytes }, user, {
    factors: body.password === undefined ? ['link'] : ['link', 'password'],
    ...browserOf(call),
  });
  await commitBy(call, user, [open.link.id, 'first_owner'], async (): Promise<AuthDecision> => {
    const again = await openLink(call, body.token);
    const replaced = await replacedSession(call);
    return {
      changes: [
        ...(await usedUp(call, again)),
        ...(replaced ? [endOf(replaced)] : []),
        { resource: users, before: null, after: user },
        { resource: session, before: null, after: record },
      ],
      // The inviter may be removed at this moment.
      guards: again.purpose === 'invitation' ? [{ resource: users, record: again.inviter }] : [],
    };
  });
  setSessionCookies(call, user, token, lifetimeOf(config.mode));
  return token;
}

/** Returns a user that signs in for the first time, and has no way to sign in yet. */
export function newMember(context: HttpContext, accountId: string): Omit<UserRecord, 'email' | 'name' | 'role'> {
  return { ...newUser(context, accountId), last_signed_in_at: realSecondsOf(context) };
}

/** Signs in a user by a link. A link for a forgotten password sets the new one. */
async function signInByLink(
  call: UseLinkCall,
  { link, user, purpose }: Extract<OpenLink, { purpose: 'password_reset' | 'sign_in' }>,
): Promise<string> {
  const { context, body } = call;
  const { accounts, passwords } = context;
  // A link cannot be guessed, but the code of a second factor can. Failures of others must not lock out the owner of the link. An admin can
  // make any number of links for a new password, so all those of a user count together.
  const counted = purpose === 'password_reset' ? user.id : link.id;
  const subjects: Subject[] = user.totp_secret === null ? [] : [`link ${counted}`];
  await takeAttemptOf(call, subjects);
  let newPassword: Partial<UserRecord> | null = null;
  if (purpose === 'password_reset' && body.password !== undefined) {
    const names = [user.email, user.name ?? '', (await accounts.get(link.account_id))?.name ?? ''];
    await refuseWeakPassword(body.password, { hasSecondFactor: user.totp_secret !== null, names });
    newPassword = await passwords.stored(body.password, call.request.client.address);
  }
  const token = await beginSession(call, user, {
    subjects,
    factors: newPassword === null ? ['link'] : ['link', 'password'],
    async also(current) {
      const changes = await usedUp(call, await openLink(call, body.token));
      // A new password ends all other sessions.
      const changed = newPassword !== null && {
        ...newPassword,
        credentials_revision: current.credentials_revision + 1,
      };
      return { user: { ...current, ...changed }, changes };
    },
  });
  if (newPassword !== null) await untilEndedEverywhere(call);
  return token;
}

/** Returns the changes that use a link up. One link to the first owner uses up all of them. */
async function usedUp({ context }: AuthCall, { purpose, link }: OpenLink): Promise<RecordChange[]> {
  const { reader, readRecord } = context;
  const realSeconds = realSecondsOf(context);
  if (purpose === 'invitation') return [acceptanceOf(link, realSeconds)];
  const ids = purpose === 'first_owner' ? await findFirstOwnerLinks(reader, link.account_id) : [link.id];
  // Another process may have made the owner by a link that is no longer in this list.
  if (purpose === 'first_owner' && (await hasMembers(reader, link.account_id))) throw linkInvalid();
  const links = await Promise.all(ids.map((id) => readRecord(oneTimeLink, link.account_id, id)));
  return links.flatMap((before) => {
    if (!before) return [];
    const after = { ...before, used_at: realSeconds, revision: before.revision + 1 };
    return [{ resource: oneTimeLink, before, after }];
  });
}

export function acceptanceOf(link: InvitationRecord, realSeconds: number): RecordChange {
  const after = { ...link, accepted_at: realSeconds, revision: link.revision + 1 };
  return { resource: invitation, before: link, after, verbs: ['accepted'] };
}

function linkInvalid(): ApiError {
  return new ApiError(
    'link_invalid',
    `This link was used, has expired or was revoked. Ask for a new one: an owner or an admin makes it, or an operator with \`${operatorCommand('login-link')}\`.`,
  );
}

import type { Id, IdMaker } from '../core/ids.ts';
import { isHere } from '../db/away.ts';
import type { Reader } from '../db/reader.ts';
import { newRecord } from '../model/change.ts';
import type { UserRecord } from '../resources/people/user.ts';

/** A user by its id and account. */
export interface FoundUser {
  id: Id<'usr'>;
  accountId: string;
}

/** Returns a new user without a way to sign in yet. It has never signed in. */
export function newUser({ ids }: { ids: IdMaker }, accountId: string): Omit<UserRecord, 'email' | 'name' | 'role'> {
  return {
    ...newRecord(ids.make('usr'), accountId),
    status: 'active',
    password_hash: null,
    password_is_short: false,
    totp_secret: null,
    totp_pending: null,
    totp_step: null,
    recovery_codes: [],
    passkeys: [],
    identity_issuer: null,
    identity_subject: null,
    identity_linked_at: null,
    credentials_revision: 1,
    last_signed_in_at: null,
  };
}

/** Returns whether a password or an identity signs a user in. An identity counts only if the server has its provider now. */
export function hasPasswordOrIdentity(
  { identityProvider: provider }: { identityProvider: { issuer: string } | null },
  { password_hash: password, identity_issuer: issuer }: Pick<UserRecord, 'password_hash' | 'identity_issuer'>,
): boolean {
  return password !== null || (provider !== null && provider.issuer === issuer);
}

/** Finds the user with an e-mail address, in any account. Case does not matter. */
export async function findUser(reader: Reader, email: string): Promise<FoundUser | null> {
  const [row] = await reader.query<{ id: Id<'usr'>; account_id: string }>({
    name: 'find_user',
    text: `select id, account_id from users where lower(email collate "C") = lower($1 collate "C")`,
    values: [email],
  });
  return row ? { id: row.id, accountId: row.account_id } : null;
}

/** Finds the user to which an identity of a provider is linked, in any account. */
export async function findUserOfIdentity(
  reader: Reader,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<FoundUser | null> {
  const [row] = await reader.query<{ id: Id<'usr'>; account_id: string }>({
    name: 'find_user_of_identity',
    text: 'select id, account_id from users where identity_issuer = $1 and identity_subject = $2',
    values: [issuer, subject],
  });
  return row ? { id: row.id, accountId: row.account_id } : null;
}

/** Finds the newest invitations of an address that were neither accepted nor revoked, in any account. They may have expired. */
export async function findInvitations(reader: Reader, email: string): Promise<{ id: string; accountId: string }[]> {
  const rows = await reader.query<{ id: string; account_id: string }>({
    name: 'find_invitations',
    text: `
      select id, account_id from invitations
      where lower(email collate "C") = lower($1 collate "C") and accepted_at is null and revoked_at is null
      order by id desc
      limit 10`,
    values: [email],
  });
  return rows.map(({ id, account_id: accountId }) => ({ id, accountId }));
}

/** Finds the owner of an account that was made first. */
export async function findFirstOwner(reader: Reader, accountId: string): Promise<FoundUser | null> {
  const [row] = await reader.query<{ id: Id<'usr'>; account_id: string }>({
    name: 'find_first_owner',
    text: `
      select id, account_id from users
      where account_id = $1 and role = 'owner' and status = 'active'
      order by id
      limit 1`,
    values: [accountId],
  });
  return row ? { id: row.id, accountId: row.account_id } : null;
}

/** Returns whether a person can sign in to the deployment, in any account. */
export async function hasUsers(reader: Reader): Promise<boolean> {
  const rows = await reader.query({ name: 'has_users', text: 'select 1 from users limit 1', values: [] });
  return rows.length > 0;
}

/** Returns whether an account has a user, so that no link makes its first owner any more. */
export async function hasMembers(reader: Reader, accountId: string): Promise<boolean> {
  const rows = await reader.query({
    name: 'has_members',
    text: 'select 1 from users where account_id = $1 limit 1',
    values: [accountId],
  });
  return rows.length > 0;
}

/** Returns the account that was made first. Null in an empty database. */
export async function oldestAccountId(reader: Reader): Promise<string | null> {
  const [row] = await reader.query<{ id: string }>({
    name: 'oldest_account',
    text: 'select id from accounts order by id limit 1',
    values: [],
  });
  return row?.id ?? null;
}

/** Returns the oldest account that no move has taken away. Null if there is none. */
export async function oldestAccountHere(reader: Reader): Promise<string | null> {
  const [row] = await reader.query<{ id: string }>({
    name: 'oldest_account_here',
    text: `select id from accounts where ${isHere('accounts.id')} order by id limit 1`,
    values: [],
  });
  return row?.id ?? null;
}

/**
 * Returns the account that stores records of the whole cell, such as counters of sign-ins. It is here, because a write for an account that
 * is away is refused. If all accounts are away, the refusal is right. Null in an empty database.
 */
export async function accountOfCell(reader: Reader): Promise<string | null> {
  return (await oldestAccountHere(reader)) ?? oldestAccountId(reader);
}

/** Finds what a link's token belongs to: a one-time link or an invitation. */
export async function findLink(
  reader: Reader,
  tokenHash: string,
): Promise<{ kind: 'one_time_link' | 'invitation'; id: string; accountId: string } | null> {
  const [row] = await reader.query<{ kind: 'one_time_link' | 'invitation'; id: string; account_id: string }>({
    name: 'find_link',
    text: `
      select 'one_time_link' as kind, id, account_id from one_time_links where token_hash = $1
      union all
      select 'invitation', id, account_id from invitations where token_hash = $1`,
    values: [tokenHash],
  });
  return row ? { kind: row.kind, id: row.id, accountId: row.account_id } : null;
}

/** Returns the ids of the links with which a person can still become the first owner of an account. */
export async function findFirstOwnerLinks(reader: Reader, accountId: string): Promise<string[]> {
  const rows = await reader.query<{ id: string }>({
    name: 'find_first_owner_links',
    text: `select id from one_time_links where account_id = $1 and purpose = 'first_owner' and used_at is null`,
    values: [accountId],
  });
  return rows.map(({ id }) => id);
}

/** Returns whether an account has a newer invitation of an address. */
export async function hasNewerInvitation(
  reader: Reader,
  accountId: string,
  { id, email }: { id: string; email: string },
): Promise<boolean> {
  const rows = await reader.query({
    name: 'has_newer_invitation',
    text: `
      select 1 from invitations
      where account_id = $1 and lower(email collate "C") = lower($2 collate "C") and id > $3
      limit 1`,
    values: [accountId, email, id],
  });
  return rows.length > 0;
}

/** Returns whether the same user got a newer link to a new password, which ends this one. */
export async function hasNewerPasswordLink(
  reader: Reader,
  { account_id: accountId, user_id: userId, id }: { account_id: string; user_id: string | null; id: string },
): Promise<boolean> {
  const rows = await reader.query({
    name: 'has_newer_password_link',
    text: `
      select 1 from one_time_links
      where account_id = $1 and user_id = $2 and purpose = 'password_reset' and id > $3
      limit 1`,
    values: [accountId, userId, id],
  });
  return rows.length > 0;
}

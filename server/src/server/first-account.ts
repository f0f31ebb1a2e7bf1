import type { Context } from './context.ts';
import { hashKey, makeKey } from '../core/secrets/api-keys.ts';
import { defaultInvoicePrefix, defaultRules, defaultTimeZone, defaultYearEnd } from '../core/vocabulary/law-rules.ts';
import type { Id } from '../core/ids.ts';
import { operatorCommand } from '../core/installation.ts';
import { newRecord, toDecision } from '../model/change.ts';
import type { RecordChange } from '../model/resource.ts';
import { fewestOf } from '../model/callers/permissions.ts';
import { firstStartLockKey, withLock } from '../db/advisory-locks.ts';
import { connectAtStartMs, DatabaseError, withClient } from '../db/pools.ts';
import { account, type AccountRecord } from '../resources/account/index.ts';
import { apiKey, type ApiKeyRecord } from '../resources/api_key.ts';
import { user, type UserRecord } from '../resources/people/user.ts';
import { newLink } from '../sign-in/links.ts';
import { realSecondsOf } from '../sign-in/sessions.ts';
import {
  findFirstOwner,
  findUser,
  hasMembers,
  hasPasswordOrIdentity,
  newUser,
  oldestAccountHere,
  oldestAccountId,
  type FoundUser,
} from '../sign-in/users.ts';

/**
 * Makes the first account and key in an empty database, unless this process is a worker. An operator does not look for a key in a worker's
 * output.
 *
 * @param options.makesKey false if the key would not be shown. A key from the settings is always made.
 * @returns the key, to be shown this once; null if none was made.
 */
export async function makeFirstAccount(context: Context, { makesKey = true } = {}): Promise<string | null> {
  if (context.config.role === 'worker') return null;
  // The lock lets two processes on one empty database make one account, not two.
  return withClient(
    context.connection,
    (client) => withLock(client, firstStartLockKey, () => makeAccountAndKey(context, makesKey)),
    connectAtStartMs,
  );
}

async function makeAccountAndKey(context: Context, makesKey: boolean): Promise<string | null> {
  if ((await oldestAccountId(context.reader)) !== null) return null;
  const accountId = context.ids.make('acct');
  const record = rootAccount(accountId, 'My account');
  const made = makesKey || context.config.secretKey ? newSecretKey(context, accountId, context.config.secretKey) : null;
  const changes: RecordChange[] = [{ resource: account, before: null, after: record }];
  if (made) changes.push(made.change);
  await commitAsSystem(context, accountId, changes);
  return made?.key ?? null;
}

/** The account that an operator names in a command. Null is the first account. */
interface Named {
  accountId: string | null;
}

/**
 * Makes another key, for an operator without one.
 *
 * @param named.accountId by default the first account.
 * @returns the key, to be shown this once.
 * @throws {Error} with a sentence for the operator if there is no such account.
 */
export async function makeAnotherKey(context: Context, named: Named): Promise<string> {
  const accountId = await namedAccountId(context, named);
  const { key, change } = newSecretKey(context, accountId, null);
  await commitAsSystem(context, accountId, [change]);
  return key;
}

/**
 * Makes a root account in a deployment that has others already: a tree of its own, with its first key.
 *
 * @param wanted.owner the e-mail address of its first owner. Null lets the person enter it.
 * @returns the key, and the URL that makes or signs in the owner. Both are shown this once.
 * @throws {Error} with a sentence for the operator if a user has the address, or if there is no account yet.
 */
export async function makeRootAccount(
  context: Context,
  wanted: { name: string; owner: string | null },
): Promise<{ accountId: string; key: string; ownerUrl: string }> {
  await firstAccountId(context);
  if (wanted.owner !== null && (await findUser(context.reader, wanted.owner))) throw addressTaken(wanted.owner);
  const accountId = context.ids.make('acct');
  const { key, change: keyChange } = newSecretKey(context, accountId, null);
  const owner: UserRecord | null = wanted.owner === null ? null : newOwner(context, accountId, wanted.owner);
  const link = newLink(
    { ...context, realSeconds: realSecondsOf(context) },
    { accountId, purpose: owner ? purposeOf(context, owner) : 'first_owner', user: owner, madeBy: null },
  );
  await commitAsSystem(context, accountId, [
    { resource: account, before: null, after: rootAccount(accountId, wanted.name) },
    keyChange,
    ...(owner ? [{ resource: user, before: null, after: owner }] : []),
    link.change,
  ]).catch((error: unknown) => {
    // Another command can have made a user with this address meanwhile.
    throw owner && error instanceof DatabaseError && error.constraint === 'users_by_email'
      ? addressTaken(owner.email)
      : error;
  });
  return { accountId, key, ownerUrl: link.url };
}

function addressTaken(email: string): Error {
  return new Error(
    `A user of this deployment has the e-mail address ${email} already. Each address has one user, in one account.`,
  );
}

/**
 * Returns the purpose of a link for a user. In live mode each user needs a way to sign in, so a user without one chooses a password. In a
 * sandbox the operator can print another link.
 */
function purposeOf(context: Context, member: UserRecord): 'password_reset' | 'sign_in' {
  const choosesPassword = context.config.mode === 'live' && !hasPasswordOrIdentity(context, member);
  return choosesPassword ? 'password_reset' : 'sign_in';
}

function newOwner(context: Context, accountId: string, email: string): UserRecord {
  return { ...newUser(context, accountId), email, name: null, role: 'owner' };
}

function rootAccount(accountId: Id<'acct'>, name: string): AccountRecord {
  return {
    ...newRecord(accountId, accountId),
    name,
    api_version: null,
    api_version_previous: null,
    rollback_until: null,
    default_provider: null,
    provider_credentials: null,
    linked_records: 'open',
    require_second_factor: null,
    time_zone: defaultTimeZone,
    rules: defaultRules,
    invoice_prefix: defaultInvoicePrefix,
    year_end: defaultYearEnd,
    letterhead: null,
    payment_provider: null,
    parent: null,
  };
}

/** @throws {Error} with a sentence for the operator if there is no such account. */
async function namedAccountId(context: Context, { accountId }: Named): Promise<string> {
  if (accountId !== null) {
    if (await context.readRecord(account, accountId, accountId)) return accountId;
    throw new Error(`There is no account ${accountId} in this deployment.`);
  }
  const oldest = await firstAccountId(context);
  if ((await oldestAccountHere(context.reader)) === oldest) return oldest;
  throw new Error(
    `The first account, ${oldest}, is not in this cell: a move has taken it to another one, or is bringing it. Name another account with \`--account\`.`,
  );
}

/** @throws {Error} with a sentence for the operator if there is no account. */
async function firstAccountId(context: Context): Promise<string> {
  const oldest = await oldestAccountId(context.reader);
  if (oldest !== null) return oldest;
  throw new Error(
    `The database has no account yet. The first \`${operatorCommand('start')}\` makes one, with its key and a link.`,
  );
}

/**
 * Makes a link with which a person becomes the first owner of the first account. It works once, for an hour, and only as long as that
 * account has no user.
 *
 * @returns the URL, to be shown this once. Null if there is a user, or if a move has taken the account away.
 */
export async function makeFirstOwnerLink(context: Context): Promise<string | null> {
  const accountId = await oldestAccountId(context.reader);
  // Nothing can be written for an account that a move has taken away.
  if (accountId === null || (await oldestAccountHere(context.reader)) !== accountId) return null;
  return makeFirstOwnerLinkOf(context, accountId);
}

async function makeFirstOwnerLinkOf(context: Context, accountId: string): Promise<string | null> {
  if (await hasMembers(context.reader, accountId)) return null;
  return makeLink(context, { accountId, purpose: 'first_owner', user: null, madeBy: null });
}

/**
 * Makes a link that signs in a user, for an operator. As long as the account has no user, the link makes its first owner. In live mode, a
 * user without a password and without an identity chooses a password with the link. See `hasPasswordOrIdentity`.
 *
 * @param options.accountId by default the first account.
 * @param options.email of the user, in any account; by default the first owner of the account.
 * @param options.resetsSecondFactor removes the second factor, which the user has lost, and a password that is too short without one.
 * @returns the URL, to be shown this once.
 * @throws {Error} with a sentence for the operator if there is no such account or user.
 */
export async function makeLoginLink(
  context: Context,
  options: Named & { email: string | null; resetsSecondFactor: boolean },
): Promise<string> {
  const { email, resetsSecondFactor } = options;
  // With an address alone, the user can be of any account. The first account may be away then.
  const accountId = email !== null && options.accountId === null ? null : await namedAccountId(context, options);
  let found: FoundUser | null;
  if (email === null) {
    const firstLink = await makeFirstOwnerLinkOf(context, accountId!);
    if (firstLink !== null) return firstLink;
    found = await findFirstOwner(context.reader, accountId!);
    if (!found) throw new Error(`The account ${accountId} has no active owner.`);
  } else {
    found = await findUser(context.reader, email);
    if (!found || (accountId !== null && found.accountId !== accountId))
      throw new Error(
        `No user ${accountId === null ? '' : `of the account ${accountId} `}has the e-mail address ${email}.`,
      );
  }
  if (resetsSecondFactor) await removeSecondFactor(context, found);
  const member = await context.readRecord(user, found.accountId, found.id);
  if (!member) throw new Error(`The user ${found.id} was removed meanwhile.`);
  const purpose = purposeOf(context, member);
  return makeLink(context, { accountId: found.accountId, purpose, user: member, madeBy: null });
}

async function makeLink(context: Context, link: Parameters<typeof newLink>[1]): Promise<string> {
  const { url, change } = newLink({ ...context, realSeconds: realSecondsOf(context) }, link);
  await commitAsSystem(context, link.accountId, [change]);
  return url;
}

async function removeSecondFactor(context: Context, { accountId, id }: FoundUser): Promise<void> {
  await context.committer.commitAsSystem({
    accountId,
    locks: [id],
    async decide() {
      const before = await context.readRecord(user, accountId, id);
      if (!before) return null;
      const removed = { totp_secret: null, totp_pending: null, totp_step: null, recovery_codes: [], passkeys: [] };
      // The user sets a password after the link. Until then, a short one must not be the only factor.
      const unsafe = before.password_is_short ? { password_hash: null, password_is_short: false } : {};
      const credentials_revision = before.credentials_revision + 1;
      const after: UserRecord = { ...before, ...removed, ...unsafe, credentials_revision };
      return toDecision(user, before, { after });
    },
  });
}

function newSecretKey(
  context: Context,
  accountId: string,
  given: string | null,
): { key: string; change: RecordChange } {
  const { mode, cell } = context.config;
  const key = given ?? makeKey('secret', mode, context.randomBytes, cell);
  const record: ApiKeyRecord = {
    ...newRecord(context.ids.make('key'), accountId),
    hash: hashKey(key),
    type: 'secret',
    name: null,
    permissions: fewestOf(context.permissions),
    last_four: key.slice(-4),
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    created_by: null,
    approvals: null,
  };
  return { key, change: { resource: apiKey, before: null, after: record } };
}

async function commitAsSystem(context: Context, accountId: string, changes: RecordChange[]): Promise<void> {
  await context.committer.commitAsSystem({
    accountId,
    locks: [],
    decide: async () => ({ changes }),
  });
}

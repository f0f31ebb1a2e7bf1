import type { Context } from './context.ts';
import { hashKey, makeKey } from '../core/api-keys.ts';
import { defaultInvoicePrefix, defaultRules, defaultTimeZone, defaultYearEnd } from '../core/law-rules.ts';
import { operatorCommand } from '../core/installation.ts';
import { newRecord, toDecision } from '../model/change.ts';
import type { RecordChange } from '../model/resource.ts';
import { fewestOf } from '../model/permissions.ts';
import { firstStartLockKey, withLock } from '../db/advisory-locks.ts';
import { withClient } from '../db/pools.ts';
import { account, type AccountRecord } from '../resources/account/index.ts';
import { apiKey, type ApiKeyRecord } from '../resources/api_key.ts';
import { user, type UserRecord } from '../resources/people/user.ts';
import { newLink } from '../sign-in/links.ts';
import { realSecondsOf } from '../sign-in/sessions.ts';
import { findFirstOwner, findUser, hasUsers, oldestAccountId, type FoundUser } from '../sign-in/users.ts';

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
  return withClient(context.connection, (client) =>
    withLock(client, firstStartLockKey, () => makeAccountAndKey(context, makesKey)),
  );
}

async function makeAccountAndKey(context: Context, makesKey: boolean): Promise<string | null> {
  if ((await oldestAccountId(context.reader)) !== null) return null;
  const accountId = context.ids.make('acct');
  const record: AccountRecord = {
    ...newRecord(accountId, accountId),
    name: 'My account',
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
  const made = makesKey || context.config.secretKey ? newSecretKey(context, accountId, context.config.secretKey) : null;
  const changes: RecordChange[] = [{ resource: account, before: null, after: record }];
  if (made) changes.push(made.change);
  await commitAsSystem(context, accountId, changes);
  return made?.key ?? null;
}

/**
 * Makes another key for the first account, for an operator without one.
 *
 * @returns the key, to be shown this once.
 */
export async function makeAnotherKey(context: Context): Promise<string> {
  const accountId = await oldestAccountId(context.reader);
  if (accountId === null)
    throw new Error(
      `The database has no account yet. The first \`${operatorCommand('start')}\` makes one, with its key.`,
    );
  const { key, change } = newSecretKey(context, accountId, null);
  await commitAsSystem(context, accountId, [change]);
  return key;
}

/**
 * Makes a link with which a person becomes the first owner. It works once, for an hour, and only as long as there is no user.
 *
 * @returns the URL, to be shown this once; null if there is a user.
 */
export async function makeFirstOwnerLink(context: Context): Promise<string | null> {
  const accountId = await oldestAccountId(context.reader);
  if (accountId === null || (await hasUsers(context.reader))) return null;
  return makeLink(context, { accountId, purpose: 'first_owner', user: null, madeBy: null });
}

/**
 * Makes a link that signs in a user, for an operator.
 *
 * @param options.email of the user; by default the first owner.
 * @param options.resetsSecondFactor removes the second factor, which the user has lost.
 * @returns the URL, to be shown this once.
 * @throws {Error} with a sentence for the operator if there is no such user.
 */
export async function makeLoginLink(
  context: Context,
  options: { email: string | null; resetsSecondFactor: boolean },
): Promise<string> {
  const { email, resetsSecondFactor } = options;
  const firstLink = email === null ? await makeFirstOwnerLink(context) : null;
  if (firstLink !== null) return firstLink;
  const found = email === null ? await findFirstOwner(context.reader) : await findUser(context.reader, email);
  if (!found)
    throw new Error(
      email === null
        ? `The database has no account yet. The first \`${operatorCommand('start')}\` makes one, and prints a link.`
        : `No user has the e-mail address ${email}.`,
    );
  if (resetsSecondFactor) await removeSecondFactor(context, found);
  const member = await context.readRecord(user, found.accountId, found.id);
  return makeLink(context, { accountId: found.accountId, purpose: 'sign_in', user: member, madeBy: null });
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
      const after: UserRecord = { ...before, ...removed, credentials_revision: before.credentials_revision + 1 };
      return toDecision(user, before, { after });
    },
  });
}

function newSecretKey(
  context: Context,
  accountId: string,
  given: string | null,
): { key: string; change: RecordChange } {
  const key = given ?? makeKey('secret', context.config.mode, context.randomBytes);
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

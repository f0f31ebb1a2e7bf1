import type { Context } from './context.ts';
import { hashKey, makeKey } from '../core/api-keys.ts';
import { newRecord } from '../model/change.ts';
import type { RecordChange } from '../model/resource.ts';
import { fewestOf } from '../model/permissions.ts';
import { firstStartLockKey, withLock } from '../db/advisory-locks.ts';
import { withClient } from '../db/pools.ts';
import { account, type AccountRecord } from '../resources/account.ts';
import { apiKey, type ApiKeyRecord } from '../resources/api_key.ts';

/**
 * Makes the first account and key in an empty database, unless this process is a worker. An operator does not look for a key in a worker's
 * output.
 *
 * @returns the key, to be shown this once; null if none was made.
 */
export async function makeFirstAccount(context: Context): Promise<string | null> {
  if (context.config.role === 'worker') return null;
  // The lock lets two processes on one empty database make one account, not two.
  return withClient(context.connection, (client) =>
    withLock(client, firstStartLockKey, () => makeAccountAndKey(context)),
  );
}

async function makeAccountAndKey(context: Context): Promise<string | null> {
  if ((await oldestAccountId(context)) !== null) return null;
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
    parent: null,
  };
  const { key, change } = newSecretKey(context, accountId, context.config.secretKey);
  await commitAsSystem(context, accountId, [{ resource: account, before: null, after: record }, change]);
  return key;
}

/**
 * Makes another key for the first account, for an operator without one.
 *
 * @returns the key, to be shown this once.
 */
export async function makeAnotherKey(context: Context): Promise<string> {
  const accountId = await oldestAccountId(context);
  if (accountId === null)
    throw new Error('The database has no account yet. The first `npm start` makes one, with its key.');
  const { key, change } = newSecretKey(context, accountId, null);
  await commitAsSystem(context, accountId, [change]);
  return key;
}

async function oldestAccountId(context: Context): Promise<string | null> {
  const [row] = await context.reader.query<{ id: string }>({
    name: 'oldest_account',
    text: 'select id from accounts order by id limit 1',
    values: [],
  });
  return row?.id ?? null;
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

import { randomBytes } from 'node:crypto';
import { hashKey, makeKey } from '../../src/core/secrets/api-keys.ts';
import { officeKinds } from './permissions.ts';
import { apiClient, type Api, type TestServer } from './server.ts';

/** An account, and the server as its key sees it. */
export interface Tenant {
  accountId: string;
  keyId: string;
  key: string;
  api: Api;
}

/** A test expects `references.write` first. */
const usualPermissions = [
  ...officeKinds.map((kind) => `${kind}.write`),
  'file_contents.read',
  'webhook_endpoints.write',
  'accounts.write',
  'events.read',
  'bank_lines.write',
  'payment_imports.read',
];

/** Returns the account that the server made for itself. Its key is `secretKey`. */
export async function firstAccountId(server: TestServer): Promise<string> {
  const { rows } = await server.context.database.readers.query<{ id: string }>(
    'select id from accounts order by id limit 1',
  );
  return rows[0]!.id;
}

/**
 * Adds an account to the same deployment, with a key of its own, pinned to the latest version by default. No request makes it, so it has no
 * events.
 */
export async function addAccount(
  server: TestServer,
  apiVersion = server.context.config.latestVersion ?? server.context.latestVersion.known,
): Promise<Tenant> {
  const accountId = server.context.ids.make('acct');
  await server.context.database.readers.query(
    `insert into accounts (account_id, id, created, revision, name, linked_records, api_version)
     values ($1, $1, 0, 1, 'Another', 'open', $2)`,
    [accountId, apiVersion],
  );
  return addKey(server, accountId);
}

/** Adds a key to an account. By default it may do what an integration does. */
export async function addKey(
  server: TestServer,
  accountId: string,
  options: { name?: string; permissions?: readonly string[] } = {},
): Promise<Tenant> {
  const { context, url } = server;
  const keyId = context.ids.make('key');
  const key = makeKey('secret', context.config.mode, (length) => randomBytes(length));
  await context.database.readers.query(
    `
    insert into api_keys (account_id, id, created, revision, hash, type, name, permissions, last_four)
    values ($1, $2, 0, 1, $3, 'secret', $4, $5, $6)`,
    [accountId, keyId, hashKey(key), options.name ?? null, options.permissions ?? usualPermissions, key.slice(-4)],
  );
  return { accountId, keyId, key, api: apiClient(url, key) };
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serverForTest, type TestServer } from '../support/server.ts';

/*
 * An attacker with the database's files, such as a backup, finds no secret in them. Keys are stored as hashes, and retrievable secrets are
 * encrypted.
 */

test('finds no secret that a response ever had when the files of the database and its write-ahead log are searched', async (context) => {
  const server = await serverForTest();
  const { api } = server;
  const secrets = [server.secretKey];
  for (const type of ['secret', 'restricted', 'agent']) {
    const body = { type, name: 'Nightly', permissions: ['references.read'] };
    const made = (await api.post('/v1/api_keys', body, { 'idempotency-key': type })).body;
    const rolled = (await api.post(`/v1/api_keys/${made.id}/roll`, {}, { 'idempotency-key': `${type} rolled` })).body;
    secrets.push(made.secret, rolled.secret);
  }
  const endpoint = { url: 'http://127.0.0.1:9/', metadata: { marker: 'a text that anybody may read' } };
  const { id, signing_secret } = (await api.post('/v1/webhook_endpoints', endpoint, { 'idempotency-key': 'we' })).body;
  const rolled = (await api.post(`/v1/webhook_endpoints/${id}/roll_secret`, {}, { 'idempotency-key': 'roll' })).body;
  secrets.push(signing_secret, rolled.signing_secret);
  expect(secrets.every((secret) => /^(sk|rk|ak)_test_\w{38}$|^whsec_\w{32}$/.test(secret))).toBe(true);

  const files = await databaseFiles(server);
  if (!files) return context.skip('The database is not on this machine, or its files are not ours to read.');
  const found = (text: string): string[] => files.filter((file) => contents(file)?.includes(text));
  // The search finds other texts, so it would find a secret.
  expect(found('a text that anybody may read').length).toBeGreaterThanOrEqual(2);
  for (const secret of secrets) expect(found(secret), secret.slice(0, 3)).toEqual([]);
});

/** Returns the bytes of a file, or null if the file is gone. A checkpoint lets PostgreSQL remove old write-ahead logs. */
function contents(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Returns the files of the test's database and the write-ahead log, or null if they cannot be read from here. */
async function databaseFiles(server: TestServer): Promise<string[] | null> {
  const { readers } = server.context.database;
  await readers.query('checkpoint');
  const { rows } = await readers.query<{ folder: string; oid: string }>(
    `select current_setting('data_directory') as folder, oid::text from pg_database where datname = current_database()`,
  );
  const { folder, oid } = rows[0]!;
  try {
    return [join(folder, 'base', oid), join(folder, 'pg_wal')].flatMap((place) =>
      readdirSync(place, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => join(place, name)),
    );
  } catch {
    return null;
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { HeldBytes } from '../../src/core/limits/byte-budget.ts';
import { withClient } from '../../src/db/pools.ts';
import { makeLargeCustomer } from '../support/large-records.ts';
import { apiClient, good, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { addKey, firstAccountId } from '../support/tenants.ts';

/* Reads that wait for room or for PostgreSQL, while the right to send them ends. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test('reads nothing for a list that waits for room when its key is revoked', async () => {
  for (let count = 0; count < 4; count++) await makeLargeCustomer(server.api);
  const { api, end } = await endingKey('customers.read');
  expect((await good(api.get('/v1/customers'))).body.data).toHaveLength(4);
  const answer = await answerAfter('reads', () => api.get('/v1/customers'), end);
  expect([answer.status, answer.body.error.code]).toEqual([401, 'api_key_expired']);
});

test('responds with no records when its key is revoked while PostgreSQL holds up the read', async () => {
  const { api, end } = await endingKey('units.read');
  await good(api.get('/v1/units'));
  const answer = await withClient(server.connection, async (other) => {
    await other.query('begin');
    await other.query('lock table units in access exclusive mode');
    const answering = api.get('/v1/units');
    await expect.poll(() => waitingForLocks(server)).toBe(1);
    await end();
    await other.query('rollback');
    return answering;
  });
  expect([answer.status, answer.body.error?.code]).toEqual([401, 'api_key_expired']);
});

test('opens no file for a download that waits for room when its key is revoked', async () => {
  const id = await uploadedFile();
  const { api, end } = await endingKey('file_contents.read');
  await good(api.get(`/v1/files/${id}/contents`));
  const answer = await answerAfter('downloads', () => api.get(`/v1/files/${id}/contents`), end);
  expect([answer.status, answer.body.error.code]).toEqual([401, 'api_key_expired']);
});

test('opens no file for a download that waits for room when its link is revoked', async () => {
  const { id, url } = (await good(server.api.post(`/v1/files/${await uploadedFile()}/links`, {}))).body;
  const open = (): Promise<Response> =>
    fetch(`${server.url}/links/contents`, {
      method: 'POST',
      body: new URLSearchParams({ token: new URL(url).hash.slice(1) }),
    });
  expect((await open()).status).toBe(200);
  const answer = await answerAfter('downloads', open, () => good(server.api.post(`/v1/file_links/${id}/revoke`)));
  expect(answer.status).toBe(404);
});

async function endingKey(permission: string) {
  const { keyId, api } = await addKey(server, await firstAccountId(server), { permissions: [permission] });
  return { api, end: (): Promise<ApiResponse> => good(server.api.delete(`/v1/api_keys/${keyId}`)) };
}

async function uploadedFile(): Promise<string> {
  const form = new FormData();
  form.set('purpose', 'other');
  form.set('file', new Blob(['%PDF-1.7\nThe report\n%%EOF\n'], { type: 'application/pdf' }), 'report.pdf');
  return (await good(apiClient(server.url, server.secretKey).post('/v1/files', form))).body.id;
}

/** Returns the response to a read that found no room until `end` was answered. */
async function answerAfter<Answer>(
  budget: 'reads' | 'downloads',
  read: () => Promise<Answer>,
  end: () => Promise<unknown>,
): Promise<Answer> {
  const room = server.context.readBudgets[budget];
  const all: HeldBytes = room.add(await firstAccountId(server), room.maxPerAccount);
  onTestFinished(() => all.release());
  const answering = read();
  await delay(200);
  await end();
  all.release();
  return answering;
}

async function waitingForLocks({ connection }: TestServer): Promise<number> {
  const text = `
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return withClient(connection, async (client) => (await client.query<{ count: number }>(text)).rows[0]!.count);
}

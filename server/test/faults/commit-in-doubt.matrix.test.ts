import { expect, onTestFinished, test } from 'vitest';
import { Committer } from '../../src/commit/committer.ts';
import { createTestDatabase, startTestServer, type TestServer } from '../support/server.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts';

/*
 * The connection to the database breaks after a batch was sent, so the outcome of the commit is unknown. The client must get the true
 * outcome once it can be known, and never a second execution.
 */

const body = { application: 'app_1', metadata: { try: 'in doubt' } };

test('returns the response with one reference and one event when the response to a commit is lost', async () => {
  const { server, proxy } = await serverBehindProxy();
  proxy.cutAfterNextCommit();
  const answered = await server.api.post('/v1/references', body, { 'idempotency-key': 'lost answer' });
  expect(answered.status).toBe(200);
  await expectOnlyReference(server, answered.body.id);
  const replayed = await server.api.post('/v1/references', body, { 'idempotency-key': 'lost answer' });
  expect(replayed.headers.get('idempotent-replayed')).toBe('true');
  expect(replayed.text).toBe(answered.text);
});

test('retries a lost commit with the same ids', async () => {
  const { server, proxy } = await serverBehindProxy();
  proxy.cutBeforeNextCommit('roll_back', 0);
  const answered = await server.api.post('/v1/references', body);
  expect(answered.status).toBe(200);
  await expectOnlyReference(server, answered.body.id);
});

test.each(['roll_back', 'commit'] as const)(
  'terminates a lost open transaction that would end with %s, and executes its changes once',
  async (fate) => {
    const { server, proxy } = await serverBehindProxy();
    const afterMs = 700;
    proxy.cutBeforeNextCommit(fate, afterMs);
    const answered = await server.api.post('/v1/references', body, { 'idempotency-key': 'late' });
    expect(answered.status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await expectOnlyReference(server, answered.body.id);
  },
);

test('refuses a key as in use while its commit outcome is unknown', async () => {
  const { server, proxy } = await serverBehindProxy();
  const cut = Promise.withResolvers<void>();
  proxy.cutAfterNextCommit(async () => {
    proxy.close();
    cut.resolve();
  });
  const first = server.api.post('/v1/references', body, { 'idempotency-key': 'twin' });
  await cut.promise;
  const twin = await server.api.post('/v1/references', body, { 'idempotency-key': 'twin' });
  expect(twin.status).toBe(409);
  proxy.open();
  expect((await first).status).toBe(200);
  await expectOnlyReference(server, (await first).body.id);
});

test('executes forty parallel requests once each when connections are cut three times', async () => {
  const { server, proxy } = await serverBehindProxy();
  const answers = [];
  for (const cut of [
    () => proxy.cutAfterNextCommit(),
    () => proxy.cutBeforeNextCommit('roll_back', 100),
    () => proxy.cutAfterNextCommit(),
  ]) {
    cut();
    answers.push(
      ...(await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          server.api.post('/v1/references', { application: `app_${answers.length + index}` }),
        ),
      )),
    );
  }
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const ids = new Set<string>(answers.map((answer) => answer.body.id));
  expect(ids.size).toBe(120);
  const list = await server.api.get('/v1/references?limit=1');
  expect(list.body.count).toBe(120);
  const events = await server.api.get('/v1/events?limit=1&type=reference.created');
  expect(events.body.count).toBe(120);
});

test('does not decide an update again on its own result when its commit outcome is unknown', async () => {
  const { server, proxy } = await serverBehindProxy();
  const { body: reference } = await server.api.post('/v1/references', body);
  proxy.cutAfterNextCommit();
  const updated = await server.api.post(`/v1/references/${reference.id}`, { outcome: 'accept' });
  expect(updated.body).toMatchObject({ status: 'complete', outcome: 'accept' });
  const events = await server.api.get(`/v1/events?object_id=${reference.id}`);
  expect(events.body.data.map((event: { type: string }) => event.type)).toEqual([
    'reference.completed',
    'reference.updated',
    'reference.created',
  ]);
});

test('responds 503 and writes nothing when the database cannot be reached', async () => {
  const { server, proxy } = await serverBehindProxy();
  await server.api.get('/v1/references');
  proxy.close();
  const refused = await server.api.post('/v1/references', body, { 'idempotency-key': 'away' });
  expect(refused.status).toBe(503);
  expect(refused.body.error.code).toBe('unavailable');
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.headers.get('service-should-retry')).toBe('true');
  expect((await server.api.get('/v1/references')).status).toBe(503);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  proxy.open();
  const answered = await server.api.post('/v1/references', body, { 'idempotency-key': 'away' });
  expect(answered.status).toBe(200);
  expect(answered.headers.get('idempotent-replayed')).toBeNull();
  await expectOnlyReference(server, answered.body.id);
});

test('responds 503 with the reason when a commit outcome stays unknown, and replays it by key later', async () => {
  const { server, proxy } = await serverBehindProxy({ doubtMs: 300 });
  proxy.cutAfterNextCommit(async () => proxy.close());
  const unknown = await server.api.post('/v1/references', body, { 'idempotency-key': 'unknown' });
  expect(unknown.status).toBe(503);
  expect(unknown.body.error.message).toContain('not known');
  expect(unknown.body.error.message).toContain('Repeat the request with the same Idempotency-Key');
  expect(unknown.headers.get('service-should-retry')).toBe('true');
  proxy.open();
  const replayed = await server.api.post('/v1/references', body, { 'idempotency-key': 'unknown' });
  expect(replayed.headers.get('idempotent-replayed')).toBe('true');
  await expectOnlyReference(server, replayed.body.id);
});

test('advises to check first, not to retry, when a commit outcome is unknown and there is no key', async () => {
  const { server, proxy } = await serverBehindProxy({ doubtMs: 300 });
  proxy.cutAfterNextCommit(async () => proxy.close());
  const unknown = await server.api.post('/v1/references', body);
  expect([unknown.status, unknown.body.error.code]).toEqual([503, 'unavailable']);
  expect(unknown.body.error.message).toContain('not known');
  expect(unknown.body.error.message).toContain('Check whether the change was made');
  expect(unknown.body.error.message).not.toMatch(/same Idempotency-Key|Nothing was changed/);
  expect(unknown.headers.get('service-should-retry')).toBe('false');
  proxy.open();
  const list = await server.api.get('/v1/references');
  await expectOnlyReference(server, list.body.data[0].id);
});

test('executes a deletion at most once when it is repeated after an unknown outcome', async () => {
  const { server, proxy } = await serverBehindProxy({ doubtMs: 300 });
  const { body: customer } = await server.api.post('/v1/customers', { name: 'Ada' });
  proxy.cutAfterNextCommit(async () => proxy.close());
  const unknown = await server.api.delete(`/v1/customers/${customer.id}`);
  expect(unknown.status).toBe(503);
  expect(unknown.body.error.message).toContain('not known');
  expect(unknown.body.error.message).not.toContain('Idempotency-Key');
  expect(unknown.headers.get('service-should-retry')).toBe('true');
  proxy.open();
  await server.api.delete(`/v1/customers/${customer.id}`);
  const events = await server.api.get('/v1/events?type=customer.deleted');
  expect(events.body.count).toBe(1);
});

test('responds 503 at once when the queue is full', async () => {
  const { server, proxy } = await serverBehindProxy();
  await server.api.get('/v1/references');
  proxy.cutBeforeNextCommit('roll_back', 1_500);
  const { committer } = server.context;
  const decided = new Promise<void>((resolve) => setTimeout(resolve, 1_000));
  const waiting = Array.from({ length: 4_000 }, () =>
    committer.commit({
      accountId: 'acct_z',
      payer: null,
      request: null,
      claim: null,
      locks: [],
      decide: async () => {
        await decided;
        return { changes: [], response: null };
      },
    }),
  );
  const refused = await server.api.post('/v1/references', body);
  expect(refused.status).toBe(503);
  expect(refused.body.error.code).toBe('overloaded');
  expect(refused.headers.get('retry-after')).toBe('1');
  await Promise.all(waiting);
  expect((await server.api.post('/v1/references', body)).status).toBe(200);
});

async function serverBehindProxy({ doubtMs }: { doubtMs?: number } = {}): Promise<{
  server: TestServer;
  proxy: DatabaseProxy;
}> {
  const database = await createTestDatabase();
  const proxy = await startDatabaseProxy(database.connection);
  const server = await startTestServer({
    connection: proxy.connection,
    // Keeps the cached keys and accounts while the database is away.
    realFreshness: true,
    changeContext: (context) => {
      if (doubtMs === undefined) return context;
      const { writers } = context.database;
      return { ...context, committer: new Committer({ ...context, writers, epoch: 1, doubtMs }) };
    },
  });
  onTestFinished(async () => {
    await server.stop();
    await proxy.stop();
    await database.drop();
  });
  return { server, proxy };
}

async function expectOnlyReference(server: TestServer, id: string): Promise<void> {
  const references = await server.api.get('/v1/references');
  expect(references.body).toMatchObject({ count: 1, data: [{ id }] });
  const events = await server.api.get('/v1/events?type=reference.*');
  expect(events.body).toMatchObject({ count: 1, data: [{ type: 'reference.created', data: { object: { id } } }] });
}

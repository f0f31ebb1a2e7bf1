import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { withoutDelivering } from '../support/deployments.ts';
import { apiClient, good, serverForTest, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount, type Tenant } from '../support/tenants.ts';
import { newSeed } from './crash-checker/checker.ts';
import { Random } from './crash-checker/random.ts';
import { Subscriber } from './event-stream/subscriber.ts';

/*
 * A follower that resumes after its last id gets every event exactly once, in the order that all followers get. Lost connections, killed
 * processes and open transactions do not change that.
 */

const writers = 16;
const writingMs = 6_000;

test('loses and repeats no event when transactions stay open and commit in any order', async () => {
  const { one, other } = await twoProcesses();
  const tenant = await addAccount(one);
  const followers = await followersOf([one, other], tenant, 10);
  const stop = new AbortController();
  const held = [holdTransactions(one, tenant, stop.signal), holdTransactions(one, tenant, stop.signal)];
  const written = await write([one, other], tenant);
  stop.abort();
  await Promise.all(held);
  await expectEverything(one, tenant, followers);
  expect(written).toBeGreaterThan(100);
});

test('loses and repeats no event when connections to the database are terminated', async () => {
  const { one, other } = await twoProcesses();
  const tenant = await addAccount(one);
  const followers = await followersOf([one, other], tenant, 6);
  const stop = new AbortController();
  const ending = every(300, stop.signal, () =>
    withClient(one.connection, (client) =>
      client.query(`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and random() < 0.4`),
    ),
  );
  await write([one, other], tenant);
  stop.abort();
  await ending;
  await expectEverything(one, tenant, followers);
});

test('loses no event when the process of a stream cannot reach the database for a while', async () => {
  const one = await serverForTest({ settings: withoutDelivering });
  const proxy = await startDatabaseProxy(one.connection);
  onTestFinished(() => proxy.stop());
  const cutOff = await serverForTest({
    settings: withoutDelivering,
    connection: proxy.connection,
    secretKey: one.secretKey,
  });
  const tenant = await addAccount(one);
  const followers = await followersOf([cutOff], tenant, 4);
  const closing = (async () => {
    for (let round = 0; round < 3; round++) {
      await delay(800);
      proxy.close();
      await delay(700);
      proxy.open();
    }
  })();
  await write([one], tenant);
  await closing;
  await expectEverything(one, tenant, followers);
});

/** Starts one process that delivers, and one that only serves requests, on one database. */
async function twoProcesses(): Promise<{ one: TestServer; other: TestServer }> {
  const one = await serverForTest();
  const other = await serverForTest({
    settings: withoutDelivering,
    connection: one.connection,
    secretKey: one.secretKey,
  });
  return { one, other };
}

async function followersOf(servers: TestServer[], tenant: Tenant, count: number): Promise<Subscriber[]> {
  await good(tenant.api.post('/v1/customers', { name: 'First' }));
  const { body: first } = await good(tenant.api.get('/v1/events'));
  const random = new Random(`seed ${newSeed()}`);
  const urls = servers.map(({ url }) => url);
  const followers = Array.from(
    { length: count },
    (_, number) => new Subscriber(urls, tenant.key, first.data[0].id, random.fork(`follower ${number}`)),
  );
  onTestFinished(() => followers.forEach((follower) => follower.stop()));
  for (const follower of followers) follower.start();
  return followers;
}

/** Makes records and changes them in parallel, each by two writers. Resolves with the number of successful requests. */
async function write(servers: TestServer[], { key }: Tenant): Promise<number> {
  const endsAtMs = performance.now() + writingMs;
  let carriedOut = 0;
  const writeOn = async (api: Api, shared: string[]): Promise<void> => {
    while (performance.now() < endsAtMs) {
      const made = await api.post('/v1/references', { application: 'app_1' }).catch(() => null);
      if (made?.status === 200) shared.push(made.body.id);
      const id = shared.at(-1 - randomInt(2)) ?? shared.at(-1);
      const step = String(randomInt(1_000_000));
      const changed = id && (await api.post(`/v1/references/${id}`, { metadata: { step } }).catch(() => null));
      carriedOut += Number(made?.status === 200) + Number(changed && changed.status === 200);
    }
  };
  const apis = servers.map(({ url }) => apiClient(url, key));
  const shared = Array.from({ length: writers / 2 }, (): string[] => []);
  await Promise.all(
    Array.from({ length: writers }, (_, index) => writeOn(apis[index % apis.length]!, shared[index >> 1]!)),
  );
  return carriedOut;
}

/** Runs transactions that begin, wait, and write an event at their end. Their ids are older than those of later commits. */
function holdTransactions(
  { connection, context }: TestServer,
  { accountId }: Tenant,
  signal: AbortSignal,
): Promise<void> {
  return every(50, signal, () =>
    withClient(connection, async (client) => {
      await client.query('begin');
      await client.query('select pg_current_xact_id()');
      await delay(randomInt(400));
      await client.query(
        `
        insert into events
          (account_id, id, created, type, object_id, mentions, data, request, shape_version, epoch, transaction_id, ordinal)
        select account_id, $2, created, type, object_id, mentions, data, request, shape_version, epoch,
          pg_current_xact_id(), 0
        from events where account_id = $1 and type = 'customer.created' order by id limit 1`,
        [accountId, context.ids.make('evt')],
      );
      await delay(randomInt(200));
      await client.query(randomInt(4) === 0 ? 'rollback' : 'commit');
    }),
  );
}

async function every(pauseMs: number, signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await work();
    await delay(randomInt(pauseMs));
  }
}

async function expectEverything(
  { context }: TestServer,
  { accountId }: Tenant,
  followers: Subscriber[],
): Promise<void> {
  const { rows } = await context.database.readers.query<{ id: string }>(
    'select id from events where account_id = $1 order by epoch, events.transaction_id, ordinal',
    [accountId],
  );
  // They follow from the first one on.
  const ids = rows.map(({ id }) => id).slice(1);
  for (const { received } of followers) {
    await expect.poll(() => received.length).toBeGreaterThanOrEqual(ids.length);
    expect(received.map(({ id }) => id)).toEqual(ids);
  }
  expectCausal(followers[0]!.received.map(({ event }) => event));
  const connections = followers.map((follower) => follower.connections);
  for (const count of connections) expect(count).toBeGreaterThan(1);
  process.stdout.write(
    `event stream: ${ids.length} events, each once and in one order, to ${followers.length} followers in ${connections.reduce((sum, count) => sum + count)} streams\n`,
  );
}

/** Expects each change of a reference to begin where the one before it ended. */
function expectCausal(events: ApiResponse['body'][]): void {
  const steps = new Map<string, string | null>();
  let changes = 0;
  for (const { type, data } of events) {
    const { id, metadata } = data.object;
    if (type === 'reference.created') steps.set(id, null);
    if (type !== 'reference.updated') continue;
    expect(data.previous_attributes.metadata.step).toBe(steps.get(id));
    steps.set(id, metadata.step);
    changes++;
  }
  expect(changes).toBeGreaterThan(20);
}

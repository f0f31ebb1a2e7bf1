import { expect, onTestFinished, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts';
import { receiverForTest, type Receiver } from '../support/receiver.ts';
import { createTestDatabase, startTestServer, type TestServer } from '../support/server.ts';
import { deliveriesOf, Gate, patientLimits, pingedEndpoint, placesOf, queueEmpty, seed, soon } from './scenario.ts';

/*
 * The dispatcher loses its database. Known outcomes are written when the database is back. Deliveries with an unknown claim or outcome are
 * sent again after their lease. None is lost.
 */

test('writes outcomes once and sends nothing twice when the database goes while receivers respond', async () => {
  const { server, proxy } = await serverBehindProxy();
  const gate = new Gate();
  const receiver = await receiverForTest((response) => void gate.pass().then(() => response.writeHead(200).end()));
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await seed(server, endpoint.id, 20);
  await receiver.count(20);
  proxy.close();
  gate.open();
  await new Promise((resolve) => setTimeout(resolve, 300));
  proxy.open();
  await expectDeliveredOnce(server, receiver, endpoint.id, 20);
});

test('writes outcomes once when the database goes right after their commit', async () => {
  const { server, proxy, database } = await serverBehindProxy();
  const gate = new Gate();
  const receiver = await receiverForTest((response) => void gate.pass().then(() => response.writeHead(200).end()));
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await seed(server, endpoint.id, 20);
  await receiver.count(20);
  await withClient(database, async (client) => {
    await client.query('begin');
    await client.query('lock table webhook_attempts in access exclusive mode');
    gate.open();
    // The statement has arrived and waits for the lock. Its response will find no connection.
    await expect.poll(() => waitingFor(client, 'held as materialized'), soon).toBe(true);
    proxy.close();
    await client.query('rollback');
  });
  proxy.open();
  await expectDeliveredOnce(server, receiver, endpoint.id, 20);
});

test('sends deliveries when their lease ends if the database goes right after a claim', async () => {
  const { server, proxy, database } = await serverBehindProxy();
  const receiver = await receiverForTest();
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await withClient(database, async (client) => {
    await seed(server, endpoint.id, 0);
    await client.query('begin');
    await client.query('lock table events in access exclusive mode');
    // The claim waits for the lock with an empty queue, and finds these deliveries when it resumes.
    await expect.poll(() => waitingFor(client, 'update webhook_queue queue'), soon).toBe(true);
    await client.query(
      `insert into webhook_queue (account_id, id, event, webhook_endpoint, due_at_ms)
      select account_id, 'dlv_' || substr(id, 5, 10) || lpad(number::text, 12, '0'), id, $1, 0 from events, generate_series(1, 20) as number where object_id = $1`,
      [endpoint.id],
    );
    await client.query(
      `insert into webhook_deliveries (account_id, id, created, event, webhook_endpoint, type)
      select account_id, 'dlv_' || substr(id, 5, 10) || lpad(number::text, 12, '0'), created, id, $1, type
      from events, generate_series(1, 20) as number where object_id = $1`,
      [endpoint.id],
    );
    proxy.close();
    await client.query('commit');
  });
  await endLeases(database);
  proxy.open();
  await expectDeliveredOnce(server, receiver, endpoint.id, 20);
});

test('delivers everything, at most twice, when the database is away for longer than the lease', async () => {
  const { server, proxy, database } = await serverBehindProxy();
  const gate = new Gate();
  const receiver = await receiverForTest((response) => void gate.pass().then(() => response.writeHead(200).end()));
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  const ids = await seed(server, endpoint.id, 5);
  await receiver.count(5);
  proxy.close();
  gate.open();
  await endLeases(database);
  proxy.open();
  await queueEmpty(server);
  const requests = ids.map((id) => receiver.received.filter((one) => one.headers['service-delivery-id'] === id).length);
  expect(requests.every((count) => count === 1 || count === 2)).toBe(true);
  const deliveries = await deliveriesOf(server.api, endpoint.id);
  expect(deliveries.map(({ status }) => status)).toEqual(ids.map(() => 'delivered'));
});

test('delivers each, with no more repeats than lost connections, when the database comes and goes under load', async () => {
  const { server, proxy, database } = await serverBehindProxy();
  const receiver = await receiverForTest((response) => void setTimeout(() => response.writeHead(200).end(), 5));
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  const ids = await seed(server, endpoint.id, 1_000);
  const cuts = 3;
  for (let cut = 1; cut <= cuts; cut++) {
    await receiver.count(cut * 200);
    proxy.close();
    await endLeases(database);
    proxy.open();
  }
  await queueEmpty(server);
  const counts = new Map(ids.map((id) => [id, 0]));
  for (const { headers } of receiver.received) {
    const id = String(headers['service-delivery-id']);
    counts.set(id, counts.get(id)! + 1);
  }
  expect(Math.min(...counts.values())).toBe(1);
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(1 + cuts);
  const { rows } = await server.context.database.readers.query<{ count: number }>(
    `select count(distinct delivery_id) from webhook_attempts where outcome = 'delivered'`,
  );
  expect(rows[0]!.count).toBe(1_000);
});

/** Its attempts and leases end only if the test ends them. */
async function serverBehindProxy(): Promise<{
  server: TestServer;
  proxy: DatabaseProxy;
  database: TestServer['connection'];
}> {
  const database = await createTestDatabase();
  const proxy = await startDatabaseProxy(database.connection);
  const server = await startTestServer({
    connection: proxy.connection,
    overrides: { dispatcherLimits: { ...patientLimits, pollMs: 50 } },
  });
  onTestFinished(async () => {
    proxy.open();
    await server.stop();
    await proxy.stop();
    await database.drop();
  });
  return { server, proxy, database: database.connection };
}

/** Ends all leases as if their time were over, once no statement of the server runs any more. */
async function endLeases(database: TestServer['connection']): Promise<void> {
  await withClient(database, async (client) => {
    const running = async (): Promise<number> => {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::integer as count from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      return rows[0]!.count;
    };
    await expect.poll(running, soon).toBe(0);
    await client.query('update webhook_queue set claimed_until_ms = 0');
  });
}

async function expectDeliveredOnce(
  server: TestServer,
  receiver: Receiver,
  endpointId: string,
  count: number,
): Promise<void> {
  await queueEmpty(server);
  expect(await placesOf(server, endpointId)).toEqual([]);
  expect(receiver.received).toHaveLength(count);
  expect(new Set(receiver.received.map(({ headers }) => headers['service-delivery-id'])).size).toBe(count);
  const deliveries = await deliveriesOf(server.api, endpointId);
  expect(deliveries).toHaveLength(count);
  for (const delivery of deliveries) {
    expect(delivery).toMatchObject({ status: 'delivered', attempt_count: 1, attempts: [{ status: 200, error: null }] });
  }
}

/** Tells whether a statement of the server with this text near its beginning waits for a lock. */
async function waitingFor(client: Parameters<Parameters<typeof withClient>[1]>[0], text: string): Promise<boolean> {
  // A transaction sees the activity of one moment until it clears its snapshot.
  await client.query('select pg_stat_clear_snapshot()');
  const { rows } = await client.query(
    `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0 and pid <> pg_backend_pid()`,
    [text],
  );
  return rows.length > 0;
}

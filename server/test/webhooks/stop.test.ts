import { expect, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { receiverForTest } from '../support/receiver.ts';
import { serverForTest, type TestServer } from '../support/server.ts';
import {
  deliveriesOf,
  deliveryOf,
  endpointFor,
  Gate,
  hardlyEverMs,
  patientLimits,
  ping,
  pingedEndpoint,
  placesOf,
  role,
  seed,
  soon,
} from './scenario.ts';

test('finishes running attempts within the grace period when the process stops', async () => {
  const gate = new Gate();
  const receiver = await receiverForTest((response) => void gate.pass().then(() => response.writeHead(200).end()));
  const server = await serverForTest({ overrides: { dispatcherLimits: patientLimits } });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await seed(server, endpoint.id, 5);
  await receiver.count(5);
  const stopped = server.context.dispatcher!.stop(hardlyEverMs);
  gate.open();
  await stopped;
  const deliveries = await deliveriesOf(server.api, endpoint.id);
  expect(deliveries.map(({ status, attempt_count }) => [status, attempt_count])).toEqual(
    Array.from({ length: 5 }, () => ['delivered', 1]),
  );
});

test('interrupts an attempt without counting it, due again at once, when it outlasts the grace period', async () => {
  const receiver = await receiverForTest(() => {}, 200);
  const server = await serverForTest({ overrides: { dispatcherLimits: patientLimits } });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await ping(server.api, endpoint.id);
  await receiver.count(1);
  await server.context.dispatcher!.stop(50);
  const [place] = await placesOf(server, endpoint.id);
  expect(place).toMatchObject({ attempt_count: 0, claim_token: null, claimed_until_ms: 0 });
  expect(place!.due_at_ms).toBeLessThanOrEqual(server.context.clock.nowMs());
  expect(await deliveryOf(server.api, endpoint.id)).toMatchObject({
    status: 'pending',
    attempt_count: 0,
    attempts: [{ status: null, error: 'interrupted', response: null }],
  });

  await workerBeside(server);
  await receiver.count(2);
  expect(receiver.received[1]!.headers['service-attempt']).toBe('1');
  await expect.poll(async () => (await deliveryOf(server.api, endpoint.id)).status, soon).toBe('delivered');
  expect(await deliveryOf(server.api, endpoint.id)).toMatchObject({ attempt_count: 1 });
});

test('releases deliveries that have not begun at once, so that others can claim them, when the process stops', async () => {
  const gate = new Gate();
  const receiver = await receiverForTest((response) => void gate.pass().then(() => response.writeHead(200).end()));
  const server = await serverForTest({ overrides: { dispatcherLimits: { ...patientLimits, perEndpointMax: 2 } } });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await seed(server, endpoint.id, 20);
  await receiver.count(2);
  await expect.poll(async () => (await claimed(server, endpoint.id)).length, soon).toBe(20);
  const stopped = server.context.dispatcher!.stop(hardlyEverMs);
  // Two attempts are being finished. The other eighteen deliveries can be claimed.
  await expect.poll(async () => (await claimed(server, endpoint.id)).length, soon).toBe(2);
  expect((await placesOf(server, endpoint.id)).every((place) => place.attempt_count === 0)).toBe(true);
  await workerBeside(server);
  await receiver.count(20);
  gate.open();
  await stopped;
  await expect.poll(() => placesOf(server, endpoint.id), soon).toEqual([]);
  expect(receiver.received).toHaveLength(20);
});

test('claims nothing more when the process stops', async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 10 } } });
  const endpoint = await endpointFor(server.api, receiver.url);
  await server.context.dispatcher!.stop(hardlyEverMs);
  const reference = await server.api.post('/v1/references', { application: 'app_1' });
  expect(reference.status).toBe(200);
  server.context.dispatcher!.wake();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await placesOf(server, endpoint.id)).toMatchObject([{ claim_token: null, claimed_until_ms: 0 }]);
  expect(receiver.received).toHaveLength(0);
});

test('does not begin a claimed delivery when the grace period ends first', async () => {
  const receiver = await receiverForTest(() => {});
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 20 } } });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  // This lock blocks the read of the endpoint, so the delivery is claimed and has not begun.
  await withClient(server.connection, async (client) => {
    await client.query('begin');
    await client.query('lock table webhook_endpoints in access exclusive mode');
    await seedClaimable(server, endpoint.id);
    await expect.poll(async () => (await claimed(server, endpoint.id)).length, soon).toBe(1);
    const stopped = server.context.dispatcher!.stop(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await client.query('rollback');
    await stopped;
  });
  expect(receiver.received).toHaveLength(0);
  await expect.poll(() => placesOf(server, endpoint.id), soon).toMatchObject([{ attempt_count: 0, claim_token: null }]);
  expect(await deliveryOf(server.api, endpoint.id)).toMatchObject({ status: 'pending', attempt_count: 0 });
});

test('stops without a delay when nothing is running', async () => {
  const server = await serverForTest();
  // The test would end first if the stop took the grace period.
  await server.context.dispatcher!.stop(hardlyEverMs);
});

async function claimed(server: TestServer, endpointId: string) {
  return (await placesOf(server, endpointId)).filter((place) => place.claim_token !== null);
}

/** Seeds one delivery without a read of the endpoint, which is locked. */
async function seedClaimable({ context }: TestServer, endpointId: string): Promise<void> {
  const id = context.ids.make('dlv');
  await context.database.readers.query(
    `
    with recorded as (
      insert into webhook_deliveries (account_id, id, created, event, webhook_endpoint, type)
      select account_id, $1, created, id, $2, type from events where object_id = $2 order by id limit 1
    )
    insert into webhook_queue (account_id, id, event, webhook_endpoint, due_at_ms)
    select account_id, $1, id, $2, $3 from events where object_id = $2 order by id limit 1`,
    [id, endpointId, context.clock.nowMs()],
  );
}

async function workerBeside(server: TestServer): Promise<void> {
  await serverForTest({
    connection: server.connection,
    settings: role('worker'),
    overrides: { dispatcherLimits: { ...patientLimits, pollMs: 20 } },
  });
}

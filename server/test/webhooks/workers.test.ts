import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/db/listen.ts';
import { deliveriesChannel } from '../../src/webhooks/wake.ts';
import { TestClock } from '../support/clock.ts';
import { receiverForTest, type Receiver } from '../support/receiver.ts';
import { serverForTest, type TestServer } from '../support/server.ts';
import {
  deliveriesOf,
  deliveryOf,
  endpointFor,
  Gate,
  makeReferences,
  over,
  ping,
  pingedEndpoint,
  placesOf,
  queueEmpty,
  role,
  seed,
  soon,
} from './scenario.ts';

/** So rarely is the queue looked at that whatever comes to pass within a test has another reason. */
const hardlyEverMs = 600_000;

test('four processes share a thousand deliveries to two receivers: each is delivered exactly once', async () => {
  const receivers = [await receiverForTest(), await receiverForTest()];
  const server = await apiOnly();
  for (const receiver of receivers) await endpointFor(server.api, receiver.url);
  await makeReferences(server.api, 500);
  expect(receivers.flatMap(({ received }) => received)).toHaveLength(0);
  const workers = [];
  for (let started = 0; started < 4; started++) {
    workers.push(await workerOn(server, { dispatcherLimits: { pollMs: 50, claimMax: 40, heldMax: 80 } }));
  }
  await queueEmpty(server);
  const ids = receivers.flatMap(({ received }) => received.map(deliveryIdOf));
  expect(ids).toHaveLength(1_000);
  expect(new Set(ids).size).toBe(1_000);
  await expectAttempts(server, 1_000);
});

test('four hundred deliveries that come while four processes deliver: each is delivered exactly once', async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 20 } } });
  for (let started = 0; started < 3; started++) await workerOn(server, { dispatcherLimits: { pollMs: 20 } });
  await endpointFor(server.api, receiver.url);
  await makeReferences(server.api, 400);
  await queueEmpty(server);
  expect(receiver.received).toHaveLength(400);
  expect(new Set(receiver.received.map(deliveryIdOf)).size).toBe(400);
  await expectAttempts(server, 400);
});

describe('a process that only answers requests', () => {
  test('delivers nothing', async () => {
    const receiver = await receiverForTest();
    const server = await apiOnly();
    expect(server.context.dispatcher).toBeNull();
    const endpoint = await endpointFor(server.api, receiver.url);
    await makeReferences(server.api, 5);
    const deliveries = await deliveriesOf(server.api, endpoint.id);
    expect(deliveries.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'pending'));
    expect(receiver.received).toHaveLength(0);
  });

  test('tells one that delivers, at once', async () => {
    const receiver = await receiverForTest();
    const server = await apiOnly();
    const worker = await workerOn(server, { dispatcherLimits: { pollMs: hardlyEverMs } });
    await hears(worker);
    await endpointFor(server.api, receiver.url);
    for (let made = 1; made <= 5; made++) {
      await makeReferences(server.api, 1);
      await receiver.count(made);
    }
  });

  test('leaves it to the next look at the queue where nobody hears it', async () => {
    const receiver = await receiverForTest();
    const server = await apiOnly();
    await workerOn(server, { dispatcherLimits: { pollMs: 100 } });
    await endpointFor(server.api, receiver.url);
    await makeReferences(server.api, 5);
    await receiver.count(5);
  });
});

test('what another process has committed and never told of is found by looking', async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 100 } } });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  for (let round = 1; round <= 3; round++) {
    await seed(server, endpoint.id, 10);
    await receiver.count(10 * round);
  }
  await queueEmpty(server);
  expect(receiver.received).toHaveLength(30);
});

test('what waited before the process started is delivered by its start', async () => {
  const receiver = await receiverForTest();
  const server = await apiOnly();
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await seed(server, endpoint.id, 10);
  await workerOn(server, { dispatcherLimits: { pollMs: hardlyEverMs } });
  await receiver.count(10);
});

test('what a process that was killed had claimed is taken over when its lease is over, and not before', async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 20 } } });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  const untilMs = server.context.clock.nowMs() + 1_000;
  const orphans = await seed(server, endpoint.id, 10, { token: 1, untilMs });
  const expired = await seed(server, endpoint.id, 10, { token: 2, untilMs: untilMs - 60_000 });
  const held = await seed(server, endpoint.id, 1, { token: 3, untilMs: untilMs + 600_000 });
  await receiver.count(20);
  const receivedOf = (ids: string[]) => receiver.received.filter((one) => ids.includes(deliveryIdOf(one)));
  expect(receivedOf(expired)).toHaveLength(10);
  expect(receivedOf(orphans)).toHaveLength(10);
  expect(Math.min(...receivedOf(orphans).map(({ receivedAtMs }) => receivedAtMs))).toBeGreaterThanOrEqual(untilMs);
  expect(receivedOf(held)).toHaveLength(0);
  await expect.poll(() => placesOf(server, endpoint.id), soon).toMatchObject([{ id: held[0], claim_token: 3 }]);
});

describe('a process that was paused beyond its lease', () => {
  test('and comes back with success changes nothing in the queue; what it did is kept', async () => {
    const { late, takenOver, server, endpoint, receiver } = await takenOverWhileUnderWay();
    const [before] = await placesOf(server, endpoint.id);
    late.open();
    await expect.poll(async () => (await deliveryOf(server.api, endpoint.id)).attempts, soon).toHaveLength(1);
    expect(await placesOf(server, endpoint.id)).toEqual([before]);
    expect(await deliveryOf(server.api, endpoint.id)).toMatchObject({ status: 'pending', attempts: [{ status: 200 }] });
    takenOver.open();
    const delivery = await over(server.api, endpoint.id);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ status: 200 }, { status: 200 }] });
    expect(receiver.received).toHaveLength(2);
  });

  test('and comes back with failure does not put off the one who took over, nor count against it', async () => {
    const { late, takenOver, server, endpoint, receiver } = await takenOverWhileUnderWay(500);
    const [before] = await placesOf(server, endpoint.id);
    late.open();
    await expect.poll(async () => (await deliveryOf(server.api, endpoint.id)).attempts, soon).toHaveLength(1);
    expect(await placesOf(server, endpoint.id)).toEqual([before]);
    takenOver.open();
    expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'delivered' });
    expect(receiver.received).toHaveLength(2);
  });

  test('and comes back when the other has delivered brings nothing back', async () => {
    const { late, takenOver, server, endpoint, receiver } = await takenOverWhileUnderWay(500);
    takenOver.open();
    expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'delivered', attempts: [{ status: 200 }] });
    late.open();
    await expect.poll(async () => (await deliveryOf(server.api, endpoint.id)).attempts, soon).toHaveLength(2);
    expect(await deliveryOf(server.api, endpoint.id)).toMatchObject({ status: 'delivered', next_attempt_at: null });
    expect(await placesOf(server, endpoint.id)).toEqual([]);
    expect(receiver.received).toHaveLength(2);
  });
});

test('a retry is nobody’s before it is due', async () => {
  const receiver = await receiverForTest(500);
  const server = await serverForTest({
    settings: { TENURE_RETRY_SCHEDULE: '600' },
    overrides: { dispatcherLimits: { pollMs: 10 } },
  });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await seed(server, endpoint.id, 20);
  await expect
    .poll(async () => (await placesOf(server, endpoint.id)).map((place) => place.attempt_count), soon)
    .toEqual(Array.from({ length: 20 }, () => 1));
  const other = await receiverForTest();
  const otherEndpoint = await pingedEndpoint(server.api, other.url);
  for (let round = 1; round <= 5; round++) {
    await seed(server, otherEndpoint.id, 1);
    await other.count(round);
  }
  expect(receiver.received).toHaveLength(20);
});

/** One process waits for an answer; another, for which a minute has passed meanwhile, has claimed the same delivery. */
async function takenOverWhileUnderWay(lateStatus = 200) {
  const [late, takenOver] = [new Gate(), new Gate()];
  const receiver = await receiverForTest(
    (response) => void late.pass().then(() => response.writeHead(lateStatus).end()),
    (response) => void takenOver.pass().then(() => response.writeHead(200).end()),
  );
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: hardlyEverMs } } });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await ping(server.api, endpoint.id);
  await receiver.count(1);
  const clock = new TestClock();
  clock.advanceSeconds(60);
  await workerOn(server, { clock, dispatcherLimits: { pollMs: 20 } });
  await receiver.count(2);
  return { late, takenOver, server, endpoint, receiver };
}

function apiOnly(): Promise<TestServer> {
  return serverForTest({ settings: role('api') });
}

function workerOn(
  server: TestServer,
  overrides: NonNullable<Parameters<typeof serverForTest>[0]>['overrides'],
): Promise<TestServer> {
  return serverForTest({
    connection: server.connection,
    settings: role('worker'),
    ...(overrides && { overrides }),
  });
}

/** Lets it hear of deliveries, as a process of its own does. */
async function hears({ context }: TestServer): Promise<void> {
  let heard = 0;
  const onNotification = (): void => {
    heard++;
    context.dispatcher!.wake();
  };
  const ear = listen(context.connection, deliveriesChannel, onNotification, context.log);
  onTestFinished(() => ear.stop());
  await expect.poll(() => heard, soon).toBeGreaterThan(0);
}

async function expectAttempts({ context }: TestServer, count: number): Promise<void> {
  const { rows } = await context.database.readers.query(
    `select outcome, count(*) from webhook_attempts group by outcome`,
  );
  expect(rows).toEqual([{ outcome: 'delivered', count }]);
}

function deliveryIdOf({ headers }: Receiver['received'][number]): string {
  return String(headers['service-delivery-id']);
}

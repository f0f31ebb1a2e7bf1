import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { delivererLockKey } from '../../../src/db/advisory-locks.ts';
import { withClient } from '../../../src/db/pools.ts';
import { dispatcherLimits } from '../../../src/webhooks/dispatcher.ts';
import { disableFailingEndpoints } from '../../../src/webhooks/auto-disable.ts';
import type { ApiVersion } from '../../../src/versions/api-version.ts';
import { apiVersions } from '../../../src/versions/index.ts';
import { TestClock } from '../../support/clock.ts';
import { allOf } from '../../support/paging.ts';
import { startDatabaseProxy } from '../../support/database-proxy.ts';
import { processesForTest, urlOf } from '../../support/processes.ts';
import { receiverForTest } from '../../support/receiver.ts';
import { expectRefusal, refusals } from '../../support/refusals.ts';
import { apiClient, good, serverForTest, type Api } from '../../support/server.ts';
import { versions } from '../../support/versions.ts';
import { serverUnderTest } from '../../faults/crash-checker/stages/stage.ts';
import {
  apiOnly,
  deliveriesOf,
  deliveryIdOf,
  deliveryOf,
  endpointFor,
  expectAttempts,
  Gate,
  hardlyEverMs,
  makeReferences,
  over,
  patientLimits,
  ping,
  pingedEndpoint,
  placesOf,
  queueEmpty,
  seed,
  soon,
  timeOf,
  workerOn,
} from '../scenario.ts';

/*
 * No delivery is lost, and none is sent twice without a reason, when processes fail. Kills in great number, a database restart (55) and a
 * blocked vacuum (60) are in ../faults/, with real processes.
 */

/** Settings of a worker whose receivers may take their time. */
const patientWorker = { TENURE_ROLE: 'worker', TEST_DISPATCHER_LIMITS: JSON.stringify(patientLimits) };

test('48: keeps and delivers a committed change when its process is killed right after the response', async () => {
  const receiver = await receiverForTest();
  const deployment = await processesForTest();
  const answering = await deployment.start({ TENURE_ROLE: 'api' });
  const api = apiClient(answering.url, deployment.secretKey);
  await endpointFor(api, receiver.url);
  const answered: string[] = [];
  const requests = Array.from({ length: 20 }, async (_, index) => {
    const metadata = { number: String(index) };
    const { status, body } = await api.post('/v1/references', { application: 'app_1', metadata });
    if (status === 200) answered.push(body.id);
    void answering.kill();
  });
  await Promise.allSettled(requests);
  expect(answered.length).toBeGreaterThan(0);

  const next = await deployment.start({});
  const { body: events } = await good(
    apiClient(next.url, deployment.secretKey).get('/v1/events?type=reference.created&limit=50'),
  );
  const received = await receiver.count(events.count);
  const about = received.map(({ body }) => body.data.object.id as string);
  expect(about).toEqual(expect.arrayContaining(answered));
  expect(new Set(received.map(({ body }) => body.id)).size).toBe(events.count);
});

test('49: leaves no event and no delivery when a change is rolled back at its end', async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 20 } } });
  const endpoint = await endpointFor(server.api, receiver.url);
  const { readers } = server.context.database;
  await readers.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused by the test'; end $$;
    create constraint trigger refuse after insert on webhook_queue
      deferrable initially deferred for each row execute function refuse()`);
  expectRefusal(await server.api.post('/v1/references', { application: 'app_1' }), refusals.internal);
  await readers.query('drop trigger refuse on webhook_queue');
  const { body: reference } = await good(server.api.post('/v1/references', { application: 'app_1' }));
  await queueEmpty(server);
  expect(receiver.received.map(({ body }) => body.data.object.id)).toEqual([reference.id]);
  expect(await deliveriesOf(server.api, endpoint.id)).toHaveLength(1);
  for (const list of ['/v1/references', '/v1/events?type=reference.created']) {
    expect((await good(server.api.get(list))).body.count).toBe(1);
  }
});

test("50: takes over a killed process's deliveries when their lease ends, and not before", async () => {
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

test.each([
  { when: 'another worker lives', another: true, waiting: false },
  { when: 'a worker is started again', another: false, waiting: false },
  { when: 'the killed worker found them at its start', another: false, waiting: true },
])(
  "50: takes over a killed worker's deliveries long before their lease ends when $when",
  async ({ another, waiting }) => {
    const receiver = await receiverForTest(
      // The first worker gets no response.
      () => {},
      () => {},
      (response) => void response.writeHead(200).end(),
    );
    const deployment = await processesForTest();
    const answering = await deployment.start({ TENURE_ROLE: 'api' });
    const startWorker = () => deployment.start(patientWorker, serverUnderTest);
    const api = apiClient(answering.url, deployment.secretKey);
    const endpoint = await endpointFor(api, receiver.url);
    if (waiting) await makeReferences(api, 2);
    const killed = await startWorker();
    if (!waiting) await makeReferences(api, 2);
    await receiver.count(2);
    if (another) await startWorker();
    await killed.kill();
    if (!another) await startWorker();
    await receiver.count(4);
    const delivered = async () => (await deliveriesOf(api, endpoint.id)).filter(({ status }) => status === 'delivered');
    await expect.poll(async () => (await delivered()).length, soon).toBe(2);
  },
);

test("50: leaves a living worker's deliveries to it when another one starts and stops", async () => {
  const gate = new Gate();
  const receiver = await receiverForTest((response) => void gate.pass().then(() => response.writeHead(200).end()));
  const deployment = await processesForTest();
  const answering = await deployment.start({ TENURE_ROLE: 'api' });
  await deployment.start(patientWorker, serverUnderTest);
  const api = apiClient(answering.url, deployment.secretKey);
  const endpoint = await endpointFor(api, receiver.url, { enabled_events: ['customer.created'] });
  await good(api.post('/v1/customers', { name: 'Ada' }));
  await receiver.count(1);
  const passing = await deployment.start(patientWorker, serverUnderTest);
  const other = await receiverForTest();
  await endpointFor(api, other.url, { enabled_events: ['reference.created'] });
  // Several looks of the second worker fit into the time of these.
  for (let count = 1; count <= 4; count++) {
    await delay(500);
    await makeReferences(api, 1);
    await other.count(count);
  }
  await passing.stop();
  gate.open();
  expect(await over(api, endpoint.id)).toMatchObject({ status: 'delivered', attempts: [{ status: 200 }] });
});

test("54: leaves a stopping worker's running attempts to it when another worker delivers", async () => {
  const gate = new Gate();
  const receiver = await receiverForTest((response) => void gate.pass().then(() => response.writeHead(200).end()));
  const deployment = await processesForTest();
  const answering = await deployment.start({ TENURE_ROLE: 'api' });
  const stopping = await deployment.start(patientWorker, serverUnderTest);
  const api = apiClient(answering.url, deployment.secretKey);
  const endpoint = await endpointFor(api, receiver.url);
  await makeReferences(api, 1);
  await receiver.count(1);
  await deployment.start(patientWorker, serverUnderTest);
  const stopped = stopping.stop();
  // Several looks of the other worker.
  await delay(4_000);
  gate.open();
  expect(await stopped).toBe(0);
  expect(await over(api, endpoint.id)).toMatchObject({ status: 'delivered', attempts: [{ status: 200 }] });
  expect(receiver.received).toHaveLength(1);
});

/** The locks of the live workers. */
const delivererLocks = `
  select pid from pg_locks
  where locktype = 'advisory' and classid = $1
    and database = (select oid from pg_database where datname = current_database())`;

test("55: leaves a worker's running attempts to it when the database cuts all connections and it returns later", async () => {
  const gate = new Gate();
  const receiver = await receiverForTest((response) => void gate.pass().then(() => response.writeHead(200).end()));
  const deployment = await processesForTest();
  const answering = await deployment.start({ TENURE_ROLE: 'api' });
  const network = await startDatabaseProxy(deployment.connection);
  onTestFinished(() => network.stop());
  await deployment.start({ ...patientWorker, DATABASE_URL: urlOf(network.connection) }, serverUnderTest);
  const api = apiClient(answering.url, deployment.secretKey);
  const endpoint = await endpointFor(api, receiver.url);
  await makeReferences(api, 1);
  await receiver.count(1);
  await deployment.start(patientWorker, serverUnderTest);
  await withClient(deployment.connection, async (client) => {
    const locks = async () => (await client.query(delivererLocks, [delivererLockKey])).rowCount;
    await expect.poll(locks, soon).toBe(2);
    network.close();
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    // The other worker returns at once. Several of its looks later, this one does.
    await expect.poll(locks, soon).toBe(1);
    await delay(2_500);
    network.open();
    await expect.poll(locks, soon).toBe(2);
  });
  await delay(5_000);
  gate.open();
  expect(await over(api, endpoint.id)).toMatchObject({ status: 'delivered', attempts: [{ status: 200 }] });
  expect(receiver.received).toHaveLength(1);
});

test('51: records an attempt without a change of the queue when its process succeeds after its lease', async () => {
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

test('51: neither postpones nor counts against the new owner when a process fails after its lease', async () => {
  const { late, takenOver, server, endpoint, receiver } = await takenOverWhileUnderWay(500);
  const [before] = await placesOf(server, endpoint.id);
  late.open();
  await expect.poll(async () => (await deliveryOf(server.api, endpoint.id)).attempts, soon).toHaveLength(1);
  expect(await placesOf(server, endpoint.id)).toEqual([before]);
  takenOver.open();
  expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'delivered' });
  expect(receiver.received).toHaveLength(2);
});

test('51: queues nothing again when a process fails after its lease and the new owner has delivered', async () => {
  const { late, takenOver, server, endpoint, receiver } = await takenOverWhileUnderWay(500);
  takenOver.open();
  expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'delivered', attempts: [{ status: 200 }] });
  late.open();
  await expect.poll(async () => (await deliveryOf(server.api, endpoint.id)).attempts, soon).toHaveLength(2);
  expect(await deliveryOf(server.api, endpoint.id)).toMatchObject({ status: 'delivered', next_attempt_at: null });
  expect(await placesOf(server, endpoint.id)).toEqual([]);
  expect(receiver.received).toHaveLength(2);
});

/** One process waits for a response. Another one, with a clock ahead by more than the lease, has claimed the same delivery. */
async function takenOverWhileUnderWay(lateStatus = 200) {
  const [late, takenOver] = [new Gate(), new Gate()];
  const receiver = await receiverForTest(
    (response) => void late.pass().then(() => response.writeHead(lateStatus).end()),
    (response) => void takenOver.pass().then(() => response.writeHead(200).end()),
  );
  const server = await serverForTest({ overrides: { dispatcherLimits: { ...patientLimits, pollMs: hardlyEverMs } } });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await ping(server.api, endpoint.id);
  await receiver.count(1);
  const clock = new TestClock();
  clock.advanceSeconds((2 * patientLimits.leaseMs) / 1000);
  await workerOn(server, { clock, dispatcherLimits: { ...patientLimits, pollMs: 20 } });
  await receiver.count(2);
  return { late, takenOver, server, endpoint, receiver };
}

test('52: delivers each of ten thousand exactly once when eight processes share them', async () => {
  const receivers = [await receiverForTest(), await receiverForTest()];
  const server = await apiOnly();
  for (const { url } of receivers) await seed(server, (await pingedEndpoint(server.api, url)).id, 5_000);
  for (let started = 0; started < 8; started++) {
    await workerOn(server, { dispatcherLimits: { ...patientLimits, pollMs: 50, claimMax: 40, heldMax: 80 } });
  }
  await queueEmpty(server, 900_000);
  const ids = receivers.flatMap(({ received }) => received.map(deliveryIdOf));
  expect(ids).toHaveLength(10_000);
  expect(new Set(ids).size).toBe(10_000);
  await expectAttempts(server, 10_000);
}, 1_200_000);

test('53: waits for slow responses within the timeout, and sends nothing twice', async () => {
  const receiver = await receiverForTest((response) => void setTimeout(() => response.writeHead(200).end(), 2_600));
  const server = await apiOnly();
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await seed(server, endpoint.id, 12);
  // Some deliveries wait until their lease is too short for an attempt. They are released and not sent late.
  const limits = { attemptTimeoutMs: 60_000, leaseMs: 65_000, pollMs: 20, perEndpointMax: 2 };
  for (let started = 0; started < 2; started++) await workerOn(server, { dispatcherLimits: limits });
  await queueEmpty(server);
  expect(new Set(receiver.received.map(deliveryIdOf)).size).toBe(12);
  expect(receiver.received).toHaveLength(12);
  await expectAttempts(server, 12);
});

test('54: finishes running attempts and leaves the rest to others when a process stops under load', async () => {
  const gate = new Gate();
  const receiver = await receiverForTest(
    ...Array.from({ length: 20 }, () => 200),
    (response) => void gate.pass().then(() => response.writeHead(200).end()),
  );
  const deployment = await processesForTest();
  const answering = await deployment.start({ TENURE_ROLE: 'api' });
  const api = apiClient(answering.url, deployment.secretKey);
  const endpoint = await endpointFor(api, receiver.url);
  await makeReferences(api, 300);
  const stopped = await deployment.start(patientWorker, serverUnderTest);
  // The receiver holds its responses, so as many are under way as one endpoint gets at a time.
  await receiver.count(20 + dispatcherLimits.perEndpointMax);
  const stop = stopped.stop();
  // A process that stops closes its port, and begins no attempt from then on.
  const isClosed = () =>
    fetch(`${stopped.url}/healthz`).then(
      () => false,
      () => true,
    );
  await expect.poll(isClosed, soon).toBe(true);
  gate.open();
  expect(await stop).toBe(0);
  const begun = receiver.received.length;
  expect(begun).toBe(20 + dispatcherLimits.perEndpointMax);
  const pending = (await deliveriesOf(api, endpoint.id)).filter(({ status }) => status === 'pending');
  expect(pending).toHaveLength(300 - begun);

  await deployment.start({ TENURE_ROLE: 'worker' });
  await receiver.count(300);
  const delivered = async () => (await deliveriesOf(api, endpoint.id)).filter(({ status }) => status === 'delivered');
  await expect.poll(async () => (await delivered()).length, soon).toBe(300);
  expect(new Set((await delivered()).map((one) => one.attempt_count))).toEqual(new Set([1]));
  expect(receiver.received).toHaveLength(300);
});

test("56: finds another process's commits by polling when no notification arrives", async () => {
  const receiver = await receiverForTest();
  const server = await apiOnly();
  await workerOn(server, { dispatcherLimits: { pollMs: 100 } });
  await endpointFor(server.api, receiver.url);
  await makeReferences(server.api, 5);
  await receiver.count(5);
});

test('57: does not claim a retry when it is not due', async () => {
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

test('58: delivers fifty to one endpoint when another hangs with three hundred waiting', async () => {
  const hanging = await receiverForTest(() => {});
  const healthy = await receiverForTest();
  const server = await serverForTest({
    overrides: { dispatcherLimits: patientLimits },
  });
  const slow = await pingedEndpoint(server.api, hanging.url);
  await seed(server, slow.id, 300);
  server.context.dispatcher!.wake();
  await hanging.count(32);
  await endpointFor(server.api, healthy.url);
  await makeReferences(server.api, 50);
  await healthy.count(50);
  // No more than its share of slots, however many deliveries wait.
  expect(hanging.received).toHaveLength(32);
});

test('59: delivers new events when a hundred thousand retries wait for their time', async () => {
  const healthy = await receiverForTest();
  const server = await serverForTest();
  const endpoint = await endpointFor(server.api, healthy.url);
  await server.context.database.readers.query(
    `insert into webhook_queue (account_id, id, event, webhook_endpoint, attempt_count, due_at_ms)
    select 'acct_other', 'dlv_' || number, 'evt_other', $1, 1, $2 from generate_series(1, 100000) as number`,
    [endpoint.id, server.context.clock.nowMs() + 3_600_000],
  );
  await makeReferences(server.api, 50);
  await healthy.count(50);
});

describe.each([
  ['an hour ahead', 3_600_000],
  ['an hour behind', -3_600_000],
])('61: a machine with its clock %s', (_, aheadMs) => {
  /** Half of what the clock is wrong by, and far more than the test takes. */
  const apartSeconds = 1_800;

  test("shows, signs and retries by the database's time, and respects other claims, when the clock is wrong", async () => {
    const receiver = await receiverForTest(
      ...Array.from({ length: 10 }, () => 500),
      (response) => void setTimeout(() => response.writeHead(200).end(), 200),
    );
    const deployment = await processesForTest();
    const right = await deployment.start({});
    const shifted = `const now = Date.now; Date.now = () => now() + ${aheadMs};`;
    const off = await deployment.start({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shifted)}`,
    });
    const apis = [right, off].map((one) => apiClient(one.url, deployment.secretKey)) as [Api, Api];
    const [api] = apis;
    const endpoint = await endpointFor(api, receiver.url);
    for (const by of apis) await makeReferences(by, 25);
    const delivered = async () => (await deliveriesOf(api, endpoint.id)).filter(({ status }) => status === 'delivered');
    await expect.poll(async () => (await delivered()).length, soon).toBe(50);
    expect(receiver.received).toHaveLength(60);
    for (const one of receiver.received)
      expect(Math.abs(one.receivedAtMs / 1000 - timeOf(one))).toBeLessThan(apartSeconds);
    for (const { attempts } of await delivered()) {
      for (const { created } of attempts) expect(Math.abs(Date.now() / 1000 - created)).toBeLessThan(apartSeconds);
    }
    for (const { created } of await allOf(api, '/v1/references')) {
      expect(Math.abs(Date.now() / 1000 - created)).toBeLessThan(apartSeconds);
    }
  });
});

test('62: creates one event and one delivery when a request is repeated with its idempotency key', async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest();
  await endpointFor(server.api, receiver.url);
  for (let time = 0; time < 3; time++) {
    await server.api.post('/v1/references', { application: 'app_1' }, { 'idempotency-key': 'same' });
  }
  await queueEmpty(server);
  expect((await server.api.get('/v1/events?type=reference.created')).body.count).toBe(1);
  expect(receiver.received).toHaveLength(1);
});

test('63: shows our fault, sends nothing and retries when the server fails to render an event', async () => {
  const receiver = await receiverForTest();
  const renderer = { isBroken: true };
  const server = await serverForTest({
    settings: { TENURE_RETRY_SCHEDULE: '0.5' },
    overrides: { dispatcherLimits: { pollMs: 20 }, versions: apiVersions.map((version) => failing(version, renderer)) },
  });
  const oldest = { api_version: versions.at(-1)! };
  const endpoint = await endpointFor(server.api, receiver.url, {
    enabled_events: ['webhook_endpoint.pinged'],
    ...oldest,
  });
  await ping(server.api, endpoint.id);
  await expect.poll(async () => (await deliveryOf(server.api, endpoint.id)).attempts.length, soon).toBe(1);
  renderer.isBroken = false;
  const delivery = await over(server.api, endpoint.id);
  expect(delivery).toMatchObject({
    status: 'delivered',
    attempts: [{ status: null, error: 'failed' }, { status: 200 }],
  });
  expect(receiver.received.map(({ headers }) => headers['service-attempt'])).toEqual(['2']);
});

test('63: disables no endpoint when the server fails to render events for any time', async () => {
  const clock = new TestClock();
  const receiver = await receiverForTest(500);
  const broken = { isBroken: true };
  const server = await serverForTest({
    settings: { TENURE_RETRY_SCHEDULE: 'none' },
    overrides: { clock, dispatcherLimits: { pollMs: 20 }, versions: apiVersions.map((one) => failing(one, broken)) },
  });
  const notRendered = await endpointFor(server.api, receiver.url, { api_version: versions.at(-1)! });
  const refusing = await endpointFor(server.api, receiver.url);
  for (let made = 0; made < 22; made++) {
    if (made > 0) clock.advanceSeconds(6 * 3600);
    await makeReferences(server.api, 1);
    await queueEmpty(server);
  }
  await disableFailingEndpoints(server.context);
  const statusOf = async (id: string) => (await good(server.api.get(`/v1/webhook_endpoints/${id}`))).body.status;
  expect([await statusOf(notRendered.id), await statusOf(refusing.id)]).toEqual(['enabled', 'disabled']);
  expect(receiver.received).toHaveLength(22);
});

/** The same version with a renderer for older versions that fails as long as it is broken. */
function failing(version: ApiVersion, renderer: { isBroken: boolean }): ApiVersion {
  const changes = version.changes.map((change) => {
    const { request } = change.reshaped ?? {};
    if (!request) return change;
    const older: typeof request.older = (value) => {
      if (renderer.isBroken) throw new Error('The test has broken it.');
      return request.older(value);
    };
    return { ...change, reshaped: { ...change.reshaped, request: { ...request, older } } };
  });
  return { ...version, changes };
}

import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Recoveries } from '../../src/webhooks/recover.ts';
import { TestClock } from '../support/clock.ts';
import { allOf } from '../support/paging.ts';
import { allPermissions } from '../support/permissions.ts';
import { receiverForTest, type Receiver } from '../support/receiver.ts';
import { expectRefusal, invalid, refusals } from '../support/refusals.ts';
import {
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { addAccount, addKey } from '../support/tenants.ts';
import { deliveriesOf, endpointFor, makeReferences, ping, queueEmpty, role, soon } from './scenario.ts';
import { recoveriesOf, untilRecovered, withoutRetries } from './recoveries.ts';

/*
 * `POST /v1/webhook_endpoints/{id}/recover` sends a repaired receiver what it missed, each event once.
 */

let server: TestServer;
let api: Api;
let accountId: string;
const clock = new TestClock();
beforeAll(async () => {
  server = await startTestServer(withoutRetries(clock));
});
beforeEach(async () => {
  ({ accountId } = await addAccount(server));
  ({ api } = await addKey(server, accountId, { permissions: allPermissions }));
});
afterAll(() => server.stop());

const nowSeconds = (): number => Math.floor(clock.nowMs() / 1000);

const recover = (endpoint: string, since = nowSeconds() - 3600): Promise<ApiResponse> =>
  api.post(`/v1/webhook_endpoints/${endpoint}/recover`, { since });

const setStatus = (endpoint: string, status: string): Promise<ApiResponse> =>
  good(api.post(`/v1/webhook_endpoints/${endpoint}`, { status }));

/** A receiver that refuses everything until it is repaired. */
async function brokenReceiver(): Promise<Receiver & { mend(): void }> {
  let answers = 503;
  const receiver = await receiverForTest((response) => response.writeHead(answers).end());
  return Object.assign(receiver, { mend: () => void (answers = 200) });
}

const eventsOf = ({ received }: Receiver): string[] => received.map(({ body }) => body.id);

describe('recoveries', () => {
  test('46: sends each failed event once, and nothing else, when a recovery is requested', async () => {
    const receiver = await receiverForTest(200, 500, 200, 500, 500, 200);
    const endpoint = await endpointFor(api, receiver.url);
    for (let made = 1; made <= 6; made++) {
      await makeReferences(api, 1);
      await queueEmpty(server);
    }
    const failed = [1, 3, 4].map((index) => eventsOf(receiver)[index]!);
    const { body: asked } = await good(recover(endpoint.id));
    expect(asked).toMatchObject({ object: 'recovery', status: 'pending', webhook_endpoint: endpoint.id, resent: 0 });
    const done = await untilRecovered(server, api, endpoint.id);
    expect(done).toMatchObject({ id: asked.id, status: 'completed', resent: 3, completed_at: expect.any(Number) });
    await queueEmpty(server);
    expect(new Set(eventsOf(receiver).slice(6))).toEqual(new Set(failed));
    expect(receiver.received).toHaveLength(9);
    // A second recovery has nothing left to send.
    await good(recover(endpoint.id));
    expect(await untilRecovered(server, api, endpoint.id)).toMatchObject({ status: 'completed', resent: 0 });
    expect(receiver.received).toHaveLength(9);
  });

  test('sends no event that failed before the requested time', async () => {
    const receiver = await brokenReceiver();
    const endpoint = await endpointFor(api, receiver.url);
    await makeReferences(api, 2);
    await queueEmpty(server);
    clock.advanceSeconds(7200);
    const since = nowSeconds();
    await makeReferences(api, 1);
    await queueEmpty(server);
    const [, , late] = eventsOf(receiver);
    receiver.mend();
    await good(recover(endpoint.id, since));
    expect(await untilRecovered(server, api, endpoint.id)).toMatchObject({ resent: 1 });
    await queueEmpty(server);
    expect(eventsOf(receiver).slice(3)).toEqual([late]);
  });

  test('skips events that a resend has delivered, or that are still being retried, when it runs', async () => {
    const retrying = await serverForTest({
      connection: server.connection,
      settings: { TENURE_RETRY_SCHEDULE: '3600' },
      overrides: { clock, dispatcherLimits: { pollMs: 20 } },
    });
    await server.context.dispatcher!.stop(1_000);
    onTestFinished(async () => {
      await server.stop();
      server = await startTestServer(withoutRetries(clock));
    });
    const receiver = await receiverForTest(503, 503, 200);
    const endpoint = await endpointFor(api, receiver.url);
    await makeReferences(api, 1);
    await receiver.count(1);
    await makeReferences(api, 1);
    await receiver.count(2);
    await good(api.post(`/v1/events/${eventsOf(receiver)[0]}/resend`, { webhook_endpoint: endpoint.id }));
    const statuses = async () => (await deliveriesOf(api, endpoint.id)).map(({ status }) => status);
    await expect.poll(statuses, soon).toEqual(['delivered', 'pending', 'canceled']);
    await good(recover(endpoint.id));
    expect(await untilRecovered(server, api, endpoint.id, new Recoveries(retrying.context))).toMatchObject({
      resent: 0,
    });
  });

  test('sends what had failed when it was requested, even if a resend succeeds before its turn', async () => {
    const receiver = await brokenReceiver();
    const endpoint = await endpointFor(api, receiver.url);
    await makeReferences(api, 1);
    await queueEmpty(server);
    await good(recover(endpoint.id));
    await good(api.post(`/v1/events/${eventsOf(receiver)[0]}/resend`, { webhook_endpoint: endpoint.id }));
    await receiver.count(2);
    await queueEmpty(server);
    receiver.mend();
    expect(await untilRecovered(server, api, endpoint.id)).toMatchObject({ status: 'completed', resent: 1 });
    await queueEmpty(server);
    expect(receiver.received).toHaveLength(3);
  });

  test('retries its deliveries by the whole schedule, and leaves one failure for each event, when the receiver fails again', async () => {
    const receiver = await brokenReceiver();
    const endpoint = await endpointFor(api, receiver.url);
    await makeReferences(api, 3);
    await queueEmpty(server);
    await good(recover(endpoint.id));
    expect(await untilRecovered(server, api, endpoint.id)).toMatchObject({ resent: 3 });
    await queueEmpty(server);
    // Every event has failed twice now. Only the later failure counts.
    receiver.mend();
    await good(recover(endpoint.id));
    expect(await untilRecovered(server, api, endpoint.id)).toMatchObject({ resent: 3 });
    await queueEmpty(server);
    const statuses = (await deliveriesOf(api, endpoint.id)).map(({ status }) => status);
    expect(statuses).toEqual([...repeated('delivered', 3), ...repeated('failed', 6)]);
  });

  test('writes events by the server about its progress when a recovery runs', async () => {
    const receiver = await brokenReceiver();
    const endpoint = await endpointFor(api, receiver.url);
    await makeReferences(api, 1);
    await queueEmpty(server);
    const { body: asked } = await good(recover(endpoint.id));
    await untilRecovered(server, api, endpoint.id);
    const events = await allOf(api, '/v1/events', { object_id: asked.id });
    expect(events.map(({ type }) => type).toReversed()).toEqual([
      'recovery.created',
      'recovery.updated',
      'recovery.updated',
      'recovery.completed',
    ]);
    expect(events[2].data.previous_attributes).toEqual({ resent: 0 });
    expect(events[0].request).toMatchObject({ id: null, actor: { type: 'system' } });
    const related = await allOf(api, '/v1/events', { related_object: endpoint.id, type: 'recovery.*' });
    expect(related).toHaveLength(4);
  });
});

describe('events missed while disabled', () => {
  test('sends canceled deliveries, and subscribed events of the disabled time alone, when an endpoint recovers', async () => {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(api, receiver.url, { enabled_events: ['reference.*'] });
    await makeReferences(api, 1);
    await receiver.count(1);
    await setStatus(endpoint.id, 'disabled');
    clock.advanceSeconds(60);
    await makeReferences(api, 2);
    await good(api.post('/v1/customers', { name: 'Not wanted' }));
    const missed = (await allOf(api, '/v1/events', { type: 'reference.created' })).slice(0, 2).map(({ id }) => id);
    clock.advanceSeconds(60);
    await setStatus(endpoint.id, 'enabled');
    await makeReferences(api, 1);
    await receiver.count(2);
    await good(recover(endpoint.id));
    expect(await untilRecovered(server, api, endpoint.id)).toMatchObject({ status: 'completed', resent: 2 });
    await queueEmpty(server);
    expect(new Set(eventsOf(receiver).slice(2))).toEqual(new Set(missed));
    expect(receiver.received).toHaveLength(4);
    await good(recover(endpoint.id));
    expect(await untilRecovered(server, api, endpoint.id)).toMatchObject({ resent: 0 });
  });

  test('sends the events of every disabled time, including the first, when an endpoint recovers', async () => {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(api, receiver.url, { status: 'disabled' });
    const disabled: number[] = [];
    for (let round = 0; round < 3; round++) {
      await makeReferences(api, 1);
      disabled.push(1);
      clock.advanceSeconds(60);
      await setStatus(endpoint.id, 'enabled');
      clock.advanceSeconds(60);
      await makeReferences(api, 1);
      // Waits for the end of each delivery: a lease that the clock ends would have it sent again.
      await queueEmpty(server);
      expect(receiver.received).toHaveLength(round + 1);
      clock.advanceSeconds(60);
      await setStatus(endpoint.id, 'disabled');
      clock.advanceSeconds(60);
    }
    await setStatus(endpoint.id, 'enabled');
    await good(recover(endpoint.id));
    expect(await untilRecovered(server, api, endpoint.id)).toMatchObject({ resent: disabled.length });
    await queueEmpty(server);
    expect(new Set(eventsOf(receiver)).size).toBe(6);
    expect(receiver.received).toHaveLength(6);
  });

  test('sends the missed events of several days when an endpoint recovers', async () => {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(api, receiver.url, { status: 'disabled' });
    const since = nowSeconds();
    const hours = [0, 5, 2, 12, 6, 40];
    for (const hour of hours) {
      clock.advanceSeconds(hour * 3600);
      await makeReferences(api, 1);
    }
    await setStatus(endpoint.id, 'enabled');
    await good(recover(endpoint.id, since));
    expect(await untilRecovered(server, api, endpoint.id)).toMatchObject({ status: 'completed', resent: hours.length });
    await queueEmpty(server);
    expect(new Set(eventsOf(receiver)).size).toBe(hours.length);
    expect(receiver.received).toHaveLength(hours.length);
  });

  test('sends no event of the same second when it came before the endpoint', async () => {
    clock.stop();
    if (clock.nowMs() % 1000 >= 500) clock.advanceSeconds(0.5);
    await makeReferences(api, 1);
    clock.advanceSeconds(0.25);
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(api, receiver.url, { status: 'disabled' });
    await makeReferences(api, 1);
    const [missed] = await allOf(api, '/v1/events', { type: 'reference.created' });
    await setStatus(endpoint.id, 'enabled');
    clock.advanceSeconds(60);
    await good(recover(endpoint.id));
    expect(await untilRecovered(server, api, endpoint.id)).toMatchObject({ resent: 1 });
    await queueEmpty(server);
    expect(eventsOf(receiver)).toEqual([missed.id]);
  });

  test('sends an event when it was decided before the endpoint was disabled and committed after', async () => {
    const own = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 20 } } });
    const behind = new TestClock();
    const late = await serverForTest({
      connection: own.connection,
      secretKey: own.secretKey,
      settings: role('api'),
      overrides: { clock: behind },
    });
    const receiver = await receiverForTest();
    behind.advanceSeconds(-60);
    const endpoint = await endpointFor(late.api, receiver.url);
    await good(own.api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'disabled' }));
    // As if the transaction had waited for its commit.
    behind.advanceSeconds(55);
    await makeReferences(late.api, 1);
    await good(own.api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'enabled' }));
    await good(
      own.api.post(`/v1/webhook_endpoints/${endpoint.id}/recover`, { since: Math.floor(Date.now() / 1000) - 60 }),
    );
    await new Recoveries(own.context).advance();
    expect((await receiver.count(1))[0]!.body.type).toBe('reference.created');
  });

  test('sends what was pending when the endpoint was disabled', async () => {
    const receiver = await brokenReceiver();
    const slow = await serverForTest({
      settings: { TENURE_RETRY_SCHEDULE: '3600' },
      overrides: { dispatcherLimits: { pollMs: 20 } },
    });
    const by = slow.api;
    const endpoint = await endpointFor(by, receiver.url);
    await makeReferences(by, 3);
    await receiver.count(3);
    await good(by.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'disabled' }));
    expect((await deliveriesOf(by, endpoint.id)).map(({ status }) => status)).toEqual(repeated('canceled', 3));
    receiver.mend();
    await good(by.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'enabled' }));
    await good(by.post(`/v1/webhook_endpoints/${endpoint.id}/recover`, { since: Math.floor(Date.now() / 1000) - 60 }));
    const recoveries = new Recoveries(slow.context);
    await recoveries.advance();
    await receiver.count(6);
    expect(new Set(eventsOf(receiver)).size).toBe(3);
  });

  test("sends connected accounts' events with their account, but no other endpoint's ping, when an endpoint recovers", async () => {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(api, receiver.url, { connected: true, enabled_events: ['*'] });
    const own = await endpointFor(api, receiver.url, { enabled_events: ['webhook_endpoint.pinged'] });
    const children: string[] = [];
    for (const name of ['Ada', 'Bo']) children.push((await good(api.post('/v1/accounts', { name }))).body.id);
    await queueEmpty(server);
    const before = receiver.received.length;
    await setStatus(endpoint.id, 'disabled');
    clock.advanceSeconds(60);
    for (const child of children)
      await good(api.post('/v1/references', { application: 'app_1' }, { 'service-context': child }));
    await makeReferences(api, 1);
    await ping(api, own.id);
    // The lease of the ping's delivery would end with the advance.
    await queueEmpty(server);
    clock.advanceSeconds(60);
    await setStatus(endpoint.id, 'enabled');
    await queueEmpty(server);
    const skipped = receiver.received.length;
    expect(skipped).toBe(before + 1);
    await good(recover(endpoint.id));
    await untilRecovered(server, api, endpoint.id);
    await queueEmpty(server);
    const sent = receiver.received.slice(skipped).map(({ body }) => [body.account, body.type]);
    const references = sent.filter(([, type]) => type === 'reference.created').map(([account]) => account);
    expect(references).toHaveLength(2);
    expect(new Set(references)).toEqual(new Set(children));
    expect(sent.every(([account]) => children.includes(account))).toBe(true);
  });
});

test('runs other recoveries when some wait for hanging endpoints', async () => {
  let hangs = false;
  const hanging = await receiverForTest((response) => void (hangs || response.writeHead(503).end()));
  const waiting = await Promise.all(Array.from({ length: 25 }, () => endpointFor(api, hanging.url)));
  await makeReferences(api, 1);
  await queueEmpty(server);
  hangs = true;
  for (const { id } of waiting) await good(recover(id));
  const recoveries = new Recoveries(server.context);
  for (let round = 0; round < 4; round++) await recoveries.advance();
  for (const { id } of waiting)
    expect((await recoveriesOf(api, id))[0]).toMatchObject({ status: 'pending', resent: 1 });

  const receiver = await receiverForTest(503, 200);
  const endpoint = await endpointFor(api, receiver.url, { enabled_events: ['customer.created'] });
  await good(api.post('/v1/customers', { name: 'Ada' }));
  await receiver.count(1);
  await good(recover(endpoint.id));
  expect(await untilRecovered(server, api, endpoint.id, recoveries)).toMatchObject({ status: 'completed', resent: 1 });
});

test('runs a recovery of another endpoint while one looks through a long history that has arrived', async () => {
  await endOtherRecoveries();
  let answers = 200;
  const receiver = await receiverForTest((response) => response.writeHead(answers).end());
  const [long, other] = [await endpointFor(api, receiver.url), await endpointFor(api, receiver.url)];
  await makeReferences(api, 1);
  await queueEmpty(server);
  await seedDelivered(long.id, 2_500);
  answers = 503;
  await makeReferences(api, 1);
  await queueEmpty(server);
  answers = 200;
  for (const { id } of [long, other]) await good(recover(id));
  const recoveries = new Recoveries(server.context, undefined, 0);
  await recoveries.advance();
  const resent = await Promise.all([long, other].map(async ({ id }) => (await recoveriesOf(api, id))[0].resent));
  expect(resent).toEqual([0, 1]);
  expect(await untilRecovered(server, api, long.id, recoveries)).toMatchObject({ status: 'completed', resent: 1 });
});

/** Ends the recoveries of other tests, which wait for hanging receivers. */
async function endOtherRecoveries(): Promise<void> {
  await server.context.database.readers.query(
    `update recoveries set status = 'canceled', completed_at = 1 where status = 'pending'`,
  );
}

/** Makes deliveries of the newest event to an endpoint, as if the receiver had accepted each. */
async function seedDelivered(endpointId: string, count: number): Promise<void> {
  const { context } = server;
  const ids = Array.from({ length: count }, () => context.ids.make('dlv'));
  await context.database.readers.query(
    `
    with seeded as (
      insert into webhook_deliveries (account_id, id, created, event, webhook_endpoint, type)
      select account_id, seeded.id, created, event.id, $1, type
      from (select * from events where account_id = $3 order by id desc limit 1) event, unnest($2::text[]) as seeded (id)
      returning account_id, id
    )
    insert into webhook_attempts (account_id, delivery_id, started_at_ms, duration_ms, status, api_version, outcome)
    select account_id, id, $4, 1, 200, '2026-11-01', 'delivered'
    from seeded`,
    [endpointId, ids, accountId, context.clock.nowMs()],
  );
}

test("runs the recoveries of one endpoint in turn, without delaying another's, when several are requested", async () => {
  await endOtherRecoveries();
  const receiver = await brokenReceiver();
  const [many, one] = [await endpointFor(api, receiver.url), await endpointFor(api, receiver.url)];
  await makeReferences(api, 1);
  await queueEmpty(server);
  receiver.mend();
  for (let asked = 0; asked < 25; asked++) await good(recover(many.id));
  await good(recover(one.id));
  const recoveries = new Recoveries(server.context);
  await recoveries.advance();
  expect((await recoveriesOf(api, one.id))[0].resent).toBe(1);
  const ofMany = (await recoveriesOf(api, many.id)).map(({ resent }) => resent).toReversed();
  expect(ofMany).toEqual([1, ...Array.from({ length: 24 }, () => 0)]);
});

describe('refused recoveries', () => {
  test('refuses a recovery when the endpoint is disabled', async () => {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(api, receiver.url, { status: 'disabled' });
    expectRefusal(await recover(endpoint.id), refusals.transition);
    expect(await recoveriesOf(api, endpoint.id)).toEqual([]);
  });

  test('45: refuses a recovery when its time lies in the future or before the retention', async () => {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(api, receiver.url);
    expectRefusal(await recover(endpoint.id, nowSeconds() + 60), invalid('since'));
    const monthAgo = nowSeconds() - 30 * 24 * 3600;
    expectRefusal(await recover(endpoint.id, monthAgo - 60), { ...invalid('since'), says: /not stored/ });
    await good(recover(endpoint.id, monthAgo + 60));
  });
});

function repeated(status: string, times: number): string[] {
  return Array.from({ length: times }, () => status);
}

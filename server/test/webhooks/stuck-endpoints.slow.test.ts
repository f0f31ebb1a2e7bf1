import { expect, test } from 'vitest';
import { dispatcherLimits } from '../../src/webhooks/dispatcher.ts';
import { bringForward, postponeDeliveries } from '../../src/webhooks/postpone.ts';
import { receiverForTest } from '../support/receiver.ts';
import { serverForTest } from '../support/server.ts';
import { StillClock } from '../support/still-clock.ts';
import {
  deliveriesOf,
  endpointFor,
  makeReferences,
  pingedEndpoint,
  placesOf,
  queueEmpty,
  role,
  seed,
  soon,
} from './scenario.ts';

/*
 * The backlog of a hanging endpoint is postponed, so that claims skip it. The endpoint gets one attempt at a time until it responds.
 */

const attemptTimeoutMs = 1_500;

test('postpones the whole backlog in the database and logs it when an endpoint hangs', async () => {
  const hanging = await receiverForTest(() => {});
  // Its pause does not end, however busy the machine is.
  const clock = new StillClock();
  const server = await serverForTest({
    overrides: { clock, dispatcherLimits: { attemptTimeoutMs: 300_000, leaseMs: 600_000, pollMs: 50 } },
  });
  const endpoint = await pingedEndpoint(server.api, hanging.url);
  await seed(server, endpoint.id, 500);
  server.context.dispatcher!.wake();
  await hanging.count(32);
  const isDue = ({ due_at_ms, claimed_until_ms }: { due_at_ms: number; claimed_until_ms: number }) =>
    due_at_ms <= server.context.clock.nowMs() && claimed_until_ms <= server.context.clock.nowMs();
  await expect.poll(async () => (await placesOf(server, endpoint.id)).filter(isDue), soon).toEqual([]);
  const places = await placesOf(server, endpoint.id);
  expect(places).toHaveLength(500);
  // New deliveries are postponed too.
  await seed(server, endpoint.id, 100);
  await expect.poll(async () => (await placesOf(server, endpoint.id)).filter(isDue), soon).toEqual([]);
  const [newest] = await deliveriesOf(server.api, endpoint.id);
  expect(newest.next_attempt_at).toBeGreaterThan(Math.floor(server.context.clock.nowMs() / 1000));
  expect(hanging.received).toHaveLength(32);
});

test('makes one attempt at a time when attempts have timed out, and delivers everything when the endpoint responds', async () => {
  let answers = false;
  const receiver = await receiverForTest((response) => void (answers && response.writeHead(200).end()));
  const server = await serverForTest({
    settings: { TENURE_RETRY_SCHEDULE: '2,2,2,2,2,2,2,2,2,2,2,2' },
    overrides: { dispatcherLimits: { attemptTimeoutMs, pollMs: 50 } },
  });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await seed(server, endpoint.id, 200);
  server.context.dispatcher!.wake();
  await receiver.count(32);
  await expect.poll(() => server.context.dispatcher!.inFlight, soon).toBe(0);
  const before = receiver.received.length;
  // One after the other, with increasing pauses.
  const sinceMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  const trialsMax = 1 + (performance.now() - sinceMs) / attemptTimeoutMs;
  expect(receiver.received.length - before).toBeLessThanOrEqual(trialsMax);
  answers = true;
  await queueEmpty(server);
  expect(new Set(receiver.received.map(({ headers }) => headers['service-delivery-id'])).size).toBe(200);
});

test('delivers as fast as the endpoint allows, and nothing twice, when it is slow', async () => {
  let [open, openMax] = [0, 0];
  const slow = await receiverForTest((response) => {
    openMax = Math.max(openMax, ++open);
    setTimeout(() => {
      open--;
      response.writeHead(200).end();
    }, 1_200);
  });
  const quick = await receiverForTest();
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 50 } } });
  const endpoint = await pingedEndpoint(server.api, slow.url);
  await endpointFor(server.api, quick.url);
  await seed(server, endpoint.id, 160);
  server.context.dispatcher!.wake();
  await makeReferences(server.api, 50);
  await quick.count(50);
  await queueEmpty(server);
  expect(slow.received).toHaveLength(160);
  expect(openMax).toBe(dispatcherLimits.perEndpointMax);
});

test('delivers without a delay when an endpoint lets one attempt hang and answers the others', async () => {
  const receiver = await receiverForTest(
    () => {},
    (response) => void setTimeout(() => response.writeHead(200).end(), 600),
  );
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 50 } } });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await seed(server, endpoint.id, 1);
  server.context.dispatcher!.wake();
  await receiver.count(1);
  let latestDueMs = 0;
  for (let burst = 1; burst <= 3; burst++) {
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await seed(server, endpoint.id, 100);
    server.context.dispatcher!.wake();
    const left = async () => {
      const places = await placesOf(server, endpoint.id);
      latestDueMs = Math.max(latestDueMs, ...places.map(({ due_at_ms }) => due_at_ms - server.context.clock.nowMs()));
      return places.length;
    };
    await expect.poll(left, soon).toBe(1);
  }
  expect(latestDueMs).toBeLessThanOrEqual(0);
});

test('leaves ten attempts of each endpoint for trials when long backlogs are postponed in parts', async () => {
  const server = await serverForTest({ settings: role('api') });
  const pool = server.context.database.deliverers;
  const endpoints = [];
  for (let count = 0; count < 2; count++) {
    const { id } = await pingedEndpoint(server.api, 'http://127.0.0.1:9/');
    await seed(server, id, 1_500);
    endpoints.push(id);
  }
  // All of them are due by now.
  const nowMs = server.context.clock.nowMs();
  const [untilMs, restUntilMs] = [nowMs + 60_000, nowMs + 660_000];
  const { rows } = await pool.query<{ account_id: string }>('select account_id from webhook_queue limit 1');
  const stuck = endpoints.map((endpointId) => ({ accountId: rows[0]!.account_id, endpointId, untilMs, restUntilMs }));
  const begun = new Set<string>();
  for (let more = true; more;) {
    const slice = await postponeDeliveries(pool, { nowMs: nowMs + 1_000, realNowMs: nowMs + 1_000 }, stuck, begun);
    for (const id of slice.moved) begun.add(id);
    more = slice.more;
  }
  for (const id of endpoints) {
    const dues = (await placesOf(server, id)).map(({ due_at_ms }) => due_at_ms);
    expect(dues.filter((due) => due === untilMs)).toHaveLength(10);
    expect(dues.filter((due) => due === restUntilMs)).toHaveLength(1_490);
  }
});

test('resumes a backlog in parts, except what is claimed or due later, when the endpoint responds', async () => {
  const server = await serverForTest({ settings: role('api') });
  const endpoint = await pingedEndpoint(server.api, 'http://127.0.0.1:9/');
  const pool = server.context.database.deliverers;
  const nowMs = server.context.clock.nowMs();
  await seed(server, endpoint.id, 1_002);
  await pool.query(`update webhook_queue set due_at_ms = $1`, [nowMs + 30_000]);
  const places = await placesOf(server, endpoint.id);
  await pool.query('update webhook_queue set due_at_ms = $1 where id = $2', [nowMs + 30_001, places[0]!.id]);
  await pool.query('update webhook_queue set claimed_until_ms = $1 where id = $2', [nowMs + 30_000, places[1]!.id]);
  const { rows } = await pool.query<{ account_id: string }>('select account_id from webhook_queue limit 1');
  const revived = { accountId: rows[0]!.account_id, endpointId: endpoint.id, postponedUntilMs: nowMs + 30_000 };
  const now = { nowMs, realNowMs: nowMs };
  expect(await bringForward(pool, now, revived)).toBe(true);
  expect(await bringForward(pool, now, revived)).toBe(false);
  const left = (await placesOf(server, endpoint.id)).filter(({ due_at_ms }) => due_at_ms > nowMs);
  expect(left.map(({ id }) => id)).toEqual([places[0]!.id, places[1]!.id]);
});

import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { largeCustomer, postLarge } from '../support/large-bodies.ts';
import { Scrape } from '../support/prometheus.ts';
import { receiverForTest, type Receiver } from '../support/receiver.ts';
import { serverForTest, type TestServer } from '../support/server.ts';
import { TestClock } from '../support/clock.ts';
import { addAccount, firstAccountId } from '../support/tenants.ts';
import { deliveriesOf, endpointFor, makeReferences, patientLimits, placesOf, queueEmpty, soon } from './scenario.ts';

/*
 * Events of a quarter of a megabyte. Each is held once for all endpoints, within its account's share, however long receivers hang.
 */

const subscribed = { enabled_events: ['customer.created'] };

test('holds an event once when many endpoints get it, and nothing when they have responded', async () => {
  const receiver = await hangingReceiver();
  const server = await serverForTest({ overrides: { dispatcherLimits: patientLimits } });
  for (let made = 0; made < 5; made++) await endpointFor(server.api, receiver.url, subscribed);
  await postLarge(server.api, '/v1/customers', largeCustomer());
  await receiver.count(5);
  const [first, ...others] = receiver.received.map(({ raw }) => raw);
  expect(first!.length).toBeGreaterThan(200_000);
  for (const other of others) expect(other.equals(first!)).toBe(true);
  expect(await heldBytes(server)).toBe(first!.length);
  receiver.answerAll();
  await queueEmpty(server);
  expect(await heldBytes(server)).toBe(0);
});

test("holds no more than the account's share when its endpoints hang, and delivers all when they respond", async () => {
  const [hanging, healthy, another] = await Promise.all([hangingReceiver(), receiverForTest(), receiverForTest()]);
  const megabyte = 1024 * 1024;
  const payloadBytes = { max: 4 * megabyte, maxPerAccount: 2 * megabyte };
  const server = await serverForTest({
    overrides: { dispatcherLimits: { ...patientLimits, pollMs: 50, payloadBytes } },
  });
  const endpoints = [];
  for (let made = 0; made < 10; made++) endpoints.push(await endpointFor(server.api, hanging.url, subscribed));
  await endpointFor(server.api, healthy.url);
  const tenant = await addAccount(server);
  await endpointFor(tenant.api, another.url, subscribed);

  const accountId = await firstAccountId(server);
  const events = 12;
  let heldMax = 0;
  const watching = setInterval(() => {
    heldMax = Math.max(heldMax, server.context.dispatcher!.bytes.heldBy(accountId));
  }, 1);
  onTestFinished(() => clearInterval(watching));
  for (let made = 0; made < events; made++) await postLarge(server.api, '/v1/customers', largeCustomer());
  await hanging.count(10);
  // The small events of the account, and the large ones of others.
  await makeReferences(server.api, 5);
  await healthy.count(5);
  await postLarge(tenant.api, '/v1/customers', largeCustomer());
  await another.count(1);
  const waiting = (await Promise.all(endpoints.map(({ id }) => deliveriesOf(server.api, id)))).flat();
  expect(waiting).toHaveLength(10 * events);
  // A delivery that could not begin has no attempt and no failure.
  for (const { status, attempts } of waiting) expect([status, attempts]).toEqual(['pending', []]);
  expect(hanging.received.length).toBeLessThan(waiting.length);

  hanging.answerAll();
  await queueEmpty(server);
  expect(new Set(hanging.received.map(({ headers }) => headers['service-delivery-id'])).size).toBe(waiting.length);
  expect(hanging.received).toHaveLength(waiting.length);
  expect(heldMax).toBeGreaterThan(megabyte);
  expect(heldMax).toBeLessThanOrEqual(payloadBytes.maxPerAccount);
  expect(await heldBytes(server)).toBe(0);
});

test('postpones deliveries when their account has used up its share and they are some seconds old', async () => {
  const [hanging, another] = await Promise.all([hangingReceiver(), receiverForTest()]);
  const clock = new TestClock();
  const payloadBytes = { max: 4 * 1024 * 1024, maxPerAccount: 1 };
  const server = await serverForTest({ overrides: { clock, dispatcherLimits: { pollMs: 50, payloadBytes } } });
  const { id } = await endpointFor(server.api, hanging.url, subscribed);
  for (let made = 0; made < 3; made++) await postLarge(server.api, '/v1/customers', largeCustomer());
  await hanging.count(1);

  clock.advanceSeconds(20);
  const advancedMs = clock.nowMs();
  // A pause is between an eighth and three eighths of the age. Only the running delivery keeps its claim.
  const postponed = async () => {
    const places = await placesOf(server, id);
    return places.filter((place) => place.claim_token === null && place.due_at_ms >= advancedMs + 2_000).length;
  };
  await expect.poll(postponed, soon).toBe(2);
  const tenant = await addAccount(server);
  const other = await endpointFor(tenant.api, another.url, subscribed);
  await postLarge(tenant.api, '/v1/customers', { name: 'Ada' });
  const statuses = async () => (await deliveriesOf(tenant.api, other.id)).map(({ status }) => status);
  await expect.poll(statuses, soon).toEqual(['delivered']);
  hanging.answerAll();
  await queueEmpty(server);
});

test("sends a large event in each endpoint's version when the versions differ", async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest();
  const [latest, ...earlier] = server.context.versions.dates;
  await endpointFor(server.api, receiver.url, { ...subscribed, api_version: latest });
  for (const version of earlier.slice(0, 1)) {
    await endpointFor(server.api, receiver.url, { ...subscribed, api_version: version });
  }
  await postLarge(server.api, '/v1/customers', largeCustomer());
  await queueEmpty(server);
  for (const { headers, body } of receiver.received) {
    const shown = await server.api.get(`/v1/events/${body.id}`, {
      'service-version': String(headers['service-version']),
    });
    expect(body.data).toEqual(shown.body.data);
  }
});

interface HangingReceiver extends Receiver {
  /** Responds to all received requests, and to all later ones. */
  answerAll(): void;
}

async function hangingReceiver(): Promise<HangingReceiver> {
  const waiting: ServerResponse[] = [];
  let answers = false;
  const receiver = await receiverForTest((response) => {
    if (answers) response.writeHead(200).end();
    else waiting.push(response);
  });
  return {
    ...receiver,
    answerAll() {
      answers = true;
      for (const response of waiting) response.writeHead(200).end();
    },
  };
}

async function heldBytes({ url }: TestServer): Promise<number> {
  const scrape = new Scrape(await (await fetch(`${url}/metrics`)).text());
  return scrape.value('tenure_held_bytes{kind="deliveries"}')!;
}

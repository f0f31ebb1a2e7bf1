import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { good, type Api, type TestServer } from '../support/server.ts';
import { eventsOf, quickServerForTest, refer, referenceNow, untilReference } from './scenario.ts';
import { giveCredentials, vendorForTest } from './vendor.ts';

/* What a service that is away, hangs or is busy does to the references it has, and to those that others have. */

/** A sandbox whose `provider_a` is elsewhere: there time goes by as in live mode. */
async function serverAsking(url: string): Promise<TestServer> {
  const server = await quickServerForTest({ TENURE_PROVIDER_A_URL: url });
  await giveCredentials(server.api);
  return server;
}

const advance = (api: Api, seconds: number) => good(api.post('/v1/test_helpers/clock/advance', { seconds }));

/** Longer than the queue needs to find what has become due. */
const jobsTaken = (): Promise<void> => delay(1_300);

test('an hour in which nobody answers: it is told meanwhile, and afterwards all references are completed, each ordered once', async () => {
  const port = await closedPort();
  const server = await serverAsking(`http://127.0.0.1:${port}`);
  const { api } = server;
  const made = await Promise.all(Array.from({ length: 20 }, () => refer(api)));
  for (const { id } of made) await untilReference(api, id, unavailable);
  for (let minutes = 0; minutes < 60; minutes += 12) {
    await advance(api, 12 * 60);
    await jobsTaken();
  }
  for (const { id } of made) expect(await referenceNow(api, id)).toMatchObject({ status: 'pending', ...unavailable });

  const vendor = await vendorForTest(port);
  vendor.stage = 'DONE';
  // The longest pause after so many failures.
  await advance(api, 2 * 3600);
  await expect
    .poll(async () => (await good(api.get('/v1/references?status=complete&limit=1'))).body.count, { timeout: 12_000 })
    .toBe(made.length);
  for (const { id } of made) {
    expect(await referenceNow(api, id)).toMatchObject({
      outcome: 'accept',
      reference_pdf: expect.stringMatching(/^file_/),
      automatic_reference: { status: 'done', last_error: null },
    });
    expect(vendor.orders.get(id)).toBe(1);
  }
  expect(vendor.orders.size).toBe(made.length);
}, 40_000);

test('a service that hangs keeps no other’s references: they are completed in the usual time', async () => {
  const vendor = await vendorForTest();
  const server = await serverAsking(vendor.url);
  const { api } = server;
  const usualMs = await timeOf(api, 8);
  vendor.hold('order');
  // More than there are jobs at once in a process.
  const hanging = await Promise.all(Array.from({ length: 48 }, () => refer(api)));
  await expect.poll(() => vendor.held, { timeout: 5_000 }).toBeGreaterThanOrEqual(8);
  expect(await timeOf(api, 8)).toBeLessThan(usualMs + 3_000);
  // It was asked no more than a lane has places for, and a few that were taken at the same moment.
  expect(vendor.held).toBeLessThan(32);
  vendor.stage = 'DONE';
  vendor.release();
  await expect
    .poll(async () => (await good(api.get('/v1/references?status=complete&limit=1'))).body.count, { timeout: 15_000 })
    .toBeGreaterThanOrEqual(16 + 8);
  for (const { id } of hanging) expect(vendor.orders.get(id) ?? 0).toBeLessThanOrEqual(1);
}, 40_000);

test('a service that is busy is asked again when it says, and nothing is told as failed', async () => {
  const vendor = await vendorForTest();
  const { api } = await serverAsking(vendor.url);
  vendor.stage = 'DONE';
  const waitSeconds = 3;
  vendor.answers.push({ status: 429, headers: { 'retry-after': String(waitSeconds) } });
  const { id } = await refer(api);
  await untilReference(api, id, { status: 'complete', outcome: 'accept' });
  const [refused, taken] = vendor.calls.filter(({ kind }) => kind === 'order');
  expect(taken!.atMs - refused!.atMs).toBeGreaterThanOrEqual(waitSeconds * 1000 - 50);
  // The queue looks every second.
  expect(taken!.atMs - refused!.atMs).toBeLessThan((waitSeconds + 2) * 1000);
  for (const { data } of await eventsOf(api, id)) {
    expect(data.object.automatic_reference).toMatchObject({ last_error: null });
    expect(data.object.automatic_reference.status).not.toBe('failed');
  }
});

test('a service that is busy for longer than ten failures would take fails nobody', async () => {
  const vendor = await vendorForTest();
  const { api } = await serverAsking(vendor.url);
  vendor.answers.push(...Array.from({ length: 11 }, () => ({ status: 429, headers: { 'retry-after': '1' } })));
  const { id } = await refer(api);
  for (let asked = 1; asked <= 11; asked++) {
    await expect.poll(() => vendor.calls.length, { timeout: 5_000, interval: 20 }).toBeGreaterThanOrEqual(asked);
    await advance(api, 1);
  }
  await untilReference(api, id, { status: 'processing', automatic_reference: { last_error: null } });
  expect(vendor.orders.get(id)).toBe(1);
}, 40_000);

const unavailable = { automatic_reference: { last_error: expect.stringMatching(/^unavailable: /) } };

/** How long so many references take with a service that answers at once, in milliseconds. */
async function timeOf(api: Api, count: number): Promise<number> {
  const startedMs = performance.now();
  const made = await Promise.all(Array.from({ length: count }, () => refer(api, { provider: 'provider_b' })));
  for (const { id } of made) await untilReference(api, id, { status: 'complete' });
  return performance.now() - startedMs;
}

/** A port at which nobody listens, until the test does. */
async function closedPort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { callLimits } from '../../src/external-jobs/task.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { good, serverForTest, type Api, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { eventsOf, quickServerForTest, refer, referenceNow, untilReference } from './scenario.ts';
import { giveCredentials, vendorForTest } from './vendor.ts';
import { freePort } from '../support/free-port.ts';

/* A service that is away, hangs or is busy, with its references and those of other services. */

/** A sandbox with `provider_a` outside of it, so that time passes as in live mode. */
async function serverAsking(url: string): Promise<TestServer> {
  const server = await quickServerForTest({ TENURE_PROVIDER_A_URL: url });
  await giveCredentials(server.api);
  return server;
}

const advance = (api: Api, seconds: number) => good(api.post('/v1/test_helpers/clock/advance', { seconds }));

/** Longer than the queue needs to find a due job. */
const jobsTaken = (): Promise<void> => delay(1_300);

test('shows the outage and then completes every reference with one order when a service is away for an hour', async () => {
  const port = await freePort();
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
  // The longest pause after this many failures. A call may fail before the service is back, and be written after the clock has moved.
  await expect
    .poll(
      async () => {
        await advance(api, 2 * 3600);
        return (await good(api.get('/v1/references?status=complete&limit=1'))).body.count;
      },
      { interval: 2_000 },
    )
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
});

test("completes other services' references when one service hangs", async () => {
  const vendor = await vendorForTest();
  const server = await serverAsking(vendor.url);
  const { api } = server;
  vendor.hold('order');
  // More jobs than a process runs at once.
  const hanging = await Promise.all(Array.from({ length: 48 }, () => refer(api)));
  await expect.poll(() => vendor.held).toBeGreaterThanOrEqual(callLimits.ofTree);
  // The hanging calls do not end before.
  const made = await Promise.all(Array.from({ length: 8 }, () => refer(api, { provider: 'provider_b' })));
  for (const { id } of made) await untilReference(api, id, { status: 'complete' });
  // The service got no more calls than its group allows, and a few that were claimed at the same moment.
  expect(vendor.held).toBeLessThan(32);
  vendor.stage = 'DONE';
  vendor.release();
  await expect
    .poll(async () => (await good(api.get('/v1/references?status=complete&limit=1'))).body.count)
    .toBeGreaterThanOrEqual(8 + 8);
  for (const { id } of hanging) expect(vendor.orders.get(id) ?? 0).toBeLessThanOrEqual(1);
});

test('orders for a third account while a service hangs for two others', async () => {
  const vendor = await vendorForTest();
  const server = await serverAsking(vendor.url);
  vendor.hold('order');
  const busy = await twoBusyAccounts(server);
  for (const api of busy) await Promise.all(Array.from({ length: 12 }, () => refer(api)));
  await expect.poll(() => vendor.held).toBeGreaterThanOrEqual(callLimits.ofTree);
  await jobsTaken();
  const { api } = await addAccount(server);
  await giveCredentials(api);
  const { id } = await refer(api);
  await expect.poll(() => vendor.calls.map(({ reference }) => reference), { timeout: 5_000 }).toContain(id);
  vendor.release();
});

test('issues the report of a third account while those of two others take long', async () => {
  const { promise: stored, resolve: store } = Promise.withResolvers<void>();
  let isSlow = true;
  let held = 0;
  const server = await serverForTest({
    works: true,
    changeContext(context) {
      const addPart = context.fileStore.addPart.bind(context.fileStore);
      const fileStore = Object.assign(context.fileStore, {
        async addPart(...part: Parameters<typeof addPart>) {
          if (isSlow && ++held) await stored;
          return addPart(...part);
        },
      });
      return { ...context, fileStore };
    },
  });
  onTestFinished(() => store());
  for (const { api } of [server, await addAccount(server)])
    await Promise.all(Array.from({ length: 12 }, () => decided(api)));
  await expect.poll(() => held).toBeGreaterThanOrEqual(6);
  await jobsTaken();
  isSlow = false;
  const { api } = await addAccount(server);
  await untilReference(api, await decided(api), { reference_pdf: expect.stringMatching(/^file_/) }, 8_000);
});

/** Returns the id of a reference whose report is due. */
async function decided(api: Api): Promise<string> {
  const { id } = (await good(api.post('/v1/references', { application: 'app_1' }))).body;
  await good(api.post(`/v1/references/${id}`, { outcome: 'accept' }));
  return id;
}

async function twoBusyAccounts(server: TestServer): Promise<Api[]> {
  const { api } = await addAccount(server);
  await giveCredentials(api);
  return [server.api, api];
}

test("retries when the service's Retry-After says, and shows no failure, when a service is busy", async () => {
  const vendor = await vendorForTest();
  const server = await serverAsking(vendor.url);
  const { api } = server;
  const { clock } = server.context;
  vendor.stage = 'DONE';
  // No pause after a failure is as long.
  const waitMs = 300_000;
  vendor.answers.push({ status: 429, headers: { 'retry-after': String(waitMs / 1000) } });
  const sentMs = clock.nowMs();
  const { id } = await refer(api);
  await expect.poll(async () => (await orderOf(server, id)).due_at_ms).toBeGreaterThan(sentMs + waitMs / 2);
  const { due_at_ms: dueMs } = await orderOf(server, id);
  expect(dueMs).toBeGreaterThanOrEqual(sentMs + waitMs);
  expect(dueMs).toBeLessThanOrEqual(clock.nowMs() + waitMs);
  await advance(api, waitMs / 1000);
  await untilReference(api, id, { status: 'complete', outcome: 'accept' });
  expect(vendor.calls.filter(({ kind }) => kind === 'order')).toHaveLength(2);
  for (const { data } of await eventsOf(api, id)) {
    expect(data.object.automatic_reference).toMatchObject({ last_error: null });
    expect(data.object.automatic_reference.status).not.toBe('failed');
  }
});

test('fails no reference when a service is busy for longer than ten failures would take', async () => {
  const vendor = await vendorForTest();
  const { api } = await serverAsking(vendor.url);
  vendor.answers.push(...Array.from({ length: 11 }, () => ({ status: 429, headers: { 'retry-after': '1' } })));
  const { id } = await refer(api);
  for (let asked = 1; asked <= 11; asked++) {
    await expect.poll(() => vendor.calls.length, { interval: 20 }).toBeGreaterThanOrEqual(asked);
    await advance(api, 1);
  }
  await untilReference(api, id, { status: 'processing', automatic_reference: { last_error: null } });
  expect(vendor.orders.get(id)).toBe(1);
});

interface StoredOrder {
  failures: number;
  due_at_ms: number;
  /** When it was last shown, here: when it last failed. */
  shown_at_ms: number;
}

/** Returns what is stored about the order of a reference. */
async function orderOf({ context }: TestServer, id: string): Promise<StoredOrder> {
  const { rows } = await context.database.readers.query<{ order: StoredOrder }>(
    `select provider_order::jsonb as order from tenant_references where id = $1`,
    [id],
  );
  return rows[0]!.order;
}

const unavailable = { automatic_reference: { last_error: expect.stringMatching(/^unavailable: /) } };

test('goes on after a retry when the server had given up, and keeps one order', async () => {
  const port = await freePort();
  const server = await serverAsking(`http://127.0.0.1:${port}`);
  const { api } = server;
  const { id } = await refer(api);
  await untilReference(api, id, unavailable);
  const givenUp = { status: 'pending', automatic_reference: { status: 'failed' } };
  await expect
    .poll(
      async () => {
        await advance(api, 12 * 3600);
        return referenceNow(api, id);
      },
      { interval: 500 },
    )
    .toMatchObject(givenUp);
  const vendor = await vendorForTest(port);
  vendor.stage = 'DONE';
  await advance(api, 24 * 3600);
  await jobsTaken();
  expect(await referenceNow(api, id)).toMatchObject(givenUp);

  const retried = (await good(api.post(`/v1/references/${id}/retry`))).body;
  expect(retried).toMatchObject({
    status: 'pending',
    automatic_reference: { status: 'queued', ...unavailable.automatic_reference },
  });
  await untilReference(api, id, { status: 'complete', outcome: 'accept', automatic_reference: { last_error: null } });
  expect(vendor.orders.get(id)).toBe(1);
  const statuses = (await eventsOf(api, id)).map(({ data }) => data.object.automatic_reference.status);
  expect(statuses.slice(statuses.indexOf('failed'))).toEqual(['failed', 'queued', 'done', 'done']);
});

test('asks a service at once, and not again within five seconds, when retries are repeated', async () => {
  const port = await freePort();
  const server = await serverAsking(`http://127.0.0.1:${port}`);
  const { api } = server;
  const { id } = await refer(api);
  await untilReference(api, id, unavailable);
  // The second failure waits for half a minute.
  await advance(api, 5);
  await expect.poll(async () => (await orderOf(server, id)).failures).toBe(2);
  const { shown_at_ms: failedMs } = await orderOf(server, id);
  const aheadMs = server.context.clock.nowMs() - performance.now();
  const vendor = await vendorForTest(port);
  vendor.stage = 'DONE';
  for (let time = 0; time < 5; time++) await good(api.post(`/v1/references/${id}/retry`));
  // A busy machine may take five seconds until here. Times in milliseconds are rounded.
  const early = vendor.calls.filter(({ atMs }) => atMs + aheadMs < failedMs + 5_000 - 10);
  expect(early).toEqual([]);
  await advance(api, 5);
  await untilReference(api, id, { status: 'complete' });
  expect(vendor.orders.get(id)).toBe(1);
});

test('refuses a retry when the service has ended the check', async () => {
  const vendor = await vendorForTest();
  const { api } = await serverAsking(vendor.url);
  vendor.stage = 'CANCELLED';
  const { id } = await refer(api);
  const ended = await untilReference(api, id, { automatic_reference: { status: 'failed' } });
  const answer = await api.post(`/v1/references/${id}/retry`);
  expectRefusal(answer, { ...refusals.transition, says: 'cannot be asked again' });
  expect(await referenceNow(api, id)).toEqual(ended);
});

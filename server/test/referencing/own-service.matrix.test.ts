import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startWork } from '../../src/server/worker.ts';
import { withClient } from '../../src/db/pools.ts';
import { good } from '../support/server.ts';
import { refer, referenceNow, untilReference } from './scenario.ts';
import { callBack, ownService, serverAsking } from './service.ts';

test('a callback about a person who was erased after the end is looked at once, and not for ever', async () => {
  const service = await ownService();
  const server = await serverAsking(service);
  const { api } = server;
  const customer = (await good(api.post('/v1/customers', { name: 'Ada' }))).body;
  Object.assign(service.order, { stage: 'DONE', decision: 'ACCEPT' });
  const { id } = await refer(api, { customer: customer.id });
  await untilReference(api, id, { status: 'complete' });
  await good(api.delete(`/v1/customers/${customer.id}`));
  const callsBefore = service.calls.length;
  expect((await callBack(server, id)).status).toBe(200);
  await delay(2_000);
  expect(service.calls.length - callsBefore).toBeLessThanOrEqual(1);
});

test('a report that came when the account had just set its own is no file', async () => {
  const service = await ownService();
  const server = await serverAsking(service);
  const { api } = server;
  Object.assign(service.order, { stage: 'DONE', decision: 'ACCEPT' });
  let referenceId = '';
  service.before = async (call) => {
    if (!call.endsWith('/report')) return;
    await good(api.post(`/v1/references/${referenceId}`, { reference_pdf: 'file_7731' }));
  };
  const customer = (await good(api.post('/v1/customers', { name: 'Ada Unmistakable' }))).body;
  referenceId = (await refer(api, { customer: customer.id })).id;
  const ended = await untilReference(api, referenceId, { status: 'complete' });
  expect(ended.reference_pdf).toBe('file_7731');
  expect((await good(api.get('/v1/files'))).body.data).toEqual([]);
});

test('an order that nobody knows of when the reference is canceled is stopped as soon as the service calls back', async () => {
  const service = await ownService();
  const server = await serverAsking(service);
  const { api } = server;
  // It takes the order, and its answer is lost.
  service.before = async (call, request) => {
    if (call.startsWith('POST') && service.calls.length === 1) request.socket.destroy();
  };
  const { id } = await refer(api);
  await untilReference(api, id, { automatic_reference: { last_error: expect.stringContaining('unavailable') } });
  await good(api.post(`/v1/references/${id}/cancel`));
  expect((await callBack(server, id)).status).toBe(200);
  await expect.poll(() => service.calls.at(-1), { timeout: 8_000 }).toBe('POST /v1/reference-requests/rr_1/cancel');
});

test('words that are cut stay well-formed', async () => {
  const service = await ownService();
  const server = await serverAsking(service);
  service.order.stage = 'INVITE_SENT';
  service.order.blocker = { code: 'BOUNCED', text: `${'a'.repeat(999)}😀` };
  service.order.timeline = [{ at: '2027-01-01T00:00:00Z', text: `${'a'.repeat(999)}😀` }];
  const { id } = await refer(server.api);
  const { body } = await good(
    server.api.get(`/v1/references/${id}`).then(async () => {
      await untilReference(server.api, id, { automatic_reference: { status: 'invited' } });
      return server.api.get(`/v1/references/${id}`);
    }),
  );
  expect(body.automatic_reference.provider_data.provider_a.notes[0].message.isWellFormed()).toBe(true);
  expect(body.automatic_reference.last_error.isWellFormed()).toBe(true);
});

test('a stop does not wait for a service that hangs, which counts as no failure, and the next worker goes on', async () => {
  const service = await ownService();
  const server = await serverAsking(service, {});
  const work = await startWork(server.context);
  service.before = () => new Promise(() => {});
  const { id } = await refer(server.api);
  await expect.poll(() => service.calls.length).toBe(1);
  const startedMs = performance.now();
  await work.stop();
  expect(performance.now() - startedMs).toBeLessThan(8_000);
  expect((await referenceNow(server.api, id)).automatic_reference.last_error).toBeNull();

  service.before = async () => {};
  Object.assign(service.order, { stage: 'DONE', decision: 'ACCEPT' });
  const next = await startWork(server.context);
  await untilReference(server.api, id, { status: 'complete' });
  await next.stop();
});

test('a burst for one service that hangs leaves places for the others', { timeout: 60_000 }, async () => {
  const service = await ownService();
  const server = await serverAsking(service);
  let most = 0;
  let open = 0;
  service.before = () => {
    open++;
    most = Math.max(most, open);
    return new Promise(() => {});
  };
  await Promise.all(Array.from({ length: 64 }, () => refer(server.api)));
  await delay(3_000);
  expect(most).toBeLessThanOrEqual(8);
});

test('a database that ends all connections holds nothing up for long', { timeout: 60_000 }, async () => {
  const service = await ownService();
  const server = await serverAsking(service);
  const made = [];
  for (let round = 0; round < 5; round++) {
    made.push((await refer(server.api)).id);
    await withClient(server.connection, (client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      ),
    );
    await delay(300);
  }
  Object.assign(service.order, { stage: 'DONE', decision: 'ACCEPT' });
  for (const id of made) await callBack(server, id);
  for (const id of made) {
    // What was being ordered when it happened is looked at in a minute.
    await expect
      .poll(async () => (await referenceNow(server.api, id)).automatic_reference.status, { timeout: 20_000 })
      .not.toBe('queued');
    await callBack(server, id);
    await untilReference(server.api, id, { status: 'complete' }, 20_000);
  }
});

test(
  'a job whose end cannot be written down stops the queue for a moment, and not the process',
  { timeout: 40_000 },
  async () => {
    const service = await ownService();
    const server = await serverAsking(service);
    Object.assign(service.order, { stage: 'DONE', decision: 'ACCEPT' });
    await withClient(server.connection, async (client) => {
      await client.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create trigger refuse before delete on graphile_worker._private_jobs for each row execute function refuse()`);
      const { id } = await refer(server.api);
      await untilReference(server.api, id, { status: 'complete' });
      await delay(500);
      await client.query('drop trigger refuse on graphile_worker._private_jobs');
    });
    const { id } = await refer(server.api);
    await untilReference(server.api, id, { status: 'complete' });
  },
);

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startWork } from '../../src/server/worker.ts';
import { withClient } from '../../src/db/pools.ts';
import { good } from '../support/server.ts';
import { waitMs } from '../support/wait.ts';
import { refer, referenceNow, untilReference } from './scenario.ts';
import { callBack, ownService, serverAsking } from './service.ts';

test('reads once when a callback is about a customer deleted after the check', async () => {
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

test('stores no file when the account has just set its own report', async () => {
  const service = await ownService();
  const server = await serverAsking(service);
  const { api } = server;
  Object.assign(service.order, { stage: 'DONE', decision: 'ACCEPT' });
  // The service is asked for its report before or after the test has received the id.
  const ordered = Promise.withResolvers<string>();
  service.before = async (call) => {
    if (!call.endsWith('/report')) return;
    await good(api.post(`/v1/references/${await ordered.promise}`, { reference_pdf: 'file_7731' }));
  };
  const customer = (await good(api.post('/v1/customers', { name: 'Ada Unmistakable' }))).body;
  const { id } = await refer(api, { customer: customer.id });
  ordered.resolve(id);
  const ended = await untilReference(api, id, { status: 'complete' });
  expect(ended.reference_pdf).toBe('file_7731');
  expect((await good(api.get('/v1/files'))).body.data).toEqual([]);
});

test('issues a report without findings when the service does not return them after a decision', async () => {
  const service = await ownService();
  const server = await serverAsking(service);
  const { api } = server;
  Object.assign(service.order, { stage: 'DONE', decision: 'ACCEPT' });
  const { id } = await refer(api);
  const { reference_pdf: first } = await untilReference(api, id, { status: 'complete' });
  service.before = async (call, request) => {
    if (call.endsWith('/report')) request.socket.destroy();
  };
  await good(api.post(`/v1/references/${id}`, { outcome: 'consider' }));
  const failuresNow = async (): Promise<number> => {
    const { rows } = await server.context.database.readers.query<{ failures: number }>(
      `select (report_order::jsonb ->> 'failures')::integer as failures from tenant_references where id = $1`,
      [id],
    );
    return rows[0]!.failures;
  };
  for (let failures = 1; failures <= 5; failures++) {
    await expect.poll(failuresNow).toBe(failures);
    expect(await referenceNow(api, id)).toMatchObject({ reference_pdf: first, earlier_reports: [] });
    await good(api.post('/v1/test_helpers/clock/advance', { seconds: 2 * 3600 }));
  }
  await untilReference(api, id, { earlier_reports: [first] });
});

test('cancels an unknown order of a canceled reference when the service calls back', async () => {
  const service = await ownService();
  const server = await serverAsking(service);
  const { api } = server;
  // The service takes the order, and its response is lost.
  service.before = async (call, request) => {
    if (call.startsWith('POST') && service.calls.length === 1) request.socket.destroy();
  };
  const { id } = await refer(api);
  await untilReference(api, id, { automatic_reference: { last_error: expect.stringContaining('unavailable') } });
  await good(api.post(`/v1/references/${id}/cancel`));
  expect((await callBack(server, id)).status).toBe(200);
  await expect.poll(() => service.calls.at(-1)).toBe('POST /v1/reference-requests/rr_1/cancel');
});

test('keeps cut texts well-formed when a service sends long ones', async () => {
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

test('stops without a delay or a failure when a service hangs, and the next worker resumes', async () => {
  const service = await ownService();
  const server = await serverAsking(service, {});
  const work = await startWork(server.context);
  service.before = () => new Promise(() => {});
  const { id } = await refer(server.api);
  await expect.poll(() => service.calls.length).toBe(1);
  const startedMs = performance.now();
  await work.stop();
  // The call would hang for twice as long.
  expect(performance.now() - startedMs).toBeLessThan(waitMs / 2);
  expect((await referenceNow(server.api, id)).automatic_reference.last_error).toBeNull();

  service.before = async () => {};
  Object.assign(service.order, { stage: 'DONE', decision: 'ACCEPT' });
  const next = await startWork(server.context);
  await untilReference(server.api, id, { status: 'complete' });
  await next.stop();
});

test('serves other services when a burst goes to one that hangs', async () => {
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

test('recovers soon when the database ends all connections', async () => {
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
    // Orders that were being made are read within a minute.
    await expect.poll(async () => (await referenceNow(server.api, id)).automatic_reference.status).not.toBe('queued');
    await callBack(server, id);
    await untilReference(server.api, id, { status: 'complete' });
  }
});

test('pauses the queue for a moment and keeps the process alive when the end of a job cannot be written', async () => {
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
});

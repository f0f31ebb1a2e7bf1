import { expect, test } from 'vitest';
import { reference } from '../../src/resources/reference/index.ts';
import { wakeOverdue } from '../../src/external-jobs/overdue.ts';
import { good, serverForTest } from '../support/server.ts';
import { eventsOf, quickServerForTest, refer, referenceNow, untilReference } from './scenario.ts';

test('resumes references when their jobs are lost and they are an hour overdue, and no others', async () => {
  const { api, context } = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '10' });
  const { readers } = context.database;
  const lost = await refer(api);
  const waiting = await refer(api, { simulate: 'stuck' });
  await untilReference(api, lost.id, { status: 'processing' });
  await untilReference(api, waiting.id, { status: 'processing' });
  // No callback comes either.
  await readers.query('update simulated_orders set tell_at_ms = null');
  await readers.query('delete from graphile_worker._private_jobs where key = $1', [lost.id]);
  await wakeOverdue(context, reference);
  expect(await jobsOf(lost.id)).toBe(0);

  await good(api.post('/v1/test_helpers/clock/advance', { seconds: 2 * 3600 }));
  const before = await eventsOf(api, lost.id);
  await wakeOverdue(context, reference);
  await untilReference(api, lost.id, { status: 'complete', outcome: 'accept' });
  expect((await eventsOf(api, lost.id)).length).toBeGreaterThan(before.length);
  expect((await referenceNow(api, waiting.id)).status).toBe('processing');

  async function jobsOf(id: string): Promise<number> {
    const { rows } = await readers.query('select from graphile_worker._private_jobs where key = $1', [id]);
    return rows.length;
  }
});

test('resumes a report about a decision when its job is lost and it is an hour overdue', async () => {
  const { api, context } = await serverForTest();
  const { readers } = context.database;
  const jobs = async (): Promise<number> =>
    (await readers.query('select from graphile_worker._private_jobs where key = $1', [id])).rows.length;
  const { id } = await refer(api, { automatic_reference: null });
  await good(api.post(`/v1/references/${id}`, { outcome: 'accept' }));
  expect(await jobs()).toBe(1);
  await readers.query('delete from graphile_worker._private_jobs where key = $1', [id]);
  await wakeOverdue(context, reference);
  expect(await jobs()).toBe(0);
  await good(api.post('/v1/test_helpers/clock/advance', { seconds: 2 * 3600 }));
  await wakeOverdue(context, reference);
  expect(await jobs()).toBe(1);
});

import { expect, test } from 'vitest';
import { serverForTest } from '../support/server.ts';
import { collect, letOn, untilPayment } from './collection.ts';

test.each([
  [undefined, { status: 'succeeded' }],
  ['succeed', { status: 'succeeded' }],
  ['fail', { status: 'failed', failure: { code: 'declined' } }],
  ['fail:insufficient_funds', { status: 'failed', failure: { code: 'insufficient_funds' } }],
  ['succeed_then_bounce', { status: 'failed', failure: { code: 'bounced' } }],
])('plays %j by itself when working days go by', async (simulate, wanted) => {
  const sandbox = await serverForTest({ settings: { TENURE_SIMULATOR_SPEED: '0.5' }, works: true });
  const own = await letOn(sandbox);
  const { id } = await collect(own, simulate === undefined ? {} : { simulate });
  await untilPayment(own, id, wanted);
  const history = await own.agency.historyOf(id);
  if (simulate === 'succeed_then_bounce') expect(history).toContain('payment.succeeded');
  expect(history.at(-1)).toBe(`payment.${wanted.status}`);
});

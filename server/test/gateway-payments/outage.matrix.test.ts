import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { payment } from '../../src/resources/letting/payment/index.ts';
import { wakeOverdue } from '../../src/external-jobs/overdue.ts';
import { good, serverForTest } from '../support/server.ts';
import { collect, gatewayBooks, letOn, slow, startGatewayInTheMiddle, untilPayment } from './collection.ts';

test('stays pending without a failure, and succeeds later, when the gateway is away for more than ten calls', async () => {
  const gateway = await startGatewayInTheMiddle();
  onTestFinished(() => gateway.stop());
  const settings = { TENURE_SIMULATOR_SPEED: '1', TENURE_PAYMENT_SIMULATOR_URL: gateway.url };
  const server = await serverForTest({ settings, works: true });
  await gateway.join(server);
  gateway.disturb = () => 'refuse';
  const rental = await letOn(server);
  const { id } = await collect(rental);
  for (let call = 1; call <= 12; call++) {
    await expect.poll(() => gateway.calls.length, { interval: 20 }).toBeGreaterThanOrEqual(call);
    await delay(50);
    await good(server.api.post('/v1/test_helpers/clock/advance', { seconds: 8 }));
  }
  expect(await rental.agency.get('payments', id)).toMatchObject({ status: 'pending', failure: null });
  expect((await gatewayBooks(server)).size).toBe(0);
  gateway.disturb = () => 'pass';
  await good(server.api.post('/v1/test_helpers/clock/advance', { seconds: 8 }));
  await untilPayment(rental, id, { status: 'succeeded' });
  expect(await rental.agency.historyOf(id)).toEqual(['payment.created', 'payment.updated', 'payment.succeeded']);
});

test('resumes a payment when its job is lost and it is an hour overdue', async () => {
  const server = await serverForTest(slow);
  const { readers } = server.context.database;
  const rental = await letOn(server);
  const { id } = await collect(rental);
  await expect.poll(async () => (await gatewayBooks(server)).has(id), { interval: 20 }).toBe(true);
  await delay(500);
  await readers.query('update simulated_charges set tell_at_ms = null');
  await readers.query('delete from graphile_worker._private_jobs where key = $1', [id]);
  await good(server.api.post('/v1/test_helpers/clock/advance', { seconds: 3 * 86_400 }));
  expect(await rental.agency.get('payments', id)).toMatchObject({ status: 'pending' });
  await wakeOverdue(server.context, payment);
  await untilPayment(rental, id, { status: 'succeeded' });
});

import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, afterAll, beforeEach, describe, expect, test } from 'vitest';
import { forcedToFail, forcedToSucceed } from '../../src/gateway-payments/simulator/charge.ts';
import { changeCharge, readCharge } from '../../src/gateway-payments/simulator/charges.ts';
import { startLetting } from '../letting/agency.ts';
import { good, startTestServer, type TestServer } from '../support/server.ts';
import {
  collect,
  gatewayBooks,
  startGatewayInTheMiddle,
  help,
  invoiceFor,
  ledgerOf,
  letOn,
  untilPayment,
  type Disturbance,
  type GatewayInTheMiddle,
  type Let,
} from './collection.ts';

/* Races between a client and the gateway. What the gateway says counts, in every order. Its days never end by themselves. */

let gateway: GatewayInTheMiddle;
let server: TestServer;
let rental: Let;

beforeAll(async () => {
  gateway = await startGatewayInTheMiddle();
  server = await startLetting({
    settings: { TENURE_SIMULATOR_SPEED: '80000', TENURE_PAYMENT_SIMULATOR_URL: gateway.url },
    works: true,
  });
  await gateway.join(server);
});

afterAll(async () => {
  await server.stop();
  await gateway.stop();
});

beforeEach(async () => {
  gateway.disturb = () => 'pass';
  gateway.calls.length = 0;
  rental = await letOn(server);
});

/** Has the gateway take the money now, or take it back, without a word to anyone. */
async function force(id: string, what: 'succeed' | 'fail'): Promise<void> {
  const nowMs = server.context.clock.nowMs();
  const changed = await changeCharge(server.context.database.readers, { key: id }, nowMs, (charge) =>
    what === 'succeed' ? forcedToSucceed(charge, nowMs) : forcedToFail(charge, null, nowMs),
  );
  expect(changed?.isChanged).toBe(true);
}

/** Lets something happen once, right before a call reaches the gateway. */
function before(wanted: string, happen: () => Promise<void>): void {
  let isOver = false;
  gateway.disturb = async (call): Promise<Disturbance> => {
    if (call !== wanted || isOver) return 'pass';
    isOver = true;
    await happen();
    return 'pass';
  };
}

/** Spoils the first response to a call. */
function once(wanted: string, how: 'lose' | 'error' | 'garble'): void {
  let isOver = false;
  gateway.disturb = (call) => {
    if (call !== wanted || isOver) return 'pass';
    isOver = true;
    return how;
  };
}

/** Waits until the gateway has got this call so many times. */
async function untilCalled(wanted: string, times = 1): Promise<void> {
  const count = (): number => gateway.calls.filter((call) => call === wanted).length;
  await expect.poll(count, { interval: 20 }).toBeGreaterThanOrEqual(times);
}

/** Waits until the gateway has the first refund of a payment. */
async function untilRefundKnown(id: string): Promise<void> {
  const count = async (): Promise<number | undefined> =>
    (await readCharge(server.context.database.readers, { key: id }))?.refunds.length;
  await expect.poll(count, { interval: 20 }).toBe(1);
}

/** Creates a payment whose charge the gateway has. */
async function charged(): Promise<string> {
  const { id } = await collect(rental);
  await expect.poll(async () => (await gatewayBooks(server)).has(id), { interval: 20 }).toBe(true);
  return id;
}

const cancel = (id: string) => rental.agency.move('payments', id, 'cancel');
const refund = (id: string, amount: number) => rental.agency.move('payments', id, 'refund', { amount });

describe('a cancellation', () => {
  test('loses when the gateway takes the money before it arrives', async () => {
    const invoice = await invoiceFor(rental);
    const id = await charged();
    before('POST /charges/ch/void', () => force(id, 'succeed'));
    await cancel(id);
    const paid = await untilPayment(rental, id, { status: 'succeeded' });
    expect(paid).toMatchObject({ cancel_requested_at: expect.any(Number), canceled_at: null });
    expect(await rental.agency.get('invoices', invoice.id)).toMatchObject({ status: 'paid' });
    expect((await ledgerOf(rental)).at(-1)).toEqual(['payment', -95_000, 0]);
  });

  test('wins when it arrives first, and the gateway takes nothing later', async () => {
    const id = await charged();
    await cancel(id);
    await untilPayment(rental, id, { status: 'canceled' });
    expect((await gatewayBooks(server)).get(id)).toEqual({ state: 'voided', kept: 0 });
    expect(await ledgerOf(rental)).toEqual([]);
  });

  test('loses when the gateway declines the charge before it arrives', async () => {
    const id = await charged();
    before('POST /charges/ch/void', () => force(id, 'fail'));
    await cancel(id);
    await untilPayment(rental, id, { status: 'failed', failure: { code: 'declined' } });
  });

  test('voids the charge when its start is under way', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    before('POST /charges', () => held);
    const { id } = await collect(rental);
    await untilCalled('POST /charges');
    expect(await cancel(id)).toMatchObject({ status: 'pending', cancel_requested_at: expect.any(Number) });
    release();
    await untilPayment(rental, id, { status: 'canceled' });
    expect((await gatewayBooks(server)).get(id)).toEqual({ state: 'voided', kept: 0 });
  });

  test.each(['lose', 'error', 'garble'] as const)(
    'voids the one charge when the response to its start is spoilt: %s',
    async (how) => {
      once('POST /charges', how);
      const { id } = await collect(rental);
      await untilCalled('POST /charges');
      await cancel(id);
      await untilPayment(rental, id, { status: 'canceled' });
      const books = await gatewayBooks(server);
      expect(books.get(id)).toEqual({ state: 'voided', kept: 0 });
    },
  );

  test('changes nothing when it is repeated', async () => {
    const id = await charged();
    before('POST /charges/ch/void', async () => {
      // The first one has not reached the gateway yet.
      await cancel(id);
    });
    await cancel(id);
    await untilPayment(rental, id, { status: 'canceled' });
    expect(await rental.agency.historyOf(id)).toEqual([
      'payment.created',
      'payment.updated',
      'payment.updated',
      'payment.canceled',
    ]);
  });
});

test('cancels at once and calls no gateway when the payment has not begun', async () => {
  const front = await startTestServer();
  try {
    const own = await letOn(front);
    const { id } = await collect(own);
    expect(await own.agency.move('payments', id, 'cancel')).toMatchObject({ status: 'canceled' });
    expect((await gatewayBooks(front)).size).toBe(0);
  } finally {
    await front.stop();
  }
});

describe('a refund', () => {
  let id: string;

  beforeEach(async () => {
    id = await charged();
    await help(rental, id, 'succeed');
  });

  test('fails with the payment when the payment bounces before the gateway gets it', async () => {
    before('POST /charges/ch/refunds', () => force(id, 'fail'));
    await refund(id, 20_000);
    const bounced = await untilPayment(rental, id, { status: 'failed' });
    expect(bounced).toMatchObject({
      amount_refunded: 0,
      refunds: [{ amount: 20_000, status: 'failed', failure: { code: 'charge_not_paid' }, refunded_at: null }],
    });
    expect(await ledgerOf(rental)).toEqual([
      ['payment', -95_000, -95_000],
      ['payment_failed', 95_000, 0],
    ]);
  });

  test('fails with the payment when the payment bounces before the money is sent', async () => {
    await refund(id, 20_000);
    await untilRefundKnown(id);
    const bounced = await help(rental, id, 'fail');
    expect(bounced).toMatchObject({ amount_refunded: 0, refunds: [{ failure: { code: 'charge_failed' } }] });
    expect((await ledgerOf(rental)).at(-1)).toEqual(['payment_failed', 95_000, 0]);
  });

  test('counts, and the bounce takes the rest, when one look shows both', async () => {
    await refund(id, 20_000);
    await untilRefundKnown(id);
    gateway.disturb = () => 'refuse';
    await force(id, 'succeed');
    // The money is sent before the charge bounces.
    await expect.poll(async () => (await gatewayBooks(server)).get(id)?.kept).toBe(75_000);
    await delay(5);
    await force(id, 'fail');
    gateway.disturb = () => 'pass';
    await untilPayment(rental, id, { status: 'failed', amount_refunded: 20_000 });
    expect(await ledgerOf(rental)).toEqual([
      ['payment', -95_000, -95_000],
      ['refund', 20_000, -75_000],
      ['payment_failed', 75_000, 0],
    ]);
  });

  test.each(['lose', 'error', 'garble'] as const)('counts once when its response is spoilt: %s', async (how) => {
    once('POST /charges/ch/refunds', how);
    await refund(id, 20_000);
    await untilCalled('POST /charges/ch/refunds', 2);
    await help(rental, id, 'succeed');
    expect((await gatewayBooks(server)).get(id)).toEqual({ state: 'paid', kept: 75_000 });
    expect(await ledgerOf(rental)).toEqual([
      ['payment', -95_000, -95_000],
      ['refund', 20_000, -75_000],
    ]);
  });

  test('leaves nothing to bounce when it was of all', async () => {
    await refund(id, 95_000);
    await help(rental, id, 'succeed');
    const refused = await rental.agency.api.post(`/v1/test_helpers/payments/${id}/fail`);
    expect(refused.body.error).toMatchObject({ code: 'status_transition_invalid' });
    expect(await rental.agency.get('payments', id)).toMatchObject({ status: 'refunded' });
  });

  test('takes the credit back from an invoice that it settled meanwhile', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    before('POST /charges/ch/refunds', () => held);
    await refund(id, 95_000);
    const invoice = await invoiceFor(rental);
    expect(invoice).toMatchObject({ status: 'paid' });
    release();
    await help(rental, id, 'succeed');
    expect(await rental.agency.get('invoices', invoice.id)).toMatchObject({ status: 'open', amount_due: 95_000 });
    const { body } = await good(rental.agency.api.get(`/v1/tenancies/${rental.tenancy.id}`));
    expect(body.balance).toBe(95_000);
  });
});

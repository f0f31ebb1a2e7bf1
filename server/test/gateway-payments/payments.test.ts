import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectCode, startDay, startLetting } from '../letting/agency.ts';
import { good, serverForTest, type TestServer } from '../support/server.ts';
import { collect, help, invoiceFor, ledgerOf, letOn, slow, untilPayment, type Let } from './collection.ts';

let server: TestServer;
let rental: Let;

beforeAll(async () => {
  server = await startLetting(slow);
});

afterAll(() => server.stop());

beforeEach(async () => {
  rental = await letOn(server);
});

describe('a payment with a gateway', () => {
  test('settles the oldest invoice when the gateway has taken the money, and not before', async () => {
    const invoice = await invoiceFor(rental);
    const made = await collect(rental);
    expect(made).toMatchObject({ status: 'pending', provider: 'simulator', received_on: null, succeeded_at: null });
    expect(await ledgerOf(rental)).toEqual([['invoice', 95_000, 95_000]]);
    const paid = await help(rental, made.id, 'succeed');
    expect(paid).toMatchObject({
      status: 'succeeded',
      received_on: startDay,
      allocations: [{ invoice: invoice.id, amount: 95_000 }],
    });
    expect(await ledgerOf(rental)).toEqual([
      ['invoice', 95_000, 95_000],
      ['payment', -95_000, 0],
    ]);
    expect(await rental.agency.get('invoices', invoice.id)).toMatchObject({ status: 'paid', amount_due: 0 });
    expect(await rental.agency.historyOf(made.id)).toEqual(['payment.created', 'payment.updated', 'payment.succeeded']);
  });

  test('fails with the code and the words of the gateway when it declines', async () => {
    const { id } = await collect(rental);
    const failed = await help(rental, id, 'fail', { code: 'insufficient_funds' });
    expect(failed).toMatchObject({
      status: 'failed',
      received_on: null,
      failure: { code: 'insufficient_funds', message: 'There is not enough money in the account.' },
    });
    expect(await ledgerOf(rental)).toEqual([]);
  });

  test('opens its invoices again when it bounces', async () => {
    const invoice = await invoiceFor(rental);
    const { id } = await collect(rental);
    await help(rental, id, 'succeed');
    const bounced = await help(rental, id, 'fail');
    expect(bounced).toMatchObject({ status: 'failed', failure: { code: 'bounced' }, received_on: startDay });
    expect(await rental.agency.get('invoices', invoice.id)).toMatchObject({ status: 'open', amount_due: 95_000 });
    expect((await ledgerOf(rental)).at(-1)).toEqual(['payment_failed', 95_000, 95_000]);
  });

  test('opens no invoice when it bounces and other money of the tenancy is free', async () => {
    const invoice = await invoiceFor(rental);
    const { id } = await collect(rental);
    await help(rental, id, 'succeed');
    const { tenancy } = invoice;
    const free = await rental.agency.make('payments', { tenancy, amount: 95_000, method: 'cash' });
    await help(rental, id, 'fail');
    expect(await rental.agency.get('invoices', invoice.id)).toMatchObject({ status: 'paid', amount_due: 0 });
    expect(await rental.agency.get('payments', free.id)).toMatchObject({
      allocations: [{ invoice: invoice.id, amount: 95_000 }],
    });
  });

  test('counts a refund only when the gateway has sent the money', async () => {
    const { id } = await collect(rental);
    await help(rental, id, 'succeed');
    const asked = await rental.agency.move('payments', id, 'refund', { amount: 20_000, reason: 'Too much.' });
    const refund = { amount: 20_000, reason: 'Too much.' };
    expect(asked).toMatchObject({
      amount_refunded: 0,
      refunds: [{ ...refund, status: 'pending', failure: null, refunded_at: null }],
    });
    expect(await ledgerOf(rental)).toEqual([['payment', -95_000, -95_000]]);
    const sent = await help(rental, id, 'succeed');
    expect(sent).toMatchObject({
      status: 'succeeded',
      amount_refunded: 20_000,
      refunds: [{ ...refund, status: 'succeeded', refunded_at: expect.any(Number) }],
    });
    expect((await ledgerOf(rental)).at(-1)).toEqual(['refund', 20_000, -75_000]);
    const left = await rental.agency.api.post(`/v1/payments/${id}/refund`, { amount: 75_001 });
    expectCode(left, 'amount_exceeded', { param: 'amount' });
    await rental.agency.move('payments', id, 'refund', { amount: 75_000 });
    const again = await rental.agency.api.post(`/v1/payments/${id}/refund`, { amount: 1 });
    expectCode(again, 'amount_exceeded');
    expect(await help(rental, id, 'succeed')).toMatchObject({ status: 'refunded', amount_refunded: 95_000 });
    expect((await ledgerOf(rental)).at(-1)).toEqual(['refund', 75_000, 0]);
  });

  test('is moved once when a test helper is repeated with its Idempotency-Key', async () => {
    const { id } = await collect(rental);
    const send = () =>
      good(rental.agency.api.post(`/v1/test_helpers/payments/${id}/succeed`, {}, { 'idempotency-key': id }));
    const [first, second] = [await send(), await send()];
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test('is canceled when the gateway has not taken the money', async () => {
    const { id } = await collect(rental);
    const asked = await rental.agency.move('payments', id, 'cancel');
    expect(['pending', 'canceled']).toContain(asked.status);
    const canceled = await untilPayment(rental, id, { status: 'canceled' });
    expect(canceled).toMatchObject({ cancel_requested_at: expect.any(Number), canceled_at: expect.any(Number) });
    const helped = await rental.agency.api.post(`/v1/test_helpers/payments/${id}/succeed`);
    expectCode(helped, 'status_transition_invalid');
    expect(await ledgerOf(rental)).toEqual([]);
  });

  test.each([
    ['succeed', {}],
    ['fail', { code: 'bounced' }],
  ])('refuses %s by a client, because its provider moves it', async (name, body) => {
    const { id } = await collect(rental);
    const refused = await rental.agency.api.post(`/v1/payments/${id}/${name}`, body);
    expectCode(refused, 'status_transition_invalid');
    expect(refused.body.error.message).toContain('Its provider, simulator, moves it');
    expect(await rental.agency.get('payments', id)).toMatchObject({ status: 'pending' });
  });

  test.each([
    [{ status: 'succeeded' }, 'parameter_invalid', 'status'],
    [{ received_on: '2027-01-04' }, 'parameter_invalid', 'received_on'],
    [{ method: 'cash' }, 'parameter_invalid', 'method'],
    [{ provider: 'acme' }, 'parameter_invalid', 'provider'],
    [
      { allocations: [{ invoice: 'in_0VbZq9aK00mT3cUuP8sXw4', amount: 1 }] },
      'resource_missing',
      'allocations[0][invoice]',
    ],
    [{ metadata: { simulate: 'explode' } }, 'parameter_invalid', 'metadata[simulate]'],
    [{ metadata: { simulate: 'fail:Not good' } }, 'parameter_invalid', 'metadata[simulate]'],
    [{ metadata: { simulate: 'succeed:now' } }, 'parameter_invalid', 'metadata[simulate]'],
  ])('is refused with %j', async (more, code, param) => {
    const body = { tenancy: rental.tenancy.id, amount: 95_000, method: 'direct_debit', provider: 'simulator', ...more };
    expectCode(await rental.agency.api.post('/v1/payments', body), code, { param });
    expect((await good(rental.agency.api.get('/v1/payments'))).body.count).toBe(0);
  });

  test('lists the words when metadata.simulate is unknown', async () => {
    const { id } = await collect(rental);
    const refused = await rental.agency.api.post(`/v1/payments/${id}`, { metadata: { simulate: 'explode' } });
    expectCode(refused, 'parameter_invalid', { param: 'metadata[simulate]' });
    expect(refused.body.error.message).toContain('succeed, fail, fail:<code> or succeed_then_bounce');
  });

  test('is refused for a draft, for which no rent can be due', async () => {
    await good(rental.agency.api.post('/v1/account', { rules: { ruleset: 'none' } }));
    const draft = await rental.agency.draft((await rental.agency.unit()).id);
    const body = { tenancy: draft.id, amount: 1, method: 'card', provider: 'simulator' };
    expectCode(await rental.agency.api.post('/v1/payments', body), 'status_transition_invalid', { param: 'tenancy' });
  });

  test('leaves a payment without a provider to the client', async () => {
    const made = await collect(rental, { provider: null, simulate: 'anything' });
    expect(made).toMatchObject({ status: 'succeeded', provider: null, received_on: startDay });
    const helped = await rental.agency.api.post(`/v1/test_helpers/payments/${made.id}/fail`);
    expectCode(helped, 'status_transition_invalid');
  });
});

describe('the payment provider of an account', () => {
  beforeEach(async () => {
    await good(rental.agency.api.post('/v1/account', { payment_provider: 'simulator' }));
  });

  test('is none unless the account sets one', async () => {
    const { agency } = await letOn(server);
    expect((await good(agency.api.get('/v1/account'))).body).toMatchObject({ payment_provider: null });
  });

  test.each([[{ method: 'direct_debit' }], [{ method: 'card' }]])('collects a payment with %j', async (more) => {
    const made = await rental.agency.make('payments', { tenancy: rental.tenancy.id, amount: 100, ...more });
    expect(made).toMatchObject({ provider: 'simulator', status: 'pending' });
  });

  test.each([
    [{ method: 'bank_transfer' }],
    [{ method: 'card', provider: null }],
    [{ method: 'card', status: 'succeeded' }],
    [{ method: 'card', status: 'pending' }],
    [{ method: 'direct_debit', received_on: startDay }],
    [{ method: 'direct_debit', allocations: [] }],
  ])('leaves a payment with %j to the client', async (more) => {
    expect(await rental.agency.make('payments', { tenancy: rental.tenancy.id, amount: 100, ...more })).toMatchObject({
      provider: null,
    });
  });

  test('leaves the money of a deposit to the client', async () => {
    const { agency, tenancy } = rental;
    const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy: tenancy.id, amount: 100 });
    const made = await agency.make('payments', { deposit, amount: 100, method: 'card' });
    expect(made).toMatchObject({ provider: null, status: 'succeeded' });
  });
});

test('refuses the simulated gateway at once when the mode is live', async () => {
  const live = await serverForTest({ settings: { TENURE_MODE: 'live' }, works: true });
  const refused = await live.api.post('/v1/account', { payment_provider: 'simulator' });
  expectCode(refused, 'parameter_invalid', { param: 'payment_provider' });
  expect(refused.body.error.message).toContain('sandbox only');
  const own = await letOn(live);
  const body = { tenancy: own.tenancy.id, amount: 1, method: 'card', provider: 'simulator' };
  expectCode(await own.agency.api.post('/v1/payments', body), 'parameter_invalid', { param: 'provider' });
});

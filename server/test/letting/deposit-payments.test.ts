import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { good, type TestServer } from '../support/server.ts';
import { Agency, expectCode, rent, startDay, week, startLetting } from './agency.ts';

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting();
});

beforeEach(async () => {
  agency = await Agency.on(server);
});

afterAll(() => server.stop());

describe('a payment of a deposit', () => {
  test('is for a tenancy or a deposit, and for one of them', async () => {
    const { tenancy, deposit } = await agency.secured();
    const money = { amount: 1, method: 'cash' };
    expectCode(await agency.api.post('/v1/payments', money), 'parameter_missing', { param: 'tenancy' });
    expectCode(await agency.api.post('/v1/payments', { ...money, tenancy, deposit }), 'parameters_exclusive', {
      param: 'deposit',
    });
    for (const method of ['deposit', 'holding_deposit'])
      expectCode(await agency.api.post('/v1/payments', { ...money, tenancy, method }), 'parameter_invalid', {
        param: 'method',
      });
    expectCode(await agency.api.post('/v1/payments', { ...money, deposit, allocations: [] }), 'parameters_exclusive', {
      param: 'allocations',
    });
    const byGateway = { ...money, deposit, method: 'card', provider: 'simulator' };
    expectCode(await agency.api.post('/v1/payments', byGateway), 'parameters_exclusive', { param: 'provider' });
  });

  test('enters the deposit in parts and no ledger, and never more than is missing', async () => {
    const { id: tenancy } = await agency.draft((await agency.unit()).id);
    const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 1_000 });
    // No rent is paid before the signing, but a deposit may be.
    expect(await agency.payDeposit(deposit, 400)).toMatchObject({
      currency: 'gbp',
      tenancy: null,
      deposit,
      allocations: [],
    });
    expect(await agency.get('deposits', deposit)).toMatchObject({ status: 'pending', amount_held: 400 });
    const over = await agency.api.post('/v1/payments', { deposit, amount: 601, method: 'cash' });
    expectCode(over, 'amount_exceeded', { param: 'amount' });
    expect(over.body.error.message).toContain('at most 600');
    const pending = await agency.payDeposit(deposit, 601, { status: 'pending' });
    expectCode(await agency.api.post(`/v1/payments/${pending.id}/succeed`), 'amount_exceeded');
    const fitting = await agency.payDeposit(deposit, 600, { status: 'pending' });
    expect(await agency.get('deposits', deposit)).toMatchObject({ amount_received: 400 });
    const succeeded = await good(agency.api.post(`/v1/payments/${fitting.id}/succeed`));
    const late = await agency.api.post(`/v1/payments/${pending.id}/succeed`);
    expectCode(late, 'amount_exceeded');
    expect(late.body.error.message).toContain('cancel a payment of it that is pending');
    expect(await agency.eventsOf(succeeded)).toEqual([
      'payment.updated',
      'payment.succeeded',
      'deposit.updated',
      'deposit.received',
    ]);
    expect(await agency.get('tenancies', tenancy)).toMatchObject({ balance: 0 });
    const { body } = await good(agency.api.get(`/v1/tenancies/${tenancy}/ledger`));
    expect(body.count).toBe(0);
    const found = await good(agency.api.get(`/v1/payments?deposit=${deposit}&expand=data.deposit`));
    expect(found.body.count).toBe(3);
    expect(found.body.data[0].deposit).toMatchObject({ object: 'deposit', status: 'received' });
  });

  test('can fail while its deposit holds it, which is pending again then', async () => {
    const { application } = await agency.applied();
    const holding = await agency.holding(application);
    const payment = await agency.payDeposit(holding.id, week);
    const failed = await good(agency.api.post(`/v1/payments/${payment.id}/fail`, { code: 'bounced' }));
    expect(await agency.eventsOf(failed)).toEqual([
      'payment.updated',
      'payment.failed',
      'deposit.updated',
      'unit.updated',
      'unit.available',
    ]);
    expect(await agency.get('deposits', holding.id)).toMatchObject({
      status: 'pending',
      amount_received: 0,
      received_on: null,
      received_at: null,
      decide_by: null,
      repay_by: null,
    });
    const again = await agency.payDeposit(holding.id, week);
    await agency.move('deposits', holding.id, 'return', { amount: 1, returned_on: startDay });
    const refused = await agency.api.post(`/v1/payments/${again.id}/fail`, { code: 'bounced' });
    expectCode(refused, 'amount_exceeded', { param: 'deposit' });
    expect(refused.body.error.message).toContain(`holds ${week - 1}`);
  });

  test('is neither allocated nor refunded', async () => {
    const { deposit } = await agency.secured();
    const { body } = await good(agency.api.get(`/v1/payments?deposit=${deposit}`));
    const { id } = body.data[0];
    expectCode(await agency.api.post(`/v1/payments/${id}/refund`, { amount: 1 }), 'status_transition_invalid');
    expectCode(await agency.api.post(`/v1/payments/${id}/allocate`, { allocations: [] }), 'status_transition_invalid');
  });

  test('is refused when its deposit is settled or canceled', async () => {
    const { tenancy, deposit } = await agency.secured();
    await agency.move('deposits', deposit, 'release', { deductions: [], returned_on: startDay });
    const { id: canceled } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 1_000 });
    await agency.move('deposits', canceled, 'cancel');
    for (const over of [deposit, canceled])
      expectCode(
        await agency.api.post('/v1/payments', { deposit: over, amount: 1, method: 'cash' }),
        'status_transition_invalid',
        {
          param: 'deposit',
        },
      );
  });

  test('is received on the day on which it succeeds, or on an earlier one that the request names', async () => {
    const { id: tenancy } = await agency.signed((await agency.unit()).id);
    const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 1_000 });
    const money = { deposit, amount: 500, method: 'cash', status: 'pending' };
    const early = await agency.api.post('/v1/payments', { ...money, received_on: startDay });
    expectCode(early, 'parameter_invalid', { param: 'received_on' });
    expect(early.body.error.message).toContain('`succeed`');
    const [first, second] = [await agency.make('payments', money), await agency.make('payments', money)];
    expect(first).toMatchObject({ status: 'pending', received_on: null });
    const late = await agency.api.post(`/v1/payments/${first.id}/succeed`, { received_on: '2027-01-05' });
    expectCode(late, 'parameter_invalid', { param: 'received_on' });
    const named = await agency.move('payments', first.id, 'succeed', { received_on: '2027-01-02' });
    expect(named).toMatchObject({ status: 'succeeded', received_on: '2027-01-02' });
    expect(await agency.move('payments', second.id, 'succeed')).toMatchObject({ received_on: startDay });
    expect(await agency.get('deposits', deposit)).toMatchObject({ received_on: startDay, protect_by: '2027-01-31' });
  });

  test('is received on the day of the latest of its parts, and is to be protected from the first on', async () => {
    const { id: tenancy } = await agency.signed((await agency.unit()).id);
    const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 1_000 });
    await agency.payDeposit(deposit, 400, { received_on: '2027-01-03' });
    const first = await agency.payDeposit(deposit, 600, { received_on: '2027-01-02' });
    expect(await agency.get('deposits', deposit)).toMatchObject({
      received_on: '2027-01-03',
      protect_by: '2027-01-31',
    });
    await agency.move('payments', first.id, 'fail', { code: 'bounced' });
    expect(await agency.get('deposits', deposit)).toMatchObject({
      status: 'pending',
      received_on: null,
      protect_by: '2027-02-01',
    });
  });
});

describe('the caps of a deposit', () => {
  test('are those of the rent on the day of the payment when it was lowered meanwhile', async () => {
    const { id: tenancy } = await agency.draft((await agency.unit()).id);
    const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 60_000 });
    await good(agency.api.post(`/v1/tenancies/${tenancy}`, { rent: { ...rent, amount: 30_000 } }));
    const pay = (to: string, amount: number) =>
      agency.api.post('/v1/payments', { deposit: to, amount, method: 'bank_transfer' });
    // Five weeks of 300.00 a month.
    expectCode(await pay(deposit, 34_616), 'check_failed', { check: 'deposit_cap', param: 'amount' });
    await good(pay(deposit, 34_615));

    const { application } = await agency.applied();
    const { id: holding } = await agency.holding(application);
    await good(agency.api.post(`/v1/applications/${application}`, { rent: { ...rent, amount: 40_000 } }));
    // A week of 400.00 a month.
    expectCode(await pay(holding, 9_231), 'check_failed', { check: 'holding_cap', param: 'amount' });
    await good(pay(holding, 9_230));
  });

  test('name what is missing to the cap when a part has come', async () => {
    const { id: tenancy } = await agency.draft((await agency.unit()).id);
    const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 60_000 });
    await good(agency.api.post(`/v1/tenancies/${tenancy}`, { rent: { ...rent, amount: 30_000 } }));
    const { application } = await agency.applied();
    const { id: holding } = await agency.holding(application);
    await good(agency.api.post(`/v1/applications/${application}`, { rent: { ...rent, amount: 40_000 } }));
    for (const [id, cap] of [
      [deposit, 34_615],
      [holding, 9_230],
    ] as const) {
      const pay = (amount: number) => agency.api.post('/v1/payments', { deposit: id, amount, method: 'cash' });
      await good(pay(cap - 500));
      const over = await pay(501);
      expectCode(over, 'check_failed', { param: 'amount' });
      expect(over.body.error.message).toContain('at most 500.');
      await good(pay(500));
    }
  });

  test('count a holding deposit that is applied', async () => {
    const { application, unit } = await agency.applied();
    const { id: holding } = await agency.holding(application, 9_000);
    await agency.payDeposit(holding, 9_000);
    const { id: tenancy } = await agency.draft(unit, { application });
    const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 60_000 });
    await good(agency.api.post(`/v1/tenancies/${tenancy}`, { rent: { ...rent, amount: 30_000 } }));
    await agency.payDeposit(deposit, 30_000);
    await agency.move('tenancies', tenancy, 'sign', { signed_on: startDay });
    const apply = (amount: number) =>
      agency.api.post(`/v1/deposits/${holding}/apply`, { to: [{ deposit, amount }], payer_consents: true });
    const over = await apply(4_616);
    expectCode(over, 'check_failed', { check: 'deposit_cap', param: 'to[0][amount]' });
    expect(over.body.error.message).toContain('at most 4615.');
    await good(apply(4_615));
  });
});

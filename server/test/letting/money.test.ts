import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { Agency, advance, dawn, expectCode, startDay, startLetting, type Made } from './agency.ts';
import { allPermissions } from '../support/permissions.ts';
import { apiClient, good, type ApiResponse, type TestServer } from '../support/server.ts';
import { addKey } from '../support/tenants.ts';

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting();
});

afterAll(() => server.stop());

/** An account of its own for each test, with a signed tenancy from 2027-02-01. */
async function signedTenancy(): Promise<Made> {
  agency = await Agency.on(server);
  return agency.signed((await agency.unit()).id);
}

/** The day in the sandbox. */
function today(): string {
  return new Date(server.context.clock.nowMs()).toISOString().slice(0, 10);
}

const line = { type: 'rent', description: 'Rent', amount: 95_000 };

function invoiceOf(tenancy: string, more: object = {}): Promise<Made> {
  return agency.make('invoices', { tenancy, lines: [line], due_on: '2027-02-01', finalize: true, ...more });
}

function interestOn(tenancy: string, invoice: string): Promise<ApiResponse> {
  const lines = [{ type: 'late_interest', description: 'Interest', amount: 500, invoice }];
  return agency.api.post('/v1/invoices', { tenancy, lines, due_on: '2027-02-01', finalize: true });
}

/** Changes rows in the database, behind the back of the server. */
function set(sql: string, values: string[]): Promise<unknown> {
  return withClient(server.connection, (client) => client.query(sql, values));
}

function many(entry: object): string {
  return JSON.stringify(Array.from({ length: 500 }, () => entry));
}

function pay(tenancy: string, amount: number, more: object = {}): Promise<Made> {
  return agency.make('payments', { tenancy, amount, method: 'bank_transfer', ...more });
}

async function ledgerOf(tenancy: string): Promise<[string, number, number][]> {
  const { body } = await good(agency.api.get(`/v1/tenancies/${tenancy}/ledger?limit=50`));
  const entries = body.data as { sequence: number; type: string; amount: number; balance: number }[];
  const inOrder = entries.toSorted((one, other) => one.sequence - other.sequence);
  expect(inOrder.map(({ sequence }) => sequence)).toEqual(inOrder.map((_, index) => index + 1));
  return inOrder.map(({ type, amount, balance }) => [type, amount, balance]);
}

describe('an invoice', () => {
  test('gets a number and enters the ledger when it is finalized', async () => {
    const tenancy = await signedTenancy();
    const draft = await invoiceOf(tenancy.id, { finalize: false });
    expect(draft).toMatchObject({ status: 'draft', number: null, total: 95_000, amount_due: 95_000, currency: 'gbp' });
    expect(await ledgerOf(tenancy.id)).toEqual([]);
    const answer = await good(agency.api.post(`/v1/invoices/${draft.id}/finalize`));
    expect(answer.body).toMatchObject({ status: 'open', number: 'INV-000001', customers: ['tenant_1'] });
    expect(await agency.eventsOf(answer)).toEqual(['invoice.updated', 'invoice.finalized', 'tenancy.updated']);
    expect(await ledgerOf(tenancy.id)).toEqual([['invoice', 95_000, 95_000]]);
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: 95_000, arrears: { amount: 0 } });
    expect(await invoiceOf(tenancy.id)).toMatchObject({ number: 'INV-000002' });
  });

  test('names another way when it has the most credits that it can have', async () => {
    const tenancy = await signedTenancy();
    const { id } = await invoiceOf(tenancy.id);
    const credit = { amount: 1, reason: 'The heating failed.' };
    for (let number = 1; number <= 50; number += 1) await agency.move('invoices', id, 'credit', credit);
    const refused = await agency.api.post(`/v1/invoices/${id}/credit`, credit);
    expectCode(refused, 'parameter_invalid', { message: expect.stringContaining('Credit another one.') });
  });

  test('is paid by money that came before it', async () => {
    const tenancy = await signedTenancy();
    const early = await pay(tenancy.id, 100_000);
    expect(early).toMatchObject({ amount_unallocated: 100_000, allocations: [] });
    const made = await invoiceOf(tenancy.id);
    expect(made).toMatchObject({ status: 'paid', amount_paid: 95_000, amount_due: 0 });
    expect(await agency.historyOf(made.id)).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid']);
    expect(await agency.get('payments', early.id)).toMatchObject({
      allocations: [{ invoice: made.id, amount: 95_000 }],
      amount_unallocated: 5_000,
    });
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: -5_000 });
  });

  test('frees payments when more of it is credited than was due', async () => {
    const tenancy = await signedTenancy();
    const made = await invoiceOf(tenancy.id);
    const [first, second] = [await pay(tenancy.id, 60_000), await pay(tenancy.id, 35_000)];
    const credited = await agency.move('invoices', made.id, 'credit', {
      amount: 40_000,
      reason: 'The heating failed.',
    });
    expect(credited).toMatchObject({ status: 'paid', amount_paid: 55_000, amount_credited: 40_000, amount_due: 0 });
    expect(await agency.get('payments', second.id)).toMatchObject({ allocations: [], amount_unallocated: 35_000 });
    expect(await agency.get('payments', first.id)).toMatchObject({
      amount_allocated: 55_000,
      amount_unallocated: 5_000,
    });
    expect(await ledgerOf(tenancy.id)).toEqual([
      ['invoice', 95_000, 95_000],
      ['payment', -60_000, 35_000],
      ['payment', -35_000, 0],
      ['credit', -40_000, -40_000],
    ]);
    const refused = await agency.api.post(`/v1/invoices/${made.id}/credit`, { amount: 55_001, reason: 'Again.' });
    expectCode(refused, 'amount_exceeded', { param: 'amount' });
    expect(refused.body.error.message).toContain('at most 55000');
    const rest = { amount: 55_000, reason: 'All of it.' };
    await agency.move('invoices', made.id, 'credit', rest);
    const nothing = await agency.api.post(`/v1/invoices/${made.id}/credit`, { ...rest, amount: 1 });
    expectCode(nothing, 'amount_exceeded', { param: 'amount' });
    expect(nothing.body.error.message).toContain('nothing left to credit');
  });

  test('keeps its number when it becomes void', async () => {
    const tenancy = await signedTenancy();
    const made = await invoiceOf(tenancy.id);
    expect(await agency.move('invoices', made.id, 'void', { reason: 'Sent twice.' })).toMatchObject({
      status: 'void',
      number: 'INV-000001',
      amount_due: 0,
    });
    const credited = await agency.api.post(`/v1/invoices/${made.id}/credit`, { amount: 1, reason: 'Again.' });
    expectCode(credited, 'status_transition_invalid');
    expect(credited.body.error.message).toContain('Nothing of a void invoice is owed. Credit another one.');
    expect(await invoiceOf(tenancy.id)).toMatchObject({ number: 'INV-000002' });
    expect(await ledgerOf(tenancy.id)).toEqual([
      ['invoice', 95_000, 95_000],
      ['void', -95_000, 0],
      ['invoice', 95_000, 95_000],
    ]);
  });

  test('becomes overdue on the day after its due date, and starts arrears', async () => {
    const tenancy = await signedTenancy();
    const dueOn = today();
    const made = await invoiceOf(tenancy.id, { due_on: dueOn });
    await dawn(server);
    expect(await agency.get('invoices', made.id)).toMatchObject({ overdue: false });
    await advance(server, 1);
    expect(await agency.get('invoices', made.id)).toMatchObject({ overdue: true, status: 'open' });
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ arrears: { amount: 95_000, since: dueOn } });
    await pay(tenancy.id, 95_000);
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({
      arrears: { amount: 0, since: null },
      balance: 0,
    });
    const history = await agency.historyOf(tenancy.id);
    expect(history.filter((type) => type.includes('arrears'))).toEqual([
      'tenancy.arrears_started',
      'tenancy.arrears_cleared',
    ]);
    expect(await agency.historyOf(made.id)).toContain('invoice.overdue');
  });

  test.each([
    [{ lines: [{ ...line, amount: -1 }] }, 'parameter_invalid', 'lines'],
    [{ lines: [{ ...line, type: 'other' }] }, 'check_failed', 'lines[0][type]'],
    [{ lines: [{ ...line, type: 'late_interest' }] }, 'check_failed', 'lines[0][invoice]'],
    [{ lines: [{ ...line, period: { start: '2027-03-01', end: '2027-03-31' } }] }, 'check_failed', 'due_on'],
    [
      { lines: [{ ...line, period: { start: '2027-03-01', end: '2027-02-01' } }] },
      'parameter_invalid',
      'lines[0][period][end]',
    ],
    [{ lines: [{ ...line, invoice: 'in_0VbZq9aK00mT3cUuP8sXw4' }] }, 'resource_missing', 'lines[0][invoice]'],
    [{ tenancy: 'unit_0VbZq9aK00mT3cUuP8sXw4' }, 'resource_missing', 'tenancy'],
    [{ due_on: '2027-02-30' }, 'parameter_invalid', 'due_on'],
  ])('is refused with %j', async (more, code, param) => {
    const tenancy = await signedTenancy();
    const body = { tenancy: tenancy.id, lines: [line], due_on: '2027-02-01', finalize: true, ...more };
    expectCode(await agency.api.post('/v1/invoices', body), code, { param });
    expect(await ledgerOf(tenancy.id)).toEqual([]);
    expect(await invoiceOf(tenancy.id)).toMatchObject({ number: 'INV-000001' });
  });

  test('lists the tenancies in arrears, or only the others, when a list asks for them', async () => {
    const owing = await signedTenancy();
    const other = await agency.signed((await agency.unit()).id);
    const listed = async (query: string): Promise<string[]> => {
      const { body } = await good(agency.api.get(`/v1/tenancies?${query}`));
      expect(body.count).toBe(body.data.length);
      return body.data.map(({ id }: Made) => id);
    };
    expect(await listed('in_arrears=true')).toEqual([]);
    await invoiceOf(owing.id, { due_on: '2027-01-03' });
    expect(await listed('in_arrears=true')).toEqual([owing.id]);
    expect(await listed('in_arrears=false')).toEqual([other.id]);
    expect(await listed('in_arrears=true&status=draft')).toEqual([]);
    await pay(owing.id, 95_000);
    expect(await listed('in_arrears=true')).toEqual([]);
    expectCode(await agency.api.get('/v1/tenancies?in_arrears=yes'), 'parameter_invalid', { param: 'in_arrears' });
  });

  test('is overdue at once when its due date is past', async () => {
    const tenancy = await signedTenancy();
    const made = await invoiceOf(tenancy.id, { due_on: '2027-01-03' });
    expect(made).toMatchObject({ status: 'open', overdue: true });
    expect(await agency.historyOf(made.id)).toEqual(['invoice.created', 'invoice.finalized', 'invoice.overdue']);
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({
      arrears: { amount: 95_000, since: '2027-01-03' },
    });
  });

  test('names the joint tenants when one of them was erased, also if links are strict', async () => {
    agency = await Agency.on(server);
    const people = [await agency.make('customers', { name: 'Ada' }), await agency.make('customers', { name: 'Ben' })];
    const customers = people.map(({ id }) => id);
    const tenancy = await agency.signed((await agency.unit()).id, { customers, start_date: startDay });
    await dawn(server);
    await agency.move('tenancies', tenancy.id, 'end', { ended_on: startDay, reason: 'surrender' });
    await good(agency.api.delete(`/v1/customers/${customers[1]}`));
    expect(await invoiceOf(tenancy.id)).toMatchObject({ status: 'open', customers });

    const own = await signedTenancy();
    await good(agency.api.post('/v1/account', { linked_records: 'strict' }));
    expect(await invoiceOf(own.id)).toMatchObject({ status: 'open', customers: ['tenant_1'] });
  });

  describe('of interest', () => {
    const param = 'lines[0][invoice]';

    test('is refused when the late invoice is of another tenancy, or is not owed', async () => {
      const tenancy = await signedTenancy();
      const late = { due_on: '2026-12-01' };
      const other = await agency.signed((await agency.unit()).id);
      const foreign = await invoiceOf(other.id, late);
      expectCode(await interestOn(tenancy.id, foreign.id), 'parameter_invalid', { param });
      const draft = await invoiceOf(tenancy.id, { ...late, finalize: false });
      expectCode(await interestOn(tenancy.id, draft.id), 'parameter_invalid', { param });
      const voided = await invoiceOf(tenancy.id, late);
      await agency.move('invoices', voided.id, 'void', { reason: 'Sent twice.' });
      expectCode(await interestOn(tenancy.id, voided.id), 'parameter_invalid', { param });
    });

    test.each([
      ['2026-12-20', 200],
      ['2026-12-22', 400],
    ])('counts the days until the late invoice was paid, when it was due on %s', async (dueOn, status) => {
      const tenancy = await signedTenancy();
      // Other tests have moved the clock, so the due date moves with it.
      const moved = Date.parse(today()) - Date.parse(startDay);
      const late = await invoiceOf(tenancy.id, {
        due_on: new Date(Date.parse(dueOn) + moved).toISOString().slice(0, 10),
      });
      await pay(tenancy.id, 95_000);
      await advance(server, 3);
      const answer = await interestOn(tenancy.id, late.id);
      expect(answer.status, answer.text).toBe(status);
      if (status === 400) expectCode(answer, 'check_failed', { check: 'late_interest' });
    });

    test('is refused when the money came in time and was recorded late', async () => {
      const tenancy = await signedTenancy();
      const late = await invoiceOf(tenancy.id, { due_on: today() });
      const cameOn = today();
      await advance(server, 20);
      await pay(tenancy.id, 95_000, { received_on: cameOn });
      expectCode(await interestOn(tenancy.id, late.id), 'check_failed', { check: 'late_interest', param });
    });

    test('is refused when the late invoice has no line of rent', async () => {
      const tenancy = await signedTenancy();
      const water = { type: 'utility', description: 'Water', amount: 2_800 };
      const late = await invoiceOf(tenancy.id, { lines: [water], due_on: '2026-12-01' });
      expectCode(await interestOn(tenancy.id, late.id), 'check_failed', { check: 'late_interest', param });
    });
  });

  test('keeps the order of what is owed when an older one changes', async () => {
    const tenancy = await signedTenancy();
    const [older, newer] = [await invoiceOf(tenancy.id), await invoiceOf(tenancy.id)];
    await agency.move('invoices', older.id, 'credit', { amount: 5_000, reason: 'The heating failed.' });
    await pay(tenancy.id, 100_000);
    expect(await agency.get('invoices', older.id)).toMatchObject({ status: 'paid' });
    expect(await agency.get('invoices', newer.id)).toMatchObject({ status: 'open', amount_paid: 10_000 });
  });

  test('can be deleted only while it is a draft', async () => {
    const tenancy = await signedTenancy();
    const [draft, open] = [await invoiceOf(tenancy.id, { finalize: false }), await invoiceOf(tenancy.id)];
    await good(agency.api.delete(`/v1/invoices/${draft.id}`));
    expectCode(await agency.api.delete(`/v1/invoices/${open.id}`), 'status_transition_invalid');
    expectCode(await agency.api.post(`/v1/invoices/${open.id}`, { due_on: '2027-03-01' }), 'status_transition_invalid');
  });

  test('of rent is refused before the tenancy is signed', async () => {
    await signedTenancy();
    const draft = await agency.draft((await agency.unit()).id);
    const body = { tenancy: draft.id, lines: [line], due_on: '2027-02-01', finalize: true };
    expectCode(await agency.api.post('/v1/invoices', body), 'check_failed', { check: 'rent_before_signing' });
    const money = { tenancy: draft.id, amount: 1, method: 'cash' };
    expectCode(await agency.api.post('/v1/payments', money), 'check_failed', { check: 'rent_before_signing' });
  });
});

describe('a payment of a day before the signing', () => {
  const early = { amount: 95_000, method: 'cash', received_on: '2027-01-03' };
  const refusal = { check: 'rent_before_signing', param: 'received_on' };

  test.each(['2027-01-03', '2026-04-30', '1990-01-01'])('is refused when the money came on %s', async (received_on) => {
    const tenancy = await signedTenancy();
    const body = { ...early, tenancy: tenancy.id, received_on };
    expectCode(await agency.api.post('/v1/payments', body), 'check_failed', refusal);
    expect(await ledgerOf(tenancy.id)).toEqual([]);
    expect(await pay(tenancy.id, 95_000, { received_on: startDay })).toMatchObject({ status: 'succeeded' });
  });

  test('is refused when a pending payment succeeds', async () => {
    const tenancy = await signedTenancy();
    const { id } = await pay(tenancy.id, 95_000, { status: 'pending' });
    const answer = await agency.api.post(`/v1/payments/${id}/succeed`, { received_on: '2027-01-03' });
    expectCode(answer, 'check_failed', refusal);
    expect(await agency.move('payments', id, 'succeed', { received_on: startDay })).toMatchObject({
      status: 'succeeded',
    });
  });

  test('is accepted when the law of the signing did not forbid it, or the tenancy is of a company', async () => {
    agency = await Agency.on(server);
    const company = await agency.signed((await agency.unit()).id, { type: 'company' });
    expect(await pay(company.id, 1, early)).toMatchObject({ received_on: '2027-01-03' });
    const old = await agency.draft((await agency.unit()).id, { start_date: '2026-03-01' });
    await agency.move('tenancies', old.id, 'sign', { signed_on: '2026-02-20' });
    expect(await pay(old.id, 1, { received_on: '2026-02-19' })).toMatchObject({ status: 'succeeded' });
  });
});

describe('a rent in another currency', () => {
  const euros = { rent: { amount: 95_000, currency: 'eur', interval: 'month' } };
  const water = { lines: [{ ...line, type: 'utility' }] };

  test('is refused when the ledger of the draft has begun', async () => {
    agency = await Agency.on(server);
    const tenancy = await agency.draft((await agency.unit()).id);
    await invoiceOf(tenancy.id, water);
    expectCode(await agency.api.post(`/v1/tenancies/${tenancy.id}`, euros), 'parameter_invalid', {
      param: 'rent[currency]',
    });
  });

  test('is refused until the deposit in the earlier one is canceled, or released', async () => {
    agency = await Agency.on(server);
    const tenancy = await agency.draft((await agency.unit()).id);
    for (const [paid, end, body] of [
      [0, 'cancel', {}],
      [10_000, 'release', { deductions: [], returned_on: today() }],
    ] as const) {
      const deposit = await agency.make('deposits', { type: 'tenancy', tenancy: tenancy.id, amount: 10_000 });
      if (paid > 0) await agency.payDeposit(deposit.id, paid);
      const refused = await agency.api.post(`/v1/tenancies/${tenancy.id}`, euros);
      expectCode(refused, 'parameter_invalid', { param: 'rent[currency]' });
      expect(refused.text).toContain(`First ${end} it.`);
      await agency.move('deposits', deposit.id, end, body);
    }
    const changed = await good(agency.api.post(`/v1/tenancies/${tenancy.id}`, euros));
    expect(changed.body).toMatchObject(euros);
    expect(await agency.make('deposits', { type: 'tenancy', tenancy: tenancy.id, amount: 1 })).toMatchObject({
      currency: 'eur',
    });
  });

  test('refuses earlier drafts of invoices and pending payments', async () => {
    agency = await Agency.on(server);
    const tenancy = await agency.draft((await agency.unit()).id);
    const draft = await invoiceOf(tenancy.id, { ...water, finalize: false });
    const pending = await pay(tenancy.id, 1_000, { status: 'pending' });
    await good(agency.api.post(`/v1/tenancies/${tenancy.id}`, euros));
    await agency.move('tenancies', tenancy.id, 'sign', { signed_on: startDay });
    expectCode(await agency.api.post(`/v1/invoices/${draft.id}/finalize`), 'status_transition_invalid');
    expectCode(await agency.api.post(`/v1/payments/${pending.id}/succeed`), 'status_transition_invalid');
    expect(await ledgerOf(tenancy.id)).toEqual([]);
  });
});

describe('a payment', () => {
  test('settles the oldest due invoices first, and is freed when it bounces', async () => {
    const tenancy = await signedTenancy();
    const march = await invoiceOf(tenancy.id, { due_on: '2027-03-01' });
    const february = await invoiceOf(tenancy.id);
    const answer = await good(
      agency.api.post('/v1/payments', { tenancy: tenancy.id, amount: 120_000, method: 'standing_order' }),
    );
    const { id } = answer.body as Made;
    expect(answer.body).toMatchObject({
      allocations: [
        { invoice: february.id, amount: 95_000 },
        { invoice: march.id, amount: 25_000 },
      ],
    });
    expect(await agency.eventsOf(answer)).toEqual([
      'payment.created',
      'payment.succeeded',
      'invoice.updated',
      'invoice.paid',
      'invoice.updated',
      'tenancy.updated',
    ]);
    const bounced = await agency.move('payments', id, 'fail', { code: 'insufficient_funds' });
    expect(bounced).toMatchObject({ status: 'failed', allocations: [], failure: { code: 'insufficient_funds' } });
    expect(await agency.get('invoices', february.id)).toMatchObject({ status: 'open', amount_paid: 0, paid_at: null });
    expect(await agency.historyOf(february.id)).toContain('invoice.reopened');
    expect(await ledgerOf(tenancy.id)).toEqual([
      ['invoice', 95_000, 95_000],
      ['invoice', 95_000, 190_000],
      ['payment', -120_000, 70_000],
      ['payment_failed', 120_000, 190_000],
    ]);
  });

  test('moves to another invoice when it is allocated anew', async () => {
    const tenancy = await signedTenancy();
    const [first, second] = [await invoiceOf(tenancy.id), await invoiceOf(tenancy.id, { due_on: '2027-03-01' })];
    const made = await pay(tenancy.id, 95_000, { allocations: [{ invoice: second.id, amount: 95_000 }] });
    expect(await agency.get('invoices', second.id)).toMatchObject({ status: 'paid' });
    const moved = await agency.move('payments', made.id, 'allocate', {
      allocations: [
        { invoice: first.id, amount: 90_000 },
        { invoice: second.id, amount: 5_000 },
      ],
    });
    expect(moved).toMatchObject({ amount_allocated: 95_000 });
    expect(await agency.get('invoices', first.id)).toMatchObject({ status: 'open', amount_due: 5_000 });
    expect(await agency.get('invoices', second.id)).toMatchObject({ status: 'open', amount_due: 90_000 });
    const over = { allocations: [{ invoice: first.id, amount: 95_001 }] };
    expectCode(await agency.api.post(`/v1/payments/${made.id}/allocate`, over), 'amount_exceeded', {
      param: 'allocations',
    });
    const beyond = {
      allocations: [
        { invoice: first.id, amount: 1 },
        { invoice: first.id, amount: 1 },
      ],
    };
    expectCode(await agency.api.post(`/v1/payments/${made.id}/allocate`, beyond), 'parameter_invalid');
  });

  test('goes back in parts, from what settles nothing first', async () => {
    const tenancy = await signedTenancy();
    const made = await invoiceOf(tenancy.id);
    const payment = await pay(tenancy.id, 100_000);
    const back = (amount: number): Promise<Made> => agency.move('payments', payment.id, 'refund', { amount });
    expect(await back(5_000)).toMatchObject({ status: 'succeeded', amount_allocated: 95_000, amount_unallocated: 0 });
    expect(await back(10_000)).toMatchObject({ amount_allocated: 85_000 });
    expect(await agency.get('invoices', made.id)).toMatchObject({ status: 'open', amount_due: 10_000 });
    const refused = await agency.api.post(`/v1/payments/${payment.id}/refund`, { amount: 85_001 });
    expectCode(refused, 'amount_exceeded', { param: 'amount' });
    expect(await back(85_000)).toMatchObject({ status: 'refunded', allocations: [] });
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: 95_000 });
  });

  test('settles nothing until it succeeds', async () => {
    const tenancy = await signedTenancy();
    const made = await invoiceOf(tenancy.id);
    const pending = await pay(tenancy.id, 95_000, { status: 'pending' });
    expect(await agency.get('invoices', made.id)).toMatchObject({ status: 'open' });
    expect(await agency.move('payments', pending.id, 'succeed')).toMatchObject({ amount_allocated: 95_000 });
    expect(await agency.get('invoices', made.id)).toMatchObject({ status: 'paid' });
    const other = await pay(tenancy.id, 1, { status: 'pending' });
    expect(await agency.move('payments', other.id, 'cancel')).toMatchObject({ status: 'canceled' });
    expectCode(await agency.api.post(`/v1/payments/${other.id}/succeed`), 'status_transition_invalid');
    expect((await ledgerOf(tenancy.id)).map(([type]) => type)).toEqual(['invoice', 'payment']);
  });

  test('of many at once settles what is due, and no more', async () => {
    const tenancy = await signedTenancy();
    const made = await invoiceOf(tenancy.id);
    await Promise.all(Array.from({ length: 49 }, () => pay(tenancy.id, 2_000)));
    expect(await agency.get('invoices', made.id)).toMatchObject({ status: 'paid', amount_paid: 95_000 });
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: -3_000 });
    const ledger = await ledgerOf(tenancy.id);
    expect(ledger.at(-1)).toEqual(['payment', -2_000, -3_000]);
    expect(ledger).toHaveLength(50);
  });
});

function refund(payment: string, amount: number): Promise<Made> {
  return agency.move('payments', payment, 'refund', { amount });
}

describe('free money of a tenancy', () => {
  test.each([
    ['is refunded', 'refund', { amount: 95_000 }],
    ['bounces', 'fail', { code: 'insufficient_funds' }],
  ])('settles the invoice of a payment that %s', async (_, name, body) => {
    const tenancy = await signedTenancy();
    const made = await invoiceOf(tenancy.id, { due_on: today() });
    const [first, second] = [await pay(tenancy.id, 95_000), await pay(tenancy.id, 95_000)];
    expect(second).toMatchObject({ amount_unallocated: 95_000 });
    const answer = await good(agency.api.post(`/v1/payments/${first.id}/${name}`, body));
    // The invoice stays paid, so nothing tells that it is due again.
    expect(await agency.eventsOf(answer)).toEqual([
      'payment.updated',
      `payment.${name === 'fail' ? 'failed' : 'refunded'}`,
      'payment.updated',
      'tenancy.updated',
    ]);
    expect(await agency.get('payments', second.id)).toMatchObject({
      allocations: [{ invoice: made.id, amount: 95_000 }],
      amount_unallocated: 0,
    });
    await advance(server, 1);
    expect(await agency.get('invoices', made.id)).toMatchObject({ status: 'paid', amount_due: 0, overdue: false });
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({
      balance: 0,
      arrears: { amount: 0, since: null },
    });
    expect(await agency.historyOf(tenancy.id)).not.toContain('tenancy.arrears_started');
    expect(await invoiceOf(tenancy.id)).toMatchObject({ status: 'open', amount_paid: 0 });
  });

  test('settles what a small refund reopens, and leaves the rest free', async () => {
    const tenancy = await signedTenancy();
    const made = await invoiceOf(tenancy.id);
    const [first, second] = [await pay(tenancy.id, 95_000), await pay(tenancy.id, 30_000)];
    await refund(first.id, 2_000);
    expect(await agency.get('invoices', made.id)).toMatchObject({ status: 'paid', amount_paid: 95_000 });
    expect(await agency.get('payments', second.id)).toMatchObject({
      allocations: [{ invoice: made.id, amount: 2_000 }],
      amount_unallocated: 28_000,
    });
    // The same payment settles more of the same invoice.
    await refund(first.id, 3_000);
    expect(await agency.get('payments', second.id)).toMatchObject({
      allocations: [{ invoice: made.id, amount: 5_000 }],
    });
    await refund(first.id, 50_000);
    expect(await agency.get('invoices', made.id)).toMatchObject({ status: 'open', amount_due: 25_000 });
    expect(await agency.historyOf(made.id)).toContain('invoice.reopened');
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: 25_000 });
  });

  test('settles the oldest due invoice when a credit frees it', async () => {
    const tenancy = await signedTenancy();
    const late = dayAhead(-3);
    const paid = await invoiceOf(tenancy.id, { due_on: late });
    const payment = await pay(tenancy.id, 95_000);
    const newer = await invoiceOf(tenancy.id, { due_on: dayAhead(30) });
    const older = await invoiceOf(tenancy.id, { due_on: dayAhead(-2) });
    const answer = await good(
      agency.api.post(`/v1/invoices/${paid.id}/credit`, { amount: 95_000, reason: 'The heating failed.' }),
    );
    expect(answer.body).toMatchObject({ status: 'paid', amount_paid: 0 });
    expect(await agency.get('invoices', older.id)).toMatchObject({ status: 'paid', amount_paid: 95_000 });
    expect(await agency.get('invoices', newer.id)).toMatchObject({ status: 'open', amount_paid: 0 });
    expect(await agency.get('payments', payment.id)).toMatchObject({
      allocations: [{ invoice: older.id, amount: 95_000 }],
    });
    expect(await agency.eventsOf(answer)).toEqual([
      'invoice.updated',
      'invoice.credited',
      'payment.updated',
      'invoice.updated',
      'invoice.paid',
      'tenancy.updated',
      'tenancy.arrears_cleared',
    ]);
  });

  test('settles the oldest due of several invoices that a bounce opens', async () => {
    const tenancy = await signedTenancy();
    const march = await invoiceOf(tenancy.id, { due_on: '2027-03-01' });
    const february = await invoiceOf(tenancy.id, { due_on: '2027-02-01' });
    const [both, free] = [await pay(tenancy.id, 190_000), await pay(tenancy.id, 100_000)];
    await agency.move('payments', both.id, 'fail', { code: 'insufficient_funds' });
    expect(await agency.get('payments', free.id)).toMatchObject({
      allocations: [
        { invoice: february.id, amount: 95_000 },
        { invoice: march.id, amount: 5_000 },
      ],
    });
    expect(await agency.get('invoices', march.id)).toMatchObject({ status: 'open', amount_due: 90_000 });
    expect(await agency.historyOf(february.id)).not.toContain('invoice.reopened');
  });

  test('settles a year of weekly rent when it was paid ahead, and opens all of it when it bounces', async () => {
    const tenancy = await signedTenancy();
    const ahead = await pay(tenancy.id, 52_000);
    const week = { tenancy: tenancy.id, lines: [{ ...line, amount: 1_000 }], due_on: '2027-01-05', finalize: true };
    for (let weeks = 0; weeks < 52; weeks++) expect((await agency.make('invoices', week)).status).toBe('paid');
    await advance(server, 2);
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: 0, arrears: { amount: 0 } });

    await agency.move('payments', ahead.id, 'fail', { code: 'bounced' });
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: 52_000, arrears: { amount: 52_000 } });
    const { allocations, amount_unallocated: left } = await pay(tenancy.id, 52_000);
    expect([allocations.length, left]).toEqual([52, 0]);
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: 0, arrears: { amount: 0 } });
  });

  test('stays free when a client allocates it so, until other money is freed', async () => {
    const tenancy = await signedTenancy();
    const made = await invoiceOf(tenancy.id);
    const [first, second] = [await pay(tenancy.id, 50_000), await pay(tenancy.id, 45_000)];
    await agency.move('payments', first.id, 'allocate', { allocations: [] });
    await refund(first.id, 1_000);
    await agency.move('invoices', made.id, 'credit', { amount: 2_000, reason: 'The heating failed.' });
    expect(await agency.get('invoices', made.id)).toMatchObject({ status: 'open', amount_due: 48_000 });
    expect(await agency.get('payments', first.id)).toMatchObject({ allocations: [], amount_unallocated: 49_000 });
    await refund(second.id, 10_000);
    expect(await agency.get('invoices', made.id)).toMatchObject({ status: 'open', amount_due: 9_000 });
    expect(await agency.get('payments', first.id)).toMatchObject({ amount_unallocated: 0 });
  });

  test('settles no uncollectible invoice when a payment of that bounces', async () => {
    const tenancy = await signedTenancy();
    const made = await invoiceOf(tenancy.id);
    const first = await pay(tenancy.id, 40_000);
    await agency.move('invoices', made.id, 'mark_uncollectible');
    const second = await pay(tenancy.id, 10_000);
    await agency.move('payments', first.id, 'fail', { code: 'insufficient_funds' });
    expect(await agency.get('invoices', made.id)).toMatchObject({ status: 'uncollectible', amount_due: 95_000 });
    expect(await agency.get('payments', second.id)).toMatchObject({ allocations: [], amount_unallocated: 10_000 });
  });

  test('settles an invoice once when several payments of it go back at the same time', async () => {
    const tenancy = await signedTenancy();
    const made = await invoiceOf(tenancy.id);
    const paid = await Promise.all(Array.from({ length: 10 }, () => pay(tenancy.id, 9_500)));
    const free = await pay(tenancy.id, 40_000);
    await Promise.all(
      paid.slice(0, 5).map(({ id }) => agency.move('payments', id, 'fail', { code: 'insufficient_funds' })),
    );
    expect(await agency.get('invoices', made.id)).toMatchObject({ status: 'open', amount_due: 7_500 });
    expect(await agency.get('payments', free.id)).toMatchObject({
      allocations: [{ invoice: made.id, amount: 40_000 }],
    });
  });
});

test('numbers have no gap when invoices of many tenancies are finalized at once', async () => {
  await signedTenancy();
  const home = await agency.building();
  const tenancies = await Promise.all(
    Array.from({ length: 10 }, async () => agency.signed((await agency.unit({ building: home.id })).id)),
  );
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, index) => invoiceOf(tenancies[index % 10]!.id, { due_on: '2027-02-01' })),
  );
  const numbers = made.map(({ number }) => number as string).toSorted();
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => `INV-${String(index + 1).padStart(6, '0')}`));
});

test('numbers the first invoices of an account when two processes finalize them at once', async () => {
  const other = await startLetting({ connection: server.connection, secretKey: server.secretKey });
  for (let round = 0; round < 5; round++) {
    await signedTenancy();
    const { id: building } = await agency.building();
    const drafts = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const tenancy = await agency.signed((await agency.unit({ building })).id);
        return invoiceOf(tenancy.id, { finalize: false });
      }),
    );
    const { key } = await addKey(server, agency.accountId, { permissions: allPermissions });
    const apis = [agency.api, apiClient(other.url, key)];
    const answers = await Promise.all(
      drafts.map(({ id }, index) => good(apis[index % 2]!.post(`/v1/invoices/${id}/finalize`))),
    );
    const numbers = answers.map(({ body }) => body.number as string).toSorted();
    expect(numbers).toEqual(['INV-000001', 'INV-000002', 'INV-000003', 'INV-000004']);
  }
  await other.stop();
});

test('leaves no free money beside an open invoice when another process records it after the read', async () => {
  const other = await startLetting({ connection: server.connection, secretKey: server.secretKey });
  const tenancy = await signedTenancy();
  const { key } = await addKey(server, agency.accountId, { permissions: allPermissions });
  const api = apiClient(other.url, key);
  const { readRecord } = other.context;
  let reads = 0;
  let paid: Made | null = null;
  other.context.readRecord = async (resource, accountId, id) => {
    const record = await readRecord(resource, accountId, id);
    if (id === tenancy.id && ++reads === 1) paid = await pay(tenancy.id, 95_000);
    return record;
  };
  const body = { tenancy: tenancy.id, lines: [line], due_on: '2027-03-01', finalize: true };
  const made = (await good(api.post('/v1/invoices', body))).body;
  expect(made).toMatchObject({ status: 'paid', amount_due: 0 });
  expect(await agency.get('payments', paid!.id)).toMatchObject({ amount_unallocated: 0 });
  // Each of the two decisions reads it once, for its link, its guard and its sum.
  expect(reads).toBe(2);
  await other.stop();
});

describe('the bounds of a tenancy', () => {
  test('refuse an invoice and a payment when too many wait, and a payment that too many share', async () => {
    const tenancy = await signedTenancy();
    const made = await invoiceOf(tenancy.id);
    // Hundreds of requests would only take time.
    await set('update tenancies set owed = $3 where account_id = $1 and id = $2', [
      agency.accountId,
      tenancy.id,
      many({ invoice: made.id, due_on: '2027-02-01', amount: 95_000, overdue: false }),
    ]);
    await set('update invoices set paying = array_fill($3::text, array[500]) where account_id = $1 and id = $2', [
      agency.accountId,
      made.id,
      'pay_0VbZq9aK00mT3cUuP8sXw4',
    ]);
    const body = { tenancy: tenancy.id, lines: [line], due_on: '2027-02-01', finalize: true };
    expectCode(await agency.api.post('/v1/invoices', body), 'limit_reached', { param: 'tenancy' });
    const named = { tenancy: tenancy.id, amount: 1, method: 'cash', allocations: [{ invoice: made.id, amount: 1 }] };
    expectCode(await agency.api.post('/v1/payments', named), 'parameter_invalid', { param: 'allocations[0][invoice]' });
    expect(await pay(tenancy.id, 1)).toMatchObject({ allocations: [], amount_unallocated: 1 });

    await set('update tenancies set credit = $3 where account_id = $1 and id = $2', [
      agency.accountId,
      tenancy.id,
      many({ payment: 'pay_0VbZq9aK00mT3cUuP8sXw4' }),
    ]);
    const unnamed = { tenancy: tenancy.id, amount: 1, method: 'cash' };
    expectCode(await agency.api.post('/v1/payments', unnamed), 'limit_reached', { param: 'tenancy' });
  });
});

const start = '2028-03-01';
const yearOf = (due_on: string) => ({
  lines: [{ ...line, amount: 1_140_000, period: { start, end: '2029-02-28' } }],
  due_on,
});

describe('rent for more than a rent period', () => {
  test.each(['2028-02-29', start, '2029-01-28'])('is refused when all of it is due on %s', async (dueOn) => {
    agency = await Agency.on(server);
    const tenancy = await agency.signed((await agency.unit()).id, { start_date: start });
    expectCode(
      await agency.api.post('/v1/invoices', { tenancy: tenancy.id, finalize: true, ...yearOf(dueOn) }),
      'check_failed',
      { check: 'rent_in_advance', param: 'due_on' },
    );
  });

  test('is owed when its last period has begun', async () => {
    agency = await Agency.on(server);
    const tenancy = await agency.signed((await agency.unit()).id, { start_date: start });
    expect(await invoiceOf(tenancy.id, yearOf('2029-02-01'))).toMatchObject({ status: 'open' });
  });

  test('may be due before the start when it is for the first rent period alone', async () => {
    agency = await Agency.on(server);
    const tenancy = await agency.signed((await agency.unit()).id, { start_date: start });
    const lines = [{ ...line, period: { start, end: '2028-03-31' } }];
    expect(await invoiceOf(tenancy.id, { lines, due_on: '2028-02-29' })).toMatchObject({ status: 'open' });
  });
});

/** An active tenancy that a test can end today. */
async function activeTenancy(): Promise<Made> {
  agency = await Agency.on(server);
  const tenancy = await agency.signed((await agency.unit()).id, { start_date: today(), type: 'company' });
  await dawn(server);
  return tenancy;
}

const rentFor = (from: number, to: number, amount = 95_000) => ({
  ...line,
  amount,
  period: { start: dayAhead(from), end: dayAhead(to) },
});

function dayAhead(days: number): string {
  return new Date(Date.parse(today()) + days * 86_400_000).toISOString().slice(0, 10);
}

async function ended(tenancy: Made): Promise<Made> {
  return agency.move('tenancies', tenancy.id, 'end', { ended_on: today(), reason: 'surrender' });
}

describe('rent that requests invoiced', () => {
  test('is credited for the days after the end, less its discount', async () => {
    const tenancy = await activeTenancy();
    const made = await invoiceOf(tenancy.id, {
      lines: [rentFor(0, 29, 3_000), rentFor(0, 29, -300), { type: 'utility', description: 'Water', amount: 50 }],
    });
    await pay(tenancy.id, 1_000);
    // 29 of 30 days: 2,900 less 290.
    expect(await ended(tenancy)).toMatchObject({ status: 'ended', balance: 2_750 - 1_000 - 2_610 });
    expect(await agency.get('invoices', made.id)).toMatchObject({
      status: 'paid',
      amount_credited: 2_610,
      credits: [{ amount: 2_610 }],
    });
  });

  test('becomes void when all of it is for later days, and is credited when money settled it', async () => {
    const tenancy = await activeTenancy();
    const settled = await invoiceOf(tenancy.id, { lines: [rentFor(60, 89)] });
    await pay(tenancy.id, 95_000);
    // The later invoice comes first, so the order of the days is not that of the requests.
    const later = await invoiceOf(tenancy.id, { lines: [rentFor(30, 59)] });
    const undated = await invoiceOf(tenancy.id);
    expect(await ended(tenancy)).toMatchObject({ balance: 0 });
    expect(await agency.get('invoices', later.id)).toMatchObject({ status: 'void' });
    expect(await agency.get('invoices', settled.id)).toMatchObject({ status: 'paid', amount_credited: 95_000 });
    // The money of the credited invoice settles this one, of which no line has days.
    expect(await agency.get('invoices', undated.id)).toMatchObject({ status: 'paid', amount_credited: 0 });
  });
});

test('refuses to finalize a draft when its tenancy was canceled', async () => {
  const tenancy = await signedTenancy();
  const draft = await invoiceOf(tenancy.id, { finalize: false });
  await agency.move('tenancies', tenancy.id, 'cancel');
  expectCode(await agency.api.post(`/v1/invoices/${draft.id}/finalize`), 'status_transition_invalid');
});

test('refuses to cancel a tenancy while an invoice of it is open', async () => {
  const tenancy = await signedTenancy();
  const made = await invoiceOf(tenancy.id);
  expectCode(await agency.api.post(`/v1/tenancies/${tenancy.id}/cancel`), 'record_in_use');
  await agency.move('invoices', made.id, 'void', { reason: 'The let fell through.' });
  expect(await agency.move('tenancies', tenancy.id, 'cancel')).toMatchObject({ status: 'canceled' });
});

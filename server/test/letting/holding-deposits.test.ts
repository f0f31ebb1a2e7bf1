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

describe('a unit', () => {
  test('has one holding deposit at a time', async () => {
    const { unit, application } = await agency.applied();
    const first = await agency.holding(application);
    const { id: rival } = await agency.application({ unit, rent });
    const second = await agency.holding(rival);
    await agency.payDeposit(first.id, week);
    const money = { deposit: second.id, amount: week, method: 'cash' };
    const held = { check: 'holding_single', param: 'deposit' };
    expectCode(await agency.api.post('/v1/payments', money), 'check_failed', held);
    const third = await agency.api.post('/v1/deposits', { type: 'holding', application: rival, amount: 1 });
    expectCode(third, 'check_failed', { check: 'holding_single', param: 'application' });
    const pending = await agency.make('payments', { ...money, status: 'pending' });
    expectCode(await agency.api.post(`/v1/payments/${pending.id}/succeed`), 'check_failed', held);
    const returned = await good(agency.api.post(`/v1/deposits/${first.id}/return`, { returned_on: startDay }));
    expect(await agency.eventsOf(returned)).toEqual([
      'deposit.updated',
      'deposit.returned',
      'unit.updated',
      'unit.available',
    ]);
    expect(returned.body).toMatchObject({ status: 'settled', amount_returned: week, returned_on: startDay });
    await good(agency.api.post('/v1/payments', money));
    expect(await agency.get('units', unit)).toMatchObject({ status: 'reserved', holding_deposit: second.id });
  });

  test('takes one of two holding deposits that are paid at once', async () => {
    const { unit, application } = await agency.applied();
    const deposits: string[] = [];
    for (const applicants of [application, (await agency.application({ unit, rent })).id])
      deposits.push((await agency.holding(applicants)).id);
    const answers = await Promise.all(
      deposits.map((deposit) => agency.api.post('/v1/payments', { deposit, amount: week, method: 'cash' })),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400]);
    expect(answers.find(({ status }) => status === 400)?.body.error).toMatchObject({ check: 'holding_single' });
  });

  test('goes on to the next when two are held, because the account has turned the rule off', async () => {
    await good(agency.api.post('/v1/account', { rules: { checks: { holding_single: 'off' } } }));
    const { unit, application } = await agency.applied();
    const [first, second] = [await agency.holding(application), await agency.holding(application)];
    await agency.payDeposit(first.id, week);
    await agency.payDeposit(second.id, week);
    expect(await agency.get('units', unit)).toMatchObject({ holding_deposit: first.id });
    await agency.move('deposits', first.id, 'return', { returned_on: startDay });
    expect(await agency.get('units', unit)).toMatchObject({ status: 'reserved', holding_deposit: second.id });
  });

  test('is reserved by no holding deposit when it is archived', async () => {
    const { unit, application } = await agency.applied();
    const { id } = await agency.holding(application);
    await good(agency.api.post(`/v1/units/${unit}`, { archived: true }));
    const body = { type: 'holding', application, amount: week };
    expectCode(await agency.api.post('/v1/deposits', body), 'parameter_invalid', { param: 'application' });
    const payment = { deposit: id, amount: week, method: 'cash' };
    expectCode(await agency.api.post('/v1/payments', payment), 'parameter_invalid', { param: 'deposit' });
    expect(await agency.get('units', unit)).toMatchObject({ archived: true, status: 'available' });
    await good(agency.api.post(`/v1/units/${unit}`, { archived: false }));
    await agency.payDeposit(id, week);
    expect(await agency.get('units', unit)).toMatchObject({ status: 'reserved' });
  });

  test('cannot be archived or deleted while it is reserved, and neither can the application', async () => {
    const { unit, application } = await agency.applied();
    const { id } = await agency.holding(application);
    await agency.payDeposit(id, week);
    const held = await agency.api.post(`/v1/units/${unit}`, { archived: true });
    expectCode(held, 'record_in_use', { param: 'archived' });
    expect(held.body.error.message).toContain(`Return, retain or apply ${id} first.`);
    expectCode(await agency.api.delete(`/v1/units/${unit}`), 'record_in_use');
    const refused = await agency.api.delete(`/v1/applications/${application}`);
    expectCode(refused, 'record_in_use');
    expect(refused.body.error.message).toContain(id);
  });
});

describe('a holding deposit', () => {
  test('is repaid within six days of the first of three events', async () => {
    const { application } = await agency.applied();
    const { id } = await agency.holding(application);
    await agency.payDeposit(id, week);
    const repayBy = async () => (await agency.get('deposits', id)).repay_by;
    expect(await repayBy()).toBe('2027-01-24');
    const extended = await agency.move('deposits', id, 'extend', { decide_by: '2027-01-25', agreed_in_writing: true });
    expect(extended).toMatchObject({ decide_by: '2027-01-25', repay_by: '2027-01-31' });
    const early = await agency.api.post(`/v1/deposits/${id}/extend`, {
      decide_by: '2027-01-25',
      agreed_in_writing: true,
    });
    expectCode(early, 'parameter_invalid', { param: 'decide_by' });
    expect(early.body.error.message).toContain('2027-01-26');
    expectCode(
      await agency.api.post(`/v1/deposits/${id}/extend`, { decide_by: '2027-02-25', agreed_in_writing: false }),
      'parameter_invalid',
      { param: 'agreed_in_writing' },
    );
    await agency.move('applications', application, 'reject', { reasons: ['affordability'] });
    expect(await repayBy()).toBe('2027-01-10');
    await agency.move('applications', application, 'request_review');
    await agency.move('applications', application, 'review', { result: 'changed', note: 'The income is higher.' });
    expect(await repayBy()).toBe('2027-01-31');
    await agency.move('applications', application, 'withdraw');
    expect(await repayBy()).toBe('2027-01-10');
  });

  test('is extended to the end of the calendar, and no further', async () => {
    const { application } = await agency.applied();
    const { id } = await agency.holding(application);
    await agency.payDeposit(id, week);
    const body = { decide_by: '9999-12-31', agreed_in_writing: true };
    await agency.move('deposits', id, 'extend', body);
    const again = await agency.api.post(`/v1/deposits/${id}/extend`, body);
    expectCode(again, 'parameter_invalid', { param: 'decide_by' });
    expect(again.body.error.message).toContain('It cannot be later.');
  });

  test('follows the signing of its tenancy, and the end of that', async () => {
    const { unit, application } = await agency.applied();
    const { id } = await agency.holding(application);
    await agency.payDeposit(id, week);
    const { id: other } = await agency.draft(unit, { application });
    const { id: tenancy } = await agency.draft(unit, { application });
    await agency.move('tenancies', tenancy, 'sign', { signed_on: '2027-01-02' });
    expect(await agency.get('deposits', id)).toMatchObject({ repay_by: '2027-01-08' });
    // A draft of the same application was never signed.
    await agency.move('tenancies', other, 'cancel');
    expect(await agency.get('deposits', id)).toMatchObject({ repay_by: '2027-01-08' });
    await agency.move('tenancies', tenancy, 'cancel');
    expect(await agency.get('deposits', id)).toMatchObject({ repay_by: '2027-01-24' });
  });

  test('pays the oldest invoices of a tenancy and a deposit in one request', async () => {
    const { unit, application } = await agency.applied();
    const { id } = await agency.holding(application);
    await agency.payDeposit(id, week);
    const { id: tenancy } = await agency.signed(unit, { application });
    const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 10_000 });
    const lines = [{ type: 'utility', description: 'Water', amount: 1_000 }];
    const invoiceOf = (due_on: string) => agency.make('invoices', { tenancy, lines, due_on, finalize: true });
    const [later, sooner] = [await invoiceOf('2027-03-01'), await invoiceOf('2027-02-01')];
    const applying = await good(
      agency.api.post(`/v1/deposits/${id}/apply`, {
        to: [
          { tenancy, amount: 1_500 },
          { deposit, amount: 10_000 },
        ],
        payer_consents: true,
      }),
    );
    expect(applying.body).toMatchObject({ status: 'received', amount_applied: 11_500, amount_held: week - 11_500 });
    expect(await agency.eventsOf(applying)).toEqual([
      'deposit.updated',
      'deposit.applied',
      // The rest of it is due.
      'deposit.check_raised',
      'payment.created',
      'payment.succeeded',
      'invoice.updated',
      'invoice.paid',
      'invoice.updated',
      'deposit.updated',
      'deposit.received',
      'tenancy.updated',
    ]);
    expect(await agency.get('invoices', sooner.id)).toMatchObject({ status: 'paid' });
    expect(await agency.get('invoices', later.id)).toMatchObject({ amount_paid: 500 });
    expect(await agency.get('deposits', deposit)).toMatchObject({ status: 'received', received_on: startDay });
    expect(await agency.get('tenancies', tenancy)).toMatchObject({ balance: 500 });
    const { body } = await good(agency.api.get('/v1/payments?method=holding_deposit'));
    expect(body.data).toMatchObject([{ tenancy, deposit: null, amount: 1_500, amount_allocated: 1_500 }]);
    const bounced = await agency.api.post(`/v1/payments/${body.data[0].id}/fail`, { code: 'bounced' });
    expectCode(bounced, 'status_transition_invalid');
    const rest = await agency.move('deposits', id, 'return', { returned_on: startDay });
    expect(rest).toMatchObject({ status: 'settled', amount_returned: week - 11_500, amount_held: 0 });
  });

  test('is applied to no more than it holds, and to targets that can take it', async () => {
    const { unit, application } = await agency.applied();
    const { id } = await agency.holding(application);
    const { id: draft } = await agency.draft(unit, { application });
    const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy: draft, amount: 1_000 });
    const apply = (...to: object[]) => agency.api.post(`/v1/deposits/${id}/apply`, { to, payer_consents: true });
    expectCode(await apply({ deposit, amount: 1 }), 'status_transition_invalid');
    await agency.payDeposit(id, week);
    const part = 'to[0][deposit]';
    expectCode(await apply({ amount: 1 }), 'parameter_missing', { param: part });
    expectCode(await apply({ deposit, tenancy: draft, amount: 1 }), 'parameters_exclusive', {
      param: 'to[0][tenancy]',
    });
    expectCode(await apply({ deposit: 'dep_1', amount: 1 }), 'resource_missing', { param: part });
    expectCode(await apply({ deposit: id, amount: 1 }), 'parameter_invalid', { param: part });
    expectCode(await apply({ tenancy: 'ten_1', amount: 1 }), 'resource_missing', { param: 'to[0][tenancy]' });
    expectCode(await apply({ deposit, amount: 1 }, { deposit, amount: 1 }), 'parameter_invalid', { param: 'to[1]' });
    expectCode(await apply({ deposit, amount: 1 }), 'status_transition_invalid', { param: part });
    // Before the signing, it pays no rent.
    expectCode(await apply({ tenancy: draft, amount: 1 }), 'check_failed', {
      check: 'rent_before_signing',
      param: 'to[0][tenancy]',
    });
    await agency.move('tenancies', draft, 'sign', { signed_on: startDay });
    const over = await apply({ deposit, amount: 1_001 });
    expectCode(over, 'amount_exceeded', { param: 'to[0][amount]' });
    expect(over.body.error.message).toContain('at most 1000');
    const all = await apply({ tenancy: draft, amount: week + 1 });
    expectCode(all, 'amount_exceeded', { param: 'to' });
    expect(all.body.error.message).toContain(`${week}`);
    expect(await agency.get('deposits', id)).toMatchObject({ amount_applied: 0, applied_to: [] });
    expect(await agency.get('deposits', deposit)).toMatchObject({ amount_received: 0 });
  });

  test('says how to end it when only a part of its money has come', async () => {
    const { id } = await agency.holding((await agency.applied()).application, 1_000);
    await agency.payDeposit(id, 400);
    const refuse = async (name: string, body: object, says: string) => {
      const refused = await agency.api.post(`/v1/deposits/${id}/${name}`, body);
      expectCode(refused, 'status_transition_invalid');
      expect(refused.body.error.message).toContain(says);
    };
    const keep = { amount: 1, reason: 'tenant_withdrew', explanation: 'They left.' };
    await refuse('retain', keep, 'set its `amount` to 400');
    await refuse('apply', { to: [{ deposit: id, amount: 1 }], payer_consents: true }, 'set its `amount` to 400');
    await refuse('cancel', {}, 'Call `return`.');
    expect(await agency.move('deposits', id, 'return', { returned_on: startDay })).toMatchObject({ status: 'settled' });
  });

  test('is applied only to the let that it was taken for', async () => {
    const { unit, application } = await agency.applied();
    const { id } = await agency.holding(application);
    await agency.payDeposit(id, week);
    const apply = (...to: object[]) => agency.api.post(`/v1/deposits/${id}/apply`, { to, payer_consents: true });
    const elsewhere = (await agency.signed((await agency.unit()).id)).id;
    // The flat is let to strangers for a week. The applicants come later, without their application.
    const strangers = { start_date: '2027-01-05', end_date: '2027-01-12', customers: ['tenant_2'], type: 'company' };
    const before = (await agency.signed(unit, strangers)).id;
    for (const tenancy of [elsewhere, before]) {
      const refused = await apply({ tenancy, amount: 1 });
      expectCode(refused, 'parameter_invalid', { param: 'to[0][tenancy]' });
      expect(refused.body.error.message).toContain(application);
      const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 1_000 });
      expectCode(await apply({ deposit, amount: 1 }), 'parameter_invalid', { param: 'to[0][deposit]' });
      expect(await agency.get('deposits', deposit)).toMatchObject({ amount_received: 0 });
    }
    expect(await agency.get('deposits', id)).toMatchObject({ amount_applied: 0, applied_to: [] });
    const own = await agency.signed(unit, { customers: ['tenant_2', 'tenant_1'] });
    expect((await good(apply({ tenancy: own.id, amount: 1 }))).body).toMatchObject({ amount_applied: 1 });
  });

  test('is retained once, within what it holds', async () => {
    const { application } = await agency.applied();
    const { id } = await agency.holding(application);
    const body = { amount: 1_000, reason: 'tenant_withdrew', explanation: 'They took another home.' };
    expectCode(await agency.api.post(`/v1/deposits/${id}/retain`, body), 'status_transition_invalid');
    await agency.payDeposit(id, week);
    expectCode(await agency.api.post(`/v1/deposits/${id}/retain`, { ...body, amount: week + 1 }), 'amount_exceeded', {
      param: 'amount',
    });
    expectCode(await agency.api.post(`/v1/deposits/${id}/retain`, { ...body, reason: 'other' }), 'parameter_invalid', {
      param: 'reason',
    });
    expect(await agency.move('deposits', id, 'retain', body)).toMatchObject({ status: 'received', retention: body });
    expectCode(await agency.api.post(`/v1/deposits/${id}/retain`, body), 'status_transition_invalid');
    expect(await agency.move('deposits', id, 'return', { returned_on: startDay })).toMatchObject({
      status: 'settled',
      amount_deducted: 1_000,
      amount_returned: week - 1_000,
    });
  });

  test('is not retained while a tenancy of its application is signed', async () => {
    const { unit, application } = await agency.applied();
    const { id } = await agency.holding(application);
    await agency.payDeposit(id, week);
    const { id: tenancy } = await agency.signed(unit, { application });
    const path = `/v1/deposits/${id}/retain`;
    const body = { amount: week, reason: 'tenant_withdrew', explanation: 'They took another home.' };
    expectCode(await agency.api.post(path, body), 'check_failed', { check: 'holding_retention' });
    await agency.move('tenancies', tenancy, 'cancel');
    await good(agency.api.post(path, body));
  });

  test('goes back before it is complete, and is not returned twice', async () => {
    const { unit, application } = await agency.applied();
    const { id } = await agency.holding(application);
    const giveBack = (body: object) => agency.api.post(`/v1/deposits/${id}/return`, { returned_on: startDay, ...body });
    expectCode(await giveBack({}), 'amount_exceeded', { param: 'amount' });
    await agency.payDeposit(id, 5_000);
    expectCode(await agency.api.post(`/v1/deposits/${id}/cancel`), 'status_transition_invalid');
    for (const returned_on of ['2027-01-03', '2027-01-05'])
      expectCode(await giveBack({ returned_on }), 'parameter_invalid', { param: 'returned_on' });
    const over = await giveBack({ amount: 5_001 });
    expectCode(over, 'amount_exceeded', { param: 'amount' });
    expect(over.body.error.message).toContain('holds 5000');
    expect((await good(giveBack({ amount: 2_000 }))).body).toMatchObject({ status: 'pending', amount_held: 3_000 });
    expect((await good(giveBack({}))).body).toMatchObject({ status: 'settled', amount_returned: 5_000 });
    expectCode(await giveBack({}), 'status_transition_invalid');
    expect(await agency.get('units', unit)).toMatchObject({ status: 'available', holding_deposit: null });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { good, type TestServer } from '../support/server.ts';
import { Agency, advance, expectCode, rent, week, startLetting, type Made } from './agency.ts';

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting();
});

beforeEach(async () => {
  agency = await Agency.on(server);
});

afterAll(() => server.stop());

test('goes from the holding deposit to the release as in the contract', async () => {
  // A server of its own, because it moves the clock by months.
  const own = await startLetting();
  const office = await Agency.on(own);
  try {
    const { id: unit } = await office.unit({ rent, on_market: true });
    const { id: ada } = await office.make('customers', { name: 'Ada Lovelace' });
    const { id: application } = await office.application({ customers: [ada], unit, rent });
    const refused = await office.api.post('/v1/deposits', { type: 'holding', application, amount: 21_924 });
    expectCode(refused, 'check_failed', { check: 'holding_cap', param: 'amount' });
    expect(refused.body.error.message).toContain('at most 21923');
    const holding = await office.make('deposits', { type: 'holding', application, amount: 21_923 });
    expect(holding).toMatchObject({ status: 'pending', unit, currency: 'gbp', amount_held: 0, checks: [] });
    const paid = await good(
      office.api.post('/v1/payments', { deposit: holding.id, amount: 21_923, method: 'bank_transfer' }),
    );
    expect(await office.eventsOf(paid)).toEqual([
      'payment.created',
      'payment.succeeded',
      'deposit.updated',
      'deposit.received',
      'unit.updated',
      'unit.reserved',
    ]);
    expect(await office.get('deposits', holding.id)).toMatchObject({
      status: 'received',
      received_on: '2027-01-04',
      decide_by: '2027-01-18',
      repay_by: '2027-01-24',
      amount_received: 21_923,
      amount_held: 21_923,
    });
    expect(await office.get('units', unit)).toMatchObject({ status: 'reserved', holding_deposit: holding.id });
    await advance(own, 6);
    await office.move('applications', application, 'approve');
    const { id: tenancy } = await office.make('tenancies', {
      unit,
      application,
      customers: [ada],
      start_date: '2027-02-01',
      rent,
      statement_given_on: '2027-01-09',
    });
    const high = await office.api.post('/v1/deposits', { type: 'tenancy', tenancy, amount: 109_616 });
    expectCode(high, 'check_failed', { check: 'deposit_cap', param: 'amount' });
    const { id: deposit } = await office.make('deposits', { type: 'tenancy', tenancy, amount: 109_615 });
    expect(await office.get('tenancies', tenancy)).toMatchObject({ deposit });
    await office.move('tenancies', tenancy, 'sign', { signed_on: '2027-01-10' });
    expect(await office.get('units', unit)).toMatchObject({ status: 'let_agreed', holding_deposit: holding.id });
    expect(await office.get('deposits', holding.id)).toMatchObject({ repay_by: '2027-01-16' });
    const applying = await good(
      office.api.post(`/v1/deposits/${holding.id}/apply`, {
        to: [{ deposit, amount: 21_923 }],
        payer_consents: true,
      }),
    );
    expect(applying.body).toMatchObject({
      status: 'settled',
      amount_applied: 21_923,
      amount_held: 0,
      applied_to: [{ deposit, tenancy: null, amount: 21_923 }],
    });
    expect(await office.eventsOf(applying)).toEqual([
      'deposit.updated',
      'deposit.applied',
      'deposit.updated',
      'unit.updated',
    ]);
    await office.make('payments', { deposit, amount: 87_692, method: 'bank_transfer' });
    expect(await office.get('deposits', deposit)).toMatchObject({
      status: 'received',
      received_on: '2027-01-10',
      protect_by: '2027-02-08',
      amount_received: 109_615,
    });
    await office.move('deposits', deposit, 'protect', {
      scheme: 'dps_custodial',
      scheme_reference: 'D1',
      protected_on: '2027-01-10',
    });
    await office.move('deposits', deposit, 'give_information', { given_on: '2027-01-10' });
    await office.make('subscriptions', { tenancy });
    await advance(own, 22);
    await office.make('payments', { tenancy, amount: 95_000, method: 'standing_order' });
    const noticed = await office.move('tenancies', tenancy, 'give_notice', {
      by: 'tenant',
      served_on: '2027-02-01',
      ends_on: '2027-04-30',
    });
    expect(noticed).toMatchObject({ status: 'notice', balance: 0 });
    await advance(own, 59);
    await office.make('payments', { tenancy, amount: 190_000, method: 'bank_transfer' });
    await advance(own, 30);
    expect(await office.get('tenancies', tenancy)).toMatchObject({ status: 'ended' });
    const released = await office.move('deposits', deposit, 'release', {
      deductions: [{ amount: 4_500, reason: 'cleaning' }],
      returned_on: '2027-05-01',
    });
    expect(released).toMatchObject({
      status: 'settled',
      amount_deducted: 4_500,
      amount_returned: 105_115,
      amount_held: 0,
      returned_on: '2027-05-01',
      checks: [],
    });
    const ledger = await good(office.api.get(`/v1/tenancies/${tenancy}/ledger`));
    expect(ledger.body.count).toBe(5);
    expect(await office.get('tenancies', tenancy)).toMatchObject({ balance: 0 });
  } finally {
    await own.stop();
  }
});

describe('a new deposit', () => {
  test.each([
    ['a holding deposit has no application', { type: 'holding', amount: 1 }, 'parameter_missing', 'application'],
    ['a tenancy deposit has no tenancy', { type: 'tenancy', amount: 1 }, 'parameter_missing', 'tenancy'],
    ['the type is unknown', { type: 'pet', amount: 1 }, 'parameter_invalid', 'type'],
    ['the amount is 0', { type: 'tenancy', tenancy: 'ten_1', amount: 0 }, 'parameter_invalid', 'amount'],
    ['the tenancy is unknown', { type: 'tenancy', tenancy: 'ten_1', amount: 1 }, 'resource_missing', 'tenancy'],
    [
      'the amount that came is sent',
      { type: 'tenancy', amount: 1, amount_received: 1 },
      'parameter_unknown',
      'amount_received',
    ],
  ])('is refused when %s', async (_, body, code, param) => {
    expectCode(await agency.api.post('/v1/deposits', body), code, { param });
  });

  test('is refused when it names both an application and a tenancy', async () => {
    const { unit, application } = await agency.applied();
    const { id: tenancy } = await agency.draft(unit);
    for (const [type, param] of [
      ['holding', 'tenancy'],
      ['tenancy', 'application'],
    ])
      expectCode(
        await agency.api.post('/v1/deposits', { type, application, tenancy, amount: 1 }),
        'parameters_exclusive',
        {
          param,
        },
      );
  });

  test('is refused when its application names no unit of the account, or is decided', async () => {
    const { id: elsewhere } = await agency.application({ unit: 'flat_12', rent });
    const holding = (application: string) =>
      agency.api.post('/v1/deposits', { type: 'holding', application, amount: 1 });
    expectCode(await holding(elsewhere), 'resource_missing', { param: 'application' });
    const { application } = await agency.applied();
    await agency.move('applications', application, 'withdraw');
    expectCode(await holding(application), 'status_transition_invalid', { param: 'application' });
  });

  test('fails its cap when no rent is known, and has no currency when the law has no cap', async () => {
    const { id: unit } = await agency.unit();
    const { id: application } = await agency.application({ unit });
    const holding = { type: 'holding', application, amount: 1 };
    expectCode(await agency.api.post('/v1/deposits', holding), 'check_failed', {
      check: 'holding_cap',
      param: 'application',
    });
    await good(agency.api.post('/v1/account', { rules: { ruleset: 'none' } }));
    expectCode(await agency.api.post('/v1/deposits', holding), 'parameter_invalid', { param: 'application' });
    await good(agency.api.post(`/v1/units/${unit}`, { rent: { ...rent, currency: 'eur' } }));
    expect(await agency.make('deposits', holding)).toMatchObject({ currency: 'eur', unit });
  });

  test('is the only one of its tenancy until it is settled or canceled', async () => {
    const { id: tenancy } = await agency.draft((await agency.unit()).id);
    const body = { type: 'tenancy', tenancy, amount: 1_000 };
    const { id: first } = await agency.make('deposits', body);
    const again = await agency.api.post('/v1/deposits', body);
    expectCode(again, 'record_in_use', { param: 'tenancy' });
    expect(again.body.error.message).toContain(first);
    await agency.move('deposits', first, 'cancel');
    expect(await agency.get('tenancies', tenancy)).toMatchObject({ deposit: null });
    const { id: second } = await agency.make('deposits', body);
    expect(await agency.get('tenancies', tenancy)).toMatchObject({ deposit: second });
  });

  test('changes its amount while it is pending, within its cap and what has come', async () => {
    const { application } = await agency.applied();
    const { id } = await agency.holding(application, 20_000);
    await agency.payDeposit(id, 5_000);
    const update = (amount: number) => agency.api.post(`/v1/deposits/${id}`, { amount });
    expectCode(await update(week + 1), 'check_failed', { check: 'holding_cap', param: 'amount' });
    const low = await update(4_999);
    expectCode(low, 'amount_exceeded', { param: 'amount' });
    expect(low.body.error.message).toContain('at least 5000');
    const lowered = await good(update(5_000));
    expect(lowered.body).toMatchObject({ status: 'received', decide_by: '2027-01-18' });
    expect(await agency.eventsOf(lowered)).toEqual(['deposit.updated', 'deposit.received']);
    expectCode(await update(6_000), 'status_transition_invalid');
    await good(agency.api.post(`/v1/deposits/${id}`, { metadata: { crm: '7' } }));
  });
});

test('is found by its filters, with every link expanded', async () => {
  const { id: payer } = await agency.make('customers', { name: 'Ada Lovelace' });
  const { unit, application } = await agency.applied();
  const holding = await agency.make('deposits', { type: 'holding', application, amount: week, payer });
  await agency.payDeposit(holding.id, week);
  const { tenancy, deposit } = await agency.secured();
  for (const [filter, found] of [
    ['type=holding', [holding.id]],
    ['status=received', [deposit, holding.id]],
    [`application=${application}`, [holding.id]],
    [`tenancy=${tenancy}`, [deposit]],
    [`unit=${unit}`, [holding.id]],
    [`customer=${payer}`, [holding.id]],
    ['protect_by[lte]=2027-02-02', [deposit]],
    ['protect_by[lt]=2027-02-02', []],
    ['decide_by[gte]=2027-01-18', [holding.id]],
    ['decide_by[gt]=2027-01-18', []],
  ] as const) {
    const { body } = await good(agency.api.get(`/v1/deposits?${filter}`));
    expect([filter, body.data.map(({ id }: Made) => id)]).toEqual([filter, found]);
  }
  const expanded = 'data.application,data.tenancy,data.unit,data.payer,data.certificate,data.file';
  const { body } = await good(agency.api.get(`/v1/deposits?expand=${expanded}`));
  expect(body.data).toMatchObject([
    { tenancy: { object: 'tenancy', deposit }, unit: { object: 'unit' } },
    { application: { object: 'application' }, unit: { id: unit }, payer: { id: payer } },
  ]);
});

test('loses nothing when fifty operations meet on one deposit', async () => {
  const { id: tenancy } = await agency.signed((await agency.unit()).id);
  const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 30_000 });
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => agency.api.post('/v1/payments', { deposit, amount: 1_000, method: 'cash' })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
  for (const { status, body } of answers) if (status !== 200) expect(body.error.code).toBe('amount_exceeded');
  expect(await agency.get('deposits', deposit)).toMatchObject({ status: 'received', amount_received: 30_000 });
});

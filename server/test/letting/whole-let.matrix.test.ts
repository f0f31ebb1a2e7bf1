import { expect, onTestFinished, test } from 'vitest';
import { allOf } from '../support/paging.ts';
import { good } from '../support/server.ts';
import { advance, Agency, dawn, expectCode, fiveWeeks, rent, startLetting, week } from './agency.ts';

/* A let from the empty flat to the deposit returned. The law and the calendar give each day and amount. */

test('a let of thirty calls has each day, amount and status when one person rents a flat with a guarantor', async () => {
  const server = await startLetting({ works: true, settings: { TENURE_SIMULATOR_SPEED: '1' } });
  onTestFinished(() => server.stop());
  const agency = await Agency.on(server);
  const { api } = agency;
  /** Moves the clock, and makes the changes of the days. */
  const pass = async (days: number): Promise<void> => {
    await advance(server, days);
    await dawn(server);
  };

  // 4 January 2027: a flat, an applicant and a guarantor.
  const { id: building } = await agency.building();
  const { id: unit } = await agency.unit({ building, rent, on_market: true });
  const { id: ada } = await agency.make('customers', { name: 'Ada Lovelace' });
  const { id: george } = await agency.make('customers', { name: 'George Byron' });
  const { id: application } = await agency.make('applications', { customers: [ada], unit, rent });
  const { id: guarantor } = await agency.make('guarantors', { application, customer: george });

  // The law allows a week's rent to hold the flat, and not a penny more.
  const tooMuch = await api.post('/v1/deposits', { type: 'holding', application, amount: week + 1 });
  expectCode(tooMuch, 'check_failed', { check: 'holding_cap', param: 'amount' });
  const { id: holding } = await agency.holding(application, week);
  await agency.payDeposit(holding, week);
  expect(await agency.get('deposits', holding)).toMatchObject({ status: 'received', decide_by: '2027-01-18' });
  expect(await agency.get('units', unit)).toMatchObject({ status: 'reserved' });

  const checks = [];
  for (const customer of [ada, george])
    checks.push(await agency.make('references', { application, customer, automatic_reference: {} }));
  await pass(6);

  // 10 January: both checks are complete. The office approves, and the tenancy is signed.
  for (const { id } of checks)
    await expect.poll(() => agency.get('references', id)).toMatchObject({ status: 'complete' });
  await agency.move('applications', application, 'approve');
  await agency.move('guarantors', guarantor, 'agree', { agreed_on: '2027-01-10' });
  const { id: tenancy } = await agency.make('tenancies', {
    unit,
    application,
    customers: [ada],
    start_date: '2027-02-01',
    rent,
    statement_given_on: '2027-01-09',
  });
  const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: fiveWeeks });
  await agency.move('tenancies', tenancy, 'sign', { signed_on: '2027-01-10' });
  expect(await agency.get('units', unit)).toMatchObject({ status: 'let_agreed' });

  // The holding deposit becomes a part of the tenancy deposit, which is protected at once.
  await agency.move('deposits', holding, 'apply', { to: [{ deposit, amount: week }], payer_consents: true });
  await agency.payDeposit(deposit, 87_692);
  expect(await agency.get('deposits', deposit)).toMatchObject({ status: 'received', protect_by: '2027-02-08' });
  await agency.move('deposits', deposit, 'protect', {
    scheme: 'dps_custodial',
    scheme_reference: 'D1',
    protected_on: '2027-01-10',
  });
  await agency.move('deposits', deposit, 'give_information', { given_on: '2027-01-10' });
  expect(await agency.make('subscriptions', { tenancy })).toMatchObject({ next_invoice_on: '2027-01-25' });
  await pass(22);

  // 1 February: the first rent is due, and is paid. On the same day, the tenant gives notice.
  expect(await agency.get('tenancies', tenancy)).toMatchObject({ status: 'active' });
  const { body: due } = await good(api.get(`/v1/invoices?tenancy=${tenancy}`));
  expect(due.data).toMatchObject([{ number: 'INV-000001', due_on: '2027-02-01', total: 95_000, status: 'open' }]);
  await agency.make('payments', { tenancy, amount: 95_000, method: 'standing_order' });
  expect(await agency.get('invoices', due.data[0].id)).toMatchObject({ status: 'paid' });
  expect(await agency.get('tenancies', tenancy)).toMatchObject({ balance: 0 });
  // The tenant can follow all this on a page of their own.
  expect(await agency.make('portal_sessions', { customer: ada })).toMatchObject({ status: 'pending' });
  await agency.move('tenancies', tenancy, 'give_notice', {
    by: 'tenant',
    served_on: '2027-02-01',
    ends_on: '2027-04-30',
  });
  await pass(59);

  // 1 April: the rent of March is overdue, and that of April is due. One payment settles both, the oldest first.
  const { body: open } = await good(api.get(`/v1/invoices?tenancy=${tenancy}`));
  expect(open.data).toMatchObject([
    { number: 'INV-000003', due_on: '2027-04-01', status: 'open', overdue: false },
    { number: 'INV-000002', due_on: '2027-03-01', status: 'open', overdue: true },
    { number: 'INV-000001', status: 'paid' },
  ]);
  const [april, march] = open.data;
  const payment = await agency.make('payments', { tenancy, amount: 190_000, method: 'bank_transfer' });
  expect(payment.allocations).toMatchObject([
    { invoice: march.id, amount: 95_000 },
    { invoice: april.id, amount: 95_000 },
  ]);
  expect(await agency.historyOf(tenancy)).toContain('tenancy.arrears_cleared');
  await pass(30);

  // 1 May: the tenancy has ended. The cleaning is taken from the deposit, and the rest goes back.
  expect(await agency.get('tenancies', tenancy)).toMatchObject({ status: 'ended', end_date: '2027-04-30' });
  expect(await agency.get('units', unit)).toMatchObject({ status: 'available' });
  const released = await agency.move('deposits', deposit, 'release', {
    deductions: [{ amount: 4_500, reason: 'cleaning' }],
    returned_on: '2027-05-01',
  });
  expect(released).toMatchObject({ status: 'settled', amount_returned: 105_115, amount_held: 0 });
  const entries = await allOf(api, `/v1/tenancies/${tenancy}/ledger`);
  expect(entries.map(({ amount }) => amount)).toHaveLength(5);
  expect(entries[0]).toMatchObject({ balance: 0 });
});

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { good, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { Agency, expectCode, startLetting, type Made } from './agency.ts';

let server: TestServer;
let agency: Agency;
let tenancy: Made;

beforeAll(async () => {
  server = await startLetting();
});

afterAll(() => server.stop());

/** Each test has a tenancy with an invoice of today, 2027-01-04, and two payments that came before today. */
beforeEach(async () => {
  agency = await Agency.on(server);
  tenancy = await agency.draft((await agency.unit()).id);
  await agency.move('tenancies', tenancy.id, 'sign', { signed_on: '2026-12-31' });
  const lines = [{ type: 'rent', description: 'Rent', amount: 95_000 }];
  await agency.make('invoices', { tenancy: tenancy.id, lines, due_on: '2027-02-01', finalize: true });
  await pay(30_000, '2027-01-02');
  await pay(60_000, '2026-12-31');
});

function pay(amount: number, day: string): Promise<Made> {
  return agency.make('payments', { tenancy: tenancy.id, amount, method: 'cash', received_on: day });
}

function ask(query = ''): Promise<ApiResponse> {
  return agency.api.get(`/v1/tenancies/${tenancy.id}/statement${query}`);
}

test('shows what was owed before, what happened, and what is owed then, in the order of the days', async () => {
  const { body } = await good(ask('?from=2027-01-01&to=2027-01-31'));
  expect(body).toMatchObject({
    object: 'statement',
    tenancy: tenancy.id,
    currency: 'gbp',
    from: '2027-01-01',
    to: '2027-01-31',
    opening_balance: -60_000,
    closing_balance: 5_000,
    arrears: { amount: 0, since: null },
  });
  const entries = (body.entries as Made[]).map(({ sequence, date, type, amount, balance }) => [
    sequence,
    date,
    type,
    amount,
    balance,
  ]);
  expect(entries).toEqual([
    [2, '2027-01-02', 'payment', -30_000, -90_000],
    [1, '2027-01-04', 'invoice', 95_000, 5_000],
  ]);
});

test('goes from the first entry to today when no days are named', async () => {
  const { body } = await good(ask());
  expect(body).toMatchObject({ from: null, to: '2027-01-04', opening_balance: 0, closing_balance: 5_000 });
  expect(body.entries.map(({ sequence }: Made) => sequence)).toEqual([3, 2, 1]);
});

test('continues where the statement of earlier days ends, on each day', async () => {
  const days = ['2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02', '2027-01-03', '2027-01-04', '2027-01-05'];
  for (const [index, day] of days.entries()) {
    const { body: before } = await good(ask(`?to=${day}`));
    const next = days[index + 1];
    if (next === undefined) break;
    const { body: after } = await good(ask(`?from=${next}&to=9999-12-31`));
    expect(after.opening_balance).toBe(before.closing_balance);
    expect(after.closing_balance).toBe((await agency.get('tenancies', tenancy.id)).balance);
  }
});

test('is empty when nothing happened on its days', async () => {
  const { body } = await good(ask('?from=2027-01-03&to=2027-01-03'));
  expect(body).toMatchObject({ opening_balance: -90_000, entries: [], closing_balance: -90_000 });
});

test('refuses days in the wrong order, days that do not exist, and more entries than a response has', async () => {
  expectCode(await ask('?from=2027-01-02&to=2027-01-01'), 'parameter_invalid', { param: 'to' });
  expectCode(await ask('?from=2027-02-30'), 'parameter_invalid', { param: 'from' });
  const future = await ask('?from=2999-01-01');
  expectCode(future, 'parameter_invalid', { param: 'from' });
  expect(future.body.error.message).toContain('Send `to`, or an earlier day.');
  expectCode(await ask('?on=2027-01-01'), 'parameter_unknown', { param: 'on' });
  await withClient(server.connection, (client) =>
    client.query(
      `insert into ledger_entries (account_id, id, created, revision, tenancy, sequence, date, type, amount, balance)
       select $1, 'led_' || lpad(number::text, 22, '0'), 1, 1, $2, number, '2027-01-03', 'invoice', 1, number
       from generate_series(4, 2001) number`,
      [agency.accountId, tenancy.id],
    ),
  );
  expectCode(await ask(), 'parameter_invalid', { param: 'from' });
  expect((await good(ask('?from=2027-01-02'))).body.entries).toHaveLength(2_000);
});

test('is not found for another account', async () => {
  const { api } = await addAccount(server);
  const answer = await api.get(`/v1/tenancies/${tenancy.id}/statement`);
  expect([answer.status, answer.body.error.code]).toEqual([404, 'resource_missing']);
});

import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { good } from '../support/server.ts';
import { advance, Agency, startLetting, type Made } from './agency.ts';

/* The spreadsheet was made by hand. The office does its rows on their days, and Tenure does the others by itself. */

interface Row {
  date: string;
  by: string;
  what: string;
  /** In pence. Null if no money moves. */
  amount: number | null;
  balance: number | null;
}

function readRows(): Row[] {
  const text = readFileSync(new URL('../../../docs/year-of-a-let.csv', import.meta.url), 'utf8');
  const [, ...lines] = text.trim().split('\n');
  return lines.map((line) => {
    const [date, by, what, amount, balance] = line.split(',') as [string, string, string, string, string];
    return { date, by, what, amount: pence(amount), balance: pence(balance) };
  });
}

function pence(pounds: string): number | null {
  return pounds === '' ? null : Math.round(Number(pounds) * 100);
}

test('a year of a let has the days, amounts and balances of the spreadsheet, to the penny', async () => {
  const server = await startLetting();
  onTestFinished(() => server.stop());
  const agency = await Agency.on(server);
  const { id: tenancy } = await agency.signed((await agency.unit()).id, { start_date: '2027-02-10' });
  const { id: subscription } = await agency.make('subscriptions', { tenancy, anchor_day: 1 });
  const invoiceNow = async (): Promise<string> =>
    (await good(agency.api.get(`/v1/invoices?subscription=${subscription}&limit=1`))).body.data[0].id;
  let payment = '';
  const acts: Record<string, (amount: number) => Promise<unknown>> = {
    payment: async (amount) => {
      payment = (await agency.make('payments', { tenancy, amount: -amount, method: 'standing_order' })).id;
    },
    payment_failed: () => agency.move('payments', payment, 'fail', { code: 'insufficient_funds' }),
    credit: async (amount) =>
      agency.move('invoices', await invoiceNow(), 'credit', { amount: -amount, reason: 'The heating failed.' }),
    refund: (amount) => agency.move('payments', payment, 'refund', { amount }),
    increase: () =>
      agency.move('subscriptions', subscription, 'change_amount', {
        amount: 99_000,
        effective_on: '2028-03-01',
        basis: 'section_13',
        served_on: '2027-12-20',
      }),
    agreement: () =>
      agency.move('tenancies', tenancy, 'give_notice', {
        by: 'mutual',
        served_on: '2028-04-02',
        ends_on: '2028-04-12',
      }),
  };
  const rows = readRows();
  let today = '2027-01-04';
  for (const { date, by, what, amount } of rows) {
    const days = (Date.parse(date) - Date.parse(today)) / 86_400_000;
    if (days > 0) await advance(server, days);
    today = date;
    if (by === 'office') await acts[what]!(amount ?? 0);
  }

  const { body } = await good(agency.api.get(`/v1/tenancies/${tenancy}/statement`));
  const entries = (body.entries as Made[]).map(({ date, type, amount, balance }) => [date, type, amount, balance]);
  const moved = rows.filter(({ amount }) => amount !== null);
  expect(entries).toEqual(moved.map(({ date, what, amount, balance }) => [date, what, amount, balance]));
  expect(await agency.get('tenancies', tenancy)).toMatchObject({
    status: 'ended',
    balance: 0,
    rent: { amount: 99_000 },
  });
  for (const type of ['tenancy.arrears_started', 'tenancy.arrears_cleared'])
    expect((await good(agency.api.get(`/v1/events?type=${type}`))).body.count, type).toBe(2);
});

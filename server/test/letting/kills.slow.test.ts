import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { dice } from '../support/dice.ts';
import { inParallel } from '../support/routes.ts';
import { processesForTest, urlOf, type Processes } from '../support/processes.ts';
import { apiClient, type Api, type ApiResponse } from '../support/server.ts';
import type { Made } from './agency.ts';
import { Killer, startTwo } from './killer.ts';

/*
 * Many clients sign and pay at random on two processes, of which one after the other is killed with -9. Afterwards the records are compared
 * with each other, and with every response that a client got.
 */

const address = { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };
const rent = { amount: 95_000, currency: 'gbp', interval: 'month' };
const dayMs = 86_400_000;

function day(daysAhead: number): string {
  return new Date(Date.now() + daysAhead * dayMs).toISOString().slice(0, 10);
}

async function made(api: Api, path: string, body: object): Promise<Made> {
  const answer = await api.post(`/v1/${path}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Made;
}

async function allOf(api: Api, path: string): Promise<Made[]> {
  const records: Made[] = [];
  for (let hasMore = true; hasMore;) {
    const { body } = await api.get(`${path}?limit=50&offset=${records.length}`);
    records.push(...(body.data as Made[]));
    hasMore = body.has_more;
  }
  return records;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function dayAfter(date: string): string {
  return new Date(Date.parse(date) + dayMs).toISOString().slice(0, 10);
}

/** Returns the number of pairs of tenancies that hold one unit on the same day, from the tables alone. */
async function sharedDays({ connection }: Processes): Promise<number> {
  const client = new Client({ connectionString: urlOf(connection) });
  await client.connect();
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count
     from tenancies one
     join tenancies other on other.account_id = one.account_id and other.unit = one.unit and other.id > one.id
     where one.status in ('signed', 'active', 'notice', 'ended') and other.status in ('signed', 'active', 'notice', 'ended')
       and daterange(one.start_date, one.end_date, '[]') && daterange(other.start_date, other.end_date, '[]')`,
  );
  await client.end();
  return rows[0]!.count;
}

/** Sends a request. A process that was killed gives no answer, and the outcome is then not known. */
async function ask(api: Api, path: string, body: object): Promise<ApiResponse | null> {
  try {
    return await api.post(path, body);
  } catch {
    return null;
  }
}

test('lets no unit twice when two hundred clients sign, leave and cancel on two processes that are killed', async () => {
  const processes = await processesForTest();
  const both = await startTwo(processes);
  const apis = both.map(({ url }) => apiClient(url, processes.secretKey));
  const { id: building } = await made(apis[0]!, 'buildings', { name: 'Coppergate', address });
  const units: string[] = [];
  for (let number = 0; number < 20; number++)
    units.push((await made(apis[0]!, 'units', { building, name: `Flat ${number}` })).id);

  /** The statuses that a tenancy can have, by the responses about it. */
  const signed = new Map<string, string[]>();
  const refusedIds = new Set<string>();
  const client = async (number: number): Promise<void> => {
    const roll = dice(number + 1);
    const unit = units[Math.floor(roll() * units.length)]!;
    // Licences can have an end.
    const start = 1 + Math.floor(roll() * 60);
    const terms = { type: 'licence', start_date: day(start), end_date: day(start + 5 + Math.floor(roll() * 40)) };
    let draft: ApiResponse | null = null;
    for (let attempt = 0; attempt < 20 && draft?.status !== 200; attempt++) {
      draft = await ask(apis[(number + attempt) % 2]!, '/v1/tenancies', {
        unit,
        customers: [`tenant_${number}`],
        rent,
        ...terms,
      });
      if (draft?.status !== 200) await delay(50);
    }
    if (draft?.status !== 200) return;
    const api = apis[Math.floor(roll() * 2)]!;
    const { id } = draft.body as Made;
    const answer = await ask(api, `/v1/tenancies/${id}/sign`, { signed_on: day(0) });
    if (answer?.status === 400) {
      expect(answer.body.error.code, answer.text).toBe('unit_occupied');
      refusedIds.add(id);
    }
    if (answer?.status !== 200) return;
    signed.set(id, ['signed']);
    const choice = roll();
    if (choice > 0.6) return;
    // Half of them give the home back before they began, and half agree to leave earlier.
    const [move, body, status]: [string, object, string] =
      choice < 0.3
        ? ['cancel', {}, 'canceled']
        : ['give_notice', { by: 'mutual', served_on: day(0), ends_on: day(start + 2) }, 'notice'];
    const moved = await ask(api, `/v1/tenancies/${id}/${move}`, body);
    signed.set(id, moved?.status === 200 ? [status] : ['signed', status]);
  };
  // Twenty at a time, so that the kills fall among them.
  const killer = new Killer(30, both);
  const clients = inParallel([...Array(200).keys()], 20, async (number) => {
    await client(number);
    await killer.step();
  });
  await killer.during(clients);
  expect(killer.kills).toBeGreaterThan(4);

  const tenancies = await allOf(apis[0]!, '/v1/tenancies');
  const statusOf = new Map(tenancies.map(({ id, status }) => [id, status]));
  for (const [id, statuses] of signed) expect(statuses, id).toContain(statusOf.get(id));
  for (const { id, status, signed_on: signedOn } of tenancies)
    if (refusedIds.has(id)) expect([status, signedOn]).toEqual(['draft', null]);
  expect(await sharedDays(processes)).toBe(0);
  const holding = tenancies.filter(({ status }) => ['signed', 'active', 'notice', 'ended'].includes(status));
  expect(holding.length).toBeGreaterThan(15);
  expect(refusedIds.size).toBeGreaterThan(10);
  for (const unit of await allOf(apis[0]!, '/v1/units')) {
    const own = holding
      .filter((tenancy) => tenancy.unit === unit.id)
      .toSorted((one, other) => (one.start_date < other.start_date ? -1 : 1));
    for (const [index, tenancy] of own.entries())
      if (index > 0) expect(own[index - 1]!.end_date < tenancy.start_date, unit.id).toBe(true);
    const current = own.find(({ status, activated_at: at }) => status !== 'ended' && at !== null);
    const next = own.find(({ activated_at: at }) => at === null);
    expect(unit).toMatchObject({
      tenancy: current?.id ?? null,
      next_tenancy: next?.id ?? null,
      status: current ? 'occupied' : next ? 'let_agreed' : 'available',
      available_on: own.length === 0 ? null : dayAfter(own.at(-1)!.end_date),
    });
  }
});

/** The requests of each client about money. With `TENURE_TEST_STEPS=1700`, 20,000 requests and 100 kills take a quarter of an hour. */
const steps = Number(process.env.TENURE_TEST_STEPS ?? 30);
const moneyClients = 12;

test('loses no penny, no number and no period when days go by on two processes that are killed', async () => {
  const processes = await processesForTest();
  const both = await startTwo(processes);
  const apis = both.map(({ url }) => apiClient(url, processes.secretKey));
  const { id: building } = await made(apis[0]!, 'buildings', { name: 'Coppergate', address });
  const tenancies: string[] = [];
  for (let number = 0; number < Math.max(5, steps / 40); number++) {
    const { id: unit } = await made(apis[0]!, 'units', { building, name: `Flat ${number}` });
    const weekly = { ...rent, interval: 'week' };
    const body = { unit, customers: [`tenant_${number}`], rent: weekly, start_date: day(0), type: 'company' };
    const { id } = await made(apis[0]!, 'tenancies', body);
    await made(apis[0]!, `tenancies/${id}/sign`, { signed_on: day(0) });
    await made(apis[0]!, 'subscriptions', { tenancy: id, anchor_day: 1 + (number % 7) });
    tenancies.push(id);
  }

  const answered: { path: string; id: string }[] = [];
  const killer = new Killer(Math.max(50, (moneyClients * steps) / 100), both);
  // More days would leave more rents open than a tenancy may have.
  const leaps = Math.max(0.003, 1.2 / steps);
  const client = async (number: number): Promise<void> => {
    const roll = dice(number + 1);
    const own: { invoices: string[]; payments: string[] } = { invoices: [], payments: [] };
    for (let step = 0; step < steps; step++) {
      const tenancy = tenancies[Math.floor(roll() * tenancies.length)]!;
      const amount = 1 + Math.floor(roll() * 5_000);
      const choice = roll();
      const [invoice, payment] = [own.invoices.at(-1), own.payments.at(-1)];
      const lines = [{ type: 'utility', description: 'Water', amount }];
      const [path, body]: [string, object] =
        choice < leaps
          ? ['/v1/test_helpers/clock/advance', { seconds: 3 * 86_400 }]
          : choice < 0.35
            ? ['/v1/invoices', { tenancy, lines, due_on: day(30), finalize: true }]
            : choice < 0.7
              ? ['/v1/payments', { tenancy, amount, method: 'cash' }]
              : choice < 0.8 && invoice
                ? [`/v1/invoices/${invoice}/credit`, { amount: 1, reason: 'A fault.' }]
                : choice < 0.9 && payment
                  ? [`/v1/payments/${payment}/refund`, { amount: 1 }]
                  : payment
                    ? [`/v1/payments/${payment}/fail`, { code: 'bounced' }]
                    : ['/v1/payments', { tenancy, amount, method: 'cash' }];
      const answer = await ask(apis[(number + step) % 2]!, path, body);
      await killer.step();
      if (answer?.status !== 200) {
        if (answer) expect([400, 503], answer.text).toContain(answer.status);
        else await delay(200);
        continue;
      }
      const { id, object } = answer.body as Made;
      if (object !== 'invoice' && object !== 'payment') continue;
      (object === 'invoice' ? own.invoices : own.payments).push(id);
      answered.push({ path: object === 'invoice' ? 'invoices' : 'payments', id });
    }
  };
  const clients = Promise.all(Array.from({ length: moneyClients }, async (_, number) => client(number)));
  await killer.during(clients);
  expect(killer.kills).toBeGreaterThan(4);

  const api = apis[0]!;
  // A killed process may have left days to the next one.
  await made(api, 'test_helpers/clock/advance', { seconds: 1 });
  const subscriptions = await allOf(api, '/v1/subscriptions');
  const [invoices, payments] = [await allOf(api, '/v1/invoices'), await allOf(api, '/v1/payments')];
  for (const { id, start_date: start, next_period_start: next } of subscriptions) {
    const periods = invoices.filter((each) => each.subscription === id).map(({ period }) => period);
    let first = start as string;
    for (const period of periods.toSorted((one, other) => (one.start < other.start ? -1 : 1))) {
      expect(period.start).toBe(first);
      first = dayAfter(period.end);
    }
    expect(first).toBe(next);
    expect(periods.length).toBeGreaterThan(2);
  }
  const known = new Set([...invoices, ...payments].map(({ id }) => id));
  expect(answered.filter(({ id }) => !known.has(id))).toEqual([]);
  const numbers = invoices.map(({ number }) => number as string).toSorted();
  expect(numbers).toEqual(numbers.map((_, index) => `INV-${String(index + 1).padStart(6, '0')}`));
  for (const invoice of invoices) {
    const allocated = payments
      .flatMap(({ allocations }) => allocations as { invoice: string; amount: number }[])
      .filter((each) => each.invoice === invoice.id);
    expect(invoice.amount_paid).toBe(sum(allocated.map(({ amount }) => amount)));
    expect(invoice.status === 'paid').toBe(invoice.amount_due === 0);
  }
  for (const id of tenancies) {
    const tenancy = (await api.get(`/v1/tenancies/${id}`)).body as Made;
    const entries = (await allOf(api, `/v1/tenancies/${id}/ledger`)).toSorted(
      (one, other) => one.sequence - other.sequence,
    );
    let balance = 0;
    for (const [index, entry] of entries.entries()) {
      balance += entry.amount;
      expect([entry.sequence, entry.balance]).toEqual([index + 1, balance]);
    }
    const owed = invoices.filter((each) => each.tenancy === id);
    const came = payments.filter((each) => each.tenancy === id && ['succeeded', 'refunded'].includes(each.status));
    const expected =
      sum(owed.map((each) => each.total - each.amount_credited)) -
      sum(came.map((each) => each.amount - each.amount_refunded));
    expect([tenancy.balance, balance]).toEqual([expected, expected]);
  }
});

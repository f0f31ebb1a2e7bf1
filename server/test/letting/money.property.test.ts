import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rounds } from '../support/rounds.ts';
import { good, type ApiResponse, type TestServer } from '../support/server.ts';
import { Agency, dawn, startLetting, type Made } from './agency.ts';

/*
 * Random operations on the money of two tenancies, four at a time, while days go by. Afterwards, every sum must equal a recomputation from its parts. The rules
 * are those of the contract, and no rule is taken from the code.
 */

let server: TestServer;

beforeAll(async () => {
  server = await startLetting();
});

afterAll(() => server.stop());

const kinds = [
  'draft',
  'invoice',
  'finalize',
  'credit',
  'void',
  'uncollectible',
  'pay',
  'pend',
  'succeed',
  'fail',
  'refund',
  'allocate',
  'wait',
] as const;
const anyOperation = fc.record({
  kind: fc.constantFrom(...kinds),
  tenancy: fc.nat(1),
  /** Chooses among the records so far. */
  choice: fc.nat(1_000),
  amount: fc.integer({ min: 1, max: 3_000 }),
  days: fc.nat(60),
});
type Operation = { kind: (typeof kinds)[number]; tenancy: number; choice: number; amount: number; days: number };

/** Free money and an open invoice are there together only if a client wishes so. */
async function expectMoneySettles({ agency, tenancies }: Books): Promise<void> {
  const [invoices, payments] = [await listAll(agency, '/v1/invoices?'), await listAll(agency, '/v1/payments?')];
  for (const id of tenancies) {
    const due = invoices.filter(({ tenancy, status }) => tenancy === id && status === 'open');
    const free = payments.filter(({ tenancy, amount_unallocated: left }) => tenancy === id && left > 0);
    expect(due.length === 0 || free.length === 0, JSON.stringify({ due, free })).toBe(true);
  }
}

/** An account with two signed tenancies, and the ids of what was made. */
interface Books {
  agency: Agency;
  tenancies: string[];
  invoices: string[];
  payments: string[];
}

async function open(): Promise<Books> {
  const agency = await Agency.on(server);
  const { id: building } = await agency.building();
  const tenancies: string[] = [];
  for (let number = 0; number < 2; number++)
    tenancies.push((await agency.signed((await agency.unit({ building })).id)).id);
  return { agency, tenancies, invoices: [], payments: [] };
}

/** Returns a day of the sandbox, so many days from now. */
function dayIn(days: number): string {
  return new Date(server.context.clock.nowMs() + days * 86_400_000).toISOString().slice(0, 10);
}

async function carryOut(books: Books, { kind, tenancy: index, choice, amount, days }: Operation): Promise<void> {
  const { agency, tenancies, invoices, payments } = books;
  const tenancy = tenancies[index]!;
  const one = (ids: string[]): string => ids[choice % ids.length] ?? 'in_0VbZq9aK00mT3cUuP8sXw4';
  const dueOn = dayIn(days - 10);
  const lines = [{ type: 'utility', description: 'Water', amount }];
  const requests: Record<Operation['kind'], () => Promise<ApiResponse>> = {
    draft: () => agency.api.post('/v1/invoices', { tenancy, lines, due_on: dueOn }),
    invoice: () => agency.api.post('/v1/invoices', { tenancy, lines, due_on: dueOn, finalize: true }),
    finalize: () => agency.api.post(`/v1/invoices/${one(invoices)}/finalize`),
    credit: () => agency.api.post(`/v1/invoices/${one(invoices)}/credit`, { amount, reason: 'A fault.' }),
    void: () => agency.api.post(`/v1/invoices/${one(invoices)}/void`, { reason: 'A mistake.' }),
    uncollectible: () => agency.api.post(`/v1/invoices/${one(invoices)}/mark_uncollectible`),
    pay: () => agency.api.post('/v1/payments', { tenancy, amount, method: 'cash' }),
    pend: () => agency.api.post('/v1/payments', { tenancy, amount, method: 'card', status: 'pending' }),
    succeed: () => agency.api.post(`/v1/payments/${one(payments)}/succeed`),
    fail: () => agency.api.post(`/v1/payments/${one(payments)}/fail`, { code: 'bounced' }),
    refund: () => agency.api.post(`/v1/payments/${one(payments)}/refund`, { amount }),
    allocate: () =>
      agency.api.post(`/v1/payments/${one(payments)}/allocate`, {
        allocations: invoices.slice(-2).map((invoice) => ({ invoice, amount: Math.ceil(amount / 2) })),
      }),
    wait: () => server.api.post('/v1/test_helpers/clock/advance', { seconds: (days % 9) * 86_400 + 1 }),
  };
  const answer = await requests[kind]();
  expect([200, 400, 404], answer.text).toContain(answer.status);
  if (answer.status !== 200) return;
  const { id, object } = answer.body as Made;
  if (object === 'invoice' && !invoices.includes(id)) invoices.push(id);
  if (object === 'payment' && !payments.includes(id)) payments.push(id);
}

async function listAll({ api }: Agency, path: string): Promise<Made[]> {
  const records: Made[] = [];
  for (let hasMore = true; hasMore;) {
    const { body } = await good(api.get(`${path}limit=50&offset=${records.length}`));
    records.push(...(body.data as Made[]));
    hasMore = body.has_more;
  }
  return records;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

async function expectSumsRight({ agency, tenancies }: Books): Promise<void> {
  const [invoices, payments] = [await listAll(agency, '/v1/invoices?'), await listAll(agency, '/v1/payments?')];
  for (const invoice of invoices) {
    const allocated = payments.flatMap(({ allocations }) => allocations as { invoice: string; amount: number }[]);
    expect(invoice.amount_paid).toBe(
      sum(allocated.filter((each) => each.invoice === invoice.id).map((each) => each.amount)),
    );
    expect(invoice.amount_credited).toBe(sum(invoice.credits.map((credit: { amount: number }) => credit.amount)));
    const due = invoice.status === 'void' ? 0 : invoice.total - invoice.amount_paid - invoice.amount_credited;
    expect(invoice.amount_due).toBe(due);
    expect(due).toBeGreaterThanOrEqual(0);
    if (['open', 'paid', 'uncollectible'].includes(invoice.status)) expect(invoice.status === 'paid').toBe(due === 0);
  }
  for (const payment of payments) {
    const allocated = sum(payment.allocations.map((each: { amount: number }) => each.amount));
    expect(payment.amount_allocated).toBe(allocated);
    expect(payment.amount_refunded).toBe(sum(payment.refunds.map((each: { amount: number }) => each.amount)));
    const left = payment.status === 'succeeded' ? payment.amount - allocated - payment.amount_refunded : 0;
    expect(payment.amount_unallocated).toBe(left);
    expect(left).toBeGreaterThanOrEqual(0);
  }
  const numbers = invoices.filter(({ status }) => status !== 'draft').map(({ number }) => number as string);
  expect(numbers.toSorted()).toEqual(numbers.map((_, index) => `INV-${String(index + 1).padStart(6, '0')}`));
  for (const id of tenancies) {
    const tenancy = await agency.get('tenancies', id);
    const owed = invoices.filter((each) => each.tenancy === id && !['draft', 'void'].includes(each.status));
    const came = payments.filter((each) => each.tenancy === id && ['succeeded', 'refunded'].includes(each.status));
    const balance =
      sum(owed.map((each) => each.total - each.amount_credited)) -
      sum(came.map((each) => each.amount - each.amount_refunded));
    expect(tenancy.balance).toBe(balance);
    const entries = (await listAll(agency, `/v1/tenancies/${id}/ledger?`)).toSorted(
      (one, other) => one.sequence - other.sequence,
    );
    let running = 0;
    for (const [index, entry] of entries.entries()) {
      running += entry.amount;
      expect([entry.sequence, entry.balance]).toEqual([index + 1, running]);
    }
    expect(running).toBe(balance);
    const late = owed.filter((each) => each.status === 'open' && each.due_on < dayIn(0));
    expect(owed.filter((each) => each.overdue)).toEqual(late);
    expect(tenancy.arrears).toEqual({
      amount: sum(late.map((each) => each.amount_due)),
      since: late.map((each) => each.due_on as string).toSorted()[0] ?? null,
    });
  }
}

async function play(operations: readonly Operation[]): Promise<Books> {
  const books = await open();
  for (let next = 0; next < operations.length; next += 4)
    await Promise.all(operations.slice(next, next + 4).map((operation) => carryOut(books, operation)));
  await dawn(server);
  await expectSumsRight(books);
  return books;
}

const anyOperations = fc.array(anyOperation, { minLength: 20, maxLength: 48 });

test('every sum equals a recomputation after any operations, several at once', async () => {
  await fc.assert(
    fc.asyncProperty(anyOperations, async (operations) => {
      await play(operations);
    }),
    { numRuns: rounds(3, 50), endOnFailure: true },
  );
});

test('leaves no free money beside an open invoice when no client allocates', async () => {
  await fc.assert(
    fc.asyncProperty(anyOperations, async (operations) => {
      await expectMoneySettles(await play(operations.filter(({ kind }) => kind !== 'allocate')));
    }),
    { numRuns: rounds(3, 50), endOnFailure: true },
  );
});

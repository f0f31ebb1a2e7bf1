import * as fc from 'fast-check';
import { expect } from 'vitest';
import { good, type ApiResponse } from '../support/server.ts';
import { rent, type Agency, type Made } from './agency.ts';

/*
 * A model of a holding deposit and of a tenancy deposit, written from the contract alone. Random operations are sent to the API, and the
 * model says of each whether it succeeds and what it moves. Afterwards, the money that came equals the money that is somewhere.
 */

const kinds = [
  'pay',
  'pend',
  'succeed',
  'fail',
  'amount',
  'apply',
  'retain',
  'return',
  'protect',
  'propose',
  'dispute',
  'release',
  'cancel',
] as const;

export const anyOperation = fc.record({
  // Money comes more often than it goes, so that deposits get far.
  kind: fc.oneof(
    { weight: 2, arbitrary: fc.constant<'pay'>('pay') },
    { weight: 5, arbitrary: fc.constantFrom(...kinds) },
  ),
  which: fc.constantFrom<'holding' | 'tenancy'>('holding', 'tenancy'),
  /** Chooses among the payments so far. */
  choice: fc.nat(100),
  /** Often a round part, so that deposits are complete. */
  amount: fc.oneof(fc.integer({ min: 1, max: 2_100 }), fc.constantFrom(500, 1_000, 2_000)),
  other: fc.constantFrom(0, 0, 500, 1_000),
});
export type Operation = typeof anyOperation extends fc.Arbitrary<infer Value> ? Value : never;

/** What the tenants owe before any deposit pays it. */
const owed = 10_000;

/** A let with both deposits, and what a request needs to know of it. */
export interface Let {
  agency: Agency;
  /** The day on which all happens. */
  today: string;
  tenancy: string;
  invoice: string;
  ids: { holding: string; tenancy: string };
  /** The payments of both deposits, the oldest first. */
  payments: string[];
}

/** Signs a let, and asks for both deposits. */
export async function openLet(agency: Agency, days: { today: string; start: string }): Promise<Let> {
  // The let is signed, so that `apply` succeeds. By law, nothing is retained then.
  await good(agency.api.post('/v1/account', { rules: { checks: { holding_retention: 'off' } } }));
  const { id: unit } = await agency.unit({ rent });
  const { id: application } = await agency.application({ unit, rent });
  const { id: holding } = await agency.holding(application, 1_000);
  const { id: tenancy } = await agency.draft(unit, { application, start_date: days.start });
  await agency.move('tenancies', tenancy, 'sign', { signed_on: days.today });
  const lines = [{ type: 'utility', description: 'Water', amount: owed }];
  const { id: invoice } = await agency.make('invoices', { tenancy, lines, due_on: '2090-01-01', finalize: true });
  const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 2_000 });
  return { agency, today: days.today, tenancy, invoice, ids: { holding, tenancy: deposit }, payments: [] };
}

/** Sends an operation, and returns the response. Null if there is no payment for it yet. */
export async function send(of: Let, operation: Operation): Promise<ApiResponse | null> {
  const request = requestFor(of, operation);
  if (!request) return null;
  const answer = await of.agency.api.post(`/v1/${request[0]}`, request[1]);
  expect([200, 400], answer.text).toContain(answer.status);
  if (answer.status === 200 && request[0] === 'payments') of.payments.push(answer.body.id);
  return answer;
}

function requestFor(of: Let, { kind, which, choice, amount, other }: Operation): [path: string, body: object] | null {
  const { ids, tenancy, invoice, payments, today } = of;
  const payment = payments[choice % payments.length];
  const money = { deposit: ids[which], amount, method: 'cash' };
  const deductions = [{ amount, reason: 'cleaning', ...(other > 0 && { invoice }) }];
  const rest = other > 0 ? [{ tenancy, amount: other }] : [];
  const [holding, secured] = [`deposits/${ids.holding}`, `deposits/${ids.tenancy}`];
  switch (kind) {
    case 'pay':
      return ['payments', money];
    case 'pend':
      return ['payments', { ...money, status: 'pending' }];
    case 'succeed':
      return payment === undefined ? null : [`payments/${payment}/succeed`, {}];
    case 'fail':
      return payment === undefined ? null : [`payments/${payment}/fail`, { code: 'bounced' }];
    case 'amount':
      return [`deposits/${ids[which]}`, { amount }];
    case 'apply':
      return [`${holding}/apply`, { to: [{ deposit: ids.tenancy, amount }, ...rest], payer_consents: true }];
    case 'retain':
      return [`${holding}/retain`, { amount, reason: 'tenant_withdrew', explanation: 'They left.' }];
    case 'return':
      return [`${holding}/return`, { amount, returned_on: today }];
    case 'protect':
      return [`${secured}/protect`, { scheme: 'other', scheme_reference: 'D1', protected_on: today }];
    case 'propose':
      return [`${secured}/propose_release`, { deductions }];
    case 'dispute':
      return [`${secured}/dispute`, { amount }];
    case 'release':
      return [`${secured}/release`, { deductions, returned_on: today }];
    case 'cancel':
      return [`deposits/${ids[which]}/cancel`, {}];
  }
}

/** A deposit as the contract has it. */
interface Expected {
  status: string;
  amount: number;
  received: number;
  applied: number;
  deducted: number;
  returned: number;
}

interface ExpectedPayment {
  which: 'holding' | 'tenancy';
  amount: number;
  status: string;
}

function fresh(amount: number): Expected {
  return { status: 'pending', amount, received: 0, applied: 0, deducted: 0, returned: 0 };
}

function heldBy({ received, applied, deducted, returned }: Expected): number {
  return received - applied - deducted - returned;
}

/** A wrong rule that a model can have. */
export type Fault =
  | 'keeps failed money'
  | 'applies more than is held'
  | 'forgets the rest'
  | 'never settles a holding deposit';

/** The rules of the contract. */
class Model {
  readonly deposits = { holding: fresh(1_000), tenancy: fresh(2_000) };
  readonly payments: ExpectedPayment[] = [];
  /** The money of deposits that has paid the tenants' invoice. */
  paid = 0;
  readonly #fault: Fault | null;
  #isRetained = false;
  #proposed = 0;

  constructor(fault: Fault | null) {
    this.#fault = fault;
  }

  /** Moves the model, and returns whether the request succeeds. */
  play({ kind, which, choice, amount, other }: Operation): boolean {
    const deposit = this.deposits[which];
    const { holding, tenancy } = this.deposits;
    const payment = this.payments[choice % this.payments.length];
    switch (kind) {
      case 'pay':
        if (!receive(deposit, amount)) return false;
        this.payments.push({ which, amount, status: 'succeeded' });
        return true;
      case 'pend':
        this.payments.push({ which, amount, status: 'pending' });
        return true;
      case 'succeed':
        if (payment?.status !== 'pending' || !receive(this.deposits[payment.which], payment.amount)) return false;
        payment.status = 'succeeded';
        return true;
      case 'fail':
        return this.#fail(payment);
      case 'amount':
        if (amount === deposit.amount) return true;
        if (deposit.status !== 'pending' || amount < deposit.received) return false;
        deposit.amount = amount;
        if (deposit.received === amount) deposit.status = 'received';
        return true;
      case 'apply':
        return this.#apply(amount, other);
      case 'retain':
        if (holding.status !== 'received' || this.#isRetained || amount > heldBy(holding)) return false;
        holding.deducted += amount;
        this.#isRetained = true;
        this.#settle(holding);
        return true;
      case 'return':
        if (!['pending', 'received'].includes(holding.status) || amount > heldBy(holding)) return false;
        holding.returned += amount;
        this.#settle(holding);
        return true;
      case 'protect':
        return tenancy.received > 0 && move(tenancy, ['pending', 'received'], 'protected');
      case 'propose':
        if (amount > heldBy(tenancy) || !move(tenancy, ['received', 'protected'], 'releasing')) return false;
        this.#proposed = amount;
        return true;
      case 'dispute':
        return amount <= this.#proposed && move(tenancy, ['releasing'], 'disputed');
      case 'release':
        return this.#release(amount, other > 0);
      case 'cancel':
        return deposit.received === 0 && move(deposit, ['pending'], 'canceled');
    }
  }

  #fail(payment: ExpectedPayment | undefined): boolean {
    if (!payment || !['pending', 'succeeded'].includes(payment.status)) return false;
    const deposit = this.deposits[payment.which];
    if (payment.status === 'succeeded') {
      if (payment.amount > heldBy(deposit)) return false;
      if (this.#fault !== 'keeps failed money') deposit.received -= payment.amount;
      if (deposit.status === 'received') deposit.status = 'pending';
    }
    payment.status = 'failed';
    return true;
  }

  #apply(amount: number, other: number): boolean {
    const { holding, tenancy } = this.deposits;
    const isHeld = amount + other <= heldBy(holding) || this.#fault === 'applies more than is held';
    if (holding.status !== 'received' || !isHeld || !receive(tenancy, amount)) return false;
    holding.applied += amount + other;
    this.paid += other;
    this.#settle(holding);
    return true;
  }

  #release(amount: number, paysInvoice: boolean): boolean {
    const { tenancy } = this.deposits;
    if (amount > heldBy(tenancy) || (paysInvoice && amount > owed - this.paid)) return false;
    if (!move(tenancy, ['received', 'protected', 'releasing', 'disputed'], 'settled')) return false;
    if (paysInvoice) this.paid += amount;
    tenancy.deducted += amount;
    if (this.#fault !== 'forgets the rest') tenancy.returned += heldBy(tenancy);
    return true;
  }

  #settle(holding: Expected): void {
    if (heldBy(holding) === 0 && this.#fault !== 'never settles a holding deposit') holding.status = 'settled';
  }
}

function receive(deposit: Expected, amount: number): boolean {
  if (!['pending', 'protected'].includes(deposit.status) || amount > deposit.amount - deposit.received) return false;
  deposit.received += amount;
  if (deposit.received === deposit.amount && deposit.status === 'pending') deposit.status = 'received';
  return true;
}

function move(deposit: Expected, from: readonly string[], to: string): boolean {
  if (!from.includes(deposit.status)) return false;
  deposit.status = to;
  return true;
}

function shown(deposit: Made): Expected {
  const { status, amount, amount_received: received, amount_applied: applied } = deposit;
  return { status, amount, received, applied, deducted: deposit.amount_deducted, returned: deposit.amount_returned };
}

/** Plays operations one after the other, and compares each with the model. */
export async function playAsModeled(of: Let, operations: readonly Operation[], fault: Fault | null): Promise<void> {
  const model = new Model(fault);
  for (const operation of operations) {
    const answer = await send(of, operation);
    if (!answer) continue;
    const succeeds = model.play(operation);
    expect([operation.kind, answer.status === 200], answer.text).toEqual([operation.kind, succeeds]);
    for (const which of ['holding', 'tenancy'] as const)
      expect(shown(await of.agency.get('deposits', of.ids[which]))).toEqual(model.deposits[which]);
  }
  expect(await of.agency.get('tenancies', of.tenancy)).toMatchObject({ balance: owed - model.paid });
  await expectMoneyKept(of);
}

/** Expects that all money that came is somewhere, and that it equals the payments and what was applied. */
export async function expectMoneyKept({ agency, ids, tenancy, invoice }: Let): Promise<void> {
  const [holding, deposit] = [await agency.get('deposits', ids.holding), await agency.get('deposits', ids.tenancy)];
  const applied = holding.applied_to as { deposit: string | null; tenancy: string | null; amount: number }[];
  for (const each of [holding, deposit]) {
    const { amount_held: held, amount_applied: out, amount_deducted: deducted, amount_returned: returned } = each;
    expect(each.amount_received).toBe(held + out + deducted + returned);
    expect(held).toBeGreaterThanOrEqual(0);
    expect(each.amount_received).toBeLessThanOrEqual(each.amount);
    const came = await sumOfPayments(agency, `deposit=${each.id}&status=succeeded`);
    expect(each.amount_received).toBe(came + sumOf(applied.filter((part) => part.deposit === each.id)));
  }
  const deductions = deposit.deductions as { amount: number; invoice: string | null }[];
  const paying = deductions.filter((line) => line.invoice === invoice && deposit.status === 'settled');
  expect(await sumOfPayments(agency, `tenancy=${tenancy}&method=deposit`)).toBe(sumOf(paying));
  const appliedToRent = sumOf(applied.filter((part) => part.tenancy === tenancy));
  expect(await sumOfPayments(agency, `tenancy=${tenancy}&method=holding_deposit`)).toBe(appliedToRent);
  const unit = await agency.get('units', holding.unit);
  expect(unit.holding_deposit).toBe(holding.amount_held > 0 ? holding.id : null);
}

async function sumOfPayments({ api }: Agency, filter: string): Promise<number> {
  const { body } = await good(api.get(`/v1/payments?limit=50&${filter}`));
  expect(body.has_more).toBe(false);
  return sumOf(body.data);
}

function sumOf(parts: readonly { amount: number }[]): number {
  return parts.reduce((total, { amount }) => total + amount, 0);
}

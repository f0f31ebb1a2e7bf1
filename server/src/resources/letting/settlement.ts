import { toDecision } from '../../model/change.ts';
import type { Related } from '../../model/related.ts';
import type { RecordChange, Resource } from '../../model/resource.ts';
import { Changes, type Moved } from './changes.ts';
import { dueOf, isSettleable, payingMax, type InvoiceRecord } from './invoice/fields.ts';
import { allocationsMax, unallocatedOf, type PaymentRecord } from './payment/fields.ts';
import { byDueDate, sumOf, type Allocation } from '../../rent/allocations.ts';

/*
 * Payments settle invoices. An invoice’s `amount_paid` is the sum of the allocations to it. So both sides change in one mutation. The
 * invoice knows its payments (`paying`), and the payment its invoices (`settled_invoices`).
 */

/** The time of a move. */
export interface Moment {
  /** In the time zone of the account. */
  today: string;
  nowSeconds: number;
}

/** Returns the invoice after a payment settles more of it, or less if the amount is below 0. */
export function settle(
  invoice: InvoiceRecord,
  payment: string,
  amount: number,
  isStillPaying: boolean,
  moment: Moment,
): Moved<InvoiceRecord> {
  return withPaidState(withPayment(invoice, payment, amount, isStillPaying), moment);
}

/** Returns the invoice with another part of a payment, before its state follows. */
function withPayment(invoice: InvoiceRecord, payment: string, amount: number, isStillPaying: boolean): InvoiceRecord {
  const others = invoice.paying.filter((id) => id !== payment);
  return {
    ...invoice,
    amount_paid: invoice.amount_paid + amount,
    paying: isStillPaying ? [...others, payment] : others,
  };
}

/** Returns the invoice as paid if nothing is due, and as open again if something is. */
export function withPaidState(invoice: InvoiceRecord, { today, nowSeconds }: Moment): Moved<InvoiceRecord> {
  const due = dueOf(invoice);
  if (due === 0 && isSettleable(invoice))
    return { after: { ...invoice, status: 'paid', overdue: false, paid_at: nowSeconds }, verbs: ['paid'] };
  if (due > 0 && invoice.status === 'paid') {
    const isOverdue = invoice.due_on < today;
    return {
      after: { ...invoice, status: 'open', overdue: isOverdue, paid_at: null },
      verbs: isOverdue ? ['reopened', 'overdue'] : ['reopened'],
    };
  }
  return { after: invoice, verbs: [] };
}

/** Returns the payment with other allocations. */
export function withAllocations(payment: PaymentRecord, allocations: readonly Allocation[]): PaymentRecord {
  return {
    ...payment,
    allocations: [...allocations],
    amount_allocated: sumOf(allocations),
    settled_invoices: allocations.map(({ invoice }) => invoice),
  };
}

/** Returns the changes of the invoices whose allocations differ. */
export function settleEach(
  related: Related,
  payment: string,
  before: readonly Allocation[],
  after: readonly Allocation[],
  invoices: readonly InvoiceRecord[],
  moment: Moment,
): RecordChange[] {
  const ids = new Set([...before, ...after].map(({ invoice }) => invoice));
  return [...ids].flatMap((id) => {
    const amount = amountIn(after, id) - amountIn(before, id);
    const invoice = invoices.find((candidate) => candidate.id === id);
    if (!invoice) throw new Error(`Bug! The payment ${payment} settles ${id}, which was not read.`);
    if (amount === 0) return [];
    return toDecision(
      related.kindOf<Resource>(invoice),
      invoice,
      settle(invoice, payment, amount, amountIn(after, id) > 0, moment),
    ).changes;
  });
}

function amountIn(allocations: readonly Allocation[], id: string): number {
  return allocations.find(({ invoice }) => invoice === id)?.amount ?? 0;
}

/** Settles an invoice with money that settles nothing yet, the oldest payment first. */
export function settleWithCredit(
  invoice: InvoiceRecord,
  payments: readonly PaymentRecord[],
  moment: Moment,
  changes: Changes,
): Moved<InvoiceRecord> {
  return settleInOrder(invoice, payments.toSorted(byReceipt), moment, changes);
}

/**
 * Settles invoices with money that settles nothing, after some became free. The oldest due invoice comes first, and so does the oldest
 * payment. An invoice that lost money is open again unless other money takes its place.
 *
 * @param invoices the open ones, and those that lost money in `changes`.
 * @param payments those that may settle more.
 */
export function settleOldestDue(
  invoices: readonly InvoiceRecord[],
  payments: readonly PaymentRecord[],
  moment: Moment,
  changes: Changes,
): void {
  const oldestFirst = payments.toSorted(byReceipt);
  const each = new Map(invoices.map((invoice) => [invoice.id, invoice]));
  for (const invoice of [...each.values()].toSorted(byDueDate)) {
    const now = changes.now(invoice);
    if (now.status !== 'open' && now.status !== 'paid') continue;
    const moved = settleInOrder(now, oldestFirst, moment, changes);
    if (moved.after !== now) changes.move(invoice, moved);
  }
}

function byReceipt(one: PaymentRecord, other: PaymentRecord): number {
  if (one.received_on !== other.received_on) return one.received_on! < other.received_on! ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

/** Settles an invoice with what is left of payments, in their order. */
function settleInOrder(
  invoice: InvoiceRecord,
  payments: readonly PaymentRecord[],
  moment: Moment,
  changes: Changes,
): Moved<InvoiceRecord> {
  let settled = invoice;
  for (const payment of payments) {
    const now = changes.now(payment);
    const amount = Math.min(unallocatedOf(now), dueOf(settled));
    if (amount === 0) continue;
    const present = amountIn(now.allocations, invoice.id);
    const isFull = now.allocations.length >= allocationsMax || settled.paying.length >= payingMax;
    if (present === 0 && isFull) continue;
    settled = withPayment(settled, payment.id, amount, true);
    const allocations =
      present === 0
        ? [...now.allocations, { invoice: invoice.id, amount }]
        : now.allocations.map((one) => (one.invoice === invoice.id ? { ...one, amount: present + amount } : one));
    changes.move(payment, { after: withAllocations(now, allocations), verbs: [] });
  }
  return withPaidState(settled, moment);
}

/**
 * Takes allocations of a payment back. Other money of its tenancy that settles nothing takes their place, as far as it goes.
 *
 * @param related has read `readsOfFreeing`.
 * @param kept the allocations that stay.
 * @returns the changes of invoices and of other payments.
 */
export function takeBack(
  related: Related,
  { id, allocations }: PaymentRecord,
  kept: readonly Allocation[],
  moment: Moment,
): RecordChange[] {
  if (sumOf(allocations) === sumOf(kept)) return [];
  const changes = new Changes(related);
  const settled = related.all<InvoiceRecord>('settled_invoices');
  for (const invoice of settled) {
    const left = amountIn(kept, invoice.id);
    const freed = amountIn(allocations, invoice.id) - left;
    if (freed > 0) changes.move(invoice, { after: withPayment(invoice, id, -freed, left > 0), verbs: [] });
  }
  const open = related.all<InvoiceRecord>('tenancy.owed.invoice');
  const others = related.all<PaymentRecord>('tenancy.credit.payment').filter((payment) => payment.id !== id);
  settleOldestDue([...settled, ...open], others, moment, changes);
  return changes.all();
}

/** The links whose records decide what happens to the invoices of a payment whose money went back. */
export const readsOfFreeing = [
  'settled_invoices',
  'tenancy',
  'tenancy.owed.invoice',
  'tenancy.credit.payment',
] as const;

/** Frees an amount of the payments that settle an invoice, the newest payment first. Returns the invoice without it. */
export function freePayments(
  invoice: InvoiceRecord,
  wanted: number,
  payments: readonly PaymentRecord[],
  changes: Changes,
): InvoiceRecord {
  let freed = invoice;
  let left = wanted;
  for (const payment of payments.toSorted((one, other) => (one.id < other.id ? 1 : -1))) {
    const now = changes.now(payment);
    const allocated = amountIn(now.allocations, invoice.id);
    const part = Math.min(allocated, left);
    if (part <= 0) continue;
    left -= part;
    freed = {
      ...freed,
      amount_paid: freed.amount_paid - part,
      paying: part === allocated ? freed.paying.filter((id) => id !== payment.id) : freed.paying,
    };
    const allocations = now.allocations.flatMap((allocation) => {
      if (allocation.invoice !== invoice.id) return [allocation];
      return part === allocated ? [] : [{ ...allocation, amount: allocated - part }];
    });
    changes.move(payment, { after: withAllocations(now, allocations), verbs: [] });
  }
  return freed;
}

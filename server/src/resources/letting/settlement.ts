import { toDecision } from '../../model/change.ts';
import type { Related } from '../../model/related.ts';
import type { RecordChange, Resource } from '../../model/resource.ts';
import type { Changes, Moved } from './changes.ts';
import { dueOf, isSettleable, payingMax, type InvoiceRecord } from './invoice/fields.ts';
import { allocationsMax, unallocatedOf, type PaymentRecord } from './payment/fields.ts';
import { sumOf, type Allocation } from '../../rent/allocations.ts';

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
  const others = invoice.paying.filter((id) => id !== payment);
  const paid = {
    ...invoice,
    amount_paid: invoice.amount_paid + amount,
    paying: isStillPaying ? [...others, payment] : others,
  };
  return withPaidState(paid, moment);
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

/** Settles a new invoice with money that settles nothing yet, the oldest payment first. */
export function settleWithCredit(
  invoice: InvoiceRecord,
  payments: readonly PaymentRecord[],
  moment: Moment,
  changes: Changes,
): Moved<InvoiceRecord> {
  let settled = invoice;
  const oldestFirst = payments.toSorted((one, other) =>
    one.received_on === other.received_on
      ? one.id < other.id
        ? -1
        : 1
      : one.received_on! < other.received_on!
        ? -1
        : 1,
  );
  for (const payment of oldestFirst) {
    const now = changes.now(payment);
    const amount = Math.min(unallocatedOf(now), dueOf(settled));
    if (amount === 0 || now.allocations.length >= allocationsMax || settled.paying.length >= payingMax) continue;
    settled = {
      ...settled,
      amount_paid: settled.amount_paid + amount,
      paying: [...settled.paying, payment.id],
    };
    const after = withAllocations(now, [...now.allocations, { invoice: invoice.id, amount }]);
    changes.move(payment, { after, verbs: [] });
  }
  return withPaidState(settled, moment);
}

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

/** A part of a payment that settles an invoice. */
export interface Allocation {
  /** The id of the invoice. */
  invoice: string;
  /** In the smallest unit of the currency, above 0. */
  amount: number;
}

/** An invoice that is not settled. */
export interface OpenInvoice {
  id: string;
  due_on: string;
  amount_due: number;
}

/** Returns how a payment settles open invoices: that with the earliest due date first, and of one date the oldest. */
export function allocateOldestFirst(amount: number, invoices: readonly OpenInvoice[]): Allocation[] {
  const allocations: Allocation[] = [];
  let left = amount;
  for (const { id, amount_due: due } of invoices.toSorted(byDueDate)) {
    const part = Math.min(left, due);
    if (part > 0) allocations.push({ invoice: id, amount: part });
    left -= part;
  }
  return allocations;
}

/** Compares invoices: that with the earlier due date comes first, and of one date the older one. */
export function byDueDate(one: Omit<OpenInvoice, 'amount_due'>, other: Omit<OpenInvoice, 'amount_due'>): number {
  if (one.due_on !== other.due_on) return one.due_on < other.due_on ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

/**
 * Frees an amount from allocations, the newest first.
 *
 * @param allocations the oldest first.
 * @param amount at most their sum.
 * @returns the allocations that stay.
 */
export function freeNewestFirst(allocations: readonly Allocation[], amount: number): Allocation[] {
  const kept: Allocation[] = [];
  let left = amount;
  for (const { invoice, amount: allocated } of allocations.toReversed()) {
    const part = Math.min(left, allocated);
    if (allocated > part) kept.unshift({ invoice, amount: allocated - part });
    left -= part;
  }
  return kept;
}

/** Returns the sum of allocations, in the smallest unit of the currency. */
export function sumOf(allocations: readonly Allocation[]): number {
  return allocations.reduce((sum, { amount }) => sum + amount, 0);
}

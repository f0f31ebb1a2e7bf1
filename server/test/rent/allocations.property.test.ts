import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../src/core/calendar.ts';
import { allocateOldestFirst, freeNewestFirst, sumOf } from '../../src/rent/allocations.ts';

const anyAmount = fc.integer({ min: 1, max: 9_999_999_999 });
const anyInvoices = fc
  .uniqueArray(fc.record({ number: fc.nat(999), days: fc.nat(20), amount_due: anyAmount }), {
    selector: ({ number }) => number,
    maxLength: 30,
  })
  .map((made) =>
    made.map(({ number, days, amount_due }) => ({
      id: `in_${String(number).padStart(3, '0')}`,
      due_on: addDays('2027-01-01', days),
      amount_due,
    })),
  );

describe('a payment', () => {
  test('settles the oldest invoices first, and none beyond what is due', () => {
    fc.assert(
      fc.property(anyAmount, anyInvoices, (amount, invoices) => {
        const allocations = allocateOldestFirst(amount, invoices);
        const due = new Map(invoices.map((invoice) => [invoice.id, invoice]));
        const owed = invoices.reduce((sum, { amount_due: part }) => sum + part, 0);
        expect(sumOf(allocations)).toBe(Math.min(amount, owed));
        for (const { invoice, amount: part } of allocations)
          expect(part).toBeLessThanOrEqual(due.get(invoice)!.amount_due);
        // All before the last one are settled, and none that is older was left out.
        for (const { invoice, amount: part } of allocations.slice(0, -1))
          expect(part).toBe(due.get(invoice)!.amount_due);
        const keys = invoices.map(({ id, due_on: dueOn }) => `${dueOn} ${id}`).toSorted();
        const taken = allocations.map(({ invoice }) => `${due.get(invoice)!.due_on} ${invoice}`);
        expect(taken).toEqual(keys.slice(0, taken.length));
      }),
    );
  });

  test('frees the newest allocations first, and exactly the amount', () => {
    fc.assert(
      fc.property(anyAmount, anyInvoices, fc.double({ min: 0, max: 1, noNaN: true }), (amount, invoices, share) => {
        const allocations = allocateOldestFirst(amount, invoices);
        const wanted = Math.floor(sumOf(allocations) * share);
        const kept = freeNewestFirst(allocations, wanted);
        expect(sumOf(kept)).toBe(sumOf(allocations) - wanted);
        expect(kept.map(({ invoice }) => invoice)).toEqual(
          allocations.slice(0, kept.length).map(({ invoice }) => invoice),
        );
        for (const { amount: part } of kept) expect(part).toBeGreaterThan(0);
      }),
    );
  });
});

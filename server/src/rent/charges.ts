import { addDays, daysBetween, type Day, type Span } from '../core/calendar.ts';
import type { RentPeriod } from './periods.ts';

/**
 * Returns the price of some days of a full period. A whole period costs its amount. The price of a part is the difference of two prices.
 * Both count from the start of the period, and are rounded half up. So the parts of any split add up to the amount, to the penny.
 *
 * @param amount of the full period, in the smallest unit of the currency.
 */
export function chargeOf(amount: number, { start, end, full }: RentPeriod): number {
  const days = BigInt(daysBetween(full.start, full.end) + 1);
  // A client may send a line for a thousand years. Its pennies times its days are beyond the whole numbers of a double.
  const upTo = (day: Day): number => {
    const count = BigInt(daysBetween(full.start, day));
    return Number((2n * BigInt(amount) * count + days) / (2n * days));
  };
  return upTo(addDays(end, 1)) - upTo(start);
}

/**
 * Returns the credit for the days of a charged period after the end of a tenancy (Housing Act 1988 s14ZC).
 *
 * @param lastDay the last day of the tenancy. Before the period, all of it is credited.
 */
export function creditAfter(amount: number, period: RentPeriod, lastDay: Day): number {
  if (lastDay >= period.end) return 0;
  const start = lastDay < period.start ? period.start : addDays(lastDay, 1);
  return chargeOf(amount, { start, end: period.end, full: period.full });
}

/** Days around the first day of a period. */
export interface InvoiceTiming {
  /** Days from the first day of a period until its rent is due, 0 to 27. */
  dueAfter: number;
  /** Days from the invoice until its rent is due, 0 to 28. */
  invoiceBefore: number;
}

/** Returns the day on which the rent of a period is due. */
export function dueOn({ start }: Span, { dueAfter }: InvoiceTiming): Day {
  return addDays(start, dueAfter);
}

/** Returns the day on which a period is invoiced: never before the tenancy was signed. */
export function invoicedOn(period: Span, timing: InvoiceTiming, signedOn: Day): Day {
  const day = addDays(dueOn(period, timing), -timing.invoiceBefore);
  return day < signedOn ? signedOn : day;
}

import type { Rent } from './facts.ts';

const periodsAYear = { week: 52, month: 12, year: 1 } as const;

/** Returns the largest amount of `rent` that is not above another rent, in its own interval and currency. */
export function largestWithin(rent: Rent, other: Rent): number {
  const shares = other.amount * periodsAYear[other.interval] * countOf(rent);
  return Math.floor(shares / (countOf(other) * periodsAYear[rent.interval]));
}

/** Returns whether one rent is at most another, by the year. Amounts stay whole, so that no fraction of a penny is lost. */
export function isWithin(rent: Rent, other: Rent): boolean {
  return (
    rent.amount * periodsAYear[rent.interval] * countOf(other) <=
    other.amount * periodsAYear[other.interval] * countOf(rent)
  );
}

function countOf({ interval_count: count }: Rent): number {
  return count ?? 1;
}

/** Returns the rent of so many weeks, rounded down. A week costs a 52nd part of the year. */
export function weeksOf(rent: Rent, weeks: number): number {
  return Math.floor((weeks * rent.amount * periodsAYear[rent.interval]) / (periodsAYear.week * countOf(rent)));
}

/** Returns whether the rent of a year is an amount or more. */
export function isYearlyFrom(rent: Rent, amount: number): boolean {
  return rent.amount * periodsAYear[rent.interval] >= amount * countOf(rent);
}

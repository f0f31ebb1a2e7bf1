import type { Deployment } from './deployment.ts';
import type { Receiver } from './receiver.ts';
import type { Tools } from './tools.ts';

/** Figures that are measured together, in rounds. */
export interface Suite<Name extends string = string> {
  name: string;
  figures: Record<Name, Figure>;
  /** The most rounds of a slow suite. Without it, there are as many as requested. */
  roundsMax?: number;
  /** Measures once: the product, and in the same minute what it is compared with. A figure whose tool is missing is left out. */
  round(bench: Bench, round: number): Promise<Partial<Record<Name, Reading>>>;
  /** Removes what it kept between its rounds. */
  stop?(): Promise<void>;
}

export interface Figure {
  title: string;
  unit: 'times' | 'ms' | 'µs' | 'kB' | 'MB' | 's' | 'statements' | 'shift' | '%';
  better: 'more' | 'less';
  /** The product's promise and its goal; null where it promises nothing. */
  floor: number | null;
  aim: number | null;
  needs: (keyof Tools)[];
  /** The unit of `ours`, `limit` and `baseline`; rates by default. */
  besideUnit?: '/s' | 'ms' | 'MB';
}

/** One round's value. A ratio comes with its parts, so that a reader can judge it. */
export interface Reading {
  value: number;
  ours?: number;
  /** The best that is possible, or what `ours` is compared with. */
  limit?: number;
  /** The value of `baseline/`: what a good engineer would build in a day. */
  baseline?: number;
  /** The rates at which ours and the baseline were measured, if they differ. */
  atPerSecond?: { ours: number; baseline: number };
}

/** The means of the suites. */
export interface Bench {
  deployment: Deployment;
  receiver: Receiver;
  tools: Tools;
  /** The duration of each load. */
  seconds: number;
}

export function ratio(ours: number, limit: number, baseline?: number): Reading {
  return { value: ours / limit, ours, limit, ...(baseline !== undefined && { baseline }) };
}

/**
 * Runs the compared programs one right after the other, in an order that rotates with each round. A machine that becomes slower then favors
 * none.
 */
export async function inTurn<Name extends string, Result>(
  round: number,
  runs: Record<Name, () => Promise<Result>>,
): Promise<Record<Name, Result>> {
  const names = Object.keys(runs) as Name[];
  if (round % 2 === 1) names.reverse();
  const results: Partial<Record<Name, Result>> = {};
  for (const name of names) results[name] = await runs[name]();
  return results as Record<Name, Result>;
}

/** Throws if a run did not do what it should: its figure is then worthless. */
export function verify(what: string, isTrue: boolean): void {
  if (!isTrue) throw new Error(`The measurement is void: ${what}.`);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  return Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!;
}

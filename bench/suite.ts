import type { Deployment } from './deployment.ts';
import type { Receiver } from './receiver.ts';
import type { Tools } from './tools.ts';

/** What is measured together, in rounds. */
export interface Suite<Name extends string = string> {
  name: string;
  figures: Record<Name, Figure>;
  /** The most rounds that it is worth, where one takes long; as many as asked for if it is not there. */
  roundsMax?: number;
  /** Measures once: ours, and in the same minute what ours is held against. A figure whose tool is missing is left out. */
  round(bench: Bench, round: number): Promise<Partial<Record<Name, Reading>>>;
  /** Puts away what it kept between its rounds. */
  stop?(): Promise<void>;
}

export interface Figure {
  title: string;
  unit: 'times' | 'ms' | 'kB' | 'MB' | 's' | 'statements' | '%';
  better: 'more' | 'less';
  /** What the product promises, and what it strives for; null where nothing is promised. */
  floor: number | null;
  aim: number | null;
  needs: (keyof Tools)[];
  /** What ours, the limit and the baseline are told in; rates if it is not there. */
  besideUnit?: '/s' | 'ms' | 'MB';
}

/** One round's value. A ratio comes with what it was made of, so that a reader can judge it. */
export interface Reading {
  value: number;
  ours?: number;
  /** What nothing of this kind can be better than, or what ours is held against. */
  limit?: number;
  /** The same of `baseline/`: what a good engineer would build in a day. */
  baseline?: number;
  /** The rates at which ours and the baseline were measured, where each has its own. */
  atPerSecond?: { ours: number; baseline: number };
}

/** What the suites measure with. */
export interface Bench {
  deployment: Deployment;
  receiver: Receiver;
  tools: Tools;
  /** How long each load lasts. */
  seconds: number;
}

export function ratio(ours: number, limit: number, baseline?: number): Reading {
  return { value: ours / limit, ours, limit, ...(baseline !== undefined && { baseline }) };
}

/**
 * Runs what is compared one right after the other, in an order that turns with each round: a machine that becomes slower
 * favours nobody.
 */
export async function inTurn<Name extends string>(
  round: number,
  runs: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(runs) as Name[];
  if (round % 2 === 1) names.reverse();
  const results: Partial<Record<Name, number>> = {};
  for (const name of names) results[name] = await runs[name]();
  return results as Record<Name, number>;
}

/** A figure of a run that did not do what it should is worth nothing. */
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

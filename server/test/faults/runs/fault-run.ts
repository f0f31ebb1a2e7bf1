import type { Violation } from '../crash-checker/judge/evidence.ts';

/**
 * The size of a run. A run of size `ci` takes three minutes, and one of size `gate` ten, before a release. The size `full` makes the
 * published figures.
 */
export type Size = 'ci' | 'gate' | 'full';

/** One kind of fault, caused many times, and judged by what the API shows. */
export interface FaultRun {
  /** Its name in `--only`. */
  name: string;
  /** Its title in the table. */
  title: string;
  /** The unit of its count: `kills`, `bursts`. */
  unit: string;
  /** How many faults a run of each size has. */
  sizes: Record<Size, number>;
  /** Plays the faults, with random numbers from the seed alone, and leaves nothing running. */
  play(size: number, options: PlayOptions): Promise<FaultReport>;
}

export interface PlayOptions {
  seed: number;
  /** Prints progress. */
  print: (line: string) => void;
}

export interface FaultReport {
  /** How many faults happened. */
  done: number;
  /** More counts, each with its unit as the name: `requests`, `events delivered twice`. */
  counts: Record<string, number>;
  /** Promises that were broken. */
  violations: FaultViolation[];
  /** Why it could not be played on this machine; nothing was played then. */
  notRun?: string;
}

/**
 * Returns why a run without findings proves nothing, because it did less than requested. Returns null if it did all, or cannot be played
 * here.
 */
export function shortfallOf({ done, notRun }: FaultReport, size: number, unit: string): string | null {
  if (notRun !== undefined || done >= size) return null;
  return `Only ${done} of ${size} ${unit} happened.`;
}

/** A broken promise: of the crash checker's judge, or of a run's own. */
export type FaultViolation = Omit<Violation, 'rule'> & { rule: string };

import type { Violation } from '../crash-checker/judge/evidence.ts';

/** How much of it is played: in CI, where three minutes must do; as a gate before a release, ten; and in full, once for the figures that are published. */
export type Size = 'ci' | 'gate' | 'full';

/** One kind of fault, done to the product many times, and judged by what the API shows. */
export interface FaultRun {
  /** As `--only` calls it. */
  name: string;
  /** What is done, as the table says it. */
  title: string;
  /** What is counted: `kills`, `bursts`. */
  unit: string;
  /** How many of them. */
  sizes: Record<Size, number>;
  /** Plays them, by random numbers that follow from the seed alone, and leaves nothing running. */
  play(size: number, options: PlayOptions): Promise<FaultReport>;
}

export interface PlayOptions {
  seed: number;
  /** Tells how far it is. */
  print: (line: string) => void;
}

export interface FaultReport {
  /** How many were really done. */
  done: number;
  /** What else happened, each with its unit as the name: `requests`, `events delivered twice`. */
  counts: Record<string, number>;
  /** Promises that were broken. */
  violations: FaultViolation[];
  /** Why it could not be played on this machine; then nothing was. */
  notRun?: string;
}

/** Why a run that found nothing proves nothing: it did less than it was asked to. Null where it did all, or could not be played here. */
export function shortfallOf({ done, notRun }: FaultReport, size: number, unit: string): string | null {
  if (notRun !== undefined || done >= size) return null;
  return `Of ${size} ${unit}, only ${done} were done.`;
}

/** A broken promise: of the crash checker's judge, or of a run's own. */
export type FaultViolation = Omit<Violation, 'rule'> & { rule: string };

import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** A job is due about a record at times. The change that sets the time puts the job into the queue. */
export interface Schedule {
  /** The name of the job. It is given the account and the id, and finds the rest out. A record has one at a time. */
  job: string;
  /** What it waits for. Where that hangs, the jobs that wait for something else go on. */
  lane(record: StoredRecord): string;
  /** When, in milliseconds since the Unix epoch; null if nothing is to be done. */
  dueAtMs(record: StoredRecord): number | null;
}

export const scheduled = defineTrait<Schedule>();

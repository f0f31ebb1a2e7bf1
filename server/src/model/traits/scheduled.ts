import type { StoredRecord } from '../record.ts';
import type { Change } from '../resource.ts';
import { defineTrait } from '../trait.ts';

/** Schedules jobs about a record. The change that sets the time puts the job into the queue. */
export interface Schedule {
  /** The name of the job. It gets the account and the id, and reads the rest. A record has one job at a time. */
  job: string;
  /** The column with the record's order at its service, as JSON. Its member `due_at_ms` is the time of the job. */
  column: string;
  /** The statuses in which a record can wait for a job. */
  statuses: readonly string[];
  /** Other columns of the same kind, for jobs beside the order at the service. */
  further?: readonly { column: string; statuses: readonly string[] }[];
  /** Returns the services that the job waits for, without commas. While a task names one of them as crowded, the job is not taken. */
  groups(record: StoredRecord): readonly string[];
  /** Returns the time of the job, in milliseconds since the Unix epoch. Null if there is no job. */
  dueAtMs(record: StoredRecord): number | null;
  /** Schedules the next step now, if there is one. Null changes nothing. */
  wake(record: StoredRecord, nowMs: number): Change<StoredRecord> | null;
}

export const scheduled = defineTrait<Schedule>();

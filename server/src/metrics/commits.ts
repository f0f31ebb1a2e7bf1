import { Counter, Histogram, type Registry } from 'prom-client';
import { gaugeOnScrape } from './gauge-on-scrape.ts';

/** Metrics of the committer. */
export class CommitMetrics {
  readonly #durations: Histogram<'result'>;
  readonly #batches: Histogram;
  readonly #changes: Counter;
  #pending = 0;

  constructor(registers: Registry[]) {
    this.#durations = new Histogram({
      name: 'tenure_commit_duration_seconds',
      help: 'Batches that were sent to the database and how long that took, by result: `committed`; `members_refused`, `refused` or `deadlock` (sent again, without the culprit); `unavailable` (the database was lost or not there).',
      labelNames: ['result'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30],
      registers,
    });
    this.#batches = new Histogram({
      name: 'tenure_commit_batch_mutations',
      help: 'Batches that were committed, and how many mutations were in them: of requests, and of the server itself.',
      buckets: [1, 2, 4, 8, 16, 32, 64],
      registers,
    });
    this.#changes = new Counter({
      name: 'tenure_committed_changes_total',
      help: 'Records that were made, changed or deleted.',
      registers,
    });
    gaugeOnScrape(
      registers,
      {
        name: 'tenure_committer_pending_mutations',
        help: 'Mutations that are being decided, wait for their turn or are being written. At 4,000 the next is rejected (`overloaded`).',
      },
      (gauge) => gauge.set(this.#pending),
    );
  }

  pendingIs(count: number): void {
    this.#pending = count;
  }

  sent(result: string, batch: { entries: number; changes: number }, durationMs: number): void {
    this.#durations.observe({ result }, durationMs / 1000);
    if (result !== 'committed') return;
    this.#batches.observe(batch.entries);
    this.#changes.inc(batch.changes);
  }
}

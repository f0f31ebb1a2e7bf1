import { Histogram, type Registry } from 'prom-client';

/** Metrics of e-mails. */
export class EmailMetrics {
  readonly #durations: Histogram<'result'>;

  constructor(registers: Registry[]) {
    this.#durations = new Histogram({
      name: 'tenure_email_attempt_duration_seconds',
      help: 'Attempts to send e-mails and how long they took, by `result`: `sent`, `retried` (the mail server could not take it now) or `failed` (it is given up).',
      labelNames: ['result'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    });
  }

  attempted(result: 'sent' | 'retried' | 'failed', durationMs: number): void {
    this.#durations.observe({ result }, durationMs / 1000);
  }
}

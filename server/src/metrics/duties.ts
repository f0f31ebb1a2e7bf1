import { Counter, Gauge, type Registry } from 'prom-client';
import { toSeconds, type Clock } from '../core/clock.ts';

/** Metrics of the duties. */
export class DutyMetrics {
  readonly #clock: Clock;
  readonly #lastSuccess: Gauge<'duty'>;
  readonly #failures: Counter<'duty'>;

  constructor(registers: Registry[], clock: Clock) {
    this.#clock = clock;
    this.#lastSuccess = new Gauge({
      name: 'tenure_duty_last_success_timestamp_seconds',
      help: 'When a duty last succeeded in this process, in seconds since the Unix epoch. It also counts as done if another process was doing it at that moment.',
      labelNames: ['duty'],
      registers,
    });
    this.#failures = new Counter({
      name: 'tenure_duty_failures_total',
      help: 'How often a duty failed. It is retried after its interval.',
      labelNames: ['duty'],
      registers,
    });
  }

  succeeded(duty: string): void {
    this.#lastSuccess.set({ duty }, toSeconds(this.#clock.nowMs()));
  }

  failed(duty: string): void {
    this.#failures.inc({ duty });
  }
}

import { Counter, Gauge, type Registry } from 'prom-client';
import { toSeconds, type Clock } from '../core/clock.ts';

/** What keeps house in the background. */
export class DutyMetrics {
  readonly #clock: Clock;
  readonly #lastSuccess: Gauge<'duty'>;
  readonly #failures: Counter<'duty'>;

  constructor(registers: Registry[], clock: Clock) {
    this.#clock = clock;
    this.#lastSuccess = new Gauge({
      name: 'tenure_duty_last_success_timestamp_seconds',
      help: 'When a duty last came to a good end in this process, in seconds since the Unix epoch. One that another process has taken on just then counts as done.',
      labelNames: ['duty'],
      registers,
    });
    this.#failures = new Counter({
      name: 'tenure_duty_failures_total',
      help: 'How often a duty failed; it is tried again when its time has come.',
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

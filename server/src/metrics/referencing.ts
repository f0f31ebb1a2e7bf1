import { Histogram, type Registry } from 'prom-client';

/** Metrics of calls to the referencing services. */
export class ReferencingMetrics {
  readonly #durations: Histogram<'provider' | 'step' | 'result'>;

  constructor(registers: Registry[]) {
    this.#durations = new Histogram({
      name: 'tenure_referencing_step_duration_seconds',
      help: 'Steps of automatic references and how long they took, by `provider`, `step` (`submit`, `read`, `stop`) and `result`: `done`, `busy` (the service has too much to do) or `failed`. The last step of a reference includes printing its report.',
      labelNames: ['provider', 'step', 'result'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    });
  }

  stepTaken(provider: string, step: string, result: 'done' | 'busy' | 'failed', durationMs: number): void {
    this.#durations.observe({ provider, step, result }, durationMs / 1000);
  }
}

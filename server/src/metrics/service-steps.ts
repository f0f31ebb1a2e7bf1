import { Histogram, type Registry } from 'prom-client';

/** Metrics of calls to services that advance records step by step. */
export class ServiceStepMetrics {
  readonly #durations: Histogram<'provider' | 'step' | 'result'>;

  constructor(registers: Registry[], { name, help }: { name: `tenure_${string}_seconds`; help: string }) {
    this.#durations = new Histogram({
      name,
      help,
      labelNames: ['provider', 'step', 'result'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    });
  }

  stepTaken(provider: string, step: string, result: 'done' | 'busy' | 'failed', durationMs: number): void {
    this.#durations.observe({ provider, step, result }, durationMs / 1000);
  }
}

import { Counter, Histogram, type Registry } from 'prom-client';
import { askedGauge } from './asked-gauge.ts';

/** A client may send any method that there is; those that no route takes are one. */
const knownMethods = new Set(['GET', 'POST', 'DELETE']);

/** From a millisecond to the longest that an upload may take. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** Requests as they were answered. */
export class RequestMetrics {
  readonly #durations: Histogram<'method' | 'route' | 'status'>;
  readonly #errors: Counter<'code'>;
  #inFlight = 0;

  constructor(registers: Registry[]) {
    this.#durations = new Histogram({
      name: 'tenure_http_request_duration_seconds',
      help: 'Requests and how long they took, from their headers to the end of their answer, by method, route (its pattern; `none` if there is none) and class of the status (`aborted` if the client went away before its answer).',
      labelNames: ['method', 'route', 'status'],
      buckets: durationBuckets,
      registers,
    });
    this.#errors = new Counter({
      name: 'tenure_http_errors_total',
      help: 'Requests that got an error, by its code. Those that were no readable HTTP are in it, and nowhere else.',
      labelNames: ['code'],
      registers,
    });
    askedGauge(
      registers,
      {
        name: 'tenure_http_requests_in_flight',
        help: 'Requests that are not answered to their end, open streams of events included.',
      },
      (gauge) => gauge.set(this.#inFlight),
    );
  }

  began(): void {
    this.#inFlight++;
  }

  /** @param answered.route its pattern, or undefined; `status` is null if the client went away before. */
  ended(answered: { method: string; route: string | undefined; status: number | null; durationMs: number }): void {
    this.#inFlight--;
    const { method, route = 'none', status, durationMs } = answered;
    const labels = {
      method: knownMethods.has(method) ? method : 'other',
      route,
      status: status === null ? 'aborted' : `${Math.floor(status / 100)}xx`,
    };
    this.#durations.observe(labels, durationMs / 1000);
  }

  /** @param code of the error catalogue. */
  refused(code: string): void {
    this.#errors.inc({ code });
  }
}

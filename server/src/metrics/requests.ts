import { Counter, Histogram, type Registry } from 'prom-client';
import { gaugeOnScrape } from './gauge-on-scrape.ts';

/** A client may send any method. Methods that no route takes share one label. */
const knownMethods = new Set(['GET', 'POST', 'DELETE']);

/** Seconds, from a millisecond to the longest that an upload may take. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** Metrics of requests and their responses. */
export class RequestMetrics {
  readonly #durations: Histogram<'method' | 'route' | 'status'>;
  readonly #errors: Counter<'code'>;
  #inFlight = 0;

  constructor(registers: Registry[]) {
    this.#durations = new Histogram({
      name: 'tenure_http_request_duration_seconds',
      help: 'Requests and how long they took, from their headers to the end of their response, by method, route (its pattern; `none` if there is none) and class of the status (`aborted` if the client disconnected before its response).',
      labelNames: ['method', 'route', 'status'],
      buckets: durationBuckets,
      registers,
    });
    this.#errors = new Counter({
      name: 'tenure_http_errors_total',
      help: 'Requests that got an error, by its code. Only this metric counts requests that were no readable HTTP.',
      labelNames: ['code'],
      registers,
    });
    gaugeOnScrape(
      registers,
      {
        name: 'tenure_http_requests_in_flight',
        help: 'Requests whose response has not ended, open event streams included.',
      },
      (gauge) => gauge.set(this.#inFlight),
    );
  }

  began(): void {
    this.#inFlight++;
  }

  /** @param answered.route its pattern, or undefined; `status` is null if the client disconnected before. */
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

  /** @param code a code of the error catalogue. */
  refused(code: string): void {
    this.#errors.inc({ code });
  }
}

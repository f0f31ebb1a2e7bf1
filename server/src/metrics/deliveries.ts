import { Histogram, type Registry } from 'prom-client';
import { gaugeOnScrape } from './gauge-on-scrape.ts';

/** The numbers that a dispatcher shows of its present work. */
interface WatchedDispatcher {
  readonly inFlight: number;
  readonly held: number;
  readonly connections: number;
}

/** Metrics of this process's dispatcher. */
export class DeliveryMetrics {
  readonly #durations: Histogram<'outcome'>;
  #dispatcher: WatchedDispatcher = { inFlight: 0, held: 0, connections: 0 };

  constructor(registers: Registry[]) {
    this.#durations = new Histogram({
      name: 'tenure_delivery_attempt_duration_seconds',
      help: 'Attempts to deliver and how long they took, by result: the class of the status, or why there was no complete response (`timeout`, `connection_refused`, … as in attempts of the API).',
      labelNames: ['outcome'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    });
    gaugeOnScrape(
      registers,
      { name: 'tenure_deliveries_in_flight', help: 'Deliveries that this process is sending at present.' },
      (gauge) => gauge.set(this.#dispatcher.inFlight),
    );
    gaugeOnScrape(
      registers,
      {
        name: 'tenure_deliveries_held',
        help: 'Deliveries that this process has claimed and whose outcome is not written yet; those in flight are among them.',
      },
      (gauge) => gauge.set(this.#dispatcher.held),
    );
    gaugeOnScrape(
      registers,
      { name: 'tenure_delivery_connections', help: 'Open connections to receivers, idle ones that are kept included.' },
      (gauge) => gauge.set(this.#dispatcher.connections),
    );
  }

  /** Shows this dispatcher from now on. */
  watch(dispatcher: WatchedDispatcher): void {
    this.#dispatcher = dispatcher;
  }

  attempted(reply: { status: number | null; error: string | null }, durationMs: number): void {
    this.#durations.observe({ outcome: reply.error ?? classOf(reply.status) }, durationMs / 1000);
  }
}

/** Returns the class of a status. A receiver may send any three digits. */
function classOf(status: number | null): string {
  return status !== null && status >= 200 && status < 600 ? `${Math.floor(status / 100)}xx` : 'response_invalid';
}

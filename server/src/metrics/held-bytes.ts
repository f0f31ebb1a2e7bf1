import type { Registry } from 'prom-client';
import { gaugeOnScrape } from './gauge-on-scrape.ts';

/** Kinds of work whose memory is limited. */
export type HeldKind =
  | 'commits'
  | 'requests'
  | 'early'
  | 'keyless'
  | 'answers'
  | 'deliveries'
  | 'streams'
  | 'stream_cache'
  | 'reads'
  | 'downloads'
  | 'erasures'
  | 'uploads'
  | 'prints'
  | 'steps'
  /** All kinds together. */
  | 'all';

/** The part of a byte budget that is shown. */
export interface HeldBytes {
  readonly held: number;
  readonly max: number;
}

/** Shows the memory that each kind of work holds in this process, and its limit. */
export class HeldBytesMetrics {
  readonly #budgets = new Map<HeldKind, HeldBytes>();

  constructor(registers: Registry[]) {
    gaugeOnScrape(
      registers,
      {
        name: 'tenure_held_bytes',
        help: 'Bytes that this process holds in memory for work under way, by `kind`.',
        labelNames: ['kind'],
      },
      (gauge) => {
        for (const [kind, { held }] of this.#budgets) gauge.set({ kind }, held);
      },
    );
    gaugeOnScrape(
      registers,
      {
        name: 'tenure_held_bytes_max',
        help: 'The most that this process may hold, by `kind`. Work beyond it waits or is rejected.',
        labelNames: ['kind'],
      },
      (gauge) => {
        for (const [kind, { max }] of this.#budgets) gauge.set({ kind }, max);
      },
    );
  }

  /** Shows this budget from now on. */
  watch(kind: HeldKind, budget: HeldBytes): void {
    this.#budgets.set(kind, budget);
  }
}

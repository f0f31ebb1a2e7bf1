import type { Id } from '../core/ids.ts';
import type { EventRow } from './batch-entry.ts';

/**
 * Lets a process that delivers claim deliveries in the transaction that makes them. It sends them as soon as they are durable, without a
 * claim of their own, and without reading their events.
 */
export interface NewDeliveryClaims {
  /** Begins the claim of one batch. Returns null if other deliveries go first, or if there is no room. `end` must follow. */
  begin(): NewDeliveryClaim | null;
}

export interface NewDeliveryClaim {
  /** As for later claims: the fencing token, and the end of the lease in real time. */
  token: number;
  untilMs: number;
  /** The most deliveries to claim. */
  max: number;
  /** Endpoints whose deliveries stay unclaimed. */
  fullEndpoints: readonly string[];
  /** Ends the claim. */
  end(outcome: NewDeliveryOutcome): void;
}

/** The deliveries that a durable batch has claimed. `unknown` if the batch may have been committed in a lost transaction. */
export type NewDeliveryOutcome = readonly MadeDelivery[] | 'unknown';

/** A delivery that was claimed in the transaction that made it. */
export interface MadeDelivery {
  accountId: string;
  id: Id<'dlv'>;
  endpointId: string;
  enablement: number;
  /** The owner of the event: the endpoint's own account or a connected one. */
  eventAccountId: string;
  dueAtMs: number;
  event: EventRow;
}

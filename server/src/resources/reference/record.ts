import type { Static } from 'typebox';
import type { StoredRecord } from '../../model/record.ts';
import type { AutomaticReference, Decision, Outcome, ReferenceType, Status } from './shape.ts';

/** A stored reference. */
export type ReferenceRecord = StoredRecord & {
  application: string | null;
  automatic_reference: Static<typeof AutomaticReference> | null;
  /** Null if no provider makes the check. */
  provider_order: ProviderOrder | null;
  /** Null until the reference has left a service. */
  earlier_orders: EarlierOrders | null;
  completed_at: number | null;
  customer: string | null;
  outcome: Static<typeof Outcome> | null;
  /** Null if no person and no program has set the outcome. */
  decision: Static<typeof Decision> | null;
  reference_pdf: string | null;
  /** The files that `reference_pdf` named before, the oldest first. */
  earlier_reports: string[];
  /** Null until a report about a decision was ordered. */
  report_order: ReportOrder | null;
  status: Static<typeof Status>;
  type: Static<typeof ReferenceType>;
};

/** The reports about decisions that the server is to issue. It is never shown. */
export interface ReportOrder {
  /** When the next report is issued, in milliseconds. Null if none waits. */
  due_at_ms: number | null;
  /** The number of failed attempts in a row. */
  failures: number;
  /** The number of reports that were issued. The next one gets the number after it. */
  issued: number;
  /** The decisions without a report yet, the oldest first. */
  waiting: Static<typeof Decision>[];
}

/** The state of the order with the provider. It is never shown. */
export interface ProviderOrder {
  /** The provider's id of the order. Null until it is known. */
  id: string | null;
  /** Set after a callback: the order exists, even if its id is not known. */
  called?: true;
  /** Set before the first call: the provider may have the order, even if its id is not known. */
  begun?: true;
  /** The changes of the person's e-mail address that the provider must learn. Left out if there was none. */
  contact?: ContactChanges;
  /** The time of the next step, in milliseconds. Null if there is none. */
  due_at_ms: number | null;
  /** The number of failed requests to the provider in a row. */
  failures: number;
  /** When the reference last showed progress, in milliseconds. */
  shown_at_ms: number;
  /** The provider was told to stop, or cannot be told. */
  stopped: boolean;
  /** Reads that test helpers wait for. Left out if there was none. */
  looks?: Looks;
  /** The provider's reports after a client has ended the reference, the oldest first. */
  later: LateStatus[];
}

/** Counts the changes of the person's e-mail address since the order. The address itself is read when the provider is told. */
export interface ContactChanges {
  made: number;
  /** The changes that the provider has learned of. */
  told: number;
}

/** The orders at services that the reference has left. It is never shown. */
export interface EarlierOrders {
  /** When the next order is stopped, in milliseconds. Null if none waits. */
  due_at_ms: number | null;
  /** The number of orders that the reference has left. The present one has the number after it. */
  left: number;
  /** The orders that are still to be stopped, the oldest first. */
  waiting: EarlierOrder[];
}

/** An order that is still to be stopped. */
export interface EarlierOrder {
  provider: string;
  /** Its number among the orders of the reference. The first one is 1. */
  number: number;
  /** The provider's id of the order. Null if it is not known: then the order is looked up first. */
  id: string | null;
  /** The number of look-ups that have found no order. */
  missed: number;
  due_at_ms: number;
  /** The number of failed requests in a row. */
  failures: number;
}

/** Numbers the reads of an order for test helpers, so that each helper knows when its own read is done. */
export interface Looks {
  /** The last requested read. */
  asked: number;
  /** The last successful read. */
  answered: number;
  /** The last failed read. */
  failed: number;
}

interface LateStatus {
  /** The time of the report, in seconds since the Unix epoch. */
  heard: number;
  status: string;
  outcome: string | null;
}

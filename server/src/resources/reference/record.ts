import type { Static } from 'typebox';
import type { StoredRecord } from '../../model/record.ts';
import type { AutomaticReference, Outcome, ReferenceType, Status } from './shape.ts';

/** A reference as it is kept. */
export type ReferenceRecord = StoredRecord & {
  application: string | null;
  automatic_reference: Static<typeof AutomaticReference> | null;
  /** Null if no provider is asked. */
  provider_order: ProviderOrder | null;
  completed_at: number | null;
  customer: string | null;
  outcome: Static<typeof Outcome> | null;
  reference_pdf: string | null;
  status: Static<typeof Status>;
  type: Static<typeof ReferenceType>;
};

/** What is known of the order with the provider, and shown to nobody. */
export interface ProviderOrder {
  /** The provider's own id of it; null until it is known to be there. */
  id: string | null;
  /** The provider has called back, so there is an order, though its id may not be known. */
  called?: true;
  /** When the next step is to be taken, in milliseconds; null if there is none. */
  due_at_ms: number | null;
  /** How often in a row the provider could not be asked. */
  failures: number;
  /** When its progress was last shown, in milliseconds. */
  shown_at_ms: number;
  /** It was told to stop, or it cannot be told. */
  stopped: boolean;
  /** Looks that test helpers wait for; left out if none ever did. */
  looks?: Looks;
  /** What it said after somebody else had ended the reference, the oldest first. */
  later: LateWord[];
}

/** Numbers the looks at an order that test helpers ask for, so that each helper knows when its own was taken. */
export interface Looks {
  /** The last one that was asked for. */
  asked: number;
  /** The last one that the provider answered. */
  answered: number;
  /** The last one that failed. */
  failed: number;
}

interface LateWord {
  /** In seconds since the Unix epoch. */
  heard: number;
  status: string;
  outcome: string | null;
}

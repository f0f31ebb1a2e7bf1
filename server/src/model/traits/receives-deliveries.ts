import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** The record receives events: a webhook endpoint. */
export interface DeliveryTarget {
  /** Returns whether it receives events now. If that ends, or if the record is deleted, its waiting deliveries are canceled. */
  isOpen(record: StoredRecord): boolean;
}

export const receivesDeliveries = defineTrait<DeliveryTarget>();

import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** Events are delivered to records: webhook endpoints. */
export interface DeliveryTarget {
  /** Whether events are delivered to it now. When that ends, or it is deleted, the deliveries that wait for it are canceled. */
  isOpen(record: StoredRecord): boolean;
}

export const receivesDeliveries = defineTrait<DeliveryTarget>();

import type { StoredRecord } from '../record.ts';
import type { Change } from '../resource.ts';
import { defineTrait } from '../trait.ts';

/** Records that end at the time in their column `expires_at`. A duty ends them. */
export interface Expiry {
  /** The statuses in which a record can expire. */
  statuses: readonly string[];
  /** Ends a record whose time is over. Null if it has ended already. */
  end(record: StoredRecord): Change<StoredRecord> | null;
}

export const expires = defineTrait<Expiry>();

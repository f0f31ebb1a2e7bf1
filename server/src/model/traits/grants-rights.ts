import type { Mode } from '../../core/secrets/api-keys.ts';
import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

export interface Rights {
  /** Returns the permissions that the record gives now. Those of an ended key and of a disabled user are none. */
  permissionsOf(
    record: StoredRecord,
    now: { mode: Mode; nowSeconds: number; known: readonly string[] },
  ): readonly string[];
}

/**
 * The record authenticates requests: an API key or a user. A decision about such a record reads the acting key again, because a cached one
 * may be a second old.
 */
export const grantsRights = defineTrait<Rights>();

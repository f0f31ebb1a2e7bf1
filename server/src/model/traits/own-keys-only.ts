import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/**
 * Some records lead to accounts below their own. A platform's key reaches only the accounts directly below the platform. So it lists such
 * a record of a connected account, but neither reads nor changes it.
 */
export interface OwnKeysOnly {
  /** Returns whether only keys of its own account may read and change this record. */
  applies(record: StoredRecord): boolean;
  /** The refusal's message: why, and what to do. */
  message: string;
}

export const ownKeysOnly = defineTrait<OwnKeysOnly>();

import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** An account that has such a record keeps at least one. A change that would end the last one is refused. */
export interface KeepsOne {
  /** The values that the fields of such a record have. */
  having: Readonly<Record<string, string>>;
  /** The refusal's message: why, and what to do. */
  message(record: StoredRecord): string;
}

export const keepsOne = defineTrait<KeepsOne>();

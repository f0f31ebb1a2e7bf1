import type { Change } from '../resource.ts';
import { erasureFields, type StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/**
 * Defines what an erasure of a person does to a record about that person. A record can also be erased alone, with
 * `POST /v1/<path>/{id}/erase`, if another system stores the person.
 */
export interface Erasure {
  /** The link to the person. */
  link: string;
  /** Links to files about the person, which are deleted. */
  files: readonly string[];
  /** Returns further changes of a record. Its personal fields are emptied in any case. */
  decide(current: StoredRecord, nowSeconds: number): Pick<Change<StoredRecord>, 'after' | 'verbs'>;
}

export const erasable = defineTrait<Erasure>(erasureFields);

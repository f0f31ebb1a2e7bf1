import type { Id, IdPrefix } from '../../core/ids.ts';
import type { Change, RecordChange } from '../resource.ts';
import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** The record sums up records of another kind. */
export interface RollUp {
  /** The path of the other kind. */
  of: string;
  /** The other kind's link to this record. A list links to several. Records that `find` finds need no link. */
  link: string;
  /** Returns the ids of the records that sum up one of the others, if its link does not tell them. */
  find?: (other: StoredRecord, read: ReadByPath) => Promise<readonly string[]>;
  /** Returns the record after a write to one of the others. Of that one, `before` is null if it is new, `after` if it was deleted. */
  adapt(
    current: StoredRecord,
    before: StoredRecord | null,
    after: StoredRecord | null,
    facts: RollUpFacts,
  ): Adapted<StoredRecord>;
  /** Returns the events of the whole change. One mutation may write several of the others, and the states between have no events. */
  verbs?(before: StoredRecord, after: StoredRecord): readonly string[];
  /** Records that sum up this one follow, too. They go one step further, and not more. */
  cascades?: true;
}

export interface RollUpFacts {
  makeId<Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix>;
  nowMs: number;
}

/** The record after a roll-up, and the new records that it wrote beside it, such as entries of a ledger. */
export type Adapted<R extends StoredRecord> = Pick<Change<R>, 'after' | 'verbs'> & { made?: readonly RecordChange[] };

/** Reads one record of the account by the path of its kind. Returns null if there is none. */
export type ReadByPath = (path: string, id: string) => Promise<StoredRecord | null>;

export const sumsUp = defineTrait<readonly RollUp[]>();

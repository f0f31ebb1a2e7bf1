import type { Day } from '../../core/calendar.ts';
import type { Rules } from '../../core/vocabulary/law-rules.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import type { StoredRecord } from '../record.ts';
import type { Related } from '../related.ts';
import { defineTrait } from '../trait.ts';

/** What a legal duty keeps of a person after the erasure. */
export interface Retained {
  kind: string;
  /** The law that requires it. */
  basis: string;
  /** The last day of the duty. */
  until: Day;
  content: JsonObject;
  /** The files that are sealed with it. */
  files: readonly StoredRecord[];
}

/** What the duties depend on, besides records at paths of links. */
export interface RetentionContext {
  today: Day;
  account: { rules: Rules; year_end: string };
  /** The latest day of the records that `latest` names. Null if there are none. */
  latestOn: Day | null;
}

/** The erasure of a person keeps what legal duties need, in records with the trait `sealsPersons`. */
export interface Retention {
  /** Paths of links whose records the decision reads. */
  reads: readonly string[];
  /** The records whose latest day is read: those of the path `of` with a `link` to one of `ids`. */
  latest: { of: string; link: string; column: string; ids(related: Related): readonly string[] };
  decide(person: StoredRecord, related: Related, context: RetentionContext): Retained[];
  /** The column of the erased person with the ids of files to remove. */
  filesColumn: string;
  /** The ids of the files that the person itself links to. */
  filesOf(person: StoredRecord): readonly string[];
}

export const retained = defineTrait<Retention>();

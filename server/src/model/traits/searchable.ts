import type { Related } from '../related.ts';
import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** The search finds records of this kind: `GET /v1/search`. */
export interface Searchable {
  /** The record's own members with searched texts: `name`, or `addresses.city` for a member of objects. Important ones come first. */
  members: readonly string[];
  /** Members of linked records that are searched as if they were the record's own, by paths of links: `unit.building`. */
  linked?: Readonly<Record<string, readonly string[]>>;
  /**
   * Links to records that lead here: a search for such a record finds this one, too. Unlike `linked`, it costs nothing when a record is made.
   * All words must be in one of the records.
   */
  foundBy?: readonly string[];
  /** Further paths of links that the texts below read. */
  reads?: readonly string[];
  /** Returns the line that names the record in a result. Linked records that the caller may not read are missing. */
  title(record: StoredRecord, related: Related): string;
  /** Returns a second line. Null if there is nothing to add. */
  subtitle(record: StoredRecord, related: Related): string | null;
}

/** A linked record with a name, such as a person. */
export type NamedRecord = StoredRecord & { name: string };

/** Returns names as one text. Null if there are none. */
export function namesOf(records: readonly NamedRecord[]): string | null {
  return records.length === 0 ? null : records.map(({ name }) => name).join(', ');
}

export const searchable = defineTrait<Searchable>();

import { toDecision } from '../../model/change.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Related } from '../../model/related.ts';
import type { RecordChange, Resource } from '../../model/resource.ts';

/** A record after a move, and the events of that. */
export interface Moved<R> {
  after: R;
  verbs: string[];
}

/**
 * The changes of one mutation that moves some records several times: two invoices take from one payment. Each record gets one change in the
 * end, with the events of all its moves.
 */
export class Changes {
  readonly #related: Related;
  readonly #made: RecordChange[] = [];
  readonly #moved = new Map<string, { before: StoredRecord; after: StoredRecord; verbs: string[] }>();

  /** @param related has read every record that moves. */
  constructor(related: Related) {
    this.#related = related;
  }

  /** Returns a record as it is after its moves so far. */
  now<R extends StoredRecord>(record: R): R {
    return (this.#moved.get(record.id)?.after ?? record) as R;
  }

  /** Adds a move of a record that was read. `after` must start from `now`. */
  move<R extends StoredRecord>(record: R, { after, verbs }: Moved<R>): void {
    const known = this.#moved.get(record.id) ?? { before: record, after, verbs: [] };
    this.#moved.set(record.id, { ...known, after, verbs: [...known.verbs, ...verbs] });
  }

  /** Adds a new record. */
  make(resource: Resource, { after, verbs }: Moved<StoredRecord>): void {
    this.#made.push({ resource, before: null, after, verbs });
  }

  /** Returns the changes: first the new records, in their order, then the others. */
  all(): RecordChange[] {
    const moved = [...this.#moved.values()].flatMap(
      ({ before, after, verbs }) =>
        toDecision(this.#related.kindOf<Resource>(before), before, { after, verbs }).changes,
    );
    return [...this.#made, ...moved];
  }
}

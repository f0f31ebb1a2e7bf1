import type { StoredRecord } from './record.ts';

/**
 * The records that a decision has read besides its own, by paths of links: `unit` or `unit.building`. Each is a guard: the committer decides
 * again if one has changed meanwhile.
 */
export class Related {
  readonly #records: ReadonlyMap<string, readonly StoredRecord[]>;

  readonly #kinds: ReadonlyMap<string, unknown>;

  /**
   * @param records by path.
   * @param kinds the kind of each record, by its id.
   */
  constructor(
    records: ReadonlyMap<string, readonly StoredRecord[]> = new Map(),
    kinds: ReadonlyMap<string, unknown> = new Map(),
  ) {
    this.#records = records;
    this.#kinds = kinds;
  }

  /** Returns the record at a path, or null if the path leads to no record of this account. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- The path tells the kind.
  one<R extends StoredRecord>(path: string): R | null {
    return this.all<R>(path)[0] ?? null;
  }

  /** Returns the records at a path, in the order of their ids in the link. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- The path tells the kind.
  all<R extends StoredRecord>(path: string): readonly R[] {
    const records = this.#records.get(path);
    if (!records) throw new Error(`Bug! The decision does not read \`${path}\`. Add it to \`reads\`.`);
    return records as readonly R[];
  }

  /** Returns the kind of a record that was read. A decision can so change records of kinds that import its own. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- Definitions of kinds import this file.
  kindOf<Kind>({ id }: StoredRecord): Kind {
    const kind = this.#kinds.get(id);
    if (!kind) throw new Error(`Bug! The decision has not read ${id}.`);
    return kind as Kind;
  }
}

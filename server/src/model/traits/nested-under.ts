import type { Action } from '../resource.ts';
import { defineTrait } from '../trait.ts';

/** Records are listed below records of other kinds, and have no routes of their own. */
export interface Nesting {
  /** The column with the id of the other record, by the path of its kind. */
  columns: Readonly<Record<string, string>>;
  /** Permissions that a list takes besides the one to read the other record, by the path of its kind. */
  alsoNeeds?: Readonly<Record<string, readonly string[]>>;
  /** Actions of the other kinds that make such a record, by their path: `POST /v1/<path>/{id}/<name>`. */
  actions?: Readonly<Record<string, Record<string, Action>>>;
}

export const nestedUnder = defineTrait<Nesting>();

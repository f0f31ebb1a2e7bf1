import type { Action } from '../resource.ts';
import { defineTrait } from '../trait.ts';

/** Records are listed below those of other kinds, and have no routes of their own. */
export interface Nesting {
  /** The column that holds the id of the other record, by the path of its kind. */
  columns: Readonly<Record<string, string>>;
  /** What makes such a record out of one of another kind, by that kind's path: `POST /v1/<path>/{id}/<name>`. */
  actions?: Readonly<Record<string, Record<string, Action>>>;
}

export const nestedUnder = defineTrait<Nesting>();

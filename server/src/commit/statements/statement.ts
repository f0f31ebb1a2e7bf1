import { arrayLiteral } from '../../db/array-literal.ts';

/** One multi-row statement of a batch. It is prepared by name, and gets its rows as one array for each column. */
export interface Statement {
  name: string;
  text: string;
  values: string[];
}

export type Cell = string | number | boolean | null;

/** The reasons that `reject_batch_entries` gives. Its SQLSTATE is `refusalCode`. */
export type RefusalReason = 'key_locked' | 'key_completed' | 'stale_record';

export const refusalCode = 'TN001';

export function statementOf(name: string, text: string, rows: Cell[][]): Statement | null {
  if (rows.length === 0) return null;
  return { name, text, values: arraysOf(rows, rows[0]!.length) };
}

/** Returns one array for each column. */
export function arraysOf(rows: Cell[][], columns: number): string[] {
  return Array.from({ length: columns }, (_, column) => arrayLiteral(rows.map((row) => row[column]!)));
}

export function parameters(types: string[]): string {
  return types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
}

import { CliError } from '../errors.ts';
import { adviceOn } from '../nearest.ts';
import { safeJson } from './text.ts';
import { cellOf, Table } from './table.ts';
import type { Terminal } from './terminal.ts';

type Shown = Record<string, unknown>;

/** How a command shows data. */
export interface View {
  isJson: boolean;
  /** The members of `--fields`, or null for the usual ones. */
  fields: string[] | null;
}

/**
 * Reads `--json` and `--fields`. Without a terminal, data is JSON.
 *
 * @param known the members of a record. Null takes any name.
 * @throws {CliError} if there is no such member.
 */
export function viewOf(
  flags: { json?: boolean; fields?: string },
  terminal: Terminal,
  known: readonly string[] | null,
): View {
  const fields = flags.fields?.split(',').map((field) => field.trim()) ?? null;
  for (const field of fields ?? []) {
    const [outer = ''] = field.split('.');
    if (known && !known.includes(outer)) throw new CliError(`There is no field "${outer}".${adviceOn(outer, known)}`);
  }
  return { isJson: flags.json === true || !terminal.isOutTerminal, fields };
}

/** Returns one record as JSON: on several lines for a person, and on one line for a program. */
export function showJson(value: unknown, terminal: Terminal): string {
  return safeJson(value, terminal.isOutTerminal ? 2 : undefined);
}

/** Returns the members of a record that `--fields` names. */
export function picked(record: unknown, fields: string[] | null): unknown {
  if (fields === null) return record;
  return Object.fromEntries(fields.map((field) => [field, memberOf(record, field)]));
}

function memberOf(record: unknown, path: string): unknown {
  let value = record;
  for (const name of path.split('.')) {
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Shown)[name] : undefined;
  }
  return value ?? null;
}

/** Shows one record, a line for each member. */
export function showRecord(record: Shown, { isJson, fields }: View, terminal: Terminal): void {
  const shown = picked(record, fields) as Shown;
  if (isJson) return terminal.out(showJson(shown, terminal));
  const lines = linesOf(shown, '');
  const width = Math.max(...lines.map(([name]) => name.length));
  for (const [name, value] of lines) terminal.out(`${terminal.paint('dim', name.padEnd(width))}  ${value}`);
}

/** Returns the members of a record as lines. Members of objects follow their object, with dots. */
function linesOf(record: Shown, at: string): [name: string, value: string][] {
  return Object.entries(record).flatMap(([name, value]): [string, string][] => {
    const isNested =
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
    if (isNested) return linesOf(value as Shown, `${at}${cellOf('', name)}.`);
    return [[`${at}${cellOf('', name)}`, cellOf(name, value)]];
  });
}

/** Shows records below each other. Call it again for each further page. */
export class RecordTable {
  readonly #columns: string[];
  readonly #table: Table;
  readonly #terminal: Terminal;

  constructor(columns: string[], terminal: Terminal) {
    this.#columns = columns;
    this.#terminal = terminal;
    this.#table = new Table(
      columns.map((column) => column.toUpperCase()),
      terminal.width,
    );
  }

  show(records: readonly unknown[]): void {
    const rows = records.map((record) =>
      this.#columns.map((column) => cellOf(column.split('.').at(-1)!, memberOf(record, column))),
    );
    for (const line of this.#table.lines(rows, (head) => this.#terminal.paint('bold', head))) this.#terminal.out(line);
  }
}

/** Columns of the usual kinds of records. Others show their id and their first members. */
const columnsOf: Record<string, string[]> = {
  reference: ['id', 'status', 'outcome', 'application', 'customer', 'created'],
  application: ['id', 'unit', 'customers', 'move_in_date', 'created'],
  customer: ['id', 'name', 'email', 'phone', 'created'],
  file: ['id', 'purpose', 'filename', 'size', 'created'],
  event: ['id', 'type', 'data.object.id', 'request.id', 'created'],
  log: ['id', 'status', 'method', 'path', 'error.code', 'created'],
  webhook_endpoint: ['id', 'status', 'url', 'enabled_events', 'api_version'],
  delivery: ['id', 'status', 'type', 'attempt_count', 'event', 'created'],
  recovery: ['id', 'status', 'since', 'resent', 'created'],
  api_key: ['id', 'type', 'name', 'status', 'last_four', 'last_used_at'],
  account: ['id', 'name', 'api_version', 'created'],
};

/** Returns the columns of a table. */
export function columnsFor(records: readonly unknown[], fields: string[] | null): string[] {
  if (fields) return fields;
  const first = (records[0] ?? {}) as Shown;
  const usual = columnsOf[String(first.object)]?.filter(
    (column) => memberOf(first, column) !== undefined && Object.hasOwn(first, column.split('.')[0]!),
  );
  return (
    usual ??
    Object.keys(first)
      .filter((name) => !['object', 'record'].includes(name))
      .slice(0, 6)
  );
}

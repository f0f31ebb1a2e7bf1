import { CsvError, parse, type Info } from 'csv-parse/sync';
import type { Day } from '../core/calendar.ts';
import { ApiError, invalidParameter } from '../core/errors.ts';
import { readAmount, readCurrency, readDay, readText, type Cell } from './csv-values.ts';

/** A line of money that came in. */
export interface StatementLine {
  /** The number of its line in the file. The first line has the number 1. */
  line: number;
  received_on: Day;
  /** Above 0, in the smallest unit of the currency. */
  amount: number;
  /** ISO 4217, in lower case. */
  currency: string;
  reference: string | null;
  payer_name: string | null;
}

export interface BankStatement {
  lines: StatementLine[];
  /** The number of lines without money that came in. */
  skipped: number;
}

/** The largest file in bytes: so many lines with long texts. */
export const statementBytesMax = 1024 * 1024;

/** Lines of a file below its columns. One mutation makes a record of each, in about half a second. */
export const statementLinesMax = 2_000;

/** Separators in a file. A line has four, and more in quoted texts. Each becomes a text in memory: a million took a second. */
const separatorsMax = 100_000;

const faultsMax = 20;
const columns = ['date', 'amount', 'reference', 'payer', 'currency'] as const;
type Column = (typeof columns)[number];
const requiredColumns: readonly Column[] = ['date', 'amount', 'reference', 'payer'];
const separators = [',', ';', '\t'] as const;
const layout =
  'Name the columns in the first line: `date,amount,reference,payer`, and `currency` if it is not pounds. Separate them by commas, semicolons or tabs.';

/**
 * Reads a bank statement as CSV (RFC 4180).
 *
 * @param today days after it are faults.
 * @throws {ApiError} `parameter_invalid` for `file`, with up to 20 faults and their lines.
 */
export function readStatement(bytes: Uint8Array, today: Day): BankStatement {
  const { header, rows, faults } = readRows(decode(bytes));
  const lines: StatementLine[] = [];
  let skipped = 0;
  for (const row of rows) {
    if (faults.length >= faultsMax) break;
    const line = readLine(header, row, today, faults);
    if (line && line.amount > 0) lines.push(line);
    else skipped++;
  }
  if (faults.length > 0) throw faultsInFile(faults.slice(0, faultsMax));
  return { lines, skipped };
}

/** Returns the text of a file. Only UTF-8 is certain without a byte order mark. */
function decode(bytes: Uint8Array): string {
  if (bytes.length === 0) throw faultOfFile('The file is empty. Export the statement again.');
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw faultOfFile(
      'The text of the file is not UTF-8. It may be Windows-1252, which looks the same until a letter has an accent. Save the file as “CSV UTF-8”.',
    );
  }
}

/** A line of the file as texts. */
interface Row {
  line: number;
  cells: string[];
}

/** Splits a text into rows. An error in the quotes ends the file, because the rest cannot be told apart. */
function readRows(text: string): { header: Column[]; rows: Row[]; faults: ApiError[] } {
  for (const separator of separators) requireFewSeparators(text, separator);
  const { header, separator } = readHeader(text);
  const records: { record: string[]; info: Info }[] = [];
  const faults: ApiError[] = [];
  try {
    // The option `info` changes the type of the result.
    const parsed = parse(text, { ...dialect(separator), info: true, to: statementLinesMax + 2 }) as unknown;
    records.push(...(parsed as typeof records));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    faults.push(
      faultIn(
        Number(error.lines ?? 1),
        'it has a quote without its other half, or text beside a quote. Put quotes around the whole text, and write two for each quote inside (RFC 4180)',
      ),
    );
  }
  let ended = 0;
  const rows = records.flatMap(({ record, info }): Row[] => {
    const line = ended + 1;
    ended = info.lines;
    // A line without a text is only space between others.
    return record.every((cell) => cell.trim() === '') ? [] : [{ line, cells: record }];
  });
  const [, ...others] = rows;
  if (others.length > statementLinesMax) throw tooManyLines();
  if (others.length === 0 && faults.length === 0)
    throw faultOfFile('The file names its columns, and has no lines. Export the days that you need.');
  return { header, rows: others, faults };
}

function requireFewSeparators(text: string, separator: string): void {
  if (countOf(separator, text) <= separatorsMax) return;
  if (countOf('\n', text) > statementLinesMax) throw tooManyLines();
  throw faultOfFile(
    `The file has more than ${separatorsMax} separators (commas, semicolons or tabs), the limit. Remove empty columns, and export the statement again.`,
  );
}

function countOf(character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count++;
  return count;
}

function dialect(separator: string) {
  return { delimiter: separator, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, bom: false };
}

/** Finds the separator with which the first line has the columns. */
function readHeader(text: string): { header: Column[]; separator: string } {
  const tried = separators.map((separator) => ({ separator, names: namesIn(text, separator) }));
  const found = tried.find(({ names }) => names.includes('date') && names.includes('amount'));
  if (!found) throw faultOfFile(`Line 1 has no columns \`date\` and \`amount\`. ${layout}`);
  const unknown = found.names.find((name) => !(columns as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw faultOfFile(`Line 1 has a column ${quoted(unknown)}, which is not known. Remove it. ${layout}`);
  const missing = requiredColumns.find((name) => !found.names.includes(name));
  if (missing !== undefined) throw faultOfFile(`Line 1 has no column \`${missing}\`. ${layout}`);
  const twice = found.names.find((name, index) => found.names.indexOf(name) !== index);
  if (twice !== undefined) throw faultOfFile(`Line 1 has the column \`${twice}\` twice. Remove one.`);
  return { header: found.names as Column[], separator: found.separator };
}

function namesIn(text: string, separator: string): string[] {
  try {
    const [names = []] = parse(text, { ...dialect(separator), to: 1 });
    return names.map((name) => name.trim().toLowerCase());
  } catch {
    return [];
  }
}

/** Reads a line. Returns null if it has faults, which are added to the list. */
function readLine(
  header: readonly Column[],
  { line, cells }: Row,
  today: Day,
  faults: ApiError[],
): StatementLine | null {
  if (cells.length !== header.length) {
    faults.push(
      faultIn(
        line,
        `it has ${cells.length} columns, and the first line has ${header.length}. Put quotes around a text with a separator`,
      ),
    );
    return null;
  }
  const known = faults.length;
  const take = <Value>(column: Column, read: (text: string) => Cell<Value>): Value | null => {
    const text = cells[header.indexOf(column)] ?? '';
    const cell = read(text);
    if ('value' in cell) return cell.value;
    const shown = text.trim() === '' ? '' : `, ${quoted(text)},`;
    faults.push(faultIn(line, `\`${column}\`${shown} ${cell.fault}`));
    return null;
  };
  const receivedOn = take('date', (text) => readDay(text, today));
  const currency = take('currency', readCurrency);
  const amount = take('amount', (text) => readAmount(text, currency ?? 'gbp'));
  const reference = take('reference', readText);
  const payer = take('payer', readText);
  if (faults.length > known || receivedOn === null || amount === null || currency === null) return null;
  return { line, received_on: receivedOn, amount, currency, reference, payer_name: payer };
}

/** Characters of a quoted cell, so that many faults fit into a response. */
const quotedMax = 40;

/** Quotes a cell without characters that would change the line of a message. */
function quoted(text: string): string {
  const line = text.trim().replaceAll(/[\p{C}\u2028\u2029]/gu, '\u{fffd}');
  return `“${line.length > quotedMax ? `${line.slice(0, quotedMax).toWellFormed()}…` : line}”`;
}

function faultIn(line: number, fault: string): ApiError {
  return faultOfFile(`Line ${line}: ${fault}.`);
}

/** Returns a fault of the whole file. */
function faultOfFile(message: string): ApiError {
  return invalidParameter('file', message);
}

function tooManyLines(): ApiError {
  return faultOfFile(
    `The file has more than ${statementLinesMax} lines, the limit. Export fewer days at once, and send several files. A day that is in two of them does no harm.`,
  );
}

function faultsInFile([first, ...otherFaults]: readonly ApiError[]): ApiError {
  return new ApiError('parameter_invalid', first!.message, { param: 'file', otherFaults });
}

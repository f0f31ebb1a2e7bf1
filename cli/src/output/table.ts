import { safeText, widthOf } from './text.ts';

/** Columns between two cells. */
const gap = 2;

/** Formats rows below each other. Cells are cut to the width of the terminal, except ids. */
export class Table {
  readonly #names: readonly string[];
  readonly #widthMax: number;
  #widths: number[] | null = null;

  constructor(names: readonly string[], widthMax: number) {
    this.#names = names;
    this.#widthMax = widthMax;
  }

  /** Returns the lines of some rows. The first rows decide how wide the columns are. */
  lines(rows: readonly (readonly string[])[], paintHead: (line: string) => string): string[] {
    const isFirst = this.#widths === null;
    this.#widths ??= this.#fit(rows);
    const lines = rows.map((row) => this.#line(row));
    return isFirst ? [paintHead(this.#line(this.#names)), ...lines] : lines;
  }

  #fit(rows: readonly (readonly string[])[]): number[] {
    const widths = this.#names.map((name, column) =>
      Math.max(widthOf(name), ...rows.map((row) => widthOf(row[column]!))),
    );
    // Ids come first, and are copied. So the last columns give way.
    for (let column = widths.length - 1; column > 0; column--) {
      const total = widths.reduce((sum, width) => sum + width + gap, -gap);
      if (total <= this.#widthMax) break;
      widths[column] = Math.max(8, widths[column]! - (total - this.#widthMax));
    }
    return widths;
  }

  #line(cells: readonly string[]): string {
    const shown = cells.map((cell, column) => {
      const width = this.#widths![column]!;
      const fitted = column === 0 ? cell : cutTo(cell, width);
      return column === cells.length - 1 ? fitted : fitted + ' '.repeat(Math.max(0, width - widthOf(fitted)));
    });
    return shown.join(' '.repeat(gap)).trimEnd();
  }
}

/** Cuts a text to a number of columns. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  for (const character of text) {
    if (widthOf(cut + character) > width - 1) break;
    cut += character;
  }
  return `${cut}…`;
}

/** Names of members that hold seconds since the Unix epoch. */
const timeName = /(?:^created|_at|_since|^since)$/;

/** Returns a value as one cell. Times are shown in UTC. */
export function cellOf(name: string, value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'number' && timeName.test(name)) return timeOf(value);
  if (typeof value === 'string') return safeText(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return safeText(value.join(', ')) || '-';
  if (typeof value === 'object') {
    const { id } = value as { id?: unknown };
    if (typeof id === 'string') return safeText(id);
    return Object.keys(value).length === 0 ? '-' : safeText(JSON.stringify(value));
  }
  return safeText(JSON.stringify(value));
}

/** Formats seconds since the Unix epoch as `2026-11-23 12:44:09`. */
export function timeOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().slice(0, 19).replace('T', ' ');
}

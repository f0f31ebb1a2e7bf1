import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitMs } from './wait.ts';

/** Why PDFs cannot be read here; null if they can. */
export const pdfToolsMissing = findsPoppler()
  ? null
  : 'poppler-utils (pdftotext, pdfinfo, pdffonts, pdftoppm) is not installed';

/** Returns the text that a reader can select and search: one string for each page, in the order of setting. */
export function pagesOf(pdf: Buffer): string[] {
  return run('pdftotext', pdf, ['-raw', '-enc', 'UTF-8'], ['-']).split('\f').slice(0, -1);
}

/** Returns what a screen reader gets: each element with its text, in reading order. */
export function structureOf(pdf: Buffer): string {
  return run('pdfinfo', pdf, ['-struct-text']);
}

/** Returns the document information, by name. */
export function informationOf(pdf: Buffer): Record<string, string> {
  const lines = run('pdfinfo', pdf, ['-isodates']).trim().split('\n');
  return Object.fromEntries(lines.map((line) => [line.split(':')[0]!, line.slice(line.indexOf(':') + 1).trim()]));
}

/** Returns the metadata as XML. */
export function metadataOf(pdf: Buffer): string {
  return run('pdfinfo', pdf, ['-meta']);
}

/** Returns for each font its name, and whether it is embedded, a subset, and maps its glyphs to characters. */
export function fontsOf(pdf: Buffer): { name: string; embedded: string; subset: string; unicode: string }[] {
  const rows = run('pdffonts', pdf, []).trim().split('\n').slice(2);
  return rows.map((row) => {
    const [, name, embedded, subset, unicode] = /^(\S+) .* (yes|no) +(yes|no) +(yes|no) +\d+ +\d+$/.exec(row)!;
    return { name: name!, embedded: embedded!, subset: subset!, unicode: unicode! };
  });
}

/** A picture of each page, one byte for each dot: 0 is black. */
export interface Picture {
  width: number;
  height: number;
  dots: Buffer;
}

export function picturesOf(pdf: Buffer, dotsPerInch: number): Picture[] {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-test-pdf-'));
  try {
    run('pdftoppm', pdf, ['-gray', '-r', String(dotsPerInch)], [join(folder, 'page')]);
    return readdirSync(folder)
      .toSorted()
      .map((file) => pictureIn(readFileSync(join(folder, file))));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Parses a portable gray map: `P5`, the sizes and the largest value as text, then the dots. */
function pictureIn(file: Buffer): Picture {
  const [header, width, height] = /^P5\s(\d+)\s(\d+)\s255\s/.exec(file.subarray(0, 64).toString('latin1'))!;
  return { width: Number(width), height: Number(height), dots: file.subarray(header.length) };
}

/** Runs a tool on a file. A complaint of the tool is a fault of the file. */
function run(tool: string, pdf: Buffer, options: readonly string[], after: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-test-pdf-'));
  try {
    const file = join(folder, 'report.pdf');
    writeFileSync(file, pdf);
    const complaints = join(folder, 'complaints');
    const command = `exec "$0" "$@" 2>'${complaints}'`;
    const text = execFileSync('sh', ['-c', command, tool, ...options, file, ...after], {
      encoding: 'utf8',
      timeout: waitMs,
      maxBuffer: 100 * 2 ** 20,
    });
    const said = readFileSync(complaints, 'utf8');
    if (said !== '') throw new Error(`${tool} complains: ${said}`);
    return text;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function findsPoppler(): boolean {
  try {
    for (const tool of ['pdftotext', 'pdfinfo', 'pdffonts', 'pdftoppm']) execFileSync(tool, ['-v'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const docsDir = join(import.meta.dirname, '../../../../docs');

/** A guide of `docs/guides/` as its file has it. */
export interface GuideFile {
  /** The file name without its ending. */
  name: string;
  markdown: string;
}

/** Reads the files of all guides. Returns none if a deployment leaves `docs/` out. */
export function readGuideFiles(): GuideFile[] {
  const folder = join(docsDir, 'guides');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => ({ name: file.slice(0, -3), markdown: readFileSync(join(folder, file), 'utf8') }));
}

/** Reads the pictures of the guides, by their file names. Returns none if a deployment leaves `docs/` out. */
export function readPictures(): Map<string, Buffer> {
  const folder = join(docsDir, 'pictures');
  if (!existsSync(folder)) return new Map();
  return new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]));
}

/** Returns the summary of each guide, by name, as `docs/README.md` lists them. */
export function rowsOfIndex(): Map<string, string> {
  const index = join(docsDir, 'README.md');
  const text = existsSync(index) ? readFileSync(index, 'utf8') : '';
  const rows = text.matchAll(/^\| \[[^\]]+\]\(guides\/([\w-]+)\.md\) \| (.+?) \|$/gm);
  return new Map(Array.from(rows, ([, name, summary]) => [name!, summary!]));
}

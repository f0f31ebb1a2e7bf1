import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const projectDir = fileURLToPath(new URL('../', import.meta.url));

/** Documents do not affect what runs or is measured. Publishing changes them, so they may differ. */
const documents = [':(exclude)docs', ':(exclude,glob)*.md'];

/** Returns the commit that runs here, with a mark if files differ from it. Null without git. */
export function commitHere(): string | null {
  try {
    const commit = git('rev-parse', '--short=12', 'HEAD');
    return git('status', '--porcelain', '--', '.', ...documents) === '' ? commit : `${commit} with changes`;
  } catch {
    return null;
  }
}

/**
 * Replaces the text between `<!-- name: begin -->` and `<!-- name: end -->`.
 *
 * @param file relative to the project's folder.
 * @throws if either is missing; nothing is written then.
 */
export function putBetween(file: string, name: string, text: string): void {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const path = join(projectDir, file);
  const before = readFileSync(path, 'utf8');
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no ${begin} … ${end} to put anything between.`);
  writeFileSync(path, `${before.slice(0, from)}${begin}\n\n${text}\n\n${before.slice(to)}`);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: projectDir, encoding: 'utf8', timeout: 10_000, stdio: 'pipe' }).trim();
}

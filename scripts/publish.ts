import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const projectDir = fileURLToPath(new URL('../', import.meta.url));

/** Neither runs nor measures anything: those who publish write it, so it may differ. */
const documents = [':(exclude)docs', ':(exclude,glob)*.md'];

/**
 * The commit that is measured, or played with; it says so if files differ from it. Null where there is no git to ask.
 */
export function commitHere(): string | null {
  try {
    const commit = git('rev-parse', '--short=12', 'HEAD');
    return git('status', '--porcelain', '--', '.', ...documents) === '' ? commit : `${commit} with changes`;
  } catch {
    return null;
  }
}

/**
 * Puts a text between `<!-- name: begin -->` and `<!-- name: end -->`, in the place of what is there.
 *
 * @param file from the project's folder.
 * @throws if either is missing: nothing is written then.
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

import { readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Counts what makes comments and documents hard to read, and compares both counts with the limits in `plain-english.json`. The limits only
 * fall. A count above its limit fails. A count below it asks for a lower limit, which `--lower` writes.
 */

const projectDir = fileURLToPath(new URL('../', import.meta.url));
const limitsFile = join(projectDir, 'scripts/plain-english.json');

/** Pronouns in the place of an actor. */
const pronouns = /\b(who|whoever|nobody|somebody|anybody|everybody|whatever|whichever)\b/gi;

/** Words of a sentence. Readers read a longer one twice. */
const wordsMax = 20;

/** Files that others wrote, or that are generated. */
const isExempt =
  /^(docs\/specification\.md|LICENSE|openapi\/|(sdk|cli)\/src\/generated\/|server\/test\/bad-input\/data\/|server\/sql\/schema\.sql)/;

interface Counts {
  pronouns: number;
  longSentences: number;
}

interface Finding {
  file: string;
  line: number;
  kind: keyof Counts;
  text: string;
}

/** A text for readers, with the line it begins on. */
interface Passage {
  line: number;
  text: string;
}

function main(): void {
  const found = filesOf().map((file) => findIn(file, readFileSync(join(projectDir, file), 'utf8')));
  const findings = found.flatMap((each) => each.findings);
  const words = found.reduce((sum, each) => sum + each.words, 0);
  if (process.argv.includes('--list')) {
    for (const { file, line, kind, text } of findings) process.stdout.write(`${file}:${line}: ${kind}: ${text}\n`);
  }
  const countOf = (kind: keyof Counts): number => findings.filter((finding) => finding.kind === kind).length;
  const counts = { pronouns: countOf('pronouns'), longSentences: countOf('longSentences') };
  process.exitCode = judge(counts, words) ? 0 : 1;
}

/** Finds hard sentences in the comments of a source file or the text of a document, and counts the words. */
export function findIn(file: string, contents: string): { findings: Finding[]; words: number } {
  const passages = passagesOf(file, contents);
  const findings = passages.flatMap(({ line, text }): Finding[] => [
    ...[...text.matchAll(pronouns)].map(([pronoun]) => ({ file, line, kind: 'pronouns' as const, text: pronoun })),
    ...sentencesOf(text)
      .filter((sentence) => wordsOf(sentence) > wordsMax)
      .map((sentence) => ({ file, line, kind: 'longSentences' as const, text: sentence })),
  ]);
  return { findings, words: passages.reduce((sum, { text }) => sum + wordsOf(text), 0) };
}

/** Prints both counts beside their limits, and says what to do. Returns whether both limits hold. */
function judge(counts: Counts, words: number): boolean {
  const limits = JSON.parse(readFileSync(limitsFile, 'utf8')) as Counts;
  const isLowered = process.argv.includes('--lower');
  const lowest = {
    pronouns: Math.min(counts.pronouns, limits.pronouns),
    longSentences: Math.min(counts.longSentences, limits.longSentences),
  };
  if (isLowered) writeFileSync(limitsFile, `${JSON.stringify(lowest, null, 2)}\n`);
  let holds = true;
  for (const [name, count] of Object.entries(counts) as [keyof Counts, number][]) {
    const limit = (isLowered ? lowest : limits)[name];
    const share = ((1000 * count) / words).toFixed(1);
    const verdict =
      count > limit
        ? `more than ${limit}: see them with --list`
        : count < limit
          ? 'fewer: run with --lower'
          : 'as before';
    process.stdout.write(`${name}: ${count} in ${words} words (${share} per 1,000), ${verdict}\n`);
    holds &&= count <= limit;
  }
  return holds;
}

function filesOf(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: projectDir,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((file) => /\.(md|ts|tsx|sql)$/.test(file) && !isExempt.test(file));
}

/** Returns the comments of a source file, or the paragraphs of a document without its code and tables. */
function passagesOf(file: string, contents: string): Passage[] {
  if (file.endsWith('.md')) return paragraphsOf(contents);
  return file.endsWith('.sql') ? lineCommentsOf(contents, /^\s*--\s?(.*)$/) : commentsOf(contents);
}

function paragraphsOf(contents: string): Passage[] {
  const passages: Passage[] = [];
  let isCode = false;
  let current: Passage | null = null;
  for (const [index, line] of contents.split('\n').entries()) {
    if (line.startsWith('```')) isCode = !isCode;
    const isText = !isCode && !/^(```|\||#|<|\s*$)/.test(line);
    const begins = /^\s*([-*]|\d+\.)\s/.test(line);
    if (!isText || begins) current = null;
    if (!isText) continue;
    if (current) current.text += ` ${line.trim()}`;
    else passages.push((current = { line: index + 1, text: line.replace(/^\s*([-*]|\d+\.)\s+/, '').trim() }));
  }
  return passages;
}

function commentsOf(contents: string): Passage[] {
  const blocks = [...contents.matchAll(/\/\*([\s\S]*?)\*\//g)].flatMap(({ 1: text = '', index }) =>
    text.split(/\n\s*\*?\s*(?=@|\n)/).map((part) => ({
      line: contents.slice(0, index).split('\n').length,
      text: part
        .replaceAll(/\n?\s*\*+\s?/g, ' ')
        .replace(/^@\w+\s+/, '')
        .trim(),
    })),
  );
  return [...blocks, ...lineCommentsOf(contents, /^\s*\/\/\s?(.*)$/)];
}

/** Returns line comments. Adjacent lines are one passage. */
function lineCommentsOf(contents: string, form: RegExp): Passage[] {
  const passages: Passage[] = [];
  let last = -1;
  for (const [index, line] of contents.split('\n').entries()) {
    const text = form.exec(line)?.[1];
    if (text === undefined) continue;
    if (index === last + 1 && passages.length > 0) passages.at(-1)!.text += ` ${text}`;
    else passages.push({ line: index + 1, text });
    last = index;
  }
  return passages;
}

/** Splits a text after full stops, and where a list item or a quotation is introduced. */
function sentencesOf(text: string): string[] {
  return text
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .split(/(?<=[.!?:])\s+(?=[A-Z`"“(*[])/)
    .map((sentence) => sentence.trim());
}

function wordsOf(text: string): number {
  return text.match(/[\p{L}\p{N}][\p{L}\p{N}'’_./-]*/gu)?.length ?? 0;
}

if (import.meta.main) main();

import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { resources } from '../../src/resources/index.ts';

/* What holds for all pages of the project: their links, and the blocks that tests execute. */

const projectDir = join(import.meta.dirname, '../../..');
const pages = globSync(['*.md', '{docs,examples,server/test,bench,sdk,deploy,.github}/**/*.md'], { cwd: projectDir })
  .filter((page) => !page.includes('node_modules'))
  .sort();

/** Blocks whose kind is the name of a language. Only these are known, so that a misspelt kind is not left out in silence. */
const kindsOfBlocks = new Set(['sh', 'console', 'json', 'text', 'js', 'ini', 'log', 'nginx', 'sql', 'ts', 'yaml']);

test('has a target for every link and anchor between its pages', () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.flatMap((page) => linkFaults(page, textOf(page)))).toEqual([]);
});

test('reports a link when its file or its heading does not exist', () => {
  const planted = [
    '[a](no-page.md), [b](../ARCHITECTURE.md#no-heading), [c](#none), [d](README.md), [e](#a-title)',
    '[f](<https://example.org/x.md>) [g]: no-image.svg `[h](left-out.md)`',
    '[g]: no-image.svg',
    '# A `title`!',
    '```sh',
    '[i](left-out-too.md)',
    '```',
  ].join('\n');
  expect(linkFaults('docs/planted.md', planted)).toEqual([
    'docs/planted.md: no-page.md does not exist',
    'docs/planted.md: ../ARCHITECTURE.md has no heading #no-heading',
    'docs/planted.md: it has no heading #none',
    'docs/planted.md: no-image.svg does not exist',
  ]);
});

test('has only blocks of known kinds, and executes every block of a guide that looks executable', () => {
  expect(pages.flatMap((page) => blockFaults(page, textOf(page)))).toEqual([]);
});

test('reports a block of a guide when it is indented or has an unknown kind', () => {
  const planted = '1. Do this:\n\n   ```sh\n   ls\n   ```\n\n```shell\nls\n```\n~~~sh\nls\n~~~\n``` json\n{}\n```\n';
  expect(blockFaults('docs/guides/planted.md', planted)).toEqual([
    'docs/guides/planted.md: the test of guides does not see the indented block "   ```sh"',
    expect.stringMatching(/^docs\/guides\/planted\.md: "```shell" has no known kind \(sh, console, /),
    'docs/guides/planted.md: write "~~~sh" with backticks',
    'docs/guides/planted.md: write "~~~" with backticks',
    expect.stringMatching(/^docs\/guides\/planted\.md: "``` json" has no known kind/),
  ]);
});

test('lists every page of `docs/` in the table of its index', () => {
  const inDocs = pages.filter((page) => page.startsWith('docs/') && !page.endsWith('README.md'));
  expect(inDocs.length).toBeGreaterThan(30);
  expect(inDocs.filter((page) => !isListed(page)).map((page) => `${page} has no row in ${indexOf(page)}`)).toEqual([]);
});

test('reports a page of `docs/` when its index has no row for it', () => {
  expect(indexOf('docs/decisions/9999-planted.md')).toBe('docs/decisions/README.md');
  expect(indexOf('docs/guides/planted.md')).toBe('docs/README.md');
  expect(['docs/planted.md', 'docs/guides/planted.md', 'docs/decisions/9999-planted.md'].filter(isListed)).toEqual([]);
});

test('publishes the beginnings of all ids of the server', () => {
  const [, section = ''] = /^## Ids of your own system\n([\s\S]*?)^## /m.exec(textOf('docs/guides/records.md')) ?? [];
  expect(prefixesIn(section)).toEqual(resources.map(({ prefix }) => prefix).sort());
});

/** Returns the page with the row of this page. Decisions have a list of their own. */
function indexOf(page: string): string {
  return page.startsWith('docs/decisions/') ? 'docs/decisions/README.md' : 'docs/README.md';
}

/** Whether a row of a table links to the page. */
function isListed(page: string): boolean {
  const index = indexOf(page);
  const rows = textOf(index).match(/^\|.*$/gm) ?? [];
  return rows.some((row) => row.includes(`](${relative(dirname(index), page)})`));
}

function prefixesIn(text: string): string[] {
  return [...text.matchAll(/`([a-z]+)_`/g)].map(([, prefix]) => prefix!).sort();
}

function textOf(page: string): string {
  return readFileSync(join(projectDir, page), 'utf8');
}

/** Returns the text without its blocks and its inline code, in which nothing is a link. */
function proseOf(text: string): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').replaceAll(/`[^`\n]*`/g, '');
}

function linkFaults(page: string, text: string): string[] {
  const prose = proseOf(text);
  const inline = [...prose.matchAll(/\]\(\s*<?([^)>\s]+)>?[^)]*\)/g)];
  const listed = [...prose.matchAll(/^ *\[[^\]]+\]: +<?([^>\s]+)/gm)];
  return [...inline, ...listed].flatMap(([, target]) => {
    if (/^[a-z]+:/.test(target!) || target!.startsWith('/')) return [];
    const [path = '', anchor] = target!.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    const full = join(projectDir, file);
    if (path !== '' && !existsSync(full)) return [`${page}: ${path} does not exist`];
    if (anchor === undefined || (path !== '' && !statSync(full).isFile())) return [];
    const anchors = anchorsOf(path === '' ? text : readFileSync(full, 'utf8'));
    if (anchors.has(anchor)) return [];
    return [`${page}: ${path === '' ? 'it' : path} has no heading #${anchor}`];
  });
}

/** Returns the anchors that GitHub gives to the headings. A repeated heading gets a number. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const plain = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
    let unique = anchor;
    for (let number = 1; anchors.has(unique); number++) unique = `${anchor}-${number}`;
    anchors.add(unique);
  }
  return anchors;
}

function blockFaults(page: string, text: string): string[] {
  const isGuide = relative('docs/guides', page).split('/').length === 1;
  const faults: string[] = [];
  let isOpen = false;
  for (const [line, indent, fence, info = ''] of text.matchAll(/^([ \t]*)(```+|~~~+)(.*)$/gm)) {
    if (fence!.startsWith('~')) {
      faults.push(`${page}: write "${line}" with backticks`);
      continue;
    }
    isOpen = !isOpen;
    if (!isOpen || info === '') continue;
    // A block of a tutorial names the file that it belongs to.
    const [kind = ''] = info.split(' ');
    if (!kindsOfBlocks.has(kind))
      faults.push(`${page}: "${line}" has no known kind (${[...kindsOfBlocks].join(', ')})`);
    else if (isGuide && indent !== '' && ['sh', 'json', 'text'].includes(kind))
      faults.push(`${page}: the test of guides does not see the indented block "${line}"`);
  }
  return faults;
}

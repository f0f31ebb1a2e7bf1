import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorCatalogue } from '../../../src/core/errors.ts';
import { bodyBytesMax } from '../../../src/http/body/body-bytes.ts';
import { readGuideFiles } from '../../../src/http/docs/guide-files.ts';
import { guidesOf } from '../../../src/http/docs/guides.ts';
import { streamBounds, uploadBounds } from '../../../src/http/pipeline/concurrency.ts';
import { newMasterKey } from '../../../src/server/config.ts';
import { apiVersions } from '../../../src/versions/index.ts';
import { rawRequest } from '../../support/raw-http.ts';
import { serverForTest, startTestServer, type TestServer } from '../../support/server.ts';
import { versions } from '../../support/versions.ts';
import { nextVersion } from '../../versions/next-version.ts';

/* The pages beside `/docs`: guides, errors, the search over both, and the index for programs. */

const guidesDir = join(import.meta.dirname, '../../../../docs/guides');
const names = readdirSync(guidesDir).map((file) => file.replace(/\.md$/, ''));
const publicUrl = 'https://api.example.org/tenure';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ settings: { TENURE_PUBLIC_URL: `${publicUrl}/` } });
});
afterAll(() => server.stop());

interface Entry {
  url: string;
  page: string;
  heading: string;
  text: string;
}

describe('guides', () => {
  test.each(names)('serves the guide with all its headings, tables and blocks when the guide is %s', async (name) => {
    const file = readFileSync(join(guidesDir, `${name}.md`), 'utf8');
    const html = await pageOf(`/docs/guides/${name}`);
    const prose = file.replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
    const headings = [...prose.matchAll(/^#+ .+$/gm)];
    expect([...html.matchAll(/<h\d id="[^"]+">/g)]).toHaveLength(headings.length);
    expect([...html.matchAll(/<pre/g)]).toHaveLength([...file.matchAll(/^ *```\w/gm)].length);
    expect([...html.matchAll(/<table/g)]).toHaveLength([...prose.matchAll(/^\|[-|]+\|$/gm)].length);
    expect(html).not.toMatch(/\.md#|…&gt;|\]\(/);
  });

  test.each(names)('serves the text of the file as Markdown when the guide is %s', async (name) => {
    const file = readFileSync(join(guidesDir, `${name}.md`), 'utf8');
    const answer = await fetch(`${server.url}/docs/guides/${name}.md`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    const served = await answer.text();
    // Only links to files that no page has differ.
    const pieces = file.split(/(?<!!)\[[^\]]+\]\(\.\.\/[^)]+\)/);
    const pattern = pieces.map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^\\n]{1,120}');
    expect(served).toMatch(new RegExp(`^${pattern}$`));
  });

  test('lists every guide in the order of the index of the project', async () => {
    const index = readFileSync(join(guidesDir, '../README.md'), 'utf8');
    const order = Array.from(index.matchAll(/\]\(guides\/([\w-]+)\.md\)/g), ([, name]) => name!);
    const html = await pageOf('/docs/guides');
    expect(Array.from(html.matchAll(/<li><a href="guides\/([\w-]+)">/g), ([, name]) => name)).toEqual(order);
    expect(order.toSorted()).toEqual(names.toSorted());
  });

  test('shows each picture of the project in a guide, small enough to load at once', async () => {
    const shown = new Map(
      await Promise.all(
        names.map(async (name) => {
          const html = await pageOf(`/docs/guides/${name}`);
          return [
            name,
            Array.from(html.matchAll(/<img src="\.\.\/pictures\/([\w-]+\.webp)" alt="[^"]{20,}"/g)),
          ] as const;
        }),
      ),
    );
    const files = [...shown.values()].flat().map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(7);
    expect(files.toSorted()).toEqual(readdirSync(join(guidesDir, '../pictures')).toSorted());
    for (const file of files) {
      const answer = await fetch(`${server.url}/docs/pictures/${file}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/webp']);
      expect((await answer.arrayBuffer()).byteLength).toBeLessThan(100_000);
    }
  });

  test('names the file of the project instead of a link when no page has it', async () => {
    expect(await pageOf('/docs/guides/operations')).toContain('glossary (<code>docs/glossary.md</code>)');
    expect(await (await fetch(`${server.url}/docs/guides/operations.md`)).text()).toContain(
      'The glossary (`docs/glossary.md`) explains',
    );
  });

  test('escapes HTML of a guide, and numbers equal headings, when a page is made', async () => {
    const markdown = '# A <b>\n\n<script>x</script>\n\n## Same\n\n## Same\n\n`<i>` [a"](#same-1)\n\n```sh\n<u>\n```\n';
    const [{ html, sections } = { html: '', sections: [] }] = await guidesOf([{ name: 'planted', markdown }]);
    expect(html).not.toMatch(/<(b|script|i|u)>/);
    expect(sections.map(({ anchor }) => anchor)).toEqual(['a-b', 'same', 'same-1']);
    expect(readGuideFiles().map(({ name }) => name)).toEqual(names.toSorted());
  });

  test.each(['/docs/guides/nothing', '/docs/guides/nothing.md', '/docs/guides/recordsxmd'])(
    'returns 404 when there is no page %s',
    async (path) => {
      const answer = await rawRequest(server, `GET ${path}`, { key: null });
      expect([answer.status, answer.body.error.code]).toEqual([404, 'route_unknown']);
    },
  );

  test('states the limits that the server has when the guide lists them', () => {
    const guide = readFileSync(join(guidesDir, 'requests.md'), 'utf8');
    expect(guide).toContain(`| Body of a request | ${bodyBytesMax / 1024} kB,`);
    const { ofAccountMax, ofTreeMax, max } = uploadBounds;
    expect(guide).toContain(`| Uploads of an account at once | ${ofAccountMax}, and ${ofTreeMax} of a platform`);
    expect(guide).toContain(`If all accounts together have ${max} in a process, a further upload gets 503`);
    expect(guide).toContain(`| Streams of an account at once | ${streamBounds.ofAccountMax} in a process`);
  });
});

describe('all pages of the docs', () => {
  test('leads to an existing page and heading with every link, also behind a proxy with a path', async () => {
    const { pages, faults } = await crawl(['/docs/guides', '/docs/errors', '/llms.txt']);
    expect(faults).toEqual([]);
    const expected = [
      ...names.flatMap((name) => [`/docs/guides/${name}`, `/docs/guides/${name}.md`]),
      ...Object.keys(errorCatalogue).map((code) => `/docs/errors/${code}`),
      '/docs',
      '/llms.txt',
      '/docs/docs.css',
      '/docs/search.js',
    ];
    expect(expected.filter((path) => !pages.has(path))).toEqual([]);
  });

  test('reports a link when its page or heading is missing', async () => {
    const known = new Map([['/docs/guides/records', '<h2 id="ids">']]);
    const html = '<a href="nothing"><a href="records#none"><a href="records#ids"><a href="https://example.org/x">';
    expect(await linkFaults('/docs/guides/planted', html, known)).toEqual([
      '/docs/guides/planted: nothing has status 404',
      '/docs/guides/planted: records has no #none',
    ]);
  });

  test.each(['/docs/guides', '/docs/guides/records', '/docs/errors', '/docs/errors/internal'])(
    'has no inline script or style, and loads only own files, when the page is %s',
    async (path) => {
      const answer = await fetch(server.url + path);
      const html = await answer.text();
      expect(html).not.toMatch(/<style|style=| on\w+=|<script(?![^>]* src=)|<form|<iframe/);
      const policy = answer.headers.get('content-security-policy')!;
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      for (const [, loaded] of html.matchAll(/(?:src|rel="stylesheet" href)="([^"]+)"/g))
        expect(loaded).not.toMatch(/^\/|:/);
    },
  );

  test.each([
    '/docs/guides',
    '/docs/guides/records',
    '/docs/guides/records.md',
    '/docs/search.json',
    '/docs/errors',
    '/llms.txt',
  ])('returns 304 when the client already has %s', async (path) => {
    const first = await fetch(server.url + path);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const again = await fetch(server.url + path, { headers: { 'if-none-match': first.headers.get('etag')! } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('has no key and no record of a deployment when pages show examples', async () => {
    const { pages } = await crawl(['/docs/guides', '/docs/errors', '/llms.txt']);
    for (const [path, text] of pages) {
      const found = text.match(/\b[a-z]{2,4}_(?:test_|live_)?(?!0{22})[0-9A-Za-z]{22,}\b/g) ?? [];
      if (path !== '/docs' && !path.startsWith('/openapi')) expect([path, ...found]).toEqual([path]);
    }
  });

  test('omits links to guides and the search on a worker, which has only the pages of errors', async () => {
    const worker = await serverForTest({
      settings: {
        TENURE_ROLE: 'worker',
        DATABASE_URL: 'postgres://given.by.the.test/',
        TENURE_MASTER_KEY: newMasterKey(),
      },
    });
    const { faults, pages } = await crawl(['/docs/errors'], worker);
    expect(faults).toEqual([]);
    expect([...pages.keys()]).toContain('/docs/docs.css');
    expect([...pages.values()].join('')).not.toMatch(/docs\/guides|<search/);
    expect((await fetch(`${worker.url}/docs/guides`)).status).toBe(404);
  });
});

describe('the search', () => {
  test('has every heading of the guides and every error code', async () => {
    const entries = await searchEntries();
    const guides = await Promise.all(names.map((name) => pageOf(`/docs/guides/${name}`)));
    const headings = guides.flatMap((html) => [...html.matchAll(/<h\d id="/g)]);
    const codes = Object.keys(errorCatalogue);
    expect(entries).toHaveLength(headings.length + codes.length);
    for (const code of codes) expect(entries.map(({ url }) => url)).toContain(`errors/${code}`);
    for (const { heading, page } of entries) expect([heading, page]).not.toContain('');
  });

  test.each([
    ['resend', 'guides/webhooks#resend-an-event'],
    ['Erase person', 'guides/records#erase-a-person'],
    ['idempotency_key_reused', 'errors/idempotency_key_reused'],
    ['roll back upgrade', 'guides/versions#upgrade-and-roll-back'],
    ['starting_after', 'guides/requests#lists'],
  ])('finds the section among the first three when the words are "%s"', async (query, url) => {
    const found = await search(query);
    expect(found.slice(0, 3).map((entry) => entry.url)).toContain(url);
  });

  test('finds nothing when one of the words is nowhere', async () => {
    expect(await search('webhook zebra')).toEqual([]);
  });

  test('offers the search to keyboards and screen readers', async () => {
    const html = await pageOf('/docs/guides');
    expect(html).toMatch(
      /<input type="search" role="combobox" aria-label="[^"]+" aria-expanded="false" aria-controls="results"/,
    );
    expect(html).toMatch(/<p role="status"><\/p><ul id="results" role="listbox"/);
    const script = await (await fetch(`${server.url}/docs/search.js`)).text();
    for (const key of ['/', 'ArrowDown', 'ArrowUp', 'Enter', 'Escape']) expect(script).toContain(`'${key}'`);
    expect(script).not.toMatch(/innerHTML|eval\(|https?:/);
  });
});

describe('the index for programs', () => {
  test('has a title, a summary and sections of links when `/llms.txt` is read', async () => {
    const answer = await fetch(`${server.url}/llms.txt`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const text = await answer.text();
    expect(text).toMatch(/^# Tenure API\n\n> [^\n]+\n\n[^#]+\n\n## Guides\n/);
    expect(text.match(/^## .+$/gm)).toEqual(['## Guides', '## OpenAPI documents', '## Errors']);
    const links = Array.from(text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm), ([, link]) => link!);
    expect(links.toSorted()).toEqual(
      [
        ...names.map((name) => `${publicUrl}/docs/guides/${name}.md`),
        ...versions.map((version) => `${publicUrl}/openapi.json?version=${version}`),
        `${publicUrl}/openapi/portal.json`,
        `${publicUrl}/docs/errors`,
      ].toSorted(),
    );
  });

  test('omits a version when it is dormant', async () => {
    const settings = { DATABASE_URL: 'postgres://given.by.the.test/', TENURE_MASTER_KEY: newMasterKey() };
    const { connection } = await serverForTest({ settings });
    const own = await serverForTest({ connection, settings, overrides: { versions: [nextVersion, ...apiVersions] } });
    expect(await (await fetch(`${own.url}/llms.txt`)).text()).not.toContain(nextVersion.date);
  });
});

async function pageOf(path: string): Promise<string> {
  const answer = await fetch(server.url + path);
  expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
  return answer.text();
}

async function searchEntries(): Promise<Entry[]> {
  return (await (await fetch(`${server.url}/docs/search.json`)).json()) as Entry[];
}

/** Searches as the script of the pages does. */
async function search(query: string): Promise<Entry[]> {
  const script = `${import.meta.dirname}/../../../src/http/docs/assets/find.js`;
  const { find } = (await import(script)) as { find(entries: Entry[], words: string[]): Entry[] };
  return find(await searchEntries(), query.toLowerCase().split(' '));
}

/** Reads pages and all pages that they link to. Returns their texts by path, and the links that lead nowhere. */
async function crawl(starts: string[], on = server): Promise<{ pages: Map<string, string>; faults: string[] }> {
  const pages = new Map<string, string>();
  const queue = [...starts];
  for (const path of queue) {
    if (pages.has(path)) continue;
    const answer = await fetch(on.url + path);
    if (answer.status !== 200) continue;
    const text = await answer.text();
    pages.set(path, text);
    const isText = /html|markdown|plain/.test(answer.headers.get('content-type')!);
    if (isText) queue.push(...linksIn(text).map((link) => targetOf(path, link)?.path ?? path));
  }
  const faults: string[] = [];
  for (const [path, text] of pages) {
    if (path !== '/docs' && !/\.(css|js|json|webp)(\?|$)/.test(path))
      faults.push(...(await linkFaults(path, text, pages)));
  }
  return { pages, faults };
}

/** Returns the links of a page in HTML or Markdown. */
function linksIn(text: string): string[] {
  const isHtml = /<\w+ [^>]*(?:href|src)="/.test(text);
  if (isHtml) return Array.from(text.matchAll(/<\w+ [^>]*(?:href|src)="([^"]+)"/g), ([, link]) => link!);
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return Array.from(prose.matchAll(/\]\(\s*([^)\s]+)\s*\)/g), ([, link]) => link!);
}

/** Returns where a link leads on this server. Returns null if it leads to another one. */
function targetOf(page: string, link: string): { path: string; anchor: string } | null {
  const { href, protocol, hash } = new URL(link, publicUrl + page);
  if (!href.startsWith(publicUrl)) {
    // A link that leaves the path of the proxy is dead. Only whole addresses may lead elsewhere.
    return /^(https?|data):/.test(link) && protocol !== 'file:' ? null : { path: `/outside${href}`, anchor: '' };
  }
  return { path: href.slice(publicUrl.length).split('#', 1)[0]!, anchor: hash.slice(1) };
}

async function linkFaults(page: string, text: string, pages: ReadonlyMap<string, string>): Promise<string[]> {
  const faults: string[] = [];
  for (const link of new Set(linksIn(text))) {
    const target = targetOf(page, link);
    if (!target) continue;
    const there = pages.get(target.path.replace(/\.md$/, '')) ?? pages.get(target.path);
    if (there === undefined)
      faults.push(`${page}: ${link} has status ${(await fetch(server.url + target.path)).status}`);
    else if (target.anchor !== '' && !there.includes(`id="${decodeURIComponent(target.anchor)}"`))
      faults.push(`${page}: ${link.split('#', 1)[0]} has no #${target.anchor}`);
  }
  return faults;
}

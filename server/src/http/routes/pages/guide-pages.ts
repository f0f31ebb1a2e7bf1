import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../../context.ts';
import { readAsset } from '../../docs/assets.ts';
import { readGuideFiles, readPictures } from '../../docs/guide-files.ts';
import type { Guide } from '../../docs/guides.ts';
import { escaped, pageHtml, withCode } from '../../docs/layout.ts';
import { searchEntries } from '../../docs/search-entries.ts';
import { addLastingPage, addPage, addPicture, htmlType, once, scriptType, sendUnlessKnown, shelved } from './pages.ts';

/**
 * Adds the guides as pages and as Markdown, their list, the search, and `/llms.txt`, an index for programs (llmstxt.org).
 *
 * @returns a function that returns the guides. They are converted at its first call.
 */
export function addGuidePages(app: FastifyInstance, context: HttpContext): () => Promise<Guide[]> {
  // The files are read at the start: an upgrade may replace them while the server runs.
  const files = readGuideFiles();
  const guides = once(async () => (await import('../../docs/guides.ts')).guidesOf(files));
  for (const script of ['search.js', 'find.js'] as const) {
    addLastingPage(app, `/docs/${script}`, scriptType, () => readAsset(script));
  }
  addLastingPage(app, '/docs/search.json', 'application/json; charset=utf-8', async () =>
    JSON.stringify(searchEntries(await guides())),
  );
  addLastingPage(app, '/docs/guides', htmlType, async () =>
    pageHtml({ title: 'Guides', up: '', current: 'guides', hasGuides: true, content: listOf(await guides()) }),
  );
  for (const { name } of files) {
    const guide = async (): Promise<Guide> => (await guides()).find((each) => each.name === name)!;
    addLastingPage(app, `/docs/guides/${name}`, htmlType, async () => guidePage(await guide(), await guides()));
    addLastingPage(
      app,
      `/docs/guides/${name}.md`,
      'text/markdown; charset=utf-8',
      async () => (await guide()).markdown,
    );
  }
  for (const [file, bytes] of readPictures()) addPicture(app, `/docs/pictures/${file}`, bytes);
  addPage(app, '/llms.txt', async (request, reply) => {
    // The versions change while the server runs.
    const { body, etag } = shelved(Buffer.from(llmsText(context, await guides())));
    reply.header('x-content-type-options', 'nosniff');
    return sendUnlessKnown(request, reply, 'text/plain; charset=utf-8', {
      zipped: null,
      unzipped: async () => body,
      etag,
    });
  });
  return guides;
}

function listOf(guides: readonly Guide[]): string {
  const items = guides.map(
    ({ name, title, summary }) => `<li><a href="guides/${name}">${escaped(title)}</a><p>${withCode(summary)}</p></li>`,
  );
  return `<h1>Guides</h1>
<p>A test runs the commands of each guide. The <a href="../docs">API docs</a> list every operation, and <a href="errors">a page for each error</a> says how to mend it.</p>
<ul class="guides">${items.join('\n')}</ul>
<p class="quiet">For programs: <a href="../llms.txt">llms.txt</a>. Each guide is also there as Markdown.</p>`;
}

function guidePage(guide: Guide, guides: readonly Guide[]): string {
  const headings = guide.sections
    .filter(({ level }) => level === 2)
    .map(({ heading, anchor }) => `<li><a href="#${anchor}">${escaped(heading)}</a></li>`)
    .join('');
  const items = guides.map(({ name, title }) =>
    name === guide.name
      ? `<li><a href="${name}" aria-current="page">${escaped(title)}</a><ul>${headings}</ul></li>`
      : `<li><a href="${name}">${escaped(title)}</a></li>`,
  );
  return pageHtml({
    title: guide.title,
    up: '../',
    current: 'guides',
    hasGuides: true,
    aside: `<nav aria-label="Guides"><ul>${items.join('\n')}</ul></nav>`,
    content: `<details class="on-this-page"><summary>On this page</summary><ul>${headings}</ul></details>
${guide.html}<p class="quiet"><a href="${guide.name}.md">This guide as Markdown</a> · <a href="../guides">All guides</a></p>`,
  });
}

function llmsText({ config, versions, latestVersion }: HttpContext, guides: readonly Guide[]): string {
  const { publicUrl } = config;
  const served = versions.upTo(latestVersion.known);
  const documents = versions.all
    .filter(({ date }) => served.includes(date))
    .map(({ date, sentence }) => `- [OpenAPI ${date}](${publicUrl}/openapi.json?version=${date}): ${sentence}`)
    .concat(`- [OpenAPI of the portal](${publicUrl}/openapi/portal.json): what renters see and do.`);
  return `# Tenure API

> An open leasing API that you host yourself: tenant references, events, signed webhooks, idempotency keys and dated versions.

Every path below ${publicUrl}/v1 needs the header \`Authorization: Bearer <key>\`. Bodies are JSON. Send each POST with an \`Idempotency-Key\`, so that you can retry it safely.

An agent gets tools by the Model Context Protocol at ${publicUrl}/mcp, with the same header.

## Guides

${guides.map(({ name, title, summary }) => `- [${title}](${publicUrl}/docs/guides/${name}.md): ${summary}`).join('\n')}

## OpenAPI documents

${documents.join('\n')}

## Errors

- [Errors](${publicUrl}/docs/errors): every error code, with an example and how to mend it
`;
}

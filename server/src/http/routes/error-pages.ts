import type { FastifyInstance } from 'fastify';
import { errorCatalogue } from '../../core/errors.ts';
import { addPage } from './pages.ts';

/** Adds the pages at the `doc_url` of errors: what an error means, and what to do. */
export function addErrorPages(app: FastifyInstance): void {
  const codes = Object.keys(errorCatalogue).sort();
  const reference = '<a href="/docs">API docs</a>';
  const list = codes.map((code) => `<li><a href="/docs/errors/${code}"><code>${code}</code></a></li>`).join('');
  addPage(app, '/docs/errors', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(page('Errors', `<ul>${list}</ul><p>${reference}</p>`)),
  );
  for (const [code, { status, type, explanation }] of Object.entries(errorCatalogue)) {
    const html = page(
      code,
      `<p>Status ${status}, type <code>${type}</code></p><p>${withCode(explanation)}</p><p><a href="/docs/errors">All errors</a>. ${reference}</p>`,
    );
    addPage(app, `/docs/errors/${code}`, async (_request, reply) => reply.type('text/html; charset=utf-8').send(html));
  }
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} - Tenure API</title>
<style>body { font: 16px/1.6 system-ui, sans-serif; max-width: 42em; margin: 3em auto; padding: 0 1em } code { background: #8882; padding: 0 .2em }</style>
<h1>${title}</h1>
${content}
</html>
`;
}

/** Converts a text of the catalogue to HTML. It marks code by backticks. */
function withCode(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/`([^`]+)`/g, '<code>$1</code>');
}

import type { FastifyInstance } from 'fastify';
import { errorCatalogue } from '../../core/errors.ts';
import { addPage } from './pages.ts';

/** Adds the pages at the `doc_url` of errors: what an error means, and what to do. */
export function addErrorPages(app: FastifyInstance): void {
  const reference = '<a href="/docs">API docs</a>';
  const rows = Object.entries(errorCatalogue)
    .sort(([leftCode, left], [rightCode, right]) => left.status - right.status || (leftCode < rightCode ? -1 : 1))
    .map(
      ([code, { status, explanation }]) =>
        `<tr><td>${status}<td><a href="/docs/errors/${code}"><code>${code}</code></a><td>${withCode(firstSentenceOf(explanation))}</tr>`,
    );
  const list = page(
    'Errors',
    `<table><thead><tr><th>Status<th>Code<th>Meaning</tr></thead>${rows.join('\n')}</table><p>${reference}</p>`,
  );
  addPage(app, '/docs/errors', async (_request, reply) => reply.type('text/html; charset=utf-8').send(list));
  for (const [code, { status, type, explanation }] of Object.entries(errorCatalogue)) {
    const html = page(
      code,
      `<p>Status ${status}, type <code>${type}</code></p><p>${withCode(explanation)}</p><p><a href="/docs/errors">All errors</a>. ${reference}</p>`,
    );
    addPage(app, `/docs/errors/${code}`, async (_request, reply) => reply.type('text/html; charset=utf-8').send(html));
  }
}

const style = `
:root { color-scheme: light dark }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 56em; margin: 3em auto; padding: 0 1em }
p { max-width: 42em }
code { background: #8882; padding: 0 .2em; border-radius: 3px }
a { color: inherit }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .4em 1.2em .4em 0; border-bottom: 1px solid #8884 }
@media (max-width: 40em) {
  thead { display: none }
  td { display: block; padding: 0 }
  td:last-child { padding-bottom: .8em; margin-bottom: .8em }
  td:not(:last-child) { border: 0 }
}
`;

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} - Tenure API</title>
<style>${style}</style>
<h1>${title}</h1>
${content}
</html>
`;
}

function firstSentenceOf(text: string): string {
  return text.slice(0, text.search(/\. [A-Z]/) + 1) || text;
}

/** Converts a text of the catalogue to HTML. It marks code by backticks. */
function withCode(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/`([^`]+)`/g, '<code>$1</code>');
}

import type { FastifyInstance } from 'fastify';
import { errorCatalogue, type ErrorCode } from '../../../core/errors.ts';
import type { HttpContext } from '../../context.ts';
import { readAsset } from '../../docs/assets.ts';
import { curlOf, errorExamples, type ErrorExample } from '../../docs/error-examples.ts';
import { escaped, pageHtml, withCode } from '../../docs/layout.ts';
import { addLastingPage, htmlType } from './pages.ts';

/** Adds the pages at the `doc_url` of errors: what an error means, an example, and what to do. */
export function addErrorPages(app: FastifyInstance, { config }: HttpContext): void {
  const hasGuides = config.role !== 'worker';
  addLastingPage(app, '/docs/docs.css', 'text/css; charset=utf-8', () => readAsset('docs.css'));
  addLastingPage(app, '/docs/errors', htmlType, () =>
    pageHtml({ title: 'Errors', up: '', current: 'errors', hasGuides, content: listOfErrors() }),
  );
  for (const code of Object.keys(errorCatalogue) as ErrorCode[]) {
    addLastingPage(app, `/docs/errors/${code}`, htmlType, () =>
      pageHtml({
        title: code,
        up: '../',
        current: 'errors',
        hasGuides,
        content: descriptionOf(code, config.publicUrl),
      }),
    );
  }
}

function listOfErrors(): string {
  const rows = Object.entries(errorCatalogue)
    .sort(([leftCode, left], [rightCode, right]) => left.status - right.status || (leftCode < rightCode ? -1 : 1))
    .map(
      ([code, { status, explanation }]) =>
        `<tr><td>${status}</td><td><a href="errors/${code}"><code>${code}</code></a></td><td>${withCode(firstSentenceOf(explanation))}</td></tr>`,
    );
  return `<h1>Errors</h1>
<p>Each error has a <code>code</code> for programs and a <code>message</code> for people. The page of a code has an example, and says how to mend it.</p>
<div class="table"><table class="stacked"><thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`;
}

function descriptionOf(code: ErrorCode, publicUrl: string): string {
  const { status, type, explanation } = errorCatalogue[code];
  const example = errorExamples[code];
  return `<h1><code>${code}</code></h1>
<p class="quiet">Status ${status}, type <code>${type}</code></p>
<p>${withCode(explanation)}</p>
${example ? textOfExample(code, example, publicUrl) : ''}<p><a href="../errors">All errors</a></p>`;
}

function textOfExample(code: ErrorCode, { when, wrong, error, mend, right }: ErrorExample, publicUrl: string): string {
  const { status, type } = errorCatalogue[code];
  const { message, check, param, errors } = error;
  const body = {
    error: {
      type,
      code,
      ...(check !== undefined && { check }),
      ...(param !== undefined && { param }),
      message,
      doc_url: `${publicUrl}/docs/errors/${code}`,
      request_id: 'req_…',
      ...(errors && { errors }),
    },
  };
  return `<h2 id="example">Example</h2>
${when === undefined ? '' : `<p>${withCode(when)}</p>\n`}${block(curlOf(wrong, publicUrl))}
<p>The response has status ${status}:</p>
${block(JSON.stringify(body, null, 2))}
<h2 id="mend">How to mend it</h2>
<p>${withCode(mend)}</p>
${block(curlOf(right, publicUrl))}
`;
}

function block(text: string): string {
  return `<pre class="wrapped"><code>${escaped(text)}</code></pre>`;
}

function firstSentenceOf(text: string): string {
  return text.slice(0, text.search(/\. [A-Z]/) + 1) || text;
}

import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ApiError } from '../../../core/errors.ts';
import { queryReader } from '../../body/query.ts';
import {
  addLastingPage,
  addPage,
  htmlType,
  once,
  scriptType,
  sendUnlessKnown,
  shelved,
  type Shelved,
} from './pages.ts';
import type { OpenPost, Route } from '../../route.ts';
import { unknownParameter } from '../../body/validate.ts';
import type { HttpContext } from '../../context.ts';

/**
 * Adds the API docs, which need no key. The path `/openapi.json` returns the OpenAPI document of each version. `/openapi/portal.json` is
 * that of the portal. The page `/docs` shows all of them. It loads nothing from outside this server. All parts are made at their first use,
 * so that a start does not wait for them.
 *
 * @param portal the routes of the portal, and what comes before a session.
 */
export function addReference(
  app: FastifyInstance,
  context: HttpContext,
  routes: readonly Route[],
  portal: { routes: readonly Route[]; opening: readonly OpenPost[] },
): void {
  const documentOf = once((version: string) => writeDocument(context, routes, version));
  const zippedDocumentOf = once(async (version: string) => promisify(gzip)((await documentOf(version)).body));
  const script = once(loadScript);
  const unzippedScript = once(async () => promisify(gunzip)((await script()).body));
  const readerOfQuery = once(async () => queryReader({ version: Type.String({ maxLength: 40 }) }));

  addPage(app, '/openapi.json', async (request, reply) => {
    const readQuery = await readerOfQuery();
    const { query, expand } = readQuery(request.url);
    if (expand.length > 0) throw unknownParameter(['expand'], ['version']);
    const served = context.versions.upTo(context.latestVersion.known);
    const version = String(query.version ?? served[0]);
    if (!served.includes(version)) throw unknownVersion(version, served);
    const { body, etag } = await documentOf(version);
    const zipped = (): Promise<Buffer> => zippedDocumentOf(version);
    return sendUnlessKnown(request, reply, jsonType, {
      zipped,
      unzipped: async () => body,
      etag,
    });
  });

  addLastingPage(app, '/openapi/portal.json', jsonType, async () => {
    const { portalDocument } = await import('../../openapi/document.ts');
    return JSON.stringify(portalDocument({ ...context, routes: portal.routes }, portal.opening));
  });

  addPage(app, '/docs', async (request, reply) => {
    const { html, policy } = page(context.versions.upTo(context.latestVersion.known));
    reply.header('content-security-policy', policy).header('x-content-type-options', 'nosniff');
    const { body, etag } = shelved(Buffer.from(html));
    return sendUnlessKnown(request, reply, htmlType, {
      zipped: null,
      unzipped: async () => body,
      etag,
    });
  });

  addPage(app, '/docs/scalar.js', async (request, reply) => {
    const { body, etag } = await script();
    return sendUnlessKnown(request, reply, scriptType, { zipped: async () => body, unzipped: unzippedScript, etag });
  });
}

const jsonType = 'application/json; charset=utf-8';

/** Writes a document. Loads the modules for it at the first call. */
async function writeDocument(context: HttpContext, routes: readonly Route[], version: string): Promise<Shelved> {
  const { openApiDocument } = await import('../../openapi/document.ts');
  return shelved(Buffer.from(JSON.stringify(openApiDocument({ ...context, routes }, version))));
}

function unknownVersion(version: string, served: readonly string[]): ApiError {
  return new ApiError(
    'api_version_invalid',
    `\`version=${version.slice(0, 40)}\` is not a version of this API. Send one of ${served.join(', ')}.`,
    { param: 'version' },
  );
}

/**
 * Loads the script of the page, and compresses it, because it has 4 MB. Its package is only a plugin, so a temporary server serves it.
 */
async function loadScript(): Promise<Shelved> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference');
  const shelf = fastify();
  await shelf.register(apiReference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { rawPayload } = await shelf.inject('/docs/js/scalar.js');
  await shelf.close();
  return shelved(await promisify(gzip)(rawPayload));
}

/** Returns the page that shows the documents of these versions, and its policy: it may load nothing from other servers. */
function page(versions: readonly string[]): { html: string; policy: string } {
  const configuration = {
    // Relative URLs work behind any proxy.
    sources: [
      ...versions.map((version, index) => ({
        title: index === 0 ? `${version} (latest)` : version,
        slug: version,
        url: `openapi.json?version=${version}`,
      })),
      { title: 'Portal', slug: 'portal', url: 'openapi/portal.json' },
    ],
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    documentDownloadType: 'json',
    operationTitleSource: 'summary',
    metaData: { title: 'Tenure API' },
    // Break lines in tables between words only.
    customCss:
      '.markdown td, .markdown th, .markdown td * { word-break: normal !important; overflow-wrap: normal !important }',
  };
  const script = `Scalar.createApiReference('#reference', ${JSON.stringify(configuration)});`;
  const policy = [
    `default-src 'none'`,
    `script-src 'self' 'sha256-${hash('sha256', script, 'base64')}'`,
    `style-src 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src data:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tenure API</title>
<link rel="icon" href="data:,">
<div id="reference"></div>
<noscript>This page needs JavaScript. Without it: <a href="openapi.json">the OpenAPI document</a>, <a href="docs/guides">the guides</a>, <a href="docs/errors">the errors</a>.</noscript>
<script src="docs/scalar.js"></script>
<script>${script}</script>
</html>
`;
  return { html, policy };
}

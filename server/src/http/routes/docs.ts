import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ApiError } from '../../core/errors.ts';
import { queryReader } from '../body/query.ts';
import { addPage } from './pages.ts';
import type { Route } from '../route.ts';
import { unknownParameter } from '../body/validate.ts';
import type { HttpContext } from '../context.ts';
import { headerOf } from '../headers.ts';

/**
 * The reference, which needs no key: `/openapi.json` has the OpenAPI document of each version, `/docs` is a page to read it on. The page
 * asks for nothing outside this server. All of it is made when it is first asked for, so that a start does not wait for it.
 */
export function addReference(app: FastifyInstance, context: HttpContext, routes: readonly Route[]): void {
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
    const { version = served[0]! } = query as { version?: string };
    if (!served.includes(version)) throw unknownVersion(version, served);
    const { body, etag } = await documentOf(version);
    const zipped = (): Promise<Buffer> => zippedDocumentOf(version);
    return sendUnlessKnown(request, reply, 'application/json; charset=utf-8', {
      zipped,
      unzipped: async () => body,
      etag,
    });
  });

  addPage(app, '/docs', async (request, reply) => {
    const { html, policy } = page(context.versions.upTo(context.latestVersion.known));
    reply.header('content-security-policy', policy).header('x-content-type-options', 'nosniff');
    const { body, etag } = shelved(html);
    return sendUnlessKnown(request, reply, 'text/html; charset=utf-8', {
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

const scriptType = 'text/javascript; charset=utf-8';

/** What is sent as often as it is asked for, with the mark by which a client knows whether it has it. */
interface Shelved<Body extends string | Buffer> {
  body: Body;
  etag: string;
}

function shelved<Body extends string | Buffer>(body: Body): Shelved<Body> {
  // Weak, because it is the same zipped and not (RFC 9110, 8.8.3).
  return { body, etag: `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"` };
}

/** What writes documents is loaded for the first. */
async function writeDocument(
  context: HttpContext,
  routes: readonly Route[],
  version: string,
): Promise<Shelved<string>> {
  const { openApiDocument } = await import('../openapi/document.ts');
  return shelved(JSON.stringify(openApiDocument({ ...context, routes }, version)));
}

function unknownVersion(version: string, served: readonly string[]): ApiError {
  return new ApiError(
    'api_version_invalid',
    `\`version=${version.slice(0, 40)}\` is not a version of this API. Known are ${served.join(', ')}.`,
    { param: 'version' },
  );
}

/** The script of the page, zipped, because it has 4 MB. Its package hands it out as a plugin only, so a server of its own is asked for it. */
async function loadScript(): Promise<Shelved<Buffer>> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference');
  const shelf = fastify();
  await shelf.register(apiReference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { rawPayload } = await shelf.inject('/docs/js/scalar.js');
  await shelf.close();
  return shelved(await promisify(gzip)(rawPayload));
}

/** The page that shows the documents of these versions, and what it may load: nothing from anywhere else. */
function page(versions: readonly string[]): { html: string; policy: string } {
  const configuration = {
    // Relative, so that they are right behind any proxy.
    sources: versions.map((version, index) => ({
      title: index === 0 ? `${version} (latest)` : version,
      slug: version,
      url: `openapi.json?version=${version}`,
    })),
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    documentDownloadType: 'json',
    operationTitleSource: 'summary',
    metaData: { title: 'Tenure API' },
    // Tables of words break between them only.
    customCss: '.markdown td, .markdown th { word-break: normal; overflow-wrap: break-word }',
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
<noscript>This page needs JavaScript. Without it: <a href="openapi.json">the OpenAPI document</a>, <a href="docs/errors">the errors</a>.</noscript>
<script src="docs/scalar.js"></script>
<script>${script}</script>
</html>
`;
  return { html, policy };
}

/** Sends it, unless the client has it already (RFC 9110, 13.1.2), and zipped if the client takes that and it is worth it. */
async function sendUnlessKnown(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  content: { zipped: (() => Promise<Buffer>) | null; unzipped(): Promise<string | Buffer>; etag: string },
): Promise<FastifyReply> {
  // Kept, but asked about each time: an upgrade of the server is seen at once.
  reply.header('etag', content.etag).header('cache-control', 'no-cache');
  if (content.zipped) reply.header('vary', 'accept-encoding');
  if (isKnown(request, content.etag)) return reply.code(304).send();
  reply.type(type);
  if (!content.zipped || !takesGzip(request)) return reply.send(await content.unzipped());
  return reply.header('content-encoding', 'gzip').send(await content.zipped());
}

function isKnown(request: FastifyRequest, etag: string): boolean {
  return (headerOf(request, 'if-none-match') ?? '').includes(etag);
}

/** Whether the client names gzip, or takes anything, and does not mean by it that it wants none (RFC 9110, 12.5.3). */
function takesGzip(request: FastifyRequest): boolean {
  const codings = (headerOf(request, 'accept-encoding') ?? '').toLowerCase().split(',');
  const weights = new Map(
    codings.map((text) => {
      const [coding, weight] = text.split(';').map((part) => part.trim());
      return [coding, weight?.startsWith('q=') ? Number(weight.slice(2)) : 1];
    }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}

/** Makes each value once, when it is first asked for. One that could not be made is made anew the next time. */
function once<Value, Key = void>(make: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const made = new Map<Key, Promise<Value>>();
  return (key) => {
    const known = made.get(key);
    if (known) return known;
    const making = make(key);
    made.set(key, making);
    making.catch(() => made.delete(key));
    return making;
  };
}

import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { FairRounds } from '../../core/limits/fair-queue.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { oneOf } from '../../model/schemas/make.ts';
import { checkBodyHeaders } from '../body/body.ts';
import { BodyBytes } from '../body/body-bytes.ts';
import { queryReader } from '../body/query.ts';
import { once } from '../routes/pages/pages.ts';
import { unknownParameter } from '../body/validate.ts';
import type { HttpContext } from '../context.ts';
import { headerOf } from '../headers.ts';
import { requireServedVersion } from '../pipeline/api-version.ts';
import { requireOwnOrigin } from '../pipeline/browser.ts';
import { ConcurrencyLimit, type Bounds } from '../pipeline/concurrency.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { whenClosed } from '../response/held-responses.ts';
import type { McpParts, Narrowing } from './tool.ts';

/** Messages of MCP in progress. Each can hold a page of records several times: as bytes, as text and as values. */
const messageBounds: Bounds = {
  what: 'messages to `/mcp` in progress',
  ofAccountMax: 16,
  ofTreeMax: 48,
  max: 64,
  retryAfterSeconds: 1,
};

/**
 * Adds `POST /mcp`, the Model Context Protocol for programs that act by themselves (Streamable HTTP, without sessions). A tool is a request
 * of the API: it passes the whole pipeline once more. So its log, its limits and its permissions are those of any other request. The code is
 * loaded at the first message, because most deployments never get one.
 */
export function addMcp(app: FastifyInstance, context: HttpContext, parts: McpParts): void {
  const messages = new ConcurrencyLimit(messageBounds);
  // A message takes 3 ms of the processor, and one with an OpenAPI document 20 ms.
  const rounds = new FairRounds();
  const readQuery = queryReader({ read_only: oneOf('true', 'false'), tools: Type.String({ maxLength: 1_000 }) });
  const responder = once(async () => (await import('./respond.ts')).respond);

  app.post(
    '/mcp',
    {
      config: { public: true },
      onRequest: async (request, reply) => {
        // A page of another site must not reach a server on the machine of its reader.
        if (headerOf(request, 'origin') !== undefined) requireOwnOrigin(request, context.config);
        const known = await parts.admit(request, reply);
        requireServedVersion(known);
        requireNarrowKey(known, context.config);
        checkBodyHeaders(known);
        whenClosed(reply, messages.begin(known.payer));
        known.bodyBytes = new BodyBytes(parts.bodies, known.payer, request, reply);
      },
    },
    async (request, reply) => {
      const known = request.apiRequest as AuthenticatedRequest;
      known.bodyBytes?.workBegins();
      // The request that a tool makes leaves the log.
      known.bodyText = null;
      const { query, expand } = readQuery(request.url);
      if (expand.length > 0) throw unknownParameter(['expand'], ['read_only', 'tools']);
      const respond = await responder();
      await rounds.next(known.payer);
      const answer = await respond(
        { app, context, parts },
        known,
        narrowingOf(query),
        (request.body ?? {}) as JsonObject,
        reply,
      );
      known.bodyBytes?.workEnds(Buffer.byteLength(answer.body));
      return reply.code(answer.status).headers(answer.headers).header('cache-control', 'no-store').send(answer.body);
    },
  );
}

function narrowingOf({ read_only: readOnly, tools }: Record<string, string | number>): Narrowing {
  if (tools === undefined) return { isReadOnly: readOnly === 'true', names: null };
  const names = String(tools)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  // A variable without a value must not offer all tools.
  if (names.length === 0)
    throw invalidParameter(
      'tools',
      '`tools` is empty. Name the tools or kinds of record that you want, or leave it out.',
    );
  return { isReadOnly: readOnly === 'true', names: new Set(names) };
}

/**
 * Refuses keys that can do everything. A model reads what strangers wrote, and may follow it.
 *
 * @throws {ApiError} 401 `api_key_missing` for a person in the dashboard, and 403 `permission_denied` for a secret key.
 */
function requireNarrowKey({ principal }: AuthenticatedRequest, { publicUrl }: { publicUrl: string }): void {
  if (!principal.key)
    throw new ApiError('api_key_missing', 'No API key was sent. Send it in the header `Authorization: Bearer <key>`.');
  if (principal.key.type !== 'secret') return;
  throw new ApiError(
    'permission_denied',
    `A secret key may do everything, so \`/mcp\` refuses it. Make an agent key with the permissions that the agent needs: \`curl ${publicUrl}/v1/api_keys -H "Authorization: Bearer <your secret key>" -d '{"type": "agent", "name": "My agent", "permissions": ["references.read", "events.read"]}' -H "Content-Type: application/json"\`, or in the dashboard under API keys.`,
  );
}

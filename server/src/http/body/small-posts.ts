import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { ApiError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { headerOf } from '../headers.ts';
import { BodyBytes, strangerOf, type BodyBudgets } from './body-bytes.ts';
import { receiveBytes, type BodyLimit } from './incoming-bytes.ts';
import { parseJsonObject } from './json.ts';
import { validator } from './validate.ts';

/** The limit of a body about a sign-in or a link. */
export const smallBody: BodyLimit = { bytesMax: 8 * 1024, tooLarge: bodyTooLarge };

/**
 * Refuses a larger body before it arrives. It would take the room of many others until then.
 *
 * @throws {ApiError} `body_too_large`.
 */
export function requireSmallBody({ headers }: FastifyRequest): void {
  if (Number(headers['content-length'] ?? 0) > smallBody.bytesMax) throw bodyTooLarge();
}

/** Answers a request. It judges the client before it takes the valid body. */
export type SmallHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  takeBody: () => JsonObject,
) => Promise<JsonObject>;

/**
 * Lets a scope take small bodies of JSON, for routes that come before a sign-in. All of them share few bytes of memory.
 *
 * @returns a function that adds a POST.
 */
export function takeSmallPosts(
  scope: FastifyInstance,
  bodies: BodyBudgets,
): (path: string, schema: TObject, handle: SmallHandler) => void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', async (request: FastifyRequest) => readBody(request));
  return (path, schema, handle) => {
    const validate = validator(schema);
    scope.post(
      path,
      {
        config: { public: true },
        onRequest: async (request, reply) => {
          requireSmallBody(request);
          const payer = strangerOf('sign-ins', request.apiRequest.client);
          request.apiRequest.bodyBytes = new BodyBytes(bodies, payer, request, reply);
        },
      },
      async (request, reply) => {
        const { bodyBytes } = request.apiRequest;
        const object = await handle(request, reply, () => {
          const body = (request.body ?? {}) as JsonObject;
          validate(body);
          bodyBytes?.workBegins();
          return body;
        });
        bodyBytes?.workEnds(0);
        return sendUncached(reply, object);
      },
    );
  };
}

/** Sends an object that no cache may keep. */
export function sendUncached(reply: FastifyReply, object: JsonObject): FastifyReply {
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(JSON.stringify(object));
}

async function readBody(request: FastifyRequest): Promise<JsonObject> {
  const { bodyBytes } = request.apiRequest;
  const bytes = await receiveBytes(request.raw, bodyBytes, smallBody);
  bodyBytes?.arrived(bytes.length);
  if (bytes.length === 0) return {};
  const [mediaType = ''] = (headerOf(request, 'content-type') ?? '').split(/\s*;/, 1);
  // A form of another site can send no JSON without asking first.
  if (mediaType.toLowerCase() !== 'application/json')
    throw new ApiError('content_type_unsupported', 'Send the body as `application/json`.');
  return parseJsonObject(bytes).value;
}

function bodyTooLarge(): ApiError {
  return new ApiError('body_too_large', 'The body has more than 8 kB. Send less.');
}

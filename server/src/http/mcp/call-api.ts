import type { JsonObject } from '../../core/json-diff.ts';
import { headerOf } from '../headers.ts';
import { sendInner } from './inner-request.ts';
import type { McpCall } from './tool.ts';

/** The headers of a message that its requests to the API have, too. The key is one of them. */
const passedHeaders = [
  'authorization',
  'host',
  'service-context',
  'service-version',
  'user-agent',
  'x-forwarded-for',
] as const;

/** A request to the API. */
export interface ApiCall {
  method: 'GET' | 'POST';
  path: string;
  query?: Record<string, string>;
  body?: JsonObject;
  idempotencyKey?: string;
  /** Why the agent wants this, for the person that approves it. */
  reason?: string;
}

/** The API has refused a request. The body is the one of its response. */
export class RefusedError extends Error {
  readonly body: JsonObject;

  constructor(body: JsonObject) {
    super('The API has refused the request.');
    this.body = body;
  }
}

/**
 * Makes a request to the API with the key of the message. It passes the pipeline of this process, as if it came from the network.
 *
 * @throws {RefusedError} for any status but 200.
 */
export async function callApi(
  { app, known: { incoming, traceParent } }: McpCall,
  { method, path, query = {}, body, idempotencyKey, reason }: ApiCall,
): Promise<{ object: JsonObject; headers: Readonly<Record<string, string>> }> {
  const headers: Record<string, string> = {};
  for (const name of passedHeaders) {
    const value = headerOf(incoming, name);
    if (value !== undefined) headers[name] = value;
  }
  // The request belongs to the trace of its message.
  if (traceParent !== null) headers.traceparent = traceParent;
  if (body) headers['content-type'] = 'application/json';
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  // A header has one line, and the bytes of UTF-8 as characters.
  if (reason !== undefined)
    headers['service-reason'] = Buffer.from(reason.replaceAll(/\p{Cc}+/gu, ' ')).toString('latin1');
  const search = new URLSearchParams(query).toString();
  const response = await sendInner(app, {
    method,
    url: search === '' ? path : `${path}?${search}`,
    headers,
    ...(body && { body: JSON.stringify(body) }),
    remoteAddress: incoming.raw.socket.remoteAddress,
  });
  const object = JSON.parse(response.text) as JsonObject;
  if (response.status !== 200) throw new RefusedError(object);
  return { object, headers: response.headers };
}

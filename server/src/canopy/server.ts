import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Type, type Static, type TSchema } from 'typebox';
import Schema from 'typebox/schema';
import type { Clock } from '../core/clock.ts';
import { errorMessage } from '../core/errors.ts';
import { OrderFile } from './order-file.ts';
import { stateOf } from './order.ts';
import type { CanopySettings } from './settings.ts';
import { CanopyTranslator, Refusal } from './translator.ts';

/*
 * The HTTP server of the translator. Tenure calls the paths of docs/providers/protocol.md with the token of an account. Canopy calls
 * `/canopy/{clientId}/{secret}`. Only that path has to be public.
 */

/** Seconds between two searches for what the file no longer needs. */
const tidySeconds = 60 * 60;

/** Bytes. An order of Tenure is below this. */
const bodyBytesMax = 256 * 1024;

const nullableText = Type.Union([Type.String(), Type.Null()]);

const orderSchema = Type.Object({
  clientReferenceId: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  applicant: Type.Union([
    Type.Object({ fullName: Type.String(), email: nullableText, phone: nullableText }),
    Type.Null(),
  ]),
  callback: Type.Object({ url: Type.String({ minLength: 1 }), signingSecret: Type.String({ minLength: 1 }) }),
});

const emailSchema = Type.Object({ email: Type.String({ minLength: 1 }) });

interface JsonResponse {
  status: number;
  body: object;
}

/** The running translator. */
export interface CanopyServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts the translator.
 *
 * @param options.timeScale the real seconds in a second of a pause; 1 without it.
 * @throws {Error} if the port or the file of the orders cannot be used.
 */
export async function startCanopy(
  settings: CanopySettings,
  { clock, log, timeScale = 1 }: { clock: Clock; log: (text: string) => void; timeScale?: number },
): Promise<CanopyServer> {
  // A second process on the same port ends before it touches the file.
  const server = createServer();
  server.listen(settings.port ?? 5300, settings.host ?? '127.0.0.1');
  await once(server, 'listening');
  const file = new OrderFile(settings.ordersFile);
  const tidy = (): void => {
    try {
      file.tidy(clock.nowMs());
    } catch (error) {
      log(`The file of the orders cannot be written now: ${errorMessage(error)}`);
    }
  };
  tidy();
  const tidying = setInterval(tidy, 1000 * tidySeconds * timeScale);
  const translators = settings.clients.map((client) => ({
    client,
    translator: new CanopyTranslator(client, { ...settings, file, clock, log, timeScale }),
  }));
  const context: Context = {
    byToken: (token) => translators.find(({ client }) => isSame(client.token, token))?.translator ?? null,
    byWebhook: (clientId, secret) =>
      translators.find(
        ({ client, translator }) => client.clientId === clientId && isSame(translator.webhookSecret, secret),
      )?.translator ?? null,
    log,
  };
  server.on('request', (request, response) => void serve(request, response, context));
  for (const { translator } of translators) translator.start();
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`,
    async stop() {
      clearInterval(tidying);
      for (const { translator } of translators) translator.stop();
      await closed(server);
      file.close();
    },
  };
}

/** What every request needs. */
interface Context {
  byToken(token: string): CanopyTranslator | null;
  byWebhook(clientId: string, secret: string): CanopyTranslator | null;
  log(text: string): void;
}

async function serve(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  let result: JsonResponse;
  let retryAfter: string | null = null;
  try {
    result = await respond(request, context);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, 'UNAVAILABLE', 'Try again later.');
    if (!(error instanceof Refusal)) context.log(`A request failed: ${errorMessage(error)}`);
    retryAfter = refusal.retryAfter;
    result = { status: refusal.status, body: { error: { code: refusal.code, message: refusal.message } } };
  }
  // The unread rest of a body would hold the connection.
  request.resume();
  response.writeHead(result.status, {
    'content-type': 'application/json',
    ...(retryAfter !== null && { 'retry-after': retryAfter }),
  });
  response.end(JSON.stringify(result.body));
}

async function respond(request: IncomingMessage, context: Context): Promise<JsonResponse> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://translator');
  const parts = pathname.split('/').slice(1).map(decoded);
  if (parts[0] === 'canopy') return takeWebhook(request, parts, context);
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const translator = context.byToken(token);
  if (!translator) throw new Refusal(401, 'UNAUTHORIZED', 'The token is not known.');
  const [, path, requestId, action = '', ...more] = parts;
  if (parts[0] !== 'v1' || path !== 'reference-requests' || more.length > 0) throw notFound();
  if (requestId === undefined) {
    if (request.method === 'POST') return takeOrder(translator, await bodyOf(request));
    if (request.method !== 'GET') throw notFound();
    const found = translator.find(searchParams.get('clientReferenceId') ?? '');
    return { status: 200, body: { requests: found ? [stateOf(found)] : [] } };
  }
  switch (`${request.method} ${action}`) {
    case 'GET ':
      return { status: 200, body: stateOf(translator.read(requestId)) };
    case 'GET report':
      return { status: 200, body: translator.report(requestId) };
    case 'POST cancel':
      return { status: 200, body: await translator.cancel(requestId) };
    case 'PUT applicant-email': {
      translator.read(requestId);
      const { email } = parsed(emailSchema, await bodyOf(request));
      return { status: 200, body: await translator.changeEmail(requestId, email) };
    }
    default:
      throw notFound();
  }
}

async function takeOrder(translator: CanopyTranslator, body: unknown): Promise<JsonResponse> {
  const { clientReferenceId: key, applicant, callback } = parsed(orderSchema, body);
  const { isNew, state } = await translator.order({ key, applicant, callback });
  return { status: isNew ? 201 : 200, body: state };
}

async function takeWebhook(
  request: IncomingMessage,
  parts: readonly string[],
  context: Context,
): Promise<JsonResponse> {
  const [, clientId = '', secret = '', ...more] = parts;
  const translator = more.length === 0 ? context.byWebhook(clientId, secret) : null;
  if (!translator) {
    context.log('A webhook with a wrong address was refused.');
    throw notFound();
  }
  if (request.method !== 'POST') throw notFound();
  const message = await bodyOf(request);
  if (typeof message !== 'object' || message === null)
    throw new Refusal(400, 'INVALID_REQUEST', 'The body is no object.');
  await translator.take(message as Record<string, unknown>);
  return { status: 200, body: {} };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  // A refused body is read to its end, so that its client reads the response and keeps the connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += (chunk as Buffer).length;
    if (length > bodyBytesMax) throw new Refusal(413, 'TOO_LARGE', 'The body is too long.');
    chunks.push(chunk as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Refusal(400, 'INVALID_REQUEST', 'The body is no JSON.');
  }
}

function parsed<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  if (Schema.Check(schema, body)) return body;
  const [, faults] = Schema.Errors(schema, body);
  const place = faults[0]?.instancePath || '/';
  throw new Refusal(400, 'INVALID_REQUEST', `The body is wrong at ${place}.`);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw notFound();
  }
}

function notFound(): Refusal {
  return new Refusal(404, 'NOT_FOUND', 'There is no such path.');
}

/** Compares secrets. Every wrong one takes the same time. */
function isSame(secret: string, given: string): boolean {
  return timingSafeEqual(digestOf(secret), digestOf(given));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

async function closed(server: Server): Promise<void> {
  const ended = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  await ended;
}

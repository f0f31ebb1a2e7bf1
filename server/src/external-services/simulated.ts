import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';

/*
 * What the simulated services of a sandbox have in common: they are servers on loopback, and call their customers back.
 */

/** Bytes. No request to a service is longer. */
const bodyBytesMax = 256 * 1024;

/** A request to a simulated service. */
export interface ServiceRequest {
  method: string;
  /** Decoded, without the first slash. */
  path: readonly string[];
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  /** Null if the body is no JSON, or too long. */
  body: unknown;
}

/** The response of a simulated service. */
export interface ServiceResponse {
  status: number;
  body: object | null;
}

/** Makes a server that answers requests. Without an answer, `respond` has sent the response itself. */
export function serviceServer(
  respond: (request: ServiceRequest, response: ServerResponse) => Promise<ServiceResponse | null>,
  onError: (error: unknown) => ServiceResponse,
): Server {
  return createServer((incoming, response) => {
    requestOf(incoming)
      .then((request) => respond(request, response))
      .then((answer) => answer && send(response, answer))
      .catch((error: unknown) => {
        const answer = onError(error);
        if (response.headersSent) response.destroy();
        else send(response, answer);
      });
  });
}

/** Starts a server on a free port of loopback. */
export async function listening(server: Server): Promise<Server> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

export function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes the server. Requests that still wait get no response. */
export async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export function send(response: ServerResponse, { status, body }: ServiceResponse): void {
  if (body === null) response.writeHead(status).end();
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function requestOf(incoming: IncomingMessage): Promise<ServiceRequest> {
  const body = await bodyOf(incoming);
  const url = new URL(incoming.url!, 'http://service');
  return {
    method: incoming.method!,
    path: url.pathname.slice(1).split('/').map(decoded),
    query: url.searchParams,
    headers: incoming.headers,
    body,
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= bodyBytesMax) chunks.push(chunk);
  }
  try {
    return length <= bodyBytesMax ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : null;
  } catch {
    return null;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Milliseconds between looks for due callbacks. When no service was called for a minute, looks are rarer, because an idle server costs. */
const lookEveryMs = 250;
const lookWhenQuietEveryMs = 5_000;
const quietAfterMs = 60_000;

const callTimeoutMs = 5_000;

/** Milliseconds after each failure. After the last one the service gives up, and its customer has to poll. */
export const callbackPausesMs: readonly number[] = [1_000, 5_000, 15_000, 60_000];

export interface Caller {
  /** Notes that a service was called, so that callbacks may be due soon. */
  noteUse(): void;
  /** Waits for the calls under way, which have a timeout. */
  stop(): Promise<void>;
}

/**
 * Has callbacks sent as long as the service runs.
 *
 * @param tellAll sends the callbacks that are due, and returns their number.
 */
export function startCalling(tellAll: (stopping: AbortSignal) => Promise<number>, log: Logger): Caller {
  const stopping = new AbortController();
  let round: Promise<unknown> = Promise.resolve();
  let isRunning = false;
  let usedAtMs = performance.now();
  let lookedAtMs = -Infinity;
  const noteUse = (): void => {
    usedAtMs = performance.now();
  };
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const isQuiet = nowMs - usedAtMs > quietAfterMs;
    if (isRunning || (isQuiet && nowMs - lookedAtMs < lookWhenQuietEveryMs)) return;
    isRunning = true;
    lookedAtMs = nowMs;
    round = tellAll(stopping.signal)
      .then((told) => told > 0 && noteUse())
      .catch((error: unknown) => log.warn({ err: error }, 'simulated services could not send callbacks'))
      .finally(() => {
        isRunning = false;
      });
  }, lookEveryMs);
  return {
    noteUse,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await round;
    },
  };
}

/** Calls a customer back. Resolves to whether the customer has accepted the call. */
export async function callBack(
  url: string,
  headers: Record<string, string>,
  body: string,
  stopping: AbortSignal,
): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(callTimeoutMs), stopping]),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

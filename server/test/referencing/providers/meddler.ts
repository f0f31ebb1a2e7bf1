import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request to a service, as its client sent it. */
export interface Sent {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The response of the service. */
export interface Returned {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What a client and a service told each other. */
export interface Exchange {
  sent: Sent;
  returned: Returned;
}

/**
 * Changes what goes through.
 *
 * @param forward sends a request to the service, and resolves to the response.
 * @returns the response for the client; null for none.
 */
export type Meddling = (sent: Sent, forward: (sent: Sent) => Promise<Returned>) => Promise<Returned | null>;

export interface Meddler {
  url: string;
  /** In the order of the responses. */
  exchanges: Exchange[];
}

/** Starts a proxy in front of a service, for one test. It passes everything on, unless it meddles. */
export async function meddlerForTest(
  target: string,
  meddle: Meddling = (sent, forward) => forward(sent),
): Promise<Meddler> {
  const exchanges: Exchange[] = [];
  const forward = async ({ method, path, headers, body }: Sent): Promise<Returned> => {
    const response = await fetch(target + path, {
      method,
      headers: Object.fromEntries(
        Object.entries(headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
      ) as Record<string, string>,
      ...(method !== 'GET' && { body }),
      redirect: 'manual',
    });
    const type = response.headers.get('content-type');
    return { status: response.status, headers: type ? { 'content-type': type } : {}, body: await response.text() };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const sent = { method: request.method!, path: request.url!, headers: request.headers, body };
    const returned = await meddle(sent, forward);
    if (!returned) return;
    exchanges.push({ sent, returned });
    response.writeHead(returned.status, returned.headers).end(returned.body);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, exchanges };
}

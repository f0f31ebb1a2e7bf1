import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request on its way to the server. */
export interface Passing {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Its response on the way back. */
export interface Passed {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Stands between clients and server. May send a different request, or respond itself. */
export type Between = (request: Passing, send: (request: Passing) => Promise<Passed>) => Promise<Passed>;

/**
 * Plants a fault between the real server and its clients, for one test.
 * @returns the address that clients must use.
 */
export async function standBetween(serverUrl: string, between: Between): Promise<string> {
  const proxy = createServer((request, response) => {
    void (async () => {
      const answer = await between(await passingOf(request), (passing) => sendOn(serverUrl, passing));
      response.writeHead(answer.status, answer.headers).end(answer.text);
    })();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

async function sendOn(serverUrl: string, { method, url, headers, body }: Passing): Promise<Passed> {
  const answer = await fetch(serverUrl + url, { method, headers, ...(body !== '' && { body }) });
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...kept } = Object.fromEntries(answer.headers);
  return { status: answer.status, headers: kept, text: await answer.text() };
}

/** Headers of the connection, which are not forwarded. */
const ofConnection = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'keep-alive']);

async function passingOf(request: IncomingMessage): Promise<Passing> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const headers = Object.entries(request.headers).filter(([name]) => !ofConnection.has(name));
  return {
    method: request.method!,
    url: request.url!,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    body: Buffer.concat(pieces).toString('utf8'),
  };
}

import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request as it came to the relay. */
export interface Relayed {
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
  body: Buffer;
}

/** A response as the server sent it. */
export interface RelayedAnswer {
  status: number;
  /** Names and values in turn. */
  headers: string[];
  body: Buffer;
}

/** The connection between clients and a server, under the control of a test. */
export interface Relay {
  url: string;
  stop(): Promise<void>;
}

/** Sends a request on and waits for the whole response. */
type Forward = (relayed: Relayed) => Promise<RelayedAnswer>;

/**
 * Stands between clients and a server, over HTTP.
 * @param treat returns the response that the client gets, or null if it has handled the connection itself.
 */
export async function startRelay(
  target: string,
  treat: (relayed: Relayed, forward: Forward, client: Socket) => Promise<RelayedAnswer | null>,
): Promise<Relay> {
  const server = createServer((incoming, outgoing) => {
    const client = incoming.socket;
    void bytesOf(incoming)
      .then((body) => {
        const relayed = { method: incoming.method!, path: incoming.url!, headers: incoming.headers, body };
        return treat(relayed, (asked) => forwardTo(target, asked), client);
      })
      .then((answer) => answer && outgoing.writeHead(answer.status, answer.headers).end(answer.body))
      .catch(() => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forwardTo(target: string, { method, path, headers, body }: Relayed): Promise<RelayedAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(target + path, { method, headers, agent: false }, (incoming) => {
      bytesOf(incoming).then((answer) => resolve(answerOf(incoming, answer)), reject);
    });
    sent.on('error', reject).end(body);
  });
}

/** Drops the headers of the server's connection. The client's connection is another one, which is kept open. */
function answerOf({ statusCode, rawHeaders }: IncomingMessage, body: Buffer): RelayedAnswer {
  const isOfConnection = (_: string, at: number): boolean =>
    /^(connection|keep-alive)$/i.test(rawHeaders[at - (at % 2)]!);
  return { status: statusCode!, headers: rawHeaders.filter((text, at) => !isOfConnection(text, at)), body };
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

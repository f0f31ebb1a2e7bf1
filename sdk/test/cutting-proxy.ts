import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface CuttingProxy {
  url: string;
  /** The number of connections that were cut. */
  readonly cuts: number;
}

/** Cuts a connection before the server gets the request. */
export const beforeRequest = -1;

/**
 * Starts a proxy for one test that cuts connections. During a response, the server has done its work.
 *
 * @param allowedBytes is called for each piece of a request. Returns the number of bytes that pass before the
 * cut, `beforeRequest`, or null for no change.
 */
export async function startCuttingProxy(
  target: string,
  allowedBytes: (request: string) => number | null,
): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let left = Number.POSITIVE_INFINITY;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes: Buffer) => {
      left = allowedBytes(bytes.toString('latin1')) ?? left;
      if (left !== beforeRequest) return void upstream.write(bytes);
      cuts++;
      client.destroy();
    });
    upstream.on('data', (received: Buffer) => {
      // A stream that is to be cut soon is resumed soon. The number keeps its width, so that the chunk does.
      const bytes = Buffer.from(received.toString('latin1').replace('retry: 1000\n', 'retry: 0001\n'), 'latin1');
      if (bytes.length < left) {
        left -= bytes.length;
        client.write(bytes);
        return;
      }
      cuts++;
      upstream.destroy();
      client.end(bytes.subarray(0, left));
      left = 0;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cuts() {
      return cuts;
    },
  };
}

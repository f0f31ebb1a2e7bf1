import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { memberOf } from '../../external-services/signatures.ts';

/** A callback as it arrived. */
export interface ReceivedCallback {
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** By the clock of the process, which only goes forward. */
  atMs: number;
  /** By the world's clock, in seconds since the Unix epoch. */
  atSeconds: number;
}

/** Returns the status for a callback, when it is to be sent. */
type Behavior = (callback: ReceivedCallback, number: number) => Promise<number> | number;

/** Bytes. No callback is longer. */
const bodyBytesMax = 64 * 1024;

/** Receives callbacks in the place of Tenure. The rules say how it answers those of their orders. Others get 200. */
export class CallbackReceiver {
  /** In the order of arrival. */
  readonly received: ReceivedCallback[] = [];
  readonly url: string;
  readonly #server;
  readonly #behaviors = new Map<string, Behavior>();
  readonly #waiting = new Set<() => void>();

  private constructor(
    server: ReturnType<typeof createServer>,
    { url, nowSeconds }: { url: string; nowSeconds: () => number },
  ) {
    this.#server = server;
    this.url = url;
    server.on('request', (request, response) => {
      this.#take(request, response, nowSeconds).catch(() => response.destroy());
    });
  }

  /**
   * Starts to listen.
   *
   * @param options.publicUrl the address under which services reach it; its own without one.
   */
  static async start(options: {
    host: string;
    port: number;
    publicUrl: string | null;
    nowSeconds: () => number;
  }): Promise<CallbackReceiver> {
    const server = createServer();
    server.listen(options.port, options.host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = options.publicUrl ?? `http://${options.host}:${port}/provider_callbacks`;
    return new CallbackReceiver(server, { url, nowSeconds: options.nowSeconds });
  }

  /** Sets how it answers the callbacks about an order. */
  behave(key: string, behavior: Behavior): void {
    this.#behaviors.set(key, behavior);
  }

  /** Returns the callbacks about an order so far. */
  about(key: string): ReceivedCallback[] {
    return this.received.filter(({ body }) => memberOf(body, 'clientReferenceId') === key);
  }

  /** Waits for a callback about an order. Resolves to null if none comes in time. */
  async wait(
    key: string,
    isWanted: (callback: ReceivedCallback) => boolean,
    timeoutMs: number,
  ): Promise<ReceivedCallback | null> {
    const untilMs = performance.now() + timeoutMs;
    for (;;) {
      const found = this.about(key).find((each) => isWanted(each));
      if (found) return found;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return null;
      await this.#nextOne(leftMs);
    }
  }

  async stop(): Promise<void> {
    const stopped = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await stopped;
  }

  async #nextOne(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, timeoutMs);
      const waiting = this.#waiting;
      waiting.add(done);
      function done(): void {
        clearTimeout(timer);
        waiting.delete(done);
        resolve();
      }
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse, nowSeconds: () => number): Promise<void> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length <= bodyBytesMax) chunks.push(chunk);
    }
    const callback = {
      headers: request.headers,
      body: Buffer.concat(chunks),
      atMs: performance.now(),
      atSeconds: nowSeconds(),
    };
    this.received.push(callback);
    for (const done of this.#waiting) done();
    const key = memberOf(callback.body, 'clientReferenceId') ?? '';
    const status = await (this.#behaviors.get(key)?.(callback, this.about(key).length) ?? 200);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"received":true}');
  }
}

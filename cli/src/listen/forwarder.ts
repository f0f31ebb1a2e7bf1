import { Agent as HttpAgent, request as httpRequest, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** The result of an attempt. Without a status, `error` says why. */
export interface Reply {
  status: number | null;
  error: string | null;
}

/** Seconds until an attempt ends. Time in which this machine sleeps, or this process is stopped, does not count. */
const timeoutSeconds = 30;

/** Bytes of a response that are read. Then its status counts, and the connection is closed. */
const readBytesMax = 64 * 1024;

/** Connections to the receiver, one for each attempt at once. */
export const attemptsAtOnce = 8;

/** Posts to the local receiver. It follows no redirects. */
export class Forwarder {
  readonly #url: URL;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #tickMs: number;

  /** @param tickMs one second, but for tests. */
  constructor(url: URL, tickMs = 1_000) {
    this.#url = url;
    this.#tickMs = tickMs;
    const options = { keepAlive: true, maxSockets: attemptsAtOnce };
    this.#agent = url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** Posts once. Never rejects. */
  async post(headers: Record<string, string>, body: Buffer): Promise<Reply> {
    // The receiver closed an idle connection just then, and has not read the request. After a sleep, it has closed all of them.
    for (;;) {
      const reply = await this.#post(headers, body);
      if (reply !== 'stale') return reply;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #post(headers: Record<string, string>, body: Buffer): Promise<Reply | 'stale'> {
    return new Promise((resolve) => {
      let status: number | null = null;
      let seconds = 0;
      let isSettled = false;
      const settle = (reply: Reply | 'stale'): void => {
        if (isSettled) return;
        isSettled = true;
        clearInterval(ticking);
        resolve(reply);
      };
      // One long timer would end at once after a pause, although the response has come.
      const ticking = setInterval(() => {
        if (++seconds < timeoutSeconds) return;
        settle({ status, error: `no response in ${timeoutSeconds} s` });
        request.destroy();
      }, this.#tickMs);
      const send = this.#url.protocol === 'https:' ? httpsRequest : httpRequest;
      let request: ClientRequest;
      try {
        request = send(this.#url, {
          method: 'POST',
          agent: this.#agent,
          headers: {
            host: this.#url.host,
            connection: 'keep-alive',
            ...headers,
            'content-length': String(body.length),
          },
        });
      } catch (error) {
        // HTTP cannot send a header such as an id with a line end.
        return settle({ status, error: reasonOf(error) });
      }
      request.on('response', (response) => {
        status = response.statusCode!;
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes < readBytesMax) return;
          settle({ status, error: null });
          request.destroy();
        });
        response.on('end', () => settle({ status, error: null }));
        response.on('error', (error) => settle({ status, error: reasonOf(error) }));
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && status === null && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
        settle(isStale ? 'stale' : { status, error: reasonOf(error) });
      });
      request.end(body);
    });
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  EPIPE: 'connection closed',
  ENOTFOUND: 'unknown host',
  ETIMEDOUT: 'no connection',
};

function reasonOf(error: unknown): string {
  const { code = '', message, errors } = error as NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] };
  // A name with several addresses has an error for each.
  const first = code || (errors?.[0]?.code ?? '');
  return reasons[first] ?? (message || first);
}

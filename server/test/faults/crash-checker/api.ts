import { Agent, request } from 'node:http';
import type { Answered, CallResult, Operation } from './history.ts';
import type { JsonObject } from './json.ts';

/** Longer than the server itself tries to learn the outcome of a commit, so that its result arrives. */
const answerTimeoutMs = 45_000;

export type Request = Pick<Operation, 'method' | 'path' | 'body' | 'key'>;

/** Sends requests unchanged, without retries, and returns every result. */
export class Api {
  readonly #urls: readonly string[];
  readonly #secretKey: string;
  readonly #agent = new Agent({ keepAlive: true });

  #sent = 0;

  /** @param urls of one API. Several processes take turns. */
  constructor(urls: readonly string[], secretKey: string) {
    this.#urls = urls;
    this.#secretKey = secretKey;
  }

  send({ method, path, body, key }: Request): Promise<CallResult> {
    const bytes = body === null ? '' : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${this.#secretKey}`,
      ...(body !== null && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'content-length': Buffer.byteLength(bytes) }),
      ...(key !== null && { 'idempotency-key': key }),
    };
    const url = this.#urls[this.#sent++ % this.#urls.length]! + path;
    return new Promise((resolve) => {
      const unanswered = (error: NodeJS.ErrnoException): void =>
        resolve({ kind: 'unanswered', reason: error.code ?? error.message });
      const signal = AbortSignal.timeout(answerTimeoutMs);
      const sent = request(url, { method, headers, agent: this.#agent, signal }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', unanswered);
        response.on('end', () => resolve(answerOf(response.statusCode!, response.headers, Buffer.concat(pieces))));
      });
      sent.on('error', unanswered);
      sent.end(bytes);
    });
  }

  /** @throws unless the response is 200. Reading back happens after all faults have ended. */
  async read(path: string): Promise<JsonObject> {
    const result = await this.send({ method: 'GET', path, body: null, key: null });
    if (result.kind === 'answered' && result.status === 200) return JSON.parse(result.text) as JsonObject;
    throw new Error(`GET ${path} failed: ${JSON.stringify(result)}`);
  }

  close(): void {
    this.#agent.destroy();
  }
}

function answerOf(status: number, headers: Record<string, string | string[] | undefined>, bytes: Buffer): Answered {
  const header = (name: string): string | null => headers[name]?.toString() ?? null;
  return {
    kind: 'answered',
    status,
    requestId: header('request-id') ?? '',
    version: header('service-version') ?? '',
    replayed: header('idempotent-replayed') === 'true',
    originalRequest: header('original-request'),
    text: bytes.toString('utf8'),
  };
}

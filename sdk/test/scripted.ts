import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import { freePort } from '../../server/test/support/free-port.ts';
import { Tenure, type ApiVersion, type Fetch, type TenureConfig } from '../src/index.ts';

/** A key of the form of a real one. No server has it. */
export const testKey = 'sk_test_0123456789abcdefghijABCDEFGHIJ01234567';

/** A response, or how the attempt fails. */
export type Step =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | Error
  | ((init: RequestInit) => Promise<Response>);

export interface SentRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: RequestInit['body'];
  redirect: string | undefined;
  atMs: number;
}

/** Returns a client whose requests get these responses, and the list of what it sends. The last response repeats. */
export function scripted(
  steps: Step[],
  config: TenureConfig<ApiVersion> = {},
): { tenure: Tenure; sent: SentRequest[]; keys: () => (string | undefined)[] } {
  const sent: SentRequest[] = [];
  const fetch: Fetch = async (url, init) => {
    sent.push({
      method: init.method!,
      url,
      headers: init.headers as Record<string, string>,
      body: init.body,
      redirect: init.redirect,
      atMs: Date.now(),
    });
    const step = steps[Math.min(sent.length, steps.length) - 1]!;
    if (step instanceof Error) throw step;
    if (typeof step === 'function') return step(init);
    const { status = 200, headers = {}, body = {} } = step;
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json', ...headers },
    });
  };
  const tenure = new Tenure({ apiKey: testKey, fetch, ...config }) as Tenure;
  return { tenure, sent, keys: () => sent.map(({ headers }) => headers['idempotency-key']) };
}

/**
 * Fakes the clock, and the timers that the SDK or a test of it sets, for one test. Other files of the same process keep their own timers.
 * A fake timer of theirs that repeats would fire thousands of times.
 */
export function fakeTimersOfSdk(): void {
  const real = { setTimeout, clearTimeout };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const fake = { setTimeout, clearTimeout };
  const ofSdk = new Set<unknown>();
  globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
    if (!/\/sdk\/(src\/|test\/[\w-]+\.test\.)/.test(new Error('stack').stack!)) return real.setTimeout(...args);
    const timer = fake.setTimeout(...args);
    ofSdk.add(timer);
    return timer;
  }) as typeof setTimeout;
  globalThis.clearTimeout = (timer) => (ofSdk.has(timer) ? fake : real).clearTimeout(timer);
}

/**
 * Fires timers of the fake clock, one at a time, until a call has ended.
 *
 * @returns the error of the call, or null.
 */
export async function errorOf(calling: PromiseLike<unknown>): Promise<unknown> {
  const ended: { error: unknown }[] = [];
  void calling.then(
    () => ended.push({ error: null }),
    (error: unknown) => ended.push({ error }),
  );
  while (ended.length === 0) await vi.advanceTimersToNextTimerAsync();
  return ended[0]!.error;
}

/** Returns the body of an error as the server sends it. */
export function errorBody(type: string, code: string): { error: Record<string, string> } {
  return { error: { type, code, message: `It failed with ${code}.`, doc_url: 'http://x/docs', request_id: 'req_1' } };
}

/** Starts an HTTP server for one test. */
export async function httpServer(
  respond: (request: IncomingMessage & { headers: IncomingHttpHeaders }, response: ServerResponse) => void,
): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    respond(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Returns an address where no server listens. */
export async function unusedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

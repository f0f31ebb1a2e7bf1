import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeKey } from '../../src/core/secrets/api-keys.ts';
import { heapBytes } from '../support/heap.ts';
import { exchange } from '../support/raw-http.ts';
import { inParallel } from '../support/routes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { tracesOf } from '../support/traces.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('refused requests', () => {
  const requestsPerRound = 744;
  const rounds = 7;
  /** A tenth of the average request, in bytes. A measurement is accurate to about 2 kB. */
  const keptBytesMax = 5_000;

  test('keeps nothing of refused requests in memory', async () => {
    const agent = new Agent({ connections: 16 });
    onTestFinished(() => agent.close());
    let sentBytes = 0;
    const statuses = new Set<number>();
    const refuse = async (index: number): Promise<void> => {
      const { method = 'POST', path = '/v1/references', key = server.secretKey, headers = {}, body } = refusable(index);
      sentBytes += body?.length ?? 0;
      const answer = await agent.request({
        origin: server.url,
        method,
        path,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body }),
      });
      await answer.body.dump();
      statuses.add(answer.statusCode);
      // Only every tenth time, because it needs a connection of its own.
      if (index % 10 === 0) await exchange(server, `garbage ${randomUUID()}\r\n\r\n`);
    };
    const before = await tracesOf(server);
    const rssBefore = process.memoryUsage().rss;
    const keptBytes = await bytesKeptOf(refuse);
    const rssMegabytes = Math.round((process.memoryUsage().rss - rssBefore) / 1e6);
    expect(statuses).toEqual(new Set([400, 401, 403, 404, 405, 413, 415]));
    expect(await tracesOf(server)).toEqual(before);
    expect(keptBytes).toBeLessThan(keptBytesMax);
    expect(sentBytes).toBeGreaterThan(200_000_000);
    expect(rssMegabytes).toBeLessThan(400);
    process.stdout.write(
      `memory: ${rounds * requestsPerRound} requests refused, ${Math.round(sentBytes / 1e6)} MB of bodies: ${Math.round(keptBytes)} B more kept for each, ${rssMegabytes} MB more resident\n`,
    );
  });

  test('notices memory that requests leave behind', async () => {
    const kept: object[] = [];
    const keptBytes = await bytesKeptOf(async (index) => void kept.push({ index, known: randomBytes(10_000) }));
    expect(kept.length).toBe(rounds * requestsPerRound);
    expect(keptBytes).toBeGreaterThan(keptBytesMax);
  });

  /** Returns how many bytes each call leaves behind. The first round compiles and caches. Uncollected garbage comes and goes. */
  async function bytesKeptOf(work: (index: number) => Promise<void>): Promise<number> {
    const heap: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const indexes = Array.from({ length: requestsPerRound }, (_, index) => round * requestsPerRound + index);
      await inParallel(indexes, 16, work);
      // Closed connections are released a moment later.
      await delay(100);
      heap.push(Math.min(heapBytes(), heapBytes()));
    }
    return (Math.min(...heap.slice(4)) - Math.min(...heap.slice(1, 4))) / (3 * requestsPerRound);
  }
});

test('keeps no body in memory when its connection stays open after the response', async () => {
  const small = Buffer.from('{"application":"app_1"}');
  const large = Buffer.from(`{"application":"app_1"${' '.repeat(30_000)}}`);
  expect(await moreKept((body) => postAndStay(body), small, large)).toBeLessThan(large.length / 4);
});

test.each([
  ['a valid body', 200, '{"application":"app_1"}'],
  // The server discards the body after its response.
  ['a refused body', 415, '{"application":"app_1"}'],
])('keeps no headers in memory when the connection of %s stays open', async (_, status, body) => {
  const type = status === 415 ? 'text/plain' : 'application/json';
  const send = (headers: string[]): Promise<void> =>
    postAndStay(Buffer.from(body), { headers: [`Content-Type: ${type}`, ...headers], status });
  const many = Array.from({ length: 90 }, (__, index) => `X-Header-${index}: ${'a'.repeat(140)}`);
  expect(await moreKept(send, [], many)).toBeLessThan(many.join().length / 4);
});

/** Returns how many more bytes a connection keeps of what is large, compared to what is small. */
async function moreKept<T>(sendAndStay: (sent: T) => Promise<void>, small: T, large: T): Promise<number> {
  const connections = 100;
  const keptBytes = async (sent: T): Promise<number> => {
    const before = heapBytes();
    for (let index = 0; index < connections; index++) await sendAndStay(sent);
    return (heapBytes() - before) / connections;
  };
  // The server works on other things, too. What a request leaves behind, it leaves each time.
  const leastOf = async (sent: T): Promise<number> =>
    Math.min(await keptBytes(sent), await keptBytes(sent), await keptBytes(sent));
  // The first round compiles. A connection takes memory too, but not more for a larger request.
  await keptBytes(large);
  const ofSmall = await leastOf(small);
  return (await leastOf(large)) - ofSmall;
}

/** Sends a body on a new connection, and leaves it open. */
async function postAndStay(
  body: Buffer,
  { headers = ['Content-Type: application/json'], status = 200 }: { headers?: string[]; status?: number } = {},
): Promise<void> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const head = ['POST /v1/references HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${server.secretKey}`];
  head.push(...headers, `Content-Length: ${body.length}`);
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
}

interface Refusable {
  method?: 'GET' | 'POST' | 'DELETE';
  path?: string;
  key?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Returns a request of one of the refused kinds, with unique content. */
function refusable(index: number): Refusable {
  const { ids } = server.context;
  const unique = randomUUID();
  const large = unique.repeat(4_000);
  const kinds: Refusable[] = [
    { key: makeKey('secret', 'sandbox', randomBytes) },
    { key: unique },
    { headers: { 'service-context': ids.make('acct') } },
    { headers: { 'service-version': unique } },
    { headers: { 'idempotency-key': `${unique}é` }, body: '{"application":"app_1"}' },
    { headers: { 'content-type': `text/${unique}` }, body: large },
    { headers: { 'content-encoding': unique }, body: large },
    { path: `/v1/${unique}` },
    { method: 'DELETE', path: `/v1/references/${unique}` },
    { method: 'GET', path: `/v1/references/${unique}` },
    { method: 'GET', path: `/v1/references/${ids.make('ref')}` },
    { method: 'GET', path: `/v1/references?${unique}=1` },
    { method: 'GET', path: `/v1/references?customer=${'x'.repeat(10_000)}-${unique}` },
    { method: 'GET', path: `/v1/references?expand=${unique}` },
    { path: `/v1/references/%zz${unique}` },
    { body: `{"${large}":1}` },
    { body: `{"application":"${large}"}` },
    { body: `{"application":"app_1","metadata":{"${large}":"x"}}` },
    { body: `{"application":"app_1","${unique}":"${unique}"}` },
    { body: `[${`["${unique}",`.repeat(30)}` },
    { body: `{"a":${'['.repeat(100_000)}` },
    { body: `${large} no JSON` },
    { body: `{"a":"${unique}","a":1}` },
    { body: large.repeat(3) },
  ];
  return kinds[index % kinds.length]!;
}

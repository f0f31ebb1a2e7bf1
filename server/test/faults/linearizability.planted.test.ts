import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { serverForTest } from '../support/server.ts';
import { Api } from './crash-checker/api.ts';
import { newSeed } from './crash-checker/checker.ts';
import { isObject, parseObject } from './crash-checker/json.ts';
import { Random } from './crash-checker/random.ts';
import { judge, play, type Failure } from './linearizability/load.ts';

/*
 * The linearizability checker is shown the real server, once as it is and once with a fault between it and the clients, of the kind
 * that a cache or a careless handler makes.
 */

interface Passing {
  method: string;
  url: string;
  body: string;
  key: string | null;
}

interface Passed {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Stands between clients and server, and may send on something else, or answer itself. */
type Between = (request: Passing, send: (request: Passing) => Promise<Passed>) => Promise<Passed>;

const operations = 600;

/** Some seconds, beside nothing else. */
const timeoutMs = 90_000;

test(
  'the server itself: one order explains every answer',
  async () => {
    expect(await failuresWith((request, send) => send(request))).toEqual([]);
  },
  timeoutMs,
);

test(
  'a read that is answered from a cache, 200 ms old at most, is found',
  async () => {
    const cache = new Map<string, { passed: Passed; atMs: number }>();
    const failures = await failuresWith(async (request, send) => {
      if (request.method !== 'GET') return send(request);
      const cached = cache.get(request.url);
      if (cached && performance.now() - cached.atMs < 200) return cached.passed;
      const passed = await send(request);
      cache.set(request.url, { passed, atMs: performance.now() });
      return passed;
    });
    expectFound(failures);
  },
  timeoutMs,
);

test(
  'an update that is answered and not carried out is found',
  async () => {
    let swallowed = 0;
    const failures = await failuresWith(async (request, send) => {
      const { metadata, ...others } = parseObject(request.body) ?? {};
      if (!isObject(metadata) || Object.keys(others).length > 0 || request.key !== null) return send(request);
      const shown = await send({ ...request, method: 'GET', body: '' });
      const reference = parseObject(shown.text)!;
      swallowed++;
      return {
        ...shown,
        text: JSON.stringify({ ...reference, metadata: { ...(reference.metadata as object), ...metadata } }),
      };
    });
    expect(swallowed).toBeGreaterThan(0);
    expectFound(failures);
  },
  timeoutMs,
);

test(
  'a key whose second use is carried out anew is found',
  async () => {
    let uses = 0;
    expectFound(
      await failuresWith((request, send) =>
        send({ ...request, key: request.key === null ? null : `${request.key} ${uses++}` }),
      ),
    );
  },
  timeoutMs,
);

function expectFound(failures: Failure[]): void {
  expect(failures.map(({ verdict }) => verdict)).toContain('not_linearizable');
  // The answer that cannot be, and at least what it contradicts.
  for (const { smallest } of failures.slice(0, 1)) expect(smallest.length).toBeGreaterThan(1);
}

/** What is found in some hundred operations through this. */
async function failuresWith(between: Between): Promise<Failure[]> {
  const server = await serverForTest();
  const send = async ({ method, url, body, key }: Passing): Promise<Passed> => {
    const headers = {
      authorization: `Bearer ${server.secretKey}`,
      'content-type': 'application/json',
      ...(key !== null && { 'idempotency-key': key }),
    };
    const answer = await fetch(server.url + url, { method, headers, ...(body !== '' && { body }) });
    const answered = Object.fromEntries(answer.headers);
    // What stands between may make the text longer.
    delete answered['content-length'];
    return { status: answer.status, headers: answered, text: await answer.text() };
  };
  const proxy = createServer((request, response) => {
    void (async () => {
      const { status, headers, text } = await between(await passingOf(request), send);
      response.writeHead(status, headers).end(text);
    })();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const api = new Api(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, server.secretKey);
  onTestFinished(() => {
    api.close();
    proxy.close();
  });
  const seed = newSeed();
  const failures = judge(await play({ apis: [api], operations, random: new Random(`seed ${seed}`) }));
  process.stdout.write(`linearizability: seed ${seed}, ${failures.length} references that no order explains\n`);
  return failures;
}

async function passingOf(request: IncomingMessage): Promise<Passing> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return {
    method: request.method!,
    url: request.url!,
    body: Buffer.concat(pieces).toString('utf8'),
    key: request.headers['idempotency-key']?.toString() ?? null,
  };
}

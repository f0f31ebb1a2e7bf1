import { expect, onTestFinished, test } from 'vitest';
import { standBetween, type Between, type Passed } from '../support/faulty-proxy.ts';
import { serverForTest } from '../support/server.ts';
import { Api } from './crash-checker/api.ts';
import { newSeed } from './crash-checker/checker.ts';
import { isObject, parseObject } from './crash-checker/json.ts';
import { Random } from './crash-checker/random.ts';
import { judge, play, type Failure } from './linearizability/load.ts';

/*
 * Tests the linearizability checker with the real server, first unchanged and then with a planted fault in between. The faults are those of
 * a cache or a careless handler.
 */

const operations = 600;

test('finds one order for every response of the real server', async () => {
  expect(await failuresWith((request, send) => send(request))).toEqual([]);
});

test('reports a read that comes from a cache of at most 200 ms', async () => {
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
});

test('reports an update that is confirmed and not executed', async () => {
  let swallowed = 0;
  const failures = await failuresWith(async (request, send) => {
    const { metadata, ...others } = parseObject(request.body) ?? {};
    const isMetadataAlone = isObject(metadata) && Object.keys(others).length === 0;
    if (!isMetadataAlone || request.headers['idempotency-key'] !== undefined) return send(request);
    const shown = await send({ ...request, method: 'GET', body: '' });
    const reference = parseObject(shown.text)!;
    const merged = { ...(reference.metadata as object), ...metadata };
    swallowed++;
    return { ...shown, text: JSON.stringify({ ...reference, metadata: merged }) };
  });
  expect(swallowed).toBeGreaterThan(0);
  expectFound(failures);
});

test('reports a key whose second use is executed again', async () => {
  let uses = 0;
  const failures = await failuresWith((request, send) => {
    const { 'idempotency-key': key, ...headers } = request.headers;
    if (key === undefined) return send(request);
    return send({ ...request, headers: { ...headers, 'idempotency-key': `${key} ${uses++}` } });
  });
  expectFound(failures);
});

function expectFound(failures: Failure[]): void {
  expect(failures.map(({ verdict }) => verdict)).toContain('not_linearizable');
  // The impossible response, and at least one that it contradicts.
  expect(failures[0]!.smallest.length).toBeGreaterThan(1);
}

/** Returns what is found in some hundred operations through this. */
async function failuresWith(between: Between): Promise<Failure[]> {
  const server = await serverForTest();
  const api = new Api([await standBetween(server.url, between)], server.secretKey);
  onTestFinished(() => api.close());
  const seed = newSeed();
  const failures = judge(await play({ apis: [api], operations, random: new Random(`seed ${seed}`) }));
  process.stdout.write(`linearizability: seed ${seed}, ${failures.length} references that no order explains\n`);
  return failures;
}

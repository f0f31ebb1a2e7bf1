import { expect, onTestFinished, test, vi } from 'vitest';
import { multiplyEvents } from '../../server/test/events/scenario.ts';
import { serverForTest } from '../../server/test/support/server.ts';
import { addAccount } from '../../server/test/support/tenants.ts';
import { Tenure } from '../src/index.ts';
import { beforeRequest, startCuttingProxy } from './cutting-proxy.ts';

const cuts = 1_000;

/** Calls at once. */
const clients = 10;

test('makes one record for each POST when 1,000 connections are cut before, after and within the response', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const server = await serverForTest();
  const keys = new Set<string>();
  const proxy = await startCuttingProxy(server.url, (request) => {
    const key = /^idempotency-key: (.*)\r$/im.exec(request)?.[1];
    if (key === undefined) return null;
    if (keys.has(key)) return Number.POSITIVE_INFINITY;
    keys.add(key);
    // One in four before the request, and one in four before the first byte of the response. The others move through the response.
    return keys.size % 4 === 0 ? beforeRequest : keys.size % 4 === 1 ? 0 : (keys.size * 7) % 500;
  });
  const tenure = new Tenure({ apiKey: server.secretKey, baseUrl: proxy.url, maxRetries: 5 });
  const answers: { id: string; replayed: boolean }[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < cuts) {
        const metadata = { number: String(next++) };
        const { data, replayed } = await tenure.references.create({ application: 'app_cut', metadata }).withResponse();
        answers.push({ id: data.id, replayed });
      }
    }),
  );
  expect(proxy.cuts).toBe(cuts);
  // Every request but those that were cut before the server got them was executed before the cut.
  expect(answers.filter(({ replayed }) => replayed)).toHaveLength((cuts * 3) / 4);
  const direct = new Tenure({ apiKey: server.secretKey, baseUrl: server.url });
  const made = await direct.references.list({ application: 'app_cut', limit: 50 }).toArray({ limit: cuts * 2 });
  expect(made.map(({ id }) => id).sort()).toEqual(answers.map(({ id }) => id).sort());
  expect(new Set(made.map(({ metadata }) => metadata.number)).size).toBe(cuts);
});

test('lists each of 10,000 records once, in order, while others are made', async () => {
  const server = await serverForTest();
  const tenant = await addAccount(server);
  const tenure = new Tenure({ apiKey: tenant.key, baseUrl: server.url });
  await tenure.references.create({ application: 'app_1' });
  await multiplyEvents(tenant, 9_999, server);
  const { rows } = await server.context.database.readers.query<{ id: string }>(
    'select id from events where account_id = $1 order by id desc',
    [tenant.accountId],
  );
  const before = rows.map(({ id }) => id);
  expect(before).toHaveLength(10_000);
  const listing = new AbortController();
  let made = 0;
  const making = (async (): Promise<void> => {
    while (!listing.signal.aborted) {
      await tenure.references.create({ application: 'app_1' });
      made++;
    }
  })();
  const seen: string[] = [];
  for await (const { id } of tenure.events.list({ limit: 50 })) seen.push(id);
  listing.abort();
  await making;
  expect(made).toBeGreaterThan(20);
  const old = new Set(before);
  expect(seen.filter((id) => old.has(id))).toEqual(before);
  expect(new Set(seen).size).toBe(seen.length);
});

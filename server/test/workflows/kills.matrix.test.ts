import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Killer, startTwo } from '../letting/killer.ts';
import { processesForTest } from '../support/processes.ts';
import { receiverForTest } from '../support/receiver.ts';
import { apiClient, good, type Api } from '../support/server.ts';

/* Two processes die by kill -9, again and again, while runs take their steps. */

/** With `TENURE_TEST_FULL`, these are some 40 kills. */
const customers = process.env.TENURE_TEST_FULL ? 200 : 30;
const clientCount = 4;

/** Longer than all runs need on a busy machine, in milliseconds. */
const patienceMs = 600_000;

/** Sends a request with one idempotency key, at either process, until it is carried out. */
async function insist(apis: readonly Api[], path: string, body: object): Promise<{ id: string }> {
  const key = randomUUID();
  for (let attempt = 0; attempt < 600; attempt++) {
    const answer = await apis[attempt % apis.length]!.post(path, body, { 'idempotency-key': key }).catch(() => null);
    if (answer?.status === 200) return answer.body;
    await delay(100);
  }
  throw new Error('No process has answered 600 times.');
}

interface Run {
  id: string;
  status: string;
  event: string;
  steps: { error: { code: string } | null }[];
}

/** Counts runs by their status, and by the error of the last step. */
function statusesOf(runs: readonly Run[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, steps } of runs) {
    const word = status === 'failed' ? `failed: ${steps.at(-1)?.error?.code}` : status;
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
}

/** Returns all records of a list. */
async function everyOne<Item extends { id: string }>(api: Api, path: string): Promise<Item[]> {
  const all: Item[] = [];
  for (;;) {
    const after: string = all.length === 0 ? '' : `&starting_after=${all.at(-1)!.id}`;
    const { data, has_more: hasMore } = (await good(api.get(`${path}?limit=50${after}`))).body;
    all.push(...data);
    if (!hasMore) return all;
  }
}

test('runs each workflow once, and has each effect once, when two processes are killed at random', async () => {
  const receiver = await receiverForTest();
  const processes = await processesForTest();
  const both = await startTwo(processes);
  const apis = both.map(({ url }) => apiClient(url, processes.secretKey));
  const workflow = await insist(apis, '/v1/workflows', {
    name: 'Each effect once',
    trigger: { type: 'customer.created' },
    steps: [
      {
        id: 'first',
        action: 'api',
        path: '/v1/references',
        body: { application: 'app_1', customer: '{{event.data.object.id}}' },
      },
      {
        id: 'second',
        action: 'api',
        path: '/v1/applications',
        body: { customers: ['{{event.data.object.id}}'], metadata: { first: '{{steps.first.output.id}}' } },
      },
      { id: 'tell', action: 'http', url: receiver.url, body: { customer: '{{event.data.object.id}}' } },
      { id: 'wait', action: 'wait', seconds: 1 },
      { id: 'third', action: 'api', path: '/v1/references/{{steps.first.output.id}}/cancel' },
    ],
    permissions: ['references.write', 'applications.write'],
  });
  await insist(apis, `/v1/workflows/${workflow.id}/activate`, {});
  const killer = new Killer(5, both);
  const made: string[] = [];
  const client = async (number: number): Promise<void> => {
    const own = number % 2 === 0 ? apis : apis.toReversed();
    for (let count = 0; count < customers / clientCount; count++) {
      made.push((await insist(own, '/v1/customers', { name: 'Ada' })).id);
      await killer.step();
    }
  };
  await killer.during(Promise.all(Array.from({ length: clientCount }, (_, number) => client(number))));
  expect(killer.kills).toBeGreaterThan(2);

  const [api] = apis as [Api, Api];
  let runs: Run[] = [];
  await expect
    .poll(
      async () => {
        runs = await everyOne<Run>(api, '/v1/workflow_runs');
        return statusesOf(runs);
      },
      { timeout: patienceMs, interval: 500 },
    )
    .toEqual({ succeeded: made.length });
  expect(runs.length).toBe(made.length);
  expect(new Set(runs.map(({ event }) => event)).size).toBe(made.length);
  const references = await everyOne<{ id: string; customer: string; status: string }>(api, '/v1/references');
  expect(references.map(({ customer }) => customer).toSorted()).toEqual(made.toSorted());
  expect(new Set(references.map(({ status }) => status))).toEqual(new Set(['canceled']));
  const applications = await everyOne<{ id: string; customers: string[] }>(api, '/v1/applications');
  expect(applications.flatMap(({ customers: own }) => own).toSorted()).toEqual(made.toSorted());
  // At least once: a repeated request has the same key.
  const keys = receiver.received.map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys)).toEqual(new Set(runs.map(({ id }) => `${id}/tell/0`)));
}, 3_000_000);

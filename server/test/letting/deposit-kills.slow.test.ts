import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { processesForTest } from '../support/processes.ts';
import { apiClient, type Api, type ApiResponse } from '../support/server.ts';
import { addDays } from '../../src/core/calendar.ts';
import { Agency } from './agency.ts';
import { anyOperation, openLet, playAsModeled } from './deposit-model.ts';
import { Killer, startTwo } from './killer.ts';

/** The operations of each client. With `TENURE_TEST_STEPS=1700`, these are 20,000 operations and 100 kills. */
const steps = Number(process.env.TENURE_TEST_STEPS ?? 40);
const clientCount = 12;
const operationsOfLet = 40;

/** Longer than two processes need to start again. */
const triesMax = 600;

/**
 * Returns a client that repeats each request with its idempotency key, at either process, until one responds. So each request is carried
 * out once, however often the processes are killed.
 */
function insistent(apis: readonly Api[]): Api {
  const until = async (send: (api: Api) => Promise<ApiResponse>): Promise<ApiResponse> => {
    for (let attempt = 0; attempt < triesMax; attempt++) {
      const answer = await send(apis[attempt % apis.length]!).catch(() => null);
      if (answer && ![409, 503].includes(answer.status)) return answer;
      await delay(100);
    }
    throw new Error(`No process has answered ${triesMax} times.`);
  };
  return {
    get: (path, headers) => until((api) => api.get(path, headers)),
    post(path, body, headers) {
      const key = randomUUID();
      return until((api) => api.post(path, body, { ...headers, 'idempotency-key': key }));
    },
    delete: (path, headers) => until((api) => api.delete(path, headers)),
  };
}

test('keeps every penny of deposits, and does each operation once, when two processes are killed at random', async () => {
  const processes = await processesForTest();
  const both = await startTwo(processes);
  const apis = both.map(({ url }) => apiClient(url, processes.secretKey));
  const { body: account } = await apis[0]!.get('/v1/account');
  const today = new Date().toISOString().slice(0, 10);
  const killer = new Killer(Math.max(50, (clientCount * steps) / 100), both);

  const client = async (number: number): Promise<void> => {
    const api = insistent(number % 2 === 0 ? apis : apis.toReversed());
    const counting: Api = {
      ...api,
      async post(path, body, headers) {
        const answer = await api.post(path, body, headers);
        await killer.step();
        return answer;
      },
    };
    const operations = fc.sample(anyOperation, { numRuns: steps, seed: number + 1 });
    for (let next = 0; next < steps; next += operationsOfLet) {
      const agency = new Agency(account.id, counting);
      const days = { today, start: addDays(today, 28) };
      await playAsModeled(await openLet(agency, days), operations.slice(next, next + operationsOfLet), null);
    }
  };
  await killer.during(Promise.all(Array.from({ length: clientCount }, (_, number) => client(number))));
  expect(killer.kills).toBeGreaterThan(4);
});

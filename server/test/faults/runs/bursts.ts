import { Api } from '../crash-checker/api.ts';
import { errorCodeOf, History, type Operation } from '../crash-checker/history.ts';
import { observe } from '../crash-checker/observe.ts';
import { Random } from '../crash-checker/random.ts';
import { judgeIdempotency } from '../idempotency-checker/judge.ts';
import { openSite } from '../site.ts';
import type { FaultReport, FaultRun, PlayOptions } from './fault-run.ts';
import type { Place } from './one-server.ts';

/** Fifty clients at once with one key, at two servers. One request is executed. The others get its response, or learn of their mistake. */
export const bursts: FaultRun = {
  name: 'bursts',
  title: '50 clients at once with one key, at two servers: with the same body, two bodies, or two paths',
  unit: 'bursts',
  sizes: { ci: 20, gate: 50, full: 500 },
  async play(size, options) {
    const site = await openSite({ servers: [{}, {}], settings: { TENURE_ROLE: 'api' } });
    try {
      for (const server of site.servers) await server.start();
      return await burst(site.servers, size, options);
    } finally {
      await site.close();
    }
  },
};

const clients = 50;

/** Sends the bursts one after the other, then each wish once more to each server. Reads everything back and judges it. */
export async function burst(
  places: readonly Place[],
  size: number,
  { seed, print }: PlayOptions,
): Promise<FaultReport> {
  const apis = places.map(({ url, secretKey }) => new Api([url], secretKey));
  const history = new History();
  const random = new Random(`bursts, seed ${seed}`);
  const send = (operation: Operation, api: Api): Promise<unknown> =>
    history.record(operation, () => api.send(operation));
  try {
    for (let number = 1; number <= size; number++) {
      const own = random.fork(`burst ${number}`);
      const wishes = wishesOf(number, history);
      await Promise.all(Array.from({ length: clients }, () => send(own.pick(wishes)!, own.pick(apis)!)));
      for (const wish of wishes) for (const api of apis) await send(wish, api);
      if (number % 100 === 0) print(`${number} of ${size} bursts`);
    }
    const violations = judgeIdempotency(history.operations, await observe(apis[0]!, [], 0), []);
    return { done: size, counts: countsOf(history), violations };
  } finally {
    for (const api of apis) api.close();
  }
}

/** Returns the wishes of a burst with its key: one wish, two different bodies, or two different paths. */
function wishesOf(number: number, history: History): Operation[] {
  const key = `burst ${number}`;
  const shared = { round: number, method: 'POST', key } as const;
  const reference = (id: string): Operation =>
    history.add({
      id,
      kind: 'create_reference',
      path: '/v1/references',
      body: { application: 'app_1', metadata: { made_by: id } },
      ...shared,
    });
  const customer = (id: string): Operation =>
    history.add({
      id,
      kind: 'create_customer',
      path: '/v1/customers',
      body: { name: 'Ada Tenant', metadata: { made_by: id } },
      ...shared,
    });
  switch (number % 3) {
    case 0:
      return [reference(key)];
    case 1:
      return [reference(key), reference(`${key}, other body`)];
    default:
      return [reference(key), customer(`${key}, other path`)];
  }
}

function countsOf({ operations }: History): Record<string, number> {
  const counts: Record<string, number> = {
    requests: 0,
    executed: 0,
    replays: 0,
    '409 in use': 0,
    '400 reused': 0,
    '503': 0,
  };
  for (const { result } of operations.flatMap(({ calls }) => calls)) {
    counts.requests!++;
    if (result.kind === 'unanswered') continue;
    const code = errorCodeOf(result);
    if (code === 'idempotency_key_in_use') counts['409 in use']!++;
    else if (code === 'idempotency_key_reused') counts['400 reused']!++;
    else if (result.status === 503) counts['503']!++;
    else if (result.replayed) counts.replays!++;
    else if (result.status === 200) counts.executed!++;
  }
  return counts;
}

import { emptyBaseline, startBaseline } from './baseline-server.ts';
import type { Server } from './deployment.ts';
import { startArrivals } from './load/arrivals.ts';
import { runLoad, type LoadResult } from './load/wrk.ts';
import { requestBody } from './sample.ts';
import { inTurn, median, ratio, verify, type Bench, type Reading, type Suite } from './suite.ts';

/** Seconds. Few, so that both loads of a pair meet the same state of the machine. */
const loadSeconds = 1;
const pairs = 4;

/** Longer, because there is only one pair. */
const purgePairs = 1;
const purgeSeconds = 2;

/** Unmeasured runs of both kinds of load. Otherwise the kind that is compiled last would seem expensive. */
const warmUps = 1;

/** Seconds. Loads that measure latency are longer, because a p99 is of few requests. Their connections are new. */
const openLoad = { warmUpSeconds: 1, seconds: 2 };

/** The share of each pair's maximum at which latency is measured. */
const share = 0.7;

/** More keys than connections, so that no two concurrent requests have the same one. */
const repeatedKeys = 1_000;

/** More than the purge can delete during the measurement: it uses a tenth of the time. */
const keptCount = 200_000;

/** Measures the cost of an Idempotency-Key, and the cost for other requests of deleting old keys. */
export const idempotency: Suite<'keyed' | 'replayed' | 'purging' | 'purgingP99'> = {
  name: 'idempotency',
  roundsMax: 2,
  figures: {
    keyed: {
      title: 'POST with a key, against POST without',
      unit: 'times',
      better: 'more',
      floor: 0.85,
      aim: 0.95,
      needs: ['wrk'],
    },
    replayed: {
      title: 'POST with a key again, against the first time',
      unit: 'times',
      better: 'more',
      floor: null,
      aim: null,
      needs: ['wrk'],
    },
    purging: {
      title: 'POST while 200,000 old keys are deleted, against POST beside as many young ones',
      unit: 'times',
      better: 'more',
      floor: 0.9,
      aim: null,
      needs: ['wrk'],
    },
    // It has no limit: the p99 of one pair of loads depends on the machine more than on the product.
    purgingP99: {
      title: 'the same at 70 % of the maximum, p99',
      unit: 'times',
      better: 'less',
      floor: null,
      aim: null,
      needs: ['wrk'],
    },
  },
  async round(bench, round) {
    const keyed: Reading[] = [];
    const purging: Reading[] = [];
    const purgingP99: number[] = [];
    const server = await started(bench, 'none');
    for (let run = 0; run < warmUps; run++) await load(bench, server, { KEYS: 'none' }).then(() => load(bench, server));
    // Alternate many times on one server, so that changes of the machine affect both.
    for (let pair = 0; pair < pairs; pair++) {
      const perSecond = await inTurn(round + pair, {
        plain: async () => (await load(bench, server, { KEYS: 'none' })).requestsPerSecond,
        keyed: async () => (await load(bench, server)).requestsPerSecond,
      });
      keyed.push(ratio(perSecond.keyed, perSecond.plain));
    }
    const replayed = await measureReplays(bench, server, middleOf(keyed).ours!);
    await server.stop();
    const perSecondOpen = middleOf(keyed).ours! * share;
    for (let pair = 0; pair < purgePairs; pair++) {
      const p99Ms: Partial<Record<'quiet' | 'purging', number>> = {};
      const measure = (name: keyof typeof p99Ms, kept: 'young' | 'old') => async (): Promise<number> => {
        const fresh = await started(bench, kept);
        const { requestsPerSecond } = await load(bench, fresh, {}, purgeSeconds);
        const requests = { method: 'POST', body: requestBody } as const;
        const client = await startArrivals(bench.deployment, fresh.url, requests, round + pair);
        p99Ms[name] = (await client.atRate(perSecondOpen, openLoad)).p99Ms;
        await verifyPurge(bench, kept);
        await client.stop();
        await fresh.stop();
        return requestsPerSecond;
      };
      const perSecond = await inTurn(round + pair, {
        quiet: measure('quiet', 'young'),
        purging: measure('purging', 'old'),
      });
      purging.push(ratio(perSecond.purging, perSecond.quiet));
      purgingP99.push(p99Ms.purging! / p99Ms.quiet!);
    }
    return {
      keyed: middleOf(keyed),
      replayed,
      purging: middleOf(purging),
      purgingP99: { value: median(purgingP99) },
    };
  },
};

/** Measures the rate of replayed responses, and the baseline's. No request is executed again. */
async function measureReplays(bench: Bench, server: Server, first: number): Promise<Reading> {
  const { deployment } = bench;
  const { database } = deployment;
  const measure = async ({ url }: Server, schema: string): Promise<number> => {
    const countOf = async (rows: string): Promise<number> => {
      await deployment.settle();
      return Number((await database.query<{ count: string }>(`select count(*) from ${schema}.${rows}`)).rows[0]!.count);
    };
    do await load(bench, { url }, { KEYS: String(repeatedKeys) });
    while ((await countOf(`idempotency_keys where key like 'repeated-%'`)) < repeatedKeys);
    const before = await countOf('tenant_references');
    const { requestsPerSecond } = await load(bench, { url }, { KEYS: String(repeatedKeys) });
    const after = await countOf('tenant_references');
    verify(`${before} records before the replays, ${after} after`, before === after);
    return requestsPerSecond;
  };
  const ours = await measure(server, 'public');
  await emptyBaseline(deployment);
  const theirs = await startBaseline(deployment, 'api');
  const baseline = await measure(theirs, 'baseline');
  await theirs.stop();
  return ratio(ours, first, baseline);
}

/** Returns the median of pairs, with the medians of their rates. */
function middleOf(readings: Reading[]): Reading {
  const of = (side: 'value' | 'ours' | 'limit'): number => median(readings.map((reading) => reading[side]!));
  return { value: of('value'), ours: of('ours'), limit: of('limit') };
}

/** Returns a warm server. If its database is full of expired keys, its purge has begun. */
async function started(bench: Bench, kept: 'none' | 'young' | 'old'): Promise<Server> {
  const { deployment } = bench;
  const { database, accountId } = deployment;
  await deployment.subscribe(0);
  await deployment.empty();
  await database.query(
    `insert into idempotency_keys (account_id, key_account_id, key, fingerprint, request_id, claimed_at_ms)
     select $1, $1, gen_random_uuid()::text, '-', 'req_' || lpad(number::text, 22, '0'), $3::bigint + number
     from generate_series(1, $2::integer) number`,
    [accountId, kept === 'none' ? 0 : keptCount, kept === 'old' ? 0 : Date.now()],
  );
  await database.query('vacuum analyze idempotency_keys');
  const server = await deployment.startServer('api');
  await load(bench, server);
  return server;
}

function load(
  { deployment, tools }: Bench,
  server: Pick<Server, 'url'>,
  keys: { KEYS?: string } = {},
  seconds = loadSeconds,
): Promise<LoadResult> {
  const env = { AUTHORIZATION: `Bearer ${deployment.secretKey}`, BODY: requestBody, ...keys };
  return runLoad(tools.wrk!, 'post', server.url, { seconds, env });
}

/** Checks that the purge worked all the time. */
async function verifyPurge({ deployment }: Bench, kept: 'young' | 'old'): Promise<void> {
  const { rows } = await deployment.database.query<{ left: string }>(
    `select count(*) as left from idempotency_keys where fingerprint = '-'`,
  );
  const left = Number(rows[0]!.left);
  verify(`${left} of ${keptCount} ${kept} keys are left`, left > 0 && left < keptCount === (kept === 'old'));
}

import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { percentile, inTurn, verify, type Bench, type Suite } from './suite.ts';

const manyCount = 1_000;
const manyWithinSeconds = 180;

const postsPerSecond = 50;
const reportsPerSecond = 10;
const measuredSeconds = 12;

/**
 * Automatic references of a sandbox whose checks take thirty seconds. A thousand are made at once. Also measures how much concurrent POSTs
 * are delayed while reports are printed.
 */
export const referencing: Suite<'last' | 'postP50' | 'postP99'> = {
  name: 'referencing',
  roundsMax: 1,
  figures: {
    last: {
      title: '1,000 automatic references made at once, from the first request to the last report',
      unit: 's',
      better: 'less',
      floor: manyWithinSeconds,
      aim: 60,
      needs: [],
    },
    postP50: {
      title: `POST, p50, while ${reportsPerSecond} reports a second are printed, against none`,
      unit: 'times',
      better: 'less',
      floor: 1.25,
      aim: null,
      needs: [],
    },
    postP99: {
      title: `POST, p99, while ${reportsPerSecond} reports a second are printed, against none`,
      unit: 'times',
      better: 'less',
      floor: 2,
      aim: null,
      needs: [],
    },
  },
  async round(bench, round) {
    const last = { value: await measureMany(bench) };
    const latencies: Record<string, number[]> = {};
    await inTurn(round, {
      without: async () => (latencies.without = await measurePosts(bench, null)).length,
      beside: async () => (latencies.beside = await measurePosts(bench, 'provider_b')).length,
    });
    const compared = (share: number): { value: number } => ({
      value: percentile(latencies.beside!, share) / percentile(latencies.without!, share),
    });
    return { last, postP50: compared(0.5), postP99: compared(0.99) };
  },
};

/** In seconds. */
async function measureMany(bench: Bench): Promise<number> {
  const { deployment } = bench;
  await startAfresh(bench);
  const server = await deployment.startServer('all');
  const client = new Pool(server.url, { connections: 32, pipelining: 1 });
  try {
    const startedMs = performance.now();
    await Promise.all(
      Array.from({ length: manyCount }, () => post(client, deployment.secretKey, { provider: 'provider_a' })),
    );
    const giveUpAtMs = startedMs + 2 * manyWithinSeconds * 1000;
    for (let complete = 0; complete < manyCount; await delay(100)) {
      complete = await count(bench, `select count(*) from tenant_references where status = 'complete'`);
      if (performance.now() > giveUpAtMs) break;
    }
    const seconds = (performance.now() - startedMs) / 1000;
    for (const [what, text] of Object.entries({
      complete: `select count(*) from tenant_references where status = 'complete' and reference_pdf is not null`,
      ordered: 'select count(*) from simulated_orders',
      reported: 'select count(*) from files',
      told: `select count(*) from events where type = 'reference.completed'`,
    })) {
      const found = await count(bench, text);
      verify(`${manyCount} references, ${found} ${what}`, found === manyCount);
    }
    return seconds;
  } finally {
    await client.close();
    await server.stop();
  }
}

/**
 * Returns the duration in milliseconds of each POST without an automatic reference. They come at even times, regardless of earlier ones.
 * There are as many others in either case.
 */
async function measurePosts(bench: Bench, provider: string | null): Promise<number[]> {
  const { deployment } = bench;
  await startAfresh(bench);
  const server = await deployment.startServer('all');
  const client = new Pool(server.url, { connections: 32, pipelining: 1 });
  const latenciesMs: number[] = [];
  try {
    const perSecond = postsPerSecond + reportsPerSecond;
    const every = perSecond / reportsPerSecond;
    const startedMs = performance.now();
    const requests: Promise<void>[] = [];
    for (let made = 0; made < measuredSeconds * perSecond; made++) {
      const dueMs = startedMs + (made * 1000) / perSecond;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await delay(waitMs);
      const isOther = made % every === 0;
      const automatic = isOther && provider !== null ? { provider } : null;
      requests.push(
        post(client, deployment.secretKey, automatic).then(
          () => void (!isOther && made > perSecond && latenciesMs.push(performance.now() - dueMs)),
        ),
      );
    }
    await Promise.all(requests);
    const printed = await count(bench, 'select count(*) from files');
    const wanted = provider === null ? 0 : 0.5 * measuredSeconds * reportsPerSecond;
    verify(`${printed} reports were printed meanwhile`, printed >= wanted);
    return latenciesMs;
  } finally {
    await client.close();
    await server.stop();
  }
}

/** Removes the leftovers of an earlier measurement. */
async function startAfresh({ deployment }: Bench): Promise<void> {
  await deployment.subscribe(0);
  await deployment.empty();
  await deployment.database.query(
    'truncate files, file_parts, file_uploads, simulated_orders, graphile_worker._private_jobs',
  );
}

async function post(client: Pool, key: string, automatic: object | null): Promise<void> {
  const { statusCode, body } = await client.request({
    method: 'POST',
    path: '/v1/references',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ application: 'app_1', ...(automatic && { automatic_reference: automatic }) }),
  });
  await body.dump();
  verify(`a reference was made, status ${statusCode}`, statusCode === 200);
}

async function count({ deployment }: Bench, text: string): Promise<number> {
  const { rows } = await deployment.database.query<{ count: string }>(text);
  return Number(rows[0]!.count);
}

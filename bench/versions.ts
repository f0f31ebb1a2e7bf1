import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoad } from './load/wrk.ts';
import { shareOf } from './profile.ts';
import { requestBody } from './sample.ts';
import { inTurn, ratio, verify, type Bench, type Reading, type Suite } from './suite.ts';

const warmUpSeconds = 1;
const oldest = '2025-09-01';
const recordCount = 60;

/** Matches the files that convert one version's shape into another's. */
const rendering = /\/versions\/[a-z0-9-]+\.ts$/;

/** Measures the cost of a response in the oldest version. It is two steps from the shape that handlers and stored data use. */
export const versions: Suite<'retrieve' | 'list' | 'overNewest'> = {
  name: 'versions',
  figures: {
    retrieve: {
      title: 'GET by id in the oldest version: share of the rendering',
      unit: '%',
      better: 'less',
      floor: 10,
      aim: 5,
      needs: ['wrk'],
    },
    list: {
      title: 'GET of 20 events in the oldest version: share of the rendering',
      unit: '%',
      better: 'less',
      floor: 10,
      aim: 5,
      needs: ['wrk'],
    },
    overNewest: {
      title: 'GET of 20 events in the oldest version, against the newest',
      unit: 'times',
      better: 'more',
      floor: null,
      aim: null,
      needs: ['wrk'],
    },
  },
  async round(bench, round) {
    const id = await seed(bench);
    return {
      overNewest: await compare(bench, round, '/v1/events?limit=20'),
      retrieve: { value: await measure(bench, `/v1/references/${id}`, '"pdf":null') },
      list: { value: await measure(bench, '/v1/events?limit=20', '"request":"req_') },
    };
  },
};

async function seed({ deployment }: Bench): Promise<string> {
  await deployment.subscribe(0);
  await deployment.empty();
  const server = await deployment.startServer('api');
  let id = '';
  for (let made = 0; made < recordCount; made++) {
    const response = await fetch(`${server.url}/v1/references`, {
      method: 'POST',
      headers: { authorization: `Bearer ${deployment.secretKey}`, 'content-type': 'application/json' },
      body: requestBody,
    });
    ({ id } = (await response.json()) as { id: string });
  }
  await server.stop();
  return id;
}

/** On one server, so that both meet the same. */
async function compare({ deployment, tools, seconds }: Bench, round: number, path: string): Promise<Reading> {
  const server = await deployment.startServer('api');
  const load = async (version: string | null): Promise<number> => {
    const env = {
      AUTHORIZATION: `Bearer ${deployment.secretKey}`,
      URL_PATH: path,
      ...(version !== null && { VERSION: version }),
    };
    await runLoad(tools.wrk!, 'path', server.url, { seconds: warmUpSeconds, env });
    return (await runLoad(tools.wrk!, 'path', server.url, { seconds, env })).requestsPerSecond;
  };
  const perSecond = await inTurn(round, { oldest: () => load(oldest), newest: () => load(null) });
  await server.stop();
  return ratio(perSecond.oldest, perSecond.newest);
}

/** Returns the share of one process's busy time, while it serves only this request. */
async function measure({ deployment, tools, seconds }: Bench, path: string, hasIt: string): Promise<number> {
  const profileDir = mkdtempSync(join(tmpdir(), 'tenure-bench-profile-'));
  try {
    const startedMs = performance.now();
    const server = await deployment.startServer('api', profileDir);
    const headers = { authorization: `Bearer ${deployment.secretKey}`, 'service-version': oldest };
    const text = await (await fetch(server.url + path, { headers })).text();
    verify(`${path} is answered in the version of ${oldest}`, text.includes(hasIt));
    const env = { AUTHORIZATION: headers.authorization, VERSION: oldest, URL_PATH: path };
    await runLoad(tools.wrk!, 'path', server.url, { seconds: warmUpSeconds, env });
    const afterMs = performance.now() - startedMs;
    await runLoad(tools.wrk!, 'path', server.url, { seconds, env });
    await server.stop();
    return shareOf(profileDir, rendering, afterMs);
  } finally {
    rmSync(profileDir, { recursive: true, force: true });
  }
}

import { emptyBaseline, fillBaseline, startBaseline } from './baseline-server.ts';
import { startComparedServer } from './compared-server.ts';
import { pgbenchClients, runStatement } from './limits/pgbench.ts';
import type { Server } from './deployment.ts';
import { runLoad } from './load/wrk.ts';
import { requestBody } from './sample.ts';
import { inTurn, ratio, verify, type Bench, type Suite } from './suite.ts';

const warmUpSeconds = 5;
const plainServer = new URL('usual/plain-get-server.ts', import.meta.url);
const bareServer = new URL('limits/bare-server.ts', import.meta.url);
export const referenceCount = 10_000;

/** `GET /v1/references/{id}`, and the list of the newest twenty, of ten thousand references. */
export const get: Suite<'overPlain' | 'overBare' | 'listOverPage'> = {
  name: 'get',
  figures: {
    overPlain: {
      title: 'GET by id, against one query a request',
      unit: 'times',
      better: 'more',
      floor: 1.8,
      aim: 3,
      needs: ['wrk'],
    },
    overBare: {
      title: 'GET by id, against bare HTTP: the same bytes, no key, no database',
      unit: 'times',
      better: 'more',
      floor: null,
      aim: null,
      needs: ['wrk'],
    },
    listOverPage: {
      title: 'A list of 20 with its count, against the best of pgbench reading the page alone',
      unit: 'times',
      better: 'more',
      floor: null,
      aim: null,
      needs: ['wrk', 'pgbench'],
    },
  },
  async round(bench, round) {
    const { deployment, tools, seconds } = bench;
    await emptyBaseline(deployment);
    const idStart = await seedReferences(bench);
    await fillBaseline(deployment, idStart, referenceCount);
    const path = `/v1/references/${idStart}${'1'.padStart(14, '0')}`;
    const authorization = `Bearer ${deployment.secretKey}`;
    const answers: Partial<Record<'ours' | 'plain' | 'bare' | 'baseline', string>> = {};
    const lists: Partial<Record<'ours' | 'baseline', number>> = {};

    async function measure(name: keyof typeof answers, server: Server): Promise<number> {
      answers[name] = await readText(server.url + path, authorization);
      const env = { AUTHORIZATION: authorization, ID_START: idStart, COUNT: String(referenceCount) };
      await runLoad(tools.wrk!, 'get', server.url, { seconds: warmUpSeconds, env });
      const { requestsPerSecond } = await runLoad(tools.wrk!, 'get', server.url, { seconds, env });
      if (name === 'ours' || name === 'baseline') lists[name] = await measureList(bench, server);
      await server.stop();
      return requestsPerSecond;
    }

    const { ours, plain, baseline } = await inTurn(round, {
      ours: async () => measure('ours', await deployment.startServer('api')),
      plain: async () => measure('plain', await startComparedServer(deployment, plainServer)),
      baseline: async () => measure('baseline', await startBaseline(deployment, 'api')),
    });
    const bare = await measure('bare', await startComparedServer(deployment, bareServer, { ANSWER: answers.ours! }));
    verify('servers answer the same', answers.ours === answers.plain && answers.ours === answers.bare);
    verify('the baseline answers the same members', membersOf(answers.baseline!) === membersOf(answers.ours!));
    const page = tools.pgbench === null ? 0 : await measurePage(bench);
    return {
      overPlain: ratio(ours, plain, baseline),
      overBare: ratio(ours, bare, baseline),
      ...(page > 0 && { listOverPage: ratio(lists.ours!, page, lists.baseline) }),
    };
  },
};

function membersOf(answer: string): string {
  return Object.keys(JSON.parse(answer) as object)
    .toSorted()
    .join();
}

async function measureList({ deployment, tools, seconds }: Bench, server: Server): Promise<number> {
  const path = '/v1/references?limit=20';
  const authorization = `Bearer ${deployment.secretKey}`;
  const { data, count } = JSON.parse(await readText(server.url + path, authorization)) as {
    data: unknown[];
    count: number;
  };
  verify(`a list of ${data.length} of ${count}`, data.length === 20 && count >= referenceCount);
  const env = { AUTHORIZATION: authorization, URL_PATH: path };
  await runLoad(tools.wrk!, 'path', server.url, { seconds: warmUpSeconds, env });
  return (await runLoad(tools.wrk!, 'path', server.url, { seconds, env })).requestsPerSecond;
}

async function measurePage({ deployment, tools, seconds }: Bench): Promise<number> {
  const page = `select * from tenant_references where account_id = '${deployment.accountId}' order by id desc limit 20;`;
  let best = 0;
  for (const clients of pgbenchClients) {
    const measured = await runStatement(tools.pgbench!, deployment, page, { clients, seconds: Math.ceil(seconds / 2) });
    best = Math.max(best, measured.perSecond);
  }
  return best;
}

/** Makes one reference through the API and copies its row. Returns the common beginning of all copies' ids. */
export async function seedReferences({ deployment }: Bench): Promise<string> {
  const { database } = deployment;
  await deployment.subscribe(0);
  await deployment.empty();
  const server = await deployment.startServer('api');
  const response = await fetch(`${server.url}/v1/references`, {
    method: 'POST',
    headers: { authorization: `Bearer ${deployment.secretKey}`, 'content-type': 'application/json' },
    body: requestBody,
  });
  const { id } = (await response.json()) as { id: string };
  await server.stop();
  const idStart = id.slice(0, 12);
  await database.query(
    `insert into tenant_references
     select (jsonb_populate_record(original, jsonb_build_object('id', $2 || lpad(number::text, 14, '0')))).*
     from tenant_references original, generate_series(1, $3) number
     where original.id = $1`,
    [id, idStart, referenceCount],
  );
  await database.query(
    `insert into count_deltas (account_id, object, dimension, value, delta) values ($1, 'reference', '', '', $2)`,
    [deployment.accountId, referenceCount],
  );
  await database.query('vacuum analyze tenant_references');
  return idStart;
}

async function readText(url: string, authorization: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization } });
  verify(`${url} is answered`, response.ok);
  return response.text();
}

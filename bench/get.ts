import { startLimitServer } from './limits/limit-server.ts';
import type { Server } from './deployment.ts';
import { runLoad } from './load/wrk.ts';
import { requestBody } from './sample.ts';
import { inTurn, ratio, verify, type Bench, type Suite } from './suite.ts';

const warmUpSeconds = 1;
const plainServer = new URL('limits/plain-get-server.ts', import.meta.url);
export const referenceCount = 10_000;

/** `GET /v1/references/{id}`, of ten thousand references. */
export const get: Suite<'overPlain'> = {
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
  },
  async round(bench, round) {
    const idStart = await seedReferences(bench);
    const answers: unknown[] = [];
    const measure = async (server: Server): Promise<number> => {
      answers.push(await readOne(bench, `${server.url}/v1/references/${idStart}${'1'.padStart(14, '0')}`));
      const env = {
        AUTHORIZATION: `Bearer ${bench.deployment.secretKey}`,
        ID_START: idStart,
        COUNT: String(referenceCount),
      };
      await runLoad(bench.tools.wrk!, 'get', server.url, { seconds: warmUpSeconds, env });
      const { requestsPerSecond } = await runLoad(bench.tools.wrk!, 'get', server.url, { seconds: bench.seconds, env });
      await server.stop();
      return requestsPerSecond;
    };
    const { ours, plain } = await inTurn(round, {
      ours: async () => measure(await bench.deployment.startServer('api')),
      plain: async () => measure(await startLimitServer(bench.deployment, plainServer)),
    });
    verify('both servers answer the same', JSON.stringify(answers[0]) === JSON.stringify(answers[1]));
    return { overPlain: ratio(ours, plain) };
  },
};

/** Makes one reference through the API and copies its row; returns what all copies' ids begin with. */
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
  await database.query('vacuum analyze tenant_references');
  return idStart;
}

async function readOne({ deployment }: Bench, url: string): Promise<unknown> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${deployment.secretKey}` } });
  verify(`${url} is answered`, response.ok);
  return response.json();
}

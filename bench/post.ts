import { startLimitServer } from './limits/limit-server.ts';
import { watchMemory } from './child.ts';
import { createOneCallFunction } from './limits/one-call.ts';
import { pgbenchClients, runPgbench } from './limits/pgbench.ts';
import { connections, runLoad, type LoadResult } from './load/wrk.ts';
import { requestBody, takeSample, type Sample } from './sample.ts';
import { inTurn, ratio, verify, type Bench, type Suite } from './suite.ts';

const warmUpSeconds = 1;
const subscribed = 2;

const sequentialServer = new URL('limits/sequential-server.ts', import.meta.url);

let sample: Sample | null = null;

/** `POST /v1/references` with everything that follows from it, for two subscribed endpoints; nothing is sent meanwhile. */
export const post: Suite<'overOneCall' | 'overSequential' | 'p99' | 'memory'> = {
  name: 'post',
  figures: {
    overOneCall: {
      title: 'POST, against the best of pgbench with one call a transaction',
      unit: 'times',
      better: 'more',
      floor: 0.8,
      aim: 1.5,
      needs: ['wrk', 'pgbench'],
    },
    overSequential: {
      title: 'POST, against one statement after the other',
      unit: 'times',
      better: 'more',
      floor: 3,
      aim: 5,
      needs: ['wrk'],
    },
    p99: { title: 'POST, p99', unit: 'ms', better: 'less', floor: 50, aim: 30, needs: ['wrk'] },
    memory: { title: 'POST, memory of the process', unit: 'MB', better: 'less', floor: 200, aim: 150, needs: ['wrk'] },
  },
  async round(bench, round) {
    const { deployment, tools, seconds } = bench;
    await deployment.subscribe(subscribed);
    sample ??= await sampleOf(bench);
    let p99Ms = 0;
    let memoryMb = 0;
    const oneCall = Object.fromEntries(
      (tools.pgbench === null ? [] : pgbenchClients).map((clients) => [
        `oneCall${clients}`,
        () => runPgbench(tools.pgbench!, deployment, { clients, seconds: Math.ceil(seconds / 2) }),
      ]),
    );
    const perSecond = await inTurn<string>(round, {
      ours: async () => {
        const measured = await measureOurs(bench);
        ({ memoryMb } = measured);
        ({ p99Ms } = measured.load);
        return measured.load.requestsPerSecond;
      },
      ...oneCall,
      sequential: () => measureSequential(bench, sample!),
    });
    const best = Math.max(...pgbenchClients.map((clients) => perSecond[`oneCall${clients}`] ?? 0));
    return {
      ...(best > 0 && { overOneCall: ratio(perSecond.ours!, best) }),
      overSequential: ratio(perSecond.ours!, perSecond.sequential!),
      p99: { value: p99Ms },
      // Only Linux tells.
      ...(memoryMb > 0 && { memory: { value: memoryMb } }),
    };
  },
};

async function sampleOf({ deployment }: Bench): Promise<Sample> {
  await deployment.empty();
  const server = await deployment.startServer('api');
  const taken = await takeSample(deployment.database, server.url, deployment.secretKey);
  await server.stop();
  await createOneCallFunction(deployment.database, taken);
  return taken;
}

async function measureOurs(bench: Bench): Promise<{ load: LoadResult; memoryMb: number }> {
  const { deployment } = bench;
  const server = await deployment.startServer('api');
  const memory = watchMemory(server.child);
  const load = await loadAndVerify(bench, server.url);
  const memoryMb = memory();
  await server.stop();
  return { load, memoryMb };
}

async function measureSequential(bench: Bench, rows: Sample): Promise<number> {
  const server = await startLimitServer(bench.deployment, sequentialServer, { SAMPLE: JSON.stringify(rows) });
  const { requestsPerSecond } = await loadAndVerify(bench, server.url);
  await server.stop();
  return requestsPerSecond;
}

/** Every answer has its rows: one reference, one event, one log, one key, two deliveries. */
async function loadAndVerify({ deployment, tools, seconds }: Bench, url: string): Promise<LoadResult> {
  const env = { AUTHORIZATION: `Bearer ${deployment.secretKey}`, BODY: requestBody };
  await runLoad(tools.wrk!, 'post', url, { seconds: warmUpSeconds, env });
  await deployment.empty();
  const load = await runLoad(tools.wrk!, 'post', url, { seconds, env });
  await deployment.settle();
  const { rows } = await deployment.database.query<Record<string, string>>(`
    select
      (select count(*) from tenant_references) as "references",
      (select count(*) from events) as events,
      (select count(*) from request_logs) as logs,
      (select count(*) from idempotency_keys) as keys,
      (select count(*) from webhook_deliveries) as deliveries,
      (select count(*) from webhook_queue) as queued,
      (select sum(delta) from count_deltas where object = 'reference' and dimension = '') as counted`);
  const counts = Object.fromEntries(Object.entries(rows[0]!).map(([name, count]) => [name, Number(count)]));
  // What was under way at the end was written, but its answer no longer awaited.
  const unanswered = counts.references! - load.requests;
  verify(`${load.requests} answers, ${counts.references} references`, unanswered >= 0 && unanswered <= connections);
  for (const name of ['events', 'logs', 'keys']) {
    verify(`${counts.references} references, ${counts[name]} ${name}`, counts[name] === counts.references);
  }
  for (const name of ['deliveries', 'queued']) {
    verify(`${counts.references} references, ${counts[name]} ${name}`, counts[name] === 2 * counts.references!);
  }
  verify(`${counts.references} references, ${counts.counted} counted`, counts.counted === counts.references);
  return load;
}

import { startComparedServer } from './compared-server.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { emptyBaseline, startBaseline, verifyBaseline } from './baseline-server.ts';
import { memoryMb, watchMemory } from './child.ts';
import type { Server } from './deployment.ts';
import { createOneCallFunction } from './limits/one-call.ts';
import { pgbenchClients, runPgbench } from './limits/pgbench.ts';
import { connections, runLoad, type LoadResult } from './load/wrk.ts';
import { requestBody, takeSample, type Sample } from './sample.ts';
import { inTurn, ratio, verify, type Bench, type Figure, type Reading, type Suite } from './suite.ts';

/** After a second, V8 still compiles, and POST is a third slower. */
const warmUpSeconds = 5;
const subscribed = 2;

/** Milliseconds after which a process has done the work of its start. */
const restMs = 2_000;

const sequentialServer = new URL('usual/sequential-server.ts', import.meta.url);

let sample: Sample | null = null;

/** `POST /v1/references` with everything that follows from it, for two subscribed endpoints. Nothing is sent meanwhile. */
export const post: Suite<'overOneCall' | 'overSequential' | 'memory' | 'memoryAtRest'> = {
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
    memory: memoryFigureOf('Memory of the process while it answers POST', { floor: 200, aim: 150 }),
    memoryAtRest: memoryFigureOf('Memory of the process at rest', { floor: null, aim: null }),
  },
  async round(bench, round) {
    const { deployment, tools, seconds } = bench;
    await deployment.subscribe(subscribed);
    sample ??= await sampleOf(bench);
    const memory: Partial<Record<'ours' | 'baseline', Memory>> = {};
    const oneCall = Object.fromEntries(
      (tools.pgbench === null ? [] : pgbenchClients).map((clients) => [
        `oneCall${clients}`,
        () => runPgbench(tools.pgbench!, deployment, { clients, seconds: Math.ceil(seconds / 2) }),
      ]),
    );
    const perSecond = await inTurn<string, number>(round, {
      ours: async () => {
        const measured = await measureWithMemory(await deployment.startServer('api'), (url) =>
          loadAndVerify(bench, url),
        );
        memory.ours = measured.memory;
        return measured.requestsPerSecond;
      },
      ...oneCall,
      sequential: () => measureSequential(bench, sample!),
      baseline: async () => {
        const measured = await measureBaseline(bench);
        memory.baseline = measured.memory;
        return measured.requestsPerSecond;
      },
    });
    const best = Math.max(...pgbenchClients.map((clients) => perSecond[`oneCall${clients}`] ?? 0));
    const memoryReading = (when: keyof Memory): Reading => {
      const [ours, baseline] = [memory.ours![when], memory.baseline![when]];
      return { value: ours, ours, baseline };
    };
    return {
      ...(best > 0 && { overOneCall: ratio(perSecond.ours!, best, perSecond.baseline) }),
      overSequential: ratio(perSecond.ours!, perSecond.sequential!, perSecond.baseline),
      // Only Linux provides it.
      ...(memory.ours!.mostMb > 0 && { memory: memoryReading('mostMb'), memoryAtRest: memoryReading('atRestMb') }),
    };
  },
};

interface Memory {
  atRestMb: number;
  mostMb: number;
}

function memoryFigureOf(title: string, marks: Pick<Figure, 'floor' | 'aim'>): Figure {
  return { title, unit: 'MB', better: 'less', ...marks, needs: ['wrk'], besideUnit: 'MB' };
}

async function sampleOf({ deployment }: Bench): Promise<Sample> {
  await deployment.empty();
  const server = await deployment.startServer('api');
  const taken = await takeSample(deployment.database, server.url, deployment.secretKey);
  await server.stop();
  await createOneCallFunction(deployment.database, taken);
  return taken;
}

async function measureWithMemory(
  server: Server,
  measure: (url: string) => Promise<LoadResult>,
): Promise<{ requestsPerSecond: number; memory: Memory }> {
  await delay(restMs);
  const atRestMb = memoryMb(server.child);
  const most = watchMemory(server.child);
  const { requestsPerSecond } = await measure(server.url);
  const mostMb = most().residentMb;
  await server.stop();
  return { requestsPerSecond, memory: { atRestMb, mostMb } };
}

async function measureBaseline({
  deployment,
  tools,
  seconds,
}: Bench): Promise<{ requestsPerSecond: number; memory: Memory }> {
  const urls = Array.from({ length: subscribed }, (_, number) => `http://127.0.0.1:9/hooks/${number}`);
  await emptyBaseline(deployment, urls);
  const env = { AUTHORIZATION: `Bearer ${deployment.secretKey}`, BODY: requestBody };
  return measureWithMemory(await startBaseline(deployment, 'api'), async (url) => {
    await runLoad(tools.wrk!, 'post', url, { seconds: warmUpSeconds, env });
    await emptyBaseline(deployment, urls);
    const load = await runLoad(tools.wrk!, 'post', url, { seconds, env });
    await deployment.settle();
    await verifyBaseline(deployment, { answers: load.requests, unansweredMax: connections, endpoints: subscribed });
    return load;
  });
}

async function measureSequential(bench: Bench, rows: Sample): Promise<number> {
  const server = await startComparedServer(bench.deployment, sequentialServer, { SAMPLE: JSON.stringify(rows) });
  const { requestsPerSecond } = await loadAndVerify(bench, server.url);
  await server.stop();
  return requestsPerSecond;
}

/** Checks the rows of every response: one reference, one event, one log, one key, two deliveries. */
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
  // Requests under way at the end were written, but their responses no longer awaited.
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

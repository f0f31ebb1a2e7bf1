import { createHmac } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { Logger, run, type Runner } from 'graphile-worker';
import { Agent, request } from 'undici';
import { remembered } from './remembered.ts';
import { attempts, endpoints } from './schema.ts';

type DeliveryJob = { endpoint: string; event: string; body: string };

const concurrency = 32;
const batches = { localQueue: { size: 500 }, completeJobBatchDelay: 5, failJobBatchDelay: 5 };
const tuned = { concurrentJobs: concurrency, maxPoolSize: 16, ...batches };
const dispatcher = new Agent({ connections: concurrency, pipelining: 1 });

/** Runs the jobs that the requests have made. The queue retries a job that throws, with growing pauses. It is tuned for many short jobs. */
export function startDelivering(database: NodePgDatabase, connectionString: string): Promise<Runner> {
  const endpointOf = remembered((id: string) =>
    database
      .select()
      .from(endpoints)
      .where(sql`${endpoints.id} = ${id}`)
      .prepare('read_endpoint')
      .execute(),
  );

  async function deliver({ endpoint: id, event, body }: DeliveryJob): Promise<void> {
    const [endpoint] = await endpointOf(id);
    if (!endpoint) return;
    const startedMs = Date.now();
    const created = Math.floor(startedMs / 1000);
    const signature = createHmac('sha256', endpoint.secret).update(`${created}.${body}`).digest('hex');
    const { statusCode, body: answer } = await request(endpoint.url, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'service-signature': `t=${created},v1=${signature}` },
      body,
      signal: AbortSignal.timeout(15_000),
    });
    await answer.dump();
    const attempt = { event, endpoint: id, status: statusCode, duration_ms: Date.now() - startedMs, created };
    await database.insert(attempts).values(attempt).prepare('insert_attempt').execute();
    if (statusCode >= 300) throw new Error(`${endpoint.url} answered ${statusCode}.`);
  }

  return run({
    connectionString,
    concurrency,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: { deliver: (payload) => deliver(payload as DeliveryJob) },
    preset: { worker: tuned },
  });
}

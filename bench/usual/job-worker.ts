import { createHmac } from 'node:crypto';
import { run, type Runner } from 'graphile-worker';
import { Pool } from 'undici';
import type { DeliveryJob, JobWorkerKind } from './job-queue.ts';
import { quiet } from './quiet.ts';

/*
 * A common way to deliver: a job queue on the same database, with one job a delivery. A job signs, posts over kept connections and writes
 * its attempt.
 */

const concurrency = 32;
const kind = process.env.KIND as JobWorkerKind;
const receiver = new Pool(process.env.ORIGIN!, { connections: concurrency, pipelining: 1 });

function sign(timestampSeconds: number, body: string): string {
  const signature = createHmac('sha256', 'whsec_bench').update(`${timestampSeconds}.`).update(body).digest('hex');
  return `t=${timestampSeconds},v1=${signature}`;
}

async function deliver(
  { account, delivery, event, path }: DeliveryJob,
  query: (statement: { name: string; text: string; values: unknown[] }) => Promise<unknown>,
): Promise<void> {
  const { id, created, type, data, request } = event;
  const head = `{"id":"${id}","object":"event","created":${created},"type":"${type}"`;
  const body = `${head},"data":${data},"request":${request}}`;
  const startedAtMs = Date.now();
  const response = await receiver.request({
    method: 'POST',
    path,
    headers: {
      'content-type': 'application/json',
      'service-signature': sign(Math.floor(startedAtMs / 1000), body),
      'service-event-id': id,
      'service-delivery-id': delivery,
    },
    body,
  });
  const answer = await response.body.text();
  if (response.statusCode >= 300) throw new Error(`The receiver answered ${response.statusCode}.`);
  await query({
    name: 'insert_attempt',
    text: `
      insert into webhook_attempts (account_id, delivery_id, started_at_ms, duration_ms, status, response, api_version, outcome)
      values ($1, $2, $3, $4, $5, $6, '2026-01-01', 'delivered')`,
    values: [account, delivery, startedAtMs, Date.now() - startedAtMs, response.statusCode, answer],
  });
}

const tuned = {
  worker: {
    concurrentJobs: concurrency,
    maxPoolSize: 16,
    localQueue: { size: 500 },
    completeJobBatchDelay: 5,
    failJobBatchDelay: 5,
  },
};

const runner: Runner = await run({
  connectionString: process.env.DATABASE_URL!,
  logger: quiet,
  noHandleSignals: true,
  concurrency,
  taskList: {
    deliver: (payload, { withPgClient }) =>
      deliver(payload as DeliveryJob, (statement) => withPgClient((client) => client.query(statement))),
  },
  ...(kind === 'tuned' && { preset: tuned }),
});
process.on('SIGTERM', () => {
  void runner.stop().then(() => process.exit(0));
});
process.send!({});

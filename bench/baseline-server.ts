import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { makeWorkerUtils } from 'graphile-worker';
import type { Deployment, Server } from './deployment.ts';
import { quiet } from './usual/quiet.ts';
import { startComparedServer } from './compared-server.ts';
import { requestBody } from './sample.ts';
import { verify } from './suite.ts';

const program = new URL('baseline/server.ts', import.meta.url);
const tables = readFileSync(new URL('baseline/schema.sql', import.meta.url), 'utf8');

const created = 1_800_000_000;

/** As long as the event that a request of `requestBody` causes. */
const eventBody = JSON.stringify({
  id: `evt_${'0'.repeat(28)}`,
  object: 'event',
  created,
  type: 'reference.created',
  data: { object: { id: `ref_${'0'.repeat(28)}`, object: 'reference', created, ...JSON.parse(requestBody) } },
});

/** The queue of the baseline's deliveries. */
export const baselineQueue = 'graphile_worker._private_jobs';

/** Recreates the baseline's tables on the product's PostgreSQL, with the deployment's key and these endpoints. */
export async function emptyBaseline(deployment: Deployment, endpointUrls: string[] = []): Promise<void> {
  const { database, databaseUrl, accountId, secretKey } = deployment;
  await deployment.empty();
  const utils = await makeWorkerUtils({ connectionString: databaseUrl, logger: quiet });
  await utils.migrate();
  await utils.release();
  await database.query(`truncate ${baselineQueue}`);
  await database.query(tables);
  await database.query('insert into baseline.api_keys (hash, account) values ($1, $2)', [
    createHash('sha256').update(secretKey).digest('hex'),
    accountId,
  ]);
  await database.query(
    `insert into baseline.endpoints (id, account, created, url, secret, events)
     select 'we_' || number, $1, 0, url, 'whsec_bench', array['*'] from unnest($2::text[]) with ordinality as given (url, number)`,
    [accountId, endpointUrls],
  );
  await database.query('checkpoint');
}

/** Inserts references. Their ids continue `idStart` with a number of fourteen digits. */
export async function fillBaseline({ database, accountId }: Deployment, idStart: string, count: number): Promise<void> {
  await database.query(
    `insert into baseline.tenant_references
       (id, account, created, application, customer, type, status, automatic_reference, metadata)
     select $1 || lpad(number::text, 14, '0'), $2, ${created}, $3::json->>'application', $3::json->>'customer', 'customer', 'pending',
       ($3::jsonb)->'automatic_reference', ($3::jsonb)->'metadata'
     from generate_series(1, $4::integer) number`,
    [idStart, accountId, requestBody, count],
  );
  await database.query('vacuum analyze baseline.tenant_references');
}

/** Queues deliveries, evenly for all endpoints, as a request makes them. */
export async function queueBaselineJobs({ database, accountId }: Deployment, count: number): Promise<void> {
  await database.query(
    `select count(*)
     from (
       select array_agg((
         'deliver',
         json_build_object('endpoint', endpoint.id, 'event', 'evt_' || number, 'body', $2::text),
         null, null, null, null, null, null
       )::graphile_worker.job_spec) as specs
       from generate_series(1, $3::integer / (select count(*) from baseline.endpoints where account = $1)) number, baseline.endpoints endpoint
       group by number / 1000
     ) chunks, graphile_worker.add_jobs(specs)`,
    [accountId, eventBody, count],
  );
  await database.query(`vacuum analyze ${baselineQueue}`);
  await database.query('checkpoint');
}

/** Checks that each delivery has one attempt, and that it succeeded. */
export async function verifyAttempts({ database }: Deployment, count: number): Promise<void> {
  const { rows } = await database.query<{ attempts: string }>(
    'select count(*) filter (where status = 200) as attempts from baseline.attempts',
  );
  verify(`${count} deliveries, ${rows[0]!.attempts} attempts`, Number(rows[0]!.attempts) === count);
}

/** @param role `api` responds and delivers nothing, `all` does both. */
export function startBaseline(deployment: Deployment, role: 'api' | 'all'): Promise<Server> {
  return startComparedServer(deployment, program, { ROLE: role });
}

/** Checks the rows of every response: one reference, one event, one log, one key, and a job for each endpoint. */
export async function verifyBaseline(
  { database }: Deployment,
  { answers, unansweredMax, endpoints }: { answers: number; unansweredMax: number; endpoints: number },
): Promise<void> {
  const { rows } = await database.query<Record<string, string>>(`
    select
      (select count(*) from baseline.tenant_references) as "references",
      (select count(*) from baseline.events) as events,
      (select count(*) from baseline.request_logs) as logs,
      (select count(*) from baseline.idempotency_keys) as keys,
      (select count(*) from ${baselineQueue}) as jobs`);
  const counts = Object.fromEntries(Object.entries(rows[0]!).map(([name, count]) => [name, Number(count)]));
  const unanswered = counts.references! - answers;
  verify(`${answers} answers, ${counts.references} of the baseline`, unanswered >= 0 && unanswered <= unansweredMax);
  for (const name of ['events', 'logs', 'keys']) {
    verify(`${counts.references} references, ${counts[name]} ${name}`, counts[name] === counts.references);
  }
  verify(`${counts.references} references, ${counts.jobs} jobs`, counts.jobs === endpoints * counts.references!);
}

import { makeWorkerUtils } from 'graphile-worker';
import type { Deployment } from '../deployment.ts';
import { quiet } from './quiet.ts';

/** With its defaults and 32 jobs at a time, or tuned for many short jobs as its documentation says. */
export type JobWorkerKind = 'defaults' | 'tuned';

/** The contents of a job: everything that sending needs, so that the worker looks nothing up. */
export interface DeliveryJob {
  account: string;
  delivery: string;
  event: { id: string; created: number; type: string; data: string; request: string };
  path: string;
}

/** Makes a job of each recorded delivery. */
export async function queueJobs({ database, databaseUrl }: Deployment): Promise<void> {
  const utils = await makeWorkerUtils({ connectionString: databaseUrl, logger: quiet });
  await utils.migrate();
  await utils.release();
  await database.query('truncate graphile_worker._private_jobs');
  await database.query(`
    select count(*)
    from (
      select array_agg((
        'deliver',
        json_build_object(
          'account', delivery.account_id,
          'delivery', delivery.id,
          'event', json_build_object(
            'id', event.id, 'created', event.created, 'type', event.type, 'data', event.data, 'request', event.request
          ),
          'path', substring(endpoint.url from '://[^/]+(/.*)$')
        ),
        null, null, null, null, null, null
      )::graphile_worker.job_spec) as specs
      from webhook_deliveries delivery
      join events event on event.account_id = delivery.account_id and event.id = delivery.event
      join webhook_endpoints endpoint
        on endpoint.account_id = delivery.account_id and endpoint.id = delivery.webhook_endpoint
      group by right(delivery.id, 14)::bigint / 1000
    ) chunks, graphile_worker.add_jobs(specs)`);
  await database.query('vacuum analyze graphile_worker._private_jobs');
  await database.query('checkpoint');
}

import type { Logger } from 'pino';
import type { Committer } from '../commit/committer.ts';
import { toDecision } from '../model/change.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import { isHere } from '../db/away.ts';
import type { Pool } from '../db/pools.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { disableFailing, failingLimits, isGivenUp, type Failures } from '../resources/webhooks/disabling.ts';
import { webhookEndpoint } from '../resources/webhooks/webhook_endpoint.ts';

/** Endpoints a round. The rest is disabled in the next one. */
const endpointsAtOnce = 1_000;

interface DisablingContext {
  committer: Committer;
  database: { readers: Pool };
  readRecord: RecordReader;
  clock: Clock;
  log: Logger;
}

/** Disables endpoints that have failed for so long that a repair is unlikely. */
export async function disableFailingEndpoints(context: DisablingContext): Promise<void> {
  for (const { account_id: accountId, webhook_endpoint: id } of await readGivenUp(context.database.readers)) {
    await disable(context, accountId, id).catch((error: unknown) =>
      context.log.warn({ err: error, endpoint: id }, 'a failing endpoint could not be disabled; this is retried'),
    );
  }
}

async function disable({ committer, database, readRecord, clock }: DisablingContext, accountId: string, id: string) {
  await committer.commitAsSystem({
    accountId,
    locks: [id],
    decide: async () => {
      const current = await readRecord(webhookEndpoint, accountId, id);
      // The endpoint may have taken a delivery, or have been enabled again, at this moment.
      const row = await readFailures(database.readers, accountId, id);
      const isStill = current?.status === 'enabled' && row?.enablement === current.enablement;
      if (!isStill || !isGivenUp(failuresOf(row))) return null;
      const decided = disableFailing(current, failuresOf(row), toSeconds(clock.nowMs()));
      return toDecision(webhookEndpoint, current, decided);
    },
  });
}

interface FailuresRow {
  enablement: number;
  since_ms: number;
  last_ms: number;
  attempt_count: number;
  day_count: number;
}

function failuresOf(row: FailuresRow): Failures {
  return { sinceMs: row.since_ms, lastMs: row.last_ms, attempts: row.attempt_count, days: row.day_count };
}

/** SQL version of `isGivenUp`. Most failing endpoints have failed for less, and some are in the table that fail no more. */
async function readGivenUp(pool: Pool): Promise<{ account_id: string; webhook_endpoint: string }[]> {
  const { rows } = await pool.query<{ account_id: string; webhook_endpoint: string }>({
    name: 'endpoints_given_up',
    text: `
      select failing.account_id, failing.webhook_endpoint
      from webhook_failures failing
      join webhook_endpoints endpoint
        on endpoint.account_id = failing.account_id and endpoint.id = failing.webhook_endpoint
      where endpoint.status = 'enabled'
        and endpoint.enablement = failing.enablement
        and failing.last_ms - failing.since_ms >= $1
        and failing.attempt_count >= $2
        and failing.day_count >= $3
        and ${isHere('failing.account_id')}
      order by failing.since_ms
      limit ${endpointsAtOnce}`,
    values: [failingLimits.durationMs, failingLimits.attempts, failingLimits.days],
  });
  return rows;
}

async function readFailures(pool: Pool, accountId: string, endpointId: string): Promise<FailuresRow | null> {
  const { rows } = await pool.query<FailuresRow>({
    name: 'failures_of_an_endpoint',
    text: `
      select enablement, since_ms, last_ms, attempt_count, day_count
      from webhook_failures
      where account_id = $1 and webhook_endpoint = $2`,
    values: [accountId, endpointId],
  });
  return rows[0] ?? null;
}

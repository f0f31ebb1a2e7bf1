import { Client } from 'pg';
import { indexesOnly } from '../server/src/db/pools.ts';
import { claimDeliveries } from '../server/src/webhooks/claim.ts';
import { dispatcherLimits } from '../server/src/webhooks/dispatcher.ts';
import type { Deployment } from './deployment.ts';
import { queueDeliveries, recordDeliveries } from './queue.ts';
import { median, verify, type Suite } from './suite.ts';

const parkedCount = 100_000;
const dueCount = 5_000;
const pairs = 200;
const warmUps = 20;

/**
 * Compares a claim of due deliveries with and without a hundred thousand postponed retries in the queue. Pairs run in turn. Each claim is
 * undone, so that all of them find the same.
 */
export const parked: Suite<'claim'> = {
  name: 'parked',
  figures: {
    claim: {
      title: 'A claim with 100,000 retries parked, against one without, p50',
      unit: 'times',
      better: 'less',
      floor: 1.2,
      aim: 1,
      needs: [],
      besideUnit: 'ms',
    },
  },
  async round({ deployment }) {
    await recordDeliveries(deployment, dueCount);
    await queueDeliveries(deployment);
    await parkRetries(deployment);
    const alone = await claimerOf(deployment, 'public');
    const beside = await claimerOf(deployment, 'parked');
    const times: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] };
    for (let pair = 0; pair < warmUps + pairs; pair++) {
      const inTurn = pair % 2 === 0 ? (['alone', 'beside'] as const) : (['beside', 'alone'] as const);
      for (const which of inTurn) {
        const ms = await (which === 'alone' ? alone : beside).claim();
        if (pair >= warmUps) times[which].push(ms);
      }
    }
    await Promise.all([alone.end(), beside.end()]);
    await deployment.database.query('drop schema parked cascade');
    const [ours, limit] = [median(times.beside), median(times.alone)];
    return { claim: { value: ours / limit, ours, limit } };
  },
};

/** Makes a second queue beside the real one, with the same due deliveries and the postponed ones. */
async function parkRetries({ database }: Deployment): Promise<void> {
  await database.query('create schema parked');
  await database.query('create table parked.webhook_queue (like public.webhook_queue including all)');
  // Copied tables lack the settings of the original, one of which leaves room in each page.
  const { rows } = await database.query<{ settings: string }>(
    `select array_to_string(reloptions, ', ') as settings from pg_class where oid = 'public.webhook_queue'::regclass`,
  );
  await database.query(`alter table parked.webhook_queue set (${rows[0]!.settings})`);
  await database.query('insert into parked.webhook_queue select * from public.webhook_queue');
  await database.query(
    `insert into parked.webhook_queue (account_id, id, event, webhook_endpoint, attempt_count, due_at_ms)
     select account_id, 'dlv_' || lpad(number::text, 22, '0'), event, webhook_endpoint, 1, $1::bigint + number * 1000
     from (select * from public.webhook_queue limit 1) original, generate_series(1, $2) number`,
    [Date.now() + 3_600_000, parkedCount],
  );
  await database.query('vacuum analyze parked.webhook_queue');
  await database.query('vacuum analyze public.webhook_queue');
}

interface Claimer {
  /** Claims, and returns the milliseconds that it took. */
  claim(): Promise<number>;
  end(): Promise<void>;
}

/** Claims as the product does, with its own statement and planner settings, in this schema. */
export async function claimerOf({ databaseUrl }: Deployment, schema: string): Promise<Claimer> {
  const client = new Client({
    connectionString: databaseUrl,
    options: `-c search_path=${schema},public ${indexesOnly}`,
  });
  await client.connect();
  const { claimMax } = dispatcherLimits;
  return {
    async claim() {
      await client.query('begin');
      const nowMs = Date.now();
      const startedMs = performance.now();
      const claimed = await claimDeliveries(client as never, {
        nowMs,
        realNowMs: nowMs,
        untilMs: nowMs + 30_000,
        token: 1,
        firstMax: claimMax * 0.75,
        againMax: claimMax * 0.25,
        fullEndpoints: [],
      });
      const ms = performance.now() - startedMs;
      await client.query('rollback');
      verify('what is due is claimed', claimed.length === claimMax * 0.75);
      return ms;
    },
    end: () => client.end(),
  };
}

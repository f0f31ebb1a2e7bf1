import type { Pool } from '../db/pools.ts';
import { isInQueueAs } from './claim.ts';

/**
 * Rows of the queue that one statement moves. Further statements move the rest of a longer backlog. A larger number would keep PostgreSQL
 * busy for so long that requests meanwhile become slow.
 */
const movedAtOnceMax = 1_000;

/** First attempts of a postponed backlog that are due before the rest, for the trials. */
const dueFirst = 10;

/** An endpoint whose backlog is postponed. The rest of its first attempts may be due later. */
export interface Postponed {
  accountId: string;
  endpointId: string;
  untilMs: number;
  restUntilMs: number;
}

/** The times by which deliveries are due (`nowMs`) and leases expire (`realNowMs`). */
export interface Now {
  nowMs: number;
  realNowMs: number;
}

/**
 * Postpones the due deliveries of stuck endpoints, so that no claim scans past them. Claimed deliveries stay as they are.
 *
 * @param begun the endpoints of which an earlier slice has been moved.
 * @returns the endpoints of the moved deliveries, and whether there may be more.
 */
export async function postponeDeliveries(
  pool: Pool,
  { nowMs, realNowMs }: Now,
  endpoints: readonly Postponed[],
  begun: ReadonlySet<string>,
): Promise<{ moved: string[]; more: boolean }> {
  const { rows } = await pool.query<{ webhook_endpoint: string }>({
    name: 'put_off_deliveries',
    text: `
      with stuck as materialized (
        select *
        from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $7::integer[])
          as stuck (account_id, webhook_endpoint, until_ms, rest_until_ms, due_first)
      ),
      first as materialized (
        select account_id, id, webhook_endpoint, stuck.until_ms, stuck.rest_until_ms, stuck.due_first
        from webhook_queue
        join stuck using (account_id, webhook_endpoint)
        where attempt_count = 0 and due_at_ms <= $1 and claimed_until_ms <= $6
        limit ${movedAtOnceMax}
        for update of webhook_queue skip locked
      ),
      again as materialized (
        select account_id, id, stuck.until_ms
        from webhook_queue
        join stuck using (account_id, webhook_endpoint)
        where attempt_count > 0 and due_at_ms <= $1 and claimed_until_ms <= $6
        limit ${movedAtOnceMax}
        for update of webhook_queue skip locked
      )
      update webhook_queue queue
      set due_at_ms = due.until_ms
      from (
        select
          account_id,
          id,
          case
            when row_number() over (partition by webhook_endpoint order by id) <= due_first then until_ms
            else rest_until_ms
          end as until_ms
        from first
        union all
        select account_id, id, until_ms from again
      ) due
      where ${isInQueueAs('due')}
      returning queue.webhook_endpoint`,
    values: [
      nowMs,
      endpoints.map(({ accountId }) => accountId),
      endpoints.map(({ endpointId }) => endpointId),
      endpoints.map(({ untilMs }) => untilMs),
      endpoints.map(({ restUntilMs }) => restUntilMs),
      realNowMs,
      endpoints.map(({ endpointId }) => (begun.has(endpointId) ? 0 : dueFirst)),
    ],
  });
  return { moved: rows.map((row) => row.webhook_endpoint), more: rows.length >= movedAtOnceMax };
}

/**
 * Makes first attempts due again that were postponed until `postponedUntilMs` or earlier. A retry keeps its time.
 *
 * @returns whether there may be more.
 */
export async function bringForward(
  pool: Pool,
  { nowMs, realNowMs }: Now,
  { accountId, endpointId, postponedUntilMs }: { accountId: string; endpointId: string; postponedUntilMs: number },
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'bring_deliveries_forward',
    text: `
      with put_off as materialized (
        select account_id, id
        from webhook_queue
        where account_id = $1
          and webhook_endpoint = $2
          and attempt_count = 0
          and due_at_ms > $3
          and due_at_ms <= $4
          and claimed_until_ms <= $5
        limit ${movedAtOnceMax}
        for update skip locked
      )
      update webhook_queue queue
      set due_at_ms = $3
      from put_off
      where ${isInQueueAs('put_off')}`,
    values: [accountId, endpointId, nowMs, postponedUntilMs, realNowMs],
  });
  return (rowCount ?? 0) >= movedAtOnceMax;
}

import type { Pool } from '../db/pools.ts';
import { isInQueueAs } from './claim.ts';

/** So many places in the queue are moved by one statement; of a longer backlog the rest is moved by the next ones. */
const movedAtOnceMax = 20_000;

/** Of the first attempts that one statement puts off, so many are due before the rest: something has to be there to try with. */
const dueFirst = 10;

/** An endpoint whose backlog is put off: to a time, and the rest of its first attempts to the same or a later one. */
export interface PutOff {
  accountId: string;
  endpointId: string;
  untilMs: number;
  restUntilMs: number;
}

/** What is due by `nowMs`, as far as it is not claimed by `realNowMs`. */
export interface Now {
  nowMs: number;
  realNowMs: number;
}

/**
 * Puts off what is due of endpoints that are stuck, so that no claim walks past it. What is claimed stays as it is.
 *
 * @returns whether more may be due of one of them.
 */
export async function putOffDeliveries(
  pool: Pool,
  { nowMs, realNowMs }: Now,
  endpoints: readonly PutOff[],
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'put_off_deliveries',
    text: `
      with stuck as materialized (
        select *
        from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[])
          as stuck (account_id, webhook_endpoint, until_ms, rest_until_ms)
      ),
      first as materialized (
        select account_id, id, webhook_endpoint, stuck.until_ms, stuck.rest_until_ms
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
            when row_number() over (partition by webhook_endpoint order by id) <= ${dueFirst} then until_ms
            else rest_until_ms
          end as until_ms
        from first
        union all
        select account_id, id, until_ms from again
      ) due
      where ${isInQueueAs('due')}`,
    values: [
      nowMs,
      endpoints.map(({ accountId }) => accountId),
      endpoints.map(({ endpointId }) => endpointId),
      endpoints.map(({ untilMs }) => untilMs),
      endpoints.map(({ restUntilMs }) => restUntilMs),
      realNowMs,
    ],
  });
  return (rowCount ?? 0) >= movedAtOnceMax;
}

/**
 * Makes first attempts due again that were put off until a time at most; a retry keeps the time it has.
 *
 * @returns whether there may be more.
 */
export async function bringForward(
  pool: Pool,
  { nowMs, realNowMs }: Now,
  { accountId, endpointId, putOffUntilMs }: { accountId: string; endpointId: string; putOffUntilMs: number },
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
    values: [accountId, endpointId, nowMs, putOffUntilMs, realNowMs],
  });
  return (rowCount ?? 0) >= movedAtOnceMax;
}

import { arrayLiteral } from '../db/array-literal.ts';
import type { Pool } from '../db/database.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { AttemptError } from './send.ts';

/** What became of a claimed delivery. */
export interface Outcome {
  delivery: ClaimedDelivery;
  /** When it is due again; null if it is over. */
  dueAgainAtMs: number | null;
  /** Null if none was made: the endpoint has gone, or there was no time left. */
  attempt: AttemptRow | null;
}

export interface AttemptRow {
  startedAtMs: number;
  durationMs: number;
  status: number | null;
  error: AttemptError | null;
  response: string | null;
  apiVersion: string;
  outcome: 'delivered' | 'failed' | 'to_be_retried' | 'interrupted';
}

/**
 * Writes outcomes. The queue changes only for those whose claim is still held; an attempt is kept in any case, because it was
 * made. Writing the same outcomes twice changes nothing.
 */
export async function writeOutcomes(pool: Pool, outcomes: Outcome[]): Promise<void> {
  const column = (cell: (outcome: Outcome) => string | number | null): string => arrayLiteral(outcomes.map(cell));
  await pool.query({
    name: 'write_outcomes',
    text: `
      with input as materialized (
        select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::integer[], $7::smallint[],
            $8::text[], $9::text[], $10::text[], $11::text[])
          as input (account_id, id, claim_token, due_again_at_ms, started_at_ms, duration_ms, status, error, response,
            api_version, outcome)
      ),
      held as materialized (
        select input.account_id, input.id, input.due_again_at_ms, input.outcome
        from input
        join webhook_queue queue
          on queue.account_id = input.account_id and queue.id = input.id and queue.claim_token = input.claim_token
        order by input.account_id, input.id
        for update of queue
      ),
      over as (
        delete from webhook_queue queue
        using held
        where queue.account_id = held.account_id and queue.id = held.id and held.due_again_at_ms is null
      ),
      waiting as (
        update webhook_queue queue
        set
          due_at_ms = held.due_again_at_ms,
          attempt_count = queue.attempt_count + (held.outcome is not distinct from 'to_be_retried')::integer,
          claim_token = null,
          claimed_until_ms = 0
        from held
        where queue.account_id = held.account_id and queue.id = held.id and held.due_again_at_ms is not null
      )
      insert into webhook_attempts
        (account_id, delivery_id, started_at_ms, duration_ms, status, error, response, api_version, outcome)
      select account_id, id, started_at_ms, duration_ms, status, error, response, api_version, outcome
      from input
      where outcome is not null
      on conflict do nothing`,
    values: [
      column(({ delivery }) => delivery.accountId),
      column(({ delivery }) => delivery.id),
      column(({ delivery }) => delivery.claimToken),
      column(({ dueAgainAtMs }) => dueAgainAtMs),
      column(({ attempt }) => attempt?.startedAtMs ?? null),
      column(({ attempt }) => attempt?.durationMs ?? null),
      column(({ attempt }) => attempt?.status ?? null),
      column(({ attempt }) => attempt?.error ?? null),
      column(({ attempt }) => attempt?.response ?? null),
      column(({ attempt }) => attempt?.apiVersion ?? null),
      column(({ attempt }) => attempt?.outcome ?? null),
    ],
  });
}

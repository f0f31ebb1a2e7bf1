import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../core/clock.ts';
import { arrayLiteral } from '../db/array-literal.ts';
import type { Pool } from '../db/database.ts';
import { isInQueueAs, type ClaimedDelivery } from './claim.ts';
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

/** Outcomes are written again and again while the database is away, with this pause at most. */
export const rewritePauseMsMax = 1_000;

/** Writes outcomes as they come. No timer: a lone one is written at once, and what comes meanwhile is written together. */
export class OutcomeWriter {
  readonly #parts: { pool: Pool; clock: Clock; log: Logger };
  readonly #onSettled: (count: number) => void;
  #outcomes: Outcome[] = [];
  #writing = false;

  /** @param onSettled told how many have been written, or are of no use any more. */
  constructor(parts: { pool: Pool; clock: Clock; log: Logger }, onSettled: (count: number) => void) {
    this.#parts = parts;
    this.#onSettled = onSettled;
  }

  add(outcome: Outcome): void {
    this.#outcomes.push(outcome);
    if (!this.#writing) void this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    const { pool, log } = this.#parts;
    this.#writing = true;
    for (let pauseMs = 20; this.#outcomes.length > 0;) {
      const outcomes = this.#outcomes.splice(0);
      try {
        await writeOutcomes(pool, outcomes);
        this.#onSettled(outcomes.length);
        pauseMs = 20;
      } catch (error) {
        log.warn({ err: error }, 'outcomes of deliveries could not be written');
        const held = this.#stillHeld(outcomes);
        this.#onSettled(outcomes.length - held.length);
        this.#outcomes = [...held, ...this.#outcomes];
        await delay(pauseMs);
        pauseMs = Math.min(2 * pauseMs, rewritePauseMsMax);
      }
    }
    this.#writing = false;
  }

  /** When its lease is over a delivery is sent again, and what we know of it helps nobody. */
  #stillHeld(outcomes: Outcome[]): Outcome[] {
    const nowMs = this.#parts.clock.nowMs();
    return outcomes.filter(({ delivery }) => nowMs < delivery.claimedUntilMs);
  }
}

/**
 * Writes outcomes. The queue changes only for those whose claim is still held; an attempt is kept in any case, because it was
 * made. Writing the same outcomes twice changes nothing.
 */
async function writeOutcomes(pool: Pool, outcomes: Outcome[]): Promise<void> {
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
          on ${isInQueueAs('input')} and queue.claim_token = input.claim_token
        order by input.account_id, input.id
        for update of queue
      ),
      over as (
        delete from webhook_queue queue
        using held
        where ${isInQueueAs('held')} and held.due_again_at_ms is null
      ),
      waiting as (
        update webhook_queue queue
        set
          due_at_ms = held.due_again_at_ms,
          attempt_count = queue.attempt_count + (held.outcome is not distinct from 'to_be_retried')::integer,
          claim_token = null,
          claimed_until_ms = 0
        from held
        where ${isInQueueAs('held')} and held.due_again_at_ms is not null
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

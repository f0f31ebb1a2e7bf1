import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../core/clock.ts';
import { minuteSeconds } from '../db/activity.ts';
import { arrayLiteral } from '../db/array-literal.ts';
import { isRefusedData, type Pool } from '../db/pools.ts';
import { isInQueueAs, type ClaimedDelivery } from './claim.ts';
import type { AttemptError } from './sender.ts';

/** The outcome of a claimed delivery. */
export interface Outcome {
  delivery: ClaimedDelivery;
  /** The time at which it is due again; null if it has ended. */
  dueAgainAtMs: number | null;
  /** Null if no attempt was made: the endpoint no longer exists, or there was no time left. */
  attempt: AttemptRow | null;
}

export interface AttemptRow {
  startedAtMs: number;
  durationMs: number;
  status: number | null;
  error: AttemptError | null;
  /** Whether the fault is ours: then it does not count against the endpoint. */
  isOurs: boolean;
  response: string | null;
  apiVersion: string;
  outcome: 'delivered' | 'failed' | 'to_be_retried' | 'interrupted';
}

/** Milliseconds. Outcomes are retried while the database cannot be reached, with this pause at most. */
export const rewritePauseMsMax = 1_000;

/**
 * Milliseconds between two writes, unless many outcomes wait. A write costs about the same for one outcome as for ten. Until then a
 * delivery that has arrived is shown as pending. After a crash it would be sent again.
 */
const gatherMs = 50;
const gatherMax = 100;

/** Writes outcomes. A lone one is written at once, and those that follow soon are written together. */
export class OutcomeWriter {
  readonly #parts: { pool: Pool; realClock: Clock; log: Logger };
  readonly #onSettled: (outcomes: readonly Outcome[]) => void;
  #outcomes: Outcome[] = [];
  #writing = false;
  #wroteAtMs = -Infinity;
  /** Ends the wait for further outcomes. */
  #writeNow: (() => void) | null = null;

  /** @param onSettled gets the outcomes that were written or are of no use any more. */
  constructor(parts: { pool: Pool; realClock: Clock; log: Logger }, onSettled: (outcomes: readonly Outcome[]) => void) {
    this.#parts = parts;
    this.#onSettled = onSettled;
  }

  add(outcome: Outcome): void {
    this.#outcomes.push(outcome);
    if (!this.#writing) void this.#writeAll();
    else if (this.#outcomes.length >= gatherMax) this.#writeNow?.();
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    for (let pauseMs = 20; this.#outcomes.length > 0;) {
      await this.#gather();
      this.#wroteAtMs = performance.now();
      const unwritten = await this.#write(this.#outcomes.splice(0));
      if (unwritten.length === 0) {
        pauseMs = 20;
        continue;
      }
      const held = this.#stillHeld(unwritten);
      this.#onSettled(unwritten.filter((outcome) => !held.includes(outcome)));
      this.#outcomes = [...held, ...this.#outcomes];
      await delay(pauseMs);
      pauseMs = Math.min(2 * pauseMs, rewritePauseMsMax);
    }
    this.#writing = false;
  }

  /** Waits for further outcomes, if the last write began a moment ago. */
  async #gather(): Promise<void> {
    const waitMs = this.#wroteAtMs + gatherMs - performance.now();
    if (waitMs <= 0 || this.#outcomes.length >= gatherMax) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#writeNow = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#writeNow = null;
  }

  /**
   * Writes outcomes together. If the database rejects the data of one, halves are written until it is alone. It is then dropped, so that it
   * does not block others.
   *
   * @returns those to retry, because the database cannot be reached or timed out.
   */
  async #write(outcomes: Outcome[]): Promise<Outcome[]> {
    const { pool, log } = this.#parts;
    try {
      await writeOutcomes(pool, outcomes);
    } catch (error) {
      if (!isRefusedData(error)) {
        log.warn({ err: error }, 'outcomes of deliveries could not be written; this is retried');
        return outcomes;
      }
      if (outcomes.length > 1) {
        const middle = Math.ceil(outcomes.length / 2);
        const first = await this.#write(outcomes.slice(0, middle));
        return [...first, ...(await this.#write(outcomes.slice(middle)))];
      }
      const { accountId: account, id, endpointId: endpoint } = outcomes[0]!.delivery;
      log.error(
        { err: error, account, delivery: id, endpoint },
        'the database rejected the outcome of a delivery; the delivery is sent again when its lease expires',
      );
    }
    this.#onSettled(outcomes);
    return [];
  }

  /** Drops outcomes whose lease has expired: their deliveries are sent again. */
  #stillHeld(outcomes: Outcome[]): Outcome[] {
    const nowMs = this.#parts.realClock.nowMs();
    return outcomes.filter(({ delivery }) => nowMs < delivery.claimedUntilMs);
  }
}

const dayMs = 24 * 3600 * 1000;
const minuteMs = minuteSeconds * 1000;

/** An endpoint that was disabled since then starts afresh. */
const goesOn = 'failing.enablement = excluded.enablement';

/**
 * Writes outcomes. The queue changes only for deliveries whose claim is still held. Every attempt is kept, because it was made. A resend
 * that succeeded ends the automatic retries of its event to its endpoint. An endpoint's failures begin with a failed attempt, and end with
 * a successful one. Attempts are counted by minute. Writing the same outcomes twice changes nothing.
 */
async function writeOutcomes(pool: Pool, outcomes: Outcome[]): Promise<void> {
  const column = (cell: (outcome: Outcome) => string | number | boolean | null): string =>
    arrayLiteral(outcomes.map(cell));
  await pool.query({
    name: 'write_outcomes',
    text: `
      with input as materialized (
        select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::integer[], $7::smallint[],
            $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::boolean[])
          as input (account_id, id, claim_token, due_again_at_ms, started_at_ms, duration_ms, status, error, response,
            api_version, outcome, webhook_endpoint, enablement, counts)
      ),
      held as materialized (
        select input.account_id, input.id, input.claim_token, input.due_again_at_ms, input.outcome,
          queue.event, queue.webhook_endpoint, queue.resend
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
      superseded as materialized (
        select queue.account_id, queue.id
        from held
        join webhook_deliveries delivery
          on delivery.account_id = held.account_id
          and delivery.event = held.event
          and delivery.webhook_endpoint = held.webhook_endpoint
        join webhook_queue queue
          on ${isInQueueAs('delivery')} and not queue.resend
        where held.resend and held.outcome = 'delivered'
      ),
      ended as (
        delete from webhook_queue queue
        using superseded
        where ${isInQueueAs('superseded')}
      ),
      waiting as (
        update webhook_queue queue
        set
          due_at_ms = held.due_again_at_ms,
          attempt_count = queue.attempt_count + (held.outcome is not distinct from 'to_be_retried')::integer,
          claim_token = null,
          claimed_until_ms = 0
        from held
        where ${isInQueueAs('held')}
          and held.due_again_at_ms is not null
          -- If one statement changes a row twice, PostgreSQL makes only one of the changes, in no defined order.
          and not exists (select from superseded where superseded.account_id = held.account_id and superseded.id = held.id)
      ),
      inserted as (
        insert into webhook_attempts
          (account_id, delivery_id, started_at_ms, duration_ms, status, error, response, api_version, outcome)
        select account_id, id, started_at_ms, duration_ms, status, error, response, api_version, outcome
        from input
        where outcome is not null
        on conflict do nothing
        returning account_id, delivery_id as id, started_at_ms
      ),
      -- The claim is held, so this outcome is new: the attempt in its place began in the same millisecond, under an earlier claim.
      shifted as (
        insert into webhook_attempts
          (account_id, delivery_id, started_at_ms, duration_ms, status, error, response, api_version, outcome)
        select account_id, id, started_at_ms + 1, duration_ms, status, error, response, api_version, input.outcome
        from input
        join held using (account_id, id, claim_token)
        where input.outcome is not null
          and not exists (
            select
            from inserted
            where inserted.account_id = input.account_id
              and inserted.id = input.id
              and inserted.started_at_ms = input.started_at_ms
          )
        on conflict do nothing
        returning account_id, delivery_id as id, started_at_ms - 1 as started_at_ms
      ),
      made as (
        select * from inserted
        union all
        select * from shifted
      ),
      attempted as (
        insert into activity_deltas (account_id, webhook_endpoint, start, delivered, failed)
        select account_id, webhook_endpoint, started_at_ms / ${minuteMs} * ${minuteSeconds},
          count(*) filter (where outcome = 'delivered'), count(*) filter (where outcome <> 'delivered')
        from input
        join made using (account_id, id, started_at_ms)
        where outcome <> 'interrupted'
        group by account_id, webhook_endpoint, started_at_ms / ${minuteMs}
      ),
      judged as materialized (
        select account_id, webhook_endpoint, max(enablement) as enablement, min(started_at_ms) as since_ms,
          max(started_at_ms) as last_ms, count(*) as attempt_count, bool_or(outcome = 'delivered') as succeeded
        from input
        join made using (account_id, id, started_at_ms)
        where counts
          -- Ignore results for an endpoint that was deleted, disabled or enabled again meanwhile.
          and exists (
            select
            from webhook_endpoints endpoint
            where endpoint.account_id = input.account_id
              and endpoint.id = input.webhook_endpoint
              and endpoint.enablement = input.enablement
              and endpoint.status = 'enabled'
          )
        group by account_id, webhook_endpoint
        order by account_id, webhook_endpoint
      ),
      mended as (
        delete from webhook_failures failing
        using judged
        where judged.succeeded
          and failing.account_id = judged.account_id
          and failing.webhook_endpoint = judged.webhook_endpoint
      )
      insert into webhook_failures as failing
        (account_id, webhook_endpoint, enablement, since_ms, last_ms, attempt_count, day_count)
      select account_id, webhook_endpoint, enablement, since_ms, last_ms, attempt_count, 1
      from judged
      where not succeeded
      on conflict (account_id, webhook_endpoint) do update
      set
        enablement = excluded.enablement,
        since_ms = case when ${goesOn} then failing.since_ms else excluded.since_ms end,
        last_ms = greatest(failing.last_ms, excluded.last_ms),
        attempt_count = excluded.attempt_count + case when ${goesOn} then failing.attempt_count else 0 end,
        day_count = case
          when ${goesOn}
          then failing.day_count + (excluded.last_ms / ${dayMs} > failing.last_ms / ${dayMs})::integer
          else 1
        end`,
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
      column(({ delivery }) => delivery.endpointId),
      column(({ delivery }) => delivery.enablement),
      column(({ attempt }) => attempt !== null && !attempt.isOurs && attempt.outcome !== 'interrupted'),
    ],
  });
}

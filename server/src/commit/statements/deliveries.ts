import { toSeconds } from '../../core/clock.ts';
import { timeOfId } from '../../core/ids.ts';
import type { Id } from '../../core/ids.ts';
import type { TraceParent } from '../../core/tracing.ts';
import { arrayLiteral } from '../../db/array-literal.ts';
import type { BatchEntry } from '../batch-entry.ts';
import type { NewDeliveryClaim, MadeDelivery } from '../new-delivery-claims.ts';
import { type Statement, type Cell, statementOf } from './statement.ts';

/**
 * Inserts a delivery for each endpoint that subscribed to an event, and the deliveries that were requested one by one. Endpoints are read
 * as this transaction sees them. Each delivery gets a place in the queue. With a claim, this process claims those whose event is in the
 * batch, and the statement returns all of them.
 */
export function insertDeliveries(
  batch: readonly BatchEntry[],
  nowMs: number,
  claim: NewDeliveryClaim | null,
): Statement | null {
  const rows: Cell[][] = [];
  const traceParents: (TraceParent | null)[] = [];
  for (const { accountId, events, deliveries, traceParent } of batch) {
    for (const { id, created, type, isForSubscribers, traceParent: ofEvent } of events) {
      if (!isForSubscribers) continue;
      rows.push([accountId, id, created, type, nowMs, null, null, null, null, false]);
      traceParents.push(ofEvent);
    }
    for (const { eventAccountId, eventId, type, id, ...to } of deliveries) {
      const requested = [id, to.accountId, to.endpointId, to.enablement, to.isResend];
      rows.push([eventAccountId, eventId, toSeconds(timeOfId(id)), type, nowMs, ...requested]);
      traceParents.push(traceParent);
    }
  }
  // Without tracing, the statement is the shorter one.
  const isTraced = traceParents.some((traceParent) => traceParent !== null);
  const column = isTraced ? ', trace_parent' : '';
  const statement = statementOf(
    `${claim ? 'insert_claimed_deliveries' : 'insert_deliveries'}${isTraced ? '_traced' : ''}`,
    `
    with input as materialized (
      select *
      from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[],
          $9::bigint[], $10::boolean[]${isTraced ? `, $${claim ? 15 : 11}::text[]` : ''})
        as input (account_id, event, created, type, due_at_ms, requested_delivery, requested_account, requested_endpoint,
          requested_enablement, resend${column})
    ),
    -- Many events of a batch share a type, so endpoints are looked up once for all of them.
    kind as materialized (
      select distinct account_id, type, array['*', type, split_part(type, '.', 1) || '.*'] as names
      from input
      where requested_delivery is null
    ),
    subscribed as materialized (
      select kind.account_id as event_account, kind.type, endpoint.account_id, endpoint.id as webhook_endpoint,
        endpoint.enablement
      from kind
      join webhook_endpoints endpoint on endpoint.account_id = kind.account_id and not endpoint.connected
      where endpoint.status = 'enabled' and endpoint.enabled_events && kind.names
      union all
      -- A parent's endpoints for the events of its connected accounts.
      select kind.account_id, kind.type, endpoint.account_id, endpoint.id, endpoint.enablement
      from kind
      join accounts account on account.account_id = kind.account_id and account.id = kind.account_id
      join webhook_endpoints endpoint on endpoint.account_id = account.parent and endpoint.connected
      where endpoint.status = 'enabled' and endpoint.enabled_events && kind.names
    ),
    wanted as materialized (
      select
        subscribed.account_id,
        -- Its time is the event's. The rest is derived from event and endpoint, so that a batch that is sent again makes the same id.
        'dlv_' || substr(input.event, 5, 10)
          || left(encode(sha256(convert_to(input.event || subscribed.webhook_endpoint, 'UTF8')), 'hex'), 12) as id,
        input.created,
        input.event,
        nullif(input.account_id, subscribed.account_id) as event_account,
        subscribed.webhook_endpoint,
        subscribed.enablement,
        input.type,
        input.due_at_ms,
        input.resend,
        true as is_of_batch${isTraced ? ', input.trace_parent' : ''}
      from subscribed
      join input on input.account_id = subscribed.event_account and input.type = subscribed.type
      where input.requested_delivery is null
      union all
      select requested_account, requested_delivery, created, event, nullif(account_id, requested_account), requested_endpoint,
        requested_enablement, type, due_at_ms, resend, false${column}
      from input
      where requested_delivery is not null
    ),
    recorded as (
      insert into webhook_deliveries (account_id, id, created, event, event_account, webhook_endpoint, type)
      select account_id, id, created, event, event_account, webhook_endpoint, type
      from wanted
    )
    ${claim ? queueClaimed(column) : queue(column)}`,
    rows,
  );
  if (!statement) return null;
  const ofClaim = claim
    ? [arrayLiteral(claim.fullEndpoints), String(claim.max), String(claim.token), String(claim.untilMs)]
    : [];
  const ofTraces = isTraced ? [arrayLiteral(traceParents)] : [];
  return { ...statement, values: [...statement.values, ...ofClaim, ...ofTraces] };
}

/** Tells whether a statement puts deliveries into the queue. */
export function insertsDeliveries({ name }: Statement): boolean {
  return /^insert_(claimed_)?deliveries/.test(name);
}

/** Returns the claimed deliveries with their events, which are in the batch. */
export function claimedDeliveries(batch: readonly BatchEntry[], rows: readonly MadeRow[]): MadeDelivery[] {
  const events = new Map(batch.flatMap((entry) => entry.events.map((event) => [event.id, event] as const)));
  return rows
    .filter((row) => row.is_claimed)
    .map((row) => ({
      accountId: row.account_id,
      id: row.id,
      endpointId: row.webhook_endpoint,
      enablement: row.enablement,
      eventAccountId: row.event_account ?? row.account_id,
      dueAtMs: row.due_at_ms,
      event: events.get(row.event)!,
    }));
}

/** A row that `insert_claimed_deliveries` returns. */
export interface MadeRow {
  account_id: string;
  id: Id<'dlv'>;
  event: Id<'evt'>;
  event_account: string | null;
  webhook_endpoint: string;
  enablement: number;
  due_at_ms: number;
  is_claimed: boolean;
}

/** @param column the last column, after a comma. Empty without tracing. */
const queue = (column: string): string => `
    insert into webhook_queue
      (account_id, id, event, event_account, webhook_endpoint, enablement, due_at_ms, resend${column})
    select account_id, id, event, event_account, webhook_endpoint, enablement, due_at_ms, resend${column}
    from wanted`;

const queueClaimed = (column: string): string => `
    insert into webhook_queue
      (account_id, id, event, event_account, webhook_endpoint, enablement, due_at_ms, resend, claim_token, claimed_until_ms${column})
    select account_id, id, event, event_account, webhook_endpoint, enablement, due_at_ms, resend,
      case when is_claimed then $13::bigint end,
      case when is_claimed then $14::bigint else 0 end${column}
    from (
      select *, is_of_batch and webhook_endpoint <> all($11::text[]) and row_number() over () <= $12::integer as is_claimed
      from wanted
    ) due
    returning account_id, id, event, event_account, webhook_endpoint, enablement, due_at_ms, claim_token is not null as is_claimed`;

/**
 * Removes the pending deliveries of a disabled or deleted endpoint from the queue, which cancels them. The rest of a huge backlog is
 * removed when it is due: the dispatcher sends nothing to such an endpoint. The endpoint's record of failures is cleared.
 */
export function cancelDeliveries(batch: readonly BatchEntry[]): Statement | null {
  return statementOf(
    'cancel_deliveries',
    `
    with input as materialized (
      select * from unnest($1::text[], $2::text[]) as input (account_id, webhook_endpoint)
    ),
    forgotten as (
      delete from webhook_failures failing
      using input
      where failing.account_id = input.account_id and failing.webhook_endpoint = input.webhook_endpoint
    )
    delete from webhook_queue
    where (account_id, id) in (
      select queue.account_id, queue.id
      from input
      join webhook_queue queue using (account_id, webhook_endpoint)
      limit ${canceledAtOnceMax}
    )`,
    batch.flatMap(({ accountId, silencedEndpoints }) => silencedEndpoints.map((endpoint) => [accountId, endpoint])),
  );
}

const canceledAtOnceMax = 20_000;

import type { Id } from '../core/ids.ts';
import type { TraceParent } from '../core/tracing.ts';
import type { Pool } from '../db/pools.ts';

/** A delivery that this process may send until its claim expires. */
export interface ClaimedDelivery {
  accountId: string;
  id: Id<'dlv'>;
  endpointId: string;
  /** The endpoint's enablement when the delivery was made. */
  enablement: number;
  eventId: string;
  /** The owner of the event: the endpoint's own account or a connected one. */
  eventAccountId: string;
  /** Attempts before this one. */
  attemptCount: number;
  dueAtMs: number;
  claimToken: number;
  claimedUntilMs: number;
  /** A resend is tried once. Its success ends the automatic retries of the event to the endpoint. */
  isResend: boolean;
  /** Null if the event no longer exists: then there is nothing to send. */
  event: ClaimedEvent | null;
  /** The place of its event, or of the request that wants it, in a trace. Null if it was made without tracing. */
  traceParent: TraceParent | null;
}

/** An event as it is stored. */
export interface StoredEvent {
  id: string;
  created: number;
  type: string;
  data: string;
  request: string;
  /** The API version whose shape `data` and `request` have: the newest of their time. */
  shapeVersion: string;
}

/** The event of a claimed delivery, or the size of its data if that is large. Large data is read when its attempt begins. */
export type ClaimedEvent = StoredEvent | { dataBytes: number };

/** Bytes. Event data up to this size comes with the claim, so 2,000 held deliveries hold at most 16 MB. */
export const claimedDataBytesMax = 8 * 1024;

export interface ClaimWish {
  /** Deliveries that are due by then are claimed. */
  nowMs: number;
  /** Real time, by which leases expire. No request can move it during an attempt. */
  realNowMs: number;
  /** The end of the lease, longer than an attempt can take. Until then no other process can claim the deliveries. */
  untilMs: number;
  /** The fencing token: an outcome is written only if the claim still has it. */
  token: number;
  /** The most first attempts and the most later ones. Each has its own share, so that neither waits for the other. */
  firstMax: number;
  againMax: number;
  /** Endpoints with enough under way. Their deliveries stay in the database. */
  fullEndpoints: string[];
}

/**
 * Returns the condition that joins a queue place to its delivery. With `=` the planner could scan the whole queue for each batch. It does
 * so after a vacuum that found the queue empty, because it then expects few rows, however many follow. This form allows only an index
 * lookup.
 */
export function isInQueueAs(delivery: string): string {
  return `queue.account_id = any(array[${delivery}.account_id]) and queue.id = ${delivery}.id`;
}

/** Returns the event of a delivery as a claim has it: large data is left out. */
export function claimedEvent(event: StoredEvent): ClaimedEvent {
  const dataBytes = Buffer.byteLength(event.data);
  return dataBytes <= claimedDataBytesMax ? event : { dataBytes };
}

/** The columns of a claim. */
interface ClaimedRow {
  account_id: string;
  id: Id<'dlv'>;
  event: string;
  event_account: string | null;
  webhook_endpoint: string;
  enablement: number;
  attempt_count: number;
  due_at_ms: number;
  resend: boolean;
  trace_parent: TraceParent | null;
  created: number | null;
  type: string;
  data: string | null;
  data_bytes: number;
  request: string;
  shape_version: string;
}

/** Returns the end of a statement that claims the rows of the CTE `due`. Its first parameters are the time, the lease and the token. */
function claimsDue(due: string): string {
  return `
    claimed as (
      update webhook_queue queue
      set claimed_until_ms = $2, claim_token = $3
      from ${due} due
      where ${isInQueueAs('due')}
      returning queue.account_id, queue.id, queue.event, queue.event_account, queue.webhook_endpoint, queue.enablement,
        queue.attempt_count, queue.due_at_ms, queue.resend, queue.trace_parent
    )
    -- The size of a text is known without reading it.
    select claimed.*, event.created, event.type, octet_length(event.data) as data_bytes, event.request, event.shape_version,
      case when octet_length(event.data) <= ${claimedDataBytesMax} then event.data end as data
    from claimed
    left join events event
      on event.account_id = coalesce(claimed.event_account, claimed.account_id) and event.id = claimed.event`;
}

/** Claims due deliveries, the longest due first. Several processes never claim the same one. */
export async function claimDeliveries(pool: Pool, wish: ClaimWish): Promise<ClaimedDelivery[]> {
  const { rows } = await pool.query<ClaimedRow>({
    name: 'claim_deliveries',
    text: `
      with first as materialized (
        select account_id, id
        from webhook_queue
        where attempt_count = 0 and due_at_ms <= $1 and claimed_until_ms <= $7 and webhook_endpoint <> all($6)
        order by due_at_ms
        limit $4
        for update skip locked
      ),
      again as materialized (
        select account_id, id
        from webhook_queue
        where attempt_count > 0 and due_at_ms <= $1 and claimed_until_ms <= $7 and webhook_endpoint <> all($6)
        order by due_at_ms
        limit $5
        for update skip locked
      ),
      ${claimsDue('(select * from first union all select * from again)')}`,
    values: [wish.nowMs, wish.untilMs, wish.token, wish.firstMax, wish.againMax, wish.fullEndpoints, wish.realNowMs],
  });
  return rows.map((row) => claimedDelivery(row, wish));
}

/** A claim of a few deliveries for each of several accounts. */
export interface TurnWish extends Omit<ClaimWish, 'firstMax' | 'againMax'> {
  /** Accounts whose ids come after this one have their turn. */
  afterAccount: string;
  /** The most deliveries. As many accounts have their turn. */
  max: number;
}

/** A turn looks at so many of the newest deliveries of an account. An index has no better order for what is due. */
const lookedAtInTurn = 50;

/**
 * Claims first attempts of accounts in turn. While much is due, the longest due may all be of one account. This claim finds the others. Each
 * account gets one before any gets two. An account alone needs no turns, and keeps its order.
 *
 * @returns the deliveries, and the last account that had its turn. It is empty after the last account of all.
 */
export async function claimInTurns(
  pool: Pool,
  wish: TurnWish,
): Promise<{ claimed: ClaimedDelivery[]; lastAccount: string }> {
  const accounts = await accountsAfter(pool, wish.afterAccount, wish.max);
  if (wish.afterAccount === '' && accounts.length < 2) return { claimed: [], lastAccount: '' };
  const lastAccount = accounts.length < wish.max ? '' : accounts.at(-1)!;
  const { rows } = await pool.query<ClaimedRow>({
    name: 'claim_deliveries_in_turns',
    text: `
      with seen as materialized (
        select seen.account_id, seen.id, row_number() over (partition by seen.account_id order by seen.id) as place
        from unnest($4::text[]) as turn (account_id)
        cross join lateral (
          select *
          from webhook_queue
          where account_id = turn.account_id
          order by id desc
          limit ${lookedAtInTurn}
        ) seen
        where attempt_count = 0 and due_at_ms <= $1 and claimed_until_ms <= $7 and webhook_endpoint <> all($6)
      ),
      due as materialized (
        select queue.account_id, queue.id
        from (select * from seen order by place limit $5) chosen
        join webhook_queue queue on ${isInQueueAs('chosen')}
        where queue.attempt_count = 0 and queue.due_at_ms <= $1 and queue.claimed_until_ms <= $7
        for update of queue skip locked
      ),
      ${claimsDue('due')}`,
    values: [wish.nowMs, wish.untilMs, wish.token, accounts, wish.max, wish.fullEndpoints, wish.realNowMs],
  });
  return { claimed: rows.map((row) => claimedDelivery(row, wish)), lastAccount };
}

/** Reads the accounts with deliveries whose ids come next. It looks up each in the index, and passes over its deliveries. */
async function accountsAfter(pool: Pool, afterAccount: string, max: number): Promise<string[]> {
  const { rows } = await pool.query<{ account_id: string }>({
    name: 'accounts_with_deliveries',
    text: `
      with recursive turn as (
        (select account_id from webhook_queue where account_id > $1 order by account_id limit 1)
        union all
        select next.account_id
        from turn
        cross join lateral (
          select account_id from webhook_queue where account_id > turn.account_id order by account_id limit 1
        ) next
      )
      select account_id from turn limit $2`,
    values: [afterAccount, max],
  });
  return rows.map((row) => row.account_id);
}

function claimedDelivery(row: ClaimedRow, { token, untilMs }: Pick<ClaimWish, 'token' | 'untilMs'>): ClaimedDelivery {
  return {
    accountId: row.account_id,
    id: row.id,
    endpointId: row.webhook_endpoint,
    enablement: row.enablement,
    eventId: row.event,
    eventAccountId: row.event_account ?? row.account_id,
    attemptCount: row.attempt_count,
    dueAtMs: row.due_at_ms,
    isResend: row.resend,
    claimToken: token,
    claimedUntilMs: untilMs,
    event: eventIn(row),
    traceParent: row.trace_parent,
  };
}

/** Releases the deliveries of a claim. It scans the queue, so it is for rare cases. */
export async function releaseClaim(pool: Pool, token: number): Promise<void> {
  await pool.query('update webhook_queue set claimed_until_ms = 0, claim_token = null where claim_token = $1', [token]);
}

/** Reads an event, or returns null if it no longer exists. */
export async function readEvent(pool: Pool, accountId: string, id: string): Promise<StoredEvent | null> {
  const { rows } = await pool.query<EventRow & { created: number; data: string }>({
    name: 'read_event_to_deliver',
    text: `
      select id as event, created, type, data, request, shape_version
      from events
      where account_id = $1 and id = $2`,
    values: [accountId, id],
  });
  return rows[0] ? storedEvent(rows[0]) : null;
}

interface EventRow {
  event: string;
  type: string;
  request: string;
  shape_version: string;
}

function eventIn(
  row: EventRow & { created: number | null; data: string | null; data_bytes: number },
): ClaimedEvent | null {
  const { created, data, data_bytes: dataBytes } = row;
  if (created === null) return null;
  return data === null ? { dataBytes } : storedEvent({ ...row, created, data });
}

function storedEvent(row: EventRow & { created: number; data: string }): StoredEvent {
  const { event: id, created, type, data, request, shape_version: shapeVersion } = row;
  return { id, created, type, data, request, shapeVersion };
}

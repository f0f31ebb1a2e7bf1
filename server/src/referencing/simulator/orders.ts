import type { Provider } from '../../core/vocabulary/providers.ts';
import { query, type Pool } from '../../db/pools.ts';
import { nothingForced, type Disclosure, type Forced, type Rent, type SimulatedOrder } from './order.ts';
import { onlyRow } from '../../db/only-row.ts';

/** Identifies an order: by the customer's reference, or by the service's own id. */
export type OrderKey = { referenceId: string } | { orderId: string };

/** The check that a service is asked to make. */
export interface Wish {
  referenceId: string;
  orderId: string;
  script: string;
  /** Identifies the address of the applicant. Null if there is none. */
  contact: string | null;
  hasGuarantor: boolean;
  rent: Rent | null;
  workingDayMs: number;
  /** Null if the service must not call. */
  callback: { url: string; secret: Buffer } | null;
}

/** An order whose customer is due a callback. */
export interface ToTell {
  order: SimulatedOrder;
  callbackUrl: string;
  /** Encrypted. */
  callbackSecret: Buffer;
  reportedSteps: number;
  attempts: number;
  changes: number;
}

interface Row {
  provider: Provider;
  reference: string;
  order_id: string;
  script: string;
  contact: string | null;
  has_guarantor: boolean;
  rent: Rent | null;
  working_day_ms: number;
  placed_at_ms: number | null;
  canceled_at_ms: number | null;
  calls: number;
  forced: Forced;
  disclosed: Disclosure[];
  callback_url: string | null;
  callback_secret: Buffer | null;
  reported_steps: number;
  tell_attempts: number;
  changes: number;
}

/** Counts a call about an order. Returns null if there is no such order. */
export async function countCall(pool: Pool, provider: Provider, key: OrderKey): Promise<SimulatedOrder | null> {
  const { rows } = await query<Row>(
    pool,
    `update simulated_orders set calls = calls + 1 where provider = $1 and ${columnOf(key)} = $2 returning *`,
    [provider, valueOf(key)],
  );
  return rows[0] ? orderOf(rows[0]) : null;
}

/** Counts an ordering call, and stores what it asks for. Until work begins, the last call counts. */
export async function countOrdering(pool: Pool, provider: Provider, wish: Wish): Promise<SimulatedOrder> {
  const { rows } = await query<Row>(
    pool,
    `
    insert into simulated_orders as known (
      provider, reference, order_id, script, has_guarantor, rent, working_day_ms, calls, forced, callback_url, callback_secret,
      contact
    )
    values ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9, $10, $11)
    on conflict (provider, reference) do update set
      calls = known.calls + 1,
      script = case when known.placed_at_ms is null then excluded.script else known.script end,
      contact = case when known.placed_at_ms is null then excluded.contact else known.contact end,
      has_guarantor = case when known.placed_at_ms is null then excluded.has_guarantor else known.has_guarantor end,
      rent = case when known.placed_at_ms is null then excluded.rent else known.rent end,
      callback_url = case when known.placed_at_ms is null then excluded.callback_url else known.callback_url end,
      callback_secret = case when known.placed_at_ms is null then excluded.callback_secret else known.callback_secret end
    returning *`,
    [
      provider,
      wish.referenceId,
      wish.orderId,
      wish.script,
      wish.hasGuarantor,
      wish.rent && JSON.stringify(wish.rent),
      wish.workingDayMs,
      JSON.stringify(nothingForced),
      wish.callback?.url ?? null,
      wish.callback?.secret ?? null,
      wish.contact,
    ],
  );
  return orderOf(onlyRow(rows));
}

/** Begins work on an order. Returns null if it has begun before: of several concurrent calls, one gets the order. */
export async function beginWork(
  pool: Pool,
  { provider, referenceId }: SimulatedOrder,
  nowMs: number,
): Promise<SimulatedOrder | null> {
  const { rows } = await query<Row>(
    pool,
    `
    update simulated_orders
    set placed_at_ms = $3, tell_at_ms = case when callback_url is not null then $3::bigint end
    where provider = $1 and reference = $2 and placed_at_ms is null
    returning *`,
    [provider, referenceId, nowMs],
  );
  return rows[0] ? orderOf(rows[0]) : null;
}

/** Reads an order, without a call to its service. */
export async function readOrder(pool: Pool, provider: Provider, key: OrderKey): Promise<SimulatedOrder | null> {
  const row = await readRow(pool, provider, key);
  return row && orderOf(row);
}

/**
 * Changes an order by its present state. If work has begun and the service has callbacks, its customer is called at once.
 *
 * @param decide returns the change, or null for none.
 * @returns whether something was changed.
 */
export async function changeOrder(
  pool: Pool,
  provider: Provider,
  key: OrderKey,
  nowMs: number,
  decide: (order: SimulatedOrder) => { forced?: Forced; canceledAtMs?: number; contact?: string } | null,
): Promise<boolean> {
  for (;;) {
    const row = await readRow(pool, provider, key);
    const order = row && orderOf(row);
    const change = order && decide(order);
    if (!change) return false;
    const { rowCount } = await query(
      pool,
      `
      update simulated_orders
      set forced = $4,
        canceled_at_ms = $5,
        contact = $7,
        changes = changes + 1,
        tell_attempts = 0,
        tell_at_ms = case when placed_at_ms is not null and callback_url is not null then $6::bigint end
      where provider = $1 and reference = $2 and changes = $3`,
      [
        provider,
        row.reference,
        row.changes,
        JSON.stringify(change.forced ?? order.forced),
        change.canceledAtMs ?? order.canceledAtMs,
        nowMs,
        change.contact ?? order.contact,
      ],
    );
    if (rowCount === 1) return true;
  }
}

/**
 * Stores which findings the customer was told. A customer with callbacks gets one for each step that follows, at that step's time.
 *
 * @param decide returns the new disclosures and the time of the next callback, or null if nothing new is told.
 */
export async function discloseFindings(
  pool: Pool,
  provider: Provider,
  key: OrderKey,
  decide: (order: SimulatedOrder) => { disclosed: Disclosure[]; tellAtMs: number | null } | null,
): Promise<SimulatedOrder> {
  for (;;) {
    const row = (await readRow(pool, provider, key))!;
    const order = orderOf(row);
    const change = decide(order);
    if (!change) return order;
    const { rowCount } = await query(
      pool,
      `
      update simulated_orders
      set disclosed = $4,
        changes = changes + 1,
        -- A callback that is due sooner keeps its time.
        tell_at_ms = case when callback_url is not null then least(tell_at_ms, $5::bigint) end
      where provider = $1 and reference = $2 and changes = $3`,
      [provider, row.reference, row.changes, JSON.stringify(change.disclosed), change.tellAtMs],
    );
    if (rowCount === 1) return { ...order, disclosed: change.disclosed };
  }
}

/** Claims orders whose customers are due a callback, until a time. */
export async function claimToTell(
  pool: Pool,
  claim: { providers: readonly Provider[]; nowMs: number; untilMs: number; max: number },
): Promise<ToTell[]> {
  const { rows } = await pool.query<Row>({
    name: 'claim_simulated_callbacks',
    text: `
    update simulated_orders claimed
    set claimed_until_ms = $3
    from (
      select provider, reference
      from simulated_orders
      where tell_at_ms <= $2 and claimed_until_ms <= $2 and provider = any($1)
      order by tell_at_ms
      limit $4
      for update skip locked
    ) due
    where claimed.provider = due.provider and claimed.reference = due.reference
    returning claimed.*`,
    values: [claim.providers, claim.nowMs, claim.untilMs, claim.max],
  });
  return rows.map((row) => ({
    order: orderOf(row),
    callbackUrl: row.callback_url!,
    callbackSecret: row.callback_secret!,
    reportedSteps: row.reported_steps,
    attempts: row.tell_attempts,
    changes: row.changes,
  }));
}

/** Releases a claimed order. A change made meanwhile keeps its own time. */
export async function release(
  pool: Pool,
  { order, changes }: ToTell,
  next: { reportedSteps: number; tellAtMs: number | null; attempts: number },
): Promise<void> {
  await query(
    pool,
    `
    update simulated_orders
    set reported_steps = $4,
      tell_at_ms = case when changes = $3 then $5::bigint else tell_at_ms end,
      tell_attempts = case when changes = $3 then $6::bigint else tell_attempts end,
      claimed_until_ms = 0
    where provider = $1 and reference = $2`,
    [order.provider, order.referenceId, changes, next.reportedSteps, next.tellAtMs, next.attempts],
  );
}

async function readRow(pool: Pool, provider: Provider, key: OrderKey): Promise<Row | null> {
  const { rows } = await query<Row>(
    pool,
    `select * from simulated_orders where provider = $1 and ${columnOf(key)} = $2`,
    [provider, valueOf(key)],
  );
  return rows[0] ?? null;
}

function columnOf(key: OrderKey): string {
  return 'orderId' in key ? 'order_id' : 'reference';
}

function valueOf(key: OrderKey): string {
  return 'orderId' in key ? key.orderId : key.referenceId;
}

function orderOf(row: Row): SimulatedOrder {
  return {
    provider: row.provider,
    referenceId: row.reference,
    orderId: row.order_id,
    script: row.script,
    contact: row.contact,
    hasGuarantor: row.has_guarantor,
    rent: row.rent,
    workingDayMs: row.working_day_ms,
    placedAtMs: row.placed_at_ms,
    canceledAtMs: row.canceled_at_ms,
    calls: row.calls,
    forced: row.forced,
    disclosed: row.disclosed,
  };
}

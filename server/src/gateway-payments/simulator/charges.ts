import type { Gateway } from '../../core/vocabulary/gateways.ts';
import { onlyRow } from '../../db/only-row.ts';
import { query, type Pool } from '../../db/pools.ts';
import type { ChargeEvent, SimulatedCharge, SimulatedRefund } from './charge.ts';

/** The simulated gateway, as its rows name it. */
const gateway: Gateway = 'simulator';

/** Identifies a charge: by the idempotency key of its call, or by the gateway's own id. */
export type ChargeKey = { key: string } | { chargeId: string };

interface Row {
  key: string;
  charge_id: string;
  amount: number;
  currency: string;
  working_day_ms: number;
  course: ChargeEvent[];
  refunds: SimulatedRefund[];
  callback_url: string;
  callback_secret: Buffer;
  tell_attempts: number;
  changes: number;
}

/** Stores a new charge, or finds the one with its key. Of several concurrent calls, one makes the charge. */
export async function storeCharge(
  pool: Pool,
  charge: SimulatedCharge,
  callback: { url: string; secret: Buffer },
  tellAtMs: number | null,
): Promise<SimulatedCharge> {
  await query(
    pool,
    `
    insert into simulated_charges (
      gateway, key, charge_id, amount, currency, working_day_ms, course, callback_url, callback_secret, tell_at_ms
    )
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    on conflict (gateway, key) do nothing`,
    [
      gateway,
      charge.key,
      charge.chargeId,
      charge.amount,
      charge.currency,
      charge.workingDayMs,
      JSON.stringify(charge.course),
      callback.url,
      callback.secret,
      tellAtMs,
    ],
  );
  return chargeOf(onlyRow(await readRows(pool, { key: charge.key })));
}

export async function readCharge(pool: Pool, key: ChargeKey): Promise<SimulatedCharge | null> {
  const [row] = await readRows(pool, key);
  return row ? chargeOf(row) : null;
}

/**
 * Changes a charge by its present state. The gateway's customer is called at once.
 *
 * @param decide returns the changed charge, or null for none.
 * @returns the charge after that, and whether it was changed. Null if there is no such charge.
 */
export async function changeCharge(
  pool: Pool,
  key: ChargeKey,
  nowMs: number,
  decide: (charge: SimulatedCharge) => SimulatedCharge | null,
): Promise<{ charge: SimulatedCharge; isChanged: boolean } | null> {
  for (;;) {
    const [row] = await readRows(pool, key);
    if (!row) return null;
    const charge = decide(chargeOf(row));
    if (!charge) return { charge: chargeOf(row), isChanged: false };
    const { rowCount } = await query(
      pool,
      `
      update simulated_charges
      set course = $4, refunds = $5, changes = changes + 1, tell_attempts = 0, tell_at_ms = $6
      where gateway = $1 and key = $2 and changes = $3`,
      [gateway, row.key, row.changes, JSON.stringify(charge.course), JSON.stringify(charge.refunds), nowMs],
    );
    if (rowCount === 1) return { charge, isChanged: true };
  }
}

/** A charge whose customer is due a callback. */
export interface ChargeToTell {
  charge: SimulatedCharge;
  callbackUrl: string;
  /** Encrypted. */
  callbackSecret: Buffer;
  /** The failed calls before this one. */
  attempts: number;
  changes: number;
}

/** Claims charges whose customers are due a callback, until a time. */
export async function claimChargesToTell(
  pool: Pool,
  { nowMs, untilMs, max }: { nowMs: number; untilMs: number; max: number },
): Promise<ChargeToTell[]> {
  const { rows } = await pool.query<Row>({
    name: 'claim_charges_to_tell',
    text: `
    update simulated_charges claimed
    set tell_at_ms = $3
    from (
      select key
      from simulated_charges
      where gateway = $1 and tell_at_ms <= $2
      order by tell_at_ms
      limit $4
      for update skip locked
    ) due
    where claimed.gateway = $1 and claimed.key = due.key
    returning claimed.*`,
    values: [gateway, nowMs, untilMs, max],
  });
  return rows.map((row) => ({
    charge: chargeOf(row),
    callbackUrl: row.callback_url,
    callbackSecret: row.callback_secret,
    attempts: row.tell_attempts,
    changes: row.changes,
  }));
}

/** Stores when the customer is called next. A change made meanwhile keeps its own time. */
export async function releaseCharge(
  pool: Pool,
  { charge, changes }: ChargeToTell,
  next: { tellAtMs: number | null; attempts: number },
): Promise<void> {
  await query(
    pool,
    `
    update simulated_charges
    set tell_at_ms = $4, tell_attempts = $5
    where gateway = $1 and key = $2 and changes = $3`,
    [gateway, charge.key, changes, next.tellAtMs, next.attempts],
  );
}

async function readRows(pool: Pool, key: ChargeKey): Promise<Row[]> {
  const [column, value] = 'key' in key ? ['key', key.key] : ['charge_id', key.chargeId];
  const { rows } = await query<Row>(pool, `select * from simulated_charges where gateway = $1 and ${column} = $2`, [
    gateway,
    value,
  ]);
  return rows;
}

function chargeOf(row: Row): SimulatedCharge {
  return {
    key: row.key,
    chargeId: row.charge_id,
    amount: row.amount,
    currency: row.currency,
    workingDayMs: row.working_day_ms,
    course: row.course,
    refunds: row.refunds,
  };
}

import type { Provider } from '../../core/vocabulary/providers.ts';
import type { Pool } from '../../db/pools.ts';
import { standingOf, workUntil, type Forced, type SimulatedOrder } from './order.ts';
import { changeOrder } from './orders.ts';
import { isFailure } from '../../core/vocabulary/simulation-script.ts';

/*
 * Changes that test helpers force on simulated services. They change the order in the table, so that they work in any process. If the
 * service has callbacks, it calls its customer at once. Each resolves to false if there is no such open order.
 */

/** The most notes that can be forced on an order. */
const notesMax = 100;

/** Takes the next step now. If the order's calls fail, the next step ends the failures. */
export async function advance(pool: Pool, provider: Provider, referenceId: string, nowMs: number): Promise<boolean> {
  return changeOrder(pool, provider, { referenceId }, nowMs, (order) => {
    if (order.canceledAtMs !== null) return null;
    if (order.forced.failure !== null) return { forced: { ...order.forced, failure: null } };
    if (order.placedAtMs === null) return { forced: { ...order.forced, lifted: true } };
    const byMs = workUntil(order, 'next', nowMs);
    return byMs === null ? null : { forced: jumped(order.forced, nowMs, byMs) };
  });
}

/**
 * Completes the order now. It may be done already, as long as its customer was told no finding.
 *
 * @param outcome the final outcome, instead of the script's.
 */
export async function complete(
  pool: Pool,
  provider: Provider,
  referenceId: string,
  nowMs: number,
  outcome: 'accept' | 'consider' | 'high_risk' | null = null,
): Promise<boolean> {
  return changeOrder(pool, provider, { referenceId }, nowMs, (order) => {
    const isUndisclosed = standingOf(order, nowMs).phase === 'done' && order.disclosed.length === 0;
    if (!isOpen(order, nowMs) && !isUndisclosed) return null;
    const forced: Forced = { ...order.forced, outcome, failure: null, lifted: true };
    const byMs = workUntil({ ...order, forced }, 'done', nowMs);
    return { forced: byMs === null ? forced : jumped(forced, nowMs, byMs) };
  });
}

/**
 * Makes every call about the order fail until it is advanced. Calls with `provider_error`, `provider_timeout` or `provider_garbage` fail
 * in their own ways.
 *
 * @param code the service's code for a rejected call, in lower case with underscores.
 * @throws {RangeError} if it is no such code.
 */
export async function fail(
  pool: Pool,
  provider: Provider,
  referenceId: string,
  nowMs: number,
  code: string,
): Promise<boolean> {
  const failure = isFailure(code) ? code : (`error_${code}` as const);
  if (!isFailure(failure)) throw new RangeError(`"${code}" is no code of an error.`);
  return changeOrder(pool, provider, { referenceId }, nowMs, (order) =>
    isOpen(order, nowMs) ? { forced: { ...order.forced, failure } } : null,
  );
}

/** Adds a note of the service. Before the report, only a service that publishes its notes shows it. */
export async function note(
  pool: Pool,
  provider: Provider,
  referenceId: string,
  nowMs: number,
  message: string,
): Promise<boolean> {
  return changeOrder(pool, provider, { referenceId }, nowMs, (order) =>
    isOpen(order, nowMs) && order.forced.notes.length < notesMax
      ? { forced: { ...order.forced, notes: [...order.forced.notes, { atMs: nowMs, message }] } }
      : null,
  );
}

function isOpen(order: SimulatedOrder, nowMs: number): boolean {
  const { phase } = standingOf(order, nowMs);
  return phase !== 'done' && phase !== 'canceled';
}

function jumped(forced: Forced, atMs: number, byMs: number): Forced {
  return { ...forced, jumps: [...forced.jumps, { atMs, byMs }] };
}

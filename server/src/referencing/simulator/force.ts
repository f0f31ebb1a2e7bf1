import type { Provider } from '../../core/providers.ts';
import type { Pool } from '../../db/pools.ts';
import { standingOf, workUntil, type Forced, type SimulatedOrder } from './order.ts';
import { changeOrder } from './orders.ts';
import { isFailure } from '../../core/simulation-script.ts';

/*
 * What test helpers make simulated services do. They change the order in the table, so that they work in any process, and have its customer called
 * at once if the service calls anybody. Each resolves to false if there is no such open order.
 */

/** So many notes can be forced on an order. */
const notesMax = 100;

/** The next step is taken now. For an order whose calls fail the next step is that they do no more. */
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
 * The order is done now. It can be done already, as long as its customer was told no finding.
 *
 * @param outcome what it ends with, instead of what its script says.
 */
export async function complete(
  pool: Pool,
  provider: Provider,
  referenceId: string,
  nowMs: number,
  outcome: 'accept' | 'consider' | 'high_risk' | null = null,
): Promise<boolean> {
  return changeOrder(pool, provider, { referenceId }, nowMs, (order) => {
    const isUntold = standingOf(order, nowMs).phase === 'done' && order.disclosed.length === 0;
    if (!isOpen(order, nowMs) && !isUntold) return null;
    const forced: Forced = { ...order.forced, outcome, failure: null, lifted: true };
    const byMs = workUntil({ ...order, forced }, 'done', nowMs);
    return { forced: byMs === null ? forced : jumped(forced, nowMs, byMs) };
  });
}

/**
 * Every call about the order fails from now on, until it is advanced.
 *
 * @param code what the service refuses with, in lower case with underscores; `provider_error`, `provider_timeout` and
 *   `provider_garbage` do what they say.
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

/** The service notes something, which only a service that tells its notes lets anybody see before the report. */
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

import type { Change } from '../../model/resource.ts';
import type { EarlierOrder, EarlierOrders, ReferenceRecord } from './record.ts';

/*
 * A reference can move from one service to another, or to a check by hand. Its order at the service that it leaves is stopped there. Each
 * order has a key of its own. So a reference can return to a service, and late answers about an earlier order are told apart.
 *
 *     leaveProvider ──▶ waiting ── look up (id unknown) ──▶ stop ──▶ gone
 *                          │              │ not found twice            ▲
 *                          └──────────────┴──── ten failures ──────────┘
 */

/** The server gives up after so many failures in a row. */
const failuresMax = 10;

/** Look-ups without a result. The first may come while the service still takes the order. */
const lookUpsMax = 2;

/** A reference leaves no more services while so many orders are still to be stopped. */
export const waitingOrdersMax = 20;

/** Returns the number of the present order. The first one is 1. */
export function orderNumberOf({ earlier_orders: earlier }: ReferenceRecord): number {
  return (earlier?.left ?? 0) + 1;
}

/** Returns the key by which services know an order. It is the id of the reference, with a number after the first order. */
export function orderKeyOf({ id }: Pick<ReferenceRecord, 'id'>, number: number): string {
  return number === 1 ? id : `${id}-${number}`;
}

/** Returns the id of the reference that a key belongs to. */
export function referenceIdOf(key: string): string {
  return key.replace(/-[1-9]\d{0,8}$/, '');
}

/** Tells whether a service means the present order of the reference by a key. */
export function isPresentKey(reference: ReferenceRecord, provider: string, key: string): boolean {
  return (
    reference.automatic_reference?.provider === provider && orderKeyOf(reference, orderNumberOf(reference)) === key
  );
}

/** Tells whether the reference still has the order that it had when `seen` was read. */
export function hasSameOrder(current: ReferenceRecord, seen: ReferenceRecord): boolean {
  return orderNumberOf(current) === orderNumberOf(seen);
}

/** Returns the earlier order that is stopped next. Null if none waits. */
export function nextToStop({ earlier_orders: earlier }: ReferenceRecord): EarlierOrder | null {
  const due = earlier?.waiting.toSorted((one, other) => one.due_at_ms - other.due_at_ms);
  return due?.[0] ?? null;
}

/** Ends the present order, and schedules its stop at the service if the service may have it. */
export function leaveProvider(current: ReferenceRecord, nowSeconds: number): ReferenceRecord {
  const { automatic_reference: automatic, provider_order: order } = current;
  if (!order || !automatic?.provider) return current;
  const number = orderNumberOf(current);
  const isKnown = order.id !== null || order.called === true || order.begun === true;
  const left: EarlierOrder = {
    provider: automatic.provider,
    number,
    id: order.id,
    missed: 0,
    // The next service gets its order first.
    due_at_ms: nowSeconds * 1000 + 1,
    failures: 0,
  };
  const waiting = current.earlier_orders?.waiting ?? [];
  return {
    ...current,
    provider_order: null,
    earlier_orders: earlierOrders(number, isKnown ? [...waiting, left] : waiting),
  };
}

/**
 * Records the id of an order that the reference has left while it was being made. It is stopped now.
 *
 * @returns null if the stop is scheduled already, or has been made.
 */
export function recordLeft(
  current: ReferenceRecord,
  seen: ReferenceRecord,
  { orderId, isOver }: { orderId: string; isOver: boolean },
  nowMs: number,
): Change<ReferenceRecord> | null {
  const earlier = current.earlier_orders;
  const provider = seen.automatic_reference?.provider;
  if (!earlier || !provider || seen.provider_order?.id !== null || isOver) return null;
  const number = orderNumberOf(seen);
  const known = earlier.waiting.find((order) => order.number === number);
  if (known?.id) return null;
  const found = { provider, number, missed: 0, failures: 0, ...known, id: orderId, due_at_ms: nowMs };
  return withWaiting(current, [...earlier.waiting.filter((order) => order !== known), found]);
}

/** Records that an earlier order is stopped at its service. */
export function recordEarlierStopped(current: ReferenceRecord, stopped: EarlierOrder): Change<ReferenceRecord> | null {
  return replaced(current, stopped, () => null);
}

/** Records that the service does not find an earlier order whose id is not known. It looks once more, a little later. */
export function recordNotFound(
  current: ReferenceRecord,
  missed: EarlierOrder,
  againAtMs: number,
): Change<ReferenceRecord> | null {
  return replaced(current, missed, (now) =>
    // The id has become known meanwhile.
    now.id !== null
      ? now
      : now.missed + 1 >= lookUpsMax
        ? null
        : { ...now, missed: now.missed + 1, failures: 0, due_at_ms: againAtMs },
  );
}

/** Records a failed request about an earlier order, and schedules a retry. */
export function recordStopFailure(
  current: ReferenceRecord,
  failed: EarlierOrder,
  retryAtMs: number,
): Change<ReferenceRecord> | null {
  return replaced(current, failed, (now) =>
    now.failures + 1 >= failuresMax ? null : { ...now, failures: now.failures + 1, due_at_ms: retryAtMs },
  );
}

/** Schedules the request about an earlier order for later, because its service is busy. */
export function postponeStop(
  current: ReferenceRecord,
  postponed: EarlierOrder,
  againAtMs: number,
): Change<ReferenceRecord> | null {
  return replaced(current, postponed, (now) => ({ ...now, due_at_ms: againAtMs }));
}

/** Makes all stops due now. */
export function wakeStops(earlier: EarlierOrders, nowMs: number): EarlierOrders {
  return earlierOrders(
    earlier.left,
    earlier.waiting.map((order) => ({ ...order, due_at_ms: nowMs })),
  );
}

function replaced(
  current: ReferenceRecord,
  { number }: EarlierOrder,
  change: (now: EarlierOrder) => EarlierOrder | null,
): Change<ReferenceRecord> | null {
  const waiting = current.earlier_orders?.waiting ?? [];
  const now = waiting.find((order) => order.number === number);
  // Another process has stopped it.
  if (!now) return null;
  const next = change(now);
  if (next === now) return null;
  return withWaiting(
    current,
    waiting.flatMap((order) => (order === now ? (next ?? []) : order)),
  );
}

function withWaiting(current: ReferenceRecord, waiting: EarlierOrder[]): Change<ReferenceRecord> {
  return { after: { ...current, earlier_orders: earlierOrders(current.earlier_orders!.left, waiting) } };
}

function earlierOrders(left: number, waiting: EarlierOrder[]): EarlierOrders {
  const times = waiting.map(({ due_at_ms: dueAtMs }) => dueAtMs);
  return { due_at_ms: times.length === 0 ? null : Math.min(...times), left, waiting };
}

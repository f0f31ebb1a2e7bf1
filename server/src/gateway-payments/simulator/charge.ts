import { readChargeScript, usualChargeScript } from '../../core/vocabulary/charge-script.ts';

/** A charge as the simulated gateway stores it. */
export interface SimulatedCharge {
  /** The idempotency key of the call that made it. The gateway makes only one charge for it. */
  key: string;
  /** The gateway's own id. */
  chargeId: string;
  /** In the smallest unit of the currency. */
  amount: number;
  currency: string;
  workingDayMs: number;
  /** What happens to it, the earliest first. Later events may still be ahead. */
  course: readonly ChargeEvent[];
  refunds: readonly SimulatedRefund[];
}

export interface ChargeEvent {
  atMs: number;
  to: 'paid' | 'declined' | 'charged_back' | 'voided';
  /** The code of a failure. Null for other events. */
  code: string | null;
}

export interface SimulatedRefund {
  /** The idempotency key of the call that made it. */
  key: string;
  amount: number;
  /** When the gateway sends the money. */
  atMs: number;
  /** The code with which the gateway refused it at once. Null if it did not. */
  refusal: string | null;
}

/** The state of a charge at a time. */
export interface ChargeStanding {
  state: 'submitted' | ChargeEvent['to'];
  paidAtMs: number | null;
  code: string | null;
  refunds: { key: string; amount: number; state: 'processing' | 'sent' | 'rejected'; code: string | null }[];
}

/** The share of a working day that a refund takes. */
const refundDays = 0.25;

/** Returns what will happen to a new charge. An unknown script is the usual one. */
export function courseOf(script: string | null, nowMs: number, workingDayMs: number): ChargeEvent[] {
  const { isTaken, failsWith } = readChargeScript(script || usualChargeScript) ?? readChargeScript(usualChargeScript)!;
  const dayMs = nowMs + workingDayMs;
  if (!isTaken) return [{ atMs: dayMs, to: 'declined', code: failsWith }];
  const paid: ChargeEvent = { atMs: dayMs, to: 'paid', code: null };
  return failsWith === null ? [paid] : [paid, { atMs: dayMs + workingDayMs, to: 'charged_back', code: failsWith }];
}

/** Returns the state at a time. Nothing can be charged back that has been refunded. */
export function standingOf(charge: SimulatedCharge, nowMs: number): ChargeStanding {
  const past = charge.course.filter(({ atMs }) => atMs <= nowMs);
  const paid = past.find(({ to }) => to === 'paid');
  const back = past.find(({ to, atMs }) => to === 'charged_back' && sentBefore(charge, atMs) < charge.amount);
  const last = back ?? paid ?? past.at(-1);
  const untilMs = back?.atMs ?? Infinity;
  return {
    state: last?.to ?? 'submitted',
    paidAtMs: paid?.atMs ?? null,
    code: last?.code ?? null,
    refunds: charge.refunds.map(({ key, amount, atMs, refusal }) => {
      if (refusal !== null) return { key, amount, state: 'rejected', code: refusal };
      if (atMs >= untilMs) return { key, amount, state: 'rejected', code: 'charge_failed' };
      return { key, amount, state: atMs <= nowMs ? 'sent' : 'processing', code: null };
    }),
  };
}

/** Voids a charge whose money was not taken. Returns null if there is nothing to void. */
export function voided(charge: SimulatedCharge, nowMs: number): SimulatedCharge | null {
  if (standingOf(charge, nowMs).state !== 'submitted') return null;
  return { ...charge, course: [{ atMs: nowMs, to: 'voided', code: null }] };
}

/** Adds a refund, which the gateway may refuse. Returns null if the key has one already. */
export function withRefund(
  charge: SimulatedCharge,
  { key, amount }: { key: string; amount: number },
  nowMs: number,
): SimulatedCharge | null {
  if (charge.refunds.some((refund) => refund.key === key)) return null;
  const { state, refunds } = standingOf(charge, nowMs);
  const given = refunds.filter((refund) => refund.state !== 'rejected').reduce((sum, refund) => sum + refund.amount, 0);
  const refusal = state !== 'paid' ? 'charge_not_paid' : given + amount > charge.amount ? 'amount_exceeded' : null;
  const atMs = nowMs + Math.round(charge.workingDayMs * refundDays);
  return { ...charge, refunds: [...charge.refunds, { key, amount, atMs, refusal }] };
}

/** Takes the money now, and sends pending refunds. Returns null if there is nothing to do. */
export function forcedToSucceed(charge: SimulatedCharge, nowMs: number): SimulatedCharge | null {
  const { state, refunds } = standingOf(charge, nowMs);
  if (state === 'submitted') return { ...charge, course: [{ atMs: nowMs, to: 'paid', code: null }] };
  const sending = refunds.filter((refund) => refund.state === 'processing').map(({ key }) => key);
  if (sending.length === 0) return null;
  return {
    ...charge,
    refunds: charge.refunds.map((refund) => (sending.includes(refund.key) ? { ...refund, atMs: nowMs } : refund)),
  };
}

/** Declines the charge now, or charges it back. Returns null if there is nothing to take back. */
export function forcedToFail(charge: SimulatedCharge, code: string | null, nowMs: number): SimulatedCharge | null {
  const { state } = standingOf(charge, nowMs);
  if (state === 'submitted') return { ...charge, course: [{ atMs: nowMs, to: 'declined', code: code ?? 'declined' }] };
  if (state !== 'paid' || sentBefore(charge, nowMs) >= charge.amount) return null;
  const past = charge.course.filter(({ to }) => to === 'paid');
  return { ...charge, course: [...past, { atMs: nowMs, to: 'charged_back', code: code ?? 'bounced' }] };
}

/** Returns the time of the next event after a time, or null. */
export function nextEventAtMs({ course, refunds }: SimulatedCharge, nowMs: number): number | null {
  const later = [...course, ...refunds].map(({ atMs }) => atMs).filter((atMs) => atMs > nowMs);
  return later.length === 0 ? null : Math.min(...later);
}

function sentBefore({ refunds }: SimulatedCharge, beforeMs: number): number {
  const sent = refunds.filter(({ atMs, refusal }) => refusal === null && atMs < beforeMs);
  return sent.reduce((sum, { amount }) => sum + amount, 0);
}

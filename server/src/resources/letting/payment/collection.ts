import { isDay } from '../../../core/calendar.ts';
import { chargeScriptFault } from '../../../core/vocabulary/charge-script.ts';
import { ApiError, invalidParameter } from '../../../core/errors.ts';
import { gatewayFault, type Gateway } from '../../../core/vocabulary/gateways.ts';
import type { JsonObject } from '../../../core/json-diff.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import { metadataOf } from '../../../model/schemas/metadata.ts';
import type { FieldsOf } from '../../../model/record.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import type { Moment } from '../settlement.ts';
import type { TenancyRecord } from '../tenancy/fields.ts';
import type { GatewayOrder, PaymentRecord } from './fields.ts';
import { requireStatus } from '../../../model/status.ts';
import { canceled, failed, refunded, requireLawful, settled, withRefundWanted, type RefundInput } from './moves.ts';

/*
 * A payment with a provider is an order to a payment gateway.
 *
 *           start               look ⟲
 *      new ───────▶ charged ──────────────▶ succeeded, failed, canceled
 *       │              │                        │
 *       │ cancel       │ cancel                 │ refund, look ⟲
 *       ▼              ▼                        ▼
 *    canceled     its answer counts        refunded, failed
 *
 * Only the gateway's word moves the payment. It succeeds when the gateway has taken the money. A refund counts when the gateway has sent the
 * money. `begun` is committed before the first call. So a payment that has not begun is at no gateway, and can be canceled at once.
 */

export type CollectionStep = 'start' | 'look' | 'cancel' | 'refund';

/** A gateway's report on a charge. See `Charge` of the gateways. */
export interface ChargeReport {
  id: string;
  status: 'pending' | 'succeeded' | 'failed' | 'canceled';
  failure: { code: string; message: string | null } | null;
  refunds: readonly {
    key: string;
    status: 'pending' | 'succeeded' | 'failed';
    failure: { code: string; message: string | null } | null;
  }[];
}

/** The ways of paying that a gateway collects by. */
const collectable: readonly string[] = ['direct_debit', 'card'];

/** The failure of a charge that the gateway ended without a reason. */
const noReason = { code: 'failed', message: null };

/** Gives a new payment to its gateway: the one in `provider`, or the account's. */
export function collected(
  made: FieldsOf<PaymentRecord>,
  input: JsonObject,
  caller: Caller,
  related: Related,
): FieldsOf<PaymentRecord> {
  const provider = made.provider ?? defaultGatewayOf(input, caller.account);
  if (provider !== null && made.deposit !== null)
    throw new ApiError(
      'parameters_exclusive',
      'A gateway collects for a tenancy, and not for a deposit. Leave `provider` out, and record the money when it has come.',
      { param: 'provider' },
    );
  if (provider === null) return { ...made, provider };
  const fault = gatewayFault(provider, caller.mode);
  if (fault !== null) throw invalidParameter('provider', fault);
  if (!collectable.includes(made.method))
    throw invalidParameter(
      'method',
      `A gateway collects by ${collectable.join(' or ')}, and not by ${made.method}. Leave \`provider\` out to record money that came in another way.`,
    );
  if (input.status === 'succeeded')
    throw invalidParameter(
      'status',
      'A payment with a `provider` begins `pending`, and succeeds when the gateway has taken the money. Leave `status` out.',
    );
  if (typeof input.received_on === 'string')
    throw invalidParameter(
      'received_on',
      'The gateway tells when it takes the money. Leave `received_on` out, or leave `provider` out to record money that came.',
    );
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  if (tenancy.status === 'draft' || tenancy.status === 'canceled')
    throw new ApiError(
      'status_transition_invalid',
      `The tenancy ${tenancy.id} is \`${tenancy.status}\`. A gateway collects for a tenancy that was signed. Sign it first.`,
      { param: 'tenancy' },
    );
  requireLawful(tenancy, caller.today, caller, { ofTenancy: 'tenancy', ofDay: 'tenancy' });
  requireChargeScript(provider, input);
  return { ...made, provider, status: 'pending', received_on: null, gateway_order: newOrder(caller.nowSeconds) };
}

/** Returns the account's own gateway if it collects a new payment. It does so only if nothing says that the money came already. */
export function defaultGatewayOf(
  input: JsonObject,
  account: Pick<Caller['account'], 'payment_provider'>,
): Gateway | null {
  const { provider, method, deposit, status, received_on: receivedOn, allocations } = input;
  const isRecorded = [deposit, status, receivedOn, allocations].some((sent) => (sent ?? null) !== null);
  if (provider !== undefined || isRecorded || !collectable.some((way) => way === method)) return null;
  return account.payment_provider;
}

/** @throws {ApiError} `parameter_invalid` for a course that the simulated gateway does not know. */
export function requireChargeScript(provider: Gateway | null, input: JsonObject): void {
  const script = metadataOf(input)?.simulate;
  // An empty value removes the pair.
  if (provider !== 'simulator' || script === undefined || script === '') return;
  const fault = chargeScriptFault(script);
  if (fault !== null) throw invalidParameter('metadata[simulate]', fault);
}

function newOrder(nowSeconds: number): GatewayOrder {
  return { id: null, begun: false, due_at_ms: nowSeconds * 1000, failures: 0, refunds_known: 0 };
}

/** Returns the order of a payment that a gateway collects. */
export function gatewayOrderOf({ id, gateway_order: order }: PaymentRecord): GatewayOrder {
  if (!order) throw new Error(`Bug! ${id} has no order.`);
  return order;
}

/** Returns the next step at the gateway, or null. */
export function nextStepOf(payment: PaymentRecord): CollectionStep | null {
  const { status, gateway_order: order, cancel_requested_at: cancelRequestedAt } = payment;
  if (!order) return null;
  if (order.id === null) return status === 'pending' ? 'start' : null;
  if (status === 'pending' && cancelRequestedAt !== null) return 'cancel';
  return refundToAskFor(payment) === null ? 'look' : 'refund';
}

/** Returns the index of the first refund that the gateway does not know yet, or null. */
export function refundToAskFor({ refunds, gateway_order: order }: PaymentRecord): number | null {
  const index = refunds.findIndex(({ status }, at) => status === 'pending' && at >= (order?.refunds_known ?? 0));
  return index < 0 ? null : index;
}

/** Returns the key of a refund. The gateway makes only one refund for it. */
export function refundKeyOf({ id }: Pick<PaymentRecord, 'id'>, index: number): string {
  return `${id}/${index}`;
}

/** Records that the first call to the gateway follows. Null if there is nothing to start any more. */
export function begin(current: PaymentRecord): Change<PaymentRecord> | null {
  if (nextStepOf(current) !== 'start') return null;
  const order = gatewayOrderOf(current);
  return { after: order.begun ? current : withOrder(current, { begun: true }) };
}

/** Makes the next step due now, also if the present one is under way. */
export function wake(current: PaymentRecord, nowMs: number): Change<PaymentRecord> {
  const { gateway_order: order } = current;
  if (!order || nextStepOf(current) === null) return { after: current };
  // The response to the present step may be older than the reason for this one. A different time causes another step.
  const isUnderWay = order.due_at_ms !== null && order.due_at_ms <= nowMs;
  return { after: withOrder(current, { due_at_ms: isUnderWay ? order.due_at_ms! + 1 : nowMs }) };
}

/** Schedules the next step for later, because the gateway has too much to do. This is not a failure. */
export function postponed(current: PaymentRecord, againAtMs: number): Change<PaymentRecord> {
  return { after: withOrder(current, { due_at_ms: againAtMs }) };
}

/** Records a failed call. The gateway may have taken the money, so it is asked until it answers. */
export function callFailed(current: PaymentRecord, retryAtMs: number): Change<PaymentRecord> {
  const { failures } = gatewayOrderOf(current);
  return { after: withOrder(current, { failures: failures + 1, due_at_ms: retryAtMs }) };
}

/** `POST /v1/payments/{id}/cancel`: asks the gateway, if it may know the payment. */
export function cancel(current: PaymentRecord, caller: Caller): Change<PaymentRecord> {
  requireStatus(current, ['pending'], 'payment', 'Only a pending payment can be canceled. Refund one that succeeded.');
  if (current.provider === null) return canceled(current, caller.nowSeconds);
  if (current.cancel_requested_at !== null) return { after: current };
  const requested = { ...current, cancel_requested_at: caller.nowSeconds };
  if (!gatewayOrderOf(current).begun) return canceled(withOrder(requested, { due_at_ms: null }), caller.nowSeconds);
  return wake(requested, caller.nowSeconds * 1000);
}

/** `POST /v1/payments/{id}/refund`: asks the gateway, which sends the money first. */
export function refund(
  current: PaymentRecord,
  caller: Caller,
  input: RefundInput,
  related: Related,
): Change<PaymentRecord> {
  const wanted = withRefundWanted(current, input);
  if (current.provider !== null) return wake(wanted, caller.nowSeconds * 1000);
  return refunded(wanted, current.refunds.length, caller, related);
}

/** The circumstances of a call to the gateway, for the decision about its response. */
export interface CallContext extends Moment {
  nowMs: number;
  step: CollectionStep;
  /** When the step was due. If the order has another time now, another step was requested for that time. */
  dueAtMs: number | null;
  /** When to look again at a charge or a refund that is pending. */
  nextLookAtMs: number;
  /** When to look again at a payment that succeeded, because it may bounce. Null after some time. */
  lateLookAtMs: number | null;
  /** The day on which the gateway took the money, in the time zone of the account. Null if it has not. */
  takenOn: string | null;
}

/** Moves the payment as the gateway reports. One report makes one move: if another one follows, the next look makes it. */
export function applyReport(
  current: PaymentRecord,
  report: ChargeReport,
  call: CallContext,
  related: Related,
): Change<PaymentRecord> {
  const before = gatewayOrderOf(current);
  const known = report.refunds.flatMap(({ key }) => indexOf(current, key));
  const heard = withOrder(current, {
    id: report.id,
    failures: 0,
    refunds_known: Math.max(before.refunds_known, ...known.map((index) => index + 1)),
  });
  const moved = moveOf(heard, report)?.(call, related) ?? { after: heard };
  const next = dueAfter(moved.after, report, call);
  // A request or a callback may have set another time meanwhile.
  const wanted = before.due_at_ms === call.dueAtMs ? null : before.due_at_ms;
  const dueAtMs = wanted === null ? next : Math.min(wanted, next ?? wanted);
  return { ...moved, after: withOrder(moved.after, { due_at_ms: dueAtMs }) };
}

type Move = (call: CallContext, related: Related) => Change<PaymentRecord>;

/** Returns the move that the report calls for, or null. A refund counts before a bounce, which takes what is left. */
function moveOf(current: PaymentRecord, report: ChargeReport): Move | null {
  const reason = report.failure ?? noReason;
  if (current.status === 'pending') {
    if (report.status === 'succeeded') return (call, related) => taken(current, call, related);
    if (report.status === 'failed') return (call, related) => failed(current, reason, call, related);
    if (report.status === 'canceled') return ({ nowSeconds }) => canceled(current, nowSeconds);
    return null;
  }
  for (const { key, status, failure } of report.refunds) {
    const [index] = indexOf(current, key);
    if (index === undefined || current.refunds[index]?.status !== 'pending' || status === 'pending') continue;
    if (status === 'succeeded' && current.status !== 'succeeded') continue;
    if (status === 'failed') return () => refundFailed(current, index, failure ?? noReason);
    return (call, related) => refunded(current, index, call, related);
  }
  const isOver = report.status === 'failed' || report.status === 'canceled';
  return isOver && current.status === 'succeeded' ? (call, related) => failed(current, reason, call, related) : null;
}

/** Settles the oldest due invoices on the day on which the gateway took the money. */
function taken(current: PaymentRecord, call: CallContext, related: Related): Change<PaymentRecord> {
  const { takenOn, today } = call;
  const receivedOn = takenOn !== null && isDay(takenOn) && takenOn < today ? takenOn : today;
  return { ...settled({ ...current, received_on: receivedOn }, null, call, related), verbs: ['succeeded'] };
}

function refundFailed(
  current: PaymentRecord,
  index: number,
  failure: NonNullable<PaymentRecord['failure']>,
): Change<PaymentRecord> {
  const refunds = current.refunds.map((one, at) =>
    at === index ? { ...one, status: 'failed' as const, failure } : one,
  );
  return { after: { ...current, refunds } };
}

/** Returns when the next step is due, or null if only a callback can bring news. */
function dueAfter(after: PaymentRecord, report: ChargeReport, { nowMs, step, ...call }: CallContext): number | null {
  const isMoreToDo = moveOf(after, report) !== null || refundToAskFor(after) !== null;
  if (isMoreToDo || (nextStepOf(after) === 'cancel' && step !== 'cancel')) return nowMs;
  const isOpen = after.status === 'pending' || after.refunds.some(({ status }) => status === 'pending');
  if (isOpen) return call.nextLookAtMs;
  return after.status === 'succeeded' ? call.lateLookAtMs : null;
}

function indexOf(payment: PaymentRecord, key: string): number[] {
  const index = payment.refunds.findIndex((_, at) => refundKeyOf(payment, at) === key);
  return index < 0 ? [] : [index];
}

function withOrder(payment: PaymentRecord, changes: Partial<GatewayOrder>): PaymentRecord {
  return { ...payment, gateway_order: { ...gatewayOrderOf(payment), ...changes } };
}

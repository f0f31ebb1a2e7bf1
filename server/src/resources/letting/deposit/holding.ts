import { ApiError, invalidParameter } from '../../../core/errors.ts';
import { addDays } from '../../../core/calendar.ts';
import { judge, refuseFailed } from '../../../law/index.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import { requireStatus, wrongStatus } from '../../../model/status.ts';
import type { ApplicationRecord } from '../application/index.ts';
import { Changes } from '../changes.ts';
import type { TenancyRecord } from '../tenancy/fields.ts';
import { withWarnings } from '../warnings.ts';
import { deadlineFactsOf, judged, scopeOf } from './deadlines.ts';
import { applicationsMax, heldOf, type DepositRecord } from './fields.ts';
import { requireHeld, requireType, settledIfEmpty, withPartAdvice } from './held.ts';
import { payTenancy, requireCurrency } from './payouts.ts';
import { requireRoom, requireWhileHeld, verbsOfReceipt, withReceipts } from './receipts.ts';
import { withRepayBy } from './repayment.ts';

/*
 *  pending ── payments reach amount ──▶ received ── nothing is held ──▶ settled
 *     │  ╲───────────── nothing is held ──────────────────────────────▶ settled
 *     └── cancel ──▶ canceled
 *
 * Money goes by `apply`, `retain` and `return`. A payment that fails makes a received deposit pending again.
 */

const onlyHolding = 'Only a holding deposit can do this. Use `release` for a tenancy deposit.';

/** `POST /v1/deposits/{id}/extend`. */
export function extend(
  current: DepositRecord,
  caller: Caller,
  { decide_by: decideBy }: { decide_by: string; agreed_in_writing: true },
  related: Related,
): Change<DepositRecord> {
  requireType(current, 'holding', onlyHolding);
  requireStatus(current, ['received'], 'deposit', 'Only a received holding deposit has a `decide_by` to extend.');
  const next = addDays(current.decide_by!, 1);
  if (decideBy <= current.decide_by!)
    throw invalidParameter(
      'decide_by',
      next > current.decide_by!
        ? `\`decide_by\` is ${current.decide_by} already. Send ${next} or a later day.`
        : `\`decide_by\` is ${current.decide_by} already, the last day of the calendar. It cannot be later.`,
    );
  return judged(current, { after: withRepayBy({ ...current, decide_by: decideBy }) }, caller, related);
}

/** A part of a holding deposit, and where it goes: a deposit or a tenancy. */
interface Part {
  deposit?: string | null;
  tenancy?: string | null;
  amount: number;
}

export interface ApplyInput {
  to: Part[];
  payer_consents: true;
}

/** The links whose records `apply` reads. */
export const readsOfApplying = [
  'application',
  'to.deposit',
  'to.deposit.tenancy',
  'to.tenancy',
  'to.tenancy.owed.invoice',
] as const;

/** `POST /v1/deposits/{id}/apply`: to tenancy deposits, and to what tenants owe. */
export function apply(
  current: DepositRecord,
  caller: Caller,
  { to }: ApplyInput,
  related: Related,
): Change<DepositRecord> {
  requireType(current, 'holding', onlyHolding);
  requireStatus(
    current,
    ['received'],
    'deposit',
    withPartAdvice(current, 'Only a received holding deposit can be applied.'),
  );
  const total = to.reduce((sum, { amount }) => sum + amount, 0);
  requireHeld(current, total, 'to');
  if (current.applied_to.length + to.length > applicationsMax)
    throw new ApiError(
      'limit_reached',
      `A holding deposit can be applied to ${applicationsMax} parts at most, and ${current.id} has ${current.applied_to.length}.`,
      { param: 'to' },
    );
  requireOnce(to);
  const changes = new Changes(related);
  for (const [index, part] of to.entries()) applyPart(current, part, `to[${index}]`, { caller, related, changes });
  const parts = to.map(({ deposit, tenancy, amount }) => ({
    deposit: deposit ?? null,
    tenancy: tenancy ?? null,
    amount,
  }));
  const applied = {
    ...current,
    amount_applied: current.amount_applied + total,
    applied_to: [...current.applied_to, ...parts],
    applied_at: caller.nowSeconds,
  };
  const change = { after: settledIfEmpty(applied, caller.today), verbs: ['applied'] };
  return { ...judged(current, change, caller, related), also: changes.all() };
}

/** @throws {ApiError} if a target has no link or two, or if two targets are the same. */
function requireOnce(to: ApplyInput['to']): void {
  const seen = new Set<string>();
  for (const [index, { deposit, tenancy }] of to.entries()) {
    const id = deposit ?? tenancy;
    if (!id)
      throw new ApiError('parameter_missing', 'Send `deposit` or `tenancy`, to which the part is applied.', {
        param: `to[${index}][deposit]`,
      });
    if (deposit && tenancy)
      throw new ApiError(
        'parameters_exclusive',
        'A part is applied to a `deposit` or to a `tenancy`. Send one of them, and the other one in a part of its own.',
        { param: `to[${index}][tenancy]` },
      );
    if (seen.has(id))
      throw invalidParameter(`to[${index}]`, `\`${id.slice(0, 80)}\` is there twice. Send one part for each.`);
    seen.add(id);
  }
}

/** What the moves of the parts share. */
interface Applying {
  caller: Caller;
  related: Related;
  changes: Changes;
}

/** Applies one part. Its links were read, so they are there. */
function applyPart(current: DepositRecord, part: Part, at: string, { caller, related, changes }: Applying): void {
  const { deposit, tenancy: tenancyId, amount } = part;
  if (deposit) return applyToDeposit(current, deposit, amount, at, { caller, related, changes });
  const tenancy = related.all<TenancyRecord>('to.tenancy').find(({ id }) => id === tenancyId)!;
  const param = `${at}[tenancy]`;
  requireOwnLet(current, tenancy, param, related);
  const payout = { tenancy, amount, method: 'holding_deposit', on: caller.today, param } as const;
  payTenancy(current, payout, related.all('to.tenancy.owed.invoice'), caller, changes);
}

/**
 * Requires that a tenancy is the let that a holding deposit was taken for. The tenancy names its application, or is of its home and one
 * of the applicants.
 *
 * @throws {ApiError} `parameter_invalid`.
 */
function requireOwnLet(current: DepositRecord, tenancy: TenancyRecord, param: string, related: Related): void {
  if (tenancy.application === current.application) return;
  const applicants = related.one<ApplicationRecord>('application')?.customers ?? [];
  if (tenancy.unit === current.unit && tenancy.customers.some((tenant) => applicants.includes(tenant))) return;
  throw invalidParameter(
    param,
    `The holding deposit ${current.id} is for the application ${current.application}, and the tenancy ${tenancy.id} is another let. Choose a tenancy of that application, or one of the unit ${current.unit} with one of the applicants.`,
  );
}

function applyToDeposit(
  current: DepositRecord,
  id: string,
  amount: number,
  at: string,
  { caller, related, changes }: Applying,
): void {
  const param = `${at}[deposit]`;
  const target = related.all<DepositRecord>('to.deposit').find((candidate) => candidate.id === id)!;
  if (target.type !== 'tenancy')
    throw invalidParameter(param, `${id} is a holding deposit. A holding deposit is applied to a tenancy deposit.`);
  const tenancy = related.all<TenancyRecord>('to.deposit.tenancy').find((each) => each.id === target.tenancy)!;
  requireOwnLet(current, tenancy, param, related);
  requireCurrency(current, target.currency, target.id, param);
  if (target.status !== 'pending' && target.status !== 'protected')
    throw new ApiError(
      'status_transition_invalid',
      `The deposit ${target.id} is \`${target.status}\`, so it receives nothing. Choose a pending one.`,
      { param },
    );
  const { status, signed_on: signedOn } = tenancy;
  if (signedOn === null || status === 'canceled')
    throw new ApiError(
      'status_transition_invalid',
      `The deposit ${target.id} receives the money on the day of the signing, and the tenancy ${tenancy.id} is \`${status}\`. Sign it first, or choose another one.`,
      { param },
    );
  requireRoom(target, amount, `${at}[amount]`);
  requireUnderCap(target, tenancy, amount, `${at}[amount]`, caller);
  const receipt = { source: current.id, on: signedOn, amount, at: caller.nowSeconds };
  const after = withReceipts(target, [...target.receipts, receipt]);
  changes.move(target, { after, verbs: verbsOfReceipt(target, after) });
}

/**
 * Judges the money by the rent of today, as a payment is. The rent may have been lowered since the deposit was agreed.
 *
 * @throws {ApiError} `check_failed` for `deposit_cap`.
 */
function requireUnderCap(
  target: DepositRecord,
  { jurisdiction, type, rent }: TenancyRecord,
  paid: number,
  param: string,
  caller: Caller,
): void {
  const { amount_received: received } = target;
  const facts = { jurisdiction, type, amount: received + paid, received, rent, param };
  refuseFailed(judge(caller.account.rules, 'take_deposit', caller.today, facts));
}

export interface RetainInput {
  amount: number;
  reason: NonNullable<DepositRecord['retention']>['reason'];
  explanation: string;
}

/** `POST /v1/deposits/{id}/retain`. */
export function retain(
  current: DepositRecord,
  caller: Caller,
  { amount, reason, explanation }: RetainInput,
  related: Related,
): Change<DepositRecord> {
  requireType(current, 'holding', onlyHolding);
  requireStatus(
    current,
    ['received'],
    'deposit',
    withPartAdvice(current, 'Only a received holding deposit can be retained.'),
  );
  if (current.retention)
    throw wrongStatus(current, 'deposit', `${current.retention.amount} of it were retained already. Return the rest.`);
  requireHeld(current, amount, 'amount');
  const retained: DepositRecord = {
    ...current,
    amount_deducted: current.amount_deducted + amount,
    retention: { amount, reason, explanation },
    retained_at: caller.nowSeconds,
    retained_on: caller.today,
  };
  const judgement = judge(caller.account.rules, 'retain_holding_deposit', caller.today, {
    ...scopeOf(related),
    ...deadlineFactsOf(retained),
    signedOn: retained.signed_on,
  });
  refuseFailed(judgement);
  const change = { after: settledIfEmpty(retained, caller.today), verbs: ['retained'] };
  const warned = withWarnings(current, change, [judgement], caller.nowSeconds);
  return judged(current, warned, caller, related);
}

/** `POST /v1/deposits/{id}/return`. */
export function giveBack(
  current: DepositRecord,
  caller: Caller,
  { amount: wanted, returned_on: returnedOn }: { amount?: number | null; returned_on: string },
  related: Related,
): Change<DepositRecord> {
  requireType(current, 'holding', onlyHolding);
  requireStatus(current, ['pending', 'received'], 'deposit', 'Only a pending or received holding deposit can go back.');
  requireWhileHeld(current, 'returned_on', returnedOn, caller);
  const amount = wanted ?? heldOf(current);
  requireHeld(current, Math.max(amount, 1), 'amount');
  const returned: DepositRecord = {
    ...current,
    amount_returned: current.amount_returned + amount,
    returned_on: returnedOn,
    returned_at: caller.nowSeconds,
  };
  const change = { after: settledIfEmpty(returned, caller.today), verbs: ['returned'] };
  return judged(current, change, caller, related);
}

/** Says how the money of a deposit that has received a part goes back. */
function mendOf({ type, amount_received: received }: DepositRecord): string {
  return type === 'holding' ? 'Call `return`.' : `Set its \`amount\` to ${received}, and call \`release\`.`;
}

/** `POST /v1/deposits/{id}/cancel`, for both types. */
export function cancel(current: DepositRecord, caller: Caller): Change<DepositRecord> {
  requireStatus(current, ['pending'], 'deposit', 'Only a pending deposit that has received nothing can be canceled.');
  if (current.amount_received > 0)
    throw wrongStatus(
      current,
      'deposit',
      `It has received ${current.amount_received}, so it cannot be canceled. ${mendOf(current)}`,
    );
  return {
    after: { ...current, status: 'canceled', canceled_at: caller.nowSeconds },
    verbs: ['canceled'],
  };
}

import { addDays } from '../../../core/calendar.ts';
import { ApiError, invalidParameter } from '../../../core/errors.ts';
import { judge, refuseFailed } from '../../../law/index.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import { isErased, toDecision } from '../../../model/change.ts';
import type { Related } from '../../../model/related.ts';
import type { Change, RecordChange, Resource } from '../../../model/resource.ts';
import { requireStatus } from '../../../model/status.ts';
import { recordInUse } from '../../../model/traits/in-use.ts';
import type { ApplicationRecord } from '../application/index.ts';
import { dayInWords, requireNotFuture } from '../days.ts';
import { heldOf, type DepositRecord } from '../deposit/fields.ts';
import { cancel as cancelDeposit } from '../deposit/holding.ts';
import { guarantor, type GuarantorRecord } from '../guarantor.ts';
import { holderBetween, requireUnarchived, type UnitRecord } from '../unit.ts';
import { withWarnings } from '../warnings.ts';
import { jurisdictionOf, termsOf } from './draft.ts';
import type { sentEndReasons, TenancyRecord } from './fields.ts';
import { requireKnownCharges, settleLastRent } from './last-rent.ts';
import { unrecordedTenants } from './standing-checks.ts';

/*
 *  draft ── sign ──▶ signed ── start_date ──▶ active ── end_date is past, end ──▶ ended
 *    │                 │  ╲                    │  ▲                               ▲
 *    │                 │   ╲   give_notice     │  │ withdraw_notice               │
 *    │                 │    ╲──────────────────▼──│────▶ notice ─────────────────┘
 *    └──── cancel ─────┴──▶ canceled
 *
 * A new day activates and ends tenancies; see `dawn.ts`. A landlord's notice does not end a tenancy: the tenant leaves, or a court decides.
 */

export interface Signing {
  signed_on: string;
  agreement?: string | null;
}

/** `POST /v1/tenancies/{id}/sign`. */
export function sign(
  current: TenancyRecord,
  caller: Caller,
  { signed_on: signedOn, agreement }: Signing,
  related: Related,
): Change<TenancyRecord> {
  requireStatus(current, ['draft'], 'tenancy', 'Only a draft can be signed.');
  requireNotFuture('signed_on', signedOn, caller);
  const home = requireUnit(current, related);
  requireUnarchived(home, 'unit');
  requireOpenApplication(current, related);
  requireTenants(related);
  requireFree(home, current);
  const { type, statement_given_on: statementGivenOn } = current;
  const unrecorded = unrecordedTenants(current, related);
  const judgement = judge(caller.account.rules, 'sign', signedOn, {
    jurisdiction: jurisdictionOf(related),
    type,
    ...termsOf(current, related),
    signedOn,
    statementGivenOn,
    unrecordedTenants: unrecorded,
  });
  refuseFailed(judgement);
  const agreed = guarantorsOf(related).filter(({ status }) => status === 'agreed');
  const signed: TenancyRecord = {
    ...current,
    status: 'signed',
    jurisdiction: jurisdictionOf(related),
    signed_on: signedOn,
    signed_at: caller.nowSeconds,
    agreement: agreement ?? current.agreement,
    agreed_end_date: current.end_date,
    unrecorded_tenants: unrecorded,
    guarantors: agreed.map(({ id }) => id),
  };
  return {
    ...withWarnings(current, { after: signed, verbs: ['signed'] }, [judgement], caller.nowSeconds),
    also: withTenancy(guarantorsOf(related), current.id),
  };
}

export interface EndInput {
  ended_on: string;
  reason: (typeof sentEndReasons)[number];
}

/** `POST /v1/tenancies/{id}/end`. */
export function end(
  current: TenancyRecord,
  caller: Caller,
  { ended_on: endedOn, reason }: EndInput,
  related: Related,
): Change<TenancyRecord> {
  requireStatus(
    current,
    ['active', 'notice'],
    'tenancy',
    'Only an active tenancy, or one in notice, can end. Cancel a signed one that has not begun.',
  );
  requireNotFuture('ended_on', endedOn, caller);
  if (endedOn < current.start_date)
    throw invalidParameter(
      'ended_on',
      `\`ended_on\` must be ${current.start_date} or later, when the tenancy started.`,
    );
  if (current.end_date !== null && endedOn > current.end_date)
    throw invalidParameter('ended_on', `\`ended_on\` must be ${current.end_date} or earlier, the end that is known.`);
  requireKnownCharges(current, endedOn);
  return {
    after: ended(current, endedOn, reason, caller.nowSeconds),
    verbs: ['ended'],
    also: settleLastRent(current, endedOn, caller, related),
  };
}

/** Returns the tenancy after its end. */
export function ended(
  current: TenancyRecord,
  endDate: string,
  reason: NonNullable<TenancyRecord['end_reason']>,
  nowSeconds: number,
): TenancyRecord {
  return { ...current, status: 'ended', end_date: endDate, end_reason: reason, ended_at: nowSeconds };
}

/** `POST /v1/tenancies/{id}/cancel`. */
export function cancel(
  current: TenancyRecord,
  caller: Caller,
  { reason }: { reason?: string | null },
  related: Related,
): Change<TenancyRecord> {
  requireStatus(
    current,
    ['draft', 'signed'],
    'tenancy',
    'Only a draft, or a signed tenancy that has not begun, can be canceled. End an active one: `end`.',
  );
  const [open] = current.owed;
  if (open)
    throw recordInUse(`The invoice ${open.invoice} of the tenancy ${current.id} is open. Void or credit it first.`);
  const deposit = related.one<DepositRecord>('deposit');
  if (deposit && heldOf(deposit) > 0)
    throw recordInUse(
      `The deposit ${deposit.id} of the tenancy ${current.id} holds ${heldOf(deposit)}. Release it first, or record that its payment failed.`,
    );
  return {
    after: { ...current, status: 'canceled', cancel_reason: reason ?? null, canceled_at: caller.nowSeconds },
    verbs: ['canceled'],
    also: [
      ...(current.status === 'signed' ? withTenancy(guarantorsOf(related), null) : []),
      ...withoutDeposit(deposit, caller, related),
      ...settleLastRent(
        current,
        addDays(current.start_date, -1),
        caller,
        related,
        `The tenancy was canceled on ${dayInWords(caller.today)}.`,
      ),
    ],
  };
}

/** Cancels the deposit of a canceled tenancy, so that it receives nothing any more. */
function withoutDeposit(deposit: DepositRecord | null, caller: Caller, related: Related): RecordChange[] {
  if (deposit?.status !== 'pending') return [];
  return toDecision(related.kindOf<Resource>(deposit), deposit, cancelDeposit(deposit, caller)).changes;
}

/** The links whose records `sign` reads. */
export const readsOfSigning = [
  'unit',
  'unit.building',
  'customers',
  'application',
  'application.guarantors',
  'replaces',
] as const;

function guarantorsOf(related: Related): readonly GuarantorRecord[] {
  return related.all<GuarantorRecord>('application.guarantors');
}

/** Sets the tenancy of the guarantors that stand by it. */
function withTenancy(guarantors: readonly GuarantorRecord[], tenancy: string | null): RecordChange[] {
  return guarantors
    .filter(({ status }) => status === 'proposed' || status === 'agreed')
    .flatMap((current) => {
      const after: GuarantorRecord = { ...current, tenancy };
      return toDecision(guarantor, current, { after }).changes;
    });
}

export function requireUnit({ unit }: TenancyRecord, related: Related): UnitRecord {
  const found = related.one<UnitRecord>('unit');
  if (found) return found;
  throw new ApiError('resource_missing', `The unit ${unit} was deleted. Draft a tenancy of another unit.`, {
    param: 'unit',
    status: 400,
  });
}

/** @throws {ApiError} `status_transition_invalid` if the tenancy's application was rejected, withdrawn or converted. */
function requireOpenApplication({ application: id }: TenancyRecord, related: Related): void {
  if (id === null) return;
  const application = related.one<ApplicationRecord>('application');
  if (!application)
    throw new ApiError('resource_missing', `The application ${id} was deleted. Draft a tenancy without it.`, {
      param: 'application',
      status: 400,
    });
  if (application.status === 'open' || application.status === 'approved') return;
  throw new ApiError(
    'status_transition_invalid',
    `The application ${id} is ${application.status}. Only a tenancy of an open or approved application can be signed.`,
    { param: 'application' },
  );
}

/** @throws {ApiError} `resource_missing` if a tenant was erased. */
function requireTenants(related: Related): void {
  const erased = related.all('customers').find(isErased);
  if (!erased) return;
  throw new ApiError('resource_missing', `The customer ${erased.id} was deleted. Draft a tenancy of the others.`, {
    param: 'customers',
    status: 400,
  });
}

/** @throws {ApiError} `unit_occupied` if another tenancy holds the unit on one of the days. */
export function requireFree(home: UnitRecord, tenancy: TenancyRecord): void {
  const holder = holderBetween(home, tenancy);
  if (holder) throw unitOccupied(home.id, holder);
}

function unitOccupied(
  unitId: string,
  { tenancy, start_date: start, end_date: last, status }: UnitRecord['lets'][number],
): ApiError {
  const days = last === null ? `from ${start} on` : `from ${start} to ${last}`;
  // The past days of an ended tenancy cannot be given free.
  const advice =
    status === 'ended' ? 'Choose later days.' : `Choose days on which it is free, or end or cancel ${tenancy} first.`;
  return new ApiError(
    'unit_occupied',
    `The tenancy ${tenancy} (${status}) holds the unit ${unitId} ${days}. ${advice}`,
    { param: 'unit' },
  );
}

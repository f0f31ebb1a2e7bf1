import { ApiError, invalidParameter } from '../../../core/errors.ts';
import { judge, mergeWarnings, refuseFailed, type Judgement } from '../../../law/index.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import type { FieldsOf } from '../../../model/record.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import { wrongStatus } from '../../../model/status.ts';
import { recordInUse } from '../../../model/traits/in-use.ts';
import type { ApplicationRecord } from '../application/index.ts';
import type { BuildingRecord } from '../building.ts';
import type { TenancyRecord } from '../tenancy/fields.ts';
import { otherHeldDeposit, requireUnarchived, type UnitRecord } from '../unit.ts';
import { withWarnings } from '../warnings.ts';
import { heldOf, type DepositRecord } from './fields.ts';
import { verbsOfReceipt, withReceipts } from './receipts.ts';

/** The records that a new deposit and its amount depend on. */
export const readsOfCreation = [
  'application',
  'application.unit',
  'application.unit.building',
  'tenancy',
  'tenancy.deposit',
] as const;

/** An application lists its holding deposits, so their number bounds its size. */
const holdingDepositsMax = 50;

type Made = FieldsOf<DepositRecord>;

/** Checks a new deposit, and completes it from its application or its tenancy. */
export function agreed(made: Made, caller: Caller, related: Related): Made {
  return made.type === 'holding' ? holding(made, caller, related) : ofTenancy(made, caller, related);
}

function holding(made: Made, caller: Caller, related: Related): Made {
  requireOneLink('holding', { sent: made.application, other: made.tenancy }, ['application', 'tenancy']);
  const application = related.one<ApplicationRecord>('application')!;
  if (application.status !== 'open' && application.status !== 'approved')
    throw new ApiError(
      'status_transition_invalid',
      `The application ${application.id} is ${application.status}. Only an open or approved one can get a holding deposit.`,
      { param: 'application' },
    );
  const home = related.one<UnitRecord>('application.unit');
  if (!home)
    throw new ApiError(
      'resource_missing',
      `The application ${application.id} names no unit of this account. Send the id of one to the application first.`,
      { param: 'application', status: 400 },
    );
  requireUnarchived(home, 'application');
  if (application.holding_deposits.length >= holdingDepositsMax)
    throw new ApiError(
      'limit_reached',
      `The application ${application.id} has ${holdingDepositsMax} holding deposits, the most that it can have. Create another application.`,
      { param: 'application' },
    );
  const judgement = judgeHolding(made.amount, caller, related);
  const rent = rentOf(application, home);
  if (!rent)
    throw invalidParameter(
      'application',
      `Neither the application ${application.id} nor its unit has a rent, so the currency is not known. Send \`rent\` to one of them.`,
    );
  return {
    ...made,
    unit: home.id,
    currency: rent.currency,
    checks: mergeWarnings([], judgement, caller.nowSeconds).checks,
  };
}

function rentOf({ rent }: ApplicationRecord, home: UnitRecord | null): UnitRecord['rent'] {
  return rent ?? home?.rent ?? null;
}

function ofTenancy(made: Made, caller: Caller, related: Related): Made {
  requireOneLink('tenancy', { sent: made.tenancy, other: made.application }, ['tenancy', 'application']);
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  if (tenancy.status === 'ended' || tenancy.status === 'canceled')
    throw new ApiError(
      'status_transition_invalid',
      `The tenancy ${tenancy.id} is ${tenancy.status}, so it needs no deposit. Choose another one.`,
      { param: 'tenancy' },
    );
  const present = related.one<DepositRecord>('tenancy.deposit');
  if (present && present.status !== 'settled' && present.status !== 'canceled')
    throw recordInUse(
      `The tenancy ${tenancy.id} has the deposit ${present.id} (${present.status}). Update its \`amount\` while it is pending, or cancel or release it first.`,
      'tenancy',
    );
  const judgement = judgeOfTenancy(made.amount, caller, related);
  return {
    ...made,
    unit: tenancy.unit,
    currency: tenancy.rent.currency,
    checks: mergeWarnings([], judgement, caller.nowSeconds).checks,
  };
}

/** @throws {ApiError} `parameter_missing` or `parameters_exclusive`. */
function requireOneLink(
  type: DepositRecord['type'],
  { sent, other }: { sent: string | null; other: string | null },
  [param, otherParam]: [string, string],
): void {
  if (sent === null)
    throw new ApiError('parameter_missing', `A deposit of the type \`${type}\` needs \`${param}\`. Send its id.`, {
      param,
    });
  if (other === null) return;
  throw new ApiError(
    'parameters_exclusive',
    `A deposit of the type \`${type}\` names its ${param} only. Leave \`${otherParam}\` out.`,
    { param: otherParam },
  );
}

/** @throws {ApiError} `check_failed` for `holding_cap` or `holding_single`. */
function judgeHolding(amount: number, caller: Caller, related: Related, ownId: string | null = null): Judgement {
  const application = related.one<ApplicationRecord>('application');
  const home = related.one<UnitRecord>('application.unit');
  const judgement = judge(caller.account.rules, 'take_holding_deposit', caller.today, {
    jurisdiction: related.one<BuildingRecord>('application.unit.building')?.jurisdiction ?? null,
    type: 'assured',
    amount,
    rent: application && rentOf(application, home),
    otherDeposit: home && otherHeldDeposit(home, ownId),
    param: 'application',
  });
  refuseFailed(judgement);
  return judgement;
}

/** @throws {ApiError} `check_failed` for `deposit_cap`. */
function judgeOfTenancy(amount: number, caller: Caller, related: Related): Judgement {
  const { jurisdiction, type, rent } = related.one<TenancyRecord>('tenancy')!;
  const judgement = judge(caller.account.rules, 'take_deposit', caller.today, { jurisdiction, type, amount, rent });
  refuseFailed(judgement);
  return judgement;
}

/**
 * Changes the amount of a pending deposit. An amount that has come already makes it `received`.
 *
 * @throws {ApiError} `status_transition_invalid`, `check_failed`, or `amount_exceeded` if more has come.
 */
export function withAmount(
  current: DepositRecord,
  after: DepositRecord,
  caller: Caller,
  related: Related,
): Change<DepositRecord> {
  if (after.amount === current.amount) return { after };
  if (current.status !== 'pending')
    throw wrongStatus(
      current,
      'deposit',
      'Only a pending deposit can change its `amount`. Now you can update `metadata`.',
    );
  const { amount_received: came } = current;
  if (after.amount < came)
    throw new ApiError(
      'amount_exceeded',
      `The deposit ${current.id} has received ${came} already, of which it holds ${heldOf(current)}. Send an \`amount\` of at least ${came}.`,
      { param: 'amount' },
    );
  const judgement =
    current.type === 'holding'
      ? judgeHolding(after.amount, caller, related, current.id)
      : judgeOfTenancy(after.amount, caller, related);
  const changed = withReceipts(after, after.receipts);
  return withWarnings(
    current,
    { after: changed, verbs: verbsOfReceipt(current, changed) },
    [judgement],
    caller.nowSeconds,
  );
}

import { addDays } from '../../../core/calendar.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { Change } from '../../../model/resource.ts';
import type { ReadByPath } from '../../../model/traits/sums-up.ts';
import { earlier } from '../days.ts';
import type { DepositRecord } from './fields.ts';

/*
 * The last day to return a holding deposit. It follows from the application and its tenancy, in the mutation that refuses the one or signs
 * the other.
 */

/** Days to return a holding deposit. The day of the event counts as the first of 7 (Tenant Fees Act 2019 Sch 2 para 3). */
const repaymentDays = 6;

/** Returns the deposit with the `repay_by` that follows from its days. Its next judgement uses the new day. */
export function withRepayBy(current: DepositRecord): DepositRecord {
  const { decide_by: decideBy, signed_on: signedOn, refused_on: refusedOn } = current;
  const first = earlier(decideBy, earlier(signedOn, refusedOn));
  const repayBy = first === null ? null : addDays(first, repaymentDays);
  if (repayBy === current.repay_by) return current;
  const checks = repayBy === null ? current.checks.filter(({ id }) => id !== 'holding_deadline') : current.checks;
  return { ...current, repay_by: repayBy, checks, judged_on: null };
}

type ApplicationOfDeposit = StoredRecord & { holding_deposits: string[]; refused_on: string | null };

/** Finds the holding deposits of an application. */
export async function findByApplication(application: StoredRecord): Promise<readonly string[]> {
  return (application as ApplicationOfDeposit).holding_deposits;
}

/** Updates `repay_by` after a decision on the application. */
export function adaptToApplication(
  current: DepositRecord,
  _: StoredRecord | null,
  after: StoredRecord | null,
): Change<DepositRecord> {
  if (!after || isOver(current)) return { after: current };
  const { refused_on: refusedOn } = after as ApplicationOfDeposit;
  if (refusedOn === current.refused_on) return { after: current };
  return { after: withRepayBy({ ...current, refused_on: refusedOn }) };
}

type TenancyOfDeposit = StoredRecord & { application: string | null; status: string; signed_on: string | null };

/** Finds the holding deposits of the application that led to a tenancy. */
export async function findByTenancy(tenancy: StoredRecord, read: ReadByPath): Promise<readonly string[]> {
  const { application: id, status } = tenancy as TenancyOfDeposit;
  // Only its signature and its cancellation move the day.
  if (id === null || (status !== 'signed' && status !== 'canceled')) return [];
  const application = await read('applications', id);
  return application ? findByApplication(application) : [];
}

/** Updates `repay_by` after the tenancy was signed, or canceled. */
export function adaptToTenancy(
  current: DepositRecord,
  before: StoredRecord | null,
  after: StoredRecord | null,
): Change<DepositRecord> {
  const [was, is] = [before, after] as (TenancyOfDeposit | null)[];
  // The cancellation of a draft concerns no signature: the application may have another tenancy.
  if (!is || isOver(current) || (is.status === 'canceled' && was?.status !== 'signed')) return { after: current };
  const signedOn = is.status === 'canceled' ? null : is.signed_on;
  if (signedOn === current.signed_on) return { after: current };
  return { after: withRepayBy({ ...current, signed_on: signedOn }) };
}

function isOver({ status }: DepositRecord): boolean {
  return status === 'settled' || status === 'canceled';
}

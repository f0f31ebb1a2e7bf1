import type { Rules } from '../../../core/vocabulary/law-rules.ts';
import { judge, nextDeadlineOn, type Acts, type Judgement, type Scope } from '../../../law/index.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import type { Dawn } from '../../../model/traits/daybreak.ts';
import type { BuildingRecord } from '../building.ts';
import type { TenancyRecord } from '../tenancy/fields.ts';
import { withWarnings } from '../warnings.ts';
import { heldOf, type DepositRecord } from './fields.ts';

/*
 * The duties of a landlord that holds a deposit, and their deadlines. Each request about a deposit judges them, and so does each day on
 * which a warning begins or changes. A roll-up cannot judge: it clears `judged_on`, and the next daybreak makes up for it.
 */

/** The links whose records choose the law of a deposit. */
export const readsOfLaw = ['tenancy', 'unit', 'unit.building'] as const;

/** Returns the place and kind of the let of a deposit. A holding deposit counts as that of an assured tenancy. */
export function scopeOf(related: Related): Scope {
  const tenancy = related.one<TenancyRecord>('tenancy');
  if (tenancy) return { jurisdiction: tenancy.jurisdiction, type: tenancy.type };
  return { jurisdiction: related.one<BuildingRecord>('unit.building')?.jurisdiction ?? null, type: 'assured' };
}

/** Returns the facts about the deadlines of a deposit. */
export function deadlineFactsOf(deposit: DepositRecord): Acts['hold_holding_deposit'] & Acts['hold_deposit'] {
  return {
    repayBy: deposit.repay_by,
    isHeld: heldOf(deposit) > 0,
    retainedOn: deposit.retained_on,
    protectBy: deposit.protect_by,
    settledOn: deposit.settled_on,
    protectedOn: deposit.protected_on,
    informationGivenOn: deposit.information_given_on,
    returnBy: deposit.return_by,
  };
}

function judgeDeadlines(deposit: DepositRecord, rules: Rules, day: string, related: Related): Judgement {
  const act = deposit.type === 'holding' ? 'hold_holding_deposit' : 'hold_deposit';
  return judge(rules, act, day, { ...scopeOf(related), ...deadlineFactsOf(deposit) });
}

/** Judges the duties after a change, and keeps the failed ones in the record. */
export function judged(
  before: DepositRecord,
  { after, verbs = [] }: Change<DepositRecord>,
  caller: Caller,
  related: Related,
): Change<DepositRecord> {
  const judgement = judgeDeadlines(after, caller.account.rules, caller.today, related);
  return withWarnings(before, { after: { ...after, judged_on: caller.today }, verbs }, [judgement], caller.nowSeconds);
}

/** Earlier than any deadline. */
const firstDay = '0001-01-01';

/** Returns the next day on which a warning of a deadline begins or changes. */
export function nextOn(deposit: DepositRecord): string | null {
  return nextDeadlineOn(deadlinesOf(deposit), deposit.judged_on ?? firstDay);
}

function deadlinesOf(deposit: DepositRecord): string[] {
  const { status, repay_by: repayBy, protect_by: protectBy, return_by: returnBy } = deposit;
  if (status === 'settled' || status === 'canceled') return [];
  const isDone = deposit.protected_on !== null && deposit.information_given_on !== null;
  return [heldOf(deposit) > 0 ? repayBy : null, isDone ? null : protectBy, returnBy].filter((each) => each !== null);
}

/** Judges the deadlines when a day begins. */
export function atDawn(
  current: DepositRecord,
  { day, nowSeconds, account }: Dawn,
  related: Related,
): Change<DepositRecord> {
  const judgement = judgeDeadlines(current, account.rules, day, related);
  return withWarnings(current, { after: { ...current, judged_on: day } }, [judgement], nowSeconds);
}

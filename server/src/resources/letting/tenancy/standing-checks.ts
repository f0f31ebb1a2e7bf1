import { judge, mergeWarnings, type Judgement } from '../../../law/index.ts';
import type { Rules } from '../../../core/law-rules.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import type { TenancyRecord } from './fields.ts';

type Recorded = StoredRecord & { right_to_rent: object | null };

/** Returns the tenants without a recorded check of their right to rent. A person that another system keeps counts as unrecorded. */
export function unrecordedTenants({ customers }: TenancyRecord, related: Related): string[] {
  const recorded = related.all<Recorded>('customers').filter((person) => person.right_to_rent !== null);
  return customers.filter((id) => !recorded.some((person) => person.id === id));
}

/** Returns whether the tenancy holds its unit, now or in the future. */
export function isLive({ status }: Pick<TenancyRecord, 'status'>): boolean {
  return status === 'signed' || status === 'active' || status === 'notice';
}

/** Judges the duties after signing again, and keeps the failed ones in the record. */
export function withStandingChecks(
  before: TenancyRecord,
  { after, verbs = [] }: Change<TenancyRecord>,
  caller: { account: { rules: Rules }; today: string; nowSeconds: number },
  related: Related,
): Change<TenancyRecord> {
  const { jurisdiction, type, signed_on: signedOn, statement_given_on: statementGivenOn } = after;
  if (signedOn === null || !isLive(after)) return { after, verbs };
  const judgement = judge(caller.account.rules, 'signed', signedOn, {
    jurisdiction,
    type,
    signedOn,
    statementGivenOn,
    unrecordedTenants: unrecordedTenants(after, related),
  });
  return withWarnings(before, { after, verbs }, [judgement], caller.nowSeconds);
}

/** Keeps the warnings of these judgements in the record. A new one adds the event `tenancy.check_raised`. */
export function withWarnings(
  before: TenancyRecord,
  { after, verbs = [] }: Change<TenancyRecord>,
  judgements: readonly Judgement[],
  nowSeconds: number,
): Change<TenancyRecord> {
  let { checks } = after;
  let isRaised = false;
  for (const judgement of judgements) {
    const merged = mergeWarnings(checks, judgement, nowSeconds);
    checks = merged.checks;
    isRaised ||= merged.isRaised;
  }
  const isSame = JSON.stringify(checks) === JSON.stringify(before.checks);
  return {
    after: isSame ? after : { ...after, checks },
    verbs: isRaised ? [...verbs, 'check_raised'] : verbs,
  };
}

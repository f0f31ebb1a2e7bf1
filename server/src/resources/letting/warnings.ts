import { mergeWarnings, type Judgement, type RaisedCheck } from '../../law/index.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Change } from '../../model/resource.ts';

type Judged = StoredRecord & { checks: RaisedCheck[] };

/** Keeps the warnings of these judgements in the record. A new one adds the event `check_raised` of its kind. */
export function withWarnings<Kind extends Judged>(
  before: Kind,
  { after, verbs = [] }: Change<Kind>,
  judgements: readonly Judgement[],
  nowSeconds: number,
): Change<Kind> {
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

/** Returns the event of a new record that has warnings already. */
export function raisedAtOnce({ checks }: Pick<Judged, 'checks'>): Pick<Change<Judged>, 'verbs'> {
  return checks.length === 0 ? {} : { verbs: ['check_raised'] };
}

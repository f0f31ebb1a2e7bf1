import { addDays } from '../../../core/calendar.ts';
import { nextDeadlineOn } from '../../../law/index.ts';
import type { Related } from '../../../model/related.ts';
import type { Change, RecordChange } from '../../../model/resource.ts';
import type { Dawn } from '../../../model/traits/daybreak.ts';
import { withWarnings } from '../warnings.ts';
import type { TenancyRecord } from './fields.ts';
import { settleLastRent } from './last-rent.ts';
import { ended } from './moves.ts';
import { judgePets, petDeadlines } from './pets.ts';
import { isLive } from './standing-checks.ts';

/** The calendar ends here. */
const lastDay = '9999-12-31';

/** Returns the next day on which the tenancy starts, ends, or has a deadline. */
export function nextOn(tenancy: TenancyRecord): string | null {
  const { status, start_date: start, end_date: end, judged_on: judgedOn } = tenancy;
  const days: string[] = [];
  if (hasYetToBegin(tenancy)) days.push(start);
  if ((status === 'active' || status === 'notice') && end !== null && end < lastDay) days.push(addDays(end, 1));
  if (judgedOn !== null && isLive(tenancy)) {
    const deadline = nextDeadlineOn(
      petDeadlines(tenancy).map(({ answerBy }) => answerBy),
      judgedOn,
    );
    if (deadline !== null) days.push(deadline);
  }
  return days.toSorted()[0] ?? null;
}

/** Returns whether the tenancy waits for its first day. A notice can come before that day. */
function hasYetToBegin({ status, activated_at: activatedAt }: TenancyRecord): boolean {
  return status === 'signed' || (status === 'notice' && activatedAt === null);
}

/** Starts and ends a tenancy, and judges its deadlines, when a day begins. */
export function atDawn(current: TenancyRecord, dawn: Dawn, related: Related): Change<TenancyRecord> {
  const { day, nowSeconds, account } = dawn;
  const also: RecordChange[] = [];
  let after = current;
  const verbs: string[] = [];
  if (hasYetToBegin(after) && after.start_date <= day) {
    after = { ...after, status: after.status === 'signed' ? 'active' : after.status, activated_at: nowSeconds };
    verbs.push('activated');
  }
  const { status, end_date: end } = after;
  if ((status === 'active' || status === 'notice') && end !== null && end < day) {
    after = ended(after, end, after.notice && after.notice.by !== 'landlord' ? 'notice' : 'expiry', nowSeconds);
    verbs.push('ended');
    also.push(...settleLastRent(current, end, { ...dawn, today: day }, related));
  }
  if (after.judged_on === null || !isLive(after)) return { after, verbs, also };
  const judgement = judgePets(after, account.rules, day);
  return withWarnings(current, { after: { ...after, judged_on: day }, verbs }, [judgement], nowSeconds);
}

import type { Caller } from '../../../model/callers/caller.ts';
import type { Change } from '../../../model/resource.ts';
import { requireStatus, wrongStatus } from '../../../model/status.ts';
import type { ApplicationRecord, Decision, ReasonName } from './fields.ts';

/*
 * A person approves or rejects an open application. An approved one can still be rejected. A review can open a rejected one again. The
 * signature of its tenancy converts it, and the end of that signature makes it approved again; see `tenancies.ts`.
 */

type Move<Input = object> = (current: ApplicationRecord, caller: Caller, input: Input) => Change<ApplicationRecord>;

/** `POST /v1/applications/{id}/approve`. */
export const approve: Move<{ note?: string | null }> = (current, caller, { note }) => {
  requireStatus(current, ['open'], 'application', 'Only an open application can be approved.');
  const decision = decided('approved', [], note, caller);
  return {
    after: { ...current, status: 'approved', decision, approved_at: caller.nowSeconds },
    verbs: ['approved'],
  };
};

/** `POST /v1/applications/{id}/reject`. A new rejection can be reviewed again. */
export const reject: Move<{ reasons: ReasonName[]; note?: string | null }> = (current, caller, input) => {
  requireStatus(current, ['open', 'approved'], 'application', 'Only an open or approved application can be rejected.');
  const decision = decided('rejected', input.reasons, input.note, caller);
  return {
    after: {
      ...current,
      status: 'rejected',
      decision,
      review: null,
      approved_at: null,
      rejected_at: caller.nowSeconds,
      refused_on: caller.today,
    },
    verbs: ['rejected'],
  };
};

function decided(
  outcome: 'approved' | 'rejected',
  because: ReasonName[],
  note: string | null | undefined,
  { isAutomated, nowSeconds }: Caller,
): Decision {
  return { outcome, reasons: because, note: note ?? null, automated: isAutomated, decided_at: nowSeconds };
}

/** `POST /v1/applications/{id}/withdraw`. */
export const withdraw: Move = (current, { nowSeconds, today }) => {
  requireStatus(current, ['open', 'approved'], 'application', 'Only an open or approved application can be withdrawn.');
  return {
    after: { ...current, status: 'withdrawn', withdrawn_at: nowSeconds, refused_on: today },
    verbs: ['withdrawn'],
  };
};

/** `POST /v1/applications/{id}/request_review`. */
export const requestReview: Move<{ message?: string | null }> = (current, { nowSeconds }, { message }) => {
  requireStatus(current, ['rejected'], 'application', 'Only a rejection can be reviewed.');
  if (current.review)
    throw wrongStatus(
      current,
      'application',
      `Its review is \`${current.review.status}\`. A rejection is reviewed once.`,
    );
  const requested = {
    status: 'requested' as const,
    message: message ?? null,
    note: null,
    requested_at: nowSeconds,
    completed_at: null,
  };
  return { after: { ...current, review: requested }, verbs: ['review_requested'] };
};

/** `POST /v1/applications/{id}/review`. */
export const review: Move<{ result: 'upheld' | 'changed'; note: string }> = (
  current,
  { nowSeconds },
  { result, note },
) => {
  if (current.status !== 'rejected' || current.review?.status !== 'requested')
    throw wrongStatus(current, 'application', 'No review was requested: `request_review` does that.');
  const after: ApplicationRecord = {
    ...current,
    review: { ...current.review, status: result, note, completed_at: nowSeconds },
  };
  if (result === 'upheld') return { after, verbs: ['reviewed'] };
  return {
    after: { ...after, status: 'open', decision: null, rejected_at: null, refused_on: null },
    verbs: ['reviewed'],
  };
};

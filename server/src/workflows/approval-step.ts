import type { ApprovalRequestRecord } from '../resources/workflows/approval-request.ts';
import type { StepResult } from './advance.ts';
import { StepFault } from './step-fault.ts';

const expired: StepResult = {
  kind: 'failed',
  error: { code: 'approval_expired', message: 'No person has decided in time.' },
};

/** Returns the wait of a run for a person. */
export function waitingForApproval(id: string, untilMs: number): StepResult {
  const awaits = { type: 'approval_request.*', record: id };
  return { kind: 'waiting', untilMs, nextLookMs: untilMs, awaits, searched: true, approvalRequest: id };
}

/** Returns what came of an approval request. Its reason stays in the request: runs copy no texts about persons. */
export function resultOfApproval(request: ApprovalRequestRecord | null, untilMs: number, nowMs: number): StepResult {
  switch (request?.status) {
    case 'approved':
      return { kind: 'succeeded', output: { approval_request: request.id } };
    case 'pending':
      return nowMs < untilMs ? waitingForApproval(request.id, untilMs) : expired;
    case 'rejected':
      return {
        kind: 'failed',
        error: { code: 'approval_rejected', message: `A person has rejected it. ${request.id} has the reason.` },
      };
    default:
      return expired;
  }
}

/**
 * Returns a value for the title of an approval request, which an erasure does not empty.
 *
 * @throws {StepFault} if it is no id, number or day. A word can be a name.
 */
export function plainInTitle(value: string): string {
  if (/^(?:[A-Za-z0-9]+_[A-Za-z0-9_]{1,100}|-?\d{1,9}|\d{4}-\d{2}-\d{2})$/.test(value)) return value;
  throw new StepFault(
    'template_invalid',
    'A template in `title` may only name ids, numbers and days. The approval request keeps no personal data.',
  );
}

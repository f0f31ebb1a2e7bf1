import type { Static } from 'typebox';
import { ApiError, missingParameter } from '../../core/errors.ts';
import type { Caller } from '../../model/caller.ts';
import type { Change } from '../../model/resource.ts';
import { askAnew, isGivenUp, stopProvider } from './order.ts';
import type { ReferenceRecord } from './record.ts';
import { decisionOf, orderReport, withReport } from './report.ts';
import type { Outcome } from './shape.ts';

export interface ReferenceUpdate {
  outcome?: Static<typeof Outcome>;
  reason?: string;
  reference_pdf?: string;
  status?: 'processing';
}

/*
 *            status: processing            outcome
 *  pending ──────────────────────▶ processing ──────▶ complete ⟲ outcome corrected
 *     │  └──────── outcome ────────────────│──────────────▲
 *     └──────────── cancel ────────────────┴──▶ canceled
 *
 * Clients move only off-platform references to `processing`. A provider moves its own. An outcome ends any reference, because a person may
 * overrule a provider. Together with `status: processing`, the outcome is stored without an end. `retry` asks a provider again, and moves
 * no status.
 */

/** `POST /v1/references/{id}`: applies the whole body, or nothing. */
export function update(current: ReferenceRecord, input: ReferenceUpdate, caller: Caller): Change<ReferenceRecord> {
  const { outcome, reason, reference_pdf, status } = input;
  if (reason !== undefined && outcome === undefined)
    throw missingParameter('outcome', 'A `reason` needs the `outcome` that it explains. Send both.');
  if (current.status === 'canceled' && (outcome ?? reference_pdf ?? status) !== undefined) {
    throw forbidden(current, 'You can only change the `metadata` of a canceled reference.');
  }
  const decision = outcome === undefined ? current.decision : decisionOf(current, { outcome, reason }, caller);
  const after: ReferenceRecord = {
    ...(reference_pdf === undefined ? current : withReport(current, reference_pdf)),
    outcome: outcome ?? current.outcome,
    decision,
  };
  if (status === 'processing') {
    refuseProcessing(current);
    return { after: { ...after, status: 'processing' } };
  }
  if (outcome === undefined) return { after };
  // A file that comes with the decision is its report.
  const isReported = reference_pdf !== undefined || decision === current.decision;
  const decided = isReported ? after : orderReport(after, caller.nowSeconds);
  if (current.status === 'complete') return { after: decided };
  const complete: ReferenceRecord = { ...decided, status: 'complete', completed_at: caller.nowSeconds };
  return { after: stopProvider(complete, caller.nowSeconds), verbs: ['completed'] };
}

/** `POST /v1/references/{id}/cancel`. */
export function cancel(current: ReferenceRecord, { nowSeconds }: Pick<Caller, 'nowSeconds'>): Change<ReferenceRecord> {
  if (current.status === 'complete' || current.status === 'canceled') {
    throw forbidden(current, 'Only a pending or processing reference can be canceled.');
  }
  return { after: stopProvider({ ...current, status: 'canceled' }, nowSeconds), verbs: ['canceled'] };
}

/** `POST /v1/references/{id}/retry`. */
export function retry(current: ReferenceRecord, { nowSeconds }: Caller): Change<ReferenceRecord> {
  if (current.status === 'complete' || current.status === 'canceled')
    throw forbidden(current, 'Only a pending or processing reference can be retried.');
  if (!current.automatic_reference?.enabled)
    throw forbidden(current, 'No service checks it. Send its `outcome` when you have checked it yourself.');
  if (current.automatic_reference.status === 'failed' && !isGivenUp(current))
    throw forbidden(
      current,
      'Its service has ended the check without a verdict, and cannot be asked again. Send an `outcome` yourself, or cancel it and create another reference.',
    );
  return { after: askAnew(current, nowSeconds * 1000) };
}

/** Cancels an open reference when its person is erased. */
export function endForErasure(current: ReferenceRecord, nowSeconds: number): Change<ReferenceRecord> {
  const isOpen = current.status === 'pending' || current.status === 'processing';
  return isOpen ? cancel(current, { nowSeconds }) : { after: current };
}

function refuseProcessing(current: ReferenceRecord): void {
  if (current.status === 'complete') {
    throw forbidden(
      current,
      'It cannot return to `processing`. To correct its `outcome`, send only the `outcome`.',
      'status',
    );
  }
  if (current.automatic_reference?.enabled) {
    throw forbidden(
      current,
      'Its provider sets the status, because `automatic_reference` is enabled. To end it yourself, send an `outcome` or cancel it.',
      'status',
    );
  }
}

function forbidden(current: ReferenceRecord, advice: string, param?: string): ApiError {
  return new ApiError(
    'status_transition_invalid',
    `The reference ${current.id} is ${current.status}. ${advice}`,
    param === undefined ? {} : { param },
  );
}

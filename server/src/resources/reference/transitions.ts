import type { Static } from 'typebox';
import { ApiError, missingParameter } from '../../core/errors.ts';
import type { Caller } from '../../model/callers/caller.ts';
import type { Change } from '../../model/resource.ts';
import { leaveProvider, waitingOrdersMax } from './earlier-orders.ts';
import { askAnew, decideAutomaticReference, isGivenUp, stopProvider } from './order.ts';
import type { ReferenceRecord } from './record.ts';
import { decisionOf, orderReport, withReport } from './report.ts';
import type { AutomaticReferenceInput, Outcome } from './shape.ts';

export interface ReferenceUpdate {
  automatic_reference?: Static<typeof AutomaticReferenceInput>;
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
 * no status. An open reference can move to another service, or to a check by hand, and keeps its status.
 */

/** `POST /v1/references/{id}`: applies the whole body, or nothing. */
export function update(before: ReferenceRecord, input: ReferenceUpdate, caller: Caller): Change<ReferenceRecord> {
  const { automatic_reference: automatic } = input;
  if (automatic !== undefined && automatic.enabled !== false && input.outcome !== undefined)
    throw new ApiError(
      'parameters_exclusive',
      'An `outcome` ends the check, so it cannot move to a service as well. Send `automatic_reference` or `outcome`.',
      { param: 'automatic_reference' },
    );
  const current = automatic === undefined ? before : moved(before, automatic, caller);
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

/** Gives an open reference to another service, or to a check by hand. The service that it leaves is stopped. */
function moved(
  current: ReferenceRecord,
  input: Static<typeof AutomaticReferenceInput>,
  caller: Caller,
): ReferenceRecord {
  if (current.status === 'complete' || current.status === 'canceled') {
    throw forbidden(
      current,
      'Only a pending or processing reference can move to another service, or to a check by hand.',
      'automatic_reference',
    );
  }
  const { automatic_reference: present } = current;
  const isEnabled = input.enabled ?? true;
  const isKept = isEnabled
    ? present?.enabled && (input.provider ?? present.provider) === present.provider
    : !present?.enabled;
  if (isKept) return current;
  if ((current.earlier_orders?.waiting.length ?? 0) >= waitingOrdersMax) {
    throw forbidden(
      current,
      `${waitingOrdersMax} earlier orders of it are still to be stopped at their services. Move it again when they are.`,
      'automatic_reference',
    );
  }
  // The findings of the former service stay in the events.
  return { ...leaveProvider(current, caller.nowSeconds), ...decideAutomaticReference(input, caller) };
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
      'Its service has ended the check without a verdict, and cannot be asked again. Choose another service, make the check by hand, or cancel it.',
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
      'Its provider sets the status, because `automatic_reference` is enabled. To make the check by hand, send `automatic_reference: {"enabled": false}` too. To end it yourself, send an `outcome` or cancel it.',
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

import type { Change } from '../../model/resource.ts';
import { nextToStop, wakeStops } from './earlier-orders.ts';
import { nextStepOf, type OrderStep } from './order.ts';
import type { EarlierOrder, ReferenceRecord } from './record.ts';
import { nextReportOf } from './report.ts';

/* A reference has one job. It takes the next step at the provider, stops an earlier order, or issues the next report about a decision. */

/** Returns when the next step at the provider is due, in milliseconds. Null if there is none. */
export function orderDueAtMs(reference: ReferenceRecord): number | null {
  return nextStepOf(reference) === null ? null : (reference.provider_order?.due_at_ms ?? null);
}

/** Returns when the next call to a service is due, in milliseconds: about the present order, or an earlier one. Null if there is none. */
export function stepDueAtMs(reference: ReferenceRecord): number | null {
  return earliest([orderDueAtMs(reference), reference.earlier_orders?.due_at_ms ?? null]);
}

/** Returns when the next report is due, in milliseconds. Null if there is none. */
export function reportDueAtMs(reference: ReferenceRecord): number | null {
  return nextReportOf(reference) === null ? null : (reference.report_order?.due_at_ms ?? null);
}

/** Returns when the job is due, in milliseconds. Null if there is none. */
export function dueAtMs(reference: ReferenceRecord): number | null {
  return earliest([stepDueAtMs(reference), reportDueAtMs(reference)]);
}

/** The name for the places of reports about decisions in a process. */
export const reportService = 'reports';

/** Tells whether the job issues a report before it calls a service. */
export function isReportNext(reference: ReferenceRecord): boolean {
  const reportAtMs = reportDueAtMs(reference);
  const stepAtMs = stepDueAtMs(reference);
  return reportAtMs !== null && (stepAtMs === null || reportAtMs < stepAtMs);
}

/** Returns the service that the job waits for. */
export function serviceOfJob(reference: ReferenceRecord): string {
  if (isReportNext(reference)) return reportService;
  return nextCallOf(reference)?.provider ?? reference.automatic_reference?.provider ?? '';
}

/** A call to a service. */
export interface ServiceCall {
  provider: string;
  step: OrderStep;
  /** The earlier order that the call is about. Null for the present one. */
  earlier: EarlierOrder | null;
}

/** Returns the call to a service that is due first. Null if there is none. */
export function nextCallOf(reference: ReferenceRecord): ServiceCall | null {
  const step = nextStepOf(reference);
  const provider = reference.automatic_reference?.provider ?? null;
  const earlier = nextToStop(reference);
  const atMs = orderDueAtMs(reference);
  const isPresent = step !== null && provider !== null;
  if (earlier && (!isPresent || atMs === null || earlier.due_at_ms < atMs))
    return { provider: earlier.provider, step: 'stop', earlier };
  return isPresent ? { provider, step, earlier: null } : null;
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Makes what is overdue due now. */
export function wake(current: ReferenceRecord, nowMs: number): Change<ReferenceRecord> | null {
  const { provider_order: order, report_order: reports, earlier_orders: earlier } = current;
  const isStepping = order !== null && nextStepOf(current) !== null;
  const isReporting = reports !== null && reportDueAtMs(current) !== null;
  const isStopping = earlier !== null && earlier.due_at_ms !== null;
  if (!isStepping && !isReporting && !isStopping) return null;
  return {
    after: {
      ...current,
      ...(isStepping && { provider_order: { ...order, due_at_ms: nowMs } }),
      ...(isStopping && { earlier_orders: wakeStops(earlier, nowMs) }),
      ...(isReporting && { report_order: { ...reports, due_at_ms: nowMs } }),
    },
  };
}

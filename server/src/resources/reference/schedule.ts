import type { Change } from '../../model/resource.ts';
import { nextStepOf } from './order.ts';
import type { ReferenceRecord } from './record.ts';
import { nextReportOf } from './report.ts';

/* A reference has one job for both: the next step at its provider, and the next report about a decision. */

/** Returns when the next step at the provider is due, in milliseconds. Null if there is none. */
export function stepDueAtMs(reference: ReferenceRecord): number | null {
  return nextStepOf(reference) === null ? null : (reference.provider_order?.due_at_ms ?? null);
}

/** Returns when the next report is due, in milliseconds. Null if there is none. */
export function reportDueAtMs(reference: ReferenceRecord): number | null {
  return nextReportOf(reference) === null ? null : (reference.report_order?.due_at_ms ?? null);
}

/** Returns when the job is due, in milliseconds. Null if there is none. */
export function dueAtMs(reference: ReferenceRecord): number | null {
  const times = [stepDueAtMs(reference), reportDueAtMs(reference)].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** Makes what is overdue due now. */
export function wake(current: ReferenceRecord, nowMs: number): Change<ReferenceRecord> | null {
  const { provider_order: order, report_order: reports } = current;
  const isStepping = order !== null && nextStepOf(current) !== null;
  const isReporting = reports !== null && reportDueAtMs(current) !== null;
  if (!isStepping && !isReporting) return null;
  return {
    after: {
      ...current,
      ...(isStepping && { provider_order: { ...order, due_at_ms: nowMs } }),
      ...(isReporting && { report_order: { ...reports, due_at_ms: nowMs } }),
    },
  };
}

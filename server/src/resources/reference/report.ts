import type { Static } from 'typebox';
import { isErased } from '../../model/change.ts';
import { isObject, sameJson, type Json } from '../../core/json-diff.ts';
import type { Caller } from '../../model/callers/caller.ts';
import type { Change, RecordChange } from '../../model/resource.ts';
import type { ReferenceRecord, ReportOrder } from './record.ts';
import type { Decision, Outcome } from './shape.ts';

/*
 * Each decision about a complete reference gets a report of its own. The change with the decision orders the report, and a job issues it.
 * Reports are issued one after another, so the last decision has the last report. A file that the account attached itself stays.
 */

type Verdict = Static<typeof Outcome>;
type ReferenceDecision = Static<typeof Decision>;

/** Ids. The oldest are left out beyond it. Their files stay. */
export const earlierReportsMax = 50;

/** Decisions. If more wait because no worker runs, the oldest get no report. */
export const waitingReportsMax = 20;

/** Returns the decision that an outcome makes. The same outcome for the same reason is no other decision. */
export function decisionOf(
  current: ReferenceRecord,
  { outcome, reason }: { outcome: Verdict; reason: string | undefined },
  { actorId, actorName, person, isAgent, nowSeconds }: Caller,
): ReferenceDecision {
  const last = current.decision;
  const isRepeated = last?.outcome === outcome && (reason === undefined || reason === last.reason);
  if (isRepeated && current.status === 'complete') return last;
  return {
    outcome,
    reason: reason ?? (isRepeated ? last.reason : null),
    decided_by: {
      type: person ? 'user' : isAgent ? 'agent' : 'api_key',
      id: actorId,
      name: actorName,
      role: person?.role ?? null,
    },
    decided_at: nowSeconds,
  };
}

/** Replaces the report, and keeps the earlier one in the list. */
export function withReport(reference: ReferenceRecord, pdf: string): ReferenceRecord {
  const { reference_pdf: replaced, earlier_reports: earlier } = reference;
  if (replaced === pdf) return reference;
  const others = earlier.filter((id) => id !== pdf && id !== replaced);
  return {
    ...reference,
    reference_pdf: pdf,
    earlier_reports: [...others, ...(replaced === null ? [] : [replaced])].slice(-earlierReportsMax),
  };
}

/** Orders the report about the present decision. */
export function orderReport(reference: ReferenceRecord, nowSeconds: number): ReferenceRecord {
  const { decision, report_order: order } = reference;
  if (!decision) return reference;
  return {
    ...reference,
    report_order: {
      due_at_ms: nowSeconds * 1000,
      failures: 0,
      issued: order?.issued ?? firstIssued(reference),
      waiting: [...(order?.waiting ?? []), decision].slice(-waitingReportsMax),
    },
  };
}

/** Counts the report with a service's findings. It is issued without an order. */
function firstIssued({ automatic_reference: automatic, reference_pdf: pdf }: ReferenceRecord): number {
  return automatic?.enabled && pdf !== null ? 1 : 0;
}

/** Returns the decision whose report is issued next, or null if none waits. */
export function nextReportOf(reference: ReferenceRecord): ReferenceDecision | null {
  return isErased(reference) ? null : (reference.report_order?.waiting[0] ?? null);
}

/** Tells whether the next report is still the one that was next when `seen` was read. */
export function isStillNext(current: ReferenceRecord, seen: ReferenceRecord): boolean {
  const next = nextReportOf(current);
  return (
    next !== null && current.report_order?.issued === seen.report_order?.issued && sameJson(next, nextReportOf(seen))
  );
}

/**
 * Issues the next report.
 *
 * @param report the change that makes the file. Null if the account has attached a file of its own: then only the order ends.
 * @returns null if the reference has changed since `seen` was read, so that the report may be wrong.
 */
export function issueReport(
  current: ReferenceRecord,
  seen: ReferenceRecord,
  report: RecordChange | null,
  nowMs: number,
): Change<ReferenceRecord> | null {
  if (!isStillNext(current, seen) || current.reference_pdf !== seen.reference_pdf) return null;
  const order = current.report_order!;
  const waiting = order.waiting.slice(1);
  // Another time than before puts the next job into the queue.
  const dueAtMs = waiting.length === 0 ? null : Math.max(nowMs, (order.due_at_ms ?? 0) + 1);
  const left: ReportOrder = { due_at_ms: dueAtMs, failures: 0, issued: order.issued + (report ? 1 : 0), waiting };
  const after = report?.after ? withReport(current, report.after.id) : current;
  return { after: { ...after, report_order: left }, ...(report && { also: [report] }) };
}

/** Schedules another attempt. A busy service is no failure. */
export function retryReport(
  current: ReferenceRecord,
  seen: ReferenceRecord,
  { retryAtMs, isFailure }: { retryAtMs: number; isFailure: boolean },
): Change<ReferenceRecord> | null {
  const order = current.report_order;
  if (!order || !isStillNext(current, seen)) return null;
  const failures = order.failures + (isFailure ? 1 : 0);
  return { after: { ...current, report_order: { ...order, failures, due_at_ms: retryAtMs } } };
}

/** Removes the waiting decisions when the person is erased. */
export function withoutWaiting(order: Json): Json {
  return isObject(order) ? { ...order, due_at_ms: null, waiting: [] } : order;
}

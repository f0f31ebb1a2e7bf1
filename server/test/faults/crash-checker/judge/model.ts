import type { Operation } from '../history.ts';
import { isObject, sameJson, textOf, type JsonObject } from '../json.ts';

/*
 * The transitions of a reference, written from the API's contract and not from the server's code:
 *
 *   request                        pending             processing         complete            canceled
 *   status: processing             → processing (1)    no change (1)      refused             refused
 *   outcome                        → complete          → complete         outcome corrected   refused
 *   both                           → processing,       outcome stored (1) refused             refused
 *                                  outcome stored (1)
 *   reference_pdf                  stored              stored             stored              refused
 *   metadata                       merged              merged             merged              merged
 *   cancel                         → canceled          → canceled         refused             refused
 *
 *   (1) off-platform only: refused where `automatic_reference` is enabled.
 *
 * A client that completes or cancels an automatic reference stops its provider. An outcome is a decision, unless it only repeats the last. A replaced file
 * stays in `earlier_reports`.
 */

/** What an operation must do to a record: be refused, or leave it in this state. */
export type Expected =
  | { kind: 'refused' }
  | { kind: 'carried_out'; after: JsonObject; completes: boolean; decides: boolean };

const refused: Expected = { kind: 'refused' };

/**
 * Returns the effect of an update or a cancel on a reference. The time `completed_at` stays unchanged, because the model does not know it.
 */
export function expectedChange({ kind, body }: Operation, before: JsonObject): Expected {
  const { status } = before;
  if (kind === 'cancel_reference') {
    if (status === 'complete' || status === 'canceled') return refused;
    return {
      kind: 'carried_out',
      after: { ...withoutProvider(before), status: 'canceled' },
      completes: false,
      decides: false,
    };
  }
  const { outcome, reference_pdf: pdf, status: wantedStatus } = body ?? {};
  if (status === 'canceled' && (outcome ?? pdf ?? wantedStatus) !== undefined) return refused;
  if (wantedStatus !== undefined && (status === 'complete' || isAutomatic(before))) return refused;
  const completes = outcome !== undefined && wantedStatus === undefined && status !== 'complete';
  const after: JsonObject = {
    ...(completes ? withoutProvider(before) : before),
    outcome: outcome ?? before.outcome ?? null,
    ...replacedReport(before, pdf),
    status: wantedStatus ?? (completes ? 'complete' : (status ?? null)),
    metadata: mergeMetadata(before.metadata, body?.metadata),
  };
  const isRepeated = status === 'complete' && textOf(before, 'decision', 'outcome') === outcome;
  return { kind: 'carried_out', after, completes, decides: outcome !== undefined && !isRepeated };
}

/** The report that a file replaces stays in the list. */
function replacedReport(before: JsonObject, pdf: JsonObject[string] | undefined): JsonObject {
  const { reference_pdf: replaced = null, earlier_reports: earlier } = before;
  if (pdf === undefined || pdf === replaced) return {};
  const others = (earlier as string[]).filter((id) => id !== pdf && id !== replaced);
  return { reference_pdf: pdf, earlier_reports: replaced === null ? others : [...others, replaced] };
}

/** Whether a record is what its create asked for, beyond what the server adds by itself. */
export function isAsCreated({ kind, body }: Operation, record: JsonObject): boolean {
  const input = body ?? {};
  if (!sameJson(record.metadata, input.metadata)) return false;
  if (kind === 'create_customer') return record.name === input.name;
  return (
    record.application === input.application &&
    record.customer === (input.customer ?? null) &&
    record.status === 'pending' &&
    record.outcome === null &&
    record.reference_pdf === null &&
    record.decision === null &&
    sameJson(record.earlier_reports, []) &&
    record.completed_at === null &&
    isAutomaticAsAsked(input.automatic_reference, record.automatic_reference)
  );
}

/** Whether a record is as the model expects after a change. If the change completed it, its time must be plausible. */
export function isAsExpected(
  after: JsonObject,
  expected: Expected & { kind: 'carried_out' },
  changedAtSeconds: number,
): boolean {
  const { completed_at: completedAt, created, decision } = after;
  const isTimely = (time: JsonObject[string] | undefined): boolean =>
    typeof time === 'number' && typeof created === 'number' && time >= created && time <= changedAtSeconds;
  const known = { ...after };
  if (expected.decides) {
    if (!isObject(decision) || decision.outcome !== expected.after.outcome || !isTimely(decision.decided_at))
      return false;
    known.decision = expected.after.decision ?? null;
  }
  if (expected.completes) {
    if (!isTimely(completedAt)) return false;
    known.completed_at = expected.after.completed_at ?? null;
  }
  return sameJson(known, expected.after);
}

/** Whether one status may follow the other, for any cause. */
export function isPossible(before: JsonObject, after: JsonObject): boolean {
  const from = textOf(before, 'status');
  const to = textOf(after, 'status');
  const next: Record<string, string[]> = {
    pending: ['pending', 'processing', 'complete', 'canceled'],
    processing: ['processing', 'complete', 'canceled'],
    complete: ['complete'],
    canceled: ['canceled'],
  };
  return next[from]?.includes(to) ?? false;
}

function isAutomatic(reference: JsonObject): boolean {
  const settings = reference.automatic_reference;
  return isObject(settings) && settings.enabled === true;
}

function withoutProvider(before: JsonObject): JsonObject {
  const settings = before.automatic_reference;
  if (!isAutomatic(before) || !isObject(settings) || settings.status === 'failed') return before;
  return { ...before, automatic_reference: { ...settings, status: 'canceled' } };
}

function isAutomaticAsAsked(asked: JsonObject[string] | undefined, is: JsonObject[string] | undefined): boolean {
  if (!isObject(asked)) return is === null;
  if (!isObject(is)) return false;
  const enabled = asked.enabled ?? true;
  // By default, an account in the sandbox gets the first provider.
  const provider = asked.provider ?? (enabled ? 'provider_a' : null);
  return is.enabled === enabled && is.provider === provider;
}

function mergeMetadata(before: JsonObject[string] | undefined, input: JsonObject[string] | undefined): JsonObject {
  const merged = isObject(before) ? { ...before } : {};
  for (const [name, value] of Object.entries(isObject(input) ? input : {})) {
    if (value === '') delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

import { recordIdIn, type Operation } from '../history.ts';
import { parseObject, sameJson, type JsonObject } from '../json.ts';
import { describe } from './answer-rules.ts';
import { beforeOf, spanOfChange, spanOfOperation, storedAnswer, type Case, type Span } from './case.ts';
import type { Chain } from './chains.ts';
import type { Report } from './evidence.ts';
import { expectedChange } from './model.ts';

/**
 * Expects one order of events that explains all responses and agrees with the clock. A response precedes every request that was sent after
 * it. This also finds updates that were confirmed and left no trace.
 */
export function judgeOrder(opened: Case, report: Report): void {
  const statesOf = new Map<string, State[]>();
  for (const chain of opened.chains.values()) {
    judgeSequence(opened, chain, report);
    statesOf.set(chain.recordId, statesWithSpans(opened, chain));
  }
  for (const operation of opened.operations) {
    const states = statesOf.get(recordIdIn(operation.path));
    if (states && opened.effectsOf(operation).length === 0) judgeWithoutEffect(operation, states, report);
  }
}

/** A state of a record, and when it may have been seen. */
interface State {
  record: JsonObject;
  seen: Span;
  /** No event shows it. It follows from later events or from the record. */
  untold: boolean;
}

function judgeSequence({ ownerOf, effectsOf }: Case, { recordId, changes }: Chain, report: Report): void {
  let latestStartMs = -Infinity;
  for (const change of changes) {
    const owner = ownerOf(change);
    // A change that happened twice has no time of its own. Another rule reports it.
    if (owner.kind === 'operation' && effectsOf(owner.operation).length > 1) continue;
    const { fromMs, toMs } = spanOfChange(owner);
    if (toMs < latestStartMs) {
      report(
        'wrong_order',
        recordId,
        `The change by ${change.requestId} was answered before an earlier one of ${recordId} was sent.`,
      );
    }
    latestStartMs = Math.max(latestStartMs, fromMs);
  }
}

function statesWithSpans({ ownerOf }: Case, { changes, record }: Chain): State[] {
  const spans = changes.map((change) => spanOfChange(ownerOf(change)));
  const states: State[] = [];
  changes.forEach(({ after }, index) => {
    const seen = { fromMs: spans[index]!.fromMs, toMs: spans[index + 1]?.toMs ?? Infinity };
    states.push({ record: after, seen, untold: false });
    const next = changes[index + 1];
    const successor = next ? beforeOf(next) : record;
    if (successor && !sameJson(successor, after)) states.push({ record: successor, seen, untold: true });
  });
  return states;
}

/** Judges a read, a refusal, or an update that changed nothing. The record must have been in a state that explains it. */
function judgeWithoutEffect(operation: Operation, states: State[], report: Report): void {
  const answer = storedAnswer(operation)?.answer;
  const object = answer && parseObject(answer.text);
  if (!answer || !object) return;
  const span = spanOfOperation(operation);
  const visible = states.filter(({ seen }) => seen.fromMs <= span.toMs && seen.toMs >= span.fromMs);
  const recordId = recordIdIn(operation.path);
  if (operation.kind === 'retrieve_reference') {
    if (!visible.some(({ record }) => sameJson(record, object))) {
      report(
        'wrong_answer',
        operation.id,
        `${describe(operation)} showed a state that ${recordId} did not have at that time: ${answer.text}`,
      );
    }
  } else if (answer.status === 400) {
    if (!visible.some(({ record }) => expectedChange(operation, record).kind === 'refused')) {
      report(
        'wrong_answer',
        operation.id,
        `${describe(operation)} was refused, but ${recordId} was in no state that forbids it.`,
      );
    }
  } else if (!visible.some((state) => !state.untold && changesNothing(operation, state.record, object))) {
    judgeMissing(operation, recordId, object, states, report);
  }
}

function changesNothing(operation: Operation, record: JsonObject, answered: JsonObject): boolean {
  if (!sameJson(record, answered)) return false;
  const expected = expectedChange(operation, record);
  return expected.kind === 'carried_out' && sameJson(expected.after, record);
}

/** Judges an update that was confirmed and has no event. */
function judgeMissing(
  operation: Operation,
  recordId: string,
  answered: JsonObject,
  states: State[],
  report: Report,
): void {
  const asAnswered = states.filter(({ record }) => sameJson(record, answered));
  if (asAnswered.some(({ untold }) => untold)) {
    report('lost_event', recordId, `${describe(operation)} changed ${recordId}, but has no event.`);
  } else if (asAnswered.length > 0) {
    report(
      'wrong_order',
      recordId,
      `The response to ${describe(operation)} shows a state that ${recordId} did not have at that time.`,
    );
  } else {
    report(
      'lost_update',
      recordId,
      `${describe(operation)} was answered ${JSON.stringify(answered)}, a state that ${recordId} was never in.`,
    );
  }
}

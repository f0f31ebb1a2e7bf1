import { isStored, leavesOpen, recordIdIn, type Operation } from '../history.ts';
import { parseObject, sameJson, textOf } from '../json.ts';
import { describe } from './answer-rules.ts';
import { beforeOf, executedRequestId, storedAnswer, type Case, type Owner } from './case.ts';
import { verbOf, type Change } from './chains.ts';
import type { Report } from './evidence.ts';
import { expectedChange, isAsCreated, isAsExpected } from './model.ts';

/** Judges the effects of operations. Each happens at most once, as its response says and as its body asks. A refused operation has none. */
export function judgeEffects(opened: Case, report: Report): void {
  for (const change of opened.changes) {
    const owner = opened.ownerOf(change);
    if (owner.kind === 'nobody') {
      report('unasked_event', change.chain.recordId, `No client asked for the change by ${change.requestId}.`);
    }
    if (owner.kind === 'operation') {
      judgeRight(change, owner, report);
      judgeContent(change, owner.operation, report);
    }
  }
  for (const operation of opened.operations) judgeEffectsOf(opened, operation, report);
}

/** Expects effects only of executed requests: not of refusals, of replays, or of keys that stood for another operation. */
function judgeRight(change: Change, { operation, call }: Owner & { kind: 'operation' }, report: Report): void {
  const result = call?.result ?? null;
  const isRefused =
    result !== null && !leavesOpen(result) && (!isStored(result) || result.status !== 200 || result.replayed);
  const answer = storedAnswer(operation)?.answer;
  if (operation.kind === 'misuse_key' || isRefused || (answer && answer.status !== 200)) {
    report(
      'effect_of_refusal',
      operation.id,
      `${describe(operation)} was refused, but changed ${change.chain.recordId}.`,
    );
  }
}

/** Expects the change that the operation asked for. */
function judgeContent(change: Change, operation: Operation, report: Report): void {
  const { chain, after, key, createdSeconds } = change;
  const wrong = (why: string): void =>
    report('wrong_effect', operation.id, `${describe(operation)} on ${chain.recordId}: ${why}.`);
  if (key !== operation.key) wrong(`its event has the key ${key}`);
  const isCreate = operation.kind === 'create_reference' || operation.kind === 'create_customer';
  if (isCreate !== (verbOf(change.events[0]!) === 'created')) return wrong(`it caused ${verbOf(change.events[0]!)}`);
  if (isCreate) {
    if (!isAsCreated(operation, after))
      wrong(`it asked for ${JSON.stringify(operation.body)} and made ${JSON.stringify(after)}`);
    return;
  }
  if (recordIdIn(operation.path) !== chain.recordId) return wrong('it was meant for another record');
  const before = beforeOf(change);
  if (!before) return;
  const expected = expectedChange(operation, before);
  if (expected.kind === 'refused') {
    const what = `${describe(operation)} (${JSON.stringify(operation.body)})`;
    report(
      'impossible_transition',
      chain.recordId,
      `${what} was executed although the reference was ${textOf(before, 'status')}.`,
    );
  } else if (!isAsExpected(after, expected, createdSeconds)) {
    wrong(`${JSON.stringify(operation.body)} changed ${JSON.stringify(before)} to ${JSON.stringify(after)}`);
  }
}

function judgeEffectsOf(opened: Case, operation: Operation, report: Report): void {
  const effects = opened.effectsOf(operation);
  const requestIds = new Set(effects.map(({ requestId }) => requestId));
  // Two requests that change one record are a fault here. Another rule reports two new records.
  if (requestIds.size > 1 && new Set(effects.map(({ chain }) => chain)).size === 1) {
    report(
      'two_effects',
      operation.id,
      `${describe(operation)} took effect ${requestIds.size} times: ${[...requestIds].join(', ')}.`,
    );
  }
  const answer = storedAnswer(operation)?.answer;
  const [effect] = effects;
  if (!effect || answer?.status !== 200 || effects.length > 1) return;
  if (!sameJson(parseObject(answer.text), effect.after)) {
    report(
      'wrong_answer',
      operation.id,
      `The response to ${describe(operation)} is ${answer.text}, but its event shows ${JSON.stringify(effect.after)}.`,
    );
  }
  if (effect.requestId !== executedRequestId(operation)) {
    report(
      'wrong_answer',
      operation.id,
      `${describe(operation)} was executed by ${executedRequestId(operation)}, but its event names ${effect.requestId}.`,
    );
  }
}

import { errorCodeOf, isStored, leavesOpen, type Answered, type Call, type Operation } from '../history.ts';
import type { Case } from './case.ts';
import type { Report } from './evidence.ts';

/** Judges each response by itself: the API must promise it, and each key must have one. */
export function judgeAnswers(opened: Case, report: Report): void {
  const requestIds = new Set<string>();
  for (const operation of opened.operations) {
    for (const call of operation.calls) {
      if (call.result.kind !== 'answered') continue;
      judgeAnswer(opened, operation, call, call.result, report);
      if (requestIds.has(call.result.requestId)) {
        report('unexpected_answer', operation.id, `Two responses have the Request-Id ${call.result.requestId}.`);
      }
      requestIds.add(call.result.requestId);
    }
    if (operation.key !== null && operation.kind !== 'misuse_key') judgeKey(operation, report);
  }
}

/** The responses that each kind of operation may get. */
export const expectedAnswers: Record<Operation['kind'], string[]> = {
  create_reference: ['200'],
  create_customer: ['200'],
  update_reference: ['200', '400 status_transition_invalid'],
  cancel_reference: ['200', '400 status_transition_invalid'],
  retrieve_reference: ['200'],
  update_missing: ['404 resource_missing'],
  misuse_key: ['400 idempotency_key_reused'],
};

function judgeAnswer(opened: Case, operation: Operation, call: Call, answer: Answered, report: Report): void {
  const told = toldBy(answer);
  const isExpected =
    expectedAnswers[operation.kind].includes(told) ||
    isFairlyUnavailable(opened, call, answer) ||
    (told === '409 idempotency_key_in_use' && hasTwin(operation, call));
  if (!isExpected || answer.requestId === '') {
    report('unexpected_answer', operation.id, `${describe(operation)} got ${told}: ${answer.text.slice(0, 300)}`);
  }
  if (answer.replayed && (operation.key === null || !isStored(answer))) {
    report('wrong_replay', operation.id, `${describe(operation)} got ${told} as a replay.`);
  }
}

/** Whether it is a 503 from a time when the database was down. */
export function isFairlyUnavailable({ outages }: Case, call: Call, answer: Answered): boolean {
  return toldBy(answer) === '503 unavailable' && outages.some(({ fromMs, toMs }) => overlaps(call, fromMs, toMs));
}

/** Returns a response in short: its status, and the code of its refusal. */
export function toldBy(answer: Answered): string {
  return answer.status === 200 ? '200' : `${answer.status} ${errorCodeOf(answer)}`;
}

/** Whether another request with the key was running, or may have been. A request that was cut off can run on for a while. */
function hasTwin({ calls }: Operation, call: Call): boolean {
  return calls.some((other) => {
    if (other === call) return false;
    const isOpen = other.sentMs <= call.endedMs && (leavesOpen(other.result) || hasFailed(other));
    return isOpen || overlaps(other, call.sentMs, call.endedMs);
  });
}

function hasFailed({ result }: Call): boolean {
  return result.kind === 'answered' && result.status === 503;
}

function overlaps(call: Call, fromMs: number, toMs: number): boolean {
  return call.sentMs <= toMs && call.endedMs >= fromMs;
}

/** Judges one key: one execution, and the same bytes for every repeat. */
export function judgeKey(operation: Operation, report: Report): void {
  const stored = operation.calls.map(({ result }) => result).filter((result) => isStored(result));
  const [first] = stored;
  if (!first) {
    report(
      'never_answered',
      operation.id,
      `${describe(operation)} has a key and was sent again, but never got a response.`,
    );
    return;
  }
  const executed = stored.filter(({ replayed }) => !replayed);
  if (executed.length > 1) {
    const ids = executed.map(({ requestId }) => requestId).join(' and ');
    report('two_effects', operation.id, `${describe(operation)} was executed twice, by ${ids}.`);
  }
  const executedId = executed[0]?.requestId ?? first.originalRequest;
  for (const answer of stored) {
    if (answer.status !== first.status || answer.text !== first.text || answer.version !== first.version) {
      report(
        'wrong_replay',
        operation.id,
        `${describe(operation)} got ${first.status} ${first.text} and then ${answer.status} ${answer.text}.`,
      );
    }
    const expectedOriginal = answer.replayed ? executedId : null;
    if (answer.originalRequest !== expectedOriginal) {
      report(
        'wrong_replay',
        operation.id,
        `${describe(operation)} was executed by ${executedId}, but ${answer.requestId} names ${answer.originalRequest}.`,
      );
    }
  }
  // A replay needs an execution whose response could get lost.
  if (executed.length === 0 && !operation.calls.some(({ result }) => leavesOpen(result))) {
    report('wrong_replay', operation.id, `${describe(operation)} got a replay, but no request of it was executed.`);
  }
}

/** Describes an operation in words. */
export function describe({ id, kind, key }: Operation): string {
  return `${kind.replace('_', ' ')} ${id}${key === null ? ' (no key)' : ''}`;
}

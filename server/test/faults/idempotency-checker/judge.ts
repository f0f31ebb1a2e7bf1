import {
  errorCodeOf,
  isStored,
  leavesOpen,
  reachedServer,
  type Answered,
  type Call,
  type Operation,
  type Outage,
} from '../crash-checker/history.ts';
import {
  describe,
  expectedAnswers,
  isFairlyUnavailable,
  judgeKey,
  toldBy,
} from '../crash-checker/judge/answer-rules.ts';
import { openCase, storedAnswer, type Case } from '../crash-checker/judge/case.ts';
import { judgeChains } from '../crash-checker/judge/chain-rules.ts';
import { judgeEffects } from '../crash-checker/judge/effect-rules.ts';
import { withoutWebhooks, type Report, type Violation } from '../crash-checker/judge/evidence.ts';
import { judgeBy } from '../crash-checker/judge/judge.ts';
import { judgeOrder } from '../crash-checker/judge/order-rules.ts';
import { judgeRecords } from '../crash-checker/judge/record-rules.ts';
import type { Observation } from '../crash-checker/observe.ts';
import { linkChains } from '../crash-checker/judge/linked-chains.ts';

/** A process that is killed has sent its batch with its commit: PostgreSQL can still carry it out. That takes moments. */
const remainsMs = 2_000;

/**
 * Every promise about idempotency keys that the history shows broken, and every one about records and their one order. Several
 * operations may have the same key: then one of them is the key's, and it makes no difference which one was meant.
 *
 * @param operations all that was sent, each with a key, and sent until it was answered for good.
 * @param observation what the API shows afterwards.
 * @param outages when the database was down. A process that is killed is none: it breaks connections, and answers nobody 503.
 */
export function judgeIdempotency(
  operations: readonly Operation[],
  observation: Observation,
  outages: readonly Outage[],
): Violation[] {
  const evidence = {
    operations: operations.map((operation) => ({
      ...operation,
      calls: operation.calls.filter(({ result }) => reachedServer(result)),
    })),
    observation,
    outages,
    earlier: null,
    webhooks: withoutWebhooks(),
  };
  const opened = openCase(evidence, linkChains(observation));
  return judgeBy([judgeKeys, judgeRecords, judgeChains, judgeEffects, judgeOrder], opened);
}

/** Each key: one wish that is carried out once, the same answer for all who ask for it, and a refusal for all other wishes. */
function judgeKeys(opened: Case, report: Report): void {
  const { operations, changes } = opened;
  const sharersOf = groupBy(operations, ({ key }) => key!);
  const changesOf = groupBy(changes, ({ key }) => key ?? '');
  for (const [key, sharers] of sharersOf) {
    const carriedOut = sharers.filter((operation) => storedAnswer(operation));
    if (carriedOut.length > 1) {
      report('two_effects', key, `${key} was answered for ${carriedOut.map(describe).join(' and for ')}.`);
    }
    const requestIds = new Set(changesOf.get(key)?.map(({ requestId }) => requestId));
    if (requestIds.size > 1) {
      report('two_effects', key, `${key} has events of ${requestIds.size} requests: ${[...requestIds].join(', ')}.`);
    }
    const winner = carriedOut[0] ?? sharers[0]!;
    const calls = sharers.flatMap((operation) => operation.calls);
    judgeKey({ ...winner, calls }, report);
    judgeOriginal(winner, calls, report);
    for (const operation of sharers) judgeAnswers(opened, operation, winner, report);
    judgeInUse(key, calls, report);
  }
}

/** Only a request whose answer was lost can be the original of replays alone. */
function judgeOriginal(winner: Operation, calls: readonly Call[], report: Report): void {
  const answers = calls.map(({ result }) => result).filter((result) => result.kind === 'answered');
  const original = storedAnswer(winner)?.answer.originalRequest;
  const named = answers.find(({ requestId }) => requestId === original);
  if (named && (named.replayed || !isStored(named))) {
    report('wrong_replay', winner.id, `${describe(winner)} names ${original}, which was told ${toldBy(named)}.`);
  }
}

function judgeAnswers(opened: Case, operation: Operation, winner: Operation, report: Report): void {
  for (const call of operation.calls) {
    const { result, endedMs } = call;
    if (result.kind === 'unanswered' || isInUse(result) || isFairlyUnavailable(opened, call, result)) continue;
    const isReused = toldBy(result) === '400 idempotency_key_reused';
    const isExpected = isReused
      ? operation !== winner && winner.calls.some(({ sentMs }) => sentMs <= endedMs)
      : expectedAnswers[operation.kind].includes(toldBy(result));
    if (!isExpected) {
      report('unexpected_answer', operation.id, `${describe(operation)} was told ${toldBy(result)}: ${result.text}`);
    }
  }
}

/** In use is told only while a twin is under way; and of all that are under way together, one is told something else. */
function judgeInUse(key: string, calls: readonly Call[], report: Report): void {
  for (const crowd of crowdsOf(calls)) {
    if (crowd.every(({ result }) => result.kind === 'answered' && isInUse(result))) {
      report(
        'unexpected_answer',
        key,
        `${key} was in use for all of ${crowd.length} that asked, at ${crowd[0]!.sentMs} ms.`,
      );
    }
  }
}

/** The calls that overlapped each other, directly or by others in between. */
function crowdsOf(calls: readonly Call[]): Call[][] {
  const crowds: Call[][] = [];
  let untilMs = -Infinity;
  for (const call of [...calls].sort((left, right) => left.sentMs - right.sentMs)) {
    if (call.sentMs > untilMs) crowds.push([]);
    crowds.at(-1)!.push(call);
    untilMs = Math.max(untilMs, call.endedMs + (leavesOpen(call.result) ? remainsMs : 0));
  }
  return crowds;
}

function isInUse(answer: Answered): boolean {
  return answer.status === 409 && errorCodeOf(answer) === 'idempotency_key_in_use';
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

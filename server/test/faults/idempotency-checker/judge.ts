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

/** A killed process may have sent its batch with its commit, which PostgreSQL then executes. That takes moments. */
const remainsMs = 2_000;

/**
 * Returns every broken promise about idempotency keys, and about records and their one order. If several operations have one key, the key
 * belongs to any one of them.
 * @param operations all that was sent, each with a key, and sent until its final response.
 * @param observation what the API shows afterwards.
 * @param outages when the database was down. A killed process is no outage: it breaks connections, and no client gets a 503.
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

/** Judges each key. One wish is executed once, all requests for it get the same response, and all other wishes are refused. */
function judgeKeys(opened: Case, report: Report): void {
  const { operations, changes } = opened;
  const sharersOf = groupBy(operations, ({ key }) => key!);
  const changesOf = groupBy(changes, ({ key }) => key ?? '');
  for (const [key, sharers] of sharersOf) {
    const carriedOut = sharers.filter((operation) => storedAnswer(operation));
    if (carriedOut.length > 1) {
      report('two_effects', key, `${key} has responses for ${carriedOut.map(describe).join(' and for ')}.`);
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

/** Expects the original of replays without an execution to be a request whose response was lost. */
function judgeOriginal(winner: Operation, calls: readonly Call[], report: Report): void {
  const answers = calls.map(({ result }) => result).filter((result) => result.kind === 'answered');
  const original = storedAnswer(winner)?.answer.originalRequest;
  const named = answers.find(({ requestId }) => requestId === original);
  if (named && (named.replayed || !isStored(named))) {
    report('wrong_replay', winner.id, `${describe(winner)} names ${original}, whose response was ${toldBy(named)}.`);
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
      report('unexpected_answer', operation.id, `${describe(operation)} got ${toldBy(result)}: ${result.text}`);
    }
  }
}

/** Expects `in use` only while a twin runs. Of all that run together, one gets another response. */
function judgeInUse(key: string, calls: readonly Call[], report: Report): void {
  for (const crowd of crowdsOf(calls)) {
    if (crowd.every(({ result }) => result.kind === 'answered' && isInUse(result))) {
      report(
        'unexpected_answer',
        key,
        `${key} was in use for all ${crowd.length} parallel requests, at ${crowd[0]!.sentMs} ms.`,
      );
    }
  }
}

/** Groups calls that overlapped, directly or by others in between. */
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

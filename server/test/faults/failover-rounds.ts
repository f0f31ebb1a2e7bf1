import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Api } from './crash-checker/api.ts';
import { History, outageEndsLaterMs, type CallResult } from './crash-checker/history.ts';
import { withoutWebhooks, type Violation } from './crash-checker/judge/evidence.ts';
import { judge } from './crash-checker/judge/judge.ts';
import { startLoad } from './crash-checker/load.ts';
import { observe, type Observation } from './crash-checker/observe.ts';
import { ClientMemory } from './crash-checker/operations.ts';
import { Random } from './crash-checker/random.ts';
import { repeatAnswered, settleUnknown } from './crash-checker/settle.ts';

const clients = 8;

/** The times of load before the primary dies and after the standby has taken over, in milliseconds. */
const beforeMs = 1_000;
const afterMs = 1_500;

/** What clients have done and seen, over all rounds. */
export interface Run {
  api: Api;
  seed: number;
  history: History;
  memories: ClientMemory[];
  earlier: Observation | null;
}

export function newRun(api: Api, seed: number): Run {
  const memories = Array.from({ length: clients }, () => new ClientMemory());
  return { api, seed, history: new History(), memories, earlier: null };
}

/**
 * Lets clients send requests before, during and after a failover, and judges all responses until then.
 * @param failOver ends when the database is back, under load.
 */
export async function playRound(run: Run, round: number, failOver: () => Promise<void>): Promise<Violation[]> {
  const { api, history, memories } = run;
  const { operations, outages } = history;
  const random = new Random(`seed ${run.seed}`).fork(`round ${round}`);
  const stop = new AbortController();
  const tally = { answered: 0, turnedAway: 0, unanswered: 0 };
  const onResult = (result: CallResult): void => {
    if (result.kind === 'unanswered') tally.unanswered++;
    else if (result.status === 503) tally.turnedAway++;
    else tally.answered++;
  };
  const { ended } = await startLoad({ api, history, random, round, memories, onResult }, stop.signal);
  await sleep(random.between(beforeMs / 2, beforeMs));
  // Waits for load before and after, on any machine.
  await expect.poll(() => tally.answered).toBeGreaterThan(clients);
  const fromMs = performance.now();
  const answeredBefore = tally.answered;
  await failOver();
  const failedOverMs = performance.now();
  const answeredUntilThen = tally.answered;
  await sleep(afterMs);
  // The new primary may wait for its standbys once more.
  await expect.poll(() => tally.answered).toBeGreaterThan(answeredUntilThen + clients);
  stop.abort();
  await ended;
  const answeredAfter = tally.answered - answeredUntilThen;
  outages.push({ fromMs, toMs: performance.now() + outageEndsLaterMs });
  const unknown = await settleUnknown(api, history);
  await repeatAnswered(api, history, random);
  const observation = await observe(api, [], 0);
  const { earlier } = run;
  const violations = judge({ operations, outages, observation, earlier, webhooks: withoutWebhooks() });
  run.earlier = observation;
  print(
    `${round}: failed over after ${Math.round(failedOverMs - fromMs)} ms; ` +
      `${tally.answered} answered (${answeredBefore} before, ${answeredAfter} after), ${tally.turnedAway} refused with 503, ${tally.unanswered} without a response, ` +
      `${unknown.operations} settled (${unknown.done} executed before), ${observation.events.items.length} events, ${violations.length} violations`,
  );
  return violations;
}

/** Returns the end of the first executed write among those sent after `fromMs`, or null if there is none yet. */
export function firstWriteAfter({ operations }: History, fromMs: number): number | null {
  const ends = operations
    .filter(({ method }) => method === 'POST')
    .flatMap(({ calls }) => calls)
    .filter(({ sentMs, result }) => sentMs >= fromMs && result.kind === 'answered' && isExecuted(result))
    .map(({ endedMs }) => endedMs);
  return ends.length === 0 ? null : Math.min(...ends);
}

function isExecuted({ status, replayed }: { status: number; replayed: boolean }): boolean {
  return status === 200 && !replayed;
}

/** @param seedSetting the variable that repeats the run. */
export function expectNone(violations: Violation[], seedSetting: string): void {
  for (const { rule, about, message } of violations) print(`${rule}: ${about}: ${message}`);
  expect(violations, seedSetting).toEqual([]);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

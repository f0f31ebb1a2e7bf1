import { expect, onTestFinished, test } from 'vitest';
import { processesForTest } from '../support/processes.ts';
import { Api } from './crash-checker/api.ts';
import { newSeed } from './crash-checker/checker.ts';
import type { Deployment } from './crash-checker/deployment.ts';
import { errorCodeOf, History, isStored, reachedServer, type Answered, type Call } from './crash-checker/history.ts';
import { observe } from './crash-checker/observe.ts';
import { Random } from './crash-checker/random.ts';
import { repeatAnswered, settleUnknown } from './crash-checker/settle.ts';
import { judgeIdempotency } from './idempotency-checker/judge.ts';
import { Killer } from './idempotency-checker/kills.ts';
import { makeShared, playRound, type LoadSettings } from './idempotency-checker/load.ts';
import { rounds } from '../support/rounds.ts';

/** Requests that reached a process, retries included. About half of them are first attempts. */
const operationsMin = rounds(10_000, 20_000);
const seed = Number(process.env.IDEMPOTENCY_SEED ?? newSeed());
const processes = 2;

/** Bounds a run in which no request succeeds. */
const roundsMax = 400;

/** The share of operations preceded by a kill, if all processes run. A killed one is back after many more. */
const killShare = 0.003;

/** Parallel, because a round mostly waits for commits. */
const roundsTogether = 4;

test('executes each key once and keeps one order when clients, keys, kills and retries collide', async () => {
  print(`seed ${seed}`);
  const { servers, apis } = await startDeployment();
  const history = new History();
  const random = new Random(`seed ${seed}`);
  const startedMs = performance.now();
  const kills = await playAndKill({ apis, history, random }, servers);
  const settled = await settleUnknown(apis[0]!, history);
  await repeatAnswered(apis[1]!, history, random);
  const observation = await observe(apis[0]!, [], 0);
  const violations = judgeIdempotency(history.operations, observation, []);
  print(
    `${countsOf(history)}, ${kills} kills, ` +
      `${settled.operations} settled afterwards (${settled.done} executed before), ` +
      `${observation.events.items.length} events, ${Math.round((performance.now() - startedMs) / 1000)} s`,
  );
  for (const { rule, about, message } of violations) print(`${rule}: ${about}: ${message}`);
  if (violations.length > 0) print(`Repeat with IDEMPOTENCY_SEED=${seed}`);
  expect(violations).toEqual([]);
  // A run without conflicts would prove nothing. A twin must not wait for the other.
  expect(countOf(history, 'idempotency_key_in_use')).toBeGreaterThan(0);
  expect(requestsOf(history).length).toBeGreaterThanOrEqual(operationsMin);
  expect(kills).toBeGreaterThan(operationsMin / 5_000);
});

/** Starts several processes on one database, which end with the test. */
async function startDeployment(): Promise<{ servers: Deployment[]; apis: Api[] }> {
  const deployment = await processesForTest();
  const servers: Deployment[] = [];
  const apis: Api[] = [];
  onTestFinished(() => {
    for (const api of apis) api.close();
  });
  for (let number = 1; number <= processes; number++) {
    const server = await deployment.start({ TENURE_ROLE: 'api' });
    servers.push(server);
    apis.push(new Api([server.url], deployment.secretKey));
  }
  return { servers, apis };
}

/** @returns how often a process was killed. All of them run when it is over. */
async function playAndKill(load: LoadSettings, servers: readonly Deployment[]): Promise<number> {
  const sharedIds = await makeShared(load, roundsMax);
  const killer = new Killer(servers);
  const beforeOperation = (random: Random): void => {
    if (random.chance(killShare)) killer.strike(random);
  };
  let next = 0;
  const playSome = async (): Promise<void> => {
    while (next < roundsMax && requestsOf(load.history).length < operationsMin) {
      const round = next++;
      await playRound({ ...load, random: load.random.fork(`round ${round}`), round, sharedIds, beforeOperation });
    }
  };
  await Promise.all(Array.from({ length: roundsTogether }, playSome));
  await killer.untilAllRun();
  return killer.kills;
}

function requestsOf({ operations }: History): Call[] {
  return operations.flatMap(({ calls }) => calls).filter(({ result }) => reachedServer(result));
}

function answersOf(history: History): Answered[] {
  return requestsOf(history)
    .map(({ result }) => result)
    .filter((result) => result.kind === 'answered');
}

/** Counts the refusals with this code. */
function countOf(history: History, code: string): number {
  return answersOf(history).filter((answer) => errorCodeOf(answer) === code).length;
}

function countsOf(history: History): string {
  const requests = requestsOf(history);
  const answers = answersOf(history);
  const stored = history.operations.map(({ calls }) => calls.map(({ result }) => result).filter(isStored));
  // The response of the executing request was lost.
  const foundAgain = stored.filter((all) => all.length > 0 && all.every(({ replayed }) => replayed));
  return (
    `${requests.length} operations with ${new Set(history.operations.map(({ key }) => key)).size} keys, ` +
    `${answers.filter(({ replayed }) => replayed).length} replays, ` +
    `${countOf(history, 'idempotency_key_in_use')} in use, ${countOf(history, 'idempotency_key_reused')} reused, ` +
    `${countOf(history, 'status_transition_invalid')} forbidden, ` +
    `${answers.filter(({ status }) => status === 503).length} unavailable, ` +
    `${requests.length - answers.length} unknown, ${foundAgain.length} answers found again`
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

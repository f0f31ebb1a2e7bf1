import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';
import type { CallResult, History, Operation } from './history.ts';
import { chooseNext, createShared, isTemporary, type ClientMemory, type Wish } from './operations.ts';
import type { Random } from './random.ts';

/** How many references all clients change at the same time. */
const sharedCount = 3;

/** More than the connections that the clients and the settling requests have open together. */
const connectionsMax = 64;

/** Far more than a round sends. It bounds a round that lasts too long. */
const operationsPerClientMax = 5_000;

/** The pause before a client retries while the database is down. */
const pauseAfterFailureMs = 25;

/** Retries meet commits whose outcome is still unknown. The rest is settled after the load. */
const retriesMax = 3;

export interface LoadSettings {
  api: Api;
  history: History;
  random: Random;
  round: number;
  /** One for each client. They last for the whole run, so that repeats reach back over crashes. */
  memories: ClientMemory[];
  /** Puts no record into one state twice, so that the changes show their own order. */
  marksEveryChange?: boolean;
  /** Gets each result, to see when the server has recovered. */
  onResult: (result: CallResult, sentMs: number) => void;
}

/** Clients that send. `ended` resolves when each client has its last response or has lost its connection. */
export interface Load {
  ended: Promise<void>;
}

/**
 * Makes the shared references, and lets all clients send until `stop`. Resolves when the clients begin, so that no fault comes before
 * them, however slow the machine is.
 */
export async function startLoad(settings: LoadSettings, stop: AbortSignal): Promise<Load> {
  const sharedIds = await makeShared(settings);
  const clients = settings.memories.map((memory, client) => runClient(settings, client, memory, sharedIds, stop));
  return { ended: Promise.all(clients).then(() => undefined) };
}

async function makeShared({ api, history, round }: LoadSettings): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= sharedCount; number++) {
    const id = `r${round}-shared-${number}`;
    const operation = history.add({ id, round, ...createShared(id) });
    let result = await history.record(operation, () => api.send(operation));
    // Kept connections can belong to the dead server.
    for (let retry = 1; retry <= connectionsMax && result.kind === 'unanswered'; retry++) {
      result = await history.record(operation, () => api.send(operation));
    }
    if (result.kind !== 'answered' || result.status !== 200) {
      throw new Error(`Could not make a reference before the fault: ${JSON.stringify(result)}`);
    }
    ids.push((JSON.parse(result.text) as { id: string }).id);
  }
  return ids;
}

async function runClient(
  settings: LoadSettings,
  client: number,
  memory: ClientMemory,
  sharedIds: string[],
  stop: AbortSignal,
): Promise<void> {
  const { history, round } = settings;
  const random = settings.random.fork(`client ${client}`);
  for (let number = 1; number <= operationsPerClientMax && !stop.aborted; number++) {
    const id = `r${round}-c${client}-${number}`;
    const plan = chooseNext(random, id, memory, { sharedIds, marksEveryChange: settings.marksEveryChange ?? false });
    const copies = plan.kind === 'new' ? plan.copies : 1;
    const operation = plan.kind === 'new' ? history.add(operationOf(id, round, plan.operation)) : plan.operation;
    let results = await Promise.all(Array.from({ length: copies }, () => send(settings, operation)));
    for (let retry = 1; retry <= retriesMax && !stop.aborted && results.every(hasFailed); retry++) {
      await sleep(pauseAfterFailureMs);
      // Without a key, a retry could execute the operation twice.
      if (operation.key !== null) results = [await send(settings, operation)];
    }
    for (const result of results) if (result.kind === 'answered') memory.note(operation, result);
  }
}

function hasFailed(result: CallResult): boolean {
  return result.kind === 'unanswered' || isTemporary(result);
}

function operationOf(id: string, round: number, wish: Wish): Omit<Operation, 'calls'> {
  return { id, round, ...wish };
}

async function send({ api, history, onResult }: LoadSettings, operation: Operation): Promise<CallResult> {
  const sentMs = performance.now();
  const result = await history.record(operation, () => api.send(operation));
  onResult(result, sentMs);
  return result;
}

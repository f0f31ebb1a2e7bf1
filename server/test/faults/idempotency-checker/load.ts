import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../crash-checker/api.ts';
import { reachedServer, type History, type Operation } from '../crash-checker/history.ts';
import { sameJson } from '../crash-checker/json.ts';
import { createShared, isTemporary } from '../crash-checker/operations.ts';
import type { Random } from '../crash-checker/random.ts';

const operationsPerRound = 128;

/** Clients compete for this many references. New ones follow after some rounds, when most of the old ones have ended. */
const sharedCount = 4;
const roundsPerShared = 16;

/** The greatest distance between keys that are in use at the same time. */
const keysApartMax = 4;

/** Clients do not wait for the second that the API advises, because the moments right after a kill matter most. */
const pauseMsMax = 120;

/** While no process runs, retries without a pause would take the processor from the starting ones. */
const pauseWhileDownMs = 200;

/** Several seconds. An operation without a response by then is settled after the load. */
const attemptsMax = 1_000;

export interface LoadSettings {
  /** The same API, served by several processes. */
  apis: readonly Api[];
  history: History;
  random: Random;
}

/**
 * Makes the references that clients will compete for. Makes them all at once, before any kill, so that none is changed when it is made.
 * Clocks of two processes can differ by a millisecond, which its times, in seconds, would show.
 */
export async function makeShared({ apis, history }: LoadSettings, rounds: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < Math.ceil(rounds / roundsPerShared) * sharedCount; number++) {
    const id = `shared-${number}`;
    const operation = history.add({ id, round: 0, ...createShared(id) });
    const result = await history.record(operation, () => apis[0]!.send(operation));
    if (result.kind !== 'answered' || result.status !== 200) {
      throw new Error(`Could not make a reference before the first kill: ${JSON.stringify(result)}`);
    }
    ids.push((JSON.parse(result.text) as { id: string }).id);
  }
  return ids;
}

export interface RoundSettings extends LoadSettings {
  round: number;
  sharedIds: readonly string[];
  /** Called before each operation, with the random choices of its client. */
  beforeOperation: (random: Random) => void;
}

/**
 * Plays a round. Clients share a few keys, front to back, so that each key is new to several of them at once. Each client sends its wish
 * until it gets a response, each time to any of the processes.
 */
export async function playRound({
  apis,
  history,
  random,
  round,
  sharedIds,
  beforeOperation,
}: RoundSettings): Promise<void> {
  const firstShared = Math.floor(round / roundsPerShared) * sharedCount;
  const ids = sharedIds.slice(firstShared, firstShared + sharedCount);
  const keys = Array.from({ length: random.between(5, 30) }, (_, number) =>
    wishesOfKey(history, random, round, number, ids),
  );
  let next = 0;
  const runClient = async (own: Random): Promise<void> => {
    while (next < operationsPerRound) {
      const number = next++;
      beforeOperation(own);
      const front = Math.floor((number / operationsPerRound) * keys.length);
      const at = front + own.between(-keysApartMax, keysApartMax);
      const wishes = keys[Math.min(Math.max(at, 0), keys.length - 1)]!;
      // If there is a second wish, some clients send it with the first one's key.
      await sendUntilAnswered(apis, history, own, own.chance(0.35) ? wishes.at(-1)! : wishes[0]!);
    }
  };
  const clients = Array.from({ length: random.between(8, 16) }, (_, client) => random.fork(`client ${client}`));
  await Promise.all(clients.map(runClient));
}

async function sendUntilAnswered(
  apis: readonly Api[],
  history: History,
  random: Random,
  operation: Operation,
): Promise<void> {
  let process = random.between(0, apis.length - 1);
  for (let attempt = 1, downInARow = 0; attempt <= attemptsMax; attempt++) {
    const result = await history.record(operation, () => apis[process]!.send(operation));
    if (result.kind === 'answered' && !isTemporary(result)) return;
    const isDown = !reachedServer(result);
    process = isDown ? (process + 1) % apis.length : random.between(0, apis.length - 1);
    downInARow = isDown ? downInARow + 1 : 0;
    // Tries the other process at once if this one is down.
    if (!isDown) await sleep(random.between(1, pauseMsMax));
    else if (downInARow % apis.length === 0) await sleep(pauseWhileDownMs);
  }
}

/** Returns the wish of the key. Sometimes adds the wish of a careless client with the same key, which may come first. */
function wishesOfKey(
  history: History,
  random: Random,
  round: number,
  number: number,
  sharedIds: readonly string[],
): Operation[] {
  const id = `r${round}-k${number}`;
  const own = wish(id, random, sharedIds);
  const other = wish(`${id}-other`, random, sharedIds);
  const isShared = random.chance(0.3) && !(own.path === other.path && sameJson(own.body, other.body));
  const shared = { round, method: 'POST', key: `key ${id}` } as const;
  const operation = history.add({ id, ...shared, ...own });
  return isShared ? [operation, history.add({ id: `${id}-other`, ...shared, ...other })] : [operation];
}

/** Well formed, and unused. */
const unknownPath = `/v1/references/ref_${'0'.repeat(21)}1`;

/**
 * Chooses a wish. A change of a reference leaves its mark, or can happen only once. So no reference is twice in one state, and the order of
 * its events follows from them.
 */
function wish(id: string, random: Random, sharedIds: readonly string[]): Pick<Operation, 'kind' | 'path' | 'body'> {
  const path = `/v1/references/${random.pick(sharedIds)}`;
  const mark = { changed_by: id };
  const outcome = random.pick(['accept', 'consider', 'high_risk'])!;
  const kind = random.weighted({
    create: 16,
    slot: 44,
    processing: 7,
    processingWithOutcome: 5,
    accept: 3,
    correct: 6,
    nothing: 7,
    cancel: 2,
    unknown: 6,
  });
  switch (kind) {
    case 'create':
      return {
        kind: 'create_reference',
        path: '/v1/references',
        body: { application: 'app_1', metadata: { made_by: id } },
      };
    case 'slot': {
      const slot = { [`slot_${random.between(1, 4)}`]: random.pick(['', 'a', 'b', id])! };
      return { kind: 'update_reference', path, body: { metadata: { ...mark, ...slot } } };
    }
    case 'processing':
      return { kind: 'update_reference', path, body: { status: 'processing' } };
    case 'processingWithOutcome':
      return { kind: 'update_reference', path, body: { status: 'processing', outcome, metadata: mark } };
    case 'accept':
      return { kind: 'update_reference', path, body: { outcome: 'accept' } };
    case 'correct':
      return { kind: 'update_reference', path, body: { outcome, metadata: mark } };
    case 'nothing':
      return { kind: 'update_reference', path, body: {} };
    case 'cancel':
      return { kind: 'cancel_reference', path: `${path}/cancel`, body: null };
    case 'unknown':
      return { kind: 'update_missing', path: unknownPath, body: { outcome } };
  }
}

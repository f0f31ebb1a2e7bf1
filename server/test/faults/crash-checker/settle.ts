import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';
import { isStored, type History, type Operation } from './history.ts';
import { isTemporary } from './operations.ts';
import type { Random } from './random.ts';

/** As many parallel requests as in the load. */
const togetherMax = 16;

/** A request without a response after this time is a finding of its own. */
const giveUpMs = 30_000;
const pauseMs = 50;

/** A crash endangers the responses just before it. A sample of the older ones is enough. */
const latestRepeated = 100;
const olderRepeated = 50;

/**
 * Resends every operation that has a key and no stored response, with the same key, until it has one.
 * @returns how many there were, and how many of them the server had executed before.
 */
export async function settleUnknown(api: Api, history: History): Promise<{ operations: number; done: number }> {
  const unknown = history.operations.filter((operation) => isRepeatable(operation) && !hasStoredAnswer(operation));
  await forEach(unknown, async (operation) => {
    const giveUpAtMs = performance.now() + giveUpMs;
    while (performance.now() < giveUpAtMs) {
      const result = await history.record(operation, () => api.send(operation));
      if (result.kind === 'answered' && !isTemporary(result)) return;
      await sleep(pauseMs);
    }
  });
  const done = unknown.filter(({ calls }) => calls.map(({ result }) => result).find(isStored)?.replayed);
  return { operations: unknown.length, done: done.length };
}

/** Resends operations with known responses. The server must still know them too. */
export async function repeatAnswered(api: Api, history: History, random: Random): Promise<void> {
  const answered = history.operations.filter((operation) => isRepeatable(operation) && hasStoredAnswer(operation));
  const latest = answered.slice(-latestRepeated);
  const older = answered.slice(0, -latestRepeated);
  const sample = Array.from({ length: olderRepeated }, () => random.pick(older));
  const chosen = new Set([...latest, ...sample].filter((operation) => operation !== undefined));
  await forEach([...chosen], async (operation) => {
    await history.record(operation, () => api.send(operation));
  });
}

function isRepeatable({ key, kind }: Operation): boolean {
  return key !== null && kind !== 'misuse_key';
}

function hasStoredAnswer({ calls }: Operation): boolean {
  return calls.some(({ result }) => isStored(result));
}

async function forEach<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: togetherMax }, worker));
}

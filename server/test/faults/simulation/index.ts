import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { withClient, type Connection } from '../../../src/db/pools.ts';
import { startEmbeddedDatabase } from '../../../src/embedded-postgres/index.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { makePartitionsAhead } from '../../../src/db/partitions.ts';
import { makeQueue } from '../../support/global-setup.ts';
import { openShared } from './database.ts';
import type { Violation } from './judge.ts';
import { startMs, World, type Plant } from './world.ts';

/** How many worlds run at once. Others run while one waits. */
const worldsAtOnce = 24;

/** All worlds share this many times the connections of a server. */
const places = 3;

/** A world that is not over by then never ends, in real milliseconds. */
const standstillMs = 60_000;

/** The results of all seeds. */
export interface Verdict {
  counts: Record<string, number>;
  violations: Violation[];
}

/**
 * Plays the worlds of `seeds` seeds from `firstSeed` on, on an embedded PostgreSQL of its own. Prints every step of a seed that breaks a
 * promise. To repeat that seed, set `firstSeed` to it and `seeds` to one.
 */
export async function simulate(options: {
  seeds: number;
  firstSeed: number;
  print(line: string): void;
}): Promise<Verdict> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tenure-simulation-'));
  const projectDir = fileURLToPath(new URL('../../../../', import.meta.url));
  const embedded = await startEmbeddedDatabase({ dataDir, projectDir });
  const cleanUp = async (): Promise<void> => {
    await embedded.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const onSignal = (): void => void cleanUp().finally(() => process.exit(130));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    await withClient(embedded.connection, migrate);
    // A decision puts a job into the queue. No worker of the simulation takes it.
    await makeQueue(embedded.connection);
    return await simulateOn(embedded.connection, options);
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await cleanUp();
  }
}

/** Simulates on a migrated database that is used for nothing else, with a planted fault. */
export async function simulateOn(
  connection: Connection,
  options: { seeds: number; firstSeed: number; print(line: string): void; plant?: Plant },
): Promise<Verdict> {
  const { seeds, firstSeed, print, plant = {} } = options;
  await withClient(connection, (client) => makePartitionsAhead(client, startMs));
  const shared = await openShared(connection, places);
  const verdict: Verdict = { counts: { seeds }, violations: [] };
  const startedMs = performance.now();
  let next = firstSeed;
  let played = 0;
  const playOn = async (): Promise<void> => {
    while (next < firstSeed + seeds) {
      const world = new World(next++, shared, plant);
      const violations = await Promise.race([world.play(), stillAfter(world, standstillMs)]);
      for (const [what, times] of Object.entries(world.counts)) {
        verdict.counts[what] = (verdict.counts[what] ?? 0) + times;
      }
      if (violations.length > 0) for (const line of linesOf(world, violations)) print(line);
      verdict.violations.push(...violations.map((each) => ({ ...each, about: `seed ${world.seed}: ${each.about}` })));
      if (++played % 1_000 === 0) print(`${played} seeds, ${perSecond(played, startedMs)} a second`);
    }
  };
  try {
    await Promise.all(Array.from({ length: worldsAtOnce }, playOn));
  } finally {
    await shared.end();
  }
  const told = Object.entries(verdict.counts)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([what, times]) => `${what} ${times}`);
  print(`${seeds} seeds from ${firstSeed}, ${perSecond(seeds, startedMs)} a second: ${told.join(', ')}`);
  print(verdict.violations.length === 0 ? 'No violation.' : `${verdict.violations.length} violations.`);
  return verdict;
}

async function stillAfter(world: World, ms: number): Promise<Violation[]> {
  await delay(ms, undefined, { ref: false });
  return [{ rule: 'stands_still', about: world.accountId, message: `The world is not over after ${ms} ms.` }];
}

function perSecond(seeds: number, startedMs: number): string {
  return (seeds / ((performance.now() - startedMs) / 1000)).toFixed(1);
}

function linesOf({ seed, trace }: World, violations: Violation[]): string[] {
  return [
    `seed ${seed}:`,
    ...trace.map((line) => `  ${line}`),
    ...violations.map(({ rule, about, message }) => `  ${rule}: ${about}: ${message}`),
    `Repeat with: node server/test/faults/simulation/index.ts --seed ${seed}`,
  ];
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seeds: { type: 'string' }, seed: { type: 'string' } } });
  const [seeds, firstSeed] = [values.seeds ?? (values.seed ? 1 : 10_000), values.seed ?? 1].map(Number);
  const { violations } = await simulate({ seeds: seeds!, firstSeed: firstSeed!, print: printLine });
  process.exit(violations.length > 0 ? 1 : 0);
}

if (import.meta.main) await main();

import { CrashChecker, type EndReport, type RoundReport } from '../crash-checker/checker.ts';
import { EmbeddedStage } from '../crash-checker/stages/embedded.ts';
import { FailpointStage } from '../crash-checker/stages/failpoints.ts';
import { ManyServersStage } from '../crash-checker/stages/many-servers.ts';
import { NetworkStage } from '../crash-checker/stages/network.ts';
import type { Stage } from '../crash-checker/stages/stage.ts';
import type { FaultReport, FaultRun, PlayOptions } from './fault-run.ts';

/* Runs of the crash checker. 16 clients write, faults strike, and afterwards everything is settled, read back and judged. */

export const kills: FaultRun = {
  name: 'kills',
  title: '`kill -9` of the server under load, every fourth time once more while it starts',
  unit: 'kills',
  sizes: { ci: 10, gate: 60, full: 200 },
  play: playOn(() => EmbeddedStage.create({ server: 1, database: 0, both: 0 })),
};

export const failpoints: FaultRun = {
  name: 'failpoints',
  title: '`kill -9` before, at and after a commit, a claim, an attempt and the recording of its outcome (11 points)',
  unit: 'kills',
  sizes: { ci: 11, gate: 60, full: 300 },
  play: playOn(() => FailpointStage.create()),
};

export const databaseRestarts: FaultRun = {
  name: 'database',
  title: '`kill -9` of PostgreSQL, of some of its processes, or of it and the server',
  unit: 'crashes',
  sizes: { ci: 6, gate: 20, full: 80 },
  play: playOn(() => EmbeddedStage.create({ server: 0, database: 3, both: 2 })),
};

export const networkCuts: FaultRun = {
  name: 'network',
  title: 'the network to the database (down, silent, cut around a commit) and to receivers (down)',
  unit: 'cuts',
  sizes: { ci: 6, gate: 30, full: 120 },
  play: playOn(() => NetworkStage.create()),
};

export const twoServers: FaultRun = {
  name: 'two servers',
  title: 'two servers on one database, one or both killed at random moments',
  unit: 'kills',
  sizes: { ci: 5, gate: 25, full: 100 },
  play: playOn(() => ManyServersStage.create(['all', 'all'])),
};

export const apisAndWorkers: FaultRun = {
  name: 'apis and workers',
  title: 'two processes that serve requests and two that deliver, on one database, any of them killed',
  unit: 'kills',
  sizes: { ci: 0, gate: 5, full: 40 },
  play: playOn(() => ManyServersStage.create(['api', 'api'], ['worker', 'worker'])),
};

/** Each round reads everything back, so a new stage replaces a large one after this many rounds. */
const roundsOnOneStage = 25;

const clients = 16;

function playOn(createStage: () => Promise<Stage>): FaultRun['play'] {
  return async (size, options) => {
    const report: FaultReport = { done: 0, counts: {}, violations: [] };
    for (let part = 1; report.done < size && report.violations.length === 0; part++) {
      const rounds = Math.min(roundsOnOneStage, size - report.done);
      await playPart(await createStage(), { ...options, rounds, part, report });
    }
    return report;
  };
}

/** Plays rounds on one stage, up to the first finding. Later rounds would only repeat it. */
async function playPart(
  stage: Stage,
  { seed, print, rounds, part, report }: PlayOptions & { rounds: number; part: number; report: FaultReport },
): Promise<void> {
  // One seed for each part, so that a long run has no round twice.
  const checker = new CrashChecker(stage, { seed: seed + part - 1, clients });
  let isClean = false;
  try {
    await stage.start();
    for (let round = 1; round <= rounds && report.violations.length === 0; round++) {
      const told = await checker.playRound();
      report.done++;
      add(report, told);
      print(lineOf(told));
    }
    if (report.violations.length === 0) addEnd(report, await checker.finish());
    isClean = report.violations.length === 0;
  } finally {
    await checker.close({ keepFiles: !isClean });
    if (!isClean) print(`The data and logs are kept in ${stage.places.join(' and ')}`);
  }
}

function add({ counts, violations }: FaultReport, told: RoundReport): void {
  count(counts, 'requests', told.sent);
  count(counts, '503', told.unavailable);
  count(counts, 'without a response', told.unknown);
  count(counts, 'found executed by their key', told.settledAsDone);
  counts['longest without service, ms'] = Math.max(
    counts['longest without service, ms'] ?? 0,
    Math.round(told.firstAnswerMs),
  );
  violations.push(...told.violations);
}

function addEnd({ counts, violations }: FaultReport, end: EndReport): void {
  count(counts, 'events', end.events);
  count(counts, 'deliveries', end.deliveries);
  count(counts, 'sent twice', end.duplicates);
  violations.push(...end.violations);
}

function count(counts: FaultReport['counts'], name: string, more: number): void {
  counts[name] = (counts[name] ?? 0) + more;
}

function lineOf({ round, trouble, sent, answered, unavailable, unknown, ...told }: RoundReport): string {
  return [
    `${String(round).padStart(3)}: ${trouble}`,
    `sent ${sent}, answered ${answered}, 503 ${unavailable}, unknown ${unknown}`,
    `settled ${told.settled} (${told.settledAsDone} executed before)`,
    `served again after ${Math.round(told.firstAnswerMs)} ms`,
    `${told.references} references, ${told.events} events, ${told.received} received`,
    ...(told.violations.length > 0 ? [`${told.violations.length} VIOLATIONS`] : []),
  ].join(' | ');
}

import { parseArgs } from 'node:util';
import { newSeed } from './crash-checker/checker.ts';
import { answersCut } from './runs/answers-cut.ts';
import { bursts } from './runs/bursts.ts';
import { clockJumps } from './runs/clock-jumps.ts';
import { diskFull } from './runs/disk-full.ts';
import { shortfallOf, type FaultReport, type FaultRun, type Size } from './runs/fault-run.ts';
import { linearizability } from './runs/linearizability.ts';
import { model } from './runs/model.ts';
import { posts } from './runs/posts.ts';
import { receivers } from './runs/receivers.ts';
import { apisAndWorkers, databaseRestarts, failpoints, kills, networkCuts, twoServers } from './runs/rounds.ts';
import { simulation } from './runs/simulation.ts';
import { stream } from './runs/stream.ts';
import { commitHere } from '../../../scripts/publish.ts';
import { publish, tableOf, type Played } from './table.ts';

/** In the order of the table. */
const runs: readonly FaultRun[] = [
  kills,
  failpoints,
  databaseRestarts,
  networkCuts,
  twoServers,
  apisAndWorkers,
  answersCut,
  bursts,
  posts,
  clockJumps,
  diskFull,
  receivers,
  linearizability,
  stream,
  model,
  simulation,
];

/** How many violations of one run are printed. The first show what is wrong. */
const printedMax = 20;

const help = `npm run faults -- [options]

Breaks the server as real life does, and checks that no answered request is lost or executed twice.
Judges by the API alone, except for the simulation.

  --full            uses the sizes of the table in docs/faults.md; under an hour (without it, about ten minutes)
  --ci              plays for three minutes
  --only a,b        plays only these runs: ${namesOf(runs).join(', ')}
  --seed N          repeats the random choices of an earlier run
  --size N          plays N faults in each run
  --together N      plays N runs in parallel (2)
  --publish         with --full: writes the results into docs/faults.md
`;

interface Options {
  size: Size;
  only: string[] | null;
  seed: number;
  count: number | null;
  together: number;
  publish: boolean;
}

/** Plays the runs, prints the findings, and exits with 1 if there are any. */
async function main(): Promise<void> {
  const options = readOptions();
  const startedMs = performance.now();
  print(`seed ${options.seed}`);
  const wanted = runs
    .filter(({ name }) => options.only === null || options.only.includes(name))
    .filter((run) => sizeOf(run, options) > 0);
  if (wanted.length === 0) {
    print(`Nothing to play: the selected runs are empty at this size. Choose another size with --size.`);
    process.exit(2);
  }
  const played: Played[] = [];
  const waiting = wanted.values();
  const playSome = async (): Promise<void> => {
    for (const run of waiting) played.push(await play(run, options));
  };
  await Promise.all(Array.from({ length: options.together }, playSome));
  played.sort((left, right) => namesOf(runs).indexOf(left.name) - namesOf(runs).indexOf(right.name));

  print(`\n${tableOf(played)}\n`);
  const failed = played.filter(({ report, error }) => report.violations.length > 0 || error !== null);
  const notRun = played.filter(({ report }) => report.notRun !== undefined);
  for (const { name, report } of notRun) print(`${name} did not run: ${report.notRun}`);
  for (const { name, report, error, seed } of failed) {
    // Once more at the end, where a reader looks first.
    printViolations(name, report);
    if (error !== null) print(`${name}: ${error}`);
    const size = sizeOf(
      runs.find((run) => run.name === name)!,
      options,
    );
    print(`Repeat with: npm run faults -- --only "${name}" --size ${size} --seed ${seed}`);
  }
  const verdict = failed.length === 0 ? 'Nothing was lost, and nothing was done twice' : `${failed.length} runs FAILED`;
  const unplayed = notRun.length === 0 ? '' : `, and ${notRun.length} did not run`;
  const minutes = (performance.now() - startedMs) / 60_000;
  print(`${verdict}${unplayed}: ${minutes.toFixed(1)} min`);
  if (options.publish) publish(played, namesOf(runs));
  process.exit(failed.length === 0 ? 0 : 1);
}

async function play(run: FaultRun, options: Options): Promise<Played> {
  const startedMs = performance.now();
  const takenAt = new Date().toISOString();
  const report: FaultReport = { done: 0, counts: {}, violations: [] };
  let error: string | null = null;
  try {
    const size = sizeOf(run, options);
    Object.assign(report, await run.play(size, { seed: options.seed, print: (line) => print(`${run.name} ${line}`) }));
    // A run that found a violation may have stopped there.
    if (report.violations.length === 0) error = shortfallOf(report, size, run.unit);
  } catch (thrown) {
    error = `The run did not finish: ${(thrown as Error).message}`;
    print(`${run.name} ${(thrown as Error).stack}`);
  }
  printViolations(run.name, report);
  const { name, title, unit } = run;
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  print(report.notRun === undefined ? `${name}: ${report.done} ${unit} in ${seconds} s` : `${name}: did not run`);
  return { name, title, unit, seed: options.seed, takenAt, commit: commitHere(), seconds, report, error };
}

function printViolations(name: string, { violations }: FaultReport): void {
  for (const { rule, about, message } of violations.slice(0, printedMax))
    print(`${name}: ${rule}: ${about}: ${message}`);
  if (violations.length > printedMax) print(`${name}: ${violations.length - printedMax} more violations`);
}

function sizeOf(run: FaultRun, { size, count }: Options): number {
  return count ?? run.sizes[size];
}

function namesOf(some: readonly { name: string }[]): string[] {
  return some.map(({ name }) => name);
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      full: { type: 'boolean', default: false },
      ci: { type: 'boolean', default: false },
      only: { type: 'string' },
      seed: { type: 'string' },
      size: { type: 'string' },
      together: { type: 'string', default: '2' },
      publish: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only?.split(',') ?? null;
  const unknown = only?.filter((name) => !runs.some((run) => run.name === name)) ?? [];
  const seed = values.seed === undefined ? newSeed() : Number(values.seed);
  const count = values.size === undefined ? null : Number(values.size);
  const together = Number(values.together);
  const areNumbers = Number.isInteger(seed) && Number.isInteger(count ?? 1) && together >= 1;
  const publishesAll = !values.publish || (values.full && count === null);
  if (values.help || !publishesAll || unknown.length > 0 || !areNumbers) {
    process.stdout.write(help);
    process.exit(values.help ? 0 : 2);
  }
  const size = values.full ? 'full' : values.ci ? 'ci' : 'gate';
  return { size, only, seed, count, together, publish: values.publish };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

// Ctrl-C comes twice, from the terminal and from npm. The second one must not interrupt the exit handlers.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
await main();

import { parseArgs } from 'node:util';
import { CrashChecker, newSeed, type CheckerSettings, type EndReport, type RoundReport } from './checker.ts';
import { killModes, type KillMode } from './faults.ts';
import type { Violation } from './judge/evidence.ts';

export interface RunSettings extends CheckerSettings {
  rounds: number;
}

export interface Verdict {
  rounds: RoundReport[];
  /** Null if the rounds found something. */
  end: EndReport | null;
  violations: Violation[];
}

const usage = `Kills the server at random moments under load, and checks that nothing answered is lost or done twice.

  node server/test/faults/crash-checker/run.ts [--rounds 30] [--seed <number>] [--clients 16]
      [--kill ${killModes.join('|')}]
`;

/** Plays all rounds, or ends with the first one that finds something: what comes after it would only repeat it. */
export async function run(settings: RunSettings, print: (line: string) => void): Promise<Verdict> {
  print(`seed ${settings.seed}`);
  const checker = await CrashChecker.create(settings);
  const interruption = closeOnSignal(checker);
  const rounds: RoundReport[] = [];
  let end: EndReport | null = null;
  let isClean = false;
  try {
    await checker.deployment.start();
    while (rounds.length < settings.rounds) {
      const report = await checker.playRound();
      rounds.push(report);
      print(lineOf(report));
      if (report.violations.length > 0) break;
    }
    isClean = rounds.every(({ violations }) => violations.length === 0);
    if (isClean) {
      end = await checker.finish();
      isClean = end.violations.length === 0;
    }
  } catch (error) {
    await interruption.ifAny();
    const part = rounds.length < settings.rounds ? `round ${rounds.length + 1}` : 'the end';
    print(`${part} could not be played: ${(error as Error).message}`);
    print(repeatCommand(settings));
    throw error;
  } finally {
    interruption.stopListening();
    await checker.close({ keepFiles: !isClean });
    if (!isClean) print(`What was found is kept in ${checker.deployment.dataDir} and ${checker.deployment.logFile}`);
  }
  const verdict = {
    rounds,
    end,
    violations: [...rounds, ...(end ? [end] : [])].flatMap(({ violations }) => violations),
  };
  for (const line of linesOf(verdict, settings)) print(line);
  return verdict;
}

/** A run that is broken off must leave nothing behind; what then goes wrong in its round is no finding. */
function closeOnSignal(checker: CrashChecker): { ifAny(): Promise<void>; stopListening(): void } {
  let ending = Promise.resolve();
  const onSignal = (): void => {
    ending = checker.close().finally(() => process.exit(130));
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  return {
    ifAny: () => ending,
    stopListening: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
}

function lineOf(report: RoundReport): string {
  const { round, fault, sent, answered, unavailable, unknown, firstAnswerMs, references, events, received } = report;
  return [
    `round ${String(round).padStart(2)}: ${fault}`,
    `sent ${sent}, answered ${answered}, unavailable ${unavailable}, unknown ${unknown}`,
    `settled ${report.settled} (${report.settledAsDone} were done)`,
    `first answer after ${Math.round(firstAnswerMs)} ms`,
    `${references} references, ${events} events, ${received} deliveries received`,
    ...(report.violations.length > 0 ? [`${report.violations.length} VIOLATIONS`] : []),
  ].join(' | ');
}

function linesOf({ rounds, end, violations }: Verdict, settings: RunSettings): string[] {
  const total = (of: (report: RoundReport) => number): number => rounds.reduce((sum, report) => sum + of(report), 0);
  const slowest = Math.max(...rounds.map(({ firstAnswerMs }) => firstAnswerMs));
  const counts =
    `${rounds.length} rounds, ${total(({ sent }) => sent)} requests sent, ` +
    `${total(({ answered }) => answered)} answered, ` +
    `${total(({ unavailable }) => unavailable)} unavailable, ${total(({ unknown }) => unknown)} unknown, ` +
    `${total(({ settled }) => settled)} settled by their key, ` +
    `of which ${total(({ settledAsDone }) => settledAsDone)} were done, ` +
    `slowest first answer ${Math.round(slowest)} ms${end ? `; ${describeEnd(end)}` : ''}`;
  if (violations.length === 0) return [`No violation: ${counts}`];
  return [
    ...violations.map(({ rule, about, message }) => `${rule}: ${about}: ${message}`),
    `${violations.length} violations: ${counts}`,
    repeatCommand(settings),
  ];
}

function describeEnd({ waitedMs, events, deliveries, failed, duplicates, retries }: EndReport): string {
  return (
    `${events} events, ${deliveries} deliveries over after another ${Math.round(waitedMs / 1000)} s, ` +
    `${failed} of them failed, ${duplicates} duplicates (allowed), ${retries} retries`
  );
}

function repeatCommand({ rounds, seed, kill, clients }: RunSettings): string {
  const options = `--rounds ${rounds} --seed ${seed} --kill ${kill} --clients ${clients}`;
  return `Repeat with: node server/test/faults/crash-checker/run.ts ${options}`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '30' },
      seed: { type: 'string', default: String(newSeed()) },
      kill: { type: 'string', default: 'mixed' },
      clients: { type: 'string', default: '16' },
      help: { type: 'boolean', default: false },
    },
  });
  const numbers = [values.rounds, values.seed, values.clients].map(Number);
  const isValid = numbers.every((value) => Number.isInteger(value) && value >= 0) && isKillMode(values.kill);
  if (values.help || !isValid) {
    process.stdout.write(usage);
    process.exit(values.help ? 0 : 2);
  }
  const [rounds, seed, clients] = numbers as [number, number, number];
  const verdict = await run({ rounds, seed, clients, kill: values.kill as KillMode }, (line) => {
    process.stdout.write(`${line}\n`);
  });
  process.exit(verdict.violations.length > 0 ? 1 : 0);
}

function isKillMode(text: string): text is KillMode {
  return (killModes as readonly string[]).includes(text);
}

// What made a round impossible has been printed, with the command that repeats it.
if (import.meta.main) await main().catch(() => process.exit(1));

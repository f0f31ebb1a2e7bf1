import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { commitHere } from '../scripts/publish.ts';
import { projectDir } from './deployment.ts';
import { median, type Figure, type Reading, type Suite } from './suite.ts';
import { toolPackages, versionOf, type Tools } from './tools.ts';

/** The written results of a run. */
export interface Results {
  takenAt: string;
  commit: string | null;
  machine: { processor: string | null; cores: number; memoryGb: number; system: string };
  versions: Record<string, string | null>;
  rounds: number;
  secondsPerLoad: number;
  figures: {
    name: string;
    title: string;
    unit: Figure['unit'];
    better: Figure['better'];
    floor: number | null;
    aim: number | null;
    besideUnit: NonNullable<Figure['besideUnit']>;
    median: number | null;
    readings: Reading[];
    notRun: string | null;
  }[];
}

/** One figure, with its value in each round. */
export interface Row {
  suite: string;
  name: string;
  figure: Figure;
  readings: Reading[];
  /** The reason; null if it was measured. */
  notRun: string | null;
}

export function rowsOf(suites: Suite[], rounds: Map<string, Partial<Record<string, Reading>>[]>, tools: Tools): Row[] {
  return suites.flatMap((suite) =>
    Object.entries(suite.figures).map(([name, figure]) => {
      const readings = (rounds.get(suite.name) ?? []).flatMap((round) => round[name] ?? []);
      const missing = figure.needs.filter((tool) => tools[tool] === null);
      const notRun = missing.length > 0 ? `not run: ${missing.join(' and ')} is missing` : null;
      return { suite: suite.name, name, figure, readings, notRun };
    }),
  );
}

/** Formats the table for a terminal. */
export function tableOf(figures: Results['figures']): string {
  return textTable(cellsOf(figures));
}

/** Formats rows of cells for a terminal. The first row is the head. */
export function textTable(cells: string[][]): string {
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const lines = cells.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`);
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** Returns the table's head and rows. They have medians of the rounds, the range in brackets, and what each is compared with. */
export function cellsOf(figures: Results['figures']): string[][] {
  return [
    ['figure', 'measured (range)', 'ours', 'limit', 'baseline', 'floor', 'aim', ''],
    ...figures.map((figure) => {
      const { title, readings, notRun, unit } = figure;
      if (notRun !== null || readings.length === 0) return [title, notRun ?? 'not run', '', '', '', '', '', ''];
      const values = readings.map(({ value }) => value);
      const range = values.length > 1 ? ` (${format(Math.min(...values))}–${format(Math.max(...values))})` : '';
      return [
        title,
        `${format(median(values))} ${unitText[unit]}${range}`,
        besideOf(figure, 'ours'),
        besideOf(figure, 'limit'),
        besideOf(figure, 'baseline'),
        figure.floor === null ? '–' : format(figure.floor),
        figure.aim === null ? '–' : format(figure.aim),
        verdictOf(figure, median(values)),
      ];
    }),
  ];
}

/** Says what to install for the rows that were not run. */
export function missingToolsText(tools: Tools): string {
  const missing = (Object.keys(tools) as (keyof Tools)[]).filter((tool) => tools[tool] === null);
  return missing
    .map((tool) => `${tool} is missing, so some rows are not run. It is in ${toolPackages[tool]}.\n`)
    .join('');
}

/** Returns all measurements, with the system they were made on. */
export function resultsOf(
  rows: Row[],
  run: { tools: Tools; rounds: number; seconds: number; postgres: string },
): Results {
  return {
    takenAt: new Date().toISOString(),
    commit: commitHere(),
    machine: machineHere(),
    versions: {
      node: process.version,
      postgres: run.postgres,
      wrk: run.tools.wrk && versionOf(run.tools.wrk, '-v'),
      pgbench: run.tools.pgbench && versionOf(run.tools.pgbench, '--version'),
      ...Object.fromEntries(
        ['pg', 'undici', 'fastify', 'graphile-worker', 'drizzle-orm'].map((name) => [name, installed(name)]),
      ),
    },
    rounds: run.rounds,
    secondsPerLoad: run.seconds,
    figures: rows.map(({ suite, name, figure, readings, notRun }) => ({
      name: `${suite}.${name}`,
      title: figure.title,
      unit: figure.unit,
      better: figure.better,
      floor: figure.floor,
      aim: figure.aim,
      besideUnit: figure.besideUnit ?? '/s',
      median: readings.length > 0 ? median(readings.map(({ value }) => value)) : null,
      readings,
      notRun,
    })),
  };
}

/** Writes into a folder that git ignores, and returns the file. */
export function writeResults(name: string, results: unknown): string {
  const folder = join(projectDir, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  return file;
}

const unitText: Record<Figure['unit'], string> = {
  times: 'x',
  ms: 'ms',
  µs: 'µs',
  kB: 'kB',
  MB: 'MB',
  s: 's',
  statements: '',
  shift: '',
  '%': '%',
};

function besideOf({ readings, besideUnit }: Results['figures'][number], side: 'ours' | 'limit' | 'baseline'): string {
  const values = readings.flatMap((reading) => reading[side] ?? []);
  if (values.length === 0) return '';
  if (besideUnit === '/s') return `${Math.round(median(values))}/s`;
  const rates = readings.flatMap(({ atPerSecond }) => (side === 'limit' ? [] : (atPerSecond?.[side] ?? [])));
  const at = rates.length === 0 ? '' : ` at ${Math.round(median(rates))}/s`;
  return `${format(median(values))} ${besideUnit}${at}`;
}

function verdictOf({ better, floor, aim }: Pick<Figure, 'better' | 'floor' | 'aim'>, value: number): string {
  const reaches = (mark: number): boolean => (better === 'more' ? value >= mark : value <= mark);
  if (floor !== null && !reaches(floor)) return 'BELOW FLOOR';
  if (aim !== null && reaches(aim)) return 'aim reached';
  return floor === null ? '' : 'floor held';
}

export function format(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}

export function machineHere(): Results['machine'] {
  return {
    processor: cpus()[0]?.model ?? null,
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
  };
}

function installed(name: string): string {
  const file = join(projectDir, 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

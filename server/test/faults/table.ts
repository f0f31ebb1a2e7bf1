import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FaultReport } from './runs/fault-run.ts';

/** A run as it was played. */
export interface Played {
  name: string;
  title: string;
  unit: string;
  seed: number;
  takenAt: string;
  seconds: number;
  report: FaultReport;
  /** Why it did not come to its end. */
  error: string | null;
}

const resultsFile = fileURLToPath(new URL('./results.json', import.meta.url));

/** What was published last of each run. */
export function readPlayed(): Played[] {
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as Played[]) : [];
}

/** Keeps it, and returns the file. */
export function writePlayed(played: readonly Played[]): string {
  writeFileSync(resultsFile, `${JSON.stringify(played, null, 2)}\n`);
  return resultsFile;
}

/** For people, and for the README. */
export function tableOf(played: readonly Played[]): string {
  const rows = played.map(({ title, unit, seed, seconds, report, error }) => [
    title,
    report.notRun === undefined ? `${group(report.done)} ${unit}` : 'not run',
    report.notRun ?? countsOf(report),
    String(report.violations.length + (error === null ? 0 : 1)),
    `${seconds} s`,
    String(seed),
  ]);
  const lines = [
    ['what was done', '', 'meanwhile', 'promises broken', 'took', 'seed'],
    ['---', '---', '---', '---', '---', '---'],
    ...rows,
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function countsOf({ counts }: FaultReport): string {
  const told = Object.entries(counts).filter(([, count]) => count !== 0);
  return told.map(([name, count]) => `${name} ${group(count)}`).join(', ');
}

function group(count: number): string {
  return count.toLocaleString('en');
}

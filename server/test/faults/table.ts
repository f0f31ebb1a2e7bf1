import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { putBetween } from '../../../scripts/publish.ts';
import type { FaultReport } from './runs/fault-run.ts';

/** A run as it was played. */
export interface Played {
  name: string;
  title: string;
  unit: string;
  seed: number;
  takenAt: string;
  /** The commit that was tested; null if it is not known. */
  commit: string | null;
  seconds: number;
  report: FaultReport;
  /** Why it did not finish. */
  error: string | null;
}

const projectDir = fileURLToPath(new URL('../../../', import.meta.url));
const resultsFile = `${projectDir}docs/faults.json`;

/** Stores the runs beside those published earlier, and puts the table into `docs/faults.md`. */
export function publish(played: readonly Played[], order: readonly string[]): void {
  const before = existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as Played[]) : [];
  const others = before.filter(({ name }) => !played.some((now) => now.name === name));
  const all = [...others, ...played].sort((left, right) => order.indexOf(left.name) - order.indexOf(right.name));
  writeFileSync(resultsFile, `${JSON.stringify(all, null, 2)}\n`);
  putBetween('docs/faults.md', 'faults', tableOf(all));
}

/** Returns the Markdown table of the runs, with all that a person needs to repeat them. */
export function tableOf(played: readonly Played[]): string {
  return markdown(
    ['fault', 'count', 'other counts', 'promises broken', 'time', 'seed', 'commit'],
    played.map((run) => [
      run.title,
      timesOf(run),
      meanwhileOf(run),
      brokenIn(run),
      `${run.seconds} s`,
      String(run.seed),
      run.commit ?? '',
    ]),
  );
}

function timesOf({ unit, report }: Played): string {
  return report.notRun === undefined ? `${group(report.done)} ${unit}` : 'not run';
}

function meanwhileOf({ report }: Played): string {
  const told = Object.entries(report.counts).filter(([, count]) => count !== 0);
  return report.notRun ?? told.map(([name, count]) => `${name}: ${group(count)}`).join('; ');
}

function brokenIn({ report, error }: Played): string {
  return error?.split('\n', 1)[0] ?? String(report.violations.length);
}

function markdown(head: readonly string[], rows: readonly string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function group(count: number): string {
  return count.toLocaleString('en');
}

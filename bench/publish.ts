import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { putBetween } from '../scripts/publish.ts';
import { projectDir } from './deployment.ts';
import { plotOf } from './plot.ts';
import { cellsOf, type Results } from './report.ts';

/** Publishes a run's results: in the documents' folder, as a plot, and as the table of docs/benchmarks.md. */
export function publish(results: Results): void {
  const folder = join(projectDir, 'docs', 'figures');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bench.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(join(folder, 'bench.svg'), plotOf(results));
  putBetween('docs/benchmarks.md', 'bench', sectionOf(results));
}

function sectionOf({ takenAt, commit, machine, versions, secondsPerLoad, figures }: Results): string {
  const [head, ...rows] = cellsOf(figures);
  const lines = [head!, head!.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const where = `${machine.cores} cores of ${machine.processor ?? 'an unknown processor'}, ${machine.system}`;
  const what = `Node ${versions.node}, PostgreSQL ${versions.postgres}, commit ${commit ?? 'unknown'}`;
  const measured = `Measured on ${takenAt.slice(0, 10)} by \`npm run bench -- --publish\`, on ${where}. Software: ${what}. Each load took ${secondsPerLoad} s. A figure with a range is the median of several rounds. A figure without one is of a single round. Everything: [bench.json](figures/bench.json).`;
  return `![What is measured, as multiples of the baseline](figures/bench.svg)\n\n${measured}\n\n${lines.join('\n')}`;
}

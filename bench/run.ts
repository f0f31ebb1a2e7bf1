import { parseArgs } from 'node:util';
import { arrivals } from './arrivals.ts';
import { deliveries } from './deliveries.ts';
import { startDeployment } from './deployment.ts';
import { get } from './get.ts';
import { idempotency } from './idempotency.ts';
import { fairness } from './fairness.ts';
import { latency, latencyUnderLoad } from './latency.ts';
import { lists } from './lists.ts';
import { parked } from './parked.ts';
import { post } from './post.ts';
import { startReceiver } from './receiver.ts';
import { missingToolsText, rowsOf, tableOf, writeResults } from './report.ts';
import { referencing } from './referencing.ts';
import { reportPdf } from './report-pdf.ts';
import { start } from './start.ts';
import { stream } from './stream.ts';
import { statements } from './statements.ts';
import type { Reading, Suite } from './suite.ts';
import { findTools, type Tools } from './tools.ts';
import { versions } from './versions.ts';

const suites: Suite[] = [
  post,
  get,
  lists,
  idempotency,
  versions,
  deliveries,
  latency,
  latencyUnderLoad,
  arrivals,
  fairness,
  parked,
  stream,
  statements,
  start,
  reportPdf,
  referencing,
];

const help = `npm run bench -- [options]

Measures what the product promises about speed, each figure beside its limit, and prints one table.

  --rounds N       each figure is measured N times (3); the table shows medians
  --seconds N      how long each load lasts (3)
  --only a,b       of ${suites.map(({ name }) => name).join(', ')}
  --profile DIR    each process of the product leaves a profile of its processor time there
`;

/** Measures every suite once in each round, so that a slow minute of the machine touches all of them. */
async function main(): Promise<void> {
  const options = readOptions();
  const tools = findTools();
  process.stderr.write(missingToolsText(tools));
  const wanted = suites.filter(({ name }) => options.only === null || options.only.includes(name));
  const deployment = await startDeployment(options.profileDir);
  const receiver = await startReceiver(deployment.logDir);
  try {
    await deployment.makeEndpoints(receiver.origin);
    const bench = { deployment, receiver, tools, seconds: options.seconds };
    const rounds = new Map<string, Partial<Record<string, Reading>>[]>(wanted.map(({ name }) => [name, []]));
    for (let round = 0; round < options.rounds; round++) {
      for (const suite of wanted.filter((candidate) => canRun(candidate, tools))) {
        const startedMs = performance.now();
        process.stderr.write(`Round ${round + 1} of ${options.rounds}: ${suite.name} …`);
        rounds.get(suite.name)!.push(await suite.round(bench, round));
        process.stderr.write(` ${((performance.now() - startedMs) / 1000).toFixed(0)} s\n`);
      }
    }
    const rows = rowsOf(wanted, rounds, tools);
    const { rows: server } = await deployment.database.query<{ version: string }>(
      `select current_setting('server_version') as version`,
    );
    const file = writeResults(rows, { ...options, tools, postgres: server[0]!.version });
    process.stdout.write(`\n${tableOf(rows)}\n\nMedians of ${options.rounds} rounds. Everything: ${file}\n`);
  } finally {
    for (const suite of wanted) await suite.stop?.();
    await receiver.stop();
    await deployment.stop();
  }
}

function canRun(suite: Suite, tools: Tools): boolean {
  return Object.values(suite.figures).some(({ needs }) => needs.every((tool) => tools[tool] !== null));
}

interface Options {
  rounds: number;
  seconds: number;
  only: string[] | null;
  profileDir: string | null;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '3' },
      only: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  const only = values.only?.split(',') ?? null;
  const unknown = only?.filter((name) => !suites.some((suite) => suite.name === name)) ?? [];
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  if (unknown.length > 0 || !(rounds >= 1) || !(seconds >= 1)) {
    process.stderr.write(help);
    process.exit(2);
  }
  return { rounds, seconds, only, profileDir: values.profile ?? null };
}

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
await main();
process.exit(0);

import { inspect, parseArgs } from 'node:util';
import { costs } from './costs.ts';
import { dashboard } from './dashboard.ts';
import { deliveries } from './deliveries.ts';
import { startDeployment } from './deployment.ts';
import { get } from './get.ts';
import { growth } from './growth.ts';
import { idempotency } from './idempotency.ts';
import { fairness } from './fairness.ts';
import { latency, latencyUnderLoad } from './latency.ts';
import { letting } from './letting.ts';
import { rentRun } from './rent.ts';
import { lists } from './lists.ts';
import { lowRate } from './low-rate.ts';
import { mcp } from './mcp.ts';
import { openLoop } from './open-loop.ts';
import { parked } from './parked.ts';
import { portal } from './portal.ts';
import { post } from './post.ts';
import { processes } from './processes.ts';
import { compare } from './products/compare.ts';
import { comparisonTable } from './products/comparison-table.ts';
import { sizesOf } from './products/measure.ts';
import { readPeers } from './products/peers-file.ts';
import { publish } from './publish.ts';
import { startReceiver } from './receiver.ts';
import { machineHere, missingToolsText, resultsOf, rowsOf, tableOf, writeResults } from './report.ts';
import { referencing } from './referencing.ts';
import { documentPdf } from './document-pdf.ts';
import { reportPdf } from './report-pdf.ts';
import { start } from './start.ts';
import { stream } from './stream.ts';
import { search } from './search.ts';
import { statements } from './statements.ts';
import type { Reading, Suite } from './suite.ts';
import { findTools, type Tools } from './tools.ts';
import { versions } from './versions.ts';
import { workflows } from './workflows.ts';

const suites: Suite[] = [
  post,
  get,
  idempotency,
  versions,
  deliveries,
  latency,
  latencyUnderLoad,
  lowRate,
  costs,
  openLoop,
  fairness,
  parked,
  stream,
  processes,
  statements,
  start,
  reportPdf,
  documentPdf,
  referencing,
  mcp,
  workflows,
  letting,
  rentRun,
  search,
  portal,
  // Last, because their second database stays beside every later suite.
  growth,
  lists,
  dashboard,
];

const help = `npm run bench -- [options]

Measures every figure of speed that the product promises, and prints them in one table, each beside its limit.

  --rounds N       each figure is measured N times (3), or fewer if a round takes long; the table shows medians
  --minutes N      after N minutes (15) no suite begins again; the long ones are measured once, after that
  --seconds N      how long each load lasts (2)
  --only a,b       only these of ${suites.map(({ name }) => name).join(', ')}
  --publish        also writes docs/figures/bench.json, docs/figures/bench.svg and the table in docs/benchmarks.md
  --peers FILE     measures the products of this file beside Tenure instead (docs/benchmarks.md, "Beside other products")
  --profile DIR    each process of the product leaves a profile of its processor time there
`;

/** Measures every suite once in each round, so that a slow minute of the machine touches all of them. */
async function main(): Promise<void> {
  const options = readOptions();
  if (options.peersFile !== null) return comparePeers(options.peersFile, options);
  const startedMs = performance.now();
  const lastTookMs = new Map<string, number>();
  const failed = new Set<string>();
  const tools = findTools();
  process.stderr.write(missingToolsText(tools));
  const wanted = suites.filter(({ name }) => options.only === null || options.only.includes(name));
  const deployment = await startDeployment(options.profileDir);
  const receiver = await startReceiver(deployment.logDir);
  try {
    await deployment.makeEndpoints(receiver.origin);
    const bench = { deployment, receiver, tools, seconds: options.seconds };
    const rounds = new Map<string, Partial<Record<string, Reading>>[]>(wanted.map(({ name }) => [name, []]));
    const measure = async (suite: Suite, round: number): Promise<void> => {
      const suiteStartedMs = performance.now();
      process.stderr.write(`Round ${round + 1} of ${options.rounds}: ${suite.name} …`);
      try {
        rounds.get(suite.name)!.push(await suite.round(bench, round));
      } catch (error) {
        // The figures of the other suites took long, so they are kept.
        failed.add(suite.name);
        process.stderr.write(`\n${inspect(error)}\n`);
      }
      lastTookMs.set(suite.name, performance.now() - suiteStartedMs);
      process.stderr.write(` ${(lastTookMs.get(suite.name)! / 1000).toFixed(0)} s\n`);
    };
    const able = wanted.filter((suite) => canRun(suite, tools));
    for (let round = 0; round < options.rounds; round++) {
      for (const suite of able.filter(isRepeated)) {
        if (round >= (suite.roundsMax ?? Infinity)) continue;
        // Measure each once, and again as long as there is time.
        const wouldEndMs = performance.now() - startedMs + (lastTookMs.get(suite.name) ?? 0);
        if (round > 0 && wouldEndMs > options.minutes * 60_000) continue;
        await measure(suite, round);
      }
    }
    // These take long. Before them, the others had time for several rounds.
    for (const suite of able.filter((one) => !isRepeated(one))) await measure(suite, 0);
    const rows = rowsOf(wanted, rounds, tools);
    const { rows: server } = await deployment.database.query<{ version: string }>(
      `select current_setting('server_version') as version`,
    );
    const results = resultsOf(rows, { ...options, tools, postgres: server[0]!.version });
    const file = writeResults('latest.json', results);
    const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
    process.stdout.write(
      `\n${tableOf(results.figures)}\n\nMedians of up to ${options.rounds} rounds, in ${minutes} minutes. Everything: ${file}\n`,
    );
    if (failed.size > 0) {
      process.stderr.write(`Without a figure: ${[...failed].join(', ')}. Nothing is published.\n`);
      process.exitCode = 1;
    } else if (options.isPublished) publish(results);
  } finally {
    for (const suite of wanted) await suite.stop?.();
    await receiver.stop();
    await deployment.stop();
  }
}

async function comparePeers(file: string, { rounds, seconds }: Options): Promise<void> {
  const peers = readPeers(file);
  const sizes = sizesOf(seconds);
  const compared = await compare(peers, { rounds, sizes });
  const written = writeResults('peers.json', {
    takenAt: new Date().toISOString(),
    machine: machineHere(),
    sizes,
    compared,
  });
  process.stdout.write(`\n${comparisonTable(compared, sizes)}\nMedians of ${rounds} rounds. Everything: ${written}\n`);
}

function isRepeated({ roundsMax = Infinity }: Suite): boolean {
  return roundsMax > 1;
}

function canRun(suite: Suite, tools: Tools): boolean {
  return Object.values(suite.figures).some(({ needs }) => needs.every((tool) => tools[tool] !== null));
}

interface Options {
  rounds: number;
  seconds: number;
  minutes: number;
  isPublished: boolean;
  only: string[] | null;
  peersFile: string | null;
  profileDir: string | null;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      minutes: { type: 'string', default: '15' },
      publish: { type: 'boolean', default: false },
      only: { type: 'string' },
      peers: { type: 'string' },
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
  const [rounds, seconds, minutes] = [values.rounds, values.seconds, values.minutes].map(Number) as [
    number,
    number,
    number,
  ];
  if (unknown.length > 0 || !(rounds >= 1) || !(seconds >= 1) || !(minutes > 0)) {
    process.stderr.write(help);
    process.exit(2);
  }
  return {
    rounds,
    seconds,
    minutes,
    only,
    isPublished: values.publish,
    peersFile: values.peers ?? null,
    profileDir: values.profile ?? null,
  };
}

// Ctrl-C comes twice, from the terminal and from npm. The second one must not end the cleanup at the exit.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
await main();
process.exit(0);

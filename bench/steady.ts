import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { commitHere } from '../scripts/publish.ts';
import { memoryMb } from './child.ts';
import { startDeployment, type Deployment, type Server } from './deployment.ts';
import { startArrivals, type ArrivalsReport } from './load/arrivals.ts';
import { sharedClockMs, untilEmpty, verifyDelivered } from './queue.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { machineHere, writeResults } from './report.ts';
import { requestBody } from './sample.ts';
import { isRising, trendOf, type Trend } from './trend.ts';

/** A process that has just started fills its caches and its heap, and is being compiled. */
const settlingMinutes = 2;

/** Three points are the fewest that distinguish a slope from chance. */
const verdictMinutes = settlingMinutes + 3;

const help = `npm run load -- [options]

Measures the most references with deliveries that one process can make. Then makes references at 70 % of that rate, each with a key.
Requests come when they are due, regardless of outstanding ones. Prints for every minute the response times, and the sizes of everything
that must not grow. Ends with 1 if anything grows.

  --minutes N   how long (10); fewer than ${verdictMinutes} give no verdict
  --share N     share of the maximum, in per cent (70)
`;

const minuteSeconds = 60;
const maximumSeconds = 15;
const warmUpSeconds = 5;

/**
 * The most that each may rise in an hour. Ten minutes can just distinguish that from chance, and a leak of each request would be more. At a
 * thousand requests a second, 30 leaked bytes each are 103 MB an hour. A dead row of a hot table for every fourth request is 100 MB.
 * Descriptors are those of a few clients and connections, which come and go. A backlog that grows by 6,000 is 1.7 missing deliveries a
 * second.
 */
const riseMostPerHour = { p50Ms: 15, p99Ms: 150, memoryMb: 100, descriptors: 60, hotTablesMb: 100, backlog: 6_000 };

interface Minute {
  perSecond: number;
  /** From the time a request was due until its response. */
  p50Ms: number;
  p99Ms: number;
  mostMs: number;
  memoryMb: number;
  descriptors: number;
  /** Tables whose rows come and go, with their indexes: the queues of deliveries and of jobs, and the counts. */
  hotTablesMb: number;
  /** Deliveries that have not ended. */
  backlog: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      share: { type: 'string', default: '70' },
      help: { type: 'boolean' },
    },
  });
  const [minutes, share] = [Number(values.minutes), Number(values.share)];
  if (values.help || !Number.isInteger(minutes) || minutes < 1 || !(share > 0)) {
    process.stdout.write(help);
    process.exit(values.help ? 0 : 2);
  }
  const deployment = await startDeployment(null);
  const receiver = await startReceiver(deployment.logDir);
  try {
    await deployment.makeEndpoints(receiver.origin);
    await deployment.subscribe(1);
    const server = await deployment.startServer('all');
    const maximum = await measureMaximum(deployment, receiver, server);
    const perSecond = (maximum * share) / 100;
    process.stdout.write(
      `maximum: ${maximum.toFixed(0)} a second, with deliveries; now ${perSecond.toFixed(0)} a second\n`,
    );
    const measured = await load(deployment, receiver, server, { perSecond, minutes });
    await server.stop();
    const trends = tell(measured);
    if (trends?.some(({ isFlat }) => !isFlat)) process.exitCode = 1;
    const file = writeResults('load.json', {
      takenAt: new Date().toISOString(),
      commit: commitHere(),
      machine: machineHere(),
      maximum,
      perSecond,
      minutes: measured,
      trends,
    });
    process.stdout.write(`${file}\n`);
  } finally {
    await receiver.stop();
    await deployment.stop();
  }
}

/** Returns the requests a second that include their deliveries: it counts until the last one has ended. */
async function measureMaximum(deployment: Deployment, receiver: Receiver, server: Server): Promise<number> {
  const client = await startArrivals(deployment, server.url, { method: 'POST', body: requestBody }, 1);
  await client.maximum({ seconds: warmUpSeconds });
  await untilEmpty(deployment, 'webhook_queue');
  await receiver.reset();
  const startedMs = sharedClockMs();
  await client.maximum({ seconds: maximumSeconds });
  const overMs = await untilEmpty(deployment, 'webhook_queue');
  const { count } = await receiver.report();
  await client.stop();
  return count / ((overMs - startedMs) / 1000);
}

async function load(
  deployment: Deployment,
  receiver: Receiver,
  server: Server,
  { perSecond, minutes }: { perSecond: number; minutes: number },
): Promise<Minute[]> {
  await deployment.empty();
  await receiver.reset();
  const client = await startArrivals(deployment, server.url, { method: 'POST', body: requestBody }, 2);
  const measured: Minute[] = [];
  let sent = 0;
  await client.each(perSecond, {
    seconds: minutes * minuteSeconds,
    everySeconds: minuteSeconds,
    async onReport(report) {
      sent += report.sent;
      const minute = await minuteOf(deployment, server, report);
      measured.push(minute);
      process.stdout.write(`${lineOf(measured.length, minute)}\n`);
    },
  });
  await untilEmpty(deployment, 'webhook_queue');
  await client.stop();
  await verifyDelivered(deployment, sent);
  const { count } = await receiver.report();
  process.stdout.write(`${sent} references, ${count} deliveries, each once\n`);
  return measured;
}

async function minuteOf(
  { database }: Deployment,
  { child }: Server,
  { perSecond, p50Ms, p99Ms, mostMs }: ArrivalsReport,
): Promise<Minute> {
  const { rows } = await database.query<{ bytes: string; backlog: string }>(
    `select
       pg_total_relation_size('webhook_queue') + pg_total_relation_size('graphile_worker._private_jobs')
         + pg_total_relation_size('count_deltas') as bytes,
       (select count(*) from webhook_queue) as backlog`,
  );
  return {
    perSecond,
    p50Ms,
    p99Ms,
    mostMs,
    memoryMb: memoryMb(child),
    descriptors: readdirSync(`/proc/${child.process.pid}/fd`).length,
    hotTablesMb: Number(rows[0]!.bytes) / 2 ** 20,
    backlog: Number(rows[0]!.backlog),
  };
}

function lineOf(number: number, minute: Minute): string {
  const { perSecond, p50Ms, p99Ms, mostMs, descriptors, hotTablesMb, backlog } = minute;
  const answers = `p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms  most ${mostMs.toFixed(0)} ms`;
  const sizes = `${minute.memoryMb.toFixed(0)} MB  ${descriptors} descriptors  hot tables ${hotTablesMb.toFixed(1)} MB`;
  return `minute ${String(number).padStart(2)}  ${perSecond.toFixed(0)}/s  ${answers}  ${sizes}  backlog ${backlog}`;
}

type Judged = Trend & { name: string; isFlat: boolean };

/** Judges the minutes after the first few; null if there are too few. */
function tell(measured: Minute[]): Judged[] | null {
  if (measured.length < verdictMinutes) {
    process.stdout.write(`no verdict: it takes ${verdictMinutes} minutes to tell a slope from chance\n`);
    return null;
  }
  const judged = Object.entries(riseMostPerHour).map(([name, mostPerHour]) => {
    const trend = trendOf(measured.slice(settlingMinutes).map((minute) => minute[name as keyof Minute]));
    return { name, ...trend, isFlat: !isRising(trend, mostPerHour) };
  });
  const texts = judged.map(({ name, perHour, errorPerHour, isFlat }) => {
    return `${name} ${perHour.toFixed(0)} ± ${errorPerHour.toFixed(0)}${isFlat ? '' : ' (GROWS)'}`;
  });
  const isFlat = judged.every((each) => each.isFlat);
  process.stdout.write(
    `rise in an hour, from the minutes after the first ${settlingMinutes}: ${texts.join(', ')}: ${isFlat ? 'flat' : 'NOT FLAT'}\n`,
  );
  return judged;
}

// Ctrl-C comes twice, from the terminal and from npm. The second one must not end the cleanup at the exit.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
await main();
process.exit();

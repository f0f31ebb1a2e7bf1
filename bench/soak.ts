import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { memoryMb } from './child.ts';
import { endpointCount, startDeployment, type Deployment, type Server } from './deployment.ts';
import { sharedClockMs, untilEmpty, verifyDelivered } from './queue.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { requestBody } from './sample.ts';

const help = `npm run soak -- [options]

Makes events with the API and delivers each to ${endpointCount} endpoints, without a pause, in one process that does everything. Prints for
every tenth its rate, its processor time, and the sizes of memory and of the hot table.

  --deliveries N   deliveries in all (1000000)
`;

const tenths = 10;
const clients = 32;

/** The largest backlog, as on a busy day. The process is never idle, and the queue's size does not decide the result. */
const backlogMax = 4_000;

interface Tenth {
  deliveriesPerSecond: number;
  /** Of processor time, of the process and of PostgreSQL together. */
  microsecondsEach: number;
  memoryMb: number;
  /** Of the table of pending deliveries, with its indexes. */
  queueMb: number;
  deadRows: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { deliveries: { type: 'string', default: '1000000' }, help: { type: 'boolean' } },
  });
  const deliveries = Number(values.deliveries);
  if (values.help || !(deliveries >= 1_000)) {
    process.stdout.write(help);
    process.exit(values.help ? 0 : 2);
  }
  const deployment = await startDeployment(null);
  const receiver = await startReceiver(deployment.logDir);
  try {
    await deployment.makeEndpoints(receiver.origin);
    await deployment.subscribe(endpointCount);
    await deployment.empty();
    await receiver.reset();
    const server = await deployment.startServer('all');
    const measured = await soak(deployment, receiver, server, Math.ceil(deliveries / endpointCount));
    await server.stop();
    tell(measured);
  } finally {
    await receiver.stop();
    await deployment.stop();
  }
}

async function soak(deployment: Deployment, receiver: Receiver, server: Server, events: number): Promise<Tenth[]> {
  const client = new Pool(server.url, { connections: clients, pipelining: 1 });
  const expected = events * endpointCount;
  let made = 0;
  let received = 0;
  const hasRoom = (): boolean => made * endpointCount - received <= backlogMax || received >= expected;
  const producing = Array.from({ length: clients }, async () => {
    while (made < events) {
      made++;
      while (!hasRoom()) await delay(2);
      const { statusCode, body } = await client.request({
        method: 'POST',
        path: '/v1/references',
        headers: { authorization: `Bearer ${deployment.secretKey}`, 'content-type': 'application/json' },
        body: requestBody,
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`An event was answered with ${statusCode}.`);
    }
  });
  const measured: Tenth[] = [];
  let [fromMs, fromCount, fromSeconds] = [sharedClockMs(), 0, await processorSeconds(deployment, server)];
  while (received < expected) {
    await delay(20);
    received = (await receiver.report()).count;
    if (received < ((measured.length + 1) * expected) / tenths) continue;
    const [nowMs, seconds] = [sharedClockMs(), await processorSeconds(deployment, server)];
    const count = received - fromCount;
    const tenth = {
      deliveriesPerSecond: count / ((nowMs - fromMs) / 1000),
      microsecondsEach: ((seconds - fromSeconds) * 1e6) / count,
      memoryMb: memoryMb(server.child),
      ...(await queueSize(deployment)),
    };
    measured.push(tenth);
    process.stderr.write(`${lineOf(measured.length, tenth)}\n`);
    [fromMs, fromCount, fromSeconds] = [nowMs, received, seconds];
  }
  await Promise.all(producing);
  await untilEmpty(deployment, 'webhook_queue');
  await verifyDelivered(deployment, expected);
  const report = await receiver.report();
  process.stdout.write(`${expected} deliveries, ${report.count} received, each once\n`);
  await client.close();
  return measured;
}

/** Sums the process and every process of the database. */
async function processorSeconds({ database }: Deployment, server: Server): Promise<number> {
  const { rows } = await database.query<{ pid: number }>(
    'select pid from pg_stat_activity where pid <> pg_backend_pid()',
  );
  return [server.child.process.pid!, ...rows.map(({ pid }) => pid)].reduce((sum, pid) => sum + secondsOf(pid), 0);
}

const ticksPerSecond = 100;

function secondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

async function queueSize({ database }: Deployment): Promise<Pick<Tenth, 'queueMb' | 'deadRows'>> {
  const { rows } = await database.query<{ bytes: string; dead: string }>(
    `select pg_total_relation_size('webhook_queue') as bytes, n_dead_tup as dead
     from pg_stat_user_tables where relname = 'webhook_queue'`,
  );
  return { queueMb: Number(rows[0]!.bytes) / 1024 / 1024, deadRows: Number(rows[0]!.dead) };
}

function lineOf(
  number: number,
  { deliveriesPerSecond, microsecondsEach, memoryMb: memory, queueMb, deadRows }: Tenth,
): string {
  return `${String(number).padStart(2)}  ${deliveriesPerSecond.toFixed(0)}/s  ${microsecondsEach.toFixed(0)} µs  ${memory.toFixed(0)} MB  queue ${queueMb.toFixed(1)} MB  ${deadRows} dead`;
}

function tell(measured: Tenth[]): void {
  const [first, last] = [measured[0]!, measured.at(-1)!];
  const ratioOf = (name: keyof Tenth): string => (last[name] / first[name]).toFixed(2);
  process.stdout.write(
    `the last tenth against the first: rate ${ratioOf('deliveriesPerSecond')}, processor time for each ${ratioOf('microsecondsEach')}, memory ${ratioOf('memoryMb')}, hot table ${ratioOf('queueMb')}\n`,
  );
}

// Ctrl-C comes twice, from the terminal and from npm. The second one must not end the cleanup at the exit.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
await main();
process.exit(0);

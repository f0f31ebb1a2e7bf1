import { setTimeout as delay } from 'node:timers/promises';
import { seedReferences, referenceCount } from './get.ts';
import { runLoad } from './load/wrk.ts';
import { mainThreadMs, parentOf, processorMs } from './products/proc.ts';
import { queueDeliveries, recordDeliveries, untilEmpty, verifyDelivered } from './queue.ts';
import { requestBody } from './sample.ts';
import type { Server } from './deployment.ts';
import type { Bench, Figure, Reading, Suite } from './suite.ts';

const operations = {
  post: 'POST',
  get: 'GET by id',
  list: 'A list of 20 with its count',
  delivery: 'A delivery',
} as const;
type Operation = keyof typeof operations;

const parts = {
  Main: 'main thread',
  Threads: 'garbage collection and compilation',
  Database: 'PostgreSQL',
} as const;
type Part = keyof typeof parts;

type Name = `${Operation}${Part}`;

/** Seconds. The server's code is compiled meanwhile. */
const warmUpSeconds = 3;

const deliveriesPerSecond = 5_000;

/** Milliseconds from the insert of deliveries until they are due, so that the insert is not measured. */
const dueInMs = 3_000;

/** The processor time of single operations when the server is busy, by thread and process. */
export const costs: Suite<Name> = {
  name: 'costs',
  figures: Object.fromEntries(
    Object.entries(operations).flatMap(([operation, title]) =>
      Object.entries(parts).map(([part, where]) => [
        `${operation}${part}`,
        figureOf(`${title}, processor time: ${where}`),
      ]),
    ),
  ) as Record<Name, Figure>,
  async round(bench) {
    return { ...(await costOfPost(bench)), ...(await costOfReads(bench)), ...(await costOfDelivery(bench)) };
  },
};

type Costs = Partial<Record<Name, Reading>>;

async function costOfPost({ deployment, tools, seconds }: Bench): Promise<Costs> {
  await deployment.subscribe(0);
  await deployment.empty();
  const server = await deployment.startServer('all');
  const env = { AUTHORIZATION: `Bearer ${deployment.secretKey}`, BODY: requestBody };
  await runLoad(tools.wrk!, 'post', server.url, { seconds: warmUpSeconds, env });
  await deployment.settle();
  const measured = await measure(deployment, server, 'post', async () => {
    const { requests } = await runLoad(tools.wrk!, 'post', server.url, { seconds, env });
    await deployment.settle();
    return requests;
  });
  await server.stop();
  return measured;
}

async function costOfReads(bench: Bench): Promise<Costs> {
  const { deployment, tools, seconds } = bench;
  const idStart = await seedReferences(bench);
  const server = await deployment.startServer('api');
  const authorization = { AUTHORIZATION: `Bearer ${deployment.secretKey}` };
  const loads = [
    ['get', 'get', { ...authorization, ID_START: idStart, COUNT: String(referenceCount) }],
    ['list', 'path', { ...authorization, URL_PATH: '/v1/references?limit=20' }],
  ] as const;
  const measured: Costs = {};
  for (const [operation, script, env] of loads) {
    await runLoad(tools.wrk!, script, server.url, { seconds: warmUpSeconds, env });
    const load = async (): Promise<number> =>
      (await runLoad(tools.wrk!, script, server.url, { seconds, env })).requests;
    Object.assign(measured, await measure(deployment, server, operation, load));
  }
  await server.stop();
  return measured;
}

async function costOfDelivery({ deployment, receiver, seconds }: Bench): Promise<Costs> {
  const count = deliveriesPerSecond * seconds;
  await recordDeliveries(deployment, count);
  await receiver.reset();
  const server = await deployment.startServer('worker');
  const dueAtMs = Date.now() + dueInMs;
  await queueDeliveries(deployment, dueAtMs);
  await delay(dueAtMs - Date.now() - 500);
  const measured = await measure(deployment, server, 'delivery', async () => {
    await receiver.untilReceived(count);
    await untilEmpty(deployment, 'webhook_queue');
    return count;
  });
  await server.stop();
  await verifyDelivered(deployment, count);
  return measured;
}

/** @param run executes operations and returns their number. */
async function measure(
  { database }: Bench['deployment'],
  { child }: Server,
  operation: Operation,
  run: () => Promise<number>,
): Promise<Costs> {
  const { rows } = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
  const [node, postgres] = [child.process.pid!, parentOf(rows[0]!.pid)];
  const look = (): Record<Part, number> => {
    const Main = mainThreadMs(node);
    return { Main, Threads: processorMs([node]) - Main, Database: processorMs([postgres]) };
  };
  const before = look();
  const count = await run();
  const after = look();
  const names = Object.keys(parts) as Part[];
  return Object.fromEntries(
    names.map((part) => [`${operation}${part}`, { value: (1000 * (after[part] - before[part])) / count }]),
  );
}

function figureOf(title: string): Figure {
  return { title, unit: 'µs', better: 'less', floor: null, aim: null, needs: ['proc', 'wrk'] };
}

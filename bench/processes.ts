import type { Role } from '../server/src/server/config.ts';
import type { Server } from './deployment.ts';
import { connections, runLoad } from './load/wrk.ts';
import { sharedClockMs, untilEmpty } from './queue.ts';
import { requestBody } from './sample.ts';
import { inTurn, ratio, verify, type Bench, type Figure, type Suite } from './suite.ts';

const warmUpSeconds = 1;
const subscribed = 2;

/** Measures the gain from more processes on one PostgreSQL and one machine. It is small unless there are more processors than processes. */
export const processes: Suite<'twoApiPosts' | 'fourPosts' | 'fourDeliveries'> = {
  name: 'processes',
  roundsMax: 2,
  figures: {
    twoApiPosts: figureOf('POST: two processes that answer, against one that does everything'),
    fourPosts: figureOf('POST: two processes that answer and two that deliver, against one that does everything'),
    fourDeliveries: figureOf('Events made and delivered: two and two processes, against one that does everything'),
  },
  async round(bench, round) {
    let [deliveriesOfOne, deliveriesOfFour] = [0, 0];
    const { one, twoApi, four } = await inTurn(round, {
      one: async () => {
        const measured = await measure(bench, ['all']);
        deliveriesOfOne = measured.deliveriesPerSecond;
        return measured.requestsPerSecond;
      },
      twoApi: async () => (await measure(bench, ['api', 'api'])).requestsPerSecond,
      four: async () => {
        const measured = await measure(bench, ['api', 'api', 'worker', 'worker']);
        deliveriesOfFour = measured.deliveriesPerSecond;
        return measured.requestsPerSecond;
      },
    });
    return {
      twoApiPosts: ratio(twoApi, one),
      fourPosts: ratio(four, one),
      fourDeliveries: ratio(deliveriesOfFour, deliveriesOfOne),
    };
  },
};

function figureOf(title: string): Figure {
  return { title, unit: 'times', better: 'more', floor: null, aim: null, needs: ['wrk'] };
}

/** Counts deliveries from the first request until all of them have come and the queue is empty. */
async function measure(
  bench: Bench,
  roles: Role[],
): Promise<{ requestsPerSecond: number; deliveriesPerSecond: number }> {
  const { deployment, receiver, seconds } = bench;
  await deployment.subscribe(subscribed);
  await deployment.empty();
  const servers = await Promise.all(roles.map(async (role) => ({ role, server: await deployment.startServer(role) })));
  const answering = servers.filter(({ role }) => role !== 'worker').map(({ server }) => server);
  const isDelivering = roles.some((role) => role !== 'api');
  const untilDelivered = async (): Promise<void> => {
    await deployment.settle();
    if (isDelivering) await untilEmpty(deployment, 'webhook_queue');
  };
  await loadAll(bench, answering, warmUpSeconds);
  await untilDelivered();
  await receiver.reset();
  const startedMs = sharedClockMs();
  const { requests, requestsPerSecond } = await loadAll(bench, answering, seconds);
  await untilDelivered();
  const deliveredMs = sharedClockMs();
  const { count } = await receiver.report();
  for (const { server } of servers) await server.stop();
  // Requests under way at the end were written and delivered, but their responses no longer awaited.
  const [least, most] = isDelivering ? [subscribed * requests, subscribed * (requests + connections)] : [0, 0];
  verify(`${requests} answers, ${count} deliveries by ${roles.join(', ')}`, count >= least && count <= most);
  return { requestsPerSecond, deliveriesPerSecond: count / ((deliveredMs - startedMs) / 1000) };
}

/** Uses the same number of clients in all for any number of processes. */
async function loadAll(
  { deployment, tools }: Bench,
  servers: Server[],
  seconds: number,
): Promise<{ requests: number; requestsPerSecond: number }> {
  const env = { AUTHORIZATION: `Bearer ${deployment.secretKey}`, BODY: requestBody };
  const clients = connections / servers.length;
  const loads = await Promise.all(
    servers.map(({ url }) => runLoad(tools.wrk!, 'post', url, { seconds, env, clients })),
  );
  const sumOf = (name: 'requests' | 'requestsPerSecond'): number => loads.reduce((sum, load) => sum + load[name], 0);
  return { requests: sumOf('requests'), requestsPerSecond: sumOf('requestsPerSecond') };
}

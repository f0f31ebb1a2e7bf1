import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { sharedClockMs, untilEmpty, verifyDelivered } from './queue.ts';
import { requestBody } from './sample.ts';
import { percentile, verify, type Bench, type Figure, type Reading, type Suite } from './suite.ts';

const warmUpSeconds = 1;

/** At what an ordinary day brings. */
export const latency = latencyAt(200, 'latency', { p50: { floor: 10, aim: 5 }, p99: { floor: 50, aim: 25 } });

/** At a good part of what one process on two cores can do. */
export const latencyUnderLoad = latencyAt(1_000, 'latency_1000', {
  p50: { floor: 50, aim: 10 },
  p99: { floor: 250, aim: 100 },
});

type Limits = Record<'p50' | 'p99', { floor: number; aim: number }>;

/**
 * From the answer to a POST until the event has come to the receiver, at arrivals that do not wait for answers, by one process
 * that does everything. Both ends read one clock. A delivery can come before the answer: that counts as 0.
 */
function latencyAt(eventsPerSecond: number, name: string, limits: Limits): Suite<'p50' | 'p99'> {
  const figureOf = (share: 'p50' | 'p99'): Figure => ({
    title: `Answer to receipt at ${eventsPerSecond} events/s, ${share}`,
    unit: 'ms',
    better: 'less',
    ...limits[share],
    needs: [],
  });
  return {
    name,
    figures: { p50: figureOf('p50'), p99: figureOf('p99') },
    round: (bench) => measure(bench, eventsPerSecond),
  };
}

async function measure(
  { deployment, receiver, seconds }: Bench,
  eventsPerSecond: number,
): Promise<Record<'p50' | 'p99', Reading>> {
  await deployment.subscribe(1);
  await deployment.empty();
  await receiver.reset({ record: true });
  const server = await deployment.startServer('all');
  const client = new Pool(server.url, { connections: 64, pipelining: 1 });
  const answeredAtMs = new Map<string, number>();

  async function create(isMeasured: boolean): Promise<void> {
    const { statusCode, body } = await client.request({
      method: 'POST',
      path: '/v1/references',
      headers: { authorization: `Bearer ${deployment.secretKey}`, 'content-type': 'application/json' },
      body: requestBody,
    });
    const { id } = (await body.json()) as { id: string };
    const atMs = sharedClockMs();
    verify('every event is accepted', statusCode === 200);
    if (isMeasured) answeredAtMs.set(id, atMs);
  }

  const startedAtMs = sharedClockMs();
  const endsAtMs = startedAtMs + (warmUpSeconds + seconds) * 1000;
  const requests: Promise<void>[] = [];
  for (let dueAtMs = startedAtMs; dueAtMs < endsAtMs; dueAtMs += pauseMs(eventsPerSecond)) {
    const waitMs = dueAtMs - sharedClockMs();
    if (waitMs > 0) await delay(waitMs);
    requests.push(create(dueAtMs > startedAtMs + warmUpSeconds * 1000));
  }
  await Promise.all(requests);
  const { receipts } = await receiver.untilReceived(requests.length);
  await untilEmpty(deployment, 'webhook_queue');
  await client.close();
  await server.stop();
  await verifyDelivered(deployment, requests.length);
  const receivedAtMs = new Map(receipts);
  const latenciesMs = [...answeredAtMs].map(([id, atMs]) => Math.max(0, receivedAtMs.get(id)! - atMs));
  verify('every event is received', latenciesMs.length > 0 && latenciesMs.every(Number.isFinite));
  return { p50: { value: percentile(latenciesMs, 0.5) }, p99: { value: percentile(latenciesMs, 0.99) } };
}

/** Arrivals that know nothing of each other. */
function pauseMs(eventsPerSecond: number): number {
  return (-Math.log(1 - Math.random()) * 1000) / eventsPerSecond;
}

import { baselineQueue, emptyBaseline, startBaseline, verifyAttempts } from './baseline-server.ts';
import type { Server } from './deployment.ts';
import { startArrivals } from './load/arrivals.ts';
import { untilEmpty, verifyDelivered } from './queue.ts';
import { requestBody } from './sample.ts';
import { inTurn, percentile, verify, type Bench, type Figure, type Reading, type Suite } from './suite.ts';

/** Seconds. At first a job queue falls behind, because it is being compiled. */
const warmUpSeconds = 3;

/** At the load of an ordinary day. */
export const latency = latencyAt(200, 'latency', { p50: { floor: 10, aim: 5 }, p99: { floor: 50, aim: 25 } });

/** At a good part of the maximum of one process on two cores. */
export const latencyUnderLoad = latencyAt(1_000, 'latency_1000', {
  p50: { floor: 50, aim: 5 },
  p99: { floor: 250, aim: 50 },
});

type Share = 'p50' | 'p99';
type Limits = Record<Share, { floor: number; aim: number }>;

/**
 * Measures from the response to a POST until the receiver has the event. Arrivals do not wait for responses, and one process does
 * everything. Both ends read one clock. A delivery before the response counts as 0.
 */
function latencyAt(eventsPerSecond: number, name: string, limits: Limits): Suite<Share> {
  const figureOf = (share: Share): Figure => ({
    title: `Response to receipt at ${eventsPerSecond} events/s, ${share}`,
    unit: 'ms',
    better: 'less',
    ...limits[share],
    needs: [],
    besideUnit: 'ms',
  });
  return {
    name,
    figures: { p50: figureOf('p50'), p99: figureOf('p99') },
    round: (bench, round) => compare(bench, eventsPerSecond, round),
  };
}

async function compare(bench: Bench, eventsPerSecond: number, round: number): Promise<Record<Share, Reading>> {
  const { deployment, receiver } = bench;
  await deployment.subscribe(1);
  const latenciesMs: Partial<Record<'ours' | 'baseline', number[]>> = {};
  await inTurn(round, {
    ours: async () => {
      await deployment.empty();
      const server = await deployment.startServer('all');
      const ours = await measure(bench, { server, queue: 'webhook_queue' }, eventsPerSecond, round);
      await verifyDelivered(deployment, ours.expected);
      latenciesMs.ours = ours.latenciesMs;
      return ours.expected;
    },
    baseline: async () => {
      await emptyBaseline(deployment, [`${receiver.origin}/hooks/1`]);
      const server = await startBaseline(deployment, 'all');
      const baseline = await measure(bench, { server, queue: baselineQueue }, eventsPerSecond, round);
      await verifyAttempts(deployment, baseline.expected);
      latenciesMs.baseline = baseline.latenciesMs;
      return baseline.expected;
    },
  });
  const of = (share: number): Reading => {
    const oursMs = percentile(latenciesMs.ours!, share);
    return { value: oursMs, ours: oursMs, baseline: percentile(latenciesMs.baseline!, share) };
  };
  return { p50: of(0.5), p99: of(0.99) };
}

/** @returns all deliveries, and the latencies of those after the warm-up, in milliseconds. */
async function measure(
  { deployment, receiver, seconds }: Bench,
  { server, queue }: { server: Server; queue: string },
  eventsPerSecond: number,
  seed: number,
): Promise<{ expected: number; latenciesMs: number[] }> {
  await receiver.reset({ record: true });
  const client = await startArrivals(deployment, server.url, { method: 'POST', body: requestBody }, seed);
  const { answers, sent } = await client.atRate(eventsPerSecond, { seconds, warmUpSeconds, record: true });
  const { receipts } = await receiver.untilReceived(sent);
  await client.stop();
  await untilEmpty(deployment, queue);
  await server.stop();
  const receivedAtMs = new Map(receipts);
  const latenciesMs = answers.map(([id, answeredAtMs]) => Math.max(0, receivedAtMs.get(id)! - answeredAtMs));
  verify('every event is received', latenciesMs.length > 0 && latenciesMs.every(Number.isFinite));
  return { expected: sent, latenciesMs };
}

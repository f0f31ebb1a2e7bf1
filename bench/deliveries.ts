import { baselineQueue, emptyBaseline, queueBaselineJobs, startBaseline, verifyAttempts } from './baseline-server.ts';
import type { Child } from './child.ts';
import { queueDeliveries, recordDeliveries, untilEmpty, verifyDelivered } from './queue.ts';
import { queueJobs, type JobWorkerKind } from './usual/job-queue.ts';
import { inTurn, ratio, verify, type Bench, type Suite } from './suite.ts';

const jobWorker = new URL('usual/job-worker.ts', import.meta.url);

/** Queued deliveries for each second of measurement, about what each can deliver. */
const perSecond = { ours: 5_000, defaults: 1_000, tuned: 2_500, baseline: 1_500 };

/** Deliveries a second while the queue is never empty, by one process, to a receiver in another. */
export const deliveries: Suite<'overDefaults' | 'overTuned'> = {
  name: 'deliveries',
  figures: {
    overDefaults: {
      title: 'Deliveries, against graphile-worker (concurrency 32)',
      unit: 'times',
      better: 'more',
      floor: 4,
      aim: 8,
      needs: [],
    },
    overTuned: {
      title: 'Deliveries, against graphile-worker with batches',
      unit: 'times',
      better: 'more',
      floor: 1.2,
      aim: 2,
      needs: [],
    },
  },
  async round(bench, round) {
    const { ours, defaults, tuned, baseline } = await inTurn(round, {
      ours: () => measureOurs(bench, perSecond.ours * bench.seconds),
      defaults: () => measureJobs(bench, 'defaults', perSecond.defaults * bench.seconds),
      tuned: () => measureJobs(bench, 'tuned', perSecond.tuned * bench.seconds),
      baseline: () => measureBaseline(bench, perSecond.baseline * bench.seconds),
    });
    return { overDefaults: ratio(ours, defaults, baseline), overTuned: ratio(ours, tuned, baseline) };
  },
};

async function measureOurs(bench: Bench, count: number): Promise<number> {
  const { deployment } = bench;
  await recordDeliveries(deployment, count);
  await queueDeliveries(deployment);
  return measure(
    bench,
    count,
    'webhook_queue',
    () => deployment.startServer('worker'),
    () => verifyDelivered(deployment, count),
  );
}

async function measureJobs(bench: Bench, kind: JobWorkerKind, count: number): Promise<number> {
  const { deployment, receiver } = bench;
  await recordDeliveries(deployment, count);
  await queueJobs(deployment);
  const env = { KIND: kind, ORIGIN: receiver.origin };
  const start = async (): Promise<Child> => (await deployment.startCompared(jobWorker, env)).child;
  return measure(bench, count, baselineQueue, start, () => verifyDelivered(deployment, count));
}

async function measureBaseline(bench: Bench, count: number): Promise<number> {
  const { deployment, receiver } = bench;
  await emptyBaseline(deployment, [`${receiver.origin}/hooks/1`, `${receiver.origin}/hooks/2`]);
  await queueBaselineJobs(deployment, count);
  return measure(
    bench,
    count,
    baselineQueue,
    () => startBaseline(deployment, 'all'),
    () => verifyAttempts(deployment, count),
  );
}

/** Measures from the first receipt until the queue is empty, when every outcome is written too. */
async function measure(
  { deployment, receiver }: Bench,
  count: number,
  queue: string,
  start: () => Promise<{ stop(): Promise<void> }>,
  verifyAll: () => Promise<void>,
): Promise<number> {
  await receiver.reset();
  const worker = await start();
  const { firstAtMs } = await receiver.untilReceived(count);
  const emptyAtMs = await untilEmpty(deployment, queue);
  await worker.stop();
  const received = await receiver.report();
  verify(`${count} deliveries, ${received.count} received`, received.count === count);
  await verifyAll();
  return count / ((emptyAtMs - firstAtMs) / 1000);
}

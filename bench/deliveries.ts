import { queueDeliveries, recordDeliveries, untilEmpty, verifyDelivered } from './queue.ts';
import { queueJobs, type JobWorkerKind } from './limits/job-queue.ts';
import { inTurn, ratio, verify, type Bench, type Suite } from './suite.ts';

const jobWorker = new URL('limits/job-worker.ts', import.meta.url);

/** How many deliveries are in the queue for each second that the measurement may take: about what each can do. */
const perSecond = { ours: 5_000, defaults: 1_000, tuned: 2_500 };

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
    const { ours, defaults, tuned } = await inTurn(round, {
      ours: () => measureOurs(bench, perSecond.ours * bench.seconds),
      defaults: () => measureJobs(bench, 'defaults', perSecond.defaults * bench.seconds),
      tuned: () => measureJobs(bench, 'tuned', perSecond.tuned * bench.seconds),
    });
    return { overDefaults: ratio(ours, defaults), overTuned: ratio(ours, tuned) };
  },
};

async function measureOurs(bench: Bench, count: number): Promise<number> {
  const { deployment } = bench;
  await recordDeliveries(deployment, count);
  await queueDeliveries(deployment);
  return measure(bench, count, 'webhook_queue', async () => {
    const server = await deployment.startServer('worker');
    return () => server.stop();
  });
}

async function measureJobs(bench: Bench, kind: JobWorkerKind, count: number): Promise<number> {
  const { deployment, receiver } = bench;
  await recordDeliveries(deployment, count);
  await queueJobs(deployment);
  return measure(bench, count, 'graphile_worker._private_jobs', async () => {
    const { child } = await deployment.startLimit(jobWorker, { KIND: kind, ORIGIN: receiver.origin });
    return () => child.stop();
  });
}

/** From the first receipt until the queue is empty: then every outcome is written too. */
async function measure(
  { deployment, receiver }: Bench,
  count: number,
  queue: string,
  start: () => Promise<() => Promise<void>>,
): Promise<number> {
  await receiver.reset();
  const stop = await start();
  const { firstAtMs } = await receiver.untilReceived(count);
  const emptyAtMs = await untilEmpty(deployment, queue);
  await stop();
  const received = await receiver.report();
  verify(`${count} deliveries, ${received.count} received`, received.count === count);
  await verifyDelivered(deployment, count);
  return count / ((emptyAtMs - firstAtMs) / 1000);
}

import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { sharedClockMs, untilEmpty, verifyDelivered } from './queue.ts';
import { requestBody } from './sample.ts';
import { percentile, verify, type Suite } from './suite.ts';

const eventsPerSecond = 200;
const warmUpSeconds = 1;

/**
 * From the answer to a POST until the event has come to the receiver, at arrivals that do not wait for answers, by one process
 * that does everything. Both ends read one clock. A delivery can come before the answer: that counts as 0.
 */
export const latency: Suite<'p50' | 'p99'> = {
  name: 'latency',
  figures: {
    p50: { title: 'Answer to receipt at 200 events/s, p50', unit: 'ms', better: 'less', floor: 10, aim: 5, needs: [] },
    p99: { title: 'Answer to receipt at 200 events/s, p99', unit: 'ms', better: 'less', floor: 50, aim: 25, needs: [] },
  },
  async round({ deployment, receiver, seconds }) {
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
    for (let dueAtMs = startedAtMs; dueAtMs < endsAtMs; dueAtMs += pauseMs()) {
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
  },
};

/** Arrivals that know nothing of each other. */
function pauseMs(): number {
  return (-Math.log(1 - Math.random()) * 1000) / eventsPerSecond;
}

import { request, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { sharedClockMs } from './queue.ts';
import { requestBody } from './sample.ts';
import type { Server } from './deployment.ts';
import { percentile, verify, type Bench, type Suite } from './suite.ts';

const eventsPerSecond = 1_000;
const writers = 16;
const followers = 10;
const warmUpSeconds = 1;

/** Milliseconds, on average, until a follower reconnects. */
const reconnectMs = 1_000;

const receivedTimeoutMs = 20_000;

/**
 * Measures from the response to a POST until each of ten followers has its event, by one clock. The followers reconnect at random with
 * their last id. One process does everything. A busy client sends its request late, so the rate is as intended, or less. An event before
 * the response counts as 0.
 */
export const stream: Suite<'p50' | 'p99'> = {
  name: 'stream',
  figures: {
    p50: {
      title: 'Response to receipt by ten followers at 1,000 events/s, p50',
      unit: 'ms',
      better: 'less',
      floor: 50,
      aim: 20,
      needs: [],
    },
    p99: {
      title: 'Response to receipt by ten followers at 1,000 events/s, p99',
      unit: 'ms',
      better: 'less',
      floor: 500,
      aim: 200,
      needs: [],
    },
  },
  async round(bench) {
    const { deployment, seconds } = bench;
    await deployment.subscribe(0);
    await deployment.empty();
    const server = await deployment.startServer('all');
    const streams = Array.from({ length: followers }, () => new Subscriber(server, deployment.secretKey));
    await Promise.all(streams.map((follower) => follower.start()));
    const answeredAtMs = await write(bench, server);
    await deployment.settle();
    const inOrder = await idsInOrder(bench);
    for (const { received } of streams) {
      const untilMs = performance.now() + receivedTimeoutMs;
      while (received.length < inOrder.length && performance.now() < untilMs) await delay(10);
    }
    for (const follower of streams) follower.stop();
    await server.stop();
    for (const { received } of streams) {
      const isExact = received.length === inOrder.length && received.every(({ id }, index) => id === inOrder[index]);
      verify(`each of ${inOrder.length} events once and in one order, ${received.length} received`, isExact);
    }
    const reconnections = streams.reduce((sum, { connections }) => sum + connections - 1, 0);
    verify('followers reconnect', reconnections >= followers);
    const measured = streams.flatMap(({ received }) => received).filter(({ objectId }) => answeredAtMs.has(objectId));
    const latenciesMs = measured.map(({ objectId, atMs }) => Math.max(0, atMs - answeredAtMs.get(objectId)!));
    verify('every event is received', latenciesMs.length === answeredAtMs.size * followers);
    const perSecond = answeredAtMs.size / seconds;
    verify(`${perSecond.toFixed(0)} events/s written`, perSecond > eventsPerSecond * 0.9);
    return { p50: { value: percentile(latenciesMs, 0.5) }, p99: { value: percentile(latenciesMs, 0.99) } };
  },
};

/** Makes references at the intended rate. Resolves to the time of each response after the warm-up. */
async function write({ deployment, seconds }: Bench, server: Server): Promise<Map<string, number>> {
  const client = new Pool(server.url, { connections: writers, pipelining: 1 });
  const answeredAtMs = new Map<string, number>();
  const startedAtMs = sharedClockMs();
  const measuredFromMs = startedAtMs + warmUpSeconds * 1000;
  const endsAtMs = measuredFromMs + seconds * 1000;
  let dueAtMs = startedAtMs;
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (;;) {
        const ownMs = (dueAtMs += 1000 / eventsPerSecond);
        if (ownMs >= endsAtMs) return;
        const waitMs = ownMs - sharedClockMs();
        if (waitMs > 0) await delay(waitMs);
        const { statusCode, body } = await client.request({
          method: 'POST',
          path: '/v1/references',
          headers: { authorization: `Bearer ${deployment.secretKey}`, 'content-type': 'application/json' },
          body: requestBody,
        });
        const { id } = (await body.json()) as { id: string };
        verify('every request is carried out', statusCode === 200);
        if (ownMs >= measuredFromMs) answeredAtMs.set(id, sharedClockMs());
      }
    }),
  );
  await client.close();
  return answeredAtMs;
}

async function idsInOrder({ deployment }: Bench): Promise<string[]> {
  const { rows } = await deployment.database.query<{ id: string }>(
    'select id from events order by epoch, events.transaction_id, ordinal',
  );
  return rows.map(({ id }) => id);
}

/** Follows, and reconnects at random times with the last id that it has. */
class Subscriber {
  readonly received: { id: string; objectId: string; atMs: number }[] = [];
  connections = 0;
  readonly #server: Server;
  readonly #secretKey: string;
  #response: IncomingMessage | null = null;
  #hasStopped = false;

  constructor(server: Server, secretKey: string) {
    this.#server = server;
    this.#secretKey = secretKey;
  }

  /** Resolves when it follows. */
  async start(): Promise<void> {
    const first = await this.#connect();
    void (async () => {
      for (let response = first; ; response = await this.#connect()) {
        await this.#read(response);
        if (this.#hasStopped) return;
      }
    })();
  }

  stop(): void {
    this.#hasStopped = true;
    this.#response?.destroy();
  }

  #connect(): Promise<IncomingMessage> {
    const lastId = this.received.at(-1)?.id;
    const headers = {
      authorization: `Bearer ${this.#secretKey}`,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    };
    return new Promise((resolve, reject) => {
      const asked = request(`${this.#server.url}/v1/events/stream`, { headers, agent: false }, resolve);
      asked.on('error', reject).end();
    });
  }

  async #read(response: IncomingMessage): Promise<void> {
    verify(`the stream was refused with ${response.statusCode}`, response.statusCode === 200);
    this.#response = response;
    this.connections++;
    let rest = '';
    response.setEncoding('utf8').on('error', () => {});
    response.on('data', (text: string) => {
      const atMs = sharedClockMs();
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (id === undefined) continue;
        // The first id in the data is the event's, the second that of its record.
        const objectId = /"id":"(ref_\w+)"/.exec(data!)![1]!;
        this.received.push({ id, objectId, atMs });
      }
    });
    // A follower without an id could only start at the beginning.
    const leave = (): void => void (this.received.length > 0 ? response.destroy() : (timer = setTimeout(leave, 100)));
    let timer = setTimeout(leave, -Math.log(1 - Math.random()) * reconnectMs);
    await new Promise((resolve) => response.once('close', resolve));
    clearTimeout(timer);
  }
}

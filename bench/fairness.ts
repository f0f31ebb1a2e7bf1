import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Deployment } from './deployment.ts';
import { recordDeliveries, queueDeliveries, sharedClockMs } from './queue.ts';
import { requestBody } from './sample.ts';
import { inTurn, percentile, ratio, verify, type Bench, type Reading, type Suite } from './suite.ts';

const healthyCount = 100;
const waitingCount = 10_000;
const eventsPerSecond = 10;

/** POST requests a second whose events no endpoint receives. Their latency shows what the backlog costs other requests. */
const othersPerSecond = 50;

/** Longer than an attempt without a response, so that the measurement includes what follows its end. */
const measuredSeconds = 18;

/**
 * Measures how long an event takes, from the response to its POST until its receipt. A hundred endpoints respond, and each gets ten events
 * a second. They run once alone, and once beside an endpoint that hangs and has ten thousand deliveries waiting.
 */
export const fairness: Suite<'p99' | 'postP99'> = {
  name: 'fairness',
  roundsMax: 1,
  figures: {
    p99: {
      title: 'Response to receipt at 100 endpoints, p99, beside one that hangs with 10,000 waiting, against alone',
      unit: 'times',
      better: 'less',
      floor: 2,
      aim: 1.2,
      needs: [],
      besideUnit: 'ms',
    },
    postP99: {
      title: 'POST, p99, beside 100 endpoints and one that hangs with 10,000 waiting, against without that one',
      unit: 'times',
      better: 'less',
      floor: null,
      aim: 1.2,
      needs: [],
      besideUnit: 'ms',
    },
  },
  async round(bench, round) {
    const { alone, beside } = await inTurn(round, {
      alone: () => measure(bench, null),
      beside: async () => {
        const hanging = await startHanging();
        try {
          return await measure(bench, hanging);
        } finally {
          hanging.stop();
        }
      },
    });
    const compare = (of: keyof Latencies): Reading => ratio(beside[of], alone[of]);
    return { p99: compare('receipt'), postP99: compare('post') };
  },
};

/** The p99 of each, in milliseconds. */
interface Latencies {
  receipt: number;
  post: number;
}

async function measure({ deployment, receiver }: Bench, hanging: Hanging | null): Promise<Latencies> {
  await deployment.subscribe(0);
  if (hanging) await recordDeliveries(deployment, waitingCount);
  else await deployment.empty();
  const healthy = await makeEndpoints(deployment, receiver.origin, hanging?.origin ?? null);
  if (hanging) await queueDeliveries(deployment);
  await receiver.reset({ record: true });
  const server = await deployment.startServer('all');
  const client = new Pool(server.url, { connections: 16, pipelining: 1 });
  const answeredAtMs = new Map<string, number>();
  try {
    const startedAtMs = sharedClockMs();
    const requests: Promise<void>[] = [];
    const others: Promise<number>[] = [];
    for (let made = 0; made < measuredSeconds * othersPerSecond; made++) {
      const dueMs = startedAtMs + (made * 1000) / othersPerSecond;
      if (dueMs > sharedClockMs()) await delay(dueMs - sharedClockMs());
      others.push(post(client, deployment.secretKey, '/v1/applications', '{}').then(() => sharedClockMs() - dueMs));
      if (made % (othersPerSecond / eventsPerSecond) !== 0) continue;
      const created = post(client, deployment.secretKey, '/v1/references', requestBody);
      requests.push(created.then((id) => void answeredAtMs.set(id, sharedClockMs())));
    }
    const postMs = await Promise.all(others);
    await Promise.all(requests);
    const { receipts } = await receiver.untilReceived(requests.length * healthyCount);
    const expected = requests.length * healthyCount;
    verify(`${expected} deliveries, ${receipts.length} received`, receipts.length === expected);
    if (hanging) verify('the other one hangs', hanging.connections() > 0);
    const receiptMs = receipts.map(([id, atMs]) => Math.max(0, atMs - answeredAtMs.get(id)!));
    return { receipt: percentile(receiptMs, 0.99), post: percentile(postMs, 0.99) };
  } finally {
    await client.close();
    await server.stop();
    await removeEndpoints(deployment, healthy);
  }
}

/** Creates a record, and returns its id. */
async function post(client: Pool, secretKey: string, path: string, body: string): Promise<string> {
  const response = await client.request({
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
    body,
  });
  const { id } = (await response.body.json()) as { id: string };
  verify('every POST is accepted', response.statusCode === 200);
  return id;
}

/** Copies the deployment's first endpoint. The last copy hangs, and gets the backlog. */
async function makeEndpoints(
  { database, endpointIds }: Deployment,
  origin: string,
  hangingOrigin: string | null,
): Promise<string[]> {
  const made = await database.query<{ id: string }>(
    `insert into webhook_endpoints
     select (jsonb_populate_record(original, jsonb_build_object(
       'id', left(original.id, 11) || lpad(number::text, 14, '0'),
       'url', case when number <= $2 then $3 || '/hooks/' || number else $4 || '/hangs' end,
       'enabled_events', array['reference.created']))).*
     from webhook_endpoints original, generate_series(1, $5) number
     where original.id = $1
     returning id`,
    [endpointIds[0], healthyCount, origin, hangingOrigin, healthyCount + (hangingOrigin === null ? 0 : 1)],
  );
  const ids = made.rows.map(({ id }) => id).toSorted();
  if (hangingOrigin !== null) await database.query('update webhook_deliveries set webhook_endpoint = $1', [ids.at(-1)]);
  return ids;
}

async function removeEndpoints({ database }: Deployment, ids: string[]): Promise<void> {
  await database.query('delete from webhook_endpoints where id = any($1)', [ids]);
}

interface Hanging {
  origin: string;
  connections(): number;
  stop(): void;
}

/** Accepts all connections, and never responds. */
async function startHanging(): Promise<Hanging> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

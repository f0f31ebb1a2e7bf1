import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pour } from '../../support/receiver.ts';
import { Api } from '../crash-checker/api.ts';
import { History } from '../crash-checker/history.ts';
import { textOf, type JsonObject } from '../crash-checker/json.ts';
import { judgeDeliveries } from '../crash-checker/judge/delivery-rules.ts';
import { openCase } from '../crash-checker/judge/case.ts';
import { withoutWebhooks, type Evidence } from '../crash-checker/judge/evidence.ts';
import { judgeBy } from '../crash-checker/judge/judge.ts';
import { observe, type Observation } from '../crash-checker/observe.ts';
import { Random } from '../crash-checker/random.ts';
import { answer, Receiver, reliably, type Behave } from '../crash-checker/receiver.ts';
import { serverUnderTest } from '../crash-checker/stages/stage.ts';
import { makeEndpoint, type Endpoint } from '../crash-checker/webhooks.ts';
import type { FaultReport, FaultRun, FaultViolation, PlayOptions } from './fault-run.ts';
import { onOneServer, type Place } from './one-server.ts';

/** One good receiver beside eight bad ones. Nobody's badness is the good one's, and of each the API tells what it did. */
export const receivers: FaultRun = {
  name: 'receivers',
  title: 'events to a good receiver beside eight bad ones: 500, 429, 301, resets, 10 MB, no TLS, hangs, drips',
  unit: 'events',
  sizes: { ci: 300, gate: 2_000, full: 5_000 },
  play: (size, options) => onOneServer(impatient, options, (server) => sendToReceivers(server, size, options)),
};

/** An attempt that hangs ends sooner than usual, so that a run ends too; and not so soon that a busy machine makes others seem to hang. */
const attemptTimeoutMs = 5_000;
const impatient = {
  program: serverUnderTest,
  settings: {
    TEST_DISPATCHER_LIMITS: JSON.stringify({ attemptTimeoutMs, connectTimeoutMs: attemptTimeoutMs }),
    TENURE_RETRY_SCHEDULE: '0.2',
  },
};
const attemptsMax = 2;

const clients = 16;

/** Those that hang get so few: with more, they would be tried with one at a time from then on, and a run would last for hours. */
const eventsThatHang = 3;
const overTimeoutMs = 240_000;

/** So long after it was made, an event is with the good receiver. Generous, for a machine that is busy with something else. */
const delayMaxMs = { p99: 5_000, most: 15_000 };

const megabyte = 1024 * 1024;
/** The first of what the API shows of an answer. */
const keptBytes = 1024;
const filler = Buffer.alloc(64 * 1024, 'a');

/** What each kind does; the good one is one of them. */
const kinds: Record<string, Behave> = {
  good: reliably,
  'answers 500': (arrival, response, text) => answer(500, arrival, response, text),
  'answers 429': (arrival, response, text) => answer(429, arrival, response, text, { 'retry-after': '1' }),
  'redirects to itself': (arrival, response, text) => answer(301, arrival, response, text, { location: '/elsewhere' }),
  resets(arrival, response) {
    arrival.reply = { kind: 'dropped' };
    response.socket!.resetAndDestroy();
  },
  'answers with 10 MB': (arrival, response) => {
    arrival.reply = { kind: 'answered', status: 200, text: filler.toString('utf8', 0, keptBytes) };
    response.writeHead(200, { 'content-length': 10 * megabyte }).flushHeaders();
    pour(response.socket!, filler, () => {});
  },
};
const dripEveryMs = 100;
const hangingKinds: Record<string, Behave> = {
  hangs(arrival) {
    arrival.reply = { kind: 'hung', status: null };
  },
  drips(arrival, response) {
    arrival.reply = { kind: 'hung', status: 200 };
    response.writeHead(200, { 'content-length': 100 }).flushHeaders();
    const timer = setInterval(() => response.write('x'), dripEveryMs);
    response.on('close', () => clearInterval(timer));
  },
};

/** Makes the events, waits for the end of every delivery, and judges what the API tells by what the receivers saw. */
export async function sendToReceivers(place: Place, size: number, { seed, print }: PlayOptions): Promise<FaultReport> {
  const api = new Api([place.url], place.secretKey);
  const history = new History();
  const all = [
    ...Object.entries(kinds).map(([name, behave]) => ({ name, behave, enabledEvents: ['reference.*', 'customer.*'] })),
    ...Object.entries(hangingKinds).map(([name, behave]) => ({ name, behave, enabledEvents: ['customer.*'] })),
  ].map(({ name, behave, enabledEvents }) => ({ enabledEvents, receiver: new Receiver(name, history, behave) }));
  const withoutTls = await startWithoutTls();
  try {
    const endpoints: Endpoint[] = [];
    for (const { receiver, enabledEvents } of all) {
      const url = await receiver.listen();
      endpoints.push(await makeEndpoint(api, { receiver: receiver.name, url: encodeURI(url), enabledEvents }));
    }
    const secure = { receiver: 'no TLS', url: withoutTls.url, enabledEvents: ['reference.*', 'customer.*'] };
    const unsafe = await makeEndpoint(api, secure);
    const madeByMs = await makeEvents(api, size, new Random(`receivers, seed ${seed}`));
    print(`${size} events made; now their deliveries are waited for`);
    const observation = await observeEnd(api, [...endpoints, unsafe]);
    const ofUnsafe = observation.deliveries.pop()!.items;
    const evidence = evidenceOf(observation, endpoints, history);
    const delaysMs = delaysOf('good', history, madeByMs);
    const violations = [
      ...judgeDelays(delaysMs),
      ...judgeBy([judgeDeliveries], openCase(evidence)),
      ...judgeWithoutTls(ofUnsafe, size, withoutTls.requests),
    ];
    return { done: size, counts: { ...countsOf(observation, history, ofUnsafe), ...told(delaysMs) }, violations };
  } finally {
    api.close();
    for (const { receiver } of all) receiver.close();
    await withoutTls.stop();
  }
}

/**
 * References, and a few customers, as many clients make them.
 *
 * @returns by their keys, when each was known to be made: when its answer was there.
 */
async function makeEvents(api: Api, size: number, random: Random): Promise<Map<string, number>> {
  const madeByMs = new Map<string, number>();
  let next = 0;
  const runClient = async (): Promise<void> => {
    while (next < size) {
      const number = next++;
      const note = 'ö'.repeat(random.fork(`event ${number}`).between(1, 400));
      const wish =
        number % Math.ceil(size / eventsThatHang) === 0
          ? { path: '/v1/customers', body: { name: 'Ada Tenant', metadata: { note } } }
          : { path: '/v1/references', body: { application: 'app_1', metadata: { note } } };
      const key = `event ${number}`;
      const made = await api.send({ method: 'POST', key, ...wish });
      if (made.kind !== 'answered' || made.status !== 200) throw new Error(`Not made: ${JSON.stringify(made)}`);
      madeByMs.set(key, performance.now());
    }
  };
  await Promise.all(Array.from({ length: clients }, runClient));
  return madeByMs;
}

/** How long after it was made each event came to a receiver for the first time, in milliseconds, the soonest first. */
function delaysOf(receiver: string, { arrivals }: History, madeByMs: ReadonlyMap<string, number>): number[] {
  const first = new Map<string, number>();
  for (const { receiver: name, body, arrivedMs } of arrivals) {
    const key = textOf(body ?? undefined, 'request', 'idempotency_key');
    if (name === receiver && !first.has(key)) first.set(key, arrivedMs);
  }
  const delays = [...first].map(([key, arrivedMs]) => Math.max(0, arrivedMs - (madeByMs.get(key) ?? NaN)));
  return delays.toSorted((left, right) => left - right);
}

/** Whoever is good waits for none of the bad ones; nearly all come at once, and none after minutes. Of none at all, another rule tells. */
export function judgeDelays(sortedMs: readonly number[]): FaultViolation[] {
  const { p99, most } = quantiles(sortedMs);
  if (p99 <= delayMaxMs.p99 && most <= delayMaxMs.most) return [];
  const message = `Of 100 events, 99 came within ${p99} ms, and the last one after ${most} ms.`;
  return [{ rule: 'delivered_late', about: 'the good receiver', message }];
}

function told(sortedMs: readonly number[]): Record<string, number> {
  const { p50, p99, most } = quantiles(sortedMs);
  return { 'good one has it after, ms p50': p50, 'ms p99': p99, 'ms at most': most };
}

function quantiles(sortedMs: readonly number[]): { p50: number; p99: number; most: number } {
  const at = (share: number): number => Math.round(sortedMs[Math.floor((sortedMs.length - 1) * share)] ?? 0);
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}

/** What the API shows when no delivery is pending any more, or when they have had more than enough time. */
async function observeEnd(api: Api, endpoints: readonly Endpoint[]): Promise<Observation> {
  const giveUpAtMs = performance.now() + overTimeoutMs;
  for (;;) {
    // The newest are the last; only when they are over is it worth reading all.
    const newest = await Promise.all(
      endpoints.map(({ id }) => api.read(`/v1/webhook_endpoints/${id}/deliveries?limit=50`)),
    );
    const isLate = performance.now() > giveUpAtMs;
    if (isLate || !newest.some(({ data }) => (data as JsonObject[]).some(isPending))) {
      const observation = await observe(api, endpoints, 0);
      if (isLate || !observation.deliveries.some(({ items }) => items.some(isPending))) return observation;
    }
    await sleep(500);
  }
}

function isPending({ status }: JsonObject): boolean {
  return status === 'pending';
}

function evidenceOf(observation: Observation, endpoints: Endpoint[], { arrivals }: History): Evidence {
  return {
    operations: [],
    outages: [],
    observation,
    earlier: null,
    webhooks: { ...withoutWebhooks(), endpoints, arrivals, attemptsMax },
  };
}

/** Nothing was ever said to whoever cannot say who they are. */
function judgeWithoutTls(deliveries: JsonObject[], size: number, requests: number): FaultViolation[] {
  const violations: FaultViolation[] = [];
  const about = 'the receiver without TLS';
  const others = deliveries.filter(({ status, attempts }) => {
    // On a busy machine, some handshakes take longer than an attempt may.
    const isTold = (attempts as JsonObject[]).every(({ error }) => error === 'tls_failed' || error === 'timeout');
    return status !== 'failed' || !isTold || (attempts as JsonObject[]).length !== attemptsMax;
  });
  if (others.length > 0) {
    const message = `${others.length} deliveries are told otherwise than as failed: ${JSON.stringify(others[0])}`;
    violations.push({ rule: 'attempt_untrue', about, message });
  }
  if (deliveries.length !== size) {
    const message = `Of ${size} events, ${deliveries.length} have a delivery.`;
    violations.push({ rule: 'event_not_delivered', about, message });
  }
  if (requests > 0) violations.push({ rule: 'sent_in_clear', about, message: `It could read ${requests} requests.` });
  return violations;
}

/** Speaks HTTP where https was asked for. */
async function startWithoutTls(): Promise<{ url: string; readonly requests: number; stop(): Promise<void> }> {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes: Buffer) => {
      if (bytes.includes('POST ')) requests++;
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    get requests() {
      return requests;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function countsOf(
  { deliveries }: Observation,
  { arrivals }: History,
  ofUnsafe: readonly JsonObject[],
): Record<string, number> {
  const all = [...deliveries.flatMap(({ items }) => items), ...ofUnsafe];
  const requests = Map.groupBy(arrivals, ({ headers }) => String(headers['service-delivery-id']));
  const repeated = [...requests.values()].filter((ofOne) => ofOne.filter(({ reply }) => isAccepted(reply)).length > 1);
  return {
    deliveries: all.length,
    attempts: all.reduce((sum, { attempt_count: count }) => sum + Number(count), 0),
    'deliveries that failed': all.filter(({ status }) => status === 'failed').length,
    'requests received': arrivals.length,
    'events delivered twice': repeated.length,
  };
}

function isAccepted(reply: History['arrivals'][number]['reply']): boolean {
  return reply.kind === 'answered' && reply.status === 200;
}

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

/** One good receiver beside eight bad ones. The bad ones do not delay the good one, and the API shows what each of them did. */
export const receivers: FaultRun = {
  name: 'receivers',
  title: 'events to a good receiver beside eight bad ones: 500, 429, 301, resets, 10 MB, no TLS, hangs, drips',
  unit: 'events',
  sizes: { ci: 300, gate: 2_000, full: 5_000 },
  play: (size, options) => onOneServer(impatient, options, (server) => sendToReceivers(server, size, options)),
};

/** A hanging attempt ends sooner than usual, so that a run ends too. It is long enough for healthy attempts on a busy machine. */
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

/**
 * The hanging receivers get only this many events. With more, only one at a time would be tried from then on, and a run would take hours.
 */
const eventsThatHang = 3;
const overTimeoutMs = 240_000;

/** The longest delay of an event to the good receiver. Generous, for a machine that is busy with other work. */
const delayMaxMs = { p99: 5_000, most: 15_000 };

const megabyte = 1024 * 1024;
/** The API shows this many bytes of a response. */
const keptBytes = 1024;
const filler = Buffer.alloc(64 * 1024, 'a');

/** The behaviour of each kind of receiver, the good one included. */
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

/** Makes the events and waits for the end of every delivery. Compares what the API shows with what the receivers saw. */
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
    print(`${size} events made; waiting for their deliveries`);
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
 * Makes references, and a few customers, as many clients make them.
 * @returns by their keys, when the response to each arrived.
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
      if (made.kind !== 'answered' || made.status !== 200)
        throw new Error(`Could not make a record: ${JSON.stringify(made)}`);
      madeByMs.set(key, performance.now());
    }
  };
  await Promise.all(Array.from({ length: clients }, runClient));
  return madeByMs;
}

/** Returns the delay of each event's first arrival at a receiver, in milliseconds, in ascending order. */
function delaysOf(receiver: string, { arrivals }: History, madeByMs: ReadonlyMap<string, number>): number[] {
  const first = new Map<string, number>();
  for (const { receiver: name, body, arrivedMs } of arrivals) {
    const key = textOf(body ?? undefined, 'request', 'idempotency_key');
    if (name === receiver && !first.has(key)) first.set(key, arrivedMs);
  }
  const delays = [...first].map(([key, arrivedMs]) => Math.max(0, arrivedMs - (madeByMs.get(key) ?? NaN)));
  return delays.toSorted((left, right) => left - right);
}

/**
 * Expects bad receivers not to delay the good one: nearly all events come at once, and none after minutes. Another rule reports missing
 * ones.
 */
export function judgeDelays(sortedMs: readonly number[]): FaultViolation[] {
  const { p99, most } = quantiles(sortedMs);
  if (p99 <= delayMaxMs.p99 && most <= delayMaxMs.most) return [];
  const message = `99 % of the events arrived within ${p99} ms, and the last one after ${most} ms.`;
  return [{ rule: 'delivered_late', about: 'the good receiver', message }];
}

function told(sortedMs: readonly number[]): Record<string, number> {
  const { p50, p99, most } = quantiles(sortedMs);
  return { 'delay of the good one, ms p50': p50, 'ms p99': p99, 'ms at most': most };
}

function quantiles(sortedMs: readonly number[]): { p50: number; p99: number; most: number } {
  const at = (share: number): number => Math.round(sortedMs[Math.floor((sortedMs.length - 1) * share)] ?? 0);
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}

/** Returns what the API shows when no delivery is pending, or when they have had more than enough time. */
async function observeEnd(api: Api, endpoints: readonly Endpoint[]): Promise<Observation> {
  const giveUpAtMs = performance.now() + overTimeoutMs;
  for (;;) {
    // The newest end last. Reading all makes sense only when they are over.
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

/** Expects that no request was sent to a receiver that cannot prove its identity. */
function judgeWithoutTls(deliveries: JsonObject[], size: number, requests: number): FaultViolation[] {
  const violations: FaultViolation[] = [];
  const about = 'the receiver without TLS';
  const others = deliveries.filter(({ status, attempts }) => {
    // On a busy machine, some handshakes take longer than the limit of an attempt.
    const isTold = (attempts as JsonObject[]).every(({ error }) => error === 'tls_failed' || error === 'timeout');
    return status !== 'failed' || !isTold || (attempts as JsonObject[]).length !== attemptsMax;
  });
  if (others.length > 0) {
    const message = `${others.length} deliveries do not show that they failed: ${JSON.stringify(others[0])}`;
    violations.push({ rule: 'attempt_untrue', about, message });
  }
  if (deliveries.length !== size) {
    const message = `${size} events have ${deliveries.length} deliveries.`;
    violations.push({ rule: 'event_not_delivered', about, message });
  }
  if (requests > 0)
    violations.push({ rule: 'sent_in_clear', about, message: `The receiver could read ${requests} requests.` });
  return violations;
}

/** Starts a server that speaks HTTP on an https URL. */
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

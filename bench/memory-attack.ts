import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { startChild, watchMemory } from './child.ts';
import { startDeployment } from './deployment.ts';
import { requestBody } from './sample.ts';
import { percentile } from './suite.ts';

const help = `npm run memory-attack -- [options]

One account attacks the memory in every way at once. Its streams, lists and webhook endpoints do not read large events. It also sends large
requests. Another account makes 20 POSTs and 20 GETs a second. Prints the largest size of the process, and how long the other account waited
before and during the attack. Ends with 1 if an aim is missed.

  --seconds N   how long the attack lasts (30)
  --only a,b    of streams, events, posts, lists
  --small       a tenth of everything, to check that it works
`;

const aims = { memoryMb: 400, p99Times: 3 };

/** The size of each part of the attack. */
interface Sizes {
  streams: number;
  updates: number;
  endpoints: number;
  events: number;
  posts: number;
  lists: number;
}

/** 50 streams and 100 endpoints are the most that an account can have. */
const allOfIt: Sizes = { streams: 50, updates: 100, endpoints: 100, events: 40, posts: 64, lists: 40 };
const tenthOfIt: Sizes = { streams: 5, updates: 10, endpoints: 10, events: 4, posts: 6, lists: 4 };

/** The attack's settings, from its environment. */
interface Order {
  url: string;
  key: string;
  sizes: Sizes;
}

/** Milliseconds between due requests, a POST and a GET in turn. */
const everyMs = 25;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '30' },
      only: { type: 'string', default: 'streams,events,posts,lists' },
      small: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  const seconds = Number(values.seconds);
  const only = values.only.split(',');
  if (values.help || !(seconds >= 1)) {
    process.stdout.write(help);
    process.exit(values.help ? 0 : 2);
  }
  const deployment = await startDeployment(null);
  try {
    const server = await deployment.startServer('all');
    const key = await otherAccount(server.url, deployment.secretKey);
    // Exclude what is compiled and cached once, which the attack does not cause.
    await usualLoad(server.url, key, delay(3_000));
    const most = watchMemory(server.child);
    const before = await usualLoad(server.url, key, delay((seconds / 2) * 1000));
    const order: Order = {
      url: server.url,
      key: deployment.secretKey,
      sizes: onlyOf(values.small ? tenthOfIt : allOfIt, only),
    };
    const attacker = startChild(fileURLToPath(import.meta.url), {
      name: 'attack',
      logDir: deployment.logDir,
      env: { ATTACK: JSON.stringify(order) },
    });
    const attacked = attacker.message().then(() => delay(seconds * 1000));
    const during = await usualLoad(server.url, key, attacked);
    const told = attacker.message();
    attacker.process.send('tell');
    const answers = await told;
    await attacker.stop();
    const memoryMb = most();
    await server.stop();
    process.stdout.write(
      `The attack's requests, by their responses: ${JSON.stringify(answers)}\n` +
        `Largest size of the process: ${memoryMb.toFixed(0)} MB (aim: below ${aims.memoryMb})\n` +
        `The other account before: ${lineOf(before)}\n` +
        `The other account during: ${lineOf(during)} (aim: p99 within ${aims.p99Times} times)\n`,
    );
    const isHeld = memoryMb < aims.memoryMb && during.p99Ms <= aims.p99Times * before.p99Ms && during.failed === 0;
    process.exitCode = isHeld ? 0 : 1;
  } finally {
    await deployment.stop();
  }
}

function onlyOf(sizes: Sizes, parts: string[]): Sizes {
  return {
    streams: parts.includes('streams') ? sizes.streams : 0,
    updates: parts.includes('streams') || parts.includes('lists') ? sizes.updates : 0,
    endpoints: parts.includes('events') ? sizes.endpoints : 0,
    events: parts.includes('events') ? sizes.events : 0,
    posts: parts.includes('posts') ? sizes.posts : 0,
    lists: parts.includes('lists') ? sizes.lists : 0,
  };
}

interface Latencies {
  count: number;
  failed: number;
  p50Ms: number;
  p99Ms: number;
}

function lineOf({ count, failed, p50Ms, p99Ms }: Latencies): string {
  return `${count} requests, ${failed} failed, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
}

/** Sends requests when they are due until `ended`, regardless of outstanding ones. A request's time begins when it was due. */
async function usualLoad(url: string, key: string, ended: Promise<unknown>): Promise<Latencies> {
  const client = new Pool(url, { connections: 32 });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const tookMs: number[] = [];
  let failed = 0;
  const ask = async (isPost: boolean, dueMs: number): Promise<void> => {
    const { statusCode, body } = await client.request({
      method: isPost ? 'POST' : 'GET',
      path: isPost ? '/v1/references' : '/v1/references?limit=10',
      headers,
      body: isPost ? requestBody : null,
    });
    await body.dump();
    tookMs.push(performance.now() - dueMs);
    if (statusCode !== 200) failed++;
  };
  const over = new AbortController();
  void ended.finally(() => over.abort());
  const asked: Promise<void>[] = [];
  for (let dueMs = performance.now(), number = 0; !over.signal.aborted; dueMs += everyMs, number++) {
    await delay(Math.max(0, dueMs - performance.now()));
    asked.push(ask(number % 2 === 0, dueMs).catch(() => void failed++));
  }
  await Promise.all(asked);
  await client.close();
  await ended;
  return { count: tookMs.length, failed, p50Ms: percentile(tookMs, 0.5), p99Ms: percentile(tookMs, 0.99) };
}

/** Makes an account that is connected to the attacker's, and returns a key of its own. */
async function otherAccount(url: string, secretKey: string): Promise<string> {
  const account = await sent(url, secretKey, '/v1/accounts', { name: 'Another' });
  const headers = { 'service-context': String(account.id) };
  const body = { type: 'secret', permissions: ['references.write', 'references.read'] };
  const key = await sent(url, secretKey, '/v1/api_keys', body, headers);
  return String(key.secret);
}

async function sent(
  url: string,
  key: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${path} was refused: ${JSON.stringify(answer)}`);
  return answer;
}

/** Runs the attack in its own process, so that it does not delay what is measured. Reports once that all parts have begun. */
async function attack({ url, key, sizes }: Order): Promise<void> {
  const statuses = new Map<string, number>();
  const client = new Pool(url, { connections: Math.max(1, sizes.posts) });
  const post = async (path: string, body: object): Promise<{ status: number; id: string }> => {
    const response = await client.request({
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { statusCode: status } = response;
    const { id } = (await response.body.json()) as { id: string };
    const name = `POST ${path.split('/').slice(0, 3).join('/')} ${status}`;
    statuses.set(name, (statuses.get(name) ?? 0) + 1);
    // Retry rejected requests a little later, so that the attack continues.
    if (status !== 200) await delay(100);
    return { status, id };
  };
  const untilDone = async (path: string, body: object): Promise<string> => {
    for (;;) {
      const { status, id } = await post(path, body);
      if (status === 200) return id;
    }
  };
  const hanging = await hangingReceiver();
  const endpoints = Array.from({ length: sizes.endpoints }, () =>
    untilDone('/v1/webhook_endpoints', { url: hanging, enabled_events: ['customer.created'] }),
  );
  await Promise.all(endpoints);
  const customer = await untilDone('/v1/customers', largeCustomer('€'));
  const first = await firstEvent(url, key);
  for (let updated = 0; updated < sizes.updates; updated++) {
    await untilDone(`/v1/customers/${customer}`, largeCustomer(updated % 2 === 0 ? 'ß' : '€'));
  }
  await Promise.all(Array.from({ length: sizes.events }, () => untilDone('/v1/customers', largeCustomer('€'))));
  for (let made = 0; made < sizes.streams; made++) unread(url, key, `/v1/events/stream?after=${first}`);
  for (let made = 0; made < sizes.lists; made++) unread(url, key, '/v1/events?limit=50&type=customer.updated');
  process.send!('begun');
  process.once('message', () => process.send!(Object.fromEntries(statuses)));
  const body = largeCustomer('€');
  const posting = async (): Promise<never> => {
    for (;;) await post('/v1/customers', body).catch(() => delay(100));
  };
  await Promise.all(Array.from({ length: sizes.posts }, posting));
}

/** Returns nearly 256 kB, the largest accepted body. */
function largeCustomer(character: string): object {
  const text = character.repeat(500);
  const address = { line1: text, line2: text, city: text, postal_code: text, country: 'GB' };
  return { name: 'Ada', addresses: Array.from({ length: 42 }, () => address) };
}

async function firstEvent(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/v1/events?limit=1&type=customer.created`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data[0]!.id;
}

/** Sends a request and never reads the response. Repeats it after a disconnect. */
function unread(url: string, key: string, path: string): void {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  socket.pause();
  socket.on('error', () => {});
  socket.on('close', () => setTimeout(() => unread(url, key, path), 100));
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`);
}

/** Accepts all connections, and never responds. */
async function hangingReceiver(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

// Ctrl-C comes twice, from the terminal and from npm. The second one must not end the cleanup at the exit.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
if (process.env.ATTACK) await attack(JSON.parse(process.env.ATTACK) as Order);
else await main();

import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client as PostgresClient } from 'pg';
import { Client, Pool, type Dispatcher } from 'undici';
import { makeKey } from '../server/src/core/secrets/api-keys.ts';
import { findRunningDatabase } from '../server/src/embedded-postgres/index.ts';
import { servesFolder } from '../server/src/embedded-postgres/processes.ts';
import { findFaults } from './attack/faults.ts';
import { allOfIt, partOf, ways, type Order, type Report } from './attack/order.ts';
import { startChild, startCommand, untilAnswered, watchMemory, type Child } from './child.ts';
import { envOfStart, flagsOfStart, projectDir } from './deployment.ts';
import { requestBody } from './sample.ts';
import { percentile } from './suite.ts';
import { freePort } from '../server/test/support/free-port.ts';

const help = `npm run memory-attack -- [options]

Attacks the memory of one process in every way at once, with the keys of an account and of accounts connected to it. The process runs as with
npm start, with its own database. An account that is connected to none of them, at an address of its own, makes 20 POSTs and 20 GETs a
second, on connections that were open before. It opens a new connection each second, too. Prints the largest size of the process, and how
long that account waited before and during the attack. Then kills the process in the midst of the attack, starts it again, and compares the
records and events with the responses. Ends with 1 if an aim is missed or a record is wrong.

  --seconds N    how long the attack lasts (30)
  --accounts N   the attacking accounts (4)
  --stall N      PostgreSQL stands still for N seconds in the midst of the attack (0)
  --only a,b     of ${ways.join(', ')}
  --small        a tenth of everything, to check that it works
`;

/** The records of the attack are large, and on a busy machine each takes a part of a second. */
const prepareMs = 300_000;

const aims = { memoryMb: 400, p99Times: 3 };

/** Milliseconds between due requests, a POST and a GET in turn. */
const everyMs = 25;

/** The kinds of records that an attacking key reads and writes. */
const kinds = (
  'applications bank_lines buildings customers deposits files invoices payments references tenancies units ' +
  'webhook_endpoints workflows'
).split(' ');

const permissions = [
  ...kinds.map((kind) => `${kind}.write`),
  ...[...kinds, 'events', 'logs'].map((kind) => `${kind}.read`),
  'file_contents.read',
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '30' },
      accounts: { type: 'string', default: '4' },
      stall: { type: 'string', default: '0' },
      only: { type: 'string', default: ways.join(',') },
      small: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  const seconds = Number(values.seconds);
  const accounts = Number(values.accounts);
  const stall = Number(values.stall);
  if (values.help || !(seconds >= 1) || !(accounts >= 1) || !(stall >= 0 && stall <= seconds / 2)) {
    process.stdout.write(help);
    process.exit(values.help ? 0 : 2);
  }
  const site = await Site.start();
  try {
    const keys = [site.secretKey];
    while (keys.length < accounts) keys.push(await site.connectedAccount());
    const other = await site.otherAccount();
    // Exclude what is compiled and cached once, which the attack does not cause.
    await usualLoad(site.url, other, delay(3_000));
    const before = await usualLoad(site.url, other, delay((seconds / 2) * 1000));
    const most = watchMemory(site.server);
    const held = watchHeld(site.url);
    const order: Order = {
      url: site.url,
      keys,
      sizes: partOf(allOfIt, values.small ? 0.1 : 1, values.only.split(',')),
    };
    const attacker = startChild(fileURLToPath(new URL('attack/attacker.ts', import.meta.url)), {
      name: 'attack',
      logDir: site.logDir,
      env: { ATTACK: JSON.stringify(order) },
    });
    await attacker.message(prepareMs);
    await site.multiplyHistory();
    attacker.process.send('begin');
    const stalled = delay((seconds / 4) * 1000).then(() => site.stallDatabase(stall));
    const during = await usualLoad(site.url, other, delay(seconds * 1000));
    await stalled;
    const size = most();
    const heldMb = held();
    await site.server.kill();
    // The attacker gets the last responses from its sockets.
    await delay(1_000);
    const told = attacker.message<Report>();
    attacker.process.send('tell');
    const { statuses, writes } = await told;
    await attacker.kill();
    const startedMs = performance.now();
    await site.startAgain();
    const startMs = performance.now() - startedMs;
    const faults = await findFaults(site.database, {
      acknowledged: writes.acknowledged,
      refused: writes.refused,
      references: [...before.made, ...during.made],
    });
    process.stdout.write(
      `The attack's requests, by their responses: ${JSON.stringify(statuses)}\n` +
        `Bytes held at most, by kind, in MB: ${JSON.stringify(heldMb)}\n` +
        `Largest size of the process: ${size.residentMb.toFixed(0)} MB resident, ${size.proportionalMb.toFixed(0)} MB proportional (aim: below ${aims.memoryMb})\n` +
        `The other account before: ${lineOf(before)}\n` +
        `The other account during: ${lineOf(during)} (aim: p99 within ${aims.p99Times} times)\n` +
        `After kill -9 and ${(startMs / 1000).toFixed(1)} s of a start: ${writes.acknowledged.length} acknowledged and ${writes.refused.length} refused writes of the attack, ` +
        `${before.made.length + during.made.length} references of the other account, ${faults.length} faults\n${faults
          .slice(0, 10)
          .map((fault) => `${fault}\n`)
          .join('')}`,
    );
    const isFast =
      during.post.p99Ms <= aims.p99Times * before.post.p99Ms && during.get.p99Ms <= aims.p99Times * before.get.p99Ms;
    const isHeld = size.residentMb < aims.memoryMb && isFast && during.failed === 0 && faults.length === 0;
    process.exitCode = isHeld ? 0 : 1;
  } finally {
    await site.stop();
  }
}

/** The process under attack, with its own database, and a connection to that. */
class Site {
  readonly url: string;
  readonly secretKey = makeKey('secret', 'sandbox', randomBytes);
  readonly logDir = mkdtempSync(join(tmpdir(), 'tenure-attack-logs-'));
  readonly #folder = mkdtempSync(join(tmpdir(), 'tenure-attack-'));
  readonly #port: number;
  #server: Child | null = null;
  #database: PostgresClient | null = null;
  #starts = 0;

  private constructor(port: number) {
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
    // As root, PostgreSQL runs as another user, which must be able to enter.
    chmodSync(this.#folder, 0o711);
    process.on('exit', () => {
      for (const made of [this.#folder, this.logDir]) rmSync(made, { recursive: true, force: true });
    });
  }

  static async start(): Promise<Site> {
    const site = new Site(await freePort());
    await site.startAgain();
    return site;
  }

  get server(): Child {
    return this.#server!;
  }

  get database(): PostgresClient {
    return this.#database!;
  }

  /** Starts the process, and waits until it serves. */
  async startAgain(): Promise<void> {
    await this.#database?.end().catch(() => {});
    const dataDir = join(this.#folder, 'data');
    mkdirSync(dataDir, { recursive: true });
    const program = [process.execPath, ...flagsOfStart(), join(projectDir, 'server/src/main.ts')];
    this.#server = startCommand(program, {
      name: `server-${++this.#starts}`,
      logDir: this.logDir,
      env: {
        ...envOfStart(),
        DATA_DIR: dataDir,
        PORT: String(this.#port),
        TENURE_SECRET_KEY: this.secretKey,
        TENURE_LOG_LEVEL: 'warn',
        ...(process.env.NODE_OPTIONS && { NODE_OPTIONS: process.env.NODE_OPTIONS }),
      },
    });
    await untilAnswered(`${this.url}/readyz`, {}, this.#server);
    this.#database = new PostgresClient((await findRunningDatabase(dataDir))!);
    this.#database.on('error', () => {});
    await this.#database.connect();
  }

  async stop(): Promise<void> {
    await this.#database?.end().catch(() => {});
    await this.#server?.stop();
  }

  /** Stops all processes of PostgreSQL for so many seconds, as a disk that hangs would. Works on Linux only. */
  async stallDatabase(seconds: number): Promise<void> {
    if (seconds === 0) return;
    const postgresDir = join(this.#folder, 'data/postgres');
    const pids = readdirSync('/proc')
      .map(Number)
      .filter((pid) => servesFolder(pid, postgresDir));
    const goOn = (): void => pids.forEach((pid) => process.kill(pid, 'SIGCONT'));
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    process.once('exit', goOn);
    await delay(seconds * 1000);
    process.off('exit', goOn);
    goOn();
  }

  /** Copies large events and logs of each account, so that the largest pages are full. */
  async multiplyHistory(): Promise<void> {
    await this.database.query(
      `insert into events
         (account_id, id, created, type, object_id, mentions, data, request, shape_version, epoch, transaction_id, ordinal)
       select account_id, left(id, 12) || lpad(copy::text, 14, '0'), created, type, object_id, mentions, data, request, shape_version,
         epoch, pg_current_xact_id(), 1000 * row_number() over (partition by account_id order by id) + copy
       from events, generate_series(1, 10) copy
       where type = 'customer.updated'
       on conflict do nothing`,
    );
    await this.database.query(
      `insert into request_logs
         (account_id, id, created, method, url, path, status, duration_ms, source, api_version, replayed, request_body,
           response_body, events, mentions)
       select account_id, left(id, 12) || lpad(copy::text, 14, '0'), created, method, url, path, status, duration_ms, source,
         api_version, replayed, request_body, response_body, events, mentions
       from request_logs, generate_series(1, 5) copy
       where octet_length(response_body) > 100000
       on conflict do nothing`,
    );
  }

  /** Makes an account that is connected to the first one. Returns its key. */
  async connectedAccount(): Promise<string> {
    const { id } = await this.#sent('/v1/accounts', { name: 'Connected' });
    return this.#keyOf(String(id), permissions);
  }

  /** Makes an account that is connected to none. Returns its key. */
  async otherAccount(): Promise<string> {
    const { id } = await this.#sent('/v1/accounts', { name: 'Another' });
    const key = await this.#keyOf(String(id), ['references.write', 'references.read', 'events.read']);
    await this.database.query('update accounts set parent = null where id = $1', [id]);
    return key;
  }

  async #keyOf(account: string, wanted: string[]): Promise<string> {
    const body = { type: 'secret', permissions: wanted };
    const { secret } = await this.#sent('/v1/api_keys', body, { 'service-context': account });
    return String(secret);
  }

  async #sent(path: string, body: object, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.secretKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${path} was refused: ${JSON.stringify(answer)}`);
    return answer;
  }
}

interface Latencies {
  count: number;
  p50Ms: number;
  p99Ms: number;
}

interface Load {
  post: Latencies;
  get: Latencies;
  /** GETs, each on a connection of its own, which is opened for it. */
  newConnection: Latencies;
  failed: number;
  /** The ids of the references that were made. */
  made: string[];
}

function lineOf({ post, get, newConnection, failed }: Load): string {
  return `${textOf('POSTs', post)}; ${textOf('GETs', get)}; ${textOf('new connections', newConnection)}; ${failed} failed`;
}

function textOf(name: string, { count, p50Ms, p99Ms }: Latencies): string {
  return `${count} ${name}: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
}

/** The address of the other account. Clients of one address share their connections: the process closes idle ones while it has too many. */
const from = { localAddress: '127.9.9.9' };

/**
 * A request without a response for so many milliseconds has failed. The queue of new connections can be full. Then the system repeats the
 * last step of a start for a minute. Meanwhile the client takes its connection for open.
 */
const patienceMs = 30_000;

/** The connections that an account keeps open, as the SDK and other clients do. */
const openConnections = 32;

/** Sends requests when they are due until `ended`, regardless of outstanding ones. A request's time begins when it was due. */
async function usualLoad(url: string, key: string, ended: Promise<unknown>): Promise<Load> {
  const client = new Pool(url, { ...from, connections: openConnections, headersTimeout: patienceMs });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const tookMs: Record<'POST' | 'GET', number[]> = { POST: [], GET: [] };
  const connectingMs: number[] = [];
  const made: string[] = [];
  let failed = 0;
  const ask = async (method: 'POST' | 'GET', through: Dispatcher = client): Promise<void> => {
    const { statusCode, body } = await through.request({
      origin: url,
      method,
      path: method === 'POST' ? '/v1/references' : '/v1/references?limit=10',
      headers,
      body: method === 'POST' ? requestBody : null,
    });
    const response = (await body.json()) as { id: string };
    if (statusCode !== 200) failed++;
    else if (method === 'POST') made.push(response.id);
  };
  const askOnNewConnection = async (): Promise<void> => {
    const dueMs = performance.now();
    const connection = new Client(url, { ...from, headersTimeout: patienceMs });
    await ask('GET', connection);
    connectingMs.push(performance.now() - dueMs);
    await connection.close();
  };
  await Promise.all(Array.from({ length: openConnections }, () => ask('GET')));
  const over = new AbortController();
  void ended.finally(() => over.abort());
  const asked: Promise<unknown>[] = [];
  for (let dueMs = performance.now(), number = 0; !over.signal.aborted; dueMs += everyMs, number++) {
    await delay(Math.max(0, dueMs - performance.now()));
    const method = number % 2 === 0 ? 'POST' : 'GET';
    const asking = ask(method).then(() => tookMs[method].push(performance.now() - dueMs));
    asked.push(asking.catch(() => failed++));
    if (number % (1000 / everyMs) === 0) asked.push(askOnNewConnection().catch(() => failed++));
  }
  await Promise.all(asked);
  await client.close();
  await ended;
  return {
    post: latenciesOf(tookMs.POST),
    get: latenciesOf(tookMs.GET),
    newConnection: latenciesOf(connectingMs),
    failed,
    made,
  };
}

function latenciesOf(tookMs: number[]): Latencies {
  return { count: tookMs.length, p50Ms: percentile(tookMs, 0.5), p99Ms: percentile(tookMs, 0.99) };
}

const scrapeEveryMs = 250;

/** Watches the memory budgets of a process. Returns a function that stops this and returns the maximum of each in MB. */
function watchHeld(url: string): () => Record<string, number> {
  const most: Record<string, number> = {};
  const look = async (): Promise<void> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const [, kind = '', bytes] of text.matchAll(/^tenure_held_bytes\{kind="(\w+)"\} (\S+)$/gm))
      most[kind] = Math.max(most[kind] ?? 0, Math.round(Number(bytes) / 1024 / 1024));
  };
  const timer = setInterval(() => void look().catch(() => {}), scrapeEveryMs);
  return () => {
    clearInterval(timer);
    return most;
  };
}

// Ctrl-C comes twice, from the terminal and from npm. The second one must not end the cleanup at the exit.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
await main();

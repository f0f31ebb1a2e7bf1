import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { Deployment } from '../server/test/faults/crash-checker/deployment.ts';
import { projectDir } from './deployment.ts';
import { sharedClockMs } from './queue.ts';
import { percentile } from './suite.ts';

const help = `npm run listen-faults -- [options]

Forwards 50 events a second with \`tenure listen\`. A minute without faults comes first, and then rounds of faults. In each round, the command
is suspended and the server is killed meanwhile. Then the server is killed while the command runs. In every second round, the command is
killed and started again, too. Ends with 1 if an event is lost, comes out of order, or comes twice without a kill of the command.

  --rounds N         rounds of faults (10)
  --stop-seconds N   how long the command is suspended in each round (60)
  --quiet-seconds N  how long the load runs before the first fault (60)
`;

const eventsPerSecond = 50;
const writers = 8;

/** Changes of each customer: it is made, and then updated. */
const changesEach = 5;

/** A request is sent again while the server starts, which takes seconds. */
const retryPauseMs = 100;
const attemptsMax = 600;

/** Seconds between two faults: less than the command needs for some of its reconnections, and more than for others. */
const pauseSeconds = [1, 5] as const;

/** Seconds after the last request in which the last event must come. */
const lastEventSeconds = 60;

/** The position of a change in the history of its customer, such as `cus_… 3`. */
type ChangeName = string;

/** What happens once: the time of each change's response, and of each kill of the command. */
interface Story {
  answeredAtMs: Map<ChangeName, number>;
  commandKilledAtMs: number[];
  quietUntilMs: number;
}

interface Receipt {
  eventId: string;
  customer: string;
  number: number;
  atMs: number;
}

interface Options {
  rounds: number;
  stopSeconds: number;
  quietSeconds: number;
}

async function main(): Promise<void> {
  const options = readOptions();
  const deployment = await Deployment.create();
  const receiver = await Receiver.start();
  const command = new Command(deployment, receiver.url);
  try {
    await deployment.start();
    await command.start();
    const load = new Load(deployment);
    const story = await runFaults(options, { deployment, command, load });
    const made = await load.eventIds();
    await receiver.untilReceived(made.size);
    await command.stop();
    process.exitCode = tell(judge(made, receiver.receipts, story)) ? 0 : 1;
  } finally {
    await command.remove();
    receiver.stop();
    await deployment.remove();
  }
}

async function runFaults(
  { rounds, stopSeconds, quietSeconds }: Options,
  { deployment, command, load }: { deployment: Deployment; command: Command; load: Load },
): Promise<Story> {
  const commandKilledAtMs: number[] = [];
  load.start();
  await delay(quietSeconds * 1000);
  const quietUntilMs = sharedClockMs();
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`Round ${round} of ${rounds} …\n`);
    command.signal('SIGSTOP');
    await delay((stopSeconds * 1000) / 2);
    await deployment.kill();
    await deployment.start();
    await delay((stopSeconds * 1000) / 2);
    command.signal('SIGCONT');
    await pause();
    await deployment.kill();
    await deployment.start();
    await pause();
    if (round % 2 === 1) continue;
    commandKilledAtMs.push(await command.kill());
    await pause();
    await command.start();
    await pause();
  }
  return { answeredAtMs: await load.stop(), commandKilledAtMs, quietUntilMs };
}

function pause(): Promise<void> {
  const [min, max] = pauseSeconds;
  return delay((min + Math.random() * (max - min)) * 1000);
}

/** Changes customers at the intended rate. After a kill of the server, it catches up. */
class Load {
  readonly #client: Pool;
  readonly #secretKey: string;
  readonly #answeredAtMs = new Map<ChangeName, number>();
  #writing: Promise<unknown> = Promise.resolve();
  #hasStopped = false;

  constructor({ url, secretKey }: Deployment) {
    this.#client = new Pool(url, { connections: writers, pipelining: 1 });
    this.#secretKey = secretKey;
  }

  start(): void {
    let dueAtMs = sharedClockMs();
    const untilDue = async (): Promise<void> => {
      dueAtMs += 1000 / eventsPerSecond;
      await delay(Math.max(0, dueAtMs - sharedClockMs()));
    };
    this.#writing = Promise.all(
      Array.from({ length: writers }, async () => {
        while (!this.#hasStopped) await this.#writeCustomer(untilDue);
      }),
    );
  }

  /** Returns the time of each change's response. */
  async stop(): Promise<Map<ChangeName, number>> {
    this.#hasStopped = true;
    await this.#writing;
    return this.#answeredAtMs;
  }

  /** Returns the ids of all events, from the API. */
  async eventIds(): Promise<Set<string>> {
    const ids = new Set<string>();
    for (let next = ''; ;) {
      const page = await this.#send<{ data: { id: string }[]; has_more: boolean }>(
        'GET',
        `/v1/events?type=customer.*&limit=50${next}`,
      );
      for (const { id } of page.data) ids.add(id);
      if (!page.has_more) return ids;
      next = `&starting_after=${page.data.at(-1)!.id}`;
    }
  }

  async #writeCustomer(untilDue: () => Promise<void>): Promise<void> {
    let path = '/v1/customers';
    for (let number = 0; number < changesEach; number++) {
      await untilDue();
      const change = { name: 'Ada', metadata: { number: String(number) } };
      const { id } = await this.#send<{ id: string }>('POST', path, change);
      this.#answeredAtMs.set(nameOf(id, number), sharedClockMs());
      path = `/v1/customers/${id}`;
    }
  }

  /** Sends a request until the server executes it. The key of a POST stays the same. */
  async #send<Answer>(method: 'GET' | 'POST', path: string, change?: object): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${this.#secretKey}`,
      ...(change && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    };
    for (let attempt = 1; ; attempt++) {
      const response = await this.#client
        .request({ method, path, headers, body: change ? JSON.stringify(change) : null })
        .then(async ({ statusCode, body }) => ({ statusCode, text: await body.text() }))
        .catch(() => null);
      if (response?.statusCode === 200) return JSON.parse(response.text) as Answer;
      if (attempt === attemptsMax) throw new Error(`${method} ${path} has failed: ${response?.text ?? 'no response'}`);
      await delay(retryPauseMs);
    }
  }
}

function nameOf(customer: string, number: number): ChangeName {
  return `${customer} ${number}`;
}

/** The receiver on the developer's machine. It accepts everything. */
class Receiver {
  readonly receipts: Receipt[] = [];
  readonly url: string;
  readonly #server: Server;
  readonly #eventIds = new Set<string>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    server.on('request', (request, response) => {
      void this.#take(request, sharedClockMs()).then(() => response.end());
    });
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return new Receiver(server);
  }

  async #take(request: IncomingMessage, atMs: number): Promise<void> {
    const event = (await json(request)) as {
      id: string;
      data: { object: { id: string; metadata: { number: string } } };
    };
    const { id: customer, metadata } = event.data.object;
    this.receipts.push({ eventId: event.id, customer, number: Number(metadata.number), atMs });
    this.#eventIds.add(event.id);
  }

  /** Waits for so many different events, and not for ever. */
  async untilReceived(count: number): Promise<void> {
    const untilMs = sharedClockMs() + lastEventSeconds * 1000;
    while (this.#eventIds.size < count && sharedClockMs() < untilMs) await delay(50);
    // A repeated event would come now.
    await delay(1_000);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** `tenure listen`, as a developer starts it. It continues where it was. */
class Command {
  readonly #home = mkdtempSync(join(tmpdir(), 'tenure-listen-'));
  readonly #deployment: Deployment;
  readonly #receiverUrl: string;
  #child: ChildProcess | null = null;

  constructor(deployment: Deployment, receiverUrl: string) {
    this.#deployment = deployment;
    this.#receiverUrl = receiverUrl;
    process.on('exit', () => this.#child?.kill('SIGKILL'));
  }

  async start(): Promise<void> {
    const { url, secretKey } = this.#deployment;
    const path = join(projectDir, 'cli/bin/tenure.js');
    const child = spawn(process.execPath, [path, 'listen', '--resume', '--forward-to', this.#receiverUrl], {
      env: { PATH: process.env.PATH, HOME: this.#home, TENURE_BASE_URL: url, TENURE_API_KEY: secretKey },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
        if (said.includes('Ready.')) resolve();
      });
      child.once('exit', () => reject(new Error(`\`tenure listen\` has ended:\n${said}`)));
    });
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child!.kill(name);
  }

  /** Returns when it had ended, in milliseconds. */
  async kill(): Promise<number> {
    await this.#end('SIGKILL');
    return sharedClockMs();
  }

  async stop(): Promise<void> {
    const code = await this.#end('SIGINT');
    if (code !== 130) throw new Error(`\`tenure listen\` has ended with ${code}.`);
  }

  async remove(): Promise<void> {
    await this.#end('SIGKILL');
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #end(signal: 'SIGKILL' | 'SIGINT'): Promise<number | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
    child.kill(signal);
    return ended;
  }
}

interface Verdict {
  events: number;
  lost: number;
  /** Events that came, but that the API does not list. */
  unknown: number;
  /** Customers with an event that came before an earlier one. */
  outOfOrder: number;
  /** Events that came again after each kill of the command. */
  repeatsOfKills: number[];
  /** Other events that came again. */
  unexplainedRepeats: number;
  quietLatenciesMs: number[];
}

function judge(made: ReadonlySet<string>, receipts: readonly Receipt[], story: Story): Verdict {
  const firsts = new Map<string, Receipt>();
  const nextNumbers = new Map<string, number>();
  const outOfOrder = new Set<string>();
  const repeatsOfKills = story.commandKilledAtMs.map(() => 0);
  let unexplainedRepeats = 0;
  for (const receipt of receipts) {
    const { eventId, customer, number, atMs } = receipt;
    const first = firsts.get(eventId);
    if (first) {
      const kill = story.commandKilledAtMs.findLastIndex((killedAtMs) => killedAtMs < atMs);
      const isExplained = kill >= 0 && first.atMs < story.commandKilledAtMs[kill]!;
      if (isExplained) repeatsOfKills[kill]!++;
      else unexplainedRepeats++;
      continue;
    }
    firsts.set(eventId, receipt);
    if (number !== (nextNumbers.get(customer) ?? 0)) outOfOrder.add(customer);
    nextNumbers.set(customer, number + 1);
  }
  const quietLatenciesMs = [...firsts.values()].flatMap(({ customer, number, atMs }) => {
    const answeredAtMs = story.answeredAtMs.get(nameOf(customer, number));
    return answeredAtMs !== undefined && answeredAtMs < story.quietUntilMs ? [Math.max(0, atMs - answeredAtMs)] : [];
  });
  return {
    events: made.size,
    lost: [...made].filter((id) => !firsts.has(id)).length,
    unknown: [...firsts.keys()].filter((id) => !made.has(id)).length,
    outOfOrder: outOfOrder.size,
    repeatsOfKills,
    unexplainedRepeats,
    quietLatenciesMs,
  };
}

/** Prints the verdict, and returns whether the command has kept its promises. */
function tell(verdict: Verdict): boolean {
  const { events, lost, unknown, outOfOrder, repeatsOfKills, unexplainedRepeats, quietLatenciesMs } = verdict;
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(quietLatenciesMs, share).toFixed(1));
  process.stdout.write(
    `${events} events, ${lost} lost, ${unknown} that the API does not list\n` +
      `${outOfOrder} records with events out of order\n` +
      `events that came again after each kill of the command: ${repeatsOfKills.join(', ') || 'none'}; without one: ${unexplainedRepeats}\n` +
      `response to receipt without faults: p50 ${p50} ms, p99 ${p99} ms, of ${quietLatenciesMs.length} events\n`,
  );
  return lost === 0 && unknown === 0 && outOfOrder === 0 && unexplainedRepeats === 0;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '10' },
      'stop-seconds': { type: 'string', default: '60' },
      'quiet-seconds': { type: 'string', default: '60' },
      help: { type: 'boolean' },
    },
  });
  const [rounds, stopSeconds, quietSeconds] = [values.rounds, values['stop-seconds'], values['quiet-seconds']].map(
    Number,
  ) as [number, number, number];
  if (values.help || !(rounds >= 1) || !(stopSeconds > 0) || !(quietSeconds >= 1)) {
    process.stdout.write(help);
    process.exit(values.help ? 0 : 2);
  }
  return { rounds, stopSeconds, quietSeconds };
}

// Ctrl-C comes twice, from the terminal and from npm. The second one must not end the cleanup at the exit.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
await main();
process.exit();

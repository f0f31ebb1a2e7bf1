import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startCommand, type Child } from '../child.ts';
import { startEventsLoad, type EventsLoad } from '../load/events.ts';
import { clockMs } from '../load/schedule.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { adapters, type Adapter, type AdapterName } from './adapters.ts';

/** A product that makes and delivers events, and how to start and reach it. */
export interface ProductSettings {
  name: string;
  adapter: AdapterName;
  url: string;
  credentials: Record<string, string>;
  /** The processes to start. */
  processes: ProcessSettings[];
  /** The ids of processes that run anyway and belong to the product, such as its database. */
  pids: number[];
  /** The host name by which the product reaches the receiver of this machine. */
  receiverHost: string;
}

export interface ProcessSettings {
  /** A program and its arguments. There is no shell. */
  command: string[];
  /** Its environment. PATH and HOME are those of the bench. */
  env: Record<string, string>;
  /** The working directory; null for that of the bench. */
  folder: string | null;
  /** Only this process delivers. It is killed and started again in one of the measurements. */
  isWorker: boolean;
}

/** A product that runs, with one endpoint, a load that makes events and a receiver that gets them. */
export interface Product {
  name: string;
  load: EventsLoad;
  receiver: Receiver;
  idPattern: string;
  /**
   * Returns the ids of its processes. Their descendants belong to it, too.
   *
   * @throws if it has none.
   */
  pids: () => number[];
  /**
   * Kills the worker with `kill -9`, and starts it again at once. Returns the time of the kill, by the clock that all processes share. Null
   * if no process is the worker.
   */
  restartWorker: (() => Promise<number>) | null;
  stop(): Promise<void>;
}

/** Milliseconds. Products in one binary may migrate their database at the first start. */
const readyTimeoutMs = 60_000;

export async function startProduct(settings: ProductSettings, logDir: string): Promise<Product> {
  const adapter = adapters[settings.adapter];
  const started: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of started.splice(0).reverse()) await end();
  };
  try {
    const worker = settings.processes.findIndex(({ isWorker }) => isWorker);
    const children = settings.processes.map((process, index) =>
      start(process, `${settings.adapter}-${index + 1}`, logDir),
    );
    started.push(async () => void (await Promise.all(children.map((child) => child.stop()))));
    await untilReady(settings.url + adapter.readyPath, children);
    const receiver = await startReceiver(logDir);
    started.push(() => receiver.stop());
    const request = await subscribe(settings, adapter, receiver);
    const load = await startEventsLoad(settings.url, request, logDir);
    started.push(() => load.stop());
    return {
      name: settings.name,
      load,
      receiver,
      idPattern: adapter.idPattern,
      pids() {
        const pids = [...children.map((child) => child.process.pid!), ...settings.pids];
        if (pids.length === 0) throw new Error('no process is named');
        return pids;
      },
      restartWorker:
        worker < 0
          ? null
          : async () => {
              const killedAtMs = clockMs();
              await children[worker]!.kill();
              children[worker] = start(settings.processes[worker]!, `${settings.adapter}-again`, logDir);
              return killedAtMs;
            },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function start({ command, env, folder }: ProcessSettings, name: string, logDir: string): Child {
  return startCommand(command, { name, logDir, env, ...(folder !== null && { folder }) });
}

/** Waits until the address responds with success. */
async function untilReady(url: string, children: Child[]): Promise<void> {
  const giveUpAtMs = performance.now() + readyTimeoutMs;
  let seen = 'nothing';
  while (performance.now() < giveUpAtMs) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
      await response.arrayBuffer();
      if (response.ok) return;
      seen = `status ${response.status}`;
    } catch (error) {
      seen = String((error as Error).cause ?? error);
    }
    const ended = children.find((child) => child.process.exitCode !== null || child.process.pid === undefined);
    if (ended) throw new Error(`a process ended at its start: ${ended.output()}`);
    await delay(50);
  }
  throw new Error(`${url} was not ready in time: ${seen}`);
}

async function subscribe(
  { url, credentials, receiverHost }: ProductSettings,
  adapter: Adapter,
  receiver: Receiver,
): ReturnType<Adapter['subscribe']> {
  const receiverUrl = new URL('/hooks/1', receiver.origin);
  receiverUrl.hostname = receiverHost;
  const runName = `bench-${randomBytes(6).toString('hex')}`;
  return adapter.subscribe(
    {
      credentials,
      runName,
      async call(method, path, headers, body) {
        const sent: RequestInit = { method, headers, body: JSON.stringify(body) };
        const response = await fetch(url + path, sent);
        const text = await response.text();
        if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text.slice(0, 300)}`);
        return JSON.parse(text) as unknown;
      },
    },
    receiverUrl.href,
  );
}

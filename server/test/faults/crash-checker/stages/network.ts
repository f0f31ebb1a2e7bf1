import { setTimeout as sleep } from 'node:timers/promises';
import { openSite, type Site } from '../../site.ts';
import type { Deployment } from '../deployment.ts';
import { outageEndsLaterMs } from '../history.ts';
import type { Random } from '../random.ts';
import type { Scene, Stage, Trouble } from './stage.ts';

/** A fault of the network. A lasting one has its duration in milliseconds. */
type Fault =
  /** Connections to the database break, and new ones are refused. */
  | { kind: 'database down'; forMs: number }
  /** Nothing passes in either direction, and no connection breaks. Then everything passes. */
  | { kind: 'database silent'; forMs: number }
  /** The same, but the held bytes never arrive: the connections break. */
  | { kind: 'database silent, then broken'; forMs: number }
  /** The next connections break after their commit, so that the server does not know its outcome. */
  | { kind: 'broken after a commit'; times: number }
  /** The next connection breaks before its commit. The database learns of the commit later, or never. */
  | { kind: 'broken before a commit'; fate: 'roll_back' | 'commit'; forMs: number }
  /** Receivers cannot be reached. */
  | { kind: 'receivers down'; forMs: number };

/** A server between a database and receivers. The checker controls both networks, and no process dies. */
export class NetworkStage implements Stage {
  readonly #site: Site;

  private constructor(site: Site) {
    this.#site = site;
  }

  static async create(): Promise<NetworkStage> {
    return new NetworkStage(await openSite({ servers: [{}] }));
  }

  get servers(): readonly Deployment[] {
    return this.#site.servers;
  }

  get secretKey(): string {
    return this.#site.secretKey;
  }

  get places(): readonly string[] {
    return this.#site.places;
  }

  async start(): Promise<void> {
    await this.servers[0]!.start();
  }

  next(random: Random): Trouble {
    const fault = chooseFault(random);
    return {
      description: describe(fault),
      afterMs: random.between(100, 600),
      strike: (scene) => this.#strike(fault, scene),
    };
  }

  async close(options: { keepFiles: boolean }): Promise<void> {
    await this.#site.close(options);
  }

  async #strike(fault: Fault, { history, webhooks, recovery }: Scene): Promise<number> {
    if (fault.kind === 'receivers down') {
      await webhooks.cutOff(fault.forMs);
      return 0;
    }
    const fromMs = performance.now();
    await this.#disturbDatabase(fault);
    recovery.begin();
    const recoveredMs = await recovery.wait(() => this.servers[0]!.lastLines());
    history.outages.push({ fromMs, toMs: recovery.firstGoodMs + outageEndsLaterMs });
    return recoveredMs;
  }

  async #disturbDatabase(fault: Exclude<Fault, { kind: 'receivers down' }>): Promise<void> {
    const { network } = this.#site;
    switch (fault.kind) {
      case 'database down':
        network.close();
        await sleep(fault.forMs);
        return network.open();
      case 'database silent':
      case 'database silent, then broken':
        network.silence();
        await sleep(fault.forMs);
        if (fault.kind === 'database silent, then broken') network.close();
        return network.open();
      case 'broken after a commit':
        for (let time = 1; time <= fault.times; time++) {
          await new Promise<void>((resolve) => network.cutAfterNextCommit(async () => resolve()));
        }
        return;
      case 'broken before a commit':
        network.cutBeforeNextCommit(fault.fate, fault.forMs);
        await sleep(fault.forMs + 100);
    }
  }
}

function chooseFault(random: Random): Fault {
  const kind = random.weighted<Fault['kind']>({
    'database down': 3,
    'database silent': 2,
    'database silent, then broken': 3,
    'broken after a commit': 4,
    'broken before a commit': 4,
    'receivers down': 4,
  });
  const forMs = random.between(200, 2_500);
  switch (kind) {
    case 'broken after a commit':
      return { kind, times: random.between(1, 5) };
    case 'broken before a commit':
      return { kind, fate: random.pick(['roll_back', 'commit'] as const)!, forMs };
    default:
      return { kind, forMs };
  }
}

function describe(fault: Fault): string {
  const fate = 'fate' in fault ? ` (${fault.fate.replace('_', ' ')})` : '';
  return `network: ${fault.kind}${fate}${'times' in fault ? `, ${fault.times} times` : `, ${fault.forMs} ms`}`;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { openSite, type Site } from '../../site.ts';
import type { Deployment } from '../deployment.ts';
import type { Random } from '../random.ts';
import { serverUnderTest, shortLease, type Scene, type Stage, type Trouble } from './stage.ts';

/** Several processes on one database, each of which serves and delivers. Faults kill one or some of them. */
export class ManyServersStage implements Stage {
  readonly servers: readonly Deployment[];
  readonly #site: Site;

  private constructor(site: Site, apis: number) {
    this.#site = site;
    this.servers = site.servers.slice(0, apis);
  }

  /**
   * @param apis the roles of the processes that serve requests.
   * @param workers the roles of the other processes.
   */
  static async create(apis: readonly ('all' | 'api')[], workers: readonly 'worker'[] = []): Promise<ManyServersStage> {
    const site = await openSite({
      servers: [...apis, ...workers].map((role) => ({ TENURE_ROLE: role })),
      settings: { TEST_DISPATCHER_LIMITS: JSON.stringify(shortLease) },
      program: serverUnderTest,
    });
    return new ManyServersStage(site, apis.length);
  }

  get secretKey(): string {
    return this.#site.secretKey;
  }

  get places(): readonly string[] {
    return this.#site.places;
  }

  async start(): Promise<void> {
    for (const server of this.#site.servers) await server.start();
  }

  next(random: Random): Trouble {
    const all = this.#site.servers;
    const shares = all.map(() => random.chance(0.5));
    const isNobody = shares.every((isHit) => !isHit);
    const chosen = random.pick(all)!;
    const victims = all.filter((server, index) => (isNobody ? server === chosen : shares[index]));
    const secondKillAfterMs = random.chance(0.2) ? random.between(50, 800) : null;
    const names = victims.map((victim) => all.indexOf(victim) + 1).join(' and ');
    const again = secondKillAfterMs === null ? '' : `, again ${secondKillAfterMs} ms into the start`;
    return {
      description: `server ${names} of ${all.length}${again}`,
      afterMs: random.between(150, 900),
      strike: ({ history }) => this.#strike(victims, secondKillAfterMs, history),
    };
  }

  async close(options: { keepFiles: boolean }): Promise<void> {
    await this.#site.close(options);
  }

  /** Keeps the load running. The other processes serve, and the killed ones return to the load. */
  async #strike(
    victims: readonly Deployment[],
    secondKillAfterMs: number | null,
    history: Scene['history'],
  ): Promise<number> {
    const kill = async (): Promise<void> => {
      const fromMs = performance.now();
      await Promise.all(victims.map((victim) => victim.kill()));
      history.kills.push({ fromMs, toMs: performance.now() });
    };
    await kill();
    if (secondKillAfterMs !== null) {
      for (const victim of victims) victim.spawn();
      await sleep(secondKillAfterMs);
      await kill();
    }
    const starts = await Promise.all(victims.map((victim) => victim.start()));
    return this.servers.every((server) => victims.includes(server)) ? Math.max(...starts) : 0;
  }
}

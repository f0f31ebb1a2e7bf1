import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../crash-checker/deployment.ts';
import type { Random } from '../crash-checker/random.ts';

/** Longer than a request takes, so that a kill meets any part of it, in milliseconds. */
const aimMsMax = 8;

/** About the time of a start, in milliseconds. */
const startMs = 700;

/** Kills servers, and starts them again while the load continues. */
export class Killer {
  kills = 0;
  readonly #servers: readonly Deployment[];
  #restarts: Promise<unknown> = Promise.resolve();
  #isRestarting = false;

  constructor(servers: readonly Deployment[]) {
    this.#servers = servers;
  }

  /** Kills one of the servers, sometimes all, unless some are still starting. Returns at once. */
  strike(random: Random): void {
    if (this.#isRestarting) return;
    this.#isRestarting = true;
    const victims = random.chance(0.2) ? this.#servers : [random.pick(this.#servers)!];
    const restarts = victims.map((victim) =>
      this.#killAndStart(victim, random.fork(`kill ${this.kills} of ${this.#servers.indexOf(victim)}`)),
    );
    this.#restarts = Promise.all(restarts).finally(() => {
      this.#isRestarting = false;
    });
    // `untilAllRun` throws it.
    this.#restarts.catch(() => {});
  }

  /** @throws if a server did not start again. */
  async untilAllRun(): Promise<void> {
    await this.#restarts;
  }

  async #killAndStart(server: Deployment, random: Random): Promise<void> {
    await this.#kill(server, random.between(0, aimMsMax));
    if (random.chance(0.2)) {
      server.spawn();
      await this.#kill(server, random.between(0, startMs));
    }
    await server.start();
  }

  async #kill(server: Deployment, afterMs: number): Promise<void> {
    await sleep(afterMs);
    await server.kill();
    this.kills++;
  }
}

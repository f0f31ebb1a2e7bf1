import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { failpointNames, type Arming, type Failpoint } from '../../failpoints.ts';
import { Deployment } from '../deployment.ts';
import type { Random } from '../random.ts';
import { serverUnderTest, shortLease, type Scene, type Stage, type Trouble } from './stage.ts';

/** Under load every failpoint is passed many times a second. */
const reachTimeoutMs = 20_000;

/** Kills the server by kill -9 at a failpoint of its work. */
export class FailpointStage implements Stage {
  readonly servers: readonly Deployment[];
  readonly #deployment: Deployment;
  readonly #file: string;
  /** The failpoints still to come, in random order. When none is left, all come again. */
  #pointsLeft: Failpoint[] = [];

  private constructor(deployment: Deployment, file: string) {
    this.servers = [deployment];
    this.#deployment = deployment;
    this.#file = file;
  }

  static async create(): Promise<FailpointStage> {
    const file = join(tmpdir(), `tenure-failpoint-${process.pid}-${Math.round(performance.now())}`);
    const settings = { TEST_FAILPOINT_FILE: file, TEST_DISPATCHER_LIMITS: JSON.stringify(shortLease) };
    return new FailpointStage(await Deployment.create({ settings, program: serverUnderTest }), file);
  }

  get secretKey(): string {
    return this.#deployment.secretKey;
  }

  get places(): readonly string[] {
    return [this.#deployment.dataDir, this.#deployment.logFile];
  }

  async start(): Promise<void> {
    await this.#deployment.start();
  }

  next(random: Random): Trouble {
    if (this.#pointsLeft.length === 0) this.#pointsLeft = random.shuffled(failpointNames);
    const arming: Arming = { point: this.#pointsLeft.pop()!, passes: random.between(0, 30) };
    return {
      description: `server ${arming.point}, pass ${arming.passes + 1}`,
      afterMs: random.between(150, 500),
      strike: (scene) => this.#strike(arming, scene),
    };
  }

  async close(options: { keepFiles: boolean }): Promise<void> {
    await this.#deployment.remove(options);
    rmSync(this.#file, { force: true });
  }

  async #strike(arming: Arming, { history, endLoad }: Scene): Promise<number> {
    writeFileSync(this.#file, JSON.stringify(arming));
    const armedAtMs = performance.now();
    this.#deployment.signal('SIGUSR2');
    while (this.#deployment.isRunning) {
      if (performance.now() - armedAtMs > reachTimeoutMs) throw new Error(`"${arming.point}" was not reached in time.`);
      await sleep(2);
    }
    const diedByMs = performance.now();
    if (this.#deployment.endedBy !== 'SIGKILL') {
      throw new Error(
        `The server ended before "${arming.point}", and this run did not kill it:\n${this.#deployment.lastLines()}`,
      );
    }
    // The exact moment of its death is unknown.
    history.kills.push({ fromMs: diedByMs - 50, toMs: diedByMs });
    await endLoad();
    return this.#deployment.start();
  }
}

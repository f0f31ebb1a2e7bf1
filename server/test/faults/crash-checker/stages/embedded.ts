import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Deployment } from '../deployment.ts';
import { outageEndsLaterMs } from '../history.ts';
import { childrenOf, kill, titleOf } from '../processes.ts';
import type { Random } from '../random.ts';
import type { Scene, Stage, Trouble } from './stage.ts';

/** The relative weight of each target of a kill. */
export type KillWeights = Record<Fault['target'], number>;

/** The server with its own database, as `npm start` runs it. A fault kills one of the two, or both. */
export class EmbeddedStage implements Stage {
  readonly servers: readonly Deployment[];
  readonly #deployment: Deployment;
  readonly #weights: KillWeights;
  #databaseKillsSurvived = 0;

  private constructor(deployment: Deployment, weights: KillWeights) {
    this.servers = [deployment];
    this.#deployment = deployment;
    this.#weights = weights;
  }

  /** @param deployment to use in place of the plain server. */
  static async create(weights: KillWeights, deployment?: Deployment): Promise<EmbeddedStage> {
    return new EmbeddedStage(deployment ?? (await Deployment.create()), weights);
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
    const fault = chooseFault(random, this.#weights, this.#databaseKillsSurvived);
    return {
      description: describeFault(fault),
      afterMs: fault.afterMs,
      strike: (scene) => this.#strike(fault, scene),
    };
  }

  async close(options: { keepFiles: boolean }): Promise<void> {
    await this.#deployment.remove(options);
  }

  async #strike(fault: Fault, scene: Scene): Promise<number> {
    const { history, recovery } = scene;
    const killedAtMs = performance.now();
    await inflict(fault, this.#deployment);
    recovery.begin();
    if (fault.target === 'database') return this.#outlive(fault, scene, killedAtMs);
    history.kills.push({ fromMs: killedAtMs, toMs: performance.now() });
    // Both kills are judged as a dead server. With a dead database it may still have responded 503.
    if (fault.target === 'both') history.outages.push({ fromMs: killedAtMs, toMs: performance.now() });
    await scene.endLoad();
    this.#databaseKillsSurvived = 0;
    if (fault.secondKillAfterMs !== null) {
      this.#deployment.spawn();
      await sleep(fault.secondKillAfterMs);
      const killedAgainAtMs = performance.now();
      await this.#deployment.kill();
      history.kills.push({ fromMs: killedAgainAtMs, toMs: performance.now() });
    }
    return this.#deployment.start();
  }

  /** Waits until the server has its database back. Then the fault may end the server too. */
  async #outlive(fault: Fault, { history, recovery, endLoad }: Scene, killedAtMs: number): Promise<number> {
    const recoveredMs = await recovery.wait(() => this.#deployment.lastLines());
    await endLoad();
    history.outages.push({ fromMs: killedAtMs, toMs: recovery.firstGoodMs + outageEndsLaterMs });
    if (fault.survivor === 'kept') {
      this.#databaseKillsSurvived++;
    } else {
      this.#databaseKillsSurvived = 0;
      await this.#endSurvivor(fault.survivor);
      // Work that could not be written during the outage can be lost with the server.
      if (fault.survivor === 'killed') history.kills.push({ fromMs: killedAtMs, toMs: performance.now() });
      await this.#deployment.start();
    }
    return recoveredMs;
  }

  async #endSurvivor(how: 'killed' | 'stopped'): Promise<void> {
    if (how === 'killed') return this.#deployment.kill();
    const code = await this.#deployment.stop();
    if (code !== 0) {
      throw new Error(`The server exited with ${code} after a request to stop:\n${this.#deployment.lastLines()}`);
    }
  }
}

/** The fault of one round. All kills are `kill -9`. */
interface Fault {
  target: 'server' | 'database' | 'both';
  database: DatabaseVictims;
  /** Milliseconds into the load. */
  afterMs: number;
  /** Milliseconds between the two kills of `both`. Below zero, the database dies first. */
  databaseLaterMs: number;
  /** Also kills the server that starts after the crash, this many milliseconds after its start. */
  secondKillAfterMs: number | null;
  /** The end of a server that survived its database, at the end of the round. */
  survivor: 'kept' | 'killed' | 'stopped';
}

type DatabaseVictims =
  | 'postmaster'
  | 'postmaster and children'
  /** One of the processes that serve a connection, several times. PostgreSQL then restarts all of them. */
  | 'backends'
  /** One process in the middle of a commit, and at once the postmaster. Others can wait for the dead one's lock for ever. */
  | 'postmaster and backend';

/** A server gives up, as it should, if it must start its database more often than this within a minute. */
const databaseKillsMax = 3;

/** Each kill may leave a commit durable and its response lost. That is the rarest and most dangerous case. */
const backendKills = 5;

/** By then, PostgreSQL has replaced its processes and commits again. */
const betweenBackendKillsMs = 250;

/** After this, no longer waits for a commit, because the database may be down for longer than expected. */
const aimMs = 2_000;

function chooseFault(random: Random, weights: KillWeights, databaseKillsSurvived: number): Fault {
  const target = random.weighted(weights);
  const survivor = random.weighted({ kept: 4, killed: 2, stopped: 1 });
  return {
    target,
    database: chooseVictims(random, target),
    afterMs: random.between(200, 1_500),
    databaseLaterMs: random.between(-30, 30),
    secondKillAfterMs: target !== 'database' && random.chance(0.25) ? random.between(100, 900) : null,
    survivor: survivor === 'kept' && databaseKillsSurvived + 1 >= databaseKillsMax ? 'killed' : survivor,
  };
}

function chooseVictims(random: Random, target: Fault['target']): DatabaseVictims {
  const backends = target === 'database' ? 2 : 0;
  return random.weighted({ postmaster: 2, 'postmaster and children': 2, 'postmaster and backend': 1, backends });
}

/** Kills the targets of the fault. */
async function inflict(fault: Fault, deployment: Deployment): Promise<void> {
  if (fault.target === 'server') return deployment.kill();
  const postmaster = deployment.databasePid();
  if (postmaster === null) throw new Error(`There is no database to kill:\n${deployment.lastLines()}`);
  if (fault.database === 'backends') {
    for (let kills = 0; kills < backendKills; kills++) {
      killAll([await findCommitting(postmaster)]);
      await sleep(betweenBackendKillsMs);
    }
    return;
  }
  const victims = await aim(postmaster, fault.database);
  if (fault.target === 'both' && fault.databaseLaterMs > 0) {
    await deployment.kill();
    await sleep(fault.databaseLaterMs);
  }
  killAll(victims);
  if (fault.target === 'both' && fault.databaseLaterMs <= 0) {
    await sleep(-fault.databaseLaterMs);
    await deployment.kill();
  }
}

/** Describes the fault in one line. */
function describeFault(fault: Fault): string {
  const database = fault.database === 'backends' ? `${backendKills} backends, one by one` : fault.database;
  const parts = { server: 'server', database: `database (${database})`, both: `server and database (${database})` };
  const again = fault.secondKillAfterMs === null ? '' : `, again ${fault.secondKillAfterMs} ms into its start`;
  const then = fault.target === 'database' ? `, server ${fault.survivor}` : again;
  return `${parts[fault.target]} at ${fault.afterMs} ms${then}`;
}

/** Returns the processes to kill, in this order. Lists them before the first kill, because orphans would not be found. */
async function aim(postmaster: number, victims: Exclude<DatabaseVictims, 'backends'>): Promise<number[]> {
  switch (victims) {
    case 'postmaster':
      return [postmaster];
    case 'postmaster and children':
      return [await findCommitting(postmaster), postmaster, ...childrenOf(postmaster)];
    case 'postmaster and backend':
      return [await findCommitting(postmaster), postmaster];
  }
}

/** Returns a process in the middle of a commit, by its title. Without such titles, returns the youngest. */
async function findCommitting(postmaster: number): Promise<number> {
  const giveUpAtMs = performance.now() + aimMs;
  while (performance.now() < giveUpAtMs) {
    const children = childrenOf(postmaster);
    const committing = children.find((child) => titleOf(child).includes(' COMMIT'));
    if (committing !== undefined) return committing;
    if (process.platform !== 'linux') break;
    await nextTurn();
  }
  const youngest = childrenOf(postmaster).at(-1);
  if (youngest === undefined) throw new Error('The database has no processes to kill.');
  return youngest;
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) kill(pid, 'SIGKILL');
}

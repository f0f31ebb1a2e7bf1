import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from './deployment.ts';
import { childrenOf, kill, titleOf } from './processes.ts';
import type { Random } from './random.ts';

export const killModes = ['server', 'database', 'both', 'mixed'] as const;
export type KillMode = (typeof killModes)[number];

/** What happens to the deployment in one round; all of it is killed with -9. */
export interface Fault {
  target: 'server' | 'database' | 'both';
  database: DatabaseVictims;
  /** Into the load. */
  afterMs: number;
  /** Between the two kills of `both`; below zero the database dies first. */
  databaseLaterMs: number;
  /** Kills the server that starts after the crash as well, this long after its start. */
  secondKillAfterMs: number | null;
  /** What becomes of a server that has outlived its database, at the end of the round. */
  survivor: 'kept' | 'killed' | 'stopped';
}

type DatabaseVictims =
  | 'postmaster'
  | 'postmaster and children'
  /** One of the processes that serve a connection, upon which PostgreSQL starts all of them anew; several times. */
  | 'backends'
  /** One in the middle of a commit, and at once the postmaster: others can wait for the dead one's lock for ever. */
  | 'postmaster and backend';

/** A server that has to start its database more often than this within a minute gives up, as it should. */
const databaseKillsMax = 3;

/** Each one is a chance that a commit is durable and its answer lost: the rarest case, and the most dangerous. */
const backendKills = 5;

/** PostgreSQL has replaced its processes by then, and commits again. */
const betweenBackendKillsMs = 250;

/** After this, no commit is waited for: the database may be down for longer than expected. */
const aimMs = 2_000;

export function chooseFault(random: Random, mode: KillMode, databaseKillsSurvived: number): Fault {
  const target = mode === 'mixed' ? random.weighted({ server: 4, database: 3, both: 3 }) : mode;
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

/** Kills what the fault says. */
export async function inflict(fault: Fault, deployment: Deployment): Promise<void> {
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

/** The fault in a line. */
export function describeFault(fault: Fault): string {
  const database = fault.database === 'backends' ? `${backendKills} backends, one by one` : fault.database;
  const parts = { server: 'server', database: `database (${database})`, both: `server and database (${database})` };
  const again = fault.secondKillAfterMs === null ? '' : `, again ${fault.secondKillAfterMs} ms into its start`;
  const then = fault.target === 'database' ? `, server ${fault.survivor}` : again;
  return `${parts[fault.target]} at ${fault.afterMs} ms${then}`;
}

/** Whom to kill, in this order. Noted before the first one dies: without their parent the others would not be found. */
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

/** A process in the middle of a commit, as far as the titles tell; without such titles the youngest. */
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

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { DatabaseClock } from '../../src/core/clock.ts';
import { withClient, type Connection } from '../../src/db/database.ts';
import { giveTo, prepareCluster } from '../../src/db/embedded/cluster.ts';
import { takeBackup } from '../../src/db/embedded/backup.ts';
import { preparePlace, socketPort, type Place } from '../../src/db/embedded/place.ts';
import { asUser } from '../../src/db/embedded/system-user.ts';
import { isAlive, kill, processesIn } from '../faults/crash-checker/processes.ts';

const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

const startTimeoutMs = 30_000;

/** A PostgreSQL as an operator runs it, beside others on this machine: a primary, or the standby of one. */
export class Cluster {
  readonly #place: Place;
  readonly #settings: string[];

  private constructor(place: Place, settings: string[]) {
    this.#place = place;
    this.#settings = settings;
  }

  /** An empty one, with a database for the server. Ended with the test. */
  static async primaryForTest(): Promise<Cluster> {
    const place = await placeForTest();
    await prepareCluster(place);
    const primary = new Cluster(place, []);
    await primary.start();
    await primary.ask('create database tenure', 'postgres');
    return primary;
  }

  /** A standby of this one, from a copy of it; when this returns, commits wait for it. Ended with the test. */
  async standbyForTest(): Promise<Cluster> {
    const place = await placeForTest();
    const copy = join(place.dataDir, '..', `copy-${randomBytes(4).toString('hex')}`);
    const about = { release: 'of the test', clock: new DatabaseClock() };
    const source = { dataDir: this.#place.dataDir, connection: this.connection(), hasMasterKey: false };
    await takeBackup(source, copy, about, new AbortController().signal);
    fs.renameSync(join(copy, 'postgres'), place.postgresDir);
    fs.writeFileSync(join(place.postgresDir, 'standby.signal'), '');
    if (place.user) giveTo(place.user, place.postgresDir);
    const primary = `host=${this.#place.socketDir} port=${socketPort} user=postgres application_name=standby`;
    const standby = new Cluster(place, [`primary_conninfo=${primary}`]);
    await standby.start();
    await this.ask(`alter system set synchronous_standby_names = 'standby'`);
    await this.ask('select pg_reload_conf()');
    await this.awaitStandby();
    return standby;
  }

  connection(database = 'tenure'): Connection {
    return { host: this.#place.socketDir, port: socketPort, user: 'postgres', database, ssl: false };
  }

  async start(): Promise<void> {
    const { binDir, postgresDir, socketDir, logFile, user } = this.#place;
    const settings = [
      'listen_addresses=',
      `unix_socket_directories=${socketDir}`,
      'wal_keep_size=1GB',
      // A standby that is gone is seen to be, and looked for again, within a test.
      'wal_retrieve_retry_interval=200ms',
      ...this.#settings,
    ];
    const log = fs.openSync(logFile, 'a');
    const child = spawn(
      join(binDir, 'postgres'),
      ['-D', postgresDir, ...settings.flatMap((setting) => ['-c', setting])],
      { ...asUser(user), stdio: ['ignore', log, log], detached: true },
    );
    child.unref();
    fs.closeSync(log);
    const giveUpAtMs = performance.now() + startTimeoutMs;
    while (!(await this.ask('select 1', 'postgres').catch(() => null))) {
      if (child.exitCode !== null || performance.now() > giveUpAtMs) {
        throw new Error(`PostgreSQL did not start:\n${fs.readFileSync(logFile, 'utf8')}`);
      }
      await sleep(20);
    }
  }

  /** All its processes at once, as a machine dies. */
  kill(): Promise<void> {
    return killAllIn(this.#place.postgresDir);
  }

  /** Makes a primary of a standby. */
  async promote(): Promise<void> {
    await this.ask('select pg_promote()');
  }

  /** Returns when the standby receives all that is written. */
  async awaitStandby(): Promise<void> {
    const giveUpAtMs = performance.now() + startTimeoutMs;
    const isThere = `select from pg_stat_replication where sync_state = 'sync'`;
    while ((await this.ask(isThere)).length === 0) {
      if (performance.now() > giveUpAtMs) throw new Error('The standby has not come back.');
      await sleep(20);
    }
  }

  ask(text: string, database?: string): Promise<object[]> {
    return withClient(this.connection(database), async (client) => (await client.query<object>(text)).rows);
  }
}

/** Ended and removed with the test. */
async function placeForTest(): Promise<Place> {
  const folder = fs.mkdtempSync(join(tmpdir(), 'tenure-standby-'));
  // As root, PostgreSQL runs as another user, who must be able to pass through.
  fs.chmodSync(folder, 0o755);
  const place = await preparePlace(join(folder, 'data'), projectDir);
  onTestFinished(async () => {
    if (fs.existsSync(place.postgresDir)) await killAllIn(place.postgresDir);
    fs.rmSync(folder, { recursive: true, force: true });
  });
  return place;
}

async function killAllIn(postgresDir: string): Promise<void> {
  const pids = processesIn(fs.realpathSync(postgresDir));
  for (const pid of pids) kill(pid, 'SIGKILL');
  while (pids.some(isAlive)) await sleep(5);
}

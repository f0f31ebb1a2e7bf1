import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { withClient, type Connection } from '../../src/db/pools.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { urlOf } from '../support/processes.ts';
import { createTestDatabase, serverForTest } from '../support/server.ts';
import { certificateForTest } from '../support/tls-receiver.ts';

/*
 * Starts the program on databases and addresses that it cannot use, and reads its message to the operator. Also on a database that it can
 * use only later.
 */

const unusable = 'The database of DATABASE_URL cannot be used: ';

test('names `sslrootcert` in one line when it does not trust the certificate of the database', async () => {
  const url = await urlOfTlsAnswer('S');
  expect(await messageOfStart(`${url}?sslmode=verify-full`)).toBe(
    `${unusable}self-signed certificate; if the root CA is installed locally, try running Node.js with --use-system-ca. ` +
      'Use the host name of its certificate, and name the certificate of its authority in DATABASE_URL: `sslrootcert=<file>`.\n',
  );
});

test('names the file of `sslrootcert` in one line when it does not exist', async () => {
  const url = await urlOfTlsAnswer('S');
  expect(await messageOfStart(`${url}?sslmode=verify-full&sslrootcert=/absent.pem`)).toBe(
    `${unusable}ENOENT: no such file or directory, open '/absent.pem'. ` +
      'Name a file in DATABASE_URL that Tenure can read, such as `sslrootcert=<file>`.\n',
  );
});

test('names `sslmode` in one line when the database has no TLS', async () => {
  const url = await urlOfTlsAnswer('N');
  expect(await messageOfStart(`${url}?sslmode=verify-full`)).toBe(
    `${unusable}The server does not support SSL connections. Turn on its TLS, or remove \`sslmode\` from DATABASE_URL.\n`,
  );
});

test('names the right that is missing in one line when the role may not make tables', async () => {
  const database = await createTestDatabase();
  const role = `stranger_${database.connection.database}`;
  await sql(database.connection, `create role ${role} login`);
  await sql(database.connection, 'drop schema public cascade');
  await sql(database.connection, 'create schema public');
  await sql(database.connection, 'grant usage on schema public to public');
  onTestFinished(async () => {
    await sql(database.connection, `drop role ${role}`);
    await database.drop();
  });
  expect(await messageOfStart(urlOf({ ...database.connection, user: role }))).toBe(
    `${unusable}permission denied for schema public. Let an administrator make Tenure's role the owner of the database and of its tables.\n`,
  );
});

test('names the address in one line when no PostgreSQL listens on its socket', async () => {
  expect(await messageOfStart('postgres://tenure@/tenure?host=/absent&port=5432')).toBe(
    `${unusable}connect ENOENT /absent/.s.PGSQL.5432. Check that it runs and that the address is right.\n`,
  );
});

test('says what to correct in one line when the database does not exist', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const absent = urlOf({ ...database.connection, database: 'absent' });
  expect(await messageOfStart(absent)).toBe(
    `${unusable}database "absent" does not exist. Make the database first, or correct its name in DATABASE_URL.\n`,
  );
});

test.each(['192.0.2.1', 'absent.invalid'])(
  'names HOST in one line when it is no address of the machine: %s',
  async (host) => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    expect(await messageOfStart(urlOf(database.connection), { HOST: host })).toBe(
      `HOST is "${host}", which is no address of this machine. Set it to one of its addresses, or to 0.0.0.0 for all.\n`,
    );
  },
);

test('starts when the database answers after more than five seconds, as on a busy machine', async () => {
  const database = await createTestDatabase();
  const proxy = await startDatabaseProxy(database.connection);
  onTestFinished(async () => {
    await proxy.stop();
    await database.drop();
  });
  proxy.silence();
  setTimeout(() => proxy.open(), 6_000);
  const server = await serverForTest({ connection: proxy.connection });
  expect((await server.api.get('/v1/references')).status).toBe(200);
});

test('says in one line that the database ends each connection when it starts', async () => {
  const server = createServer((socket) => void socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  expect(await messageOfStart(`postgres://tenure@127.0.0.1:${port}/tenure`)).toMatch(
    /^The database of DATABASE_URL cannot be used: .+\. Check that it runs and that the address is right\.\n$/,
  );
});

/** Starts a server that takes the first request of a client for TLS as PostgreSQL does, and goes no further. */
async function urlOfTlsAnswer(answer: 'S' | 'N'): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(answer);
      if (answer === 'S')
        new TLSSocket(socket, { isServer: true, ...certificateForTest('of localhost') }).on('error', () => {});
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `postgres://tenure@127.0.0.1:${(server.address() as AddressInfo).port}/tenure`;
}

/** Returns all that a failed start prints. */
async function messageOfStart(databaseUrl: string, settings: NodeJS.ProcessEnv = {}): Promise<string> {
  const main = join(import.meta.dirname, '../../src/main.ts');
  const own = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, TENURE_MASTER_KEY: newMasterKey(), PORT: '1' };
  const env = { ...own, ...settings };
  const child = execFile(process.execPath, [main], { env });
  let printed = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (piece: string) => (printed += piece));
  const [code] = await once(child, 'close');
  expect(code, printed).toBe(1);
  return printed;
}

async function sql(connection: Connection, text: string): Promise<void> {
  await withClient(connection, async (client) => void (await client.query(text)));
}

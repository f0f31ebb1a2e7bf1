/** Connects to the embedded PostgreSQL, over its unix socket. */
import { Client } from 'pg';
import { EmbeddedDatabaseError, errorCode } from './error.ts';
import { socketPort } from './data-folder.ts';

/** Settings for `pg`: `host` is a folder with a unix socket; there is no TCP. */
export interface SocketConnection {
  host: string;
  port: number;
  user: string;
  database: string;
}

/** A connection that may break at any time. `ended` resolves when it has. */
export interface Session {
  client: Client;
  ended: Promise<void>;
}

/** Connects. Returns `absent` if no server listens, and `busy` if one listens but cannot serve now. */
export async function connect(
  connection: SocketConnection,
  applicationName: string,
): Promise<Session | 'absent' | 'busy'> {
  const client = new Client({
    ...connection,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    // Not even if PGSSLMODE asks for it: it is a unix socket.
    ssl: false,
  });
  // The end of a broken connection shows the fault. Without a listener the event would end this process.
  client.on('error', () => {});
  const ended = new Promise<void>((done) => client.once('end', () => done()));
  try {
    await client.connect();
    return { client, ended };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ECONNREFUSED') return 'absent';
    if (code === 'EACCES' || code === 'EPERM') {
      throw new EmbeddedDatabaseError(
        `The database socket in ${connection.host} belongs to another user: run this as the user of Tenure.`,
        { cause: error },
      );
    }
    return 'busy';
  }
}

export function connectionIn(socketDir: string, database = 'tenure'): SocketConnection {
  return { host: socketDir, port: socketPort, user: 'postgres', database };
}

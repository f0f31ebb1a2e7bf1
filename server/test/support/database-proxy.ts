import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Connection } from '../../src/db/pools.ts';

/** The network between a server and its database, under the control of a test. */
export interface DatabaseProxy {
  /** The database, through the proxy. */
  connection: Connection;
  /**
   * Cuts the next connection that sends a commit, before the response can come back. The database commits, and the server cannot know.
   * @param before runs while the connection is dead and the server does not know yet.
   */
  cutAfterNextCommit(before?: () => Promise<void>): void;
  /**
   * Cuts the next connection that is about to send a commit. The database learns of it only after `afterMs`. Until then the transaction is
   * open, as when a network dies without a close.
   * @param fate what becomes of the transaction then.
   */
  cutBeforeNextCommit(fate: 'roll_back' | 'commit', afterMs: number): void;
  /** Refuses new connections and drops the existing ones, until `open` is called. */
  close(): void;
  open(): void;
  /** Passes no bytes in either direction until `open` or `close` is called, as if the network were dead. No connection breaks. */
  silence(): void;
  /** Leads to another database from now on, like a host name that moves to another machine. Drops all existing connections. */
  moveTo(database: Connection): void;
  /** How many notifications it has dropped. */
  readonly droppedNotifications: number;
  stop(): Promise<void>;
}

/** A commit as the server sends it: a simple query message (PostgreSQL protocol, 53.7). */
const commitMessage = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1');

/** The response of the database: the command is complete. */
const committedMessage = Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1');

/** @param options.dropsNotifications behaves like a pooler that gives the connection to the next client. */
export async function startDatabaseProxy(
  database: Connection,
  options: { dropsNotifications?: boolean } = {},
): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>();
  let plan: 'pass' | 'cut_after_commit' | 'cut_before_commit' = 'pass';
  let beforeCut: (() => Promise<void>) | undefined;
  let lateFate: { fate: 'roll_back' | 'commit'; afterMs: number } = { fate: 'roll_back', afterMs: 0 };
  /** Connections whose server side is gone, while the database does not know. */
  const lingering = new Set<Socket>();
  let target = database;
  let closed = false;
  let silent = false;
  let droppedNotifications = 0;

  const server = createServer((client) => {
    if (closed) return void client.destroy();
    const upstream = connectTo(target);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      if (silent) socket.pause();
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        if (!lingering.has(upstream)) upstream.destroy();
      });
    }
    client.on('data', (bytes: Buffer) => {
      const commitAt = bytes.indexOf(commitMessage);
      if (plan === 'cut_before_commit' && commitAt !== -1) {
        plan = 'pass';
        lingering.add(upstream);
        upstream.write(bytes.subarray(0, commitAt));
        client.destroy();
        setTimeout(() => {
          lingering.delete(upstream);
          if (lateFate.fate === 'commit') upstream.end(commitMessage);
          else upstream.destroy();
        }, lateFate.afterMs);
        return;
      }
      upstream.write(bytes);
    });
    const filter = options.dropsNotifications ? notificationFilter(() => droppedNotifications++) : null;
    upstream.on('data', (received: Buffer) => {
      const bytes = filter ? filter(received) : received;
      if (plan === 'cut_after_commit' && bytes.includes(committedMessage)) {
        plan = 'pass';
        void Promise.resolve(beforeCut?.()).then(() => client.destroy());
        return;
      }
      if (!client.destroyed) client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    connection: throughProxy(database, port),
    cutAfterNextCommit(before) {
      beforeCut = before;
      plan = 'cut_after_commit';
    },
    cutBeforeNextCommit(fate, afterMs) {
      lateFate = { fate, afterMs };
      plan = 'cut_before_commit';
    },
    close() {
      closed = true;
      for (const socket of sockets) socket.destroy();
    },
    open() {
      closed = false;
      silent = false;
      for (const socket of sockets) socket.resume();
    },
    silence() {
      silent = true;
      for (const socket of sockets) socket.pause();
    },
    moveTo(other) {
      target = other;
      for (const socket of sockets) socket.destroy();
    },
    get droppedNotifications() {
      return droppedNotifications;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Passes on what PostgreSQL sends, without its notifications. Each message is a letter, a length and that many bytes (protocol, 53.7). */
function notificationFilter(onDropped: () => void): (bytes: Buffer) => Buffer {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const kept: Buffer[] = [];
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const message = rest.subarray(0, 1 + rest.readUInt32BE(1));
      if (message.toString('latin1', 0, 1) === 'A') onDropped();
      else kept.push(message);
      rest = rest.subarray(message.length);
    }
    return Buffer.concat(kept);
  };
}

function connectTo(database: Connection): Socket {
  if (database.connectionString) {
    const url = new URL(database.connectionString);
    return connect(Number(url.port || 5432), url.hostname);
  }
  return connect(join(database.host!, `.s.PGSQL.${database.port}`));
}

function throughProxy(database: Connection, port: number): Connection {
  if (database.connectionString) {
    const url = new URL(database.connectionString);
    url.host = `127.0.0.1:${port}`;
    return { connectionString: url.href };
  }
  return { ...database, host: '127.0.0.1', port };
}

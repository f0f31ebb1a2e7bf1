import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Connection } from '../../src/db/pools.ts';

/** The network between a server and its database, in a test's hands. */
export interface DatabaseProxy {
  /** The database, through the proxy. */
  connection: Connection;
  /**
   * Cuts the next connection over which a commit goes out, before its answer can come back: the database commits, and the server
   * cannot know.
   *
   * @param before run while the connection is dead and the server does not know yet.
   */
  cutAfterNextCommit(before?: () => Promise<void>): void;
  /**
   * Cuts the next connection over which a commit would go out. The database learns of it only after `afterMs`: until then the
   * transaction is open, as it is when a network dies without a word.
   *
   * @param fate what becomes of the transaction then.
   */
  cutBeforeNextCommit(fate: 'roll_back' | 'commit', afterMs: number): void;
  /** Refuses new connections and drops those there are, until `open` is called. */
  close(): void;
  open(): void;
  /** Lets nothing through in either direction, as if the network were dead, until `open` or `close` is called; no connection breaks. */
  silence(): void;
  /** From now on leads to another database, as a name does that is moved to another machine; drops the connections there are. */
  moveTo(database: Connection): void;
  /** How many notifications it has kept to itself. */
  readonly droppedNotifications: number;
  stop(): Promise<void>;
}

/** A commit as the server sends it: a simple query message (PostgreSQL protocol, 53.7). */
const commitMessage = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1');

/** Its answer: the command is complete. */
const committedMessage = Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1');

/** @param options.dropsNotifications as a pooler does that hands a connection to whoever comes next. */
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
    client.on('data', (bytes) => {
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
    upstream.on('data', (received) => {
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

/** What PostgreSQL sends, without its notifications: each message is a letter, its length and so much more (protocol, 53.7). */
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

import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { ConnectionPlaces } from '../../src/http/pipeline/connection-places.ts';

const max = 128;

/** A connection, and whether the server has closed it. */
function connectionFrom(places: ConnectionPlaces, address: string): { socket: Socket; isClosed: () => boolean } {
  let isClosed = false;
  const events = new EventEmitter();
  const socket = Object.assign(events, {
    destroy: () => {
      isClosed = true;
      events.emit('close');
    },
  }) as unknown as Socket;
  places.open(socket, address, max);
  return { socket, isClosed: () => isClosed };
}

function getOf(socket: Socket): IncomingMessage {
  return { socket, method: 'GET', complete: true } as IncomingMessage;
}

/** A request of an account that gets its response. Its connection is idle then. */
function respond(places: ConnectionPlaces, socket: Socket, rootId: string): void {
  const request = getOf(socket);
  places.received(socket);
  places.begin(request, '198.51.100.1');
  places.move(request, rootId);
  places.end(request, socket);
}

/** Connections with a request of an account that does not end. */
function streamsOf(places: ConnectionPlaces, rootId: string, count: number): { isClosed: () => boolean }[] {
  return Array.from({ length: count }, () => {
    const stream = connectionFrom(places, '198.51.100.1');
    const request = getOf(stream.socket);
    places.received(stream.socket);
    places.begin(request, '198.51.100.1');
    places.move(request, rootId);
    return stream;
  });
}

test('closes idle connections of many strangers before the streams of an account', () => {
  const places = new ConnectionPlaces();
  const streams = streamsOf(places, 'acct_1', 20);
  // Each stranger has fewer connections than the account.
  const idle = Array.from({ length: 200 }, (_, index) => connectionFrom(places, `203.0.113.${index}`));
  expect(streams.filter(({ isClosed }) => isClosed())).toHaveLength(0);
  expect(idle.filter(({ isClosed }) => isClosed()).length).toBeGreaterThan(90);
});

test('closes streams of the account with the most when no connection is idle', () => {
  const places = new ConnectionPlaces();
  const [most, few] = [streamsOf(places, 'acct_1', 124), streamsOf(places, 'acct_2', 4)];
  const closed = most.filter(({ isClosed }) => isClosed());
  expect([closed.length, few.filter(({ isClosed }) => isClosed()).length]).toEqual([4, 0]);
});

test('keeps idle connections of an account behind one address when many strangers keep theirs busy', () => {
  const places = new ConnectionPlaces();
  const account = Array.from({ length: 20 }, () => {
    const connection = connectionFrom(places, '198.51.100.1');
    respond(places, connection.socket, 'acct_1');
    return connection;
  });
  const strangers = Array.from({ length: 300 }, (_, index) => {
    const address = `203.0.113.${index % 10}`;
    const connection = connectionFrom(places, address);
    places.received(connection.socket);
    places.begin(getOf(connection.socket), address);
    return connection;
  });
  const newcomer = connectionFrom(places, '198.51.100.2');
  connectionFrom(places, '203.0.113.1');
  expect([...account, newcomer].filter(({ isClosed }) => isClosed())).toHaveLength(0);
  expect(strangers.filter(({ isClosed }) => isClosed()).length).toBeGreaterThan(190);
});

test('closes idle connections of the account with the most when it uses many addresses', () => {
  const places = new ConnectionPlaces();
  const few = connectionFrom(places, '198.51.100.1');
  respond(places, few.socket, 'acct_1');
  const most = Array.from({ length: 200 }, (_, index) => {
    const connection = connectionFrom(places, `203.0.113.${index}`);
    respond(places, connection.socket, 'acct_2');
    return connection;
  });
  expect(few.isClosed()).toBe(false);
  expect(most.filter(({ isClosed }) => isClosed()).length).toBeGreaterThan(70);
});

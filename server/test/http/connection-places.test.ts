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

/** Connections with a request of an account that does not end. */
function streamsOf(places: ConnectionPlaces, rootId: string, count: number): { isClosed: () => boolean }[] {
  return Array.from({ length: count }, () => {
    const stream = connectionFrom(places, '198.51.100.1');
    const request = { socket: stream.socket, method: 'GET', complete: true } as IncomingMessage;
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

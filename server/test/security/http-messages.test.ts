import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { patientArrivals } from '../support/freshness.ts';
import { converse, statusesIn } from '../support/raw-http.ts';
import { inParallel } from '../support/routes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { keyMark, last, read, refused, smuggledApplication, unfinished } from './http-messages.ts';

/*
 * Sends messages to our server and to a bare server of the same platform. What is not HTTP ends the connection, and every HTTP request gets
 * a response. No message makes the server read part of one request as another.
 */

/** Follows each message at once. Its response shows where the server believes that the message ended. */
const next = 'GET /what-comes-next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const answerToNext = 'There is no path `/what-comes-next`';

/** Messages that our server refuses and a bare server accepts. */
const stricterThanNode = [
  'HTTP/0.9',
  'HTTP/2.0',
  'a host beyond ASCII',
  'a host with a path',
  'a host with a port that is none',
  'a host with a user',
  'a list of hosts',
  'no version',
  'two hosts',
  'two hosts that are the same',
  'two types of content',
];

/** Messages that a bare server refuses and our server accepts. */
const laxerThanNode = [
  // A server may ignore an expectation (RFC 9110, section 10.1.1).
  'an expectation that nobody knows',
  // The bare server refuses the whole input at once. Our server first answers the good request, in its order.
  'a body that is longer than it says',
  'close and a request behind it',
].sort();

const messages = [...refused, ...read, ...last, ...unfinished].map(([name, bytes]) => ({ name, bytes }));

let server: TestServer;
let bare: Server;
/** Holds what came back, by the name of the message. */
const ours = new Map<string, string>();
const theirsAlone = new Map<string, string>();

beforeAll(async () => {
  server = await startTestServer({ overrides: { arrivalLimits: patientArrivals } });
  bare = createServer((request, response) => void request.resume().on('end', () => response.end()));
  bare.listen(0, '127.0.0.1');
  await once(bare, 'listening');
  const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`;
  const waiting = new Set(unfinished.map(([name]) => name));
  await inParallel(messages, 16, async ({ name, bytes }) => {
    const sent = bytes.replaceAll(keyMark, server.secretKey);
    theirsAlone.set(name, await answersToAll(bareUrl, sent));
    if (waiting.has(name)) ours.set(name, await answersToAll(server.url, sent));
    else ours.set(name, await converse(server, sent + next));
  });
});
afterAll(async () => {
  bare.close();
  await server.stop();
});

test('sends at least 280 messages, each with a name of its own', () => {
  expect(messages.length).toBeGreaterThanOrEqual(280);
  expect(new Set(messages.map(({ name }) => name)).size).toBe(messages.length);
});

test('refuses input that is not HTTP once and reads nothing after it', () => {
  expect(answersOf(refused.map(([name]) => name))).toEqual(
    Object.fromEntries(refused.map(([name]) => [name, [expect.stringMatching(/^4(00|15|31)$/)]])),
  );
});

test('responds to each HTTP message and to the request after it', () => {
  expect(answersOf(read.map(([name]) => name))).toEqual(
    Object.fromEntries(read.map(([name, , statuses]) => [name, [...statuses.split(' '), 'the next one’s']])),
  );
});

test('responds to a message that ends its connection and executes nothing after it', () => {
  expect(answersOf(last.map(([name]) => name))).toEqual(
    Object.fromEntries(last.map(([name, , statuses]) => [name, statuses.split(' ')])),
  );
});

test('does nothing when a request is cut off', () => {
  for (const [name] of unfinished) expect(statusesIn(ours.get(name)!).join(), name).toMatch(/^(400)?$/);
});

test('makes one record for each successful response and none for a request inside another', async () => {
  const made = Array.from(ours.values()).flatMap((text) => text.match(/\r\n\r\n\{"id":"ref_/g) ?? []);
  expect(made.length).toBeGreaterThanOrEqual(20);
  expect((await server.api.get('/v1/references')).body.count).toBe(made.length);
  expect((await server.api.get(`/v1/references?application=${smuggledApplication}`)).body.count).toBe(0);
});

test('agrees with a bare server about each message, except for known differences', () => {
  const refusedByThem = messages.filter(({ name }) => wasRefused(theirsAlone.get(name)!));
  expect(refusedByThem.length).toBeGreaterThanOrEqual(150);
  const carriedOut = refusedByThem.filter(({ name }) => !wasRefused(ours.get(name)!));
  expect(carriedOut.map(({ name }) => name).sort()).toEqual(laxerThanNode);
  const refusedByUs = messages.filter(
    ({ name }) => ours.get(name)!.includes('"code":"request_invalid"') && !wasRefused(theirsAlone.get(name)!),
  );
  expect(refusedByUs.map(({ name }) => name).sort()).toEqual(stricterThanNode);
});

function wasRefused(text: string): boolean {
  return !statusesIn(text).some((status) => status.startsWith('2'));
}

/** Returns the response statuses of each message. The last entry is a text instead if it belongs to the request that follows. */
function answersOf(names: string[]): Record<string, string[]> {
  return Object.fromEntries(
    names.map((name) => {
      const text = ours.get(name)!;
      const statuses = statusesIn(text);
      return [name, text.includes(answerToNext) ? [...statuses.slice(0, -1), 'the next one’s'] : statuses];
    }),
  );
}

/** Sends these bytes, ends its side, and returns all bytes that come back. */
async function answersToAll(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  // After a refusal, the server may close before it has read the rest.
  socket.on('error', () => {});
  socket.end(Buffer.from(bytes, 'latin1'));
  await new Promise((closed) => socket.on('close', closed));
  return Buffer.concat(pieces).toString('utf8');
}

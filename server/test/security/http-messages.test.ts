import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { converse, statusesIn } from '../support/raw-http.ts';
import { inParallel } from '../support/routes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { keyMark, last, read, refused, smuggledApplication, unfinished } from './http-messages.ts';

/*
 * Messages to our server, and to a bare one of the same platform. What is no HTTP ends the connection, what is some has its answer, and
 * nobody is talked into taking a part of one request for another one.
 */

/** Follows right behind each message. Whether it is answered tells where the server believes that the message ended. */
const next = 'GET /what-comes-next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const answerToNext = 'There is no path `/what-comes-next`';

/** What ours refuses and a bare server carries out. */
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

/** What a bare server refuses and ours carries out. */
const laxerThanNode = [
  // An expectation may be passed over (RFC 9110, section 10.1.1).
  'an expectation that nobody knows',
  // It refuses all that it was sent at once; ours answers the good request first, in its order.
  'a body that is longer than it says',
  'close and a request behind it',
].sort();

const messages = [...refused, ...read, ...last, ...unfinished].map(([name, bytes]) => ({ name, bytes }));

let server: TestServer;
let bare: Server;
/** What came back, by the message's name. */
const ours = new Map<string, string>();
const theirsAlone = new Map<string, string>();

beforeAll(async () => {
  server = await startTestServer();
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
}, 60_000);
afterAll(async () => {
  bare.close();
  await server.stop();
});

test('there are enough of them, and none twice', () => {
  expect(messages.length).toBeGreaterThanOrEqual(280);
  expect(new Set(messages.map(({ name }) => name)).size).toBe(messages.length);
});

test('what is no HTTP is refused once, and nothing that follows it is read', () => {
  expect(answersOf(refused.map(([name]) => name))).toEqual(
    Object.fromEntries(refused.map(([name]) => [name, [expect.stringMatching(/^4(00|15|31)$/)]])),
  );
});

test('what is HTTP has its answer, and what follows it has its own', () => {
  expect(answersOf(read.map(([name]) => name))).toEqual(
    Object.fromEntries(read.map(([name, , statuses]) => [name, [...statuses.split(' '), 'the next one’s']])),
  );
});

test('what ends its connection has its answer, and nothing that follows it is carried out', () => {
  expect(answersOf(last.map(([name]) => name))).toEqual(
    Object.fromEntries(last.map(([name, , statuses]) => [name, statuses.split(' ')])),
  );
});

test('what is cut off has not happened', () => {
  for (const [name] of unfinished) expect(statusesIn(ours.get(name)!).join(), name).toMatch(/^(400)?$/);
});

test('as many records were made as were answered for, and none of a request within another', async () => {
  const made = Array.from(ours.values()).flatMap((text) => text.match(/\r\n\r\n\{"id":"ref_/g) ?? []);
  expect(made.length).toBeGreaterThanOrEqual(20);
  expect((await server.api.get('/v1/references')).body.count).toBe(made.length);
  expect((await server.api.get(`/v1/references?application=${smuggledApplication}`)).body.count).toBe(0);
});

test('a bare server refuses the same, but for what is known', () => {
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

/** The statuses that came back for each message; the last is told by its name if it is the answer to what follows. */
function answersOf(names: string[]): Record<string, string[]> {
  return Object.fromEntries(
    names.map((name) => {
      const text = ours.get(name)!;
      const statuses = statusesIn(text);
      return [name, text.includes(answerToNext) ? [...statuses.slice(0, -1), 'the next one’s'] : statuses];
    }),
  );
}

/** All that comes back to who says this and nothing more. */
async function answersToAll(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  // A server that has refused may be gone before it has read the rest.
  socket.on('error', () => {});
  socket.end(Buffer.from(bytes, 'latin1'));
  await new Promise((closed) => socket.on('close', closed));
  return Buffer.concat(pieces).toString('utf8');
}

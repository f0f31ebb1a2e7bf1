import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { buildApp } from '../../src/http/app.ts';
import { strangerLimits, strangerRequestBytes } from '../../src/http/body/body-bytes.ts';
import { Scrape } from '../support/prometheus.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { stopMonotonicClock } from '../support/still-clock.ts';
import { waitMs } from '../support/wait.ts';

/* Bodies of requests without a key, which arrive slowly. A proxy forwards the requests of all addresses. */

const stranger = '203.0.113.7';
const other = '198.51.100.9';
/** Together, these can take the 4 MB of all sign-ins, or of all callbacks. */
const strangers = [7, 8, 9, 10].map((last) => `203.0.113.${last}`);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ settings: { TENURE_TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => server.stop());

test.each([
  ['/v1/portal/open', '/v1/portal/link', 8 * 1024, 401],
  ['/links/open', '/v1/portal/link', 8 * 1024, 401],
  ['/provider_callbacks/provider_a/acct_1', '/provider_callbacks/provider_a/acct_1', 256 * 1024, 401],
])('serves every address when four of them send many slow bodies to %s', async (slowPath, path, bytes, status) => {
  const ofEach = Math.floor(strangerLimits.maxPerAccount / (bytes + strangerRequestBytes));
  const addresses = strangers.flatMap((address) => Array.from({ length: ofEach + 1 }, () => address));
  // None of them is slow before the last has begun.
  const restartClock = stopMonotonicClock();
  const slow = await Promise.all(addresses.map((address) => begin(slowPath, bytes, address)));
  const body = path === slowPath ? ' '.repeat(bytes) : undefined;
  try {
    // The server has taken or refused each. They are slow in a second.
    await untilSettled(slow, bytes);
    restartClock();
    await untilSlow();
    expect(await send(path, stranger, { body })).toBe(status);
    expect(await send(path, other, { body })).toBe(status);
  } finally {
    for (const { socket } of slow) socket.destroy();
  }
});

const callbackPath = '/provider_callbacks/provider_a/acct_1';
const largest = 256 * 1024;

test.each([
  ['/v1/portal/link', 8 * 1024],
  [callbackPath, largest],
])('serves another address when five of them fill %s with bodies that have just begun', async (path, bytes) => {
  stopMonotonicClock();
  await fill(path, bytes, (index) => `203.0.113.${7 + (index % 5)}`);
  expect(await send(path, other, path === callbackPath ? { body: ' '.repeat(bytes) } : {})).toBe(401);
});

test('serves another address when networks of one IPv6 site send as much as there is room for', async () => {
  stopMonotonicClock();
  await fill(callbackPath, medium, (index) => `2001:db8:0:${index}::1`);
  expect(await send(callbackPath, '2001:db8:1::1', { body: ' '.repeat(medium) })).toBe(401);
});

test('cuts off a body of a site that holds more when many sites hold all of the room', async () => {
  stopMonotonicClock();
  const begun = await fill(callbackPath, medium, (index) => `198.51.${index}.1`);
  const small = await Promise.all(
    Array.from({ length: 40 }, (_, index) => begin(callbackPath, 100, `192.0.2.${index}`)),
  );
  await expect.poll(() => begun.filter((each) => statusOf(each) === 408).length, { interval: 10 }).toBeGreaterThan(0);
  for (const { socket } of small) socket.write(' '.repeat(99));
  await expect.poll(() => small.map(statusOf), { interval: 10 }).toEqual(small.map(() => 401));
});

test('cuts off slow bodies when many sites hold all of the room, and none holds more than another', async () => {
  const begun = await fill(callbackPath, medium, (index) => `198.51.${index}.1`);
  await untilSlow();
  expect(await send(callbackPath, other, { body: ' '.repeat(medium) })).toBe(401);
  await expect.poll(() => begun.filter((each) => statusOf(each) === 408).length, { interval: 10 }).toBeGreaterThan(0);
});

test('cuts off no slow body of an address that holds little when others hold the rest', async () => {
  const slow = await begin(callbackPath, medium, other);
  await untilSlow();
  await fill(callbackPath, medium, (index) => strangers[index % 4]!, medium + strangerRequestBytes);
  slow.socket.write(' '.repeat(medium - 1));
  await expect.poll(() => statusOf(slow), { interval: 10 }).toBe(401);
});

test('cuts off no slow body when a request is too large for all of their room', async () => {
  const slow = await Promise.all(Array.from({ length: 3 }, () => begin(callbackPath, largest)));
  try {
    await untilSlow();
    expect(await send(callbackPath, stranger, { body: ' '.repeat(largest + 1) })).toBe(413);
    expect(slow.map(statusOf)).toEqual([NaN, NaN, NaN]);
  } finally {
    for (const { socket } of slow) socket.destroy();
  }
});

test('takes all of three large callbacks when one address sends them at once', async () => {
  const pieces = await Promise.all(Array.from({ length: 3 }, () => begin(callbackPath, largest)));
  for (const { socket } of pieces) socket.write(' '.repeat(largest - 1));
  await expect.poll(() => pieces.map(statusOf)).toEqual([401, 401, 401]);
});

test('refuses a callback, and cuts off none, when the bodies of its address have just begun', async () => {
  stopMonotonicClock();
  const begun = await Promise.all(Array.from({ length: 3 }, () => begin(callbackPath, largest)));
  await expect.poll(() => send(callbackPath, stranger, { body: ' '.repeat(largest) })).toBe(503);
  for (const { socket } of begun) socket.write(' '.repeat(largest - 1));
  await expect.poll(() => begun.map(statusOf)).toEqual([401, 401, 401]);
});

test('makes room for a body in chunks when slow bodies fill the share of its address', async () => {
  const slow = await Promise.all(Array.from({ length: 3 }, () => begin(callbackPath, largest)));
  const one = await begin(callbackPath, null);
  try {
    await untilSlow();
    for (let sent = 0; sent < 12; sent++) one.socket.write(`4000\r\n${' '.repeat(0x4000)}\r\n`);
    one.socket.write('0\r\n\r\n');
    await expect.poll(() => statusOf(one), { interval: 10 }).toBe(401);
    expect(slow.map(statusOf).filter((status) => status === 408)).toHaveLength(1);
  } finally {
    for (const { socket } of slow) socket.destroy();
  }
});

test('refuses callbacks of one address when 128 of them are in progress', async () => {
  const { url, begun, finish } = await startHeldCallbacks();
  // Without a body, so that none is cut off while its body arrives.
  const ofOne = Array.from({ length: 129 }, () => send(callbackPath, stranger, { url, body: null }));
  expect(await Promise.race(ofOne)).toBe(503);
  const ofOther = send(callbackPath, other, { url, body: null });
  await expect.poll(begun, { interval: 10 }).toBe(129);
  finish();
  expect(await ofOther).toBe(200);
  expect((await Promise.all(ofOne)).filter((status) => status === 200)).toHaveLength(128);
});

test('takes a large callback of another address when four of them have as many in progress as they can', async () => {
  const { url, begun, finish } = await startHeldCallbacks();
  const statuses: number[] = [];
  const ofFour = strangers.flatMap((address) =>
    Array.from({ length: 129 }, async () => statuses.push(await send(callbackPath, address, { url, body: null }))),
  );
  await expect.poll(() => begun() + statuses.length, { interval: 10 }).toBe(4 * 129);
  const before = begun();
  const ofOther = send(callbackPath, other, { url, body: ' '.repeat(largest) });
  await expect.poll(begun, { interval: 10 }).toBe(before + 1);
  finish();
  expect(await ofOther).toBe(200);
  await Promise.all(ofFour);
});

test('delays further refusals of an address when it has got 100 of them in a second', async () => {
  const { url, finish } = await startHeldCallbacks();
  stopMonotonicClock();
  const startedMs = Date.now();
  const refusedMs: number[] = [];
  const ofOne = Array.from({ length: 128 + 101 }, async () => {
    if ((await send(callbackPath, stranger, { url, body: null })) === 503) refusedMs.push(Date.now() - startedMs);
  });
  await expect.poll(() => refusedMs.length, { timeout: waitMs, interval: 10 }).toBe(101);
  finish();
  await Promise.all(ofOne);
  expect(Math.max(...refusedMs)).toBeGreaterThanOrEqual(2_000);
});

/** Starts a server whose callbacks are in progress until `finish`. */
async function startHeldCallbacks(): Promise<{ url: string; begun: () => number; finish: () => void }> {
  let begun = 0;
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const take = async (): Promise<boolean> => {
    begun++;
    await finished;
    return true;
  };
  const app = buildApp({ ...server.context, providerCallbacks: { take } });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  return { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, begun: () => begun, finish };
}

test('refuses a sign-in before its body arrives when its length exceeds the limit', async () => {
  const one = await begin('/v1/portal/open', 9_000);
  await expect.poll(() => statusOf(one), { interval: 10 }).toBe(413);
  one.socket.destroy();
});

test.each(['/v1/portal/open', '/links/open'])(
  'refuses a body of unknown length to %s when it exceeds the limit',
  async (path) => {
    const one = await begin(path, null);
    one.socket.write(`2400\r\n${' '.repeat(0x2400)}\r\n`);
    await expect.poll(() => statusOf(one), { interval: 10 }).toBe(413);
    one.socket.destroy();
  },
);

const medium = 60 * 1024;

/** Begins as many bodies as there is room for. Resolves when the server has taken or refused each. */
async function fill(
  path: string,
  bytes: number,
  addressOf: (index: number) => string,
  heldBefore = 0,
): Promise<Begun[]> {
  const each = bytes + strangerRequestBytes;
  const count = Math.floor(strangerLimits.maxPerTree! / each);
  await expect.poll(heldBytes, { interval: 10 }).toBe(heldBefore);
  const begun = await Promise.all(Array.from({ length: count }, (_, index) => begin(path, bytes, addressOf(index))));
  onTestFinished(() => {
    for (const { socket } of begun) socket.destroy();
  });
  await untilSettled(begun, bytes, heldBefore);
  return begun;
}

/** Resolves when the server holds the bytes of all bodies without a response. */
async function untilSettled(begun: Begun[], bytes: number, heldBefore = 0): Promise<void> {
  const isSettled = async (): Promise<boolean> => {
    const held = (await heldBytes()) - heldBefore;
    return held === (bytes + strangerRequestBytes) * begun.filter((each) => Number.isNaN(statusOf(each))).length;
  };
  await expect.poll(isSettled, { interval: 10 }).toBe(true);
}

async function heldBytes(): Promise<number> {
  return new Scrape(await server.context.metrics.text()).value('tenure_held_bytes{kind="keyless"}')!;
}

/** Resolves when the bodies that have begun are slow. */
function untilSlow(): Promise<void> {
  return delay(1_100);
}

interface Begun {
  socket: Socket;
  text: string;
}

/** Begins a request whose body does not arrive. Null makes it one in chunks. */
async function begin(path: string, bytes: number | null, address = stranger): Promise<Begun> {
  const { hostname, port } = new URL(server.url);
  const begun: Begun = { socket: connect(Number(port), hostname), text: '' };
  begun.socket.on('error', () => {});
  begun.socket.on('data', (piece) => (begun.text += String(piece)));
  begun.socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Forwarded-For: ${address}\r\n` +
      `Content-Type: application/json\r\n` +
      (bytes === null ? 'Transfer-Encoding: chunked\r\n\r\n' : `Content-Length: ${bytes}\r\n\r\n{`),
  );
  await new Promise((resolve) => void begun.socket.once('connect', resolve));
  return begun;
}

function statusOf({ text }: Begun): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
}

async function send(
  path: string,
  address: string,
  {
    url = server.url,
    body = JSON.stringify({ token: 'a'.repeat(32) }),
  }: { url?: string; body?: string | null | undefined } = {},
): Promise<number> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body,
  });
  await response.arrayBuffer();
  return response.status;
}

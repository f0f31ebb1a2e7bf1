import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildApp } from '../../src/http/app.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/* Bodies of requests without a key, which arrive slowly. A proxy forwards the requests of all addresses. */

const stranger = '203.0.113.7';
const other = '198.51.100.9';
/** Together, these can take the 2 MB of all sign-ins, or of all callbacks. */
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
  // Each request takes 4 kB more than its body. One that finds no room cuts off the earliest slow one.
  const count = Math.ceil((2 * 1024 * 1024) / (bytes + 4 * 1024)) + 1;
  const addresses = Array.from({ length: count }, (_, index) => strangers[index % strangers.length]!);
  const slow = await Promise.all(addresses.map((address) => begin(slowPath, bytes, address)));
  try {
    await expect.poll(() => slow.some((each) => statusOf(each) === 408), { interval: 10 }).toBe(true);
    expect(await send(path, other)).toBe(status);
    expect(await send(path, stranger)).toBe(status);
    expect(slow.filter((each) => statusOf(each) === 503)).toEqual([]);
  } finally {
    for (const { socket } of slow) socket.destroy();
  }
});

test('refuses callbacks of one address when 128 of them are in progress', async () => {
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
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const path = '/provider_callbacks/provider_a/acct_1';
  // Without a body, so that none is cut off while its body arrives.
  const ofOne = Array.from({ length: 129 }, () => send(path, stranger, { url, body: null }));
  expect(await Promise.race(ofOne)).toBe(503);
  const ofOther = send(path, other, { url, body: null });
  await expect.poll(() => begun, { interval: 10 }).toBe(129);
  finish();
  expect(await ofOther).toBe(200);
  expect((await Promise.all(ofOne)).filter((status) => status === 200)).toHaveLength(128);
});

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
  { url = server.url, body = JSON.stringify({ token: 'a'.repeat(32) }) }: { url?: string; body?: string | null } = {},
): Promise<number> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body,
  });
  await response.arrayBuffer();
  return response.status;
}

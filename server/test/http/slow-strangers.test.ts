import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

/* Bodies of requests without a key, which arrive slowly. A proxy forwards the requests of all addresses. */

const stranger = '203.0.113.7';
const other = '198.51.100.9';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ settings: { TENURE_TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => server.stop());

test.each([
  ['/v1/portal/open', '/v1/portal/link', 8 * 1024, 401],
  ['/links/open', '/v1/portal/link', 8 * 1024, 401],
  ['/provider_callbacks/provider_a/acct_1', '/provider_callbacks/provider_a/acct_1', 256 * 1024, 401],
])('serves another address when one sends many slow bodies to %s', async (slowPath, path, bytes, status) => {
  // They would fill the 2 MB of all sign-ins, or of all callbacks, to the last byte.
  const count = (2 * 1024 * 1024) / bytes + 1;
  const slow = await Promise.all(Array.from({ length: count }, () => begin(slowPath, bytes)));
  try {
    // The last ones are refused, so all earlier ones hold their room.
    await expect.poll(() => statusOf(slow.at(-1)!), { interval: 10 }).toBe(503);
    expect(await send(path, other)).toBe(status);
    expect(await send(path, stranger)).toBe(503);
  } finally {
    for (const { socket } of slow) socket.destroy();
  }
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
async function begin(path: string, bytes: number | null): Promise<Begun> {
  const { hostname, port } = new URL(server.url);
  const begun: Begun = { socket: connect(Number(port), hostname), text: '' };
  begun.socket.on('error', () => {});
  begun.socket.on('data', (piece) => (begun.text += String(piece)));
  begun.socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Forwarded-For: ${stranger}\r\n` +
      `Content-Type: application/json\r\n` +
      (bytes === null ? 'Transfer-Encoding: chunked\r\n\r\n' : `Content-Length: ${bytes}\r\n\r\n{`),
  );
  await new Promise((resolve) => void begun.socket.once('connect', resolve));
  return begun;
}

function statusOf({ text }: Begun): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
}

async function send(path: string, address: string): Promise<number> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ token: 'a'.repeat(32) }),
  });
  await response.arrayBuffer();
  return response.status;
}

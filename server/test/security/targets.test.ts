import { once } from 'node:events';
import { connect, createServer, isIP, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { receiverForTest } from '../support/receiver.ts';
import { invalid, expectRefusal } from '../support/refusals.ts';
import { inParallel } from '../support/routes.ts';
import { serverForTest, startTestServer, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { deliverOnceTo, pingedEndpoint } from '../webhooks/scenario.ts';
import { targetUrls } from './target-urls.ts';

/*
 * A webhook is a request that a customer has the server make. In live mode none of these URLs gets a packet: neither when it is saved, nor when it has
 * come to be stored all the same.
 */

// As slow as a machine that does other things beside it: what is judged is never how long it takes.
vi.setConfig({ testTimeout: 300_000 });

/** Whatever is looked up leads inside; half of the names have an address outside too. */
const inside = [
  ['127.0.0.1'],
  ['93.184.216.34', '127.0.0.1'],
  ['::1'],
  ['169.254.169.254', '93.184.216.34'],
  ['::ffff:10.0.0.1'],
];

let listener: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  listener = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  // All addresses of the machine, of both families where it has them.
  listener.listen(0);
  await once(listener, 'listening');
  ({ port } = listener.address() as AddressInfo);
});
afterAll(() => void listener.close());

describe('in live mode', () => {
  let server: TestServer;
  let lookups = 0;
  beforeAll(async () => {
    server = await startTestServer({
      settings: { TENURE_MODE: 'live', TENURE_RATE_LIMIT: '0', TENURE_RETRY_SCHEDULE: 'none' },
      overrides: { resolveHost: async () => inside[lookups++ % inside.length]! },
    });
  });
  afterAll(() => server.stop());

  test('no URL that leads inside is connected to: it is refused when it is saved, or at last when something is sent', async () => {
    const urls = targetUrls(port);
    expect(urls.length).toBeGreaterThanOrEqual(400);
    const { api } = await addAccount(server);
    const pattern = await pingedEndpoint(server.api, 'https://hooks.example.com/');
    const saved: string[] = [];
    await inParallel(urls, 16, async (url) => {
      const answer = await api.post('/v1/webhook_endpoints', { url, enabled_events: ['nothing.happened'] });
      if (answer.status === 200) saved.push(url);
      else expectRefusal(answer, { ...invalid('url'), says: /URL/ });
    });
    // A name is judged by its addresses, and they are asked for when something is sent.
    expect(saved.length).toBeGreaterThanOrEqual(15);
    expect(saved.filter((url) => isIP(URL.parse(url)!.hostname.replace(/^\[|\]$/g, '')) > 0)).toEqual([]);
    // As if it had been saved by somebody who does not judge.
    const sendable = urls.filter((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''));
    await inParallel(sendable, 16, async (url) => {
      expect(await deliverOnceTo(server, pattern.id, url), url).toMatchObject({
        status: 'failed',
        attempt: { status: null, error: 'address_forbidden', response: null },
      });
    });
    expect(lookups).toBeGreaterThanOrEqual(saved.length);
    await expectNoConnection();
  });
});

test('a redirect is not followed, wherever it leads', async () => {
  const server = await serverForTest({ settings: { TENURE_RETRY_SCHEDULE: 'none' } });
  const pattern = await pingedEndpoint(server.api, 'http://127.0.0.1:9/');
  for (const status of [300, 301, 302, 303, 305, 307, 308]) {
    for (const location of [
      `http://127.0.0.1:${port}/`,
      `//localhost:${port}/`,
      'http://169.254.169.254/latest/meta-data/',
    ]) {
      const receiver = await receiverForTest((response) =>
        response.writeHead(status, { location, refresh: `0; url=${location}` }).end(),
      );
      expect(await deliverOnceTo(server, pattern.id, receiver.url)).toMatchObject({
        status: 'failed',
        attempt: { status },
      });
      expect(receiver.received).toHaveLength(1);
    }
  }
  await expectNoConnection();
});

/** One of our own arrives, so that it is known of the others that none has. */
async function expectNoConnection(): Promise<void> {
  const before = connections;
  const socket = connect(port, '127.0.0.1');
  await expect.poll(() => connections).toBe(before + 1);
  socket.destroy();
  expect(before).toBe(0);
  connections = 0;
}

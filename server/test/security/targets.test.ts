import { once } from 'node:events';
import { connect, createServer, isIP, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { patientArrivals } from '../support/freshness.ts';
import { rounds } from '../support/rounds.ts';
import { expectRefusal, invalid } from '../support/refusals.ts';
import { inParallel } from '../support/routes.ts';
import { serverForTest } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { deliverOnceTo, pingedEndpoint } from '../webhooks/scenario.ts';
import { targetUrls } from './target-urls.ts';

/** Every lookup leads inside. Some names also have an outside address. */
const inside = [
  ['127.0.0.1'],
  ['93.184.216.34', '127.0.0.1'],
  ['::1'],
  ['169.254.169.254', '93.184.216.34'],
  ['::ffff:10.0.0.1'],
];

test('sends no packet inside in live mode: refuses such a URL when it is saved and when it is used', async () => {
  const listener = await listen();
  let lookups = 0;
  const server = await serverForTest({
    settings: { TENURE_MODE: 'live', TENURE_RATE_LIMIT: '0', TENURE_RETRY_SCHEDULE: 'none' },
    overrides: { arrivalLimits: patientArrivals, resolveHost: async () => inside[lookups++ % inside.length]! },
  });
  const urls = targetUrls(listener.port);
  expect(urls.length).toBeGreaterThanOrEqual(500);

  const { api } = await addAccount(server);
  const saved: string[] = [];
  await inParallel(urls, 16, async (url) => {
    const answer = await api.post('/v1/webhook_endpoints', { url, enabled_events: ['webhook_endpoint.pinged'] });
    if (answer.status === 200) saved.push(url);
    else expectRefusal(answer, { ...invalid('url'), says: /URL/ });
  });
  // The server judges a name by its addresses, which it looks up when it sends.
  expect(saved.length).toBeGreaterThanOrEqual(15);
  expect(saved.filter((url) => isIP(URL.parse(url)!.hostname.replace(/^\[|\]$/g, '')) > 0)).toEqual([]);

  // Behaves as if each URL had been saved without a check.
  const pattern = await pingedEndpoint(server.api, 'https://hooks.example.com/');
  const sendable = urls.filter((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''));
  expect(sendable.length).toBeGreaterThanOrEqual(400);
  const sent = rounds(
    sendable.filter((_, index) => index % 4 === 0),
    sendable,
  );
  await inParallel(sent, 16, async (url) => {
    expect(await deliverOnceTo(server, pattern.id, url), url).toMatchObject({
      status: 'failed',
      attempt: { status: null, error: 'address_forbidden', response: null },
    });
  });
  expect(lookups).toBeGreaterThanOrEqual(rounds(1, saved.length));
  await listener.expectNoConnection();
});

/** Listens where many of the URLs lead to. */
async function listen(): Promise<{ port: number; expectNoConnection(): Promise<void> }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    // Makes one connection itself, so that a count of one proves that no other arrived.
    async expectNoConnection() {
      const socket = connect(port, '127.0.0.1').resume();
      await once(socket, 'close');
      expect(connections).toBe(1);
    },
  };
}

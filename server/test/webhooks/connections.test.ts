import { expect, onTestFinished, test } from 'vitest';
import { receiverForTest } from '../support/receiver.ts';
import { serverForTest } from '../support/server.ts';
import { pingedEndpoint, queueEmpty, seed } from './scenario.ts';

test('respects the limits of attempts and connections, and delivers once, when ten receivers share few slots', async () => {
  let underWay = 0;
  let mostUnderWay = 0;
  const receivers = await Promise.all(
    Array.from({ length: 10 }, () =>
      receiverForTest((response) => {
        mostUnderWay = Math.max(mostUnderWay, ++underWay);
        response.on('close', () => underWay--);
        setTimeout(() => response.writeHead(200).end(), 5);
      }),
    ),
  );
  const server = await serverForTest({
    overrides: { dispatcherLimits: { perEndpointMax: 4, inFlightMax: 4, socketsMax: 6, pollMs: 50 } },
  });
  const dispatcher = server.context.dispatcher!;
  let mostConnections = 0;
  const looking = setInterval(() => (mostConnections = Math.max(mostConnections, dispatcher.connections)), 1);
  onTestFinished(() => clearInterval(looking));
  const endpoints = await Promise.all(receivers.map(({ url }) => pingedEndpoint(server.api, url)));
  for (const { id } of endpoints) await seed(server, id, 20);
  dispatcher.wake();
  await queueEmpty(server);
  for (const { received } of receivers) {
    expect(received).toHaveLength(20);
    expect(new Set(received.map(({ headers }) => headers['service-delivery-id'])).size).toBe(20);
  }
  // The limit was reached, so the tested bound was needed.
  expect(mostUnderWay).toBe(4);
  expect(mostConnections).toBe(6);
});

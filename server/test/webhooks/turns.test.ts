import { expect, test } from 'vitest';
import { receiverForTest } from '../support/receiver.ts';
import { serverForTest } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { waitMs } from '../support/wait.ts';
import { endpointFor, hardlyEverMs, makeReferences, pingedEndpoint, queueEmpty, seed, soon } from './scenario.ts';

test('delivers for other accounts while one account has a long backlog, when theirs became due later', async () => {
  const backlog = 1_000;
  const busy = await receiverForTest();
  let busyBefore = 0;
  const quiet = await receiverForTest((response) => {
    busyBefore = busy.received.length;
    response.writeHead(200).end();
  });
  const server = await serverForTest({
    overrides: { dispatcherLimits: { claimMax: 8, heldMax: 16, pollMs: hardlyEverMs } },
  });
  const flooded = await pingedEndpoint(server.api, busy.url);
  await seed(server, flooded.id, backlog);
  // A claim gives turns to two accounts, so these need several claims.
  for (let added = 0; added < 6; added++) {
    const { api } = await addAccount(server);
    const { id } = await pingedEndpoint(api, quiet.url);
    await seed(server, id, 2);
  }
  server.context.dispatcher!.wake();
  await quiet.count(12);
  expect(busyBefore).toBeLessThan(backlog / 2);
  await queueEmpty(server);
  expect([busy.received.length, quiet.received.length]).toEqual([backlog, 12]);
});

test('delivers for another account while the endpoints of three accounts hang in most places', async () => {
  const hanging = await receiverForTest(() => {});
  const quiet = await receiverForTest();
  const server = await serverForTest({
    // No attempt ends during the test.
    overrides: {
      dispatcherLimits: {
        attemptTimeoutMs: waitMs,
        leaseMs: 2 * waitMs,
        perEndpointMax: 4,
        inFlightMax: 64,
        pollMs: 50,
      },
    },
  });
  for (let added = 0; added < 3; added++) {
    const { api } = await addAccount(server);
    const endpoints = await Promise.all(Array.from({ length: 20 }, () => pingedEndpoint(api, hanging.url)));
    for (const { id } of endpoints) await seed(server, id, 8);
  }
  server.context.dispatcher!.wake();
  let before = -1;
  const isUnchanged = (): boolean => before === (before = hanging.received.length) && before >= 48;
  await expect.poll(isUnchanged, { ...soon, interval: 1_000 }).toBe(true);
  const { api } = await addAccount(server);
  await endpointFor(api, quiet.url);
  await makeReferences(api, 20);
  expect(await quiet.count(20)).toHaveLength(20);
});

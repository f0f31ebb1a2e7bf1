import { expect, test } from 'vitest';
import { receiverForTest } from '../support/receiver.ts';
import { serverForTest } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { hardlyEverMs, pingedEndpoint, queueEmpty, seed } from './scenario.ts';

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

import { expect, test } from 'vitest';
import { complete } from '../../src/referencing/simulator/force.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { createTestDatabase, good, startTestServer } from '../support/server.ts';
import { firstAccountId } from '../support/tenants.ts';
import { quickServerForTest, refer, untilReference } from './scenario.ts';
import { callBack, callbackAbout, giveCredentials, startVendor } from './vendor.ts';

test('returns 503 when the database is away, so that the service repeats the callback, and then accepts it', async () => {
  const database = await createTestDatabase();
  const proxy = await startDatabaseProxy(database.connection);
  const own = await startVendor();
  const away = await startTestServer({
    settings: { TENURE_PROVIDER_A_URL: own.url },
    works: true,
    connection: proxy.connection,
  });
  try {
    await giveCredentials(away.api);
    const { id } = await refer(away.api);
    const owner = await firstAccountId(away);
    await untilReference(away.api, id, { status: 'processing' });
    own.stage = 'DONE';
    proxy.close();
    expectRefusal(await callBack(away.url, callbackAbout(id, owner)), refusals.unavailable);
    proxy.open();
    await expect.poll(async () => (await callBack(away.url, callbackAbout(id, owner))).status).toBe(200);
    await untilReference(away.api, id, { status: 'complete' });
  } finally {
    await own.stop();
    await away.stop();
    await proxy.stop();
    await database.drop();
  }
});

test("accepts the sandbox's own callbacks when the clock was moved by a day", async () => {
  // A working day of the services lasts nearly a day here. Without callbacks, the next read would come minutes later.
  const slow = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '80000' });
  await good(slow.api.post('/v1/test_helpers/clock/advance', { seconds: 86_400 }));
  const { readers } = slow.context.database;
  await Promise.all(
    (['provider_a', 'provider_c'] as const).map(async (provider) => {
      const { id } = await refer(slow.api, { provider });
      const isOrdered = () => complete(readers, provider, id, slow.context.clock.nowMs(), 'consider');
      await expect.poll(isOrdered).toBe(true);
      await untilReference(slow.api, id, { status: 'complete', outcome: 'consider' });
    }),
  );
});

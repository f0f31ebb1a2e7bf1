import { expect, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { beginning } from '../../src/events/event-order.ts';
import { readHorizon, readPage } from '../../src/workflows/positions.ts';
import { multiplyEvents, untilSettled } from '../events/scenario.ts';
import { good, serverForTest } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';

const bytesOfEvent = 400_000;

test('ends a page of events after eight megabytes, and says that there is more, when events are large', async () => {
  const server = await serverForTest();
  const tenant = await addAccount(server);
  await good(tenant.api.post('/v1/customers', { name: 'Ada' }));
  const { readers } = server.context.database;
  await readers.query(`update events set data = rpad(data, ${bytesOfEvent}) where account_id = $1`, [tenant.accountId]);
  await multiplyEvents(tenant, 29, server);
  await untilSettled(tenant, server);
  await withClient(server.connection, async (client) => {
    const all = { horizon: await readHorizon(client), types: ['customer.created'], limit: 100 };
    const first = await readPage(client, tenant.accountId, beginning, all);
    const bytes = first.events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);
    expect([first.events.length, first.hasMore, first.isHeldBack]).toEqual([21, true, false]);
    expect(bytes).toBeLessThan(8 * 1024 * 1024 + bytesOfEvent);
    const { epoch, transaction_id: transactionId, ordinal } = first.events.at(-1)!;
    const position = { epoch, transactionId: BigInt(transactionId), ordinal };
    const second = await readPage(client, tenant.accountId, position, all);
    expect([second.events.length, second.hasMore]).toEqual([9, false]);
    // Events of other types have no data, so they do not count.
    const none = await readPage(client, tenant.accountId, beginning, { ...all, types: [] });
    expect([none.events.length, none.hasMore]).toEqual([30, false]);
  });
});

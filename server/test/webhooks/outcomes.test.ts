import { expect, test } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { withClient } from '../../src/db/pools.ts';
import { TestClock } from '../support/clock.ts';
import { receiverForTest } from '../support/receiver.ts';
import { serverForTest } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { deliveriesOf, deliveryOf, Gate, over, pingedEndpoint, placesOf, seed, soon } from './scenario.ts';

/* One statement writes the outcomes of many deliveries. An outcome that the database refuses must not delay the others. */

test('writes all other outcomes at once when the database refuses one of them', async () => {
  const clock = new TestClock();
  const server = await serverForTest({ overrides: { clock } });
  const tenant = await addAccount(server);
  const gate = new Gate();
  const answer = (body: string) => receiverForTest((response) => void gate.pass().then(() => response.end(body)));
  const [refused, healthy] = await Promise.all([answer('refused'), answer('healthy')]);
  const [bad, good, another] = await Promise.all([
    pingedEndpoint(server.api, refused.url),
    pingedEndpoint(server.api, healthy.url),
    pingedEndpoint(tenant.api, healthy.url),
  ]);
  await withClient(server.connection, (client) =>
    client.query(`alter table webhook_attempts add check (response is distinct from 'refused')`),
  );
  await seed(server, good.id, 10);
  await seed(server, bad.id, 1);
  await seed(server, another.id, 10);
  server.context.dispatcher!.wake();
  await expect.poll(() => gate.waiting, soon).toBe(21);
  gate.open();

  const places = async () => Promise.all([good, another].map(({ id }) => placesOf(server, id)));
  await expect.poll(places, soon).toEqual([[], []]);
  for (const [api, { id }] of [[server.api, good] as const, [tenant.api, another] as const]) {
    const deliveries = await deliveriesOf(api, id);
    expect(deliveries.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'delivered'));
  }
  expect(healthy.received).toHaveLength(20);
  // The refused outcome is dropped: the process holds nothing of it, and its lease stays.
  await expect.poll(() => server.context.dispatcher!.held, soon).toBe(0);
  expect(await placesOf(server, bad.id)).toMatchObject([{ claim_token: expect.any(Number) }]);
  expect(refused.received).toHaveLength(1);

  // When its lease ends, it is due again.
  clock.advanceSeconds(91);
  await refused.count(2);
  expect(await deliveryOf(server.api, bad.id)).toMatchObject({ status: 'pending', attempts: [] });
});

test('records both attempts when a later claim begins its own in the same millisecond as an earlier claim', async () => {
  // The clock shows whole seconds, so that the test knows at which milliseconds an attempt can begin.
  const clock: Clock = { nowMs: () => Math.floor(Date.now() / 1000) * 1000 };
  const server = await serverForTest({ overrides: { clock } });
  const gate = new Gate();
  const receiver = await receiverForTest((response) => void gate.pass().then(() => response.end()));
  const { id: endpointId } = await pingedEndpoint(server.api, receiver.url);
  const firstMs = clock.nowMs();
  const [deliveryId] = await seed(server, endpointId, 1);
  server.context.dispatcher!.wake();
  await expect.poll(() => gate.waiting, soon).toBe(1);

  const earlier = await withClient(server.connection, (client) =>
    client.query(
      `insert into webhook_attempts (account_id, delivery_id, started_at_ms, duration_ms, status, error, api_version, outcome)
      select account_id, id, started_at_ms, 30000, null, 'timeout', '2026-11-01', 'to_be_retried'
      from webhook_deliveries, generate_series($2::bigint, $3::bigint, 1000) as started_at_ms
      where id = $1`,
      [deliveryId, firstMs, clock.nowMs()],
    ),
  );
  gate.open();
  const delivery = await over(server.api, endpointId);
  expect(delivery.status).toBe('delivered');
  expect(delivery.attempts).toHaveLength(earlier.rowCount! + 1);
  expect(delivery.attempts.filter(({ status }: { status: number | null }) => status === 200)).toHaveLength(1);
  expect(receiver.received).toHaveLength(1);
});

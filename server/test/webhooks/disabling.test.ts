import { assert, integer, property } from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { disableFailingEndpoints } from '../../src/webhooks/auto-disable.ts';
import { isGivenUp } from '../../src/resources/webhooks/disabling.ts';
import { TestClock } from '../support/clock.ts';
import { allOf } from '../support/paging.ts';
import { allPermissions } from '../support/permissions.ts';
import { receiverForTest } from '../support/receiver.ts';
import {
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { addAccount, addKey } from '../support/tenants.ts';
import {
  copiedEndpoints,
  deliveriesOf,
  endpointFor,
  Gate,
  makeReferences,
  queueEmpty,
  role,
  soon,
} from './scenario.ts';

/*
 * The server disables an endpoint when every attempt has failed for five days, and writes an event about it. It never disables one that
 * accepted a delivery, and never for a fault of our own.
 */

let server: TestServer;
let api: Api;
const clock = new TestClock();
/** The answer of the name servers for every name. */
let resolve: () => Promise<string[]>;
beforeAll(async () => {
  server = await startTestServer({
    settings: { TENURE_RETRY_SCHEDULE: 'none' },
    overrides: { clock, resolveHost: () => resolve(), dispatcherLimits: { pollMs: 20 } },
  });
});
beforeEach(async () => {
  const { accountId } = await addAccount(server);
  ({ api } = await addKey(server, accountId, { permissions: allPermissions }));
});
afterAll(() => server.stop());

const retrieve = async (id: string): Promise<ApiResponse['body']> =>
  (await good(api.get(`/v1/webhook_endpoints/${id}`))).body;

/** Makes this many events, spread evenly over a time. Then the duty runs. */
async function attemptsOver(hours: number, count: number): Promise<void> {
  for (let made = 0; made < count; made++) {
    if (made > 0) clock.advanceSeconds(Math.ceil((hours * 3600) / (count - 1)));
    await makeReferences(api, 1);
    await queueEmpty(server);
  }
  await disableFailingEndpoints(server.context);
}

describe('endpoints with five days of failures', () => {
  test('43, 44: disables the endpoint with a reason, cancels its pending deliveries and queues no more, even if no endpoint gets the event', async () => {
    const receiver = await receiverForTest(500);
    const endpoint = await endpointFor(api, receiver.url);
    await attemptsOver(119, 20);
    expect(await retrieve(endpoint.id)).toMatchObject({ status: 'enabled', disabled_reason: null });
    await attemptsOver(2, 2);
    const disabled = await retrieve(endpoint.id);
    expect(disabled.status).toBe('disabled');
    expect(disabled.disabled_reason).toMatch(
      /^Every attempt since \d{4}-\d\d-\d\d has failed: 22 attempts on [67] days\. /,
    );
    await makeReferences(api, 1);
    expect(await deliveriesOf(api, endpoint.id)).toHaveLength(22);
  });

  test("43: sends the server's own event to other endpoints when an endpoint is disabled", async () => {
    const [receiver, other] = [await receiverForTest(500), await receiverForTest()];
    const endpoint = await endpointFor(api, receiver.url);
    await endpointFor(api, other.url, { enabled_events: ['webhook_endpoint.disabled'] });
    await attemptsOver(121, 21);
    const [told, updated] = await allOf(api, '/v1/events', { object_id: endpoint.id });
    expect([updated.type, told.type]).toEqual(['webhook_endpoint.updated', 'webhook_endpoint.disabled']);
    expect(updated.data.previous_attributes).toEqual({ status: 'enabled', disabled_reason: null });
    expect(told.data.object).toMatchObject({ status: 'disabled', disabled_reason: expect.stringContaining('failed') });
    expect(told.request).toMatchObject({ id: null, actor: { type: 'system' } });
    const [heard] = await other.count(1);
    expect(heard!.body.id).toBe(told.id);
  });

  test('43: disables an endpoint once when several processes check it', async () => {
    const receiver = await receiverForTest(500);
    const endpoint = await endpointFor(api, receiver.url);
    const worker = await serverForTest({
      connection: server.connection,
      settings: role('worker'),
      overrides: { clock },
    });
    await attemptsOver(100, 20);
    clock.advanceSeconds(21 * 3600);
    await makeReferences(api, 1);
    await queueEmpty(server);
    await Promise.all([server, worker, server, worker].map(({ context }) => disableFailingEndpoints(context)));
    const told = await allOf(api, '/v1/events', { object_id: endpoint.id, type: 'webhook_endpoint.disabled' });
    expect(told).toHaveLength(1);
  });

  test('starts a new count when the endpoint is enabled again', async () => {
    const receiver = await receiverForTest(500);
    const endpoint = await endpointFor(api, receiver.url);
    await attemptsOver(121, 21);
    const enabled = await good(api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'enabled' }));
    expect(enabled.body).toMatchObject({ status: 'enabled', disabled_reason: null });
    await attemptsOver(100, 21);
    expect((await retrieve(endpoint.id)).status).toBe('enabled');
    clock.advanceSeconds(21 * 3600);
    await attemptsOver(0, 1);
    expect((await retrieve(endpoint.id)).status).toBe('disabled');
  });
});

test('disables an endpoint when many others have failed a few times before it', async () => {
  const receiver = await receiverForTest(500);
  const stranger = await addAccount(server);
  const pattern = await endpointFor(stranger.api, receiver.url, { enabled_events: ['webhook_endpoint.pinged'] });
  const others = await copiedEndpoints(server, pattern.id, receiver.url, 1_001);
  await server.context.database.readers.query(
    `insert into webhook_failures (account_id, webhook_endpoint, enablement, since_ms, last_ms, attempt_count, day_count)
     select $1, id, 1, 0, 1, 11, 3 from unnest($2::text[]) as other (id)`,
    [stranger.accountId, others],
  );
  const endpoint = await endpointFor(api, receiver.url);
  await attemptsOver(121, 21);
  expect((await retrieve(endpoint.id)).status).toBe('disabled');
});

test.each([
  ['deleted', 0],
  ['enabled anew', 1],
])('does not count an attempt when its endpoint was %s during it', async (what, attempts) => {
  const gate = new Gate();
  const receiver = await receiverForTest((response) => {
    void gate.pass().then(() => response.writeHead(500).end());
  }, 500);
  const endpoint = await endpointFor(api, receiver.url);
  await makeReferences(api, 1);
  await receiver.count(1);
  const path = `/v1/webhook_endpoints/${endpoint.id}`;
  if (what === 'deleted') {
    await good(api.delete(path));
  } else {
    for (const status of ['disabled', 'enabled']) await good(api.post(path, { status }));
    await makeReferences(api, 1);
    await queueEmpty(server);
  }
  gate.open();
  await expect.poll(() => server.context.dispatcher!.held, soon).toBe(0);
  const { rows } = await server.context.database.readers.query(
    'select enablement, attempt_count from webhook_failures where webhook_endpoint = $1',
    [endpoint.id],
  );
  expect(rows).toEqual(Array.from({ length: attempts }, () => ({ enablement: 2, attempt_count: 1 })));
});

describe('endpoints that stay enabled', () => {
  test('43: keeps an endpoint enabled when it has accepted one delivery', async () => {
    const receiver = await receiverForTest(...Array<number>(20).fill(500), 200, 500);
    const endpoint = await endpointFor(api, receiver.url);
    await attemptsOver(119, 20);
    await attemptsOver(20, 20);
    await expect.poll(() => receiver.received.length, soon).toBe(40);
    expect((await retrieve(endpoint.id)).status).toBe('enabled');
  });

  test('70: keeps an endpoint enabled when name servers fail, and disables it when its name does not exist', async () => {
    const codes = ['EAI_AGAIN', 'ENOTFOUND'];
    const statuses: string[] = [];
    for (const code of codes) {
      resolve = async () => {
        throw Object.assign(new Error('The name server says so.'), { code });
      };
      const endpoint = await endpointFor(api, 'https://receiver.example.com/');
      await attemptsOver(121, 21);
      const [delivery] = await deliveriesOf(api, endpoint.id);
      expect(delivery.attempts[0].error).toBe('host_unresolved');
      statuses.push((await retrieve(endpoint.id)).status);
      await good(api.delete(`/v1/webhook_endpoints/${endpoint.id}`));
    }
    expect(statuses).toEqual(['enabled', 'disabled']);
  });
});

test('disables after five days, twenty attempts and three days with attempts, and never with less', () => {
  const dayMs = 24 * 3600 * 1000;
  const few = { min: 0, max: 40 };
  assert(
    property(integer({ min: 0, max: 10 * dayMs }), integer(few), integer(few), (durationMs, attempts, days) => {
      const expected = durationMs >= 5 * dayMs && attempts >= 20 && days >= 3;
      expect(isGivenUp({ sinceMs: 1000, lastMs: 1000 + durationMs, attempts, days })).toBe(expected);
    }),
    {
      examples: [
        [5 * dayMs, 20, 3],
        [5 * dayMs - 1, 20, 3],
        [5 * dayMs, 19, 3],
        [5 * dayMs, 20, 2],
      ],
    },
  );
});

import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Recoveries } from '../../src/webhooks/recover.ts';
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
import { endpointFor, makeReferences, ping, queueEmpty, role } from './scenario.ts';
import { recoveriesOf, untilRecovered, withoutRetries } from './recoveries.ts';

let server: TestServer;
let api: Api;
let accountId: string;
const clock = new TestClock();
beforeAll(async () => {
  server = await startTestServer(withoutRetries(clock));
});
beforeEach(async () => {
  ({ accountId } = await addAccount(server));
  ({ api } = await addKey(server, accountId, { permissions: allPermissions }));
});
afterAll(() => server.stop());

const recover = (endpoint: string): Promise<ApiResponse> =>
  api.post(`/v1/webhook_endpoints/${endpoint}/recover`, { since: Math.floor(clock.nowMs() / 1000) - 3600 });

describe('recoveries of 2,500 events', () => {
  const count = 2_500;

  test('46: sends each of 2,500 events once when processes are killed between pages or run at the same time', async () => {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(api, receiver.url, { enabled_events: ['webhook_endpoint.pinged'] });
    await seedFailed(endpoint.id, count);
    const worker = await serverForTest({
      connection: server.connection,
      settings: role('worker'),
      overrides: { clock, dispatcherLimits: { pollMs: 20 } },
    });
    await good(recover(endpoint.id));
    // Each of these processes knows nothing of the earlier ones' work.
    const advanceAnew = async () => {
      await Promise.all([new Recoveries(server.context).advance(), new Recoveries(worker.context).advance()]);
      return (await recoveriesOf(api, endpoint.id))[0].status;
    };
    await expect.poll(advanceAnew, { interval: 1 }).toBe('completed');
    await queueEmpty(server);
    expect((await recoveriesOf(api, endpoint.id))[0].resent).toBe(count);
    expect(receiver.received).toHaveLength(count);
    expect(new Set(receiver.received.map(({ body }) => body.id)).size).toBe(count);
  });

  test('sends no faster than the receiver responds when 2,500 events are recovered', async () => {
    const held: (() => void)[] = [];
    const receiver = await receiverForTest((response) => held.push(() => response.writeHead(200).end()));
    const endpoint = await endpointFor(api, receiver.url, { enabled_events: ['webhook_endpoint.pinged'] });
    await seedFailed(endpoint.id, count);
    await good(recover(endpoint.id));
    const recoveries = new Recoveries(server.context);
    for (let round = 0; round < 3; round++) await recoveries.advance();
    expect((await recoveriesOf(api, endpoint.id))[0]).toMatchObject({ status: 'pending', resent: 1_000 });
    // The receiver works again.
    const releasing = setInterval(() => held.splice(0).forEach((release) => release()), 5);
    onTestFinished(() => clearInterval(releasing));
    expect(await untilRecovered(server, api, endpoint.id, recoveries)).toMatchObject({
      status: 'completed',
      resent: count,
    });
    await queueEmpty(server);
    expect(receiver.received).toHaveLength(count);
  });

  test('keeps the position of a recovery when the server stops', async () => {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(api, receiver.url, { enabled_events: ['webhook_endpoint.pinged'] });
    await seedFailed(endpoint.id, count);
    await good(recover(endpoint.id));
    const stopping = new AbortController();
    const recoveries = new Recoveries(server.context, stopping.signal);
    await recoveries.advance();
    await receiver.count(1_000);
    await queueEmpty(server);
    stopping.abort();
    await recoveries.advance();
    expect((await recoveriesOf(api, endpoint.id))[0]).toMatchObject({ status: 'pending', resent: 1_000 });
    expect(await untilRecovered(server, api, endpoint.id)).toMatchObject({ status: 'completed', resent: count });
  });

  test('sends all of 2,500 events when new events arrive all the time', async () => {
    const receiver = await receiverForTest((response) => {
      if (receiver.received.at(-1)!.body.type !== 'webhook_endpoint.pinged') response.writeHead(200).end();
    });
    const endpoint = await endpointFor(api, receiver.url, { enabled_events: ['webhook_endpoint.pinged'] });
    await seedFailed(endpoint.id, count);
    await good(recover(endpoint.id));
    const recoveries = new Recoveries(server.context);
    await recoveries.advance();
    // The last page is being sent.
    await ping(api, endpoint.id);
    expect(await untilRecovered(server, api, endpoint.id, recoveries)).toMatchObject({
      status: 'completed',
      resent: count,
    });
  });

  test('ends a recovery and sends nothing more when the endpoint is disabled', async () => {
    const receiver = await receiverForTest(() => {});
    const endpoint = await endpointFor(api, receiver.url, { enabled_events: ['webhook_endpoint.pinged'] });
    await seedFailed(endpoint.id, count);
    await good(recover(endpoint.id));
    await new Recoveries(server.context).advance();
    await good(api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'disabled' }));
    await new Recoveries(server.context).advance();
    const [recovery] = await recoveriesOf(api, endpoint.id);
    expect(recovery).toMatchObject({ status: 'canceled', resent: 1_000, completed_at: expect.any(Number) });
    const events = await allOf(api, '/v1/events', { object_id: recovery.id });
    expect(events[0].type).toBe('recovery.canceled');
  });
});

/** Deliveries that failed in their only attempt, each of an event of its own. */
async function seedFailed(endpointId: string, wanted: number): Promise<void> {
  await makeReferences(api, 1);
  await server.context.database.readers.query(
    `
    with original as (
      select * from events where account_id = $1 and type = 'reference.created'
    ),
    copies as (
      insert into events
      select (jsonb_populate_record(null::events, to_jsonb(original)
        || jsonb_build_object('id', left(original.id, 12) || lpad(number::text, 14, '0')))).*
      from original, generate_series(1, $3) number
      returning account_id, id, created, type
    ),
    recorded as (
      insert into webhook_deliveries (account_id, id, created, event, webhook_endpoint, type)
      select account_id, 'dlv_' || substr(id, 5), created, id, $2, type
      from copies
      returning account_id, id
    )
    insert into webhook_attempts (account_id, delivery_id, started_at_ms, duration_ms, status, api_version, outcome)
    select account_id, id, 1, 1, 503, '2026-11-01', 'failed'
    from recorded`,
    [accountId, endpointId, wanted],
  );
}

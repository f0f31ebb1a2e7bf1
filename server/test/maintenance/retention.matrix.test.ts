import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dropOldHistory } from '../../src/maintenance/drop-old-history.ts';
import { ConfigError, readConfig } from '../../src/server/config.ts';
import { keyLifetimeMs } from '../../src/commit/statements/idempotency-keys.ts';
import { timeOfId, type Id } from '../../src/core/ids.ts';
import { removableBeforeMs, retainedFromMs } from '../../src/core/retention.ts';
import { withClient } from '../../src/db/pools.ts';
import { makePartitionsAhead, weekMs } from '../../src/db/partitions.ts';
import { TableBusyError } from '../../src/db/table-lock.ts';
import { installGuards } from '../../src/move-account/guards.ts';
import { forget } from '../../src/move-account/move.ts';
import { readTreeTables } from '../../src/move-account/tables.ts';
import { startDuties } from '../../src/maintenance/scheduler.ts';
import { TestClock } from '../support/clock.ts';
import { expectReplay, newKey } from '../support/idempotency.ts';
import { allOf } from '../support/paging.ts';
import { allPermissions } from '../support/permissions.ts';
import { receiverForTest } from '../support/receiver.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { apiClient, good, serverForTest, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount, addKey, firstAccountId } from '../support/tenants.ts';
import { endpointFor, makeReferences, pingedEndpoint, queueEmpty, role } from '../webhooks/scenario.ts';

const daySeconds = 24 * 3600;
const weekSeconds = 7 * daySeconds;
const retentionDays = 30;

/** The tables that hold history. */
const tables = ['events', 'request_logs', 'webhook_attempts', 'webhook_deliveries'];

describe('TENURE_RETENTION_DAYS', () => {
  test('keeps history for 30 days in a sandbox and 395 in live mode when no setting says otherwise', () => {
    expect(readConfig({}).retentionDays).toBe(30);
    expect(readConfig({ TENURE_MODE: 'live' }).retentionDays).toBe(395);
    expect(readConfig({ TENURE_MODE: 'live', TENURE_RETENTION_DAYS: ' 2 ' }).retentionDays).toBe(2);
  });

  test.each(['1', '0', '-2', '2.5', '1e3', 'x', '٣٠', '36501', '999999'])(
    'stops the start when the retention is not a whole number of days from 2 to 36500: %s',
    (value) => {
      const start = (): unknown => readConfig({ TENURE_RETENTION_DAYS: value, PORT: 'x' });
      expect(start).toThrow(ConfigError);
      expect(start).toThrow(`TENURE_RETENTION_DAYS is "${value}"; it must be a whole number of days from 2 to 36500.`);
      expect(start).toThrow(/^PORT is /m);
    },
  );
});

test('keeps recoverable history one day longer than promised, and every log that a key needs, when retention runs', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8e12 }), fc.integer({ min: 2, max: 36_500 }), (nowMs, days) => {
      const [retained, removable] = [retainedFromMs(nowMs, days), removableBeforeMs(nowMs, days)];
      expect(retained).toBeLessThanOrEqual(nowMs);
      if (removable > 0) expect(retained - removable).toBe(daySeconds * 1000);
      expect(removable === 0 || nowMs - removable > 2 * keyLifetimeMs).toBe(true);
    }),
  );
});

describe('expired history', () => {
  test('deletes expired weeks with exact counts, and answers their ids as unknown, when retention runs', async () => {
    const { server, clock } = await serverInThePast({ weeks: 10 });
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(server.api, receiver.url);
    const early = await someOfEverything(server);
    await queueEmpty(server);
    clock.advanceSeconds(4 * weekSeconds);
    const late = await someOfEverything(server);
    await queueEmpty(server);
    const [gone] = await deliveriesOfEvent(server, early.eventId);
    expect(gone).toBeDefined();
    await drop(server);
    await expectExactCounts(server);
    expect((await server.api.get(`/v1/events/${early.eventId}`)).status).toBe(200);

    clock.advanceSeconds(2 * weekSeconds);
    await drop(server);
    await expectGone(server, early);
    await expectThere(server, late);
    await expectExactCounts(server);
    // Records stay when their history is deleted.
    expect((await good(server.api.get(`/v1/references/${early.referenceId}`))).body.id).toBe(early.referenceId);
    const deliveries = await allOf(server.api, `/v1/webhook_endpoints/${endpoint.id}/deliveries`);
    expect(deliveries.map(({ id }: { id: string }) => id)).not.toContain(gone.id);
    for (const delivery of deliveries) expect(delivery).toMatchObject({ status: 'delivered', attempt_count: 1 });

    clock.advanceSeconds(10 * weekSeconds);
    await drop(server);
    await expectGone(server, late);
    for (const path of ['/v1/events', '/v1/logs']) {
      expect((await server.api.get(path)).body).toMatchObject({ count: 0, data: [] });
    }
    await expectExactCounts(server);
  });

  test("deletes every account's history with separate counts when retention runs", async () => {
    const { server, clock } = await serverInThePast({ weeks: 10 });
    const tenants = [];
    for (let made = 0; made < 3; made++) {
      const { accountId } = await addAccount(server);
      tenants.push(await addKey(server, accountId, { permissions: [...allPermissions] }));
    }
    for (const [index, { api }] of tenants.entries()) await makeReferences(api, 3 + index);
    clock.advanceSeconds(7 * weekSeconds);
    for (const [index, { api }] of tenants.entries()) await makeReferences(api, 1 + index);
    await drop(server);
    for (const [index, { api }] of tenants.entries()) {
      expect((await api.get('/v1/events')).body.count).toBe(1 + index);
      expect((await api.get('/v1/events?type=reference.*')).body.count).toBe(1 + index);
      expect((await api.get('/v1/logs?status=200')).body.count).toBe(1 + index);
    }
  });

  test('deletes expired weeks of the other accounts when a tree has moved away and is not forgotten', async () => {
    const { server, clock } = await serverInThePast({ weeks: 10 });
    const { accountId } = await addAccount(server);
    const key = await addKey(server, accountId, { permissions: allPermissions });
    const away: TestServer = { ...server, api: apiClient(server.url, key.key) };
    const other = await someOfEverything(server);
    await someOfEverything(away);
    await withClient(server.connection, async (client) => {
      await client.query(
        "insert into account_moves (account_id, root, move, state, cell) values ($1, $1, 'one', 'moved', 'eu2')",
        [accountId],
      );
      // An idempotency key stays until the tree is forgotten, and so does a recovery that was under way.
      const { rows } = await client.query<{ id: string }>('select id from request_logs where account_id = $1 limit 1', [
        accountId,
      ]);
      await client.query(
        `insert into idempotency_keys (key_account_id, account_id, key, claimed_at_ms, fingerprint, request_id)
         values ($1, $1, 'one', 0, '', $2)`,
        [accountId, rows[0]!.id],
      );
      await installGuards(client, await readTreeTables(client));
    });
    clock.advanceSeconds(8 * weekSeconds);
    await drop(server);
    await expectGone(server, other);
    await withClient(server.connection, (client) => forget(client, accountId));
    await expectExactCounts(server);
  });

  test('deletes a week when all of it is a day older than the retention, and no second earlier', async () => {
    const { server, clock } = await serverInThePast({ weeks: 12, settings: { TENURE_RETENTION_DAYS: '2' } });
    const { eventId } = await someOfEverything(server);
    clock.stop();
    const endOfWeekMs = (Math.floor(clock.nowMs() / weekMs) + 1) * weekMs;
    const until = (ms: number): void => clock.advanceSeconds((ms - clock.nowMs()) / 1000);
    until(endOfWeekMs + 3 * daySeconds * 1000 - 30_000);
    await drop(server);
    expect((await server.api.get(`/v1/events/${eventId}`)).status).toBe(200);
    until(endOfWeekMs + 3 * daySeconds * 1000 + 1);
    await drop(server);
    expectRefusal(await server.api.get(`/v1/events/${eventId}`), refusals.idUnknown);
  });

  test('deletes expired history by a duty of every process when duties run', async () => {
    const { server, clock } = await serverInThePast({ weeks: 10 });
    const early = await someOfEverything(server);
    clock.advanceSeconds(7 * weekSeconds);
    const { context } = server;
    const duties = startDuties({ ...context, writeUses: (pool) => context.keyUses.write(pool) });
    onTestFinished(() => duties.stop());
    await expect.poll(async () => (await server.api.get(`/v1/events/${early.eventId}`)).status).toBe(404);
  });
});

test('replays a response for 24 hours when the retention is shorter', async () => {
  const { server, clock } = await serverInThePast({ weeks: 12, settings: { TENURE_RETENTION_DAYS: '2' } });
  clock.stop();
  // At the last moment of a week, so that its partition is as old as possible.
  clock.advanceSeconds(((Math.floor(clock.nowMs() / weekMs) + 1) * weekMs - clock.nowMs()) / 1000 - 5);
  const key = newKey();
  const first = await good(server.api.post('/v1/references', { application: 'app_1' }, key));
  for (const pauseSeconds of [10, 3600, daySeconds - 3600 - 30]) {
    clock.advanceSeconds(pauseSeconds);
    await drop(server);
    expectReplay(await server.api.post('/v1/references', { application: 'app_1' }, key), first);
  }
  // After 24 hours the key is free, though its log stays for the promised time.
  clock.advanceSeconds(60);
  await drop(server);
  const again = await good(server.api.post('/v1/references', { application: 'app_1' }, key));
  expect(again.body.id).not.toBe(first.body.id);
  expect((await server.api.get(`/v1/logs/${first.headers.get('request-id')}`)).status).toBe(200);
});

describe('weeks with pending deliveries', () => {
  test("keeps a week by the delivery's id when a delivery is pending", async () => {
    const { server, clock } = await serverInThePast({ weeks: 10, settings: role('api') });
    await endpointFor(server.api, 'http://127.0.0.1:9/');
    const early = await someOfEverything(server);
    clock.advanceSeconds(weekSeconds);
    const after = await someOfEverything(server);
    await removeFromQueue(server, after.eventId);
    clock.advanceSeconds(9 * weekSeconds);
    await drop(server);
    await expectThere(server, early);
    await expectGone(server, after);
    const [pending] = await deliveriesOfEvent(server, early.eventId);
    expect(pending).toMatchObject({ status: 'pending', attempts: [] });
    await removeFromQueue(server, early.eventId);
    await drop(server);
    await expectGone(server, early);
    await expectExactCounts(server);
  });

  test('refuses a resume position in a kept week when a later week is deleted', async () => {
    const { server, clock } = await serverInThePast({ weeks: 10, settings: role('api') });
    await endpointFor(server.api, 'http://127.0.0.1:9/');
    const early = await someOfEverything(server);
    clock.advanceSeconds(weekSeconds);
    const gone = await someOfEverything(server);
    await removeFromQueue(server, gone.eventId);
    clock.advanceSeconds(9 * weekSeconds);
    await drop(server);
    await expectThere(server, early);
    for (const { eventId } of [early, gone]) {
      const answer = await server.api.get(`/v1/events/stream?after=${eventId}`);
      expectRefusal(answer, {
        status: 400,
        type: 'invalid_request_error',
        code: 'event_cursor_expired',
        param: 'after',
      });
    }
  });

  test("keeps a week by the event's id when its delivery was created at any later time", async () => {
    const { server, clock } = await serverInThePast({ weeks: 10, settings: role('api') });
    const early = await someOfEverything(server);
    clock.advanceSeconds(8 * weekSeconds);
    const endpoint = await pingedEndpoint(server.api, 'http://127.0.0.1:9/');
    const accountId = await firstAccountId(server);
    await server.context.database.readers.query(
      `insert into webhook_queue (account_id, id, event, webhook_endpoint, due_at_ms) values ($1, $2, $3, $4, 0)`,
      [accountId, server.context.ids.make('dlv'), early.eventId, endpoint.id],
    );
    await drop(server);
    await expectThere(server, early);
    await removeFromQueue(server, early.eventId);
    await drop(server);
    await expectGone(server, early);
  });
});

describe('weeks with a recovery', () => {
  test.each([
    ['in a week of its own', 0],
    ['in the default partitions', 12],
  ])('keeps a week until the recovery is over when events are being recovered %s', async (_, weeksAhead) => {
    const { server, clock } = await serverInThePast({ weeks: 40, settings: role('api') });
    const endpoint = await pingedEndpoint(server.api, 'http://127.0.0.1:9/');
    clock.advanceSeconds(weeksAhead * weekSeconds);
    const early = await someOfEverything(server);
    await server.context.database.readers.query('delete from webhook_queue');
    await server.context.database.readers.query(
      `insert into recoveries (account_id, id, created, revision, webhook_endpoint, since, status, resent, position)
       values ($1, $2, 0, 1, $3, $4, 'pending', 0, '')`,
      [await firstAccountId(server), server.context.ids.make('rcv'), endpoint.id, Math.floor(clock.nowMs() / 1000) - 1],
    );
    clock.advanceSeconds(7 * weekSeconds);
    await drop(server);
    await expectThere(server, early);
    await server.context.database.readers.query(`update recoveries set status = 'completed', completed_at = 1`);
    await drop(server);
    await expectGone(server, early);
  });
});

describe('retention beside other work', () => {
  test('keeps every count exact at every moment when others read and write', async () => {
    const { server, clock } = await serverInThePast({ weeks: 14 });
    for (let week = 0; week < 4; week++) {
      await makeReferences(server.api, 20);
      clock.advanceSeconds(weekSeconds);
    }
    clock.advanceSeconds(8 * weekSeconds);
    const dropped = new AbortController();
    let looks = 0;
    const writing = (async () => {
      while (!dropped.signal.aborted) await makeReferences(server.api, 10);
    })();
    const reading = Promise.all(
      Array.from({ length: 3 }, async () => {
        while (!dropped.signal.aborted) {
          await expectExactCounts(server);
          // The API's own lists, whose page and count are of one moment.
          const { body } = await good(server.api.get('/v1/logs?status=4xx&limit=50'));
          expect(body.count).toBe(body.data.length);
          looks++;
        }
      }),
    );
    await server.api.post('/v1/references', {});
    // Each reader begins its next look at once, so looks are under way while the weeks are dropped.
    await expect.poll(() => looks).toBeGreaterThan(0);
    await drop(server).finally(() => dropped.abort());
    await Promise.all([writing, reading]);
    await expectExactCounts(server);
    const { rows } = await server.context.database.readers.query<{ oldest: Id }>(
      'select min(id) as oldest from events',
    );
    expect(timeOfId(rows[0]!.oldest)).toBeGreaterThan(clock.nowMs() - 60_000);
  });

  test('blocks no writer and keeps the week when a long read is open', async () => {
    const { server, clock } = await serverInThePast({ weeks: 10 });
    const early = await someOfEverything(server);
    clock.advanceSeconds(7 * weekSeconds);
    await withClient(server.connection, async (client) => {
      await client.query('begin');
      await client.query('select count(*) from webhook_deliveries');
      await client.query('select count(*) from events');
      const done = new AbortController();
      const repeat = async (ask: () => Promise<unknown>): Promise<void> => {
        while (!done.signal.aborted) await ask();
      };
      const others = Promise.all([
        repeat(() => good(server.api.post('/v1/references', { application: 'app_1' }))),
        repeat(() => good(server.api.get('/v1/events'))),
      ]);
      await expect(drop(server)).rejects.toThrow(TableBusyError);
      done.abort();
      // The read is still open, and none of them waited for its end.
      await others;
      await client.query('rollback');
    });
    await expectThere(server, early);
    await expectExactCounts(server);
    await drop(server);
    await expectGone(server, early);
    await expectExactCounts(server);
  });

  test('blocks no request when new partitions wait for a long read', async () => {
    const { server, clock } = await serverInThePast({ weeks: 10 });
    const laterMs = clock.nowMs() + 20 * weekSeconds * 1000;
    const make = (triesMax: number): Promise<void> =>
      withClient(server.connection, (client) =>
        makePartitionsAhead(client, laterMs, { timeoutMs: 100, pauseMs: 100, triesMax }),
      );
    await withClient(server.connection, async (client) => {
      await client.query('begin');
      await client.query('lock table events in access share mode');
      const making = make(20);
      making.catch(() => {});
      // The read is still open, and none of them waits for its end.
      for (let number = 0; number < 10; number++)
        await good(server.api.post('/v1/references', { application: 'app_1' }));
      await expect(making).rejects.toThrow(TableBusyError);
      await client.query('rollback');
    });
    await make(20);
  });

  test('keeps exact counts and finishes later when retention is killed in the middle', async () => {
    const { server, clock } = await serverInThePast({ weeks: 10 });
    const early = await someOfEverything(server);
    clock.advanceSeconds(7 * weekSeconds);
    await withClient(server.connection, async (client) => {
      await client.query('begin');
      await client.query('select count(*) from request_logs');
      const dropping = drop(server);
      dropping.catch(() => {});
      const kill = async (): Promise<number> => {
        const { rowCount } = await server.context.database.readers.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and query ~ '^drop table request_logs' and wait_event_type = 'Lock'`,
        );
        return rowCount!;
      };
      await expect.poll(kill, { interval: 5 }).toBe(1);
      await expect(dropping).rejects.toThrow('terminating connection');
      await client.query('rollback');
    });
    // The week's events were deleted, its logs were not.
    expectRefusal(await server.api.get(`/v1/events/${early.eventId}`), refusals.idUnknown);
    expect((await server.api.get(`/v1/logs/${early.logId}`)).status).toBe(200);
    await expectExactCounts(server);
    await drop(server);
    await expectGone(server, early);
    await expectExactCounts(server);
  });

  test('deletes a week once when two processes run retention', async () => {
    const { server, clock } = await serverInThePast({ weeks: 10 });
    const other = await serverForTest({
      connection: server.connection,
      secretKey: server.secretKey,
      overrides: { clock },
    });
    await makeReferences(server.api, 30);
    clock.advanceSeconds(7 * weekSeconds);
    await makeReferences(other.api, 5);
    await Promise.all(Array.from({ length: 6 }, (_, index) => drop([server, other][index % 2]!)));
    await drop(other);
    expect((await server.api.get('/v1/logs')).body.count).toBe(5);
    await expectExactCounts(server);
  });

  test('stops the server without a wait when retention is running', async () => {
    const { server, clock } = await serverInThePast({ weeks: 10 });
    const early = await someOfEverything(server);
    clock.advanceSeconds(7 * weekSeconds);
    await withClient(server.connection, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select tableoid::regclass::text as name from request_logs where id = $1`,
        [early.logId],
      );
      await client.query('begin');
      await client.query(`lock table ${rows[0]!.name} in access exclusive mode`);
      const stopping = new AbortController();
      const dropping = drop(server, stopping.signal);
      const waiting = async (): Promise<number> => {
        const found = await server.context.database.readers.query(
          `select 1 from pg_stat_activity
           where datname = current_database() and query ~ '^insert into pg_temp.dropped' and wait_event_type = 'Lock'`,
        );
        return found.rowCount!;
      };
      await expect.poll(waiting).toBe(1);
      stopping.abort();
      // The table is still locked, and the wait for it has ended.
      await dropping;
      await client.query('rollback');
    });
    await drop(server);
    await expectGone(server, early);
  });
});

describe('default partitions', () => {
  test('deletes old rows of a default partition with exact counts at every moment when retention runs', async () => {
    const { server, clock } = await serverInThePast({ weeks: 40 });
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(server.api, receiver.url);
    // Later than the last partition made.
    clock.advanceSeconds(12 * weekSeconds);
    const early = await someOfEverything(server);
    await makeReferences(server.api, 1_500);
    await queueEmpty(server);
    for (const [, count] of await inDefault(server)) expect(count).toBeGreaterThan(0);
    clock.advanceSeconds(6 * weekSeconds);
    const late = await someOfEverything(server);
    await queueEmpty(server);

    const dropped = new AbortController();
    const reading = (async () => {
      while (!dropped.signal.aborted) await expectExactCounts(server);
    })();
    await drop(server).finally(() => dropped.abort());
    await reading;
    await expectGone(server, early);
    await expectThere(server, late);
    await expectExactCounts(server);
    expect((await server.api.get('/v1/logs')).body.count).toBe((await allOf(server.api, '/v1/logs')).length);
    const deliveries = await allOf(server.api, `/v1/webhook_endpoints/${endpoint.id}/deliveries`);
    for (const delivery of deliveries) expect(delivery.status).toBe('delivered');
  });

  test('keeps rows from the week of the oldest pending delivery on when a default partition is cleaned', async () => {
    const { server, clock } = await serverInThePast({ weeks: 40, settings: role('api') });
    const endpoint = await pingedEndpoint(server.api, 'http://127.0.0.1:9/');
    clock.advanceSeconds(12 * weekSeconds);
    const early = await someOfEverything(server);
    clock.advanceSeconds(weekSeconds);
    const pending = await someOfEverything(server);
    await server.context.database.readers.query(
      `insert into webhook_queue (account_id, id, event, webhook_endpoint, due_at_ms) values ($1, $2, $3, $4, 0)`,
      [await firstAccountId(server), server.context.ids.make('dlv'), pending.eventId, endpoint.id],
    );
    clock.advanceSeconds(6 * weekSeconds);
    await drop(server);
    await expectGone(server, early);
    await expectThere(server, pending);
    await removeFromQueue(server, pending.eventId);
    await drop(server);
    await expectGone(server, pending);
    await expectExactCounts(server);
  });
});

interface Made {
  referenceId: string;
  eventId: string;
  logId: string;
}

/** Starts a server with its clock this many weeks in the past, and the partitions of that time. */
async function serverInThePast({
  weeks,
  settings = {},
}: {
  weeks: number;
  settings?: Record<string, string>;
}): Promise<{ server: TestServer; clock: TestClock }> {
  const clock = new TestClock();
  clock.advanceSeconds(-weeks * weekSeconds);
  const server = await serverForTest({
    settings: { TENURE_RETENTION_DAYS: String(retentionDays), ...settings },
    overrides: { clock },
  });
  return { server, clock };
}

/** Sends requests of several kinds and outcomes. */
async function someOfEverything(server: TestServer): Promise<Made> {
  const made = await good(server.api.post('/v1/references', { application: 'app_1' }));
  await server.api.post('/v1/references', {});
  await good(server.api.post(`/v1/references/${made.body.id}`, { metadata: { a: 'b' } }));
  await server.api.delete('/v1/customers/cus_1');
  const { body } = await good(server.api.get(`/v1/events?object_id=${made.body.id}&type=reference.created`));
  return { referenceId: made.body.id, eventId: body.data[0].id, logId: made.headers.get('request-id')! };
}

async function drop({ context }: TestServer, signal = new AbortController().signal): Promise<void> {
  const { connection, database, clock, config, resources } = context;
  await dropOldHistory(
    { connection, readers: database.readers },
    { nowMs: clock.nowMs(), retentionDays: config.retentionDays, resources },
    signal,
  );
}

async function expectGone({ api }: TestServer, { eventId, logId }: Made): Promise<void> {
  expectRefusal(await api.get(`/v1/events/${eventId}`), refusals.idUnknown);
  expectRefusal(await api.get(`/v1/events/${eventId}/deliveries`), refusals.idUnknown);
  expectRefusal(await api.get(`/v1/logs/${logId}`), refusals.idUnknown);
}

async function expectThere({ api }: TestServer, { eventId, logId }: Made): Promise<void> {
  expect((await api.get(`/v1/events/${eventId}`)).status).toBe(200);
  expect((await api.get(`/v1/logs/${logId}`)).status).toBe(200);
}

/** Checks that the counts equal the rows, by every dimension, at one moment. */
async function expectExactCounts({ context }: TestServer): Promise<void> {
  const { rows } = await context.database.listers.query(`
    with there as (
      select account_id, 'event' as object, dimension, value, count(*) as number
      from events, lateral (
        values ('', ''), ('type', type), ('actor_type', actor_type), ('actor_id', actor_id)
      ) of_row (dimension, value)
      where value is not null
      group by 1, 3, 4
      union all
      select account_id, 'log', dimension, value, count(*)
      from request_logs, lateral (
        values ('', ''), ('method', method), ('status', status::text), ('source', source), ('key_id', key_id),
          ('error_code', error_code)
      ) of_row (dimension, value)
      where value is not null
      group by 1, 3, 4
    ),
    counted as (
      select account_id, object, dimension, value, sum(delta) as number
      from count_deltas
      where object in ('event', 'log')
      group by 1, 2, 3, 4
    )
    select object, dimension, value, there.number as there, counted.number as counted
    from there
    full join counted using (account_id, object, dimension, value)
    where coalesce(there.number, 0) <> coalesce(counted.number, 0)`);
  expect(rows).toEqual([]);
}

async function deliveriesOfEvent({ api }: TestServer, eventId: string): Promise<ApiResponse['body'][]> {
  return (await good(api.get(`/v1/events/${eventId}/deliveries`))).body.data;
}

async function removeFromQueue({ context }: TestServer, eventId: string): Promise<void> {
  const { rowCount } = await context.database.readers.query('delete from webhook_queue where event = $1', [eventId]);
  expect(rowCount).toBe(1);
}

/** Counts the rows of each table's default partition. */
async function inDefault({ context }: TestServer): Promise<[string, number][]> {
  const counts: [string, number][] = [];
  for (const table of tables) {
    const { rows } = await context.database.readers.query<{ count: number }>(`select count(*) from ${table}_default`);
    counts.push([table, rows[0]!.count]);
  }
  return counts;
}

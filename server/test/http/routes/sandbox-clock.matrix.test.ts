import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dropOldHistory } from '../../../src/maintenance/drop-old-history.ts';
import { purgeIdempotencyKeys } from '../../../src/maintenance/purge-idempotency-keys.ts';
import { MovedClock } from '../../../src/core/clock.ts';
import { UnavailableError, withClient } from '../../../src/db/pools.ts';
import { partitionedTables } from '../../../src/db/partitions.ts';
import { disableFailingEndpoints } from '../../../src/webhooks/auto-disable.ts';
import { startDuties } from '../../../src/maintenance/scheduler.ts';
import { TestClock } from '../../support/clock.ts';
import { pdfOf } from '../../support/files.ts';
import { anotherServer, expectCarriedOut, expectReplay, newKey, requestIdOf } from '../../support/idempotency.ts';
import { receiverForTest } from '../../support/receiver.ts';
import { expectRefusal, invalid, missing, refusals, unknown } from '../../support/refusals.ts';
import { good, serverForTest, type Api, type ApiResponse, type TestServer } from '../../support/server.ts';
import { addAccount, addKey } from '../../support/tenants.ts';
import { latestVersion } from '../../support/versions.ts';
import {
  attempted,
  endpointFor,
  Gate,
  makeReferences,
  over,
  ping,
  pingedEndpoint,
  placesOf,
  queueEmpty,
  role,
  soon,
} from '../../webhooks/scenario.ts';

const path = '/v1/test_helpers/clock/advance';
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 366 * day;

function advance(api: Api, seconds: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
  return api.post(path, { seconds }, headers);
}

/** Returns the deployment's time, as a new record shows it. */
async function timeOf(api: Api): Promise<number> {
  return (await good(api.post('/v1/customers', { name: 'Ada' }))).body.created;
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

describe('clock advances', () => {
  test('refuses to move, and blocks no other request, while another transaction reads the history', async () => {
    const server = await serverForTest();
    await withClient(server.connection, async (client) => {
      await client.query('begin');
      await client.query('lock table events in access share mode');
      const moving = advance(server.api, 60 * day);
      expect(await timeOf(server.api)).toBeLessThan(nowSeconds() + day);
      expectRefusal(await moving, { ...refusals.unavailable, says: /Nothing was changed/ });
      await client.query('rollback');
    });
    await good(advance(server.api, 60 * day));
  });

  test('moves the time of all new records by exactly the request, in increasing id order, when the clock is advanced', async () => {
    const { api } = await serverForTest();
    const before = (await good(api.post('/v1/references', { application: 'app_1' }))).body;
    const { body } = await good(advance(api, 3 * day));
    expect(body).toEqual({ object: 'clock', now: expect.any(Number), advanced_by: 3 * day });
    expect(Math.abs(body.now - nowSeconds() - 3 * day)).toBeLessThan(minute);
    const after = (await good(api.post('/v1/references', { application: 'app_1' }))).body;
    expect(Math.abs(after.created - nowSeconds() - 3 * day)).toBeLessThan(minute);
    expect(after.id > before.id).toBe(true);
    const listed = (await good(api.get('/v1/references'))).body.data;
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([after.id, before.id]);
    const events = (await good(api.get(`/v1/events?created[gte]=${before.created + 2 * day}`))).body.data;
    expect(events.map(({ data }: { data: { object: { id: string } } }) => data.object.id)).toEqual([after.id]);
    expect((await good(advance(api, 1))).body.advanced_by).toBe(3 * day + 1);
  });

  test('writes a log and no event when the clock is advanced', async () => {
    const { api } = await serverForTest();
    const answer = await good(advance(api, day));
    const log = (await good(api.get(`/v1/logs/${answer.headers.get('request-id')}`))).body;
    expect(log).toMatchObject({ method: 'POST', path, status: 200, request_body: `{"seconds":${day}}`, events: [] });
    expect(log.response_body).toBe(answer.text);
    // The clock's leap is no part of it.
    expect(log.duration_ms).toBeLessThan(day * 1_000);
  });

  test.each([hour, 2 * day, year])('advances %d seconds once when its request is repeated', async (seconds) => {
    const { api } = await serverForTest();
    const key = newKey();
    const first = await good(advance(api, seconds, key));
    expectReplay(await advance(api, seconds, key), first);
    expectRefusal(await advance(api, seconds - 1, key), refusals.idempotencyReused);
    expect((await good(advance(api, 1))).body.advanced_by).toBe(seconds + 1);
  });

  test('applies every advance when several processes and accounts advance the clock at once', async () => {
    const one = await serverForTest();
    const other = await anotherServer(one);
    const { accountId } = await addAccount(one);
    const { key } = await addKey(one, accountId, { permissions: ['accounts.write'] });
    const stranger = { authorization: `Bearer ${key}` };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        advance(index % 2 === 0 ? one.api : other.api, hour, index % 3 === 0 ? stranger : {}),
      ),
    );
    const totals = answers.map(({ body }) => body.advanced_by).toSorted((left, right) => left - right);
    expect(totals).toEqual(Array.from({ length: 12 }, (_, index) => (index + 1) * hour));
  });

  test('refuses an advance and moves nothing when it is not a whole number of seconds up to 366 days', async () => {
    const { api } = await serverForTest();
    for (const seconds of [0, -1, year + 1, 1.5, '60', null, true, 1e300])
      expectRefusal(await advance(api, seconds), invalid('seconds'));
    expectRefusal(await api.post(path, {}), missing('seconds'));
    expectRefusal(await api.post(path, { seconds: 1, days: 1 }), unknown('days'));
    expect(Math.abs((await timeOf(api)) - nowSeconds())).toBeLessThan(minute);
  });

  test('refuses an advance beyond the year 2100, and leaves its key free, when one is sent', async () => {
    const clock = new TestClock();
    clock.advanceSeconds(Date.UTC(2100, 11, 31, 12) / 1000 - nowSeconds());
    const { api } = await serverForTest({ overrides: { clock } });
    const key = newKey();
    const refused = await advance(api, 13 * hour, key);
    expectRefusal(refused, { ...invalid('seconds'), says: '2100' });
    expect((await good(advance(api, 11 * hour, key))).body.advanced_by).toBe(11 * hour);
    expect(new Date((await timeOf(api)) * 1000).toISOString()).toMatch(/^2100-12-31T23/);
    expectRefusal(await advance(api, 2 * hour), invalid('seconds'));
  });

  test('requires the permission to change accounts when the clock is advanced', async () => {
    const server = await serverForTest();
    const { accountId } = await addAccount(server);
    const { api } = await addKey(server, accountId, { permissions: ['accounts.read', 'references.write'] });
    expectRefusal(await advance(api, day), refusals.permission);
    expect(Math.abs((await timeOf(server.api)) - nowSeconds())).toBeLessThan(minute);
  });
});

describe('the clock in live mode', () => {
  test("offers no clock route and uses the real time when the mode is live, also if the deployment's row has an offset", async () => {
    const settings = { TENURE_MODE: 'live' };
    const first = await serverForTest({ settings });
    await first.context.database.readers.query('update deployment set clock_ahead_ms = $1', [day * 1000]);
    const live = await anotherServer(first, { settings });
    expectRefusal(await advance(await liveKeyOf(live), day), refusals.routeUnknown);
    const { paths } = (await good(live.api.get('/openapi.json'))).body;
    expect(Object.keys(paths).filter((known) => known.includes('test_helpers'))).toEqual([]);
    expect(Math.abs(live.context.clock.nowMs() - Date.now())).toBeLessThan(minute * 1000);
  });
});

describe('effects of an advance', () => {
  test('applies the new time in every process when an advance is answered', async () => {
    const one = await serverForTest({ settings: role('all') });
    const other = await anotherServer(one, { settings: role('all') });
    for (let round = 1; round <= 3; round++) {
      await good(advance(one.api, day));
      expect(Math.abs((await timeOf(other.api)) - nowSeconds() - round * day)).toBeLessThan(minute);
    }
    // In both directions.
    await good(advance(other.api, day));
    expect(Math.abs((await timeOf(one.api)) - nowSeconds() - 4 * day)).toBeLessThan(minute);
  });

  test('applies the new time when a process starts later', async () => {
    const one = await serverForTest();
    await good(advance(one.api, 30 * day));
    const restarted = await anotherServer(one);
    expect(Math.abs((await timeOf(restarted.api)) - nowSeconds() - 30 * day)).toBeLessThan(minute);
  });

  test('finds retries due in a process that only delivers when the clock is advanced', async () => {
    const receiver = await receiverForTest(500, 200);
    const one = await serverForTest({ settings: role('api') });
    await anotherServer(one, { settings: role('worker') });
    const endpoint = await pingedEndpoint(one.api, receiver.url);
    await ping(one.api, endpoint.id);
    await attempted(one.api, endpoint.id, 1);
    await good(advance(one.api, hour));
    expect(await over(one.api, endpoint.id)).toMatchObject({ status: 'delivered', attempt_count: 2 });
  });

  test('makes the retries of days one after the other when the clock is advanced past them', async () => {
    const receiver = await receiverForTest(500);
    const { api } = await serverForTest({ settings: { TENURE_RETRY_SCHEDULE: '3600,86400,259200' } });
    const endpoint = await pingedEndpoint(api, receiver.url);
    await ping(api, endpoint.id);
    for (let attempts = 1; attempts < 4; attempts++) {
      await attempted(api, endpoint.id, attempts);
      await good(advance(api, 4 * day));
    }
    const delivery = await over(api, endpoint.id);
    expect(delivery).toMatchObject({ status: 'failed', attempt_count: 4 });
    const times = delivery.attempts.map(({ created }: { created: number }) => created);
    for (const [index, time] of times.slice(1).entries()) expect(time - times[index]).toBeGreaterThanOrEqual(4 * day);
  });

  test("signs with the receivers' time when the clock is advanced", async () => {
    const receiver = await receiverForTest();
    const { api } = await serverForTest();
    const endpoint = await pingedEndpoint(api, receiver.url);
    await good(advance(api, 30 * day));
    await ping(api, endpoint.id);
    const [delivery] = await receiver.count(1);
    const { headers, body } = delivery!;
    const signedAt = Number(/t=(\d+)/.exec(String(headers['service-signature']))![1]);
    expect(Math.abs(signedAt - nowSeconds())).toBeLessThan(minute);
    expect(Math.abs(body.created - nowSeconds() - 30 * day)).toBeLessThan(minute);
  });

  test('does not repeat an attempt when the clock is advanced during it', async () => {
    const gate = new Gate();
    const receiver = await receiverForTest((response) => void gate.pass().then(() => response.writeHead(200).end()));
    const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 20 } } });
    await anotherServer(server, { overrides: { dispatcherLimits: { pollMs: 20 } } });
    const endpoint = await pingedEndpoint(server.api, receiver.url);
    await ping(server.api, endpoint.id);
    await receiver.count(1);
    await good(advance(server.api, 5 * day));
    await delay(500);
    expect(await placesOf(server, endpoint.id)).toHaveLength(1);
    gate.open();
    expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'delivered', attempt_count: 1 });
    expect(receiver.received).toHaveLength(1);
  });

  test('forgets a key of a day ago and keeps one of an hour ago when the clock is advanced', async () => {
    const { api } = await serverForTest();
    const [early, late] = [newKey(), newKey()];
    const make = (key: Record<string, string>) => api.post('/v1/references', { application: 'app_1' }, key);
    const first = await good(make(early));
    await good(advance(api, 23 * hour));
    expectReplay(await make(early), first);
    const second = await good(make(late));
    await good(advance(api, hour));
    expectCarriedOut(await make(early));
    expectReplay(await make(late), second);
  });

  test('refuses to roll an upgrade back when the clock is advanced by 72 hours', async () => {
    const { api } = await serverForTest({ settings: { TENURE_LATEST_VERSION: '2025-09-01' } });
    const upgrade = () => api.post('/v1/account/api_version', { api_version: latestVersion });
    await good(upgrade());
    await good(advance(api, 71 * hour));
    await good(api.post('/v1/account/api_version/rollback'));
    await good(upgrade());
    await good(advance(api, 72 * hour));
    expectRefusal(await api.post('/v1/account/api_version/rollback'), {
      status: 400,
      type: 'invalid_request_error',
      code: 'rollback_expired',
    });
  });

  test('refuses an API key when the clock is advanced past its end', async () => {
    const one = await serverForTest({ settings: role('all') });
    const other = await anotherServer(one, { settings: role('all') });
    const asked = { type: 'restricted', permissions: ['references.read'], expires_at: nowSeconds() + day };
    const { secret } = (await good(one.api.post('/v1/api_keys', asked))).body;
    const headers = { authorization: `Bearer ${secret}` };
    await good(other.api.get('/v1/references', headers));
    await good(advance(one.api, day));
    for (const { api } of [one, other]) expect((await api.get('/v1/references', headers)).status).toBe(401);
  });

  test('disables an endpoint when the clock is advanced past five days of failures', async () => {
    const receiver = await receiverForTest(500);
    const server = await serverForTest({ settings: { TENURE_RETRY_SCHEDULE: 'none' } });
    const endpoint = await endpointFor(server.api, receiver.url);
    for (let days = 0; days <= 5; days++) {
      if (days > 0) await good(advance(server.api, day));
      await makeReferences(server.api, 4);
      await queueEmpty(server);
    }
    await disableFailingEndpoints(server.context);
    const { body } = await good(server.api.get(`/v1/webhook_endpoints/${endpoint.id}`));
    expect(body.status).toBe('disabled');
  });

  test('deletes exactly the history older than the retention when the clock is advanced', async () => {
    const { api, context } = await serverForTest();
    const { id } = (await good(api.post('/v1/references', { application: 'app_1' }))).body;
    const [event] = (await good(api.get(`/v1/events?object_id=${id}`))).body.data;
    await good(advance(api, 60 * day));
    await makeReferences(api, 1);
    await removeHistory(context);
    expectRefusal(await api.get(`/v1/events/${event.id}`), refusals.idUnknown);
    await good(api.get(`/v1/references/${id}`));
    expect((await good(api.get('/v1/events'))).body.count).toBe(1);
  });

  test('replays an advance for a day when retention has removed what was written before', async () => {
    const { api, context } = await serverForTest();
    const key = newKey();
    const first = await good(advance(api, 120 * day, key));
    await removeHistory(context);
    expectReplay(await advance(api, 120 * day, key), first);
    await good(advance(api, 2 * day));
    await purgeIdempotencyKeys(context.database.readers, context.clock.nowMs());
    await removeHistory(context);
    expectRefusal(await api.get(`/v1/logs/${requestIdOf(first)}`), refusals.idUnknown);
    expectCarriedOut(await advance(api, 120 * day, key));
  });

  test('replays an advance when retention clears the default partition with its log', async () => {
    const clock = new TestClock();
    const { api, context } = await serverForTest({ overrides: { clock } });
    clock.advanceSeconds(100 * day);
    const key = newKey();
    const old = await good(api.post('/v1/customers', { name: 'Ada' }));
    const first = await good(advance(api, 120 * day, key));
    await removeHistory(context);
    expectReplay(await advance(api, 120 * day, key), first);
    expectRefusal(await api.get(`/v1/logs/${requestIdOf(old)}`), refusals.idUnknown);
  });

  test('answers an advance as committed when this process cannot read the clock afterwards', async () => {
    let looks = 0;
    const server = await serverForTest({
      changeContext(context) {
        const look = context.sandboxClock!.look.bind(context.sandboxClock);
        context.sandboxClock!.look = async () => {
          // The first read belongs to the decision.
          if (++looks === 2) throw new UnavailableError(false, new Error('The database went away.'));
          return look();
        };
        context.sandboxClock!.stop();
        return context;
      },
    });
    expect((await advance(server.api, day)).body).toMatchObject({ object: 'clock', advanced_by: day });
    expect(looks).toBeGreaterThanOrEqual(2);
  });

  test('keeps a running upload when the clock is advanced past the limit for interrupted ones', async () => {
    const server = await serverForTest();
    const upload = await begunUpload(server);
    await good(advance(server.api, 5 * hour));
    const succeeded = new Set<string>();
    const metrics = { duties: { succeeded: (duty: string) => void succeeded.add(duty), failed: () => {} } };
    const duties = startDuties({ ...server.context, metrics, writeUses: async () => {} });
    onTestFinished(() => duties.stop());
    await expect.poll(() => succeeded.has('purge uploads'), soon).toBe(true);
    const file = JSON.parse(await upload.finish());
    const contents = await server.api.get(`/v1/files/${file.id}/contents`);
    expect([contents.status, contents.text.length]).toEqual([200, file.size]);
  });
});

describe('partitions of the new time', () => {
  test('makes the partitions before anything is written when the clock is advanced by any time', async () => {
    const server = await serverForTest();
    for (let round = 0; round < 3; round++) {
      await good(advance(server.api, year));
      await makeReferences(server.api, 1);
    }
    expect(await rowsInDefaults(server)).toBe(0);
  });

  test('moves rows out of the default partitions without loss when new partitions are made around them', async () => {
    const clock = new TestClock();
    const server = await serverForTest({ overrides: { clock } });
    // As after eight weeks in which no duty has made a partition.
    clock.advanceSeconds(100 * day);
    await makeReferences(server.api, 2);
    expect(await rowsInDefaults(server)).toBeGreaterThan(0);
    const fallen = (await good(server.api.get('/v1/events?type=reference.created'))).body.data;
    await good(advance(server.api, 1));
    await good(advance(server.api, 7 * day));
    const before = await rowsInDefaults(server);
    await makeReferences(server.api, 2);
    expect(await rowsInDefaults(server)).toBe(before);
    const all = (await good(server.api.get('/v1/events?type=reference.created'))).body.data;
    expect(all).toHaveLength(4);
    expect(all.slice(2)).toEqual(fallen);
  });
});

async function removeHistory({ connection, database, clock, config, resources }: TestServer['context']): Promise<void> {
  await dropOldHistory(
    { connection, readers: database.readers },
    { nowMs: clock.nowMs(), retentionDays: config.retentionDays, resources },
    new AbortController().signal,
  );
}

test('never moves a clock back when it learns of its offset in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 1e12 }), { maxLength: 20 }), (news) => {
      const moved = new MovedClock({ nowMs: () => 1_000 });
      let latestMs = moved.nowMs();
      expect(latestMs).toBe(1_000);
      for (const aheadMs of news) {
        moved.moveTo(aheadMs);
        expect(moved.nowMs()).toBeGreaterThanOrEqual(latestMs);
        latestMs = moved.nowMs();
      }
      expect(latestMs).toBe(1_000 + Math.max(0, ...news));
    }),
  );
});

/** Returns a key of a live deployment. The deployment was a sandbox before, so the key is written to the database directly. */
async function liveKeyOf(live: TestServer): Promise<Api> {
  const { accountId } = await addAccount(live);
  return (await addKey(live, accountId, { permissions: ['accounts.write'] })).api;
}

async function rowsInDefaults({ context }: TestServer): Promise<number> {
  let count = 0;
  for (const { table } of partitionedTables) {
    const { rows } = await context.database.readers.query<{ count: number }>(
      `select count(*) as count from ${table}_default`,
    );
    count += rows[0]!.count;
  }
  return count;
}

/** Begins an upload and stores its beginning. `finish` sends the rest and returns the response. */
async function begunUpload({ url, secretKey, context }: TestServer): Promise<{ finish(): Promise<string> }> {
  const bytes = pdfOf('x'.repeat(600_000));
  const head = [
    '--x\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nreference_report\r\n',
    '--x\r\ncontent-disposition: form-data; name="file"; filename="report.pdf"\r\ncontent-type: application/pdf\r\n\r\n',
  ].join('');
  const sending = request(`${url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'multipart/form-data; boundary=x' },
  });
  const answered = new Promise<string>((resolve, reject) => {
    sending.on('error', reject).on('response', (response) => {
      let text = '';
      response.on('data', (piece) => (text += String(piece))).on('end', () => resolve(text));
    });
  });
  sending.write(head);
  sending.write(bytes.subarray(0, 500_000));
  const parts = 'select count(*) as count from file_parts';
  await expect
    .poll(async () => (await context.database.readers.query<{ count: number }>(parts)).rows[0]!.count, soon)
    .toBeGreaterThan(0);
  return {
    finish() {
      sending.write(bytes.subarray(500_000));
      sending.end('\r\n--x--\r\n');
      return answered;
    },
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { buildApp } from '../../src/http/app.ts';
import { expectRefusal, invalid, refusals, unknown } from '../support/refusals.ts';
import {
  apiClient,
  good,
  serverForTest,
  startTestServer,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { TestClock } from '../support/clock.ts';
import { addAccount, addKey, type Tenant } from '../support/tenants.ts';
import { versions } from '../support/versions.ts';
import { createReference, idsInOrder, multiplyEvents, streamForTest, untilSettled } from './scenario.ts';
import { waitMs } from '../support/wait.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('event streams', () => {
  test('sends each event committed from now on as the list shows it when a stream is opened', async () => {
    const tenant = await addAccount(server);
    await createReference(tenant);
    const stream = await streamForTest(server.url, tenant.key);
    const [before] = await idsInOrder(tenant, server);
    const ids = [];
    for (let number = 0; number < 3; number++) ids.push((await createReference(tenant)).id);
    await good(tenant.api.post(`/v1/references/${ids[0]}`, { outcome: 'accept' }));
    const events = await stream.count(5);
    expect(events.map(({ type }) => type)).toEqual([
      'reference.created',
      'reference.created',
      'reference.created',
      'reference.updated',
      'reference.completed',
    ]);
    const listed = (await good(tenant.api.get('/v1/events?limit=5'))).body.data;
    expect(events.toReversed()).toStrictEqual(listed);
    expect(stream.ids).toEqual(events.map(({ id }) => id));
    // The exact bytes, with no further lines.
    const texts = listed.toReversed().map((event: unknown) => JSON.stringify(event));
    const messages = texts.map((text: string, index: number) => `id: ${stream.ids[index]}\ndata: ${text}\n\n`);
    // An event is only settled when all older transactions of the database's cluster have ended.
    const begins = [before, 'beginning'].map((id) => `retry: 1000\nid: ${id}\n\n${messages.join('')}`);
    expect(begins).toContain(stream.text.join(''));
  });

  test('says where it begins, so that a client loses nothing when the stream breaks before an event', async () => {
    const tenant = await addAccount(server);
    for (const expected of ['beginning', /^evt_/]) {
      await untilSettled(tenant, server);
      const stream = await streamForTest(server.url, tenant.key);
      await expect.poll(() => stream.lastId).toMatch(expected);
      stream.close();
      const { id } = await createReference(tenant);
      const resumed = await streamForTest(server.url, tenant.key, { headers: { 'last-event-id': stream.lastId! } });
      const [event] = await resumed.count(1);
      expect(event.data.object.id).toBe(id);
      expect(resumed.text.join('')).toMatch(/^retry: 1000\n\n/);
    }
  });

  test('begins before events that are being committed, although newer ones are stored', async () => {
    const tenant = await addAccount(server);
    await createReference(tenant);
    const [settled] = await idsInOrder(tenant, server);
    await untilSettled(tenant, server);
    const held = await holdTransaction();
    const late = await held.copyNewestEvent(tenant);
    await createReference(tenant);
    const stream = await streamForTest(server.url, tenant.key);
    await expect.poll(() => stream.lastId).toBe(settled);
    stream.close();
    await held.commit();
    const resumed = await streamForTest(server.url, tenant.key, { query: `?after=${settled}` });
    await resumed.count(2);
    expect(resumed.ids[0]).toBe(late);
  });

  test('begins with the first stored event when it is asked for the beginning', async () => {
    const tenant = await addAccount(server);
    for (let number = 0; number < 3; number++) await createReference(tenant);
    const stream = await streamForTest(server.url, tenant.key, { query: '?after=beginning' });
    await stream.count(3);
    expect(stream.ids).toEqual(await idsInOrder(tenant, server));
  });

  test('tells proxies not to store, change or buffer the stream when it is opened', async () => {
    const tenant = await addAccount(server);
    const { response } = await streamForTest(server.url, tenant.key, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'request-id': expect.stringMatching(/^req_/),
      'service-version': versions[0],
    });
    expect(response.headers).not.toHaveProperty('content-encoding');
    expect(response.headers).not.toHaveProperty('content-length');
  });

  test('sends events in the version of the request when a stream asks for one', async () => {
    const tenant = await addAccount(server);
    const streams = await Promise.all(
      versions.map((version) => streamForTest(server.url, tenant.key, { headers: { 'service-version': version } })),
    );
    await createReference(tenant, { reference_pdf: undefined });
    for (const [index, stream] of streams.entries()) {
      const [event] = await stream.count(1);
      const header = { 'service-version': versions[index]! };
      expect(event).toStrictEqual((await good(tenant.api.get('/v1/events', header))).body.data[0]);
      expect(stream.response.headers['service-version']).toBe(versions[index]);
    }
  });

  test('sends only the events of one account when Service-Context names it', async () => {
    const child = (await good(server.api.post('/v1/accounts', { name: 'Connected' }))).body.id;
    const context = { 'service-context': child };
    const [own, connected] = await Promise.all([
      streamForTest(server.url, server.secretKey),
      streamForTest(server.url, server.secretKey, { headers: context }),
    ]);
    await good(server.api.post('/v1/references', { application: 'app_1' }, context));
    await good(server.api.post('/v1/references', { application: 'app_2' }));
    const [theirs] = await connected.count(1);
    const [ours] = await own.count(1);
    expect([theirs.data.object.application, ours.data.object.application]).toEqual(['app_1', 'app_2']);
    expect(theirs).not.toHaveProperty('account');
    await delay(300);
    expect([own.events.length, connected.events.length]).toEqual([1, 1]);
  });

  test('sends only matching events when a stream has filters', async () => {
    const tenant = await addAccount(server);
    const customer = (await good(tenant.api.post('/v1/customers', { name: 'Grace' }))).body.id;
    const first = await createReference(tenant, { customer });
    const [start] = (await good(tenant.api.get('/v1/events?limit=1'))).body.data;
    const asked: [query: string, finds: (event: ApiResponse['body']) => boolean][] = [
      ['type=reference.*', ({ type }) => type.startsWith('reference.')],
      ['type=reference.created', ({ type }) => type === 'reference.created'],
      ['type=*', () => true],
      ['type=api_key.rolled', () => false],
      [`actor=${tenant.keyId}`, () => true],
      ['actor=api_key&type=customer.*', ({ type }) => type.startsWith('customer.')],
      ['actor=system', () => false],
      [`object_id=${first.id}`, ({ data }) => data.object.id === first.id],
      [`related_object=${customer}`, ({ data }) => [data.object.id, data.object.customer].includes(customer)],
      [
        `related_object=${customer}&type=customer.*`,
        ({ data, type }) => data.object.id === customer && type.startsWith('customer.'),
      ],
    ];
    const streams = await Promise.all(
      asked.map(([query]) => streamForTest(server.url, tenant.key, { query: `?${query}` })),
    );
    await createReference(tenant);
    await good(tenant.api.post(`/v1/references/${first.id}`, { outcome: 'accept' }));
    await good(tenant.api.post(`/v1/customers/${customer}`, { phone: '1' }));
    const last = await createReference(tenant, { application: 'app_last' });
    const all = await streamForTest(server.url, tenant.key, { query: `?after=${start.id}` });
    const events = await all.count(5);
    expect(events.at(-1).data.object.id).toBe(last.id);
    for (const [index, [, finds]] of asked.entries()) await streams[index]!.count(events.filter(finds).length);
    await delay(300);
    for (const [index, [query, finds]] of asked.entries()) {
      expect([query, streams[index]!.ids]).toEqual([query, events.filter(finds).map(({ id }) => id)]);
      // Events from memory and events read from the database are the same.
      const again = await streamForTest(server.url, tenant.key, { query: `?${query}&after=${start.id}` });
      await again.count(events.filter(finds).length);
      expect([query, again.ids]).toEqual([query, streams[index]!.ids]);
    }
  });

  test('returns 404 or 405 when a request only resembles one for a stream', async () => {
    expectRefusal(await server.api.post('/v1/events/stream', {}), {
      ...refusals.methodNotAllowed,
      says: 'Use GET.',
    });
    expectRefusal(await server.api.get('/v1/events/streams'), refusals.idUnknown);
    expectRefusal(await server.api.get('/v1/events/stream/deliveries'), refusals.idUnknown);
    const head = await fetch(`${server.url}/v1/events/stream`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${server.secretKey}` },
    });
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET']);
  });

  test('refuses a stream like a list when permission, parameter or version is wrong', async () => {
    const tenant = await addAccount(server);
    const other = await addKey(server, tenant.accountId, { permissions: ['references.read'] });
    expectRefusal(await other.api.get('/v1/events/stream'), { ...refusals.permission, says: '`events.read`' });
    for (const name of ['limit', 'offset', 'starting_after', 'created[gt]', 'afterwards']) {
      expectRefusal(await tenant.api.get(`/v1/events/stream?${name}=1`), unknown(name));
    }
    expectRefusal(await tenant.api.get('/v1/events/stream?expand=data.customer'), invalid('expand'));
    expectRefusal(await tenant.api.get('/v1/events/stream?type=%25'), invalid('type'));
    expectRefusal(await tenant.api.get('/v1/events/stream', { 'service-version': '2020-01-01' }), refusals.version);
    expectRefusal(await tenant.api.get('/v1/events/stream', { 'service-context': 'me' }), refusals.accountMalformed);
  });

  test.each(['/v1/events', '/v1/events/stream', '/v1/events/:id/deliveries', '/v1/webhook_endpoints/:id/deliveries'])(
    'refuses %s with the nearest type when no event has the type of the query',
    async (path) => {
      const tenant = await addAccount(server);
      const { id: endpoint } = (await good(tenant.api.post('/v1/webhook_endpoints', { url: 'https://example.com/' })))
        .body;
      const { data } = (await good(tenant.api.get('/v1/events'))).body;
      const whole = path.replace(':id', path.includes('endpoints') ? endpoint : data[0].id);
      const types = [['refrence.created', 'reference.created']];
      // Deliveries are found by a whole type only.
      if (!path.endsWith('deliveries')) types.push(['reference', 'reference.*'], ['references.*', 'reference.*']);
      for (const [type, meant] of types) {
        const refusal = await tenant.api.get(`${whole}?type=${type}`);
        expectRefusal(refusal, { ...invalid('type'), says: `Did you mean \`${meant}\`?` });
      }
    },
  );
});

describe('resumed streams', () => {
  test('resumes after any known event when a header or parameter names it', async () => {
    const tenant = await addAccount(server);
    for (let number = 0; number < 5; number++) await createReference(tenant);
    const known = (await good(tenant.api.get('/v1/events'))).body.data.map(({ id }: { id: string }) => id).toReversed();
    for (const [index, id] of known.entries()) {
      for (const position of [
        { query: `?after=${id}` },
        { headers: { 'last-event-id': id } },
        { query: `?after=${id}`, headers: { 'last-event-id': id } },
      ]) {
        const stream = await streamForTest(server.url, tenant.key, position);
        await stream.count(known.length - index - 1);
        expect(stream.ids).toEqual(known.slice(index + 1));
        stream.close();
      }
    }
  });

  test('sends a long history without gaps or repeats when events are added meanwhile', async () => {
    const tenant = await addAccount(server);
    await createReference(tenant);
    await multiplyEvents(tenant, 3_000, server);
    const [oldest] = await idsInOrder(tenant, server);
    const stream = await streamForTest(server.url, tenant.key, { headers: { 'last-event-id': oldest! } });
    for (let number = 0; number < 50; number++) await createReference(tenant);
    await stream.count(3_050);
    expect(stream.ids).toEqual((await idsInOrder(tenant, server)).slice(1));
  });

  test('starts with new events when Last-Event-ID is empty, as clients without an id send it', async () => {
    const tenant = await addAccount(server);
    await createReference(tenant);
    const stream = await streamForTest(server.url, tenant.key, { headers: { 'last-event-id': '' } });
    const { id } = await createReference(tenant);
    expect((await stream.count(1)).map(({ data }) => data.object.id)).toEqual([id]);
  });

  test('resumes after Last-Event-ID when the URL names an older event', async () => {
    const tenant = await addAccount(server);
    for (let number = 0; number < 3; number++) await createReference(tenant);
    const [first, second, third] = await idsInOrder(tenant, server);
    const position = { query: `?after=${first}`, headers: { 'last-event-id': second! } };
    const stream = await streamForTest(server.url, tenant.key, position);
    await stream.count(1);
    expect(stream.ids).toEqual([third]);
  });

  test('refuses a stream when its position is not an event id', async () => {
    const { api } = await addAccount(server);
    expectRefusal(await api.get('/v1/events/stream?after=ref_0VbZr1fe00bS0eOQrul9Xo'), invalid('after'));
    expectRefusal(await api.get('/v1/events/stream', { 'last-event-id': '17' }), invalid('Last-Event-ID'));
  });

  test("returns the same 404 when the position is another account's event or does not exist", async () => {
    const [tenant, stranger] = [await addAccount(server), await addAccount(server)];
    await createReference(tenant);
    await createReference(stranger);
    const [theirs] = await idsInOrder(stranger, server);
    for (const id of [theirs!, server.context.ids.make('evt')]) {
      expectRefusal(await tenant.api.get('/v1/events/stream', { 'last-event-id': id }), {
        ...refusals.idUnknown,
        param: 'Last-Event-ID',
        says: `There is no event \`${id}\` in this account.`,
      });
      expectRefusal(await tenant.api.get(`/v1/events/stream?after=${id}`), { ...refusals.idUnknown, param: 'after' });
    }
  });

  test('returns event_cursor_expired when retention has removed the position', async () => {
    const tenant = await addAccount(server);
    await createReference(tenant);
    const [removed] = await idsInOrder(tenant, server);
    const expired = { status: 400, type: 'invalid_request_error', code: 'event_cursor_expired' };
    const says = 'Open a stream without';
    await server.context.database.readers.query('delete from events where account_id = $1', [tenant.accountId]);
    expectRefusal(await tenant.api.get(`/v1/events/stream?after=${removed}`), { ...expired, param: 'after', says });
    await createReference(tenant);
    expectRefusal(await tenant.api.get('/v1/events/stream', { 'last-event-id': removed! }), {
      ...expired,
      param: 'Last-Event-ID',
      says,
    });
    const [left] = await idsInOrder(tenant, server);
    const stream = await streamForTest(server.url, tenant.key, { query: `?after=${left}` });
    expect(await stream.endWithin(100)).toBe('open');
  });
});

test('returns event_cursor_expired when a restore has lost the position', async () => {
  const first = await serverForTest();
  const before = await addAccount(first);
  const { readers } = first.context.database;
  await createReference(before);
  const [kept] = await idsInOrder(before, first);
  await createReference(before);
  const [, lost] = await idsInOrder(before, first);
  await readers.query('delete from events where account_id = $1 and id >= $2', [before.accountId, lost]);
  await readers.query('update deployment set event_epoch = event_epoch + 1');
  const restored = await serverForTest({ connection: first.connection, secretKey: first.secretKey });
  const tenant = { ...before, api: apiClient(restored.url, before.key) };
  const resume = (id: string) => tenant.api.get(`/v1/events/stream?after=${id}`);
  const expired = { status: 400, type: 'invalid_request_error', code: 'event_cursor_expired', param: 'after' };
  expectRefusal(await resume(lost!), { ...expired, says: 'a restore has lost it' });
  await createReference(tenant);
  expectRefusal(await resume(lost!), { ...expired, says: 'a restore has lost it' });
  expectRefusal(await resume(restored.context.ids.make('evt')), { ...refusals.idUnknown, param: 'after' });
  const stream = await streamForTest(restored.url, tenant.key, { query: `?after=${kept}` });
  await expect.poll(() => stream.ids.length).toBeGreaterThan(0);
});

describe('commits lost in a failover', () => {
  test('ends an open stream when another event has taken the place of one that it has sent', async () => {
    const own = await serverForTest();
    const tenant = await addAccount(own);
    const { readers } = own.context.database;
    await createReference(tenant);
    const [kept] = await idsInOrder(tenant, own);
    const stream = await streamForTest(own.url, tenant.key, { query: `?after=${kept}` });
    await createReference(tenant);
    const [{ id: lost } = { id: '' }] = await stream.count(1);
    // A standby that lagged gives the transaction ids of lost commits to new ones.
    const taken = own.context.ids.make('evt');
    await readers.query('update events set id = $1 where account_id = $2 and id = $3', [taken, tenant.accountId, lost]);
    await createReference(tenant);
    expect(await stream.endWithin(waitMs)).toBe('ended');
    expect(stream.ids).toEqual([lost]);
  });

  test('ends open streams when the transaction ids of the database have gone back', async () => {
    const own = await serverForTest();
    const tenant = await addAccount(own);
    await createReference(tenant);
    const stream = await streamForTest(own.url, tenant.key);
    expect(await stream.endWithin(500)).toBe('open');
    const { followers } = own.context.database;
    const query = followers.query.bind(followers) as (statement: { name: string }) => Promise<{ rows: object[] }>;
    followers.query = (async (statement: { name: string }) => {
      const result = await query(statement);
      if (statement.name !== 'read_news_of_events') return result;
      return { ...result, rows: result.rows.map((row) => ({ ...row, next_transaction_id: '3' })) };
    }) as typeof followers.query;
    expect(await stream.endWithin(waitMs)).toBe('ended');
    followers.query = query as typeof followers.query;
    const resumed = await streamForTest(own.url, tenant.key, { query: `?after=${stream.lastId}` });
    await createReference(tenant);
    await resumed.count(1);
  });
});

describe('history deleted during a read', () => {
  test('ends the stream without a gap when the events it reads are deleted, and its position has expired', async () => {
    const own = await serverForTest();
    const tenant = await addAccount(own);
    await createReference(tenant, { metadata: { text: 'x'.repeat(500), more: 'y'.repeat(500) } });
    await multiplyEvents(tenant, 15_000, own);
    const ids = await idsInOrder(tenant, own);
    const stream = await streamForTest(own.url, tenant.key, { query: `?after=${ids[0]}` });
    // A transaction of another test can hold all events back. Then the stream would read none before their deletion.
    await stream.count(1);
    stream.response.pause();
    await delay(1_000);
    await own.context.database.readers.query('delete from events where account_id = $1 and ordinal < 14900', [
      tenant.accountId,
    ]);
    stream.response.resume();
    expect(await stream.endWithin(waitMs)).toBe('ended');
    expect(stream.ids.length).toBeLessThan(14_000);
    expect(stream.ids).toEqual(ids.slice(1, stream.ids.length + 1));
    const answer = await tenant.api.get('/v1/events/stream', { 'last-event-id': stream.lastId ?? ids[0]! });
    expect(answer.body.error.code).toBe('event_cursor_expired');
  });
});

describe('the order of a stream', () => {
  test("sends an earlier transaction's events first when that transaction commits later", async () => {
    const tenant = await addAccount(server);
    await createReference(tenant);
    const stream = await streamForTest(server.url, tenant.key);
    const held = await holdTransaction();
    const late = await held.copyNewestEvent(tenant);
    const { id } = await createReference(tenant);
    await delay(600);
    expect(stream.ids).toEqual([]);
    await held.commit();
    await stream.count(2);
    expect(stream.ids[0]).toBe(late);
    expect(stream.events[1]!.event.data.object.id).toBe(id);
  });

  test('sends events again when an earlier transaction has rolled back', async () => {
    const tenant = await addAccount(server);
    const stream = await streamForTest(server.url, tenant.key);
    const held = await holdTransaction();
    await createReference(tenant);
    await delay(100);
    await held.rollBack();
    await stream.count(1);
  });

  test('starts after all committed events when an earlier transaction is still running', async () => {
    const tenant = await addAccount(server);
    await createReference(tenant);
    const held = await holdTransaction();
    await createReference(tenant);
    const stream = await streamForTest(server.url, tenant.key);
    const late = await held.copyNewestEvent(tenant);
    await createReference(tenant);
    const newest = (await idsInOrder(tenant, server)).at(-1);
    await held.commit();
    await stream.count(2);
    await delay(300);
    expect(stream.ids).toEqual([late, newest]);
  });

  test('continues in the next epoch when the database was restored to earlier transactions', async () => {
    const own = await serverForTest();
    const tenant = await addAccount(own);
    await createReference(tenant);
    const { readers } = own.context.database;
    // As if the existing events had been written far in the future.
    await readers.query(`update events set transaction_id = '9000000000000000000'`);
    const restored = await serverForTest({ connection: own.connection, secretKey: own.secretKey });
    const [before] = await idsInOrder(tenant, own);
    const stream = await streamForTest(restored.url, tenant.key, { query: `?after=${before}` });
    const made = (await good(addApi(restored, tenant).post('/v1/references', { application: 'app_1' }))).body;
    expect((await stream.count(1)).map(({ data }) => data.object.id)).toEqual([made.id]);
    // The epoch rises once for each restore.
    await serverForTest({ connection: own.connection, secretKey: own.secretKey });
    const { rows } = await readers.query('select event_epoch from deployment');
    expect(rows).toEqual([{ event_epoch: 2 }]);
  });
});

describe('ends of a stream', () => {
  // A stream checks its key before each piece, too. No heartbeat comes during a test.
  const overrides = { streamLimits: { heartbeatMs: 10 * waitMs } };
  let quiet: TestServer;
  beforeAll(async () => {
    quiet = await startTestServer({ connection: server.connection, secretKey: server.secretKey, overrides });
  });
  afterAll(() => quiet.stop());

  const endings: [string, (tenant: Tenant, keyId: string) => Promise<unknown>][] = [
    ['its key is revoked', (_, keyId) => quiet.api.delete(`/v1/api_keys/${keyId}`)],
    ['its key is rolled', (_, keyId) => quiet.api.post(`/v1/api_keys/${keyId}/roll`)],
    ['its key loses the permission', (_, keyId) => sql(`update api_keys set permissions = '{references.read}'`, keyId)],
  ];

  test.each(endings)('ends a stream long before its next heartbeat when %s', async (_, end) => {
    const made = (await good(server.api.post('/v1/api_keys', { type: 'secret', permissions: ['events.read'] }))).body;
    const stream = await streamForTest(quiet.url, made.secret);
    expect(await stream.endWithin(300)).toBe('open');
    const ending = end({} as Tenant, made.id);
    expect(await stream.endWithin(waitMs)).toBe('ended');
    await ending;
  });

  test('ends a stream long before its next heartbeat when its key expires', async () => {
    const clock = new TestClock();
    const own = await serverForTest({ overrides: { ...overrides, clock } });
    const expires_at = Math.floor(clock.nowMs() / 1000) + 60;
    const made = (
      await good(own.api.post('/v1/api_keys', { type: 'secret', permissions: ['events.read'], expires_at }))
    ).body;
    const stream = await streamForTest(own.url, made.secret);
    expect(await stream.endWithin(300)).toBe('open');
    clock.advanceSeconds(61);
    expect(await stream.endWithin(waitMs)).toBe('ended');
  });

  test('ends a stream long before its next heartbeat when its account is no longer connected', async () => {
    const child = (await good(server.api.post('/v1/accounts', { name: 'Connected' }))).body.id;
    const stream = await streamForTest(quiet.url, server.secretKey, { headers: { 'service-context': child } });
    const own = await streamForTest(quiet.url, server.secretKey);
    await server.context.database.readers.query('update accounts set parent = null where id = $1', [child]);
    expect(await stream.endWithin(waitMs)).toBe('ended');
    expect(await own.endWithin(300)).toBe('open');
  });

  test('ends a stream without delaying the stop when the server stops', async () => {
    const app = buildApp(server.context);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const streams = await Promise.all(Array.from({ length: 5 }, () => streamForTest(url, server.secretKey)));
    // The test would end first if the stop took this long.
    await app.stopServing(10 * waitMs);
    for (const stream of streams) expect(await stream.end).toBe('ended');
  });
});

async function sql(statement: string, keyId: string): Promise<void> {
  await server.context.database.readers.query(`${statement} where id = $1`, [keyId]);
}

function addApi({ url }: TestServer, { key }: Tenant): Tenant['api'] {
  return apiClient(url, key);
}

/** Begins a transaction that has written, and that only the test ends. */
async function holdTransaction(): Promise<{
  copyNewestEvent(tenant: Tenant): Promise<string>;
  commit(): Promise<void>;
  rollBack(): Promise<void>;
}> {
  const ready = Promise.withResolvers<Parameters<Parameters<typeof withClient>[1]>[0]>();
  const over = Promise.withResolvers<void>();
  void withClient(server.connection, async (client) => {
    await client.query('begin');
    await client.query('select pg_current_xact_id()');
    ready.resolve(client);
    await over.promise;
  });
  const client = await ready.promise;
  const end = async (how: string): Promise<void> => {
    await client.query(how);
    over.resolve();
  };
  onTestFinished(() => over.resolve());
  return {
    async copyNewestEvent({ accountId }) {
      const { rows } = await client.query<{ id: string }>(
        `
        insert into events
          (account_id, id, created, type, object_id, mentions, data, request, shape_version, epoch, transaction_id, ordinal)
        select account_id, $2, created, type, object_id, mentions, data, request, shape_version, epoch,
          pg_current_xact_id(), 0
        from events where account_id = $1 order by id desc limit 1
        returning id`,
        [accountId, server.context.ids.make('evt')],
      );
      return rows[0]!.id;
    },
    commit: () => end('commit'),
    rollBack: () => end('rollback'),
  };
}

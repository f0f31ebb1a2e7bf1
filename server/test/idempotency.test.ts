import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Committer } from '../src/commit/committer.ts';
import { openDatabase, withClient } from '../src/db/database.ts';
import { resources } from '../src/resources/index.ts';
import { latestVersion } from '../src/versions/index.ts';
import { serverForTest, startTestServer, type Api, type ApiResponse, type TestServer } from './support/server.ts';
import { StillClock } from './support/still-clock.ts';
import { addAccount, addKey, firstAccountId } from './support/tenants.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

describe('a repeated request', () => {
  test('gets the same answer, byte for byte, and is carried out once', async () => {
    const { api: own } = await addAccount(server);
    const key = newKey();
    const first = await own.post('/v1/references', { application: 'app_1' }, key);
    const repeated = [
      await own.post('/v1/references', { application: 'app_1' }, key),
      await own.post('/v1/references', { application: 'app_1' }, key),
    ];

    expect(first.status).toBe(200);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(first.headers.get('original-request')).toBeNull();
    const requestIds = new Set([first.headers.get('request-id')]);
    for (const again of repeated) {
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.headers.get('original-request')).toBe(first.headers.get('request-id'));
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
      requestIds.add(again.headers.get('request-id'));
    }
    expect(requestIds.size).toBe(3);
    expect((await own.get('/v1/references')).body.count).toBe(1);
    expect((await own.get('/v1/events')).body.count).toBe(1);
  });

  test('is logged with the answer it got, and marked', async () => {
    const key = newKey();
    const first = await api.post('/v1/references', { application: 'app_1' }, key);
    const again = await api.post('/v1/references', { application: 'app_1' }, key);
    const [event] = (await api.get(`/v1/events?object_id=${first.body.id}`)).body.data;
    const shared = { status: 200, idempotency_key: key['idempotency-key'], response_body: first.text };
    expect(await logOf(first)).toEqual({
      ...shared,
      replayed: false,
      original_request: null,
      error: null,
      events: [event.id],
    });
    expect(await logOf(again)).toEqual({
      ...shared,
      replayed: true,
      original_request: first.headers.get('request-id'),
      error: null,
      events: [],
    });
  });

  test('gets the answer in the version of that time, whichever it asks for now', async () => {
    const key = newKey();
    const first = await api.post('/v1/references', { application: 'app_1' }, key);
    // As if a release had brought a newer version since.
    await sql('update request_logs set api_version = $2 where id = $1', [
      first.headers.get('request-id'),
      '2020-01-01',
    ]);
    const again = await api.post(
      '/v1/references',
      { application: 'app_1' },
      { ...key, 'service-version': latestVersion },
    );
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('service-version')).toBe('2020-01-01');
  });

  test('gets the record as it was then, although it has changed since', async () => {
    const id = await createReference();
    const [processing, canceled] = [newKey(), newKey()];
    const first = await api.post(`/v1/references/${id}`, { status: 'processing' }, processing);
    const ended = await api.post(`/v1/references/${id}/cancel`, undefined, canceled);
    expect([first.body.status, ended.body.status]).toEqual(['processing', 'canceled']);
    expect((await api.post(`/v1/references/${id}`, { status: 'processing' }, processing)).text).toBe(first.text);
    expect((await api.post(`/v1/references/${id}/cancel`, undefined, canceled)).text).toBe(ended.text);
    expect((await api.get(`/v1/references/${id}`)).body.status).toBe('canceled');
  });

  test('is the same whatever the order and spelling of its parameters', async () => {
    const key = newKey();
    const metadata = '{"a":"1","b":"2"}';
    const first = await api.post(
      '/v1/references',
      `{"application":"app_1","customer":"cus_1","metadata":${metadata}}`,
      key,
    );
    const reordered = `{ "metadata": {"b": "2", "a": "\\u0031"},\n "customer": "cus_1", "application": "app_1" }`;
    const again = await api.post('/v1/references', reordered, key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('without a body is the same as one with an empty object', async () => {
    const id = await createReference();
    const key = newKey();
    const first = await api.post(`/v1/references/${id}/cancel`, undefined, key);
    expect((await api.post(`/v1/references/${id}/cancel`, {}, key)).text).toBe(first.text);
  });

  test('that changed nothing gets its answer again, too', async () => {
    const id = await createReference();
    const key = newKey();
    const first = await api.post(`/v1/references/${id}`, {}, key);
    await api.post(`/v1/references/${id}`, { reference_pdf: 'file_1' });
    const again = await api.post(`/v1/references/${id}`, {}, key);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  });
});

describe('a refusal that was executed', () => {
  test('is kept: an unknown record stays unknown to this key, although it exists by now', async () => {
    const key = newKey();
    const id = `ref_${'0'.repeat(21)}1`;
    const first = await api.post(`/v1/references/${id}`, { outcome: 'accept' }, key);
    expect([first.status, first.body.error.code]).toEqual([404, 'resource_missing']);
    await sql('update tenant_references set id = $2 where id = $1', [await createReference(), id]);
    await expectKept(first, () => api.post(`/v1/references/${id}`, { outcome: 'accept' }, key));
    expect((await api.get(`/v1/references/${id}`)).body.status).toBe('pending');
    expect((await api.post(`/v1/references/${id}`, { outcome: 'accept' }, newKey())).status).toBe(200);
  });

  test('is kept: a forbidden transition stays forbidden to this key, although the state would allow it by now', async () => {
    const id = await createReference();
    await api.post(`/v1/references/${id}/cancel`);
    const key = newKey();
    const first = await api.post(`/v1/references/${id}`, { outcome: 'accept' }, key);
    expect([first.status, first.body.error.code]).toEqual([400, 'status_transition_invalid']);
    await sql(`update tenant_references set status = 'pending' where id = $1`, [id]);
    await expectKept(first, () => api.post(`/v1/references/${id}`, { outcome: 'accept' }, key));
    expect((await api.get(`/v1/references/${id}`)).body.status).toBe('pending');
    expect((await api.post(`/v1/references/${id}`, { outcome: 'accept' }, newKey())).status).toBe(200);
  });

  test('is logged, and leaves no event', async () => {
    const id = await createReference();
    await api.post(`/v1/references/${id}/cancel`);
    const key = newKey();
    const first = await api.post(`/v1/references/${id}/cancel`, undefined, key);
    expect(await logOf(first)).toMatchObject({
      status: 400,
      replayed: false,
      idempotency_key: key['idempotency-key'],
      response_body: first.text,
      error: expect.stringContaining('status_transition_invalid'),
      events: [],
    });
    expect((await api.get(`/v1/events?object_id=${id}`)).body.count).toBe(3);
  });
});

describe('a request that is refused before it is executed', () => {
  type Send = (key: Record<string, string>) => Promise<ApiResponse>;
  const good = { application: 'app_1' };
  const tooMuch = { ...good, metadata: Object.fromEntries(range(51).map((index) => [`key${index}`, 'value'])) };

  test.each<[string, number, string, Send]>([
    ['a missing parameter', 400, 'parameter_missing', (key) => api.post('/v1/references', {}, key)],
    ['an unknown parameter', 400, 'parameter_unknown', (key) => api.post('/v1/references', { ...good, x: 1 }, key)],
    ['a wrong type', 400, 'parameter_invalid', (key) => api.post('/v1/references', { application: 1 }, key)],
    ['51 pairs of metadata', 400, 'parameter_invalid', (key) => api.post('/v1/references', tooMuch, key)],
    ['an unknown query parameter', 400, 'parameter_unknown', (key) => api.post('/v1/references?dry_run=1', good, key)],
    ['no JSON', 400, 'body_invalid', (key) => api.post('/v1/references', '{"application":', key)],
    [
      'a duplicate key',
      400,
      'body_invalid',
      (key) => api.post('/v1/references', '{"application":"a","application":"b"}', key),
    ],
    [
      'another type',
      415,
      'content_type_unsupported',
      (key) => api.post('/v1/references', good, { ...key, 'content-type': 'text/plain' }),
    ],
    ['too long', 413, 'body_too_large', (key) => api.post('/v1/references', { application: 'x'.repeat(300_000) }, key)],
    [
      'an unknown version',
      400,
      'api_version_invalid',
      (key) => api.post('/v1/references', good, { ...key, 'service-version': '1999-01-01' }),
    ],
    [
      'a malformed context',
      400,
      'account_invalid',
      (key) => api.post('/v1/references', good, { ...key, 'service-context': 'me' }),
    ],
    ['an unknown route', 404, 'route_unknown', (key) => api.post('/v1/referenzen', good, key)],
    ['a method that is not allowed', 405, 'method_not_allowed', (key) => api.post('/v1/events', good, key)],
    [
      'no permission',
      403,
      'permission_denied',
      async (key) => (await keyThatOnlyReads()).post('/v1/references', good, key),
    ],
  ])('leaves its key free, and is logged: %s', async (_case, status, code, refuse) => {
    const key = newKey();
    // A refusal is made anew each time.
    for (let times = 0; times < 2; times++) {
      const refused = await refuse(key);
      expect([refused.status, refused.body.error.code]).toEqual([status, code]);
      expect(refused.headers.get('idempotent-replayed')).toBeNull();
      expect(await logOf(refused)).toMatchObject({ status, replayed: false, response_body: refused.text, events: [] });
    }
    const carriedOut = await api.post('/v1/references', good, key);
    expect([carriedOut.status, carriedOut.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  test('because of its API key leaves no log', async () => {
    const key = newKey();
    const response = await fetch(`${server.url}/v1/references`, { method: 'POST', headers: key });
    expect(response.status).toBe(401);
    expect(await logsOf(response.headers.get('request-id'))).toEqual([]);
    expect((await api.post('/v1/references', good, key)).status).toBe(200);
  });
});

describe('a key that is used for another request', () => {
  type Send = (key: Record<string, string>) => Promise<ApiResponse>;

  test.each<[string, Send]>([
    ['another value', (key) => api.post('/v1/references', { application: 'app_2', metadata: { a: '1' } }, key)],
    [
      'another value further in',
      (key) => api.post('/v1/references', { application: 'app_1', metadata: { a: '2' } }, key),
    ],
    ['a member less', (key) => api.post('/v1/references', { application: 'app_1' }, key)],
    [
      'a member more',
      (key) => api.post('/v1/references', { application: 'app_1', metadata: { a: '1' }, customer: 'cus_1' }, key),
    ],
    [
      'a default spelt out',
      (key) => api.post('/v1/references', { application: 'app_1', metadata: { a: '1' }, type: 'customer' }, key),
    ],
    [
      'null for absent',
      (key) => api.post('/v1/references', { application: 'app_1', metadata: { a: '1' }, customer: null }, key),
    ],
    ['another path', (key) => api.post('/v1/customers', { name: 'Ada' }, key)],
    ['another query', (key) => api.post('/v1/references?&', { application: 'app_1', metadata: { a: '1' } }, key)],
    [
      'a context, although it is the same account',
      async (key) => {
        const context = { 'service-context': await firstAccountId(server) };
        return api.post('/v1/references', { application: 'app_1', metadata: { a: '1' } }, { ...key, ...context });
      },
    ],
  ])('is refused, and nothing is carried out: %s', async (_case, reuse) => {
    const key = newKey();
    const first = await api.post('/v1/references', { application: 'app_1', metadata: { a: '1' } }, key);
    const counts = await countAll();
    const refused = await reuse(key);
    expect([refused.status, refused.body.error.type, refused.body.error.code]).toEqual([
      400,
      'idempotency_error',
      'idempotency_key_reused',
    ]);
    expect(refused.headers.get('service-should-retry')).toBe('false');
    expect(await countAll()).toEqual(counts);
    expect(await logOf(refused)).toMatchObject({ status: 400, replayed: false, response_body: refused.text });
    // The key still stands for its own request.
    const again = await api.post('/v1/references', { application: 'app_1', metadata: { a: '1' } }, key);
    expect(again.text).toBe(first.text);
  });

  test('is refused on another record of the same kind', async () => {
    const [one, other] = [await createReference(), await createReference()];
    const key = newKey();
    await api.post(`/v1/references/${one}/cancel`, undefined, key);
    const refused = await api.post(`/v1/references/${other}/cancel`, undefined, key);
    expect(refused.body.error.code).toBe('idempotency_key_reused');
    expect((await api.get(`/v1/references/${other}`)).body.status).toBe('pending');
  });
});

describe('the scope of a key', () => {
  test('is the account: every API key of it gets the answer', async () => {
    const { api: colleague } = await addKey(server, await firstAccountId(server));
    const key = newKey();
    const first = await api.post('/v1/references', { application: 'app_1' }, key);
    const again = await colleague.post('/v1/references', { application: 'app_1' }, key);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect((await colleague.post('/v1/references', { application: 'app_2' }, key)).body.error.code).toBe(
      'idempotency_key_reused',
    );
  });

  test('ends at the account: another one has the same key for itself', async () => {
    const { api: stranger } = await addAccount(server);
    const key = newKey();
    const first = await api.post('/v1/references', { application: 'app_1' }, key);
    const theirs = await stranger.post('/v1/references', { application: 'app_1' }, key);
    expect([theirs.status, theirs.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(theirs.body.id).not.toBe(first.body.id);
    expect((await stranger.post('/v1/references', { application: 'app_1' }, key)).text).toBe(theirs.text);
    expect((await api.post('/v1/references', { application: 'app_1' }, key)).text).toBe(first.text);
  });
});

describe('the form of a key', () => {
  test.each([
    ['one character', '!'],
    ['255 characters', 'k'.repeat(255)],
    [
      'a space and every other sign',
      `a ${String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 0x21 + index))}`,
    ],
  ])('may have %s', async (_case, key) => {
    const header = { 'idempotency-key': key };
    const first = await api.post('/v1/customers', { name: 'Ada' }, header);
    expect(first.status).toBe(200);
    expect((await api.post('/v1/customers', { name: 'Ada' }, header)).text).toBe(first.text);
  });

  test.each([
    ['nothing', ''],
    ['256 characters', 'k'.repeat(256)],
    ['a letter beyond ASCII', 'clé'],
    ['a tab', 'a\tb'],
  ])('may not have %s', async (_case, key) => {
    const { api: own } = await addAccount(server);
    const { status, body } = await own.post('/v1/references', { application: 'app_1' }, { 'idempotency-key': key });
    expect([status, body.error.type, body.error.code]).toEqual([400, 'idempotency_error', 'idempotency_key_invalid']);
    expect((await own.get('/v1/references')).body.count).toBe(0);
  });
});

describe('a key on a method that changes nothing', () => {
  test('is ignored by GET, not even looked at', async () => {
    const id = await createReference();
    const key = newKey();
    const before = await api.get(`/v1/references/${id}`, key);
    await api.post(`/v1/references/${id}`, { status: 'processing' }, key);
    for (const header of [
      key,
      { 'idempotency-key': '' },
      { 'idempotency-key': 'k'.repeat(300) },
      { 'idempotency-key': 'clé' },
    ]) {
      const { status, headers, body } = await api.get(`/v1/references/${id}`, header);
      expect([status, headers.get('idempotent-replayed'), body.status]).toEqual([200, null, 'processing']);
    }
    expect(before.body.status).toBe('pending');
  });

  test('is ignored by DELETE', async () => {
    const id = await createReference();
    const key = newKey();
    const headers = { authorization: `Bearer ${server.secretKey}` };
    for (const header of [key, { 'idempotency-key': 'k'.repeat(300) }]) {
      const response = await fetch(`${server.url}/v1/references/${id}`, {
        method: 'DELETE',
        headers: { ...headers, ...header },
      });
      expect(response.status).toBe(405);
    }
    expect(
      (await api.post('/v1/references', { application: 'app_1' }, key)).headers.get('idempotent-replayed'),
    ).toBeNull();
  });
});

describe('a key lives for a day', () => {
  const second = 1_000;
  const day = 24 * 3_600 * second;

  test.each([
    ['at the start of a second', 0],
    ['late in a second', 900],
  ])('from its first use on, to the last moment: %s', async (_case, ms) => {
    const clock = new StillClock();
    const { api: own } = await serverForTest({ overrides: { clock } });
    const key = newKey();
    clock.advanceMs(ms);
    const first = await own.post('/v1/references', { application: 'app_1' }, key);
    for (const step of [day / 2, day / 2 - second, second - 1]) {
      clock.advanceMs(step);
      const again = await own.post('/v1/references', { application: 'app_1' }, key);
      expect([again.headers.get('idempotent-replayed'), again.text]).toEqual(['true', first.text]);
    }
  });

  test('and then counts as new, for whatever request', async () => {
    const clock = new StillClock();
    const { api: own } = await serverForTest({ overrides: { clock } });
    const key = newKey();
    const first = await own.post('/v1/references', { application: 'app_1' }, key);
    clock.advanceMs(day);
    const renewed = await own.post('/v1/references', { application: 'app_2' }, key);
    expect([renewed.status, renewed.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(renewed.body.id).not.toBe(first.body.id);
    // Its day begins anew.
    clock.advanceMs(day - 1);
    expect((await own.post('/v1/references', { application: 'app_2' }, key)).text).toBe(renewed.text);
    expect((await own.post('/v1/references', { application: 'app_1' }, key)).body.error.code).toBe(
      'idempotency_key_reused',
    );
    expect((await own.get('/v1/references')).body.count).toBe(2);
  });

  test('and is then carried out once more only, however many use it at once', async () => {
    const clock = new StillClock();
    const one = await serverForTest({ overrides: { clock } });
    const two = await anotherServer(one, { overrides: { clock } });
    const key = newKey();
    await one.api.post('/v1/references', { application: 'app_1' }, key);
    clock.advanceMs(day + second);
    const answers = await Promise.all(
      range(20).map((index) => [one, two][index % 2]!.api.post('/v1/references', { application: 'app_1' }, key)),
    );
    expectOneExecution(answers);
    expect((await one.api.get('/v1/references')).body.count).toBe(2);
  });
});

describe('a twin of a request that is still running', () => {
  test('is told to come back, and gets the answer then', async () => {
    const { promise: mayRead, resolve: letRead } = Promise.withResolvers<void>();
    const { promise: reading, resolve: isReading } = Promise.withResolvers<void>();
    const own = await serverForTest({
      changeContext: (context) => ({
        ...context,
        readRecord: async (...wanted) => {
          isReading();
          await mayRead;
          return context.readRecord(...wanted);
        },
      }),
    });
    const { body: reference } = await own.api.post('/v1/references', { application: 'app_1' });
    const key = newKey();
    const update = (): Promise<ApiResponse> =>
      own.api.post(`/v1/references/${reference.id}`, { outcome: 'accept' }, key);

    const running = update();
    await reading;
    const twin = await update();
    expectInUse(twin);
    expect(await logOf(twin, own)).toMatchObject({ status: 409, replayed: false, events: [] });
    letRead();
    const first = await running;
    expect([first.status, first.body.status]).toEqual([200, 'complete']);
    const again = await update();
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect((await own.api.get(`/v1/events?object_id=${reference.id}`)).body.count).toBe(3);
  });

  test('is told so by another server, too, without waiting', async () => {
    const one = await serverForTest();
    const two = await anotherServer(one);
    const key = newKey();
    const create = (to: TestServer): Promise<ApiResponse> =>
      to.api.post('/v1/references', { application: 'app_1' }, key);

    const running = await withClient(one.connection, async (client) => {
      await client.query('begin');
      // The first request gets no further than this.
      await client.query('lock table tenant_references in exclusive mode');
      const answer = create(one);
      await expect.poll(() => waitingForTables(one)).toBe(1);
      expectInUse(await create(two));
      await client.query('rollback');
      return { answer };
    });
    const first = await running.answer;
    expect(first.status).toBe(200);
    const again = await create(two);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect((await two.api.get('/v1/references')).body.count).toBe(1);
  });

  test.each([
    ['on one server', false],
    ['on two servers', true],
  ])('is never carried out a second time: fifty at once, %s', async (_case, onTwo) => {
    const one = await serverForTest();
    const servers = onTwo ? [one, await anotherServer(one)] : [one];
    for (let round = 1; round <= 4; round++) {
      const key = newKey();
      const answers = await Promise.all(
        range(50).map((index) =>
          servers[index % servers.length]!.api.post('/v1/references', { application: 'app_1' }, key),
        ),
      );
      expectOneExecution(answers);
      for (const { api: by } of servers) expect((await by.get('/v1/references')).body.count).toBe(round);
      expect((await one.api.get('/v1/events?type=reference.created')).body.count).toBe(round);
    }
  });
});

describe('a fault of ours', () => {
  const customerBody = { name: 'Ada' };

  test('in a decision is stored and repeated, although it has passed by now; it is logged and leaves no event', async () => {
    const own = await serverWithFaultyCustomers(() => {
      throw new Error('A fault, made by the test.');
    });
    const key = newKey();
    const first = await own.api.post('/v1/customers', customerBody, key);
    await expectStoredFault(own, first, () => own.api.post('/v1/customers', customerBody, key));
    expect((await own.api.get('/v1/customers')).body.count).toBe(0);
    expect((await own.api.post('/v1/customers', customerBody, newKey())).status).toBe(200);
  });

  test('in reading a record is stored and repeated', async () => {
    let faults = 1;
    const own = await serverForTest({
      changeContext: (context) => ({
        ...context,
        readRecord: async (...wanted) => {
          if (faults-- > 0) throw new Error('A fault, made by the test.');
          return context.readRecord(...wanted);
        },
      }),
    });
    const { body: reference } = await own.api.post('/v1/references', { application: 'app_1' });
    const key = newKey();
    const update = (): Promise<ApiResponse> =>
      own.api.post(`/v1/references/${reference.id}`, { outcome: 'accept' }, key);
    const first = await update();
    await expectStoredFault(own, first, update);
    expect((await own.api.get(`/v1/references/${reference.id}`)).body).toStrictEqual(reference);
  });

  test('that the database found is stored and repeated, and harms nobody else', async () => {
    const own = await serverWithFaultyCustomers((record) => ({ ...record, name: null }));
    const key = newKey();
    const [first, ...others] = await Promise.all([
      own.api.post('/v1/customers', customerBody, key),
      ...range(20).map(() => own.api.post('/v1/references', { application: 'app_1' })),
    ]);
    await expectStoredFault(own, first, () => own.api.post('/v1/customers', customerBody, key));
    expect(others.map(({ status }) => status)).toEqual(range(20).map(() => 200));
    expect((await own.api.get('/v1/references')).body.count).toBe(20);
    expect((await own.api.get('/v1/customers')).body.count).toBe(0);
  });

  test('that cannot be stored either is told as 503, and the key stays free', async () => {
    const own = await serverForTest();
    const key = newKey();
    await own.context.database.readers.query('alter table request_logs add constraint none check (false) not valid');
    expectUnavailable(await own.api.post('/v1/references', { application: 'app_1' }, key));
    await own.context.database.readers.query('alter table request_logs drop constraint none');
    expect((await own.api.get('/v1/references')).body.count).toBe(0);
    const carriedOut = await own.api.post('/v1/references', { application: 'app_1' }, key);
    expect([carriedOut.status, carriedOut.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  test('that keeps a server from writing at all is told as 503, and the key stays free', async () => {
    const one = await serverForTest();
    const cutOff = await anotherServer(one, {
      changeContext: (context) => {
        const nowhere = openDatabase({ host: '127.0.0.1', port: 1, user: 'nobody', database: 'none' }, context.log);
        onTestFinished(() => nowhere.end());
        return { ...context, committer: new Committer({ ...context, writers: nowhere.writers, epoch: 1 }) };
      },
    });
    const key = newKey();
    expectUnavailable(await cutOff.api.post('/v1/references', { application: 'app_1' }, key));
    const carriedOut = await one.api.post('/v1/references', { application: 'app_1' }, key);
    expect([carriedOut.status, carriedOut.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect((await cutOff.api.get('/v1/references')).body.count).toBe(1);
  });
});

/** The refusal is repeated as it was, without looking again. */
async function expectKept(first: ApiResponse, repeat: () => Promise<ApiResponse>): Promise<void> {
  const again = await repeat();
  expect([again.status, again.text]).toEqual([first.status, first.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('original-request')).toBe(first.headers.get('request-id'));
  expect(again.headers.get('service-should-retry')).toBe('false');
}

async function keyThatOnlyReads(): Promise<Api> {
  return (await addKey(server, await firstAccountId(server), { permissions: ['references.read'] })).api;
}

/** How many references, customers and events there are. */
async function countAll(): Promise<number[]> {
  return Promise.all(
    ['references', 'customers', 'events'].map(async (name) => (await api.get(`/v1/${name}`)).body.count as number),
  );
}

function expectInUse(twin: ApiResponse): void {
  expect([twin.status, twin.body.error.type, twin.body.error.code]).toEqual([
    409,
    'idempotency_error',
    'idempotency_key_in_use',
  ]);
  expect(twin.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(twin.headers.get('service-should-retry')).toBe('true');
  expect(twin.headers.get('idempotent-replayed')).toBeNull();
}

/** A 500 that tells nothing of its cause, and is all that ever comes of this request. */
async function expectStoredFault(
  own: TestServer,
  first: ApiResponse,
  repeat: () => Promise<ApiResponse>,
): Promise<void> {
  expect([first.status, first.body.error.type, first.body.error.code]).toEqual([500, 'api_error', 'internal']);
  expect(first.text).not.toContain('made by the test');
  expect(first.headers.get('service-should-retry')).toBe('false');
  const again = await repeat();
  expect([again.status, again.text]).toEqual([500, first.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('original-request')).toBe(first.headers.get('request-id'));
  expect(again.headers.get('service-should-retry')).toBe('false');
  expect(await logOf(first, own)).toMatchObject({
    status: 500,
    response_body: first.text,
    replayed: false,
    events: [],
  });
  expect(await logOf(again, own)).toMatchObject({
    status: 500,
    response_body: first.text,
    replayed: true,
    events: [],
  });
  const { rows } = await own.context.database.readers.query('select id from events where request like $1', [
    `%${first.headers.get('request-id')}%`,
  ]);
  expect(rows).toEqual([]);
}

function expectUnavailable({ status, body, headers }: ApiResponse): void {
  expect([status, body.error.type, body.error.code]).toEqual([503, 'api_error', 'unavailable']);
  expect(headers.get('service-should-retry')).toBe('true');
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

/** The first customer made there is spoilt; the next ones are as ever. */
async function serverWithFaultyCustomers(spoil: (record: object) => object): Promise<TestServer> {
  let faults = 1;
  return serverForTest({
    changeContext: (context) => ({
      ...context,
      resources: resources.map((resource) => {
        const { create } = resource;
        if (resource.object !== 'customer' || !create) return resource;
        const decide: typeof create.decide = (input, caller) => {
          const record = create.decide(input, caller);
          return faults-- > 0 ? spoil(record) : record;
        };
        return { ...resource, create: { ...create, decide } };
      }),
    }),
  });
}

/** One more server of the same deployment, until the test is finished. */
async function anotherServer(
  one: TestServer,
  options: Parameters<typeof startTestServer>[0] = {},
): Promise<TestServer> {
  return serverForTest({ ...options, connection: one.connection, secretKey: one.secretKey });
}

/** Exactly one was carried out; each of the others was told to come back, or got the same answer. */
function expectOneExecution(answers: ApiResponse[]): void {
  const done = answers.filter(({ status }) => status === 200);
  const executed = done.filter(({ headers }) => headers.get('idempotent-replayed') === null);
  expect(executed.length).toBe(1);
  expect(new Set(done.map(({ text }) => text)).size).toBe(1);
  for (const { headers } of done) {
    const original = executed[0]!.headers.get('request-id');
    if (headers.get('idempotent-replayed')) expect(headers.get('original-request')).toBe(original);
  }
  for (const { status, body } of answers) {
    if (status !== 200) expect([status, body.error.code]).toEqual([409, 'idempotency_key_in_use']);
  }
}

/** How many statements wait for a lock on a table of a server's database; other tests have databases of their own. */
async function waitingForTables({ context }: TestServer): Promise<number> {
  const { rows } = await context.database.readers.query<{ count: number }>(`
    select count(*)
    from pg_locks
    join pg_database on pg_database.oid = pg_locks.database
    where datname = current_database() and locktype = 'relation' and not granted`);
  return rows[0]!.count;
}

interface Log {
  status: number;
  replayed: boolean;
  original_request: string | null;
  idempotency_key: string | null;
  response_body: string;
  error: string | null;
  events: string[];
}

async function logsOf(requestId: string | null, on = server): Promise<Log[]> {
  const { rows } = await on.context.database.readers.query<Log>(
    `
    select status, replayed, original_request, idempotency_key, response_body, error, events
    from request_logs
    where id = $1`,
    [requestId],
  );
  return rows;
}

/** The one log of a request. */
async function logOf(response: ApiResponse, on = server): Promise<Log> {
  const logs = await logsOf(response.headers.get('request-id'), on);
  expect(logs).toHaveLength(1);
  return logs[0]!;
}

async function sql(text: string, values: unknown[]): Promise<void> {
  const { rowCount } = await server.context.database.readers.query(text, values);
  expect(rowCount).toBe(1);
}

async function createReference(): Promise<string> {
  const { status, body, text } = await api.post('/v1/references', { application: 'app_1' });
  expect(status, text).toBe(200);
  return body.id;
}

let keys = 0;

/** The header with a key that nobody has used. */
function newKey(): { 'idempotency-key': string } {
  return { 'idempotency-key': `key ${++keys}` };
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Committer } from '../../../src/commit/committer.ts';
import { openDatabase } from '../../../src/db/pools.ts';
import { fingerprints, fingerprintVersions } from '../../../src/http/write/idempotency.ts';
import {
  anotherServer,
  expectCarriedOut,
  expectLeft,
  expectOneExecution,
  expectReplay,
  newKey,
} from '../../support/idempotency.ts';
import { allPermissions } from '../../support/permissions.ts';
import { expectRefusal, refusals } from '../../support/refusals.ts';
import {
  apiClient,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../../support/server.ts';
import { StillClock } from '../../support/still-clock.ts';
import { addAccount, addKey, firstAccountId } from '../../support/tenants.ts';
import { latestVersion } from '../../support/versions.ts';

/*
 * Idempotency-Key rules beyond the table of cases in idempotency-table.matrix.test.ts. They define equal requests, the scope, form and lifetime of
 * a key, and simultaneous requests.
 */

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

describe('keys stored by an earlier release', () => {
  const body = { application: 'app_1', metadata: { a: '1', b: '2' } };

  test('replays the response when the stored fingerprint has no version', async () => {
    const key = newKey();
    const first = await api.post('/v1/references', body, key);
    await sql(
      `update idempotency_keys set fingerprint = split_part(fingerprint, ':', 2)
       where key = $1 and fingerprint ~ '^1:[A-Za-z0-9_-]{43}$'`,
      [key['idempotency-key']],
    );
    const again = await api.post('/v1/references', body, key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expectRefusal(await api.post('/v1/references', { application: 'app_2' }, key), refusals.idempotencyReused);
  });

  test('recognizes the same request when the fingerprint algorithm has changed since', () => {
    const request = { method: 'POST', path: '/v1/references', query: '', withContext: false, body };
    const changed = { ...fingerprintVersions, 2: ({ path }: { path: string }) => `by ${path.length}` };
    const stored = fingerprints(request).fingerprint;
    expect(stored).toMatch(/^1:/);
    const upgraded = fingerprints(request, changed);
    expect(upgraded.fingerprint).toBe('2:by 14');
    expect(upgraded.isSameRequest(stored)).toBe(true);
    expect(upgraded.isSameRequest(upgraded.fingerprint)).toBe(true);
    expect(fingerprints({ ...request, body: {} }, changed).isSameRequest(stored)).toBe(false);
  });

  test('returns 503 when only a later release can compare the stored fingerprint', async () => {
    const key = newKey();
    const first = await api.post('/v1/references', body, key);
    const setVersion = (from: string, to: string) =>
      sql(`update idempotency_keys set fingerprint = replace(fingerprint, $2, $3) where key = $1`, [
        key['idempotency-key'],
        from,
        to,
      ]);
    await setVersion('1:', '99:');
    expectRefusal(await api.post('/v1/references', body, key), refusals.unavailable);
    await setVersion('99:', '1:');
    expect((await api.post('/v1/references', body, key)).text).toBe(first.text);
  });
});

describe('repeated requests', () => {
  test('replays a response in its first version when the repeat asks for another version', async () => {
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

  test.each([
    ['on the same process', (own: TestServer) => own],
    ['on another process', (own: TestServer) => anotherServer(own)],
  ])('replays the first state of a record %s when the record has changed since', async (_case, repeatOn) => {
    const own = await serverForTest();
    const { api: repeated } = await repeatOn(own);
    const { id } = (await own.api.post('/v1/references', { application: 'app_1' })).body;
    const [processing, canceled] = [newKey(), newKey()];
    const first = await own.api.post(`/v1/references/${id}`, { status: 'processing' }, processing);
    const ended = await own.api.post(`/v1/references/${id}/cancel`, undefined, canceled);
    expect([first.body.status, ended.body.status]).toEqual(['processing', 'canceled']);
    expectReplay(await repeated.post(`/v1/references/${id}`, { status: 'processing' }, processing), first);
    expectReplay(await repeated.post(`/v1/references/${id}/cancel`, undefined, canceled), ended);
    expect((await own.api.get(`/v1/references/${id}`)).body.status).toBe('canceled');
  });

  test('writes no batch in vain when a request is repeated on the same process', async () => {
    const own = await serverForTest();
    const key = newKey();
    const first = await own.api.post('/v1/references', { application: 'app_1' }, key);
    const results = async (): Promise<string[]> =>
      (await (await fetch(`${own.url}/metrics`)).text()).match(/^tenure_commit_duration_seconds_count.*$/gm) ?? [];
    const committedOnly = [expect.stringContaining('result="committed"')];
    expect(await results()).toEqual(committedOnly);
    expectReplay(await own.api.post('/v1/references', { application: 'app_1' }, key), first);
    expect(await results()).toEqual(committedOnly);
  });

  test('treats two requests as equal when only the order and spelling of their members differ', async () => {
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

  test('treats an absent body as an empty object when a request is repeated', async () => {
    const id = await createReference();
    const key = newKey();
    const first = await api.post(`/v1/references/${id}/cancel`, undefined, key);
    expect((await api.post(`/v1/references/${id}/cancel`, {}, key)).text).toBe(first.text);
  });

  test('replays a response when the first request changed nothing', async () => {
    const id = await createReference();
    const key = newKey();
    const first = await api.post(`/v1/references/${id}`, {}, key);
    await api.post(`/v1/references/${id}`, { reference_pdf: 'file_1' });
    const again = await api.post(`/v1/references/${id}`, {}, key);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  });
});

describe('stored refusals', () => {
  test('replays a 404 when the record exists by now', async () => {
    const key = newKey();
    const id = `ref_${'0'.repeat(21)}1`;
    const first = await api.post(`/v1/references/${id}`, { outcome: 'accept' }, key);
    expect([first.status, first.body.error.code]).toEqual([404, 'resource_missing']);
    await sql('update tenant_references set id = $2 where id = $1', [await createReference(), id]);
    expectReplay(await api.post(`/v1/references/${id}`, { outcome: 'accept' }, key), first);
    expect((await api.get(`/v1/references/${id}`)).body.status).toBe('pending');
    expect((await api.post(`/v1/references/${id}`, { outcome: 'accept' }, newKey())).status).toBe(200);
  });

  test("replays a refused transition when the record's state would allow it by now", async () => {
    const id = await createReference();
    await api.post(`/v1/references/${id}/cancel`);
    const key = newKey();
    const first = await api.post(`/v1/references/${id}`, { outcome: 'accept' }, key);
    expect([first.status, first.body.error.code]).toEqual([400, 'status_transition_invalid']);
    await sql(`update tenant_references set status = 'pending' where id = $1`, [id]);
    expectReplay(await api.post(`/v1/references/${id}`, { outcome: 'accept' }, key), first);
    expect((await api.get(`/v1/references/${id}`)).body.status).toBe('pending');
    expect((await api.post(`/v1/references/${id}`, { outcome: 'accept' }, newKey())).status).toBe(200);
  });
});

describe('the scope of a key', () => {
  test('replays a response when another API key of the account repeats the request', async () => {
    const { api: colleague } = await addKey(server, await firstAccountId(server));
    const key = newKey();
    const first = await api.post('/v1/references', { application: 'app_1' }, key);
    const again = await colleague.post('/v1/references', { application: 'app_1' }, key);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect((await colleague.post('/v1/references', { application: 'app_2' }, key)).body.error.code).toBe(
      'idempotency_key_reused',
    );
  });

  test('executes a request when another account has used the same key', async () => {
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

describe('responses with a secret', () => {
  test('refuses a replay when the key lacks the second permission of the operation', async () => {
    const { accountId, api: first } = await addAccount(server);
    const { api: weak } = await addKey(server, accountId, { permissions: ['webhook_endpoints.write'] });
    const endpoint = { url: 'http://127.0.0.1:9/' };
    const key = newKey();
    expect((await first.post('/v1/webhook_endpoints', endpoint, key)).status).toBe(200);
    expectRefusal(await weak.post('/v1/webhook_endpoints', endpoint, key), {
      ...refusals.permission,
      says: '`events.read`',
    });
  });

  test('replays a secret to a rolled API key when the secret can be retrieved at any time', async () => {
    const { accountId } = await addAccount(server);
    const { api: own, keyId } = await addKey(server, accountId, { permissions: allPermissions });
    const endpoint = { url: 'http://127.0.0.1:9/' };
    const key = newKey();
    const first = await own.post('/v1/webhook_endpoints', endpoint, key);
    const rolled = await own.post(`/v1/api_keys/${keyId}/roll`, {});
    expect(rolled.status, rolled.text).toBe(200);
    const by = apiClient(server.url, rolled.body.secret);
    expectReplay(await by.post('/v1/webhook_endpoints', endpoint, key), first);
    expect(first.body.signing_secret).toMatch(/^whsec_/);
    // The secret of an API key is replayed to the key that sent the first request, and to no other.
    const made = newKey();
    await by.post('/v1/api_keys', { type: 'secret' }, made);
    const { api: other } = await addKey(server, accountId, { permissions: allPermissions });
    expectRefusal(await other.post('/v1/api_keys', { type: 'secret' }, made), refusals.permission);
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
  ])('accepts an idempotency key when it has %s', async (_case, key) => {
    const header = { 'idempotency-key': key };
    const first = await api.post('/v1/customers', { name: 'Ada' }, header);
    expect(first.status).toBe(200);
    expect((await api.post('/v1/customers', { name: 'Ada' }, header)).text).toBe(first.text);
  });

  test.each([
    ['no characters', ''],
    ['256 characters', 'k'.repeat(256)],
    ['a letter beyond ASCII', 'clé'],
    ['a tab', 'a\tb'],
  ])('refuses an idempotency key when it has %s', async (_case, key) => {
    const { api: own } = await addAccount(server);
    const { status, body } = await own.post('/v1/references', { application: 'app_1' }, { 'idempotency-key': key });
    expect([status, body.error.type, body.error.code]).toEqual([400, 'idempotency_error', 'idempotency_key_invalid']);
    expect((await own.get('/v1/references')).body.count).toBe(0);
  });
});

describe('keys on methods without idempotency', () => {
  test('ignores an idempotency key when the method is GET, even a malformed one', async () => {
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

  test('ignores an idempotency key when the method is DELETE', async () => {
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

describe('the lifetime of a key', () => {
  const second = 1_000;
  const day = 24 * 3_600 * second;

  test.each([
    ['at the start of a second', 0],
    ['late in a second', 900],
  ])('replays a response until the last moment of 24 hours when the key was first used %s', async (_case, ms) => {
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

  test('treats a key as new for any request when 24 hours have passed', async () => {
    const clock = new StillClock();
    const { api: own } = await serverForTest({ overrides: { clock } });
    const key = newKey();
    const first = await own.post('/v1/references', { application: 'app_1' }, key);
    clock.advanceMs(day);
    const renewed = await own.post('/v1/references', { application: 'app_2' }, key);
    expect([renewed.status, renewed.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(renewed.body.id).not.toBe(first.body.id);
    // Its 24 hours begin again.
    clock.advanceMs(day - 1);
    expect((await own.post('/v1/references', { application: 'app_2' }, key)).text).toBe(renewed.text);
    expect((await own.post('/v1/references', { application: 'app_1' }, key)).body.error.code).toBe(
      'idempotency_key_reused',
    );
    expect((await own.get('/v1/references')).body.count).toBe(2);
  });

  test('counts 24 hours by the clock when the clock was set back, and not by the time in the ids', async () => {
    const clock = new StillClock();
    const { api: own } = await serverForTest({ overrides: { clock } });
    await own.post('/v1/references', { application: 'app_1' });
    clock.advanceMs(-day);
    const key = newKey();
    const first = await own.post('/v1/references', { application: 'app_1' }, key);
    clock.advanceMs(day - 1);
    expectReplay(await own.post('/v1/references', { application: 'app_1' }, key), first);
    clock.advanceMs(1);
    expectCarriedOut(await own.post('/v1/references', { application: 'app_1' }, key));
  });

  test('executes a request once when 20 repeats arrive after the key has expired', async () => {
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

describe('simultaneous requests with the same key', () => {
  test('refuses a repeat when the first request is still being decided, and replays its response later', async () => {
    const { own, isReading, letRead } = await serverThatWaits();
    const { body: reference } = await own.api.post('/v1/references', { application: 'app_1' });
    const key = newKey();
    const update = (): Promise<ApiResponse> =>
      own.api.post(`/v1/references/${reference.id}`, { outcome: 'accept' }, key);

    const running = update();
    await isReading;
    const twin = await update();
    expectRefusal(twin, refusals.idempotencyInUse);
    letRead();
    const first = await running;
    expectCarriedOut(first);
    await expectLeft(own.api, twin, key, {});
    expect(first.body.status).toBe('complete');
    expectReplay(await update(), first);
    expect((await own.api.get(`/v1/events?object_id=${reference.id}`)).body.count).toBe(3);
  });

  test('replays the response to each of 20 simultaneous repeats when the first request is done', async () => {
    const key = newKey();
    const create = (): Promise<ApiResponse> => api.post('/v1/references', { application: 'app_1' }, key);
    const first = await create();
    expectCarriedOut(first);
    for (const repeat of await Promise.all(range(20).map(create))) expectReplay(repeat, first);
  });

  test('executes the request that is committed first when two processes decide at once, and replays it to the other', async () => {
    const { own, isReading, letRead } = await serverThatWaits();
    const other = await anotherServer(own);
    const { body: reference } = await own.api.post('/v1/references', { application: 'app_1' });
    const key = newKey();
    const update = (by: TestServer): Promise<ApiResponse> =>
      by.api.post(`/v1/references/${reference.id}`, { outcome: 'accept' }, key);

    const early = update(own);
    await isReading;
    const committed = await update(other);
    expectCarriedOut(committed);
    letRead();
    const late = await early;
    expectReplay(late, committed);
    await expectLeft(other.api, late, key, {});
    expect((await other.api.get(`/v1/events?object_id=${reference.id}`)).body.count).toBe(3);
  });

  test.each([
    ['on one server', false],
    ['on two servers', true],
  ])('executes a request once when fifty copies arrive at once %s', async (_case, onTwo) => {
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

test('leaves a key free for another server when the first server cannot write at all', async () => {
  const one = await serverForTest();
  const cutOff = await anotherServer(one, {
    changeContext: (context) => {
      const nowhere = openDatabase({ host: '127.0.0.1', port: 1, user: 'nobody', database: 'none' }, context.log);
      onTestFinished(() => nowhere.end());
      return { ...context, committer: new Committer({ ...context, writers: nowhere.writers, epoch: 1 }) };
    },
  });
  const key = newKey();
  expectRefusal(await cutOff.api.post('/v1/references', { application: 'app_1' }, key), refusals.unavailable);
  expectCarriedOut(await one.api.post('/v1/references', { application: 'app_1' }, key));
  expect((await cutOff.api.get('/v1/references')).body.count).toBe(1);
});

async function createReference(): Promise<string> {
  const { status, body, text } = await api.post('/v1/references', { application: 'app_1' });
  expect(status, text).toBe(200);
  return body.id;
}

/** Starts a server that reads no record until `letRead` is called. After `isReading`, a request is in the middle of its decision. */
async function serverThatWaits(): Promise<{ own: TestServer; isReading: Promise<void>; letRead: () => void }> {
  const { promise: mayRead, resolve: letRead } = Promise.withResolvers<void>();
  const { promise: isReading, resolve: reads } = Promise.withResolvers<void>();
  const own = await serverForTest({
    changeContext: (context) => ({
      ...context,
      readRecord: async (...wanted) => {
        reads();
        await mayRead;
        return context.readRecord(...wanted);
      },
    }),
  });
  return { own, isReading, letRead };
}

async function sql(text: string, values: unknown[]): Promise<void> {
  const { rowCount } = await server.context.database.readers.query(text, values);
  expect(rowCount).toBe(1);
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

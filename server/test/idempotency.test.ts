import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Committer } from '../src/commit/committer.ts';
import { openDatabase } from '../src/db/pools.ts';
import { fingerprints, fingerprintVersions } from '../src/http/write/idempotency.ts';
import {
  anotherServer,
  expectCarriedOut,
  expectLeft,
  expectOneExecution,
  expectReplay,
  newKey,
} from './support/idempotency.ts';
import { allPermissions } from './support/permissions.ts';
import { expectRefusal, refusals } from './support/refusals.ts';
import {
  apiClient,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from './support/server.ts';
import { StillClock } from './support/still-clock.ts';
import { addAccount, addKey, firstAccountId } from './support/tenants.ts';
import { latestVersion } from './support/versions.ts';

/*
 * What an Idempotency-Key promises beyond the table of its cases, which is in idempotency-table.test.ts: what counts as the same
 * request, whose a key is, which form it has, how long it lives, and what becomes of many at once.
 */

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

describe('a key that an earlier release has stored', () => {
  const body = { application: 'app_1', metadata: { a: '1', b: '2' } };

  test('is replayed when its fingerprint has no version', async () => {
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

  test('is recognized when the way of making fingerprints has changed since', () => {
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

  test('is neither executed again nor called reused when only a later release can compare it', async () => {
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

describe('a repeated request', () => {
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
    expectReplay(await api.post(`/v1/references/${id}`, { outcome: 'accept' }, key), first);
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
    expectReplay(await api.post(`/v1/references/${id}`, { outcome: 'accept' }, key), first);
    expect((await api.get(`/v1/references/${id}`)).body.status).toBe('pending');
    expect((await api.post(`/v1/references/${id}`, { outcome: 'accept' }, newKey())).status).toBe(200);
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

describe('an answer with a secret', () => {
  test('is refused to an API key that lacks the second permission of the operation', async () => {
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

  test('is repeated for a rolled API key when the secret can be retrieved at any time', async () => {
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
    // An API key is shown once, and to none but the key that asked first.
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

  test('a day of the clock, also when that was set back: ids stay where they were, and keys do not go by them', async () => {
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
  test('is told to come back also while the first one is still being decided, and gets the answer then', async () => {
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

  test('in another process is none until it is being committed: whichever is committed first is carried out', async () => {
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

test('a server that cannot write at all leaves the key free for another one', async () => {
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

/** A server that reads no record until it may; a test that waits for `isReading` has a request in the middle of deciding. */
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

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestClock } from '../../support/clock.ts';
import { allPermissions } from '../../support/permissions.ts';
import { isSignedWith, receiverForTest, type Received } from '../../support/receiver.ts';
import { expectRefusal, invalid } from '../../support/refusals.ts';
import { expectSent, receiversOf, updateReference, updates } from '../../support/sent-shapes.ts';
import {
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../../support/server.ts';
import { addAccount, addKey, firstAccountId } from '../../support/tenants.ts';
import { inVersion, latestVersion, versions } from '../../support/versions.ts';
import { tablesWith } from '../../support/tables.ts';
import {
  deliver,
  endpointFor,
  over,
  pingedEndpoint,
  queueEmpty,
  role,
  soon,
  timeOf,
  underLoad,
  waitingForRetry,
} from '../scenario.ts';

/*
 * The signing secret and the version are always those of the endpoint at the time of sending.
 */

type Body = ApiResponse['body'];

const path = '/v1/webhook_endpoints';

/** The name resolves to no address, so deliveries to it never arrive. */
const url = 'https://hooks.example.com/tenure';

describe('signing secrets', () => {
  /** On this server a test can let ten minutes pass. */
  let server: TestServer;
  let api: Api;
  const clock = new TestClock();
  beforeAll(async () => {
    server = await startTestServer({
      settings: { TENURE_RETRY_SCHEDULE: '600' },
      overrides: { clock, dispatcherLimits: { pollMs: 20 }, resolveHost: async () => [] },
    });
    api = server.api;
  });
  afterAll(() => server.stop());

  test('12: shows the secret on create, retrieve and roll only when the key may change the endpoint', async () => {
    const account = await firstAccountId(server);
    const { api: reading } = await addKey(server, account, { permissions: ['webhook_endpoints.read'] });
    const { api: writing } = await addKey(server, account, { permissions: ['webhook_endpoints.write'] });
    const endpoint = await endpointFor(api, url);
    const own = `${path}/${endpoint.id}`;
    expect((await writing.get(own)).body).toStrictEqual(endpoint);
    expect((await reading.get(own)).body).toStrictEqual(withoutSecret(endpoint));

    const rolled = await writing.post(`${own}/roll_secret`);
    expect(rolled.body).toStrictEqual({ ...endpoint, signing_secret: rolled.body.signing_secret });
    expect(rolled.body.signing_secret).toMatch(/^whsec_[0-9A-Za-z]{32}$/);
    expect(rolled.body.signing_secret).not.toBe(endpoint.signing_secret);
    expect((await writing.get(own)).body).toStrictEqual(rolled.body);
    expect((await reading.get(own)).body).toStrictEqual(withoutSecret(endpoint));
    expect((await writing.post(own, { description: 'x' })).body).toStrictEqual({
      ...withoutSecret(endpoint),
      description: 'x',
    });
  });

  test('12, 16: shows no secret in lists, events or deliveries, and stores none in plain text, when endpoints change', async () => {
    const { api: own } = await addAccount(server);
    const [createKey, rollKey] = [{ 'idempotency-key': 'create' }, { 'idempotency-key': 'roll' }];
    // A second endpoint that is sent every event about the first.
    await own.post(path, { url });
    const first = await own.post(path, { url: `${url}/secretive` }, createKey);
    const its = `${path}/${first.body.id}`;
    const rolled = await own.post(`${its}/roll_secret`, undefined, rollKey);
    await Promise.all([
      own.post(path, { url: `${url}/secretive` }, createKey),
      own.post(`${its}/roll_secret`, undefined, rollKey),
      own.post(its, { description: 'changed' }),
      own.post(`${its}/ping`),
    ]);
    const last = (await own.get(its)).body.signing_secret;
    const lists = await Promise.all(
      [path, '/v1/events', `/v1/events?object_id=${first.body.id}`, `${its}/deliveries`].map((list) => own.get(list)),
    );
    await own.delete(its);
    lists.push(await own.get(`/v1/events?object_id=${first.body.id}`));

    expect(lists.map(({ body }) => body.count > 0)).toEqual([true, true, true, true, true]);
    expect(rolled.body.signing_secret).toBe(last);
    for (const secret of [first.body.signing_secret, last]) {
      for (const { text } of lists) expect(text).not.toContain(secret.slice(6));
      expect(await tablesWith(server, secret.slice(6))).toEqual([]);
      expect(await tablesWith(server, Buffer.from(secret.slice(6)).toString('hex'))).toEqual([]);
    }
    // The search works: it finds stored texts and bytes.
    const found = await tablesWith(server, first.body.id);
    expect(found).toEqual(expect.arrayContaining(['events', 'request_logs', 'webhook_deliveries']));
    const { rows } = await server.context.database.readers.query<{ sealed: string }>(
      `select encode(sealed_body, 'hex') as sealed from idempotency_keys where key = 'create'`,
    );
    expect(await tablesWith(server, rows[0]!.sealed)).toEqual(['idempotency_keys']);
  });

  test('13: signs with the new secret after the response when a secret is rolled under load in two processes', async () => {
    const receiver = await receiverForTest();
    const loaded = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 20 } } });
    await serverForTest({
      connection: loaded.connection,
      settings: role('worker'),
      overrides: { dispatcherLimits: { pollMs: 20 } },
    });
    const endpoint = await endpointFor(loaded.api, receiver.url);
    const load = underLoad(loaded.api);
    await receiver.count(20);
    const rolled = await loaded.api.post(`${path}/${endpoint.id}/roll_secret`);
    const answeredAtSeconds = Math.floor(Date.now() / 1000);
    expect(rolled.status, rolled.text).toBe(200);
    const later = (): Received[] => receiver.received.filter((one) => timeOf(one) > answeredAtSeconds);
    await expect.poll(() => later().length, soon).toBeGreaterThan(20);
    await load.stop();
    await queueEmpty(loaded);

    const [before, after] = [endpoint.signing_secret, rolled.body.signing_secret];
    expect(after).not.toBe(before);
    expect(isSignedWith(before, receiver.received[0]!)).toBe(true);
    for (const one of receiver.received) {
      expect([before, after].filter((secret) => isSignedWith(secret, one))).toHaveLength(1);
    }
    expect(later().filter((one) => !isSignedWith(after, one))).toEqual([]);
  });

  test('14: signs a retry with the new secret when the roll happens during its pause', async () => {
    const receiver = await receiverForTest(500, 200);
    const endpoint = await waitingForRetry(server, receiver);
    const { body: rolled } = await server.api.post(`${path}/${endpoint.id}/roll_secret`);
    clock.advanceSeconds(800);
    expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'delivered', attempt_count: 2 });
    const [first, second] = receiver.received;
    expect(isSignedWith(endpoint.signing_secret, first!)).toBe(true);
    expect(isSignedWith(endpoint.signing_secret, second!)).toBe(false);
    expect(isSignedWith(rolled.signing_secret, second!)).toBe(true);
  });

  test('15: returns each of fifty simultaneous rolls its own secret, and signs with the last one', async () => {
    const receiver = await receiverForTest();
    const { connection, secretKey } = server;
    const other = await serverForTest({ connection, secretKey, settings: role('api') });
    const { id, signing_secret } = await pingedEndpoint(api, receiver.url);
    const fifty = Array.from({ length: 50 }, (_, index) => index);
    const rolls = await Promise.all(
      fifty.map((index) => good([api, other.api][index % 2]!.post(`${path}/${id}/roll_secret`))),
    );
    const secrets = new Map(
      rolls.map(({ headers, body }) => [headers.get('request-id'), body.signing_secret as string]),
    );
    expect(new Set([signing_secret, ...secrets.values()]).size).toBe(51);

    // The responses came in any order. The database shows which roll was the last.
    const last = secrets.get(await lastCommitted(server, id))!;
    expect(last).toMatch(/^whsec_/);
    for (const by of [api, other.api]) expect((await good(by.get(`${path}/${id}`))).body.signing_secret).toBe(last);
    const { body: events } = await good(api.get(`/v1/events?object_id=${id}&type=webhook_endpoint.secret_rolled`));
    expect(events.count).toBe(50);
    await deliver(server, id);
    expect(isSignedWith(last, receiver.received[0]!)).toBe(true);
  });
});

describe('API versions', () => {
  const [, between, oldest] = versions as [string, string, string];
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ settings: { TENURE_RETRY_SCHEDULE: '0.05' } });
  });
  afterAll(() => server.stop());

  test("17: uses the account's version by default, and keeps it when the account is upgraded", async () => {
    const { accountId } = await addAccount(server, oldest);
    const { api } = await addKey(server, accountId, { permissions: [...allPermissions] });
    const [told, untold] = [await receiverForTest(), await receiverForTest()];
    const endpoint = await endpointFor(api, told.url, { ...updates, api_version: between });
    expect(endpoint.api_version).toBe(between);
    await endpointFor(api, untold.url, updates);
    await good(api.post('/v1/account/api_version', { api_version: latestVersion }));
    await updateReference(api, latestVersion);
    expectSent(between, (await told.count(1))[0]!);
    expectSent(oldest, (await untold.count(1))[0]!);
  });

  test("18: sends one event in each endpoint's version, signed over those bytes, when endpoints differ", async () => {
    const { api } = await addAccount(server);
    const receivers = await receiversOf(api, {});
    const { id, metadata } = await updateReference(api, latestVersion);
    const [event] = (await good(api.get(`/v1/events?object_id=${id}`))).body.data;
    for (const { version, receiver, secret } of receivers) {
      const [sent, ...more] = await receiver.count(1);
      expect(more).toEqual([]);
      expectSent(version, sent!);
      expect(isSignedWith(secret, sent!)).toBe(true);
      expect(sent!.raw.toString('utf8')).toBe(JSON.stringify(sent!.body));
      expect([sent!.body.id, sent!.body.data.object.metadata]).toEqual([event.id, metadata]);
      // The same text as the API's response in that version.
      const { api_version, ...shown } = (await good(api.get(`/v1/events/${event.id}`, inVersion(version)))).body;
      expect(sent!.body).toStrictEqual(shown);
      expect(api_version).toBe(version);
    }
  });

  test("19: sends a retry in the new version when the endpoint's version changes during its pause", async () => {
    const { api } = await addAccount(server);
    const broken = Promise.withResolvers<void>();
    const receiver = await receiverForTest(
      (response) => void broken.promise.then(() => response.writeHead(500).end()),
      200,
    );
    const endpoint = await endpointFor(api, receiver.url, { ...updates, api_version: oldest });
    await updateReference(api, latestVersion);
    await receiver.count(1);
    await good(api.post(`${path}/${endpoint.id}`, { api_version: latestVersion }));
    broken.resolve();
    const { attempts } = await over(api, endpoint.id);
    const [before, after] = receiver.received;
    expectSent(oldest, before!);
    expectSent(latestVersion, after!);
    expect(after!.body.id).toBe(before!.body.id);
    expect(attempts.map(({ status, api_version }: Body) => [status, api_version])).toEqual([
      [500, oldest],
      [200, latestVersion],
    ]);
  });

  test('20: refuses an unknown version and changes nothing when one is sent', async () => {
    const { api } = await addAccount(server);
    const endpoint = await endpointFor(api, 'http://127.0.0.1:9/', updates);
    for (const version of ['2026-11-02', 'latest', '']) {
      const refusal = { ...invalid('api_version'), says: versions.join(', ') };
      expectRefusal(await api.post(path, { url: 'http://127.0.0.1:9/', api_version: version }), refusal);
      expectRefusal(await api.post(`${path}/${endpoint.id}`, { api_version: version }), refusal);
    }
    expect((await good(api.get(`${path}/${endpoint.id}`))).body.api_version).toBe(latestVersion);
  });
});

function withoutSecret(endpoint: Body): Body {
  const { signing_secret: _, ...shown } = endpoint;
  return shown;
}

/** Returns the request that last changed a record, from the event in the transaction that wrote the row. */
async function lastCommitted({ context }: TestServer, id: string): Promise<string> {
  const { rows } = await context.database.readers.query<{ request: string }>(
    `
    select event.request::json ->> 'id' as request
    from webhook_endpoints record
    join events event on event.object_id = record.id and event.transaction_id::text = record.xmin::text
    where record.id = $1`,
    [id],
  );
  expect(rows).toHaveLength(1);
  return rows[0]!.request;
}

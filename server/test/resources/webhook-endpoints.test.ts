import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import type { WriteRoute } from '../../src/http/route.ts';
import { latestVersion } from '../support/versions.ts';
import { allOf } from '../support/paging.ts';
import { expectRefusal, invalid, missing, refusals, unknown, type Refusal } from '../support/refusals.ts';
import {
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { nameOf, routesOfKeys } from '../support/routes.ts';
import { expectShape } from '../support/shapes.ts';
import { addAccount, addKey, firstAccountId } from '../support/tenants.ts';
import { laterThanNow } from '../support/later-than-now.ts';

type Body = ApiResponse['body'];

/** These servers deliver nothing, so no test depends on the receiver of a URL. */
const quiet = { TENURE_ROLE: 'api', DATABASE_URL: 'postgres://given.by.the.test/', TENURE_MASTER_KEY: newMasterKey() };
const path = '/v1/webhook_endpoints';
const url = 'https://hooks.example.com/tenure';
const unknownId = 'we_0000000000000000000000';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer({ settings: quiet });
  api = server.api;
});
afterAll(() => server.stop());

describe('webhook endpoint creation', () => {
  test('returns the whole endpoint with its secret when it is created or retrieved', async () => {
    const madeNow = laterThanNow();
    const body = {
      url: 'https://hooks.example.com:8443/tenure?for=ada%23',
      description: 'Ada’s CRM',
      enabled_events: ['reference.*', 'customer.created', 'api_key.rolled'],
      api_version: latestVersion,
      status: 'disabled',
      metadata: { crm: '17' },
    };
    const endpoint = await created(body);
    expect(endpoint).toStrictEqual({
      id: expect.stringMatching(/^we_[0-9A-Za-z]{22}$/),
      object: 'webhook_endpoint',
      created: madeNow,
      ...body,
      disabled_reason: null,
      connected: false,
      signing_secret: expect.stringMatching(/^whsec_[0-9A-Za-z]{32}$/),
    });
    expect((await api.get(`${path}/${endpoint.id}`)).body).toStrictEqual(endpoint);
  });

  test('requires only a URL, and treats null as absent when an endpoint is created', async () => {
    const nulls = { description: null, enabled_events: null, api_version: null, status: null, metadata: null };
    const [withNulls, without] = [await created({ url, ...nulls }), await created({ url })];
    const own = { id: '', created: 0, signing_secret: '' };
    expect({ ...withNulls, ...own }).toStrictEqual({ ...without, ...own });
    expect(without).toMatchObject({
      url,
      description: null,
      enabled_events: ['*'],
      api_version: latestVersion,
      status: 'enabled',
      disabled_reason: null,
      connected: false,
      metadata: {},
    });
  });

  test('accepts the largest values and every event name when an endpoint is created', async () => {
    const types = server.context.eventTypes;
    const names = ['*', ...new Set(types.map((type) => type.replace(/\..*/, '.*'))), ...types];
    expect(names).toEqual(expect.arrayContaining(['reference.*', 'reference.completed', 'recovery.canceled']));
    const body = {
      url: `https://hooks.example.com/${'x'.repeat(2048 - 26)}`,
      description: 'x'.repeat(500),
      enabled_events: names,
      metadata: Object.fromEntries(range(50).map((index) => [`key ${index}`, 'x'.repeat(500)])),
    };
    expect(body.url).toHaveLength(2048);
    expect(await created(body)).toMatchObject(body);
  });

  test('shows the URL in its normalized form when an endpoint is created', async () => {
    const { id, url: shown } = await created({ url: 'HTTPS://Hooks.EXAMPLE.com:443/a/../b%20é' });
    expect(shown).toBe('https://hooks.example.com/b%20%C3%A9');
    expect((await api.get(`${path}/${id}`)).body.url).toBe(shown);
  });

  test('generates a new secret without a delay when an endpoint is created', async () => {
    const secrets = new Set<string>();
    for (let times = 0; times < 10; times++) secrets.add((await created({ url })).signing_secret);
    expect(secrets.size).toBe(10);
    const creation = routesOfKeys(server.context).find((route) => nameOf(route) === `POST ${path}`) as WriteRoute;
    expect(creation.propagationDelayMs).toBe(0);
  });

  test('shows the account in every response about an endpoint when the request names it', async () => {
    const account = await firstAccountId(server);
    const context = { 'service-context': account };
    const made = await api.post(path, { url }, context);
    const own = `${path}/${made.body.id}`;
    const [updated, rolled] = await Promise.all([
      api.post(own, { description: null }, context),
      api.post(`${own}/roll_secret`, undefined, context),
    ]);
    const [item] = (await api.get(path, context)).body.data;
    for (const answer of [made.body, updated.body, rolled.body, item, (await api.get(own, context)).body]) {
      const { account: shown, ...rest } = answer;
      expect(shown).toBe(account);
      expectShape('webhook_endpoint', withoutSecret(rest));
    }
    expectShape('webhook_endpoint', withoutSecret((await api.get(own)).body));
  });
});

describe('signing secrets', () => {
  test('redacts the secret in logs when a request has created or rolled it', async () => {
    const key = newKey();
    const first = await api.post(path, { url }, key);
    const again = await api.post(path, { url }, key);
    const rolled = await api.post(`${path}/${first.body.id}/roll_secret`);
    for (const response of [first, again, rolled]) {
      const { signing_secret } = response.body;
      expect(await loggedAnswer(response)).toBe(response.text.replace(signing_secret, '[redacted]'));
    }
  });
});

describe('webhook endpoint events', () => {
  test("writes one event with the endpoint's state of that time when an endpoint changes, and none when nothing differs", async () => {
    const { api: own } = await addAccount(server);
    const sent = { url, metadata: { kept: '1', gone: '2' }, enabled_events: ['reference.*'] };
    const made = await own.post(path, sent);
    const its = `${path}/${made.body.id}`;
    const changes = { description: 'x', metadata: { gone: '', added: '3' }, enabled_events: ['*'] };
    const updated = await own.post(its, changes);
    const unchanged = await own.post(its, { ...changes, url, status: 'enabled', api_version: latestVersion });
    const rolled = await own.post(`${its}/roll_secret`);
    const pinged = await own.post(`${its}/ping`);
    const deleted = await own.delete(its);
    const answers = [made, updated, unchanged, rolled, pinged, deleted];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(unchanged.text).toBe(updated.text);

    const events = await eventsAbout(own, made.body.id);
    for (const event of events) {
      expectShape('event', event);
      expectShape('webhook_endpoint', event.data.object);
    }
    const previous = {
      description: null,
      metadata: { gone: '2', added: null },
      enabled_events: ['reference.*'],
    };
    expect(
      events.map(({ type, request, data }) => [type, request.id, data.object, data.previous_attributes]),
    ).toStrictEqual([
      ['webhook_endpoint.created', requestOf(made), withoutSecret(made.body), null],
      ['webhook_endpoint.updated', requestOf(updated), updated.body, previous],
      ['webhook_endpoint.secret_rolled', requestOf(rolled), updated.body, null],
      ['webhook_endpoint.pinged', requestOf(pinged), updated.body, null],
      ['webhook_endpoint.deleted', requestOf(deleted), updated.body, null],
    ]);
    expect((await own.get('/v1/events')).body.count).toBe(events.length);
  });
});

describe('repeated webhook endpoint requests', () => {
  test('replays the same endpoint and secret when the creation is repeated', async () => {
    const { api: own } = await addAccount(server);
    const key = newKey();
    const first = await own.post(path, { url }, key);
    await expectRepeated(first, () => own.post(path, { url }, key));
    await expectRepeated(first, () => own.post(path, { url }, key));
    expect(first.body.signing_secret).toMatch(/^whsec_/);
    expect((await own.get(path)).body.count).toBe(1);
    expect((await own.get('/v1/events')).body.count).toBe(1);
  });

  test('replays the rolled secret when another roll has replaced it since', async () => {
    const { id } = await created({ url });
    const key = newKey();
    const roll = (): Promise<ApiResponse> => api.post(`${path}/${id}/roll_secret`, undefined, key);
    const first = await roll();
    await expectRepeated(first, roll);
    expect((await api.get(`${path}/${id}`)).text).toBe(first.text);

    const later = await api.post(`${path}/${id}/roll_secret`, undefined, newKey());
    await expectRepeated(first, roll);
    expect((await api.get(`${path}/${id}`)).text).toBe(later.text);
    expect(await revisionOf(id)).toBe(3);
    expect(await eventsAbout(api, id)).toHaveLength(3);
  });

  test('replays the secret when the endpoint has been deleted since', async () => {
    const key = newKey();
    const first = await api.post(path, { url }, key);
    await api.delete(`${path}/${first.body.id}`);
    await expectRepeated(first, () => api.post(path, { url }, key));
    expect((await api.get(`${path}/${first.body.id}`)).status).toBe(404);
  });

  test('creates one endpoint when many equal requests arrive at once', async () => {
    const { api: own } = await addAccount(server);
    const [createKey, rollKey] = [newKey(), newKey()];
    const creates = await Promise.all(range(20).map(() => own.post(path, { url }, createKey)));
    const made = oneExecution(creates);
    const rolls = await Promise.all(range(20).map(() => own.post(`${path}/${made.id}/roll_secret`, {}, rollKey)));
    const rolled = oneExecution(rolls);
    expect((await own.get(`${path}/${made.id}`)).body).toStrictEqual(rolled);
    expect((await own.get(path)).body.count).toBe(1);
    expect((await eventsAbout(own, made.id)).map(({ type }) => type)).toEqual([
      'webhook_endpoint.created',
      'webhook_endpoint.secret_rolled',
    ]);
  });

  test('stores a response encrypted when it has a secret, and plainly when it has none', async () => {
    const [createKey, rollKey, updateKey] = [newKey(), newKey(), newKey()];
    const first = await api.post(path, { url }, createKey);
    const its = `${path}/${first.body.id}`;
    const rolled = await api.post(`${its}/roll_secret`, {}, rollKey);
    await api.post(its, { description: 'x' }, updateKey);
    for (const [key, { body, text }] of [
      [createKey, first],
      [rollKey, rolled],
    ] as const) {
      const sealed = await sealedBodyOf(key);
      expect(sealed.length).toBeGreaterThanOrEqual(text.length);
      for (const readable of [body.signing_secret.slice(6), body.id, url, 'signing_secret'])
        expect(sealed.includes(readable)).toBe(false);
    }
    expect(await sealedBodyOf(updateKey)).toBeNull();
  });

  test('executes a deletion again when it is repeated, with any key', async () => {
    const key = newKey();
    const [one, other] = [await created({ url }), await created({ url })];
    const first = await api.delete(`${path}/${one.id}`, key);
    expect([first.status, first.body.deleted]).toEqual([200, true]);
    const again = await api.delete(`${path}/${one.id}`, key);
    expectRefusal(again, refusals.idUnknown);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect((await api.delete(`${path}/${other.id}`, { 'idempotency-key': 'x'.repeat(256) })).status).toBe(200);
    // The key is still free for another request.
    const made = await api.post(path, { url }, key);
    expect([made.status, made.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  test('accepts the same key with a corrected URL when the first URL was refused', async () => {
    const key = newKey();
    for (let times = 0; times < 2; times++) {
      const refused = await api.post(path, { url: 'http://10.0.0.1/' }, key);
      expectRefusal(refused, invalid('url'));
      expect(refused.headers.get('idempotent-replayed')).toBeNull();
    }
    const made = await api.post(path, { url }, key);
    expect([made.status, made.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });
});

test('refuses an endpoint when the account has a hundred, until one is deleted', async () => {
  const alone = await serverForTest();
  const make = () =>
    alone.api.post('/v1/webhook_endpoints', {
      url: 'http://127.0.0.1:9/',
      enabled_events: ['webhook_endpoint.pinged'],
    });
  const made = await Promise.all(Array.from({ length: 99 }, make));
  expect(made.every(({ status }) => status === 200)).toBe(true);
  const last = await make();
  expect(last.status).toBe(200);
  expectRefusal(await make(), refusals.limitReached);
  await alone.api.delete(`/v1/webhook_endpoints/${last.body.id}`);
  expect((await make()).status).toBe(200);
});

test('creates exactly a hundred endpoints when 130 requests arrive at once in two processes', async () => {
  const one = await serverForTest();
  const two = await serverForTest({ connection: one.connection, secretKey: one.secretKey });
  const asks = Array.from({ length: 130 }, (_, index) => {
    const by = [one, two][index % 2]!.api;
    const key = newKey();
    return () => by.post(path, { url: 'http://127.0.0.1:9/', enabled_events: ['webhook_endpoint.pinged'] }, key);
  });
  const answers = await Promise.all(asks.map((ask) => ask()));
  const made = answers.filter(({ status }) => status === 200);
  for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, refusals.limitReached);
  const list = (await one.api.get(`${path}?limit=1`)).body;
  expect([made.length, list.count, new Set(made.map(({ body }) => body.id)).size]).toEqual([100, 100, 100]);
  const { rows } = await one.context.database.readers.query('select count(*) as kept from webhook_endpoints');
  expect(rows).toEqual([{ kept: 100 }]);
  // Each response is final: a repeat creates nothing, and a refusal does not become a success.
  expect((await one.api.delete(`${path}/${made[0]!.body.id}`)).status).toBe(200);
  const repeated = await Promise.all(asks.map((ask) => ask()));
  expect(repeated.map(({ text }) => text)).toEqual(answers.map(({ text }) => text));
  expect(new Set(repeated.map(({ headers }) => headers.get('idempotent-replayed')))).toEqual(new Set(['true']));
  // One more endpoint fits now.
  const more = { url: 'http://127.0.0.1:9/', enabled_events: ['webhook_endpoint.pinged'] };
  const late = await Promise.all(Array.from({ length: 6 }, (_, index) => [one, two][index % 2]!.api.post(path, more)));
  expect(late.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const answer of late) if (answer.status !== 200) expectRefusal(answer, refusals.limitReached);
});

describe('webhook endpoint updates', () => {
  test('changes only the members sent, and keeps the secret, when an endpoint is updated', async () => {
    const before = await created({ url, description: 'x', metadata: { a: '1' } });
    const its = `${path}/${before.id}`;
    // As if it had been created under an older version.
    await sql(`update webhook_endpoints set api_version = '2020-01-01' where id = $1`, [before.id]);
    let current = { ...withoutSecret(before), api_version: '2020-01-01' };
    const expected: [string, Body, Body][] = [['webhook_endpoint.created', withoutSecret(before), null]];
    for (const [change, previous] of [
      [{ url: 'http://127.0.0.1:9/other' }, { url }],
      [{ description: 'y' }, { description: 'x' }],
      [{ enabled_events: ['reference.created', '*'] }, { enabled_events: ['*'] }],
      [{ enabled_events: ['*', 'reference.created'] }, { enabled_events: ['reference.created', '*'] }],
      [{ api_version: latestVersion }, { api_version: '2020-01-01' }],
      [{ status: 'disabled' }, { status: 'enabled' }],
      [{ metadata: { b: '2' } }, { metadata: { b: null } }],
    ] as const) {
      const response = await api.post(its, change);
      const metadata = { ...current.metadata, ...('metadata' in change && change.metadata) };
      current = { ...current, ...change, metadata };
      expect(response.body, response.text).toStrictEqual(current);
      expected.push(['webhook_endpoint.updated', current, previous]);
    }
    expect((await api.get(its)).body).toStrictEqual({ ...current, signing_secret: before.signing_secret });
    expect(
      (await eventsAbout(api, before.id)).map(({ type, data }) => [type, data.object, data.previous_attributes]),
    ).toStrictEqual(expected);
  });

  test('keeps unknown event names when an update does not send `enabled_events`', async () => {
    const before = await created({ url });
    const its = `${path}/${before.id}`;
    await sql(`update webhook_endpoints set enabled_events = '{references.*}' where id = $1`, [before.id]);
    const changed = await good(api.post(its, { description: 'y' }));
    expect(changed.body).toMatchObject({ description: 'y', enabled_events: ['references.*'] });
    expect(await eventTypesAbout(before.id)).toEqual(['webhook_endpoint.created', 'webhook_endpoint.updated']);
    expectRefusal(await api.post(its, { enabled_events: ['references.*'] }), invalid('enabled_events[0]'));
  });

  test('applies all changes as one event when an update changes every member', async () => {
    const before = await created({ url, metadata: { a: '1' } });
    const change = {
      url: 'https://hooks.example.com/other',
      description: 'new',
      enabled_events: ['customer.*'],
      status: 'disabled',
      metadata: { b: '2' },
    };
    const { body: after } = await api.post(`${path}/${before.id}`, change);
    expect(after).toStrictEqual({ ...withoutSecret(before), ...change, metadata: { a: '1', b: '2' } });
    const [, updated, ...more] = await eventsAbout(api, before.id);
    expect(updated.data.previous_attributes).toStrictEqual({
      url,
      description: null,
      enabled_events: ['*'],
      status: 'enabled',
      metadata: { b: null },
    });
    expect(more).toEqual([]);
  });

  test('clears only description and metadata when an update sends null', async () => {
    const before = await created({ url, description: 'x', metadata: { a: '1' } });
    const its = `${path}/${before.id}`;
    for (const name of ['url', 'enabled_events', 'api_version', 'status'])
      expectRefusal(await api.post(its, { description: 'y', [name]: null }), invalid(name));
    expect((await api.get(its)).body).toStrictEqual(before);
    const { body: after } = await api.post(its, { description: null, metadata: null });
    expect(after).toStrictEqual({ ...withoutSecret(before), description: null, metadata: {} });
  });

  test('writes no event when an update only spells the URL differently', async () => {
    const before = await created({ url: 'https://hooks.example.com' });
    const its = `${path}/${before.id}`;
    for (const spelling of ['https://hooks.example.com', 'https://hooks.example.com/', 'HTTPS://HOOKS.example.com:443'])
      expect((await api.post(its, { url: spelling })).body).toStrictEqual(withoutSecret(before));
    expect(await eventsAbout(api, before.id)).toHaveLength(1);
  });

  test('clears the reason of a disabled endpoint only when it is enabled again', async () => {
    const { id } = await created({ url });
    const its = `${path}/${id}`;
    // As the server itself disables an endpoint.
    await sql(`update webhook_endpoints set status = 'disabled', disabled_reason = 'It failed.' where id = $1`, [id]);
    expect((await api.post(its, { status: 'disabled', description: 'x' })).body).toMatchObject({
      status: 'disabled',
      disabled_reason: 'It failed.',
    });
    expect((await api.post(its, { status: 'enabled' })).body).toMatchObject({
      status: 'enabled',
      disabled_reason: null,
    });
    expect((await api.post(its, { status: 'disabled' })).body).toMatchObject({
      status: 'disabled',
      disabled_reason: null,
    });
    expect((await eventsAbout(api, id)).slice(2).map(({ data }) => data.previous_attributes)).toStrictEqual([
      { status: 'disabled', disabled_reason: 'It failed.' },
      { status: 'enabled' },
    ]);
  });

  test('keeps all changes when many updates change different members at once', async () => {
    const { id } = await created({ url });
    const answers = await Promise.all(
      range(12).map((index) => api.post(`${path}/${id}`, { metadata: { [`key ${index}`]: 'x' } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(range(12).map(() => 200));
    const { metadata } = (await api.get(`${path}/${id}`)).body;
    expect(Object.keys(metadata)).toHaveLength(12);
    expect(await eventsAbout(api, id)).toHaveLength(13);
  });
});

describe('delayed responses to endpoint changes', () => {
  type Change = (its: string, key: Record<string, string>) => Promise<ApiResponse>;
  let real: TestServer;

  beforeAll(async () => {
    real = await startTestServer({
      settings: quiet,
      connection: server.connection,
      secretKey: server.secretKey,
      realFreshness: true,
    });
  });
  afterAll(() => real.stop());

  test.each<[string, Change]>([
    ['update', (its, key) => real.api.post(its, { description: 'x' }, key)],
    ['roll_secret', (its, key) => real.api.post(`${its}/roll_secret`, {}, key)],
    ['delete', (its, key) => real.api.delete(its, key)],
  ])('responds 250 ms after the commit, when every process has read the change: %s', async (_name, change) => {
    const { id } = await created({ url });
    const startedMs = performance.now();
    const answered = change(`${path}/${id}`, newKey());
    await expect.poll(() => eventsAbout(api, id), { interval: 5 }).toHaveLength(2);
    expect((await answered).status).toBe(200);
    const answeredMs = performance.now() - startedMs;
    expect(answeredMs).toBeGreaterThanOrEqual(250);
  });

  test('delays a replay as long as the first response when a change is repeated', async () => {
    const { id } = await created({ url });
    const key = newKey();
    const other = await anotherServer();
    const first = other.api.post(`${path}/${id}/roll_secret`, {}, key);
    await expect.poll(() => eventsAbout(api, id), { interval: 5 }).toHaveLength(2);
    const startedMs = performance.now();
    const repeated = await real.api.post(`${path}/${id}/roll_secret`, {}, key);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(245);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(repeated.text).toBe((await first).text);
  });
});

describe('webhook endpoint deletion', () => {
  test('removes the endpoint alone when it is deleted, and answers its id with 404 from then on', async () => {
    const { api: own } = await addAccount(server);
    const [before, kept] = [await own.post(path, { url }), await own.post(path, { url })];
    const { id } = before.body;
    const its = `${path}/${id}`;
    const { status, body } = await own.delete(its);
    expect([status, body]).toStrictEqual([200, { id, object: 'webhook_endpoint', deleted: true }]);

    for (const response of [
      await own.get(its),
      await own.post(its, { description: 'x' }),
      await own.post(`${its}/roll_secret`),
      await own.post(`${its}/ping`),
      await own.get(`${its}/deliveries`),
      await own.delete(its),
    ]) {
      expectRefusal(response, refusals.idUnknown);
    }
    expect((await own.get(path)).body).toStrictEqual({
      object: 'list',
      count: 1,
      has_more: false,
      data: [withoutSecret(kept.body)],
    });
    expect((await eventsAbout(own, id)).map(({ type, data }) => [type, data])).toStrictEqual([
      ['webhook_endpoint.created', { object: withoutSecret(before.body), previous_attributes: null }],
      ['webhook_endpoint.deleted', { object: withoutSecret(before.body), previous_attributes: null }],
    ]);
  });

  test('shows the account when a deletion names it', async () => {
    const account = await firstAccountId(server);
    const { id } = await created({ url });
    const { body } = await api.delete(`${path}/${id}`, { 'service-context': account });
    expect(body).toStrictEqual({ id, object: 'webhook_endpoint', deleted: true, account });
  });

  test('deletes an endpoint once when many requests arrive at once at two servers', async () => {
    const { api: own, key } = await addAccount(server);
    const other = await anotherServer(key);
    const { id } = (await own.post(path, { url })).body;
    const answers = await Promise.all(range(10).map((index) => [own, other.api][index % 2]!.delete(`${path}/${id}`)));
    const [done, ...refused] = answers.toSorted((left, right) => left.status - right.status);
    expect([done!.status, done!.body.deleted]).toEqual([200, true]);
    for (const response of refused) expectRefusal(response, refusals.idUnknown);
    expect((await own.get(path)).body).toMatchObject({ count: 0, data: [] });
    expect((await eventsAbout(own, id)).map(({ type }) => type)).toEqual([
      'webhook_endpoint.created',
      'webhook_endpoint.deleted',
    ]);
  });

  test('keeps the endpoint deleted, with its deletion as last event, when changes arrive at the same time', async () => {
    const { id } = await created({ url });
    const its = `${path}/${id}`;
    const answers = await Promise.all([
      ...range(5).map((index) => api.post(its, { description: `${index}` })),
      api.delete(its),
      ...range(5).map(() => api.post(`${its}/roll_secret`)),
    ]);
    const done = answers.filter(({ status }) => status === 200);
    for (const response of answers) if (response.status !== 200) expectRefusal(response, refusals.idUnknown);
    expect((await api.get(its)).status).toBe(404);
    const types = (await eventsAbout(api, id)).map(({ type }) => type);
    expect(types).toHaveLength(done.length + 1);
    expect(types.at(-1)).toBe('webhook_endpoint.deleted');
  });
});

describe('the list of webhook endpoints', () => {
  test('returns endpoints newest first without secrets and with an exact count on every page when they are listed', async () => {
    const { api: own } = await addAccount(server);
    const made: Body[] = [];
    for (let index = 0; index < 5; index++) {
      const { body } = await own.post(path, { url: `${url}/${index}` });
      made.unshift(withoutSecret(body));
    }
    expect((await own.get(path)).body).toStrictEqual({ object: 'list', count: 5, has_more: false, data: made });
    const page = (await own.get(`${path}?limit=2&starting_after=${made[1].id}`)).body;
    expect(page).toStrictEqual({ object: 'list', count: 5, has_more: true, data: made.slice(2, 4) });
    const back = (await own.get(`${path}?limit=2&ending_before=${made[4].id}`)).body;
    expect(back).toStrictEqual({ object: 'list', count: 5, has_more: true, data: made.slice(2, 4) });
    const last = (await own.get(`${path}?limit=2&offset=3`)).body;
    expect(last).toStrictEqual({ object: 'list', count: 5, has_more: false, data: made.slice(3) });
    expectRefusal(await own.get(`${path}?limt=2`), { ...unknown('limt'), says: /Did you mean `limit`\?/ });
  });
});

describe('refused webhook endpoint requests', () => {
  /** In the sandbox, which allows loopback addresses. */
  const badUrls: [string, unknown][] = [
    ['text without any part of a URL', 'hooks'],
    ['an empty URL', ''],
    ['a URL without a scheme', 'hooks.example.com/tenure'],
    ['a URL without a scheme, but with slashes', '//hooks.example.com/tenure'],
    ['a URL without a host', 'https://'],
    ['ftp', 'ftp://hooks.example.com/'],
    ['a file', 'file:///etc/passwd'],
    ['a script', 'javascript:alert(1)'],
    ['a web socket', 'wss://hooks.example.com/'],
    ['data', 'data:text/plain,x'],
    ['a private address', 'http://10.0.0.1/'],
    ['port 0', 'http://127.0.0.1:0/'],
    ['port 65536', 'https://hooks.example.com:65536/'],
    ['a fragment', `${url}#top`],
    ['an empty fragment', `${url}#`],
    ['2,049 characters', `https://hooks.example.com/${'x'.repeat(2049 - 26)}`],
    ['2,049 characters, as they are encoded', `https://hooks.example.com/${'é'.repeat(338)}`],
    ['a line break', 'https://hooks.exam\nple.com/'],
    ['a line break at the end', `${url}\r\n`],
    ['a tab', 'https://hooks.example.com/ten\ture'],
    ['a space', `${url}/a b`],
    ['a space at the start', ` ${url}`],
    ['a space that is none of ASCII', `${url}/a\u00a0b`],
    ['a backslash in the path', `${url}\\a`],
    ['backslashes before the host', 'https:\\\\hooks.example.com/'],
    ['a backslash that hides the host', 'https://hooks.example.com\\@127.0.0.1/'],
    ['no slashes before the host', 'https:hooks.example.com/'],
    ['one slash before the host', 'https:/hooks.example.com/'],
    ['three slashes before the host', 'https:///hooks.example.com/'],
    ['a control character', `${url}/\u0007`],
    ['a number', 1],
    ['a list of URLs', [url]],
  ];

  /** Names that no event would ever match. */
  const unknownEvents: [string, string][] = [
    ['references.*', 'There is no event `references.*`. Did you mean `reference.*`?'],
    ['reference.complete', 'Did you mean `reference.completed`?'],
    ['reference.cancelled', 'Did you mean `reference.canceled`?'],
    ['costumer.created', 'Did you mean `customer.created`?'],
    // Deliveries, logs and events have no events of their own.
    ['webhook_delivery.*', 'one of reference.*, application.*,'],
    ['nothing.happens', 'Send `*`, one of reference.*, application.*,'],
  ];

  const badFields: [string, object, Refusal][] = [
    ['an unknown version', { api_version: '1999-01-01' }, { ...invalid('api_version'), says: latestVersion }],
    ['a word for a version', { api_version: 'latest' }, invalid('api_version')],
    ['an empty version', { api_version: '' }, invalid('api_version')],
    ['a version and a space', { api_version: `${latestVersion} ` }, invalid('api_version')],
    ['a number for a version', { api_version: 20261101 }, invalid('api_version')],
    ['one event without its list', { enabled_events: '*' }, invalid('enabled_events')],
    ['no event', { enabled_events: [] }, { ...invalid('enabled_events'), says: /at least|1 to 200|empty/ }],
    [
      'an event twice',
      { enabled_events: ['*', 'customer.created', '*'] },
      { ...invalid('enabled_events'), says: /twice|duplicate|different|distinct|unique|only once/ },
    ],
    ['201 events', { enabled_events: eventNames(201) }, { ...invalid('enabled_events'), says: /200/ }],
    ...['', 'reference', 'reference.', '.created', '**', '*.created', 'reference.*.x', 'reference.cre*'].map(
      eventFault,
    ),
    ...['Reference.created', 'reference created', 'reference.created ', 'reference.created\n', '%', 1, null].map(
      eventFault,
    ),
    eventFault(`${'x'.repeat(95)}.thing`),
    ...unknownEvents.map(([name, says]): [string, object, Refusal] => [
      `the unknown event ${name}`,
      { enabled_events: ['*', name] },
      { ...invalid('enabled_events[1]'), says },
    ]),
    ['an unknown status', { status: 'paused' }, { ...invalid('status'), says: /enabled.*disabled/ }],
    ['a status in capitals', { status: 'Enabled' }, invalid('status')],
    ['a description of 501 characters', { description: 'x'.repeat(501) }, invalid('description')],
    ['a number as the description', { description: 1 }, invalid('description')],
    ['a number in metadata', { metadata: { a: 1 } }, invalid('metadata[a]')],
    ['brackets in metadata', { metadata: { 'a[b]': 'x' } }, invalid('metadata[a[b]]')],
    [
      '51 pairs of metadata',
      { metadata: Object.fromEntries(range(51).map((i) => [`k${i}`, 'x'])) },
      invalid('metadata'),
    ],
    ['a misspelt member', { enabled_event: ['*'] }, { ...unknown('enabled_event'), says: /`enabled_events`\?/ }],
    ['another misspelt member', { desciption: 'x' }, { ...unknown('desciption'), says: /`description`\?/ }],
    ['a chosen secret', { signing_secret: `whsec_${'x'.repeat(32)}` }, unknown('signing_secret')],
    ["the server's own reason", { disabled_reason: 'x' }, unknown('disabled_reason')],
    ["the server's own id", { id: unknownId }, unknown('id')],
  ];

  let existing: Body;
  let its: string;
  let countsBefore: unknown;

  beforeAll(async () => {
    existing = await created({ url, description: 'unchanged' });
    its = `${path}/${existing.id}`;
    countsBefore = await everythingThereIs();
  });
  afterEach(() => expectNoTrace(existing, countsBefore));

  test.each(badUrls)('refuses to create or change an endpoint when its URL has or is %s', async (_case, bad) => {
    expectRefusal(await api.post(path, { url: bad }, newKey()), invalid('url'));
    expectRefusal(await api.post(its, { url: bad, description: 'changed' }, newKey()), invalid('url'));
  });

  test.each(badFields)('refuses to create or change an endpoint when it has %s', async (_case, bad, refusal) => {
    expectRefusal(await api.post(path, { url, ...bad }, newKey()), refusal);
    expectRefusal(await api.post(its, { description: 'changed', ...bad }, newKey()), refusal);
  });

  test('refuses to create an endpoint when the URL is missing or misspelt', async () => {
    expectRefusal(await api.post(path, {}, newKey()), missing('url'));
    expectRefusal(await api.post(path, { url: null }, newKey()), invalid('url'));
    expectRefusal(await api.post(path, { ulr: url }, newKey()), { ...unknown('ulr'), says: /`url`\?/ });
    expectRefusal(await api.post(path, undefined, newKey()), missing('url'));
    expectRefusal(await api.post(path, [{ url }], newKey()), refusals.bodyInvalid);
  });

  test('refuses any member when an action takes no body', async () => {
    for (const action of ['roll_secret', 'ping'])
      expectRefusal(await api.post(`${its}/${action}`, { expires_in: 60 }, newKey()), unknown('expires_in'));
    expectRefusal(await api.post(`${its}/roll`, undefined, newKey()), refusals.routeUnknown);
  });

  test('logs a refused request with its response when a URL is refused', async () => {
    const refused = await api.post(path, { url: 'http://10.0.0.1/' });
    expect(await loggedAnswer(refused)).toBe(refused.text);
  });
});

describe('loopback and private targets', () => {
  const spellings = ['127.0.0.1:9', '127.1', '0x7f000001', '2130706433', '[::1]', '[::ffff:127.0.0.1]', 'localhost:9'];

  test.each(spellings)('accepts the URL in a sandbox when its host is %s', async (host) => {
    await created({ url: `http://${host}/` });
  });

  test('accepts only the targets that the operator allows when TENURE_ALLOWED_TARGETS is set', async () => {
    const allowing = await serverForTest({ settings: { ...quiet, TENURE_ALLOWED_TARGETS: '10.0.0.0/8' } });
    expect((await allowing.api.post(path, { url: 'http://10.0.0.1/' })).status).toBe(200);
    for (const host of ['127.0.0.1', 'localhost', '192.168.1.1'])
      expectRefusal(await allowing.api.post(path, { url: `http://${host}/` }), invalid('url'));
  });
});

describe('permissions for webhook endpoints', () => {
  type Ask = (by: Api, its: string) => Promise<ApiResponse>;
  const reads: [string, Ask][] = [
    ['list endpoints', (by) => by.get(path)],
    ['retrieve an endpoint', (by, its) => by.get(its)],
    ['list deliveries', (by, its) => by.get(`${its}/deliveries`)],
  ];
  /** Requests that change no subscription. */
  const writes: [string, Ask][] = [
    ['change a description', (by, its) => by.post(its, { description: 'x' })],
    ['disable an endpoint', (by, its) => by.post(its, { status: 'disabled' })],
    ['roll a secret', (by, its) => by.post(`${its}/roll_secret`)],
    ['ping an endpoint', (by, its) => by.post(`${its}/ping`)],
    ['delete an endpoint', (by, its) => by.delete(its)],
  ];
  /** Requests that choose which events are sent, and to which URL. */
  const subscribes: [string, Ask][] = [
    ['create an endpoint', (by) => by.post(path, { url })],
    ['change a URL', (by, its) => by.post(its, { url: `${url}/other` })],
    ['change a subscription', (by, its) => by.post(its, { enabled_events: ['customer.*'] })],
  ];

  test.each([...reads, ...writes, ...subscribes])(
    'forbids a key to %s when it has no permission for endpoints',
    async (name, ask) => {
      const by = await keyWith('references.write', 'customers.write', 'events.read');
      const verb = reads.some(([read]) => read === name) ? 'read' : 'write';
      await expectDenied(by, ask, `webhook_endpoints.${verb}`);
    },
  );

  test.each(reads)('allows a key to %s when it may read endpoints', async (_name, ask) => {
    const { id } = await created({ url });
    expect((await ask(await keyWith('webhook_endpoints.read'), `${path}/${id}`)).status).toBe(200);
  });

  test.each([...writes, ...subscribes])('forbids a key to %s when it may only read endpoints', async (_name, ask) => {
    await expectDenied(await keyWith('webhook_endpoints.read', 'events.read'), ask, 'webhook_endpoints.write');
  });

  test.each([...reads, ...writes])('allows a key to %s when it may write endpoints', async (_name, ask) => {
    const { id } = await created({ url });
    expect((await ask(await keyWith('webhook_endpoints.write'), `${path}/${id}`)).status).toBe(200);
  });

  test.each(subscribes)('forbids a key to %s when it may write endpoints but not read events', async (_name, ask) => {
    await expectDenied(await keyWith('webhook_endpoints.write'), ask, 'events.read');
  });

  test.each(subscribes)('allows a key to %s when it may write endpoints and read events', async (_name, ask) => {
    const { id } = await created({ url });
    expect((await ask(await keyWith('webhook_endpoints.write', 'events.read'), `${path}/${id}`)).status).toBe(200);
  });
});

/** Returns an event list with one invalid name. */
function eventFault(name: unknown): [string, object, Refusal] {
  return [`the event ${JSON.stringify(name)}`, { enabled_events: ['*', name] }, invalid('enabled_events[1]')];
}

async function keyWith(...permissions: string[]): Promise<Api> {
  return (await addKey(server, await firstAccountId(server), { permissions })).api;
}

/** Checks that refused requests leave only their logs: no endpoint, event or delivery, and no used key. */
async function expectNoTrace(existing: Body, countsBefore: unknown): Promise<void> {
  expect(await everythingThereIs()).toEqual(countsBefore);
  expect((await api.get(`${path}/${existing.id}`)).body).toStrictEqual(existing);
}

async function expectDenied(
  by: Api,
  ask: (by: Api, its: string) => Promise<ApiResponse>,
  wanted: string,
): Promise<void> {
  const endpoint = await created({ url });
  const before = await everythingThereIs();
  const denied = await ask(by, `${path}/${endpoint.id}`);
  expectRefusal(denied, { ...refusals.permission, says: `\`${wanted}\`` });
  await expectNoTrace(endpoint, before);
}

/** Creates an endpoint of the first account. */
async function created(body: object): Promise<Body> {
  const response = await api.post(path, body);
  expect(response.status, response.text).toBe(200);
  expect(response.body.signing_secret).toMatch(/^whsec_[0-9A-Za-z]{32}$/);
  expectShape('webhook_endpoint', withoutSecret(response.body));
  return response.body;
}

function withoutSecret(endpoint: Body): Body {
  const { signing_secret: _, ...shown } = endpoint;
  return shown;
}

async function eventTypesAbout(id: string): Promise<string[]> {
  return (await eventsAbout(api, id)).map(({ type }) => type as string);
}

/** Returns all events of one record, oldest first. */
async function eventsAbout(by: Api, id: string): Promise<Body[]> {
  return (await allOf(by, '/v1/events', { object_id: id })).toReversed();
}

function requestOf({ headers }: ApiResponse): string | null {
  return headers.get('request-id');
}

async function expectRepeated(first: ApiResponse, repeat: () => Promise<ApiResponse>): Promise<void> {
  const again = await repeat();
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('original-request')).toBe(requestOf(first));
  expect(requestOf(again)).not.toBe(requestOf(first));
}

/** Checks that one request was executed and every other response is its replay or a 409. Returns the body. */
function oneExecution(answers: ApiResponse[]): Body {
  const done = answers.filter(({ status }) => status === 200);
  expect(done.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  expect(new Set(done.map(({ text }) => text)).size).toBe(1);
  for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, refusals.idempotencyInUse);
  return done[0]!.body;
}

/** Counts all rows that a request can leave behind, except its log. */
async function everythingThereIs(): Promise<unknown> {
  const { rows } = await server.context.database.readers.query(`
    select
      (select count(*) from webhook_endpoints) as endpoints,
      (select sum(revision) from webhook_endpoints) as revisions,
      (select count(*) from events) as events,
      (select count(*) from webhook_deliveries) as deliveries,
      (select count(*) from webhook_queue) as queued,
      (select count(*) from idempotency_keys) as keys,
      (select sum(delta) from count_deltas where object <> 'log') as counted`);
  return rows[0];
}

async function loggedAnswer(response: ApiResponse): Promise<string> {
  const { rows } = await server.context.database.readers.query<{ response_body: string }>(
    'select response_body from request_logs where id = $1',
    [requestOf(response)],
  );
  return rows[0]!.response_body;
}

async function sealedBodyOf(key: { 'idempotency-key': string }): Promise<Buffer> {
  const { rows } = await server.context.database.readers.query<{ sealed_body: Buffer }>(
    'select sealed_body from idempotency_keys where key = $1',
    [key['idempotency-key']],
  );
  expect(rows).toHaveLength(1);
  return rows[0]!.sealed_body;
}

async function revisionOf(id: string): Promise<number> {
  const { rows } = await server.context.database.readers.query<{ revision: number }>(
    'select revision from webhook_endpoints where id = $1',
    [id],
  );
  return rows[0]!.revision;
}

/** Starts another process of the same deployment, for one test. */
function anotherServer(secretKey = server.secretKey): Promise<TestServer> {
  return serverForTest({ settings: quiet, connection: server.connection, secretKey });
}

async function sql(text: string, values: unknown[]): Promise<void> {
  const { rowCount } = await server.context.database.readers.query(text, values);
  expect(rowCount).toBe(1);
}

let keys = 0;

/** Returns the header with an unused key. */
function newKey(): { 'idempotency-key': string } {
  return { 'idempotency-key': `endpoint key ${++keys}` };
}

/** Returns this many different names in the form of event names. */
function eventNames(count: number): string[] {
  return range(count).map((index) => `thing.${'abcdefghij'[Math.floor(index / 50)]}${'x'.repeat(index % 50)}`);
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

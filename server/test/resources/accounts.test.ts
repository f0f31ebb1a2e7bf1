import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allPermissions } from '../support/permissions.ts';
import { allOf } from '../support/paging.ts';
import { expectRefusal, invalid, missing, refusals, unknown, type Refusal } from '../support/refusals.ts';
import {
  apiClient,
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { expectShape } from '../support/shapes.ts';
import { addAccount, addKey, firstAccountId, type Tenant } from '../support/tenants.ts';
import { latestVersion } from '../support/versions.ts';

type Body = ApiResponse['body'];

const unknownId = 'acct_0VbZtc5J00baoBiLwEcRMm';
/** Each call that changes an account waits this long before it responds, until every process has read the change. */
const freshnessMs = 1_000;

let server: TestServer;
/** A new account for each test, with a key that has all permissions. */
let parent: Tenant;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  parent = await platform();
  api = parent.api;
});

describe('accounts', () => {
  test('returns the first account with open links, no provider and no parent when a deployment is new', async () => {
    const { status, body } = await server.api.get('/v1/account');
    expectShape('account', body);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        id: await firstAccountId(server),
        name: 'My account',
        default_provider: null,
        linked_records: 'open',
        parent: null,
      }),
    ]);
  });

  test('changes only the members sent, and adds one event when an account is updated', async () => {
    const { body: before } = await api.get('/v1/account');
    const changed = await api.post('/v1/account', { name: 'Ada’s Lettings', default_provider: 'provider_d' });
    expectShape('account', changed.body);
    expect(changed.body).toStrictEqual({ ...before, name: 'Ada’s Lettings', default_provider: 'provider_d' });
    const again = await api.post('/v1/account', { linked_records: 'strict' });
    expect(again.body).toStrictEqual({ ...changed.body, linked_records: 'strict' });
    expect((await api.get('/v1/account')).text).toBe(again.text);

    const events = await allOf(api, '/v1/events', { object_id: parent.accountId });
    for (const event of events) expectShape('event', event);
    expect(events.map(({ type, data, request }) => [type, data, request.id])).toStrictEqual([
      [
        'account.updated',
        { object: again.body, previous_attributes: { linked_records: 'open' } },
        again.headers.get('request-id'),
      ],
      [
        'account.updated',
        { object: changed.body, previous_attributes: { name: before.name, default_provider: null } },
        changed.headers.get('request-id'),
      ],
    ]);
  });

  test("adds no event when an update sends the account's present values", async () => {
    const { body: before, text } = await api.get('/v1/account');
    const { name, linked_records, default_provider } = before;
    const answers = await Promise.all([
      api.post('/v1/account', { name, linked_records, default_provider }),
      api.post('/v1/account', {}),
      api.post('/v1/account'),
    ]);
    expect(answers.map((answer) => answer.text)).toEqual([text, text, text]);
    expect((await api.get('/v1/events')).body.count).toBe(0);
  });

  test('accepts null only for default_provider, and clears it when null is sent', async () => {
    for (const name of ['name', 'linked_records'])
      expectRefusal(await api.post('/v1/account', { default_provider: 'provider_a', [name]: null }), invalid(name));
    expect((await api.get('/v1/account')).body).toMatchObject({ default_provider: null, linked_records: 'open' });
    await api.post('/v1/account', { default_provider: 'provider_b' });
    expect((await api.post('/v1/account', { default_provider: null })).body.default_provider).toBeNull();
  });

  const faults: [string, object, Refusal][] = [
    ['an unknown field', { colour: 'red' }, unknown('colour')],
    ['the parent as a member', { parent: 'acct_0VbZtc5J00baoBiLwEcRMm' }, unknown('parent')],
    ['the id as a member', { id: unknownId }, unknown('id')],
    ['metadata, which accounts do not have,', { metadata: {} }, unknown('metadata')],
    ['an empty name', { name: '' }, invalid('name')],
    ['a name that is too long', { name: 'x'.repeat(501) }, invalid('name')],
    ['a name that is not text', { name: 7 }, invalid('name')],
    ['an unknown provider', { default_provider: 'provider_e' }, invalid('default_provider')],
    ['an unknown value of linked_records', { linked_records: 'loose' }, invalid('linked_records')],
  ];

  test.each(faults)('refuses %s when an account is created or changed', async (_, fault, refusal) => {
    expectRefusal(await api.post('/v1/account', fault), refusal);
    expectRefusal(await api.post('/v1/accounts', { name: 'A branch', ...fault }), refusal);
    expect((await api.get('/v1/accounts')).body.count).toBe(0);
    expect((await api.get('/v1/events')).body.count).toBe(0);
  });

  test('requires accounts.read to read accounts and accounts.write to change them, also for a key with all other permissions', async () => {
    const { body: child } = await api.post('/v1/accounts', { name: 'A branch' });
    const [reading, other] = await Promise.all([
      addKey(server, parent.accountId, { permissions: ['accounts.read'] }),
      addKey(server, parent.accountId, { permissions: allPermissions.filter((one) => one !== 'accounts.write') }),
    ]);
    for (const path of ['/v1/account', '/v1/accounts', `/v1/accounts/${child.id}`]) {
      expect((await reading.api.get(path)).status).toBe(200);
      expectRefusal(await other.api.get(path), { ...refusals.permission, says: '`accounts.read`' });
    }
    for (const path of ['/v1/account', '/v1/accounts']) {
      const refused = { ...refusals.permission, says: '`accounts.write`' };
      expectRefusal(await reading.api.post(path, { name: 'Mine' }), refused);
      expectRefusal(await other.api.post(path, { name: 'Mine' }), refused);
    }
    expect((await api.get('/v1/account')).body.name).toBe('Another');
    expect((await api.get('/v1/accounts')).body.count).toBe(1);
  });

  test('refuses to delete accounts, and to change a connected account when its parent uses the path with its id', async () => {
    const { body: child } = await api.post('/v1/accounts', { name: 'A branch' });
    for (const answer of [
      await api.delete('/v1/account'),
      await api.delete(`/v1/accounts/${child.id}`),
      await api.post(`/v1/accounts/${child.id}`, { name: 'Mine' }),
    ])
      expectRefusal(answer, refusals.methodNotAllowed);
    expect((await api.get(`/v1/accounts/${child.id}`)).body).toStrictEqual(child);
  });
});

describe('connected accounts', () => {
  test('creates a connected account of the caller when a name is sent', async () => {
    const made = await api.post('/v1/accounts', { name: 'A branch' });
    expectShape('account', made.body);
    expect(made.body).toMatchObject({
      name: 'A branch',
      default_provider: null,
      linked_records: 'open',
      parent: parent.accountId,
    });
    const nulls = { default_provider: null, linked_records: null };
    const own = { id: '', created: 0 };
    expect({ ...(await api.post('/v1/accounts', { name: 'A branch', ...nulls })).body, ...own }).toStrictEqual({
      ...made.body,
      ...own,
    });
    const whole = { name: 'Another branch', default_provider: 'provider_c', linked_records: 'strict' };
    expect((await api.post('/v1/accounts', whole)).body).toMatchObject(whole);
    expect((await api.get(`/v1/accounts/${made.body.id}`)).text).toBe(made.text);
    // The account's own first request pins its version.
    const itself = { ...made.body, api_version: latestVersion };
    expect((await (await keyOf(made.body.id)).get('/v1/account')).body).toStrictEqual(itself);
    expectRefusal(await api.post('/v1/accounts', {}), missing('name'));
    expectRefusal(await api.post('/v1/accounts', { name: null }), invalid('name'));
  });

  test('adds an event to the parent and none to the child when an account is connected', async () => {
    const made = await api.post('/v1/accounts', { name: 'A branch' });
    const { body: events } = await api.get('/v1/events');
    expect(events.count).toBe(1);
    expectShape('event', events.data[0]);
    expect(events.data[0]).toMatchObject({
      type: 'account.created',
      data: { object: made.body, previous_attributes: null },
      request: { id: made.headers.get('request-id'), actor: { key_id: parent.keyId } },
    });
    const its = await api.get('/v1/events?type=account.created', contextOf(made.body.id));
    expect(its.body.count).toBe(0);
  });

  test('creates one connected account when an idempotency key is repeated', async () => {
    const key = newKey();
    const first = await api.post('/v1/accounts', { name: 'A branch' }, key);
    const again = await api.post('/v1/accounts', { name: 'A branch' }, key);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect((await api.get('/v1/accounts')).body.count).toBe(1);
    expect((await api.get('/v1/events')).body.count).toBe(1);
  });

  test('lists exactly the children when a parent lists its accounts', async () => {
    expect((await api.get('/v1/accounts')).body).toStrictEqual({ object: 'list', count: 0, has_more: false, data: [] });
    const made: Body[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) made.unshift((await api.post('/v1/accounts', { name })).body);
    const grandchild = await (await keyOf(made[0].id)).post('/v1/accounts', { name: 'f' });
    expect(grandchild.body).toMatchObject({ parent: made[0].id });
    // The call above was the account's first request, which pins its version.
    made[0].api_version = latestVersion;

    const { body: list } = await api.get('/v1/accounts');
    expect(list).toStrictEqual({ object: 'list', count: 5, has_more: false, data: made });
    expect(await allOf(api, '/v1/accounts', { limit: '2' })).toStrictEqual(made);
    const page = async (query: string): Promise<unknown[]> => {
      const { body } = await api.get(`/v1/accounts?${query}`);
      return [body.count, body.has_more, body.data.map(({ name }: Body) => name).join('')];
    };
    expect(await page('limit=2&offset=1')).toEqual([5, true, 'dc']);
    expect(await page(`limit=2&starting_after=${made[2].id}`)).toEqual([5, false, 'ba']);
    expect(await page(`limit=2&ending_before=${made[2].id}`)).toEqual([5, false, 'ed']);
    expect(await page(`limit=2&ending_before=${made[4].id}`)).toEqual([5, true, 'cb']);
    expect(await page(`created[gt]=${made[0].created}`)).toEqual([0, false, '']);
    expect(await page(`created[lte]=${made[0].created}`)).toEqual([5, false, 'edcba']);
    expectRefusal(await api.get('/v1/accounts?name=a'), unknown('name'));
    expectRefusal(await api.get(`/v1/accounts?starting_after=${unknownId.replace('acct', 'cus')}`), {
      ...invalid('starting_after'),
    });
  });

  test('returns the same 404 when the id is not that of a child', async () => {
    const [{ body: child }, stranger] = await Promise.all([api.post('/v1/accounts', { name: 'A branch' }), platform()]);
    const { body: sibling } = await api.post('/v1/accounts', { name: 'Another branch' });
    const { body: grandchild } = await (await keyOf(child.id)).post('/v1/accounts', { name: 'A desk' });
    const { body: foreign } = await stranger.api.post('/v1/accounts', { name: 'Theirs' });
    const unknownAnswer = await api.get(`/v1/accounts/${unknownId}`);
    for (const [by, id] of [
      [api, stranger.accountId],
      [api, foreign.id],
      [api, grandchild.id],
      [api, parent.accountId],
      [await keyOf(child.id), parent.accountId],
      [await keyOf(child.id), sibling.id],
      [await keyOf(child.id), child.id],
    ] as const) {
      const answer = await by.get(`/v1/accounts/${id}`);
      expectRefusal(answer, refusals.idUnknown);
      expect(wordsOf(answer, id)).toBe(wordsOf(unknownAnswer, unknownId));
    }
    for (const id of ['x', 'acct_', 'acct_1', child.id.replace('acct', 'cus')])
      expectRefusal(await api.get(`/v1/accounts/${id}`), refusals.idUnknown);
    expect((await (await keyOf(child.id)).get('/v1/accounts')).body.data.map(({ id }: Body) => id)).toEqual([
      grandchild.id,
    ]);
  });
});

describe('Service-Context header', () => {
  let child: { id: string; api: Api };
  let context: { 'service-context': string };

  beforeEach(async () => {
    const { body } = await api.post('/v1/accounts', { name: 'A branch' });
    child = { id: body.id, api: await keyOf(body.id) };
    context = contextOf(child.id);
  });

  test("adds only `account` to responses when the header names the caller's own account", async () => {
    const own = contextOf(parent.accountId);
    const { body: made } = await api.post('/v1/references', { application: 'app_1' });
    expect((await api.get(`/v1/references/${made.id}`, own)).body).toStrictEqual({
      ...made,
      account: parent.accountId,
    });
    const { body: account } = await api.get('/v1/account');
    expect((await api.get('/v1/account', own)).body).toStrictEqual({ ...account, account: parent.accountId });
  });

  test('refuses the header when its value is not an account id', async () => {
    for (const value of [
      '',
      'x',
      'acct_',
      `${child.id}x`,
      child.id.slice(0, -1),
      child.id.toUpperCase(),
      child.id.replace('acct', 'cus'),
      `${child.id}, ${child.id}`,
      `${child.id.slice(0, -1)}%`,
    ]) {
      expectRefusal(await api.get('/v1/references', contextOf(value)), refusals.accountMalformed);
      expectRefusal(await api.post('/v1/customers', { name: 'Ada' }, contextOf(value)), refusals.accountMalformed);
    }
    expect((await api.get('/v1/customers')).body.count).toBe(0);
    expect((await api.get('/v1/logs?status=400')).body.count).toBe(9);
  });

  test("refuses every account but the caller's children with one response when the header names it", async () => {
    const { body: sibling } = await api.post('/v1/accounts', { name: 'Another branch' });
    const { body: grandchild } = await child.api.post('/v1/accounts', { name: 'A desk' });
    const stranger = await platform();
    const { body: foreign } = await stranger.api.post('/v1/accounts', { name: 'Theirs' });
    const unknownAnswer = await api.get('/v1/references', contextOf(unknownId));
    for (const [by, id] of [
      [api, unknownId],
      [api, stranger.accountId],
      [api, foreign.id],
      [api, grandchild.id],
      [child.api, parent.accountId],
      [child.api, sibling.id],
      [await keyOf(grandchild.id, child.api), parent.accountId],
      [await keyOf(grandchild.id, child.api), child.id],
    ] as const) {
      const answers = [
        await by.get('/v1/references', contextOf(id)),
        await by.post('/v1/customers', { name: 'Ada' }, contextOf(id)),
        await by.get('/v1/account', contextOf(id)),
        await by.post('/v1/account', { name: 'Mine' }, contextOf(id)),
        await by.post('/v1/api_keys', { type: 'secret' }, contextOf(id)),
      ];
      for (const answer of answers) {
        expectRefusal(answer, refusals.accountUnknown);
        expect(wordsOf(answer, id)).toBe(wordsOf(unknownAnswer, unknownId));
        expect([...answer.headers.keys()].sort()).toEqual([...unknownAnswer.headers.keys()].sort());
      }
    }
    // The log of a refusal belongs to the caller's account, and not to the account in the header.
    expect((await api.get('/v1/logs?status=403')).body.count).toBe(4 * 3);
    for (const untouched of [await keyOf(sibling.id), stranger.api])
      expect((await untouched.get('/v1/logs?status=403')).body.count).toBe(0);
    expect((await stranger.api.get('/v1/logs')).body.count).toBe(1);
  });

  test('refuses to create an account when the header names a connected one', async () => {
    const { 'idempotency-key': used } = newKey();
    const body = { name: 'A desk' };
    const refusal = { status: 400, type: 'invalid_request_error', code: 'account_invalid', says: child.id } as const;
    const refused = await api.post('/v1/accounts', body, { ...context, 'idempotency-key': used });
    expectRefusal(refused, refusal);
    // The context is checked before the body.
    expectRefusal(await api.post('/v1/accounts', {}, context), refusal);
    expect((await child.api.get('/v1/accounts')).body.count).toBe(0);
    expect((await child.api.get('/v1/logs?status=400')).body.data[1]).toMatchObject({
      id: refused.headers.get('request-id'),
      idempotency_key: used,
      error: { code: 'account_invalid' },
    });
    // A key may name its own account. A connected account's own key creates accounts that it can act on.
    for (const [by, headers] of [
      [api, { ...contextOf(parent.accountId), 'idempotency-key': used }],
      [child.api, {}],
    ] as const) {
      const { id } = (await good(by.post('/v1/accounts', body, headers))).body;
      await good(by.post('/v1/references', { application: 'app_1' }, contextOf(id)));
    }
    // The permission is checked first.
    const narrow = await addKey(server, parent.accountId, { permissions: ['references.read'] });
    expectRefusal(await narrow.api.post('/v1/accounts', body, context), refusals.permission);
  });

  test('acts only in the named account when the header names a child', async () => {
    const customer = await api.post('/v1/customers', { name: 'Ada' }, context);
    const reference = await api.post('/v1/references', { application: 'app_1', customer: customer.body.id }, context);
    const its = `/v1/references/${reference.body.id}`;
    const updated = await api.post(its, { outcome: 'accept' }, context);
    expect([customer.status, reference.status, updated.status]).toEqual([200, 200, 200]);

    // The account's own key sees the same records without `account`.
    expect((await child.api.get(its)).body).toStrictEqual(withoutAccount(updated.body));
    expect((await child.api.get('/v1/customers')).body).toMatchObject({
      count: 1,
      data: [withoutAccount(customer.body)],
    });
    for (const path of ['/v1/references', '/v1/customers', '/v1/events']) {
      // The account's pin, key, customer, and its reference's three events: created, updated, completed.
      const counted = path === '/v1/events' ? 6 : 1;
      expect((await api.get(path, context)).body.count, path).toBe(counted);
      expect((await child.api.get(path)).body.count, path).toBe(counted);
    }
    // The parent has only the event of the child's creation.
    for (const [path, count] of [
      ['/v1/references', 0],
      ['/v1/customers', 0],
      ['/v1/events', 1],
    ] as const)
      expect((await api.get(path)).body.count, path).toBe(count);
    expectRefusal(await api.get(its), refusals.idUnknown);
    expectRefusal(await api.post(its, { metadata: { a: '1' } }), refusals.idUnknown);
    expectRefusal(await api.post(`${its}/cancel`), refusals.idUnknown);
    // The parent's own records are out of reach under the header.
    const { body: own } = await api.post('/v1/references', { application: 'app_2' });
    expectRefusal(await api.get(`/v1/references/${own.id}`, context), refusals.idUnknown);
    expectRefusal(await child.api.get(`/v1/references/${own.id}`), refusals.idUnknown);
  });

  test('adds `account` to every object but events when the header is sent', async () => {
    const url = 'https://hooks.example.com/';
    const made = await Promise.all([
      api.post('/v1/references', { application: 'app_1' }, context),
      api.post('/v1/customers', { name: 'Ada' }, context),
      api.post('/v1/api_keys', { type: 'secret', name: 'A key' }, context),
      api.post(
        '/v1/webhook_endpoints',
        { url, enabled_events: ['webhook_endpoint.pinged'], status: 'disabled' },
        context,
      ),
    ]);
    const paths = ['references', 'customers', 'api_keys', 'webhook_endpoints'];
    for (const [index, answer] of made.entries()) {
      const path = `/v1/${paths[index]}`;
      expect(answer.body.account, path).toBe(child.id);
      expect((await api.get(`${path}/${answer.body.id}`, context)).body.account, path).toBe(child.id);
      const { data } = (await api.get(path, context)).body;
      expect(new Set(data.map(({ account }: Body) => account)), path).toEqual(new Set([child.id]));
      expect((await child.api.get(`${path}/${answer.body.id}`)).body, path).not.toHaveProperty('account');
      for (const item of (await child.api.get(path)).body.data) expect(item, path).not.toHaveProperty('account');
    }
    const desk = (await good(child.api.post('/v1/accounts', { name: 'A desk' }))).body;
    expect((await api.get(`/v1/accounts/${desk.id}`, context)).body).toStrictEqual({ ...desk, account: child.id });
    expect((await api.get('/v1/accounts', context)).body.data).toStrictEqual([{ ...desk, account: child.id }]);
    const [reference, , key, endpoint] = made;
    for (const answer of [
      await api.post(`/v1/references/${reference.body.id}`, { metadata: { a: '1' } }, context),
      await api.post(`/v1/references/${reference.body.id}/cancel`, {}, context),
      await api.post(`/v1/webhook_endpoints/${endpoint.body.id}/roll_secret`, {}, context),
      await api.post(`/v1/api_keys/${key.body.id}/roll`, {}, context),
      await api.delete(`/v1/webhook_endpoints/${endpoint.body.id}`, context),
      await api.get(`/v1/logs/${reference.headers.get('request-id')}`, context),
    ]) {
      expect(answer.body.account, answer.text).toBe(child.id);
    }
    const { data: events } = (await api.get('/v1/events?limit=50', context)).body;
    expect(events.length).toBeGreaterThan(8);
    for (const event of events) {
      expectShape('event', event);
      expect(event.data.object).not.toHaveProperty('account');
      expect((await api.get(`/v1/events/${event.id}`, context)).body).toStrictEqual(event);
    }
  });

  test('changes the named account, with an event there, when POST /v1/account has the header', async () => {
    const { body: before } = await api.get('/v1/account', context);
    expect(before).toMatchObject({ id: child.id, parent: parent.accountId, account: child.id });
    const changed = await api.post('/v1/account', { name: 'The first branch' }, context);
    expect(changed.body).toStrictEqual({ ...before, name: 'The first branch' });
    expect((await api.get(`/v1/accounts/${child.id}`)).body).toStrictEqual(withoutAccount(changed.body));
    expect((await api.get('/v1/account')).body.name).toBe('Another');
    const { body: events } = await child.api.get('/v1/events?type=account.*');
    expect(events.count).toBe(2);
    expect(events.data).toMatchObject([
      {
        type: 'account.updated',
        data: { object: withoutAccount(changed.body), previous_attributes: { name: 'A branch' } },
        request: { actor: { key_id: parent.keyId } },
      },
      // The account's first request pins its version.
      { type: 'account.updated', data: { previous_attributes: { api_version: null } } },
    ]);
    expect((await api.get('/v1/events?type=account.updated')).body.count).toBe(0);
  });

  test('gives a key no further permission when the header is sent', async () => {
    const narrow = await addKey(server, parent.accountId, { permissions: ['references.read'] });
    expect((await narrow.api.get('/v1/references', context)).status).toBe(200);
    const refused = await narrow.api.post('/v1/references', { application: 'app_1' }, context);
    expectRefusal(refused, refusals.permission);
    expectRefusal(await narrow.api.get('/v1/customers', context), refusals.permission);
    expect((await child.api.get('/v1/references')).body.count).toBe(0);
    expect((await child.api.get('/v1/logs?status=403')).body.data).toMatchObject([
      { id: refused.headers.get('request-id'), key_id: narrow.keyId },
    ]);
  });

  test('creates a key for the named account only when POST /v1/api_keys has the header', async () => {
    const made = await api.post('/v1/api_keys', { type: 'secret', name: 'A branch’s' }, context);
    const key = apiClient(server.url, made.body.secret);
    expect((await key.get('/v1/account')).body.id).toBe(child.id);
    expect((await key.get('/v1/account', context)).body.account).toBe(child.id);
    expectRefusal(await key.get('/v1/account', contextOf(parent.accountId)), refusals.accountUnknown);
    expect((await api.get(`/v1/api_keys/${made.body.id}`)).status).toBe(404);
    expect((await child.api.get(`/v1/api_keys/${made.body.id}`)).body.name).toBe('A branch’s');
  });

  test('separates idempotency keys when requests name different accounts', async () => {
    const key = newKey();
    const body = { application: 'app_1' };
    const own = await api.post('/v1/references', body, key);
    const theirs = await api.post('/v1/references', body, { ...key, ...context });
    const itself = await child.api.post('/v1/references', body, key);
    for (const answer of [own, theirs, itself])
      expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(new Set([own, theirs, itself].map((answer) => answer.body.id)).size).toBe(3);
    expect((await child.api.get('/v1/references')).body.count).toBe(2);

    // Each of the three replays its own response.
    expect((await api.post('/v1/references', body, key)).text).toBe(own.text);
    expect((await api.post('/v1/references', body, { ...key, ...context })).text).toBe(theirs.text);
    expect((await child.api.post('/v1/references', body, key)).text).toBe(itself.text);
    expect((await api.get('/v1/references')).body.count).toBe(1);
    expect((await child.api.get('/v1/references')).body.count).toBe(2);
    // A request with the header and one without it differ, even if both act on the same account.
    const named = await api.post('/v1/references', body, { ...key, ...contextOf(parent.accountId) });
    expectRefusal(named, refusals.idempotencyReused);
  });

  test("logs a request in the account it acts on, with the caller's key, when the header is sent", async () => {
    const made = await api.post('/v1/references', { application: 'app_1' }, context);
    const refused = await api.post('/v1/references', {}, context);
    for (const answer of [made, refused]) {
      const path = `/v1/logs/${answer.headers.get('request-id')}`;
      expect((await child.api.get(path)).body).toMatchObject({ key_id: parent.keyId, status: answer.status });
      expect((await api.get(path, context)).body.account).toBe(child.id);
      expectRefusal(await api.get(path), refusals.idUnknown);
    }
  });
});

describe('account changes', () => {
  test('applies a change of an account in every process when the response arrives', async () => {
    const real = { connection: server.connection, secretKey: parent.key, realFreshness: true } as const;
    const [{ api: one }, other] = [await serverForTest(real), await serverForTest(real)];
    const { body: application } = await one.post('/v1/applications', {});
    const strict = { application: application.id, customer: 'cus_nobody' };
    const automatic = { application: application.id, automatic_reference: {} };
    for (const [settings, status, provider] of [
      [{ linked_records: 'strict', default_provider: 'provider_b' }, 400, 'provider_b'],
      [{ linked_records: 'open', default_provider: 'provider_c' }, 200, 'provider_c'],
    ] as const) {
      // Both processes keep the old account cached until right before the response.
      const stop = new AbortController();
      const asking = [one, other.api].map((by) => askOn(by, stop.signal));
      await delay(100);
      const startedMs = performance.now();
      const changed = await one.post('/v1/account', settings);
      const tookMs = performance.now() - startedMs;
      const made = await Promise.all(
        [other.api, one].map(async (by) => [
          (await by.post('/v1/references', strict)).status,
          (await by.post('/v1/references', automatic)).body.automatic_reference.provider,
        ]),
      );
      stop.abort();
      expect(await Promise.all(asking)).not.toContain(0);
      expect(changed.status).toBe(200);
      expect(made).toEqual([
        [status, provider],
        [status, provider],
      ]);
      // A timer may fire a millisecond early.
      expect(tookMs).toBeGreaterThanOrEqual(freshnessMs - 2);
    }
  });

  test("applies a parent's change to the child's own key in every process when the response arrives", async () => {
    const { body: child } = await api.post('/v1/accounts', { name: 'A branch' });
    const { body: application } = await api.post('/v1/applications', {}, contextOf(child.id));
    const { body: key } = await api.post('/v1/api_keys', { type: 'secret' }, contextOf(child.id));
    const other = await serverForTest({ connection: server.connection, secretKey: key.secret });
    const stop = new AbortController();
    const asking = askOn(other.api, stop.signal);
    await api.post('/v1/account', { linked_records: 'strict' }, contextOf(child.id));
    const body = { application: application.id, customer: 'cus_nobody' };
    const refused = await other.api.post('/v1/references', body);
    stop.abort();
    expect(await asking).toBeGreaterThan(0);
    expectRefusal(refused, { ...refusals.idUnknown, status: 400, param: 'customer' });
  });

  test('responds at once when a change is refused, and delays a replay as long as the first response', async () => {
    const real = await serverForTest({ connection: server.connection, secretKey: parent.key, realFreshness: true });
    // A busy machine needs several tries. No try would be as quick if refusals waited, too.
    let quickestMs = Infinity;
    for (let times = 0; times < 100 && quickestMs >= freshnessMs; times++) {
      quickestMs = Math.min(quickestMs, await timed(real.api, { name: '' }));
    }
    expect(quickestMs).toBeLessThan(freshnessMs - 2);
    const key = newKey();
    expect(await timed(real.api, { name: 'x' }, key)).toBeGreaterThanOrEqual(freshnessMs - 2);
    // The first response may have been lost before the delay was over.
    expect(await timed(real.api, { name: 'x' }, key)).toBeGreaterThanOrEqual(freshnessMs - 2);
  });
});

describe('default provider', () => {
  test("uses each account's own default provider when a reference names none, and provider_a in a sandbox without one", async () => {
    const { body: child } = await api.post('/v1/accounts', { name: 'A branch', default_provider: 'provider_d' });
    await api.post('/v1/account', { default_provider: 'provider_b' });
    const { body: plain } = await api.post('/v1/accounts', { name: 'Another branch' });
    const providerOf = async (automatic: object, headers: Record<string, string> = {}): Promise<unknown> => {
      const body = { application: 'app_1', automatic_reference: automatic };
      return (await api.post('/v1/references', body, headers)).body.automatic_reference.provider;
    };
    expect(await providerOf({})).toBe('provider_b');
    expect(await providerOf({ provider: null, enabled: true })).toBe('provider_b');
    expect(await providerOf({ provider: 'provider_c' })).toBe('provider_c');
    expect(await providerOf({ enabled: false })).toBeNull();
    // Each account has its own default. A child does not inherit its parent's.
    expect(await providerOf({}, contextOf(child.id))).toBe('provider_d');
    expect(await providerOf({}, contextOf(plain.id))).toBe('provider_a');
    const { body: ordinary } = await api.post('/v1/references', { application: 'app_1' });
    expect(ordinary.automatic_reference).toBeNull();
  });

  test('requires a default provider in live mode when a reference names none', async () => {
    const settings = { TENURE_MODE: 'live', TENURE_PROVIDER_C_URL: 'http://127.0.0.1:9' };
    const live = await serverForTest({ settings });
    const automatic = { application: 'app_1', automatic_reference: {} };
    expectRefusal(await live.api.post('/v1/references', automatic), invalid('automatic_reference[provider]'));
    expect((await live.api.get('/v1/references')).body.count).toBe(0);
    const credentials = { provider_c: { api_key: 'key', signing_secret: 'secret' } };
    const settled = { default_provider: 'provider_c', provider_credentials: credentials };
    expect((await live.api.post('/v1/account', settled)).status).toBe(200);
    const made = await live.api.post('/v1/references', automatic);
    expect([made.status, made.body.automatic_reference.provider]).toEqual([200, 'provider_c']);
    const { body: child } = await live.api.post('/v1/accounts', { name: 'A branch' });
    expectRefusal(
      await live.api.post('/v1/references', automatic, contextOf(child.id)),
      invalid('automatic_reference[provider]'),
    );
  });
});

describe('providers that are not set up in live mode', () => {
  const setUp = 'is not set up in this deployment. Choose one of provider_c, or ask the operator to set';
  let live: TestServer;

  beforeAll(async () => {
    live = await startTestServer({
      settings: { TENURE_MODE: 'live', TENURE_PROVIDER_C_URL: 'http://127.0.0.1:9' },
    });
  });
  afterAll(() => live.stop());

  test("refuses a provider as an account's default when it is not set up", async () => {
    const refusal = { ...invalid('default_provider'), says: `\`provider_a\` ${setUp} TENURE_PROVIDER_A_URL.` };
    expectRefusal(await live.api.post('/v1/account', { default_provider: 'provider_a' }), refusal);
    expectRefusal(await live.api.post('/v1/accounts', { name: 'A branch', default_provider: 'provider_a' }), refusal);
    expect((await live.api.get('/v1/accounts')).body.count).toBe(0);
    expect((await live.api.post('/v1/accounts', { name: 'A branch', default_provider: 'provider_c' })).status).toBe(
      200,
    );
    expect((await live.api.post('/v1/account', { default_provider: null })).status).toBe(200);
  });

  test('refuses credentials for a provider when it is not set up, but deletes stored ones', async () => {
    const refusal = {
      ...invalid('provider_credentials[provider_d]'),
      says: `\`provider_d\` ${setUp} TENURE_PROVIDER_D_URL.`,
    };
    const both = { provider_c: { api_key: 'k', signing_secret: 's' }, provider_d: { token: 't' } };
    expectRefusal(await live.api.post('/v1/account', { provider_credentials: both }), refusal);
    expect((await live.api.get('/v1/events?type=account.credentials_changed')).body.count).toBe(0);
    const changes = { ...both, provider_d: null };
    expect((await live.api.post('/v1/account', { provider_credentials: changes })).status).toBe(200);
  });

  test('keeps an older default provider when an update does not send it', async () => {
    await live.context.database.readers.query(`update accounts set default_provider = 'provider_b'`);
    const { body } = await good(live.api.post('/v1/account', { name: 'Ouse Lettings' }));
    expect(body).toMatchObject({ name: 'Ouse Lettings', default_provider: 'provider_b' });
  });
});

describe('strict links', () => {
  const missingCustomer: Refusal = { ...refusals.idUnknown, status: 400, param: 'customer' };
  let strict: { id: string; api: Api };
  /** Of the account with strict links. */
  let application: string;

  beforeEach(async () => {
    const { body } = await api.post('/v1/accounts', { name: 'Strict', linked_records: 'strict' });
    strict = { id: body.id, api: await keyOf(body.id) };
    application = (await strict.api.post('/v1/applications', {})).body.id;
  });

  test('refuses an unknown customer, with a log and a stored response, when links are strict', async () => {
    const key = newKey();
    const body = { application, customer: 'cus_nobody' };
    const refused = await strict.api.post('/v1/references', body, key);
    expectRefusal(refused, { ...missingCustomer, says: 'cus_nobody' });
    expect(refused.headers.get('idempotent-replayed')).toBeNull();
    expect((await strict.api.get('/v1/references')).body).toMatchObject({ count: 0, data: [] });
    expect((await strict.api.get('/v1/events?type=reference.*')).body.count).toBe(0);
    const again = await strict.api.post('/v1/references', body, key);
    expect([again.status, again.text]).toEqual([400, refused.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('original-request')).toBe(refused.headers.get('request-id'));
    const { data: logs } = (await strict.api.get('/v1/logs?status=400')).body;
    expect(logs).toMatchObject([
      { id: again.headers.get('request-id'), replayed: true, error: { code: 'resource_missing', param: 'customer' } },
      { id: refused.headers.get('request-id'), replayed: false, error: { code: 'resource_missing' }, events: [] },
    ]);
  });

  test('replays the refusal of a link when the account has opened its links since', async () => {
    const key = newKey();
    const body = { application, customer: 'cus_nobody' };
    const refused = await strict.api.post('/v1/references', body, key);
    await strict.api.post('/v1/account', { linked_records: 'open' });
    expect((await strict.api.post('/v1/references', body, key)).text).toBe(refused.text);
    expect((await strict.api.post('/v1/references', body, newKey())).status).toBe(200);
  });

  test('accepts an existing customer or none when links are strict', async () => {
    const { body: customer } = await strict.api.post('/v1/customers', { name: 'Ada' });
    const made = await strict.api.post('/v1/references', { application, customer: customer.id });
    expect([made.status, made.body.customer]).toEqual([200, customer.id]);
    for (const body of [{ application }, { application, customer: null }])
      expect((await strict.api.post('/v1/references', body)).status).toBe(200);
  });

  test("refuses another account's customer as if it did not exist when links are strict", async () => {
    const [{ body: own }, stranger] = await Promise.all([api.post('/v1/customers', { name: 'Ada' }), platform()]);
    const { body: foreign } = await stranger.api.post('/v1/customers', { name: 'Bo' });
    const { body: theirs } = await strict.api.post('/v1/customers', { name: 'Cy' });
    const nobody = 'cus_0VbZtc5J00baoBiLwEcRMm';
    const unknownAnswer = await strict.api.post('/v1/references', { application, customer: nobody });
    for (const [by, headers] of [
      [strict.api, {}],
      [api, contextOf(strict.id)],
    ] as const) {
      for (const { id } of [own, foreign]) {
        const refused = await by.post('/v1/references', { application, customer: id }, headers);
        expectRefusal(refused, missingCustomer);
        expect(wordsOf(refused, id)).toBe(wordsOf(unknownAnswer, nobody));
      }
      const made = await by.post('/v1/references', { application, customer: theirs.id }, headers);
      expect(made.status, made.text).toBe(200);
    }
    // The parent's own links are still open. They do not resolve the child's customer either.
    expect((await api.post('/v1/references', { application: 'app_1', customer: 'cus_1' })).status).toBe(200);
    expectRefusal(await api.post('/v1/references', { application: 'app_1', customer: theirs.id }), missingCustomer);
  });

  test('checks every linked record, one by one in lists, when links are strict', async () => {
    const { body: customer } = await strict.api.post('/v1/customers', { name: 'Ada' });
    const refused = await strict.api.post('/v1/references', { application: 'app_in_a_crm' });
    expectRefusal(refused, notThere('application', 'app_in_a_crm'));
    const { body: made } = await strict.api.post('/v1/references', { application });
    const updated = await strict.api.post(`/v1/references/${made.id}`, { reference_pdf: 'file_in_a_crm' });
    expectRefusal(updated, notThere('reference_pdf', 'file_in_a_crm'));
    const couple = await strict.api.post('/v1/applications', { customers: [customer.id, 'cus_nobody'] });
    expectRefusal(couple, notThere('customers[1]', 'cus_nobody'));
    // A deleted record no longer resolves.
    await strict.api.delete(`/v1/customers/${customer.id}`);
    const late = await strict.api.post('/v1/references', { application, customer: customer.id });
    expectRefusal(late, notThere('customer', customer.id));
  });

  test('refuses a home of another system when links are strict', async () => {
    const refused = await strict.api.post('/v1/applications', { unit: 'unit_in_a_crm' });
    expectRefusal(refused, notThere('unit', 'unit_in_a_crm'));
  });

  test('does not check a link again when it has not changed', async () => {
    const { body: open } = await api.post('/v1/accounts', { name: 'Open' });
    const context = contextOf(open.id);
    const { body: made } = await api.post('/v1/references', { application: 'app_1', customer: 'cus_nobody' }, context);
    await api.post('/v1/account', { linked_records: 'strict' }, context);
    const { body: known } = await api.post('/v1/applications', {}, context);
    const refused = await api.post('/v1/references', { application: known.id, customer: 'cus_nobody' }, context);
    expectRefusal(refused, missingCustomer);
    for (const body of [{ metadata: { a: '1' } }, { outcome: 'accept' }]) {
      const updated = await api.post(`/v1/references/${made.id}`, body, context);
      expect([updated.status, updated.body.customer], updated.text).toEqual([200, 'cus_nobody']);
    }
  });

  test('checks the form of a request before its links, and leaves the key free when the form is wrong', async () => {
    const key = newKey();
    const refused = await strict.api.post('/v1/references', { customer: 'cus_nobody' }, key);
    expectRefusal(refused, missing('application'));
    expect((await strict.api.post('/v1/references', { application }, key)).status).toBe(200);
  });
});

/** The refusal of a link to a record that is not in the account. */
function notThere(param: string, says: string): Refusal {
  return { ...refusals.idUnknown, status: 400, param, says };
}

/** Adds an account without a parent, with a key that has all permissions. */
async function platform(): Promise<Tenant> {
  const { accountId } = await addAccount(server);
  return addKey(server, accountId, { permissions: [...allPermissions] });
}

/** Returns a client with a connected account's own key, made by its parent. */
async function keyOf(accountId: string, by: Api = api): Promise<Api> {
  const { body, text } = await by.post('/v1/api_keys', { type: 'secret' }, contextOf(accountId));
  expect(body.secret, text).toMatch(/^sk_test_/);
  return apiClient(server.url, body.secret);
}

function contextOf(accountId: string): { 'service-context': string } {
  return { 'service-context': accountId };
}

function newKey(): { 'idempotency-key': string } {
  return { 'idempotency-key': randomUUID() };
}

/** Measures how long a change of the own account takes, in ms. */
async function timed(by: Api, body: object, key: Record<string, string> = {}): Promise<number> {
  const startedMs = performance.now();
  await by.post('/v1/account', body, key);
  return performance.now() - startedMs;
}

function withoutAccount(object: Body): Body {
  const { account: _, ...rest } = object;
  return rest;
}

/** Returns the text of a response without the requested id and its own id. */
function wordsOf({ text, body }: ApiResponse, id: string): string {
  // Only POST and DELETE have a link to their log.
  const shared = text.replace(/,"request_log_url":"[^"]*"/, '');
  return shared.replaceAll(id, '…').replace(body.error.request_id, '…');
}

/** Lists the account's own records again and again, and returns the number of responses. */
async function askOn(by: Api, signal: AbortSignal): Promise<number> {
  let answers = 0;
  while (!signal.aborted) {
    if ((await by.get('/v1/customers?limit=1')).status === 200) answers++;
    await delay(20);
  }
  return answers;
}

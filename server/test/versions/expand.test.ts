import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { receiverForTest } from '../support/receiver.ts';
import { expectRefusal, invalid, refusals } from '../support/refusals.ts';
import { good, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { allPermissions } from '../support/permissions.ts';
import { addAccount, addKey, firstAccountId } from '../support/tenants.ts';
import { inVersion, versions, words } from '../support/versions.ts';
import { endpointFor } from '../webhooks/scenario.ts';

type Body = ApiResponse['body'];

let server: TestServer;
let api: Api;
let customer: Body;
/** The reference about that customer. */
let reference: Body;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
  customer = (await api.post('/v1/customers', { name: 'Ada', metadata: { a: '1' } })).body;
  reference = (await api.post('/v1/references', { application: 'app_1', customer: customer.id })).body;
});
afterAll(() => server.stop());

describe('expanded records', () => {
  test.each([
    ['by name', 'expand=customer'],
    ['in brackets', 'expand[]=customer'],
    ['in brackets, encoded', 'expand%5B%5D=customer'],
    ['with others, by commas', 'expand=application,customer,reference_pdf'],
    ['with others, one by one', 'expand=application&expand=customer'],
    ['in both spellings', 'expand[]=application,reference_pdf&expand=customer'],
    ['twice', 'expand=customer,customer&expand[]=customer'],
  ])('shows a linked record in the place of its id when the query names it %s', async (_case, query) => {
    const whole = { ...reference, customer };
    expect((await good(api.get(`/v1/references/${reference.id}?${query}`))).body).toStrictEqual(whole);
    expect((await good(api.post(`/v1/references/${reference.id}?${query}`, {}))).body).toStrictEqual(whole);
    const listed = await good(api.get(`/v1/references?${query.replace(/(?<==|,)(?=[a-z])/g, 'data.')}`));
    expect(listed.body.data).toContainEqual(whole);
  });

  test('expands a linked record when any operation returns a reference', async () => {
    const made = await good(
      api.post('/v1/references?expand=customer', { application: 'app_1', customer: customer.id }),
    );
    expect(made.body.customer).toStrictEqual(customer);
    const path = `/v1/references/${made.body.id}`;
    const updated = await good(api.post(`${path}?expand=customer`, { status: 'processing' }));
    expect([updated.body.status, updated.body.customer]).toStrictEqual(['processing', customer]);
    const canceled = await good(api.post(`${path}/cancel?expand=customer`));
    expect([canceled.body.status, canceled.body.customer]).toStrictEqual(['canceled', customer]);
  });

  test('expands every item when a list is requested with filters', async () => {
    const { api: own } = await addAccount(server);
    const people = [await make(own, 'customers', { name: 'Ada' }), await make(own, 'customers', { name: 'Grace' })];
    for (const { id } of [...people, people[0]!]) await make(own, 'references', { application: 'app_1', customer: id });
    await make(own, 'references', { application: 'app_1' });
    await make(own, 'references', { application: 'app_2', customer: people[0].id });
    const { body } = await good(own.get('/v1/references?application=app_1&expand=data.customer&limit=3'));
    expect([body.count, body.has_more]).toEqual([4, true]);
    expect(body.data.map((item: Body) => item.customer)).toStrictEqual([null, people[0], people[1]]);
  });

  test('shows the present record in the version of the request when it is expanded', async () => {
    for (const version of versions) {
      const { body } = await good(api.get('/v1/references?expand=data.customer', inVersion(version)));
      expect(body).toHaveProperty(words[version]!.total);
      expect(body.data.at(-1).customer).toStrictEqual(customer);
    }
    const changing = await make(api, 'customers', { name: 'Grace' });
    const { id } = await make(api, 'references', { application: 'app_1', customer: changing.id });
    const changed = (await good(api.post(`/v1/customers/${changing.id}`, { name: 'Hopper' }))).body;
    expect((await good(api.get(`/v1/references/${id}?expand=customer`))).body.customer).toStrictEqual(changed);
  });

  test('shows the account of the expanded record when the request names one', async () => {
    const accountId = await firstAccountId(server);
    const context = { 'service-context': accountId };
    const { body } = await good(api.get(`/v1/references/${reference.id}?expand=customer`, context));
    expect([body.account, body.customer]).toStrictEqual([accountId, { ...customer, account: accountId }]);
    const list = await good(api.get('/v1/references?expand=data.customer', context));
    expect(list.body.data.at(-1).customer).toStrictEqual({ ...customer, account: accountId });
  });
});

/** Creates a reference as in the time when every id was accepted. */
async function linkedTo(by: Api, id: string): Promise<Body> {
  const { id: made } = await make(by, 'references', { application: 'app_1' });
  await server.context.database.readers.query('update tenant_references set customer = $1 where id = $2', [id, made]);
  return (await good(by.get(`/v1/references/${made}`))).body;
}

describe('ids that are not expanded', () => {
  test.each([
    ['of an unknown record', `cus_${'0'.repeat(22)}`],
    ["of the account's own system", 'tenant_4711'],
    ['of another kind of record', `ref_${'0'.repeat(22)}`],
  ])('keeps an id when it is that %s', async (_case, id) => {
    const { id: made } = await linkedTo(api, id);
    expect((await good(api.get(`/v1/references/${made}?expand=customer`))).body.customer).toBe(id);
    const written = await good(api.post(`/v1/references/${made}?expand=customer`, { metadata: { a: 'b' } }));
    expect(written.body.customer).toBe(id);
  });

  test('keeps an id when the record belongs to another account', async () => {
    const { accountId } = await addAccount(server);
    const { api: stranger } = await addKey(server, accountId, { permissions: [...allPermissions] });
    const made = await linkedTo(stranger, customer.id);
    expect(made.customer).toBe(customer.id);
    const read = await good(stranger.get(`/v1/references/${made.id}?expand=customer,application`));
    expect(read.body).toStrictEqual(made);
    expect((await good(stranger.get('/v1/references?expand=data.customer'))).body.data).toStrictEqual([made]);
  });

  test('keeps an id when its record is elsewhere, and null when there is none', async () => {
    const { body } = await good(api.get(`/v1/references/${reference.id}?expand=application,reference_pdf`));
    expect(body).toStrictEqual(reference);
  });

  test('keeps an id in events and webhooks when their request expanded it', async () => {
    const receiver = await receiverForTest();
    const { api: own } = await addAccount(server);
    await endpointFor(own, receiver.url);
    const person = await make(own, 'customers', { name: 'Ada' });
    const made = await good(own.post('/v1/references?expand=customer', { application: 'app_1', customer: person.id }));
    expect(made.body.customer).toStrictEqual(person);
    const [event] = (await good(own.get(`/v1/events?object_id=${made.body.id}`))).body.data;
    const [sent] = await receiver.count(1);
    for (const { data } of [event, sent!.body])
      expect(data.object).toStrictEqual({ ...made.body, customer: person.id });
    // The filter still finds it by the id.
    const mentioning = await good(own.get(`/v1/events?related_object=${person.id}`));
    expect(mentioning.body.data[0].id).toBe(event.id);
  });
});

describe('refused expansions', () => {
  test.each([
    ['a member that is not a link', 'references/:id', 'outcome'],
    ['an empty path', 'references/:id', ''],
    ['an empty path after a comma', 'references/:id', 'customer,'],
    ['a member of every object', 'references/:id', '__proto__'],
    ['an unknown link of a linked record', 'references/:id', 'customer.customer'],
    ['a member that is not a link, three links away', 'references/:id', 'application.unit.holding_deposit.amount'],
    ['an item of a single record', 'references/:id', 'data.customer'],
    ['a list as if it were an item', 'references', 'customer'],
    ['the items of a list', 'references', 'data'],
    ['an event', 'events/:event', 'request'],
    ['the object of an event', 'events/:event', 'data.object'],
    ['events', 'events', 'data.data.object.customer'],
    ['a link of a record without links', 'customers/:customer', 'references'],
    ['the versions', 'api_versions', 'data.latest'],
  ])('refuses to expand and shows the choices when the request asks for %s', async (_case, path, wanted) => {
    const { data } = (await good(api.get('/v1/events?limit=1'))).body;
    const filled = path.replace(':event', data[0].id).replace(':customer', customer.id).replace(':id', reference.id);
    const refused = await api.get(`/v1/${filled}?expand=${wanted}`);
    expectRefusal(refused, { ...invalid('expand'), says: `\`${wanted.split(',').at(-1)}\` is not a path` });
  });

  test('refuses to expand and changes nothing when any operation asks for an unknown path', async () => {
    const { api: own } = await addAccount(server);
    const { id } = await make(own, 'references', { application: 'app_1' });
    for (const [path, body] of [
      ['references', { application: 'app_1' }],
      [`references/${id}`, { outcome: 'accept' }],
      [`references/${id}/cancel`, undefined],
      ['webhook_endpoints', { url: 'http://127.0.0.1:9/' }],
    ] as const)
      expectRefusal(await own.post(`/v1/${path}?expand=owner`, body), invalid('expand'));
    const { body } = await good(own.get('/v1/references'));
    expect([body.count, body.data[0].status]).toEqual([1, 'pending']);
    expect((await good(own.get('/v1/webhook_endpoints'))).body.count).toBe(0);
  });

  test('refuses to expand and names the permission when the key may not read the record', async () => {
    const { accountId } = await addAccount(server);
    const only = async (...permissions: string[]) => (await addKey(server, accountId, { permissions })).api;
    const blind = await only('references.write');
    const { id } = await make(blind, 'references', { application: 'app_1' });
    const refusal = { ...refusals.permission, says: '`customers.read`' };
    for (const refused of [
      await blind.get(`/v1/references/${id}?expand=customer`),
      await blind.get('/v1/references?expand=data.customer'),
      await blind.post(`/v1/references/${id}?expand=customer`, { outcome: 'accept' }),
      await blind.post('/v1/references?expand=customer', { application: 'app_1' }),
    ])
      expectRefusal(refused, refusal);
    const { body } = await good(blind.get('/v1/references'));
    expect([body.count, body.data[0].status]).toEqual([1, 'pending']);
    for (const permission of ['customers.read', 'customers.write']) {
      const seeing = await only('references.read', permission);
      await good(seeing.get(`/v1/references/${id}?expand=customer`));
    }
  });
});

describe('stored responses with expanded records', () => {
  test('replays the same bytes when the expanded record has changed since', async () => {
    const person = await make(api, 'customers', { name: 'Ada' });
    const key = { 'idempotency-key': 'expanded' };
    const ask = () => api.post('/v1/references?expand=customer', { application: 'app_1', customer: person.id }, key);
    const first = await good(ask());
    expect(first.body.customer).toStrictEqual(person);
    await good(api.post(`/v1/customers/${person.id}`, { name: 'Grace' }));
    const again = await good(ask());
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  });

  test('refuses the key when the repeat expands other records', async () => {
    const key = { 'idempotency-key': 'expanded or not' };
    await good(api.post('/v1/references?expand=customer', { application: 'app_1' }, key));
    expectRefusal(await api.post('/v1/references', { application: 'app_1' }, key), refusals.idempotencyReused);
  });

  test('refuses a replay when the key may not read the expanded record', async () => {
    const { accountId } = await addAccount(server);
    const { api: own } = await addKey(server, accountId, { permissions: [...allPermissions] });
    const person = await make(own, 'customers', { name: 'Ada' });
    const { api: blind } = await addKey(server, accountId, { permissions: ['references.write'] });
    for (const [version, expanded] of [
      [versions[0]!, 'customer'],
      [versions.at(-1)!, 'pdf,customer'],
    ] as const) {
      const key = { 'idempotency-key': `whoever sees it ${version}`, ...inVersion(version) };
      const ask = (by: Api, headers: Record<string, string>) =>
        by.post(`/v1/references?expand=${expanded}`, { application: 'app_1', customer: person.id }, headers);
      const first = await good(ask(own, key));
      expect(first.body.customer).toStrictEqual(person);
      for (const other of versions) {
        const refused = await ask(blind, { ...key, ...inVersion(other) });
        expect([refused.status, refused.text.includes('"Ada"')], refused.text).toEqual([403, false]);
        expect((await good(ask(own, { ...key, ...inVersion(other) }))).text).toBe(first.text);
      }
    }
  });
});

async function make(by: Api, path: string, body: object): Promise<Body> {
  return (await good(by.post(`/v1/${path}`, body))).body;
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allPermissions } from '../support/permissions.ts';
import { latestVersion } from '../support/versions.ts';
import { allOf } from '../support/paging.ts';
import { expectRefusal, invalid } from '../support/refusals.ts';
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
import { StillClock } from '../support/still-clock.ts';
import { addAccount, addKey, firstAccountId, type Tenant } from '../support/tenants.ts';

type Event = ApiResponse['body'];

const clock = new StillClock();
let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer({ overrides: { clock } });
  api = server.api;
});
afterAll(() => server.stop());

describe('events', () => {
  test("returns exactly the specified members and the account's version when an event is retrieved", async () => {
    const { id } = await createReference();
    const [event] = await eventsAbout(id);
    expectShape('event', event);
    const retrieved = await api.get(`/v1/events/${event.id}`, { 'service-version': latestVersion });
    expect(retrieved.status).toBe(200);
    expect(retrieved.body).toStrictEqual(event);
    expect(event.api_version).toBe(latestVersion);
    expect(retrieved.headers.get('service-version')).toBe(latestVersion);
  });

  test('names the request, the key and its type when an API key caused the event', async () => {
    const accountId = await firstAccountId(server);
    const named = await addKey(server, accountId, { name: 'Letting portal' });
    const caused = await named.api.post(
      '/v1/references',
      { application: 'app_1' },
      { 'idempotency-key': 'a key, of its own' },
    );
    expect(caused.status).toBe(200);
    const [event] = await eventsAbout(caused.body.id);
    expect(event.request).toStrictEqual({
      id: caused.headers.get('request-id'),
      idempotency_key: 'a key, of its own',
      from_dashboard: false,
      customer_portal: false,
      actor: { type: 'api_key', id: named.keyId, name: 'Letting portal', key_id: named.keyId, key_type: 'secret' },
    });
  });

  test("shows null for the idempotency key and the key's name when the request had none", async () => {
    const caused = await createReference();
    const [event] = await eventsAbout(caused.id);
    expect(event.request.idempotency_key).toBeNull();
    expect(event.request.actor.name).toBeNull();
  });

  test('names the system as actor when the server caused the event', async () => {
    const accountId = await firstAccountId(server);
    const [created] = await eventsAbout(accountId);
    expectShape('event', created);
    expect(created.type).toBe('account.created');
    expect(created.request).toStrictEqual({
      id: null,
      idempotency_key: null,
      from_dashboard: false,
      customer_portal: false,
      actor: { type: 'system', id: null, name: 'Tenure', key_id: null, key_type: null },
    });
  });

  test('contains neither the secret nor its hash when a key was created', async () => {
    const [made] = (await api.get('/v1/events?type=api_key.created')).body.data;
    expect(Object.keys(made.data.object).sort()).toEqual([
      'approvals',
      'created',
      'created_by',
      'expires_at',
      'id',
      'last_four',
      'last_used_at',
      'name',
      'object',
      'permissions',
      'status',
      'type',
    ]);
    expect(JSON.stringify(made)).not.toContain(server.secretKey.slice(8));
  });

  test('shows no account member of an event when the request names an account', async () => {
    const { id } = await createReference();
    const context = { 'service-context': await firstAccountId(server) };
    const { body } = await api.get(`/v1/events?object_id=${id}`, context);
    expectShape('event', body.data[0]);
    expect(body.data[0].data.object).not.toHaveProperty('account');
    expectShape('event', (await api.get(`/v1/events/${body.data[0].id}`, context)).body);
  });

  test('shows the time of the change when the record is older', async () => {
    const { id, created } = await createReference();
    clock.advanceMs(5_000);
    await api.post(`/v1/references/${id}`, { outcome: 'accept' });
    expect((await eventsAbout(id)).map((event) => event.created)).toEqual([created, created + 5, created + 5]);
  });

  test('shows the record of that time when the record has changed since', async () => {
    const made = await createReference({ application: 'app_1', metadata: { step: 'first' } });
    const processing = (
      await api.post(`/v1/references/${made.id}`, { status: 'processing', metadata: { step: 'second' } })
    ).body;
    const complete = (await api.post(`/v1/references/${made.id}`, { outcome: 'accept', reference_pdf: 'file_1' })).body;
    const events = await eventsAbout(made.id);
    expect(events.map(({ type, data }) => [type, data.object])).toStrictEqual([
      ['reference.created', made],
      ['reference.updated', processing],
      ['reference.updated', complete],
      ['reference.completed', complete],
    ]);
    // Also when they are retrieved one by one.
    for (const event of events) expect((await api.get(`/v1/events/${event.id}`)).body).toStrictEqual(event);
  });

  test('shows previous_attributes only when the record existed before', async () => {
    const { id } = await createReference({ application: 'app_1', metadata: { a: '1' } });
    await api.post(`/v1/references/${id}`, { outcome: 'accept', metadata: { a: '', b: '2' } });
    expect((await eventsAbout(id)).map(({ type, data }) => [type, data.previous_attributes])).toStrictEqual([
      ['reference.created', null],
      [
        'reference.updated',
        { outcome: null, decision: null, status: 'pending', completed_at: null, metadata: { a: '1', b: null } },
      ],
      ['reference.completed', null],
    ]);
  });
});

describe('atomic changes', () => {
  test('commits a change and its events in one transaction when a record changes', async () => {
    const ids = await Promise.all([1, 2, 3, 4, 5].map(async () => (await createReference()).id));
    const { rows } = await server.context.database.readers.query<{ together: number }>(
      `
      select count(*) as together
      from tenant_references record
      join events event on event.object_id = record.id and event.type = 'reference.created'
      where record.id = any($1) and record.xmin::text = event.transaction_id::text`,
      [ids],
    );
    expect(rows[0]!.together).toBe(ids.length);
    for (const id of ids) expect(await eventsAbout(id)).toHaveLength(1);
  });

  test('rolls back a change when its events cannot be written', async () => {
    const own = await serverForTest();
    const { body: reference } = await own.api.post('/v1/references', { application: 'app_1' });
    await own.context.database.readers.query('alter table events add constraint none check (false) not valid');

    expect((await own.api.post('/v1/references', { application: 'app_1' })).body.error.code).toBe('internal');
    expect((await own.api.post(`/v1/references/${reference.id}`, { outcome: 'accept' })).body.error.code).toBe(
      'internal',
    );
    expect((await own.api.get('/v1/references')).body).toMatchObject({ count: 1, data: [reference] });
    expect((await own.api.get('/v1/references?status=pending')).body.count).toBe(1);

    await own.context.database.readers.query('alter table events drop constraint none');
    expect((await own.api.post(`/v1/references/${reference.id}`, { outcome: 'accept' })).body.status).toBe('complete');
  });

  test('writes no event when a change is refused', async () => {
    const { api: other } = await addAccount(server);
    const { body: reference } = await other.post('/v1/references', { application: 'app_1' });
    await other.post(`/v1/references/${reference.id}/cancel`);
    const before = await allOf(other, '/v1/events');
    for (const [path, body] of [
      ['/v1/references', {}],
      [`/v1/references/${reference.id}`, { outcome: 'accept' }],
      [`/v1/references/${reference.id}/cancel`, {}],
      ['/v1/references/ref_0000000000000000000000', { outcome: 'accept' }],
      ['/v1/customers', { name: '' }],
    ] as const) {
      expect((await other.post(path, body)).status).toBeGreaterThanOrEqual(400);
    }
    expect(await allOf(other, '/v1/events')).toStrictEqual(before);
  });
});

describe('the list of events', () => {
  let tenant: Tenant;
  let customer: ApiResponse['body'];
  let reference: ApiResponse['body'];
  let other: ApiResponse['body'];
  let all: Event[];

  beforeAll(async () => {
    tenant = await addAccount(server);
    const post = async (path: string, body?: object): Promise<ApiResponse['body']> => {
      clock.advanceMs(700);
      const response = await tenant.api.post(path, body);
      expect(response.status, response.text).toBe(200);
      return response.body;
    };
    customer = await post('/v1/customers', { name: 'Grace' });
    reference = await post('/v1/references', { application: 'app_7', customer: customer.id });
    other = await post('/v1/references', { application: 'app_8', customer: customer.id });
    await post(`/v1/references/${reference.id}`, { reference_pdf: 'file_old' });
    await post(`/v1/references/${reference.id}`, { reference_pdf: 'file_new' });
    await post(`/v1/customers/${customer.id}`, { phone: '+44 20 7946 0000' });
    await post(`/v1/references/${reference.id}`, { outcome: 'accept' });
    await post(`/v1/references/${other.id}/cancel`);
    all = await allOf(tenant.api, '/v1/events');
  });

  test('returns all events, newest first, when no filter is sent', () => {
    expect(all.map(({ type, data }) => [type, data.object.id])).toEqual([
      ['reference.canceled', other.id],
      ['reference.updated', other.id],
      ['reference.completed', reference.id],
      ['reference.updated', reference.id],
      ['customer.updated', customer.id],
      ['reference.updated', reference.id],
      ['reference.updated', reference.id],
      ['reference.created', other.id],
      ['reference.created', reference.id],
      ['customer.created', customer.id],
    ]);
    for (const event of all) expectShape('event', event);
  });

  test('finds the events of one record when filtered by object_id', async () => {
    await expectFound({ object_id: customer.id }, ({ data }) => data.object.id === customer.id);
    await expectFound({ object_id: reference.id }, ({ data }) => data.object.id === reference.id);
    await expectFound({ object_id: 'app_7' }, () => false);
  });

  test('finds the events that show or link a record when filtered by related_object', async () => {
    await expectFound({ related_object: reference.id }, ({ data }) => data.object.id === reference.id);
    await expectFound({ related_object: 'app_7' }, ({ data }) => data.object.application === 'app_7');
    await expectFound(
      { related_object: customer.id },
      ({ data }) => data.object.id === customer.id || data.object.customer === customer.id,
    );
    await expectFound({ related_object: 'app_' }, () => false);
  });

  test('finds an event by related_object when only its previous attributes have the link', async () => {
    const [replaced, added] = all.filter(({ data }) => data.previous_attributes?.reference_pdf !== undefined);
    expect(replaced.data).toMatchObject({
      object: { reference_pdf: 'file_new', earlier_reports: ['file_old'] },
      previous_attributes: { reference_pdf: 'file_old', earlier_reports: [] },
    });
    await expectFound(
      { related_object: 'file_old' },
      ({ id, data }) => id === added.id || data.object.earlier_reports?.includes('file_old'),
    );
    await expectFound({ related_object: 'file_new' }, ({ data }) => data.object.reference_pdf === 'file_new');
  });

  test('finds the events of one actor, or of one type of actors, when filtered by actor', async () => {
    await expectFound({ actor: tenant.keyId }, () => true);
    await expectFound({ actor: 'api_key' }, () => true);
    await expectFound({ actor: tenant.keyId, type: 'customer.*' }, ({ type }) => type.startsWith('customer.'));
    for (const actor of ['agent', 'system', 'user', 'key_1', 'usr_1', 'api']) await expectFound({ actor }, () => false);
    for (const actor of ['', 'api key', 'key-1', 'x'.repeat(256)])
      expectRefusal(await tenant.api.get(`/v1/events?${new URLSearchParams({ actor }).toString()}`), invalid('actor'));
  });

  test('tells an agent key, a secret key and the system apart when filtered by actor', async () => {
    const { accountId } = await addAccount(server);
    const mixed = await addKey(server, accountId, { permissions: allPermissions });
    const { body: agent } = await good(
      mixed.api.post('/v1/api_keys', {
        type: 'agent',
        name: 'A helper',
        permissions: ['customers.write'],
      }),
    );
    await good(apiClient(server.url, agent.secret).post('/v1/customers', { name: 'Ada' }));
    const { resources, readRecord, committer } = server.context;
    const customers = resources.find(({ path }) => path === 'customers')!;
    const made = await good(mixed.api.post('/v1/customers', { name: 'Bo' }));
    const before = (await readRecord(customers, mixed.accountId, made.body.id))!;
    await committer.commit({
      accountId: mixed.accountId,
      payer: null,
      request: null,
      claim: null,
      locks: [],
      decide: async () => ({
        changes: [{ resource: customers, before, after: { ...before, phone: '1' } as typeof before }],
        response: null,
      }),
    });
    const found = async (actor: string): Promise<unknown[]> => {
      const { body } = await good(mixed.api.get(`/v1/events?actor=${actor}`));
      expect(body.count).toBe(body.data.length);
      return body.data.map(({ type, data }: Event) => [type, data.object.name]);
    };
    expect(await found('agent')).toEqual([['customer.created', 'Ada']]);
    expect(await found(agent.id)).toEqual([['customer.created', 'Ada']]);
    expect(await found('system')).toEqual([['customer.updated', 'Bo']]);
    expect(await found('api_key')).toEqual(await found(mixed.keyId));
    expect(await found('api_key')).toEqual([
      ['customer.created', 'Bo'],
      ['api_key.created', 'A helper'],
    ]);
  });

  test('finds exactly one type when filtered by type', async () => {
    for (const type of ['reference.created', 'reference.updated', 'reference.completed', 'customer.updated']) {
      await expectFound({ type }, (event) => event.type === type);
    }
    await expectFound({ type: 'guarantor.created' }, () => false);
  });

  test('finds exactly the types with a prefix when the filter ends with a star', async () => {
    for (const start of [
      'reference.',
      'reference.c',
      'ref',
      'customer.',
      'customer.created',
      'c',
      'b',
      'deposit.',
      '',
    ]) {
      await expectFound({ type: `${start}*` }, (event) => event.type.startsWith(start));
    }
  });

  test('treats every character but a final star literally, and refuses a type that no event has', async () => {
    for (const type of [
      'reference',
      'reference.c',
      'reference_created',
      'referenc_.*',
      '_*',
      'reference.create.*',
      '%',
      'reference.%',
      'reference%*',
      '*.created',
      'ref*.created',
      '**',
      '',
      'Reference.created',
      'a'.repeat(101),
    ]) {
      const { status, body } = await tenant.api.get(`/v1/events?${new URLSearchParams({ type }).toString()}`);
      expect([type, status, body.error?.code, body.error?.param]).toEqual([type, 400, 'parameter_invalid', 'type']);
    }
  });

  test('filters events by time to the second when created is sent', async () => {
    const times = [...new Set(all.map(({ created }) => created as number))];
    expect(times.length).toBeGreaterThan(4);
    for (const time of times) {
      await expectFound({ 'created[gt]': time }, ({ created }) => created > time);
      await expectFound({ 'created[gte]': time }, ({ created }) => created >= time);
      await expectFound({ 'created[lt]': time }, ({ created }) => created < time);
      await expectFound({ 'created[lte]': time }, ({ created }) => created <= time);
    }
  });

  test('returns exactly the matching events when filters are combined', async () => {
    const since = all.find(({ type }) => type === 'customer.updated').created;
    const [object_id, related_object, type] = [reference.id, customer.id, 'reference.*'];
    const own = ({ data }: Event): boolean => data.object.id === reference.id;
    await expectFound({ object_id, type }, own);
    await expectFound(
      { object_id, related_object, type: 'reference.updated' },
      (event) => own(event) && event.type === 'reference.updated',
    );
    await expectFound({ related_object, type }, (event) => event.type.startsWith('reference.'));
    await expectFound({ related_object, type: 'customer.*' }, (event) => event.type.startsWith('customer.'));
    await expectFound(
      { object_id, related_object, type, 'created[gte]': since, 'created[lt]': 9_999_999_999 },
      (event) => own(event) && event.created >= since,
    );
    await expectFound({ object_id: customer.id, type }, () => false);
  });

  test('returns the same events when they are paged in different ways', async () => {
    for (const type of ['*', 'reference.*', 'reference.created', '*', 'reference.created', 'reference.*']) {
      const finds = (event: Event): boolean =>
        type.endsWith('*') ? event.type.startsWith(type.slice(0, -1)) : event.type === type;
      await expectFound({ type }, finds);
    }
  });

  test('refuses to create, change or delete an event when a client tries', async () => {
    for (const path of ['/v1/events', `/v1/events/${all[0].id}`]) {
      const { status, headers } = await tenant.api.post(path, {});
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  /** Checks that the list has exactly the events that match, in their order, with their count. */
  async function expectFound(query: Record<string, string | number>, fits: (event: Event) => boolean): Promise<void> {
    const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const { status, body, text } = await tenant.api.get(`/v1/events?${new URLSearchParams(pairs).toString()}`);
    expect([query, status], text).toEqual([query, 200]);
    const expected = all.filter(fits);
    expect({ query, ...body }).toStrictEqual({
      query,
      object: 'list',
      count: expected.length,
      has_more: false,
      data: expected,
    });
  }
});

describe('unknown events', () => {
  test('returns the same 404 when an event does not exist or belongs to another account', async () => {
    const { api: other } = await addAccount(server);
    const { id } = await createReference();
    const [foreign] = await eventsAbout(id);
    const unknown = `evt_${'0'.repeat(22)}`;
    const answers = await Promise.all([foreign.id, unknown].map((eventId) => other.get(`/v1/events/${eventId}`)));
    for (const { status, body } of answers) {
      expect([status, body.error.code, body.error.param]).toEqual([404, 'resource_missing', 'id']);
    }
    const [ofForeign, ofUnknown] = answers.map(({ body }) => ({ ...body.error, request_id: '' }));
    expect(JSON.stringify(ofForeign).replaceAll(foreign.id, unknown)).toBe(JSON.stringify(ofUnknown));
    for (const malformed of ['evt_1', id, 'streams', '%00', 'evt_000000000000000000000%25']) {
      expect((await other.get(`/v1/events/${malformed}`)).status).toBe(404);
    }
  });

  test('hides an event from every filter when it belongs to another account', async () => {
    const { api: other } = await addAccount(server);
    const { id } = await createReference({ application: 'app_secret' });
    for (const query of [
      `object_id=${id}`,
      `related_object=${id}`,
      'related_object=app_secret',
      'type=*',
      'created[gt]=0',
    ]) {
      expect((await other.get(`/v1/events?${query}`)).body).toMatchObject({ count: 0, data: [] });
    }
  });
});

describe('the permission events.read', () => {
  test("refuses to list and retrieve events with the permission's name when the key lacks it", async () => {
    const accountId = await firstAccountId(server);
    const { id } = await createReference();
    const [event] = await eventsAbout(id);
    const without = await addKey(server, accountId, { permissions: ['references.write', 'customers.write'] });
    for (const path of ['/v1/events', `/v1/events?object_id=${id}`, `/v1/events/${event.id}`]) {
      const { status, body } = await without.api.get(path);
      expect([path, status, body.error.type, body.error.code]).toEqual([
        path,
        403,
        'permission_error',
        'permission_denied',
      ]);
      expect(body.error.message).toContain('`events.read`');
    }
    expect((await without.api.get(`/v1/references/${id}`)).status).toBe(200);
  });

  test('allows a key to read events when it holds no other permission', async () => {
    const only = await addKey(server, await firstAccountId(server), { permissions: ['events.read'] });
    expect((await only.api.get('/v1/events')).status).toBe(200);
    expect((await only.api.get('/v1/references')).status).toBe(403);
  });
});

async function createReference(body: object = { application: 'app_1' }): Promise<ApiResponse['body']> {
  const response = await api.post('/v1/references', body);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

/** Returns all events of one record, oldest first. */
async function eventsAbout(id: string): Promise<Event[]> {
  return (await allOf(api, '/v1/events', { object_id: id })).toReversed();
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiVersions } from '../../src/versions/index.ts';
import { receiverForTest } from '../support/receiver.ts';
import { expectRefusal, invalid, refusals, unknown } from '../support/refusals.ts';
import { serverForTest, startTestServer, type Api, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { endpointFor, soon } from '../webhooks/scenario.ts';
import { nextVersion } from './next-version.ts';

/*
 * The next version takes one file, `next-version.ts`, and this line. These tests show all that it changes, without any other change in the
 * server.
 */
const versions = [nextVersion, ...apiVersions];

const before = { 'service-version': '2026-11-01' };
const oldest = { 'service-version': '2025-09-01' };

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer({ overrides: { versions } });
  api = server.api;
});
afterAll(() => server.stop());

describe('an additional version', () => {
  test('lists the version as the latest with its summary when it is added', async () => {
    const answer = await api.get('/v1/api_versions');
    expect(answer.headers.get('service-version')).toBe(nextVersion.date);
    expect(answer.body.count).toBe(versions.length);
    const first = { id: nextVersion.date, object: 'api_version', latest: true, changelog: nextVersion.sentence };
    expect(answer.body.data[0]).toStrictEqual(first);
  });

  test("shows each version's own shape when records are requested", async () => {
    const customer = await makeCustomer();
    expect(customer).toMatchObject({ email: 'ada@example.org', date_of_birth: '1990-12-31' });
    const read = async (headers: Record<string, string>) =>
      (await api.get(`/v1/customers/${customer.id}`, headers)).body;
    const { email, date_of_birth, ...rest } = customer;
    for (const headers of [before, oldest]) {
      expect(await read(headers)).toStrictEqual({ ...rest, email_address: email, birthday: '31/12/1990' });
    }
    expect(await read({})).toStrictEqual({ ...rest, email, date_of_birth });
  });

  test('accepts bodies in either shape when versions differ', async () => {
    const made = await api.post('/v1/customers', { name: 'Ada', birthday: '31/12/1990' }, before);
    expect([made.status, made.body.birthday]).toEqual([200, '31/12/1990']);
    expect((await api.get(`/v1/customers/${made.body.id}`)).body.date_of_birth).toBe('1990-12-31');
    const cleared = await api.post(`/v1/customers/${made.body.id}`, { birthday: null }, before);
    expect(cleared.body).toMatchObject({ birthday: null, email_address: null });
  });

  test("refuses another version's name and suggests the right one when a request uses it", async () => {
    const wrong = await api.post('/v1/customers', { name: 'Ada', date_of_birth: '1990-12-31' }, before);
    expectRefusal(wrong, { ...unknown('date_of_birth'), says: 'is called `birthday`', version: '2026-11-01' });
    const old = await api.post('/v1/customers', { name: 'Ada', birthday: '31/12/1990' });
    expectRefusal(old, { ...unknown('birthday'), says: 'is called `date_of_birth`', version: nextVersion.date });
    const form = await api.post('/v1/customers', { name: 'Ada', birthday: '1990-12-31' }, before);
    expectRefusal(form, { ...invalid('birthday'), version: '2026-11-01' });
  });

  test("filters by each version's own name when lists are requested", async () => {
    const email = `${Date.now()}@example.org`;
    const { id } = await makeCustomer({ email });
    expect((await api.get(`/v1/customers?email=${email}`)).body.data).toMatchObject([{ id }]);
    expect((await api.get(`/v1/customers?email_address=${email}`, oldest)).body.data).toMatchObject([{ id }]);
    const wrong = await api.get(`/v1/customers?email=${email}`, before);
    expectRefusal(wrong, { ...unknown('email'), says: 'is called `email_address`', version: '2026-11-01' });
    const old = await api.get(`/v1/customers?email_address=${email}`);
    expectRefusal(old, { ...unknown('email_address'), says: 'is called `email`', version: nextVersion.date });
  });

  test("expands by each version's own name and shape when records are expanded", async () => {
    const customer = await makeCustomer();
    const made = await api.post('/v1/references?expand=tenant', { application: 'app_1', tenant: customer.id }, before);
    expect(made.body.tenant).toMatchObject({ id: customer.id, birthday: '31/12/1990' });
    const path = `/v1/references/${made.body.id}`;
    expect((await api.get(`${path}?expand=customer`)).body.customer).toStrictEqual(customer);
    expect((await api.get(`/v1/references?limit=1&expand=data.tenant`, oldest)).body).toMatchObject({
      total_count: expect.any(Number),
      data: [{ tenant: { birthday: '31/12/1990' }, pdf: null }],
    });
    expectRefusal(await api.get(`${path}?expand=customer`, before), { ...invalid('expand'), version: '2026-11-01' });
    expectRefusal(await api.get(`${path}?expand=tenant`), { ...invalid('expand'), version: nextVersion.date });
  });

  test("names a faulty parameter in the request's version when only a decision finds the fault", async () => {
    const tenant = await addAccount(server);
    await server.context.database.readers.query(
      `update accounts set linked_records = 'strict' where account_id = $1 and id = $1`,
      [tenant.accountId],
    );
    const { body: application } = await tenant.api.post('/v1/applications', {});
    const missing = server.context.ids.make('cus');
    const strict = { ...refusals.idUnknown, status: 400 };
    const sent = await tenant.api.post('/v1/references', { application: application.id, tenant: missing }, before);
    expectRefusal(sent, { ...strict, param: 'tenant', version: '2026-11-01' });
    const now = await tenant.api.post('/v1/references', { application: application.id, customer: missing });
    expectRefusal(now, { ...strict, param: 'customer', version: nextVersion.date });
  });

  test('shows events and previous attributes in the version of the request when they are read', async () => {
    const customer = await makeCustomer();
    await api.post(`/v1/customers/${customer.id}`, { date_of_birth: '1991-01-30' });
    const [event] = (await api.get(`/v1/events?object_id=${customer.id}`)).body.data;
    expect(event.data.previous_attributes).toStrictEqual({ date_of_birth: '1990-12-31' });
    const older = (await api.get(`/v1/events/${event.id}`, before)).body;
    expect(older.data.previous_attributes).toStrictEqual({ birthday: '31/12/1990' });
    expect(older.data.object).toMatchObject({ birthday: '30/01/1991', email_address: 'ada@example.org' });
    const oldestOne = (await api.get(`/v1/events/${event.id}`, oldest)).body;
    expect(oldestOne).toStrictEqual({ ...older, request: event.request.id, api_version: '2025-09-01' });
  });

  test("delivers in each endpoint's version when endpoints differ", async () => {
    const receivers = await Promise.all(versions.map(() => receiverForTest()));
    const tenant = await addAccount(server);
    await Promise.all(
      versions.map(({ date }, index) =>
        endpointFor(tenant.api, receivers[index]!.url, { api_version: date, enabled_events: ['customer.*'] }),
      ),
    );
    await tenant.api.post('/v1/customers', { name: 'Ada', date_of_birth: '1990-12-31' });
    await expect.poll(() => receivers.map(({ received }) => received.length), soon).toEqual(versions.map(() => 1));
    const told = receivers.map(({ received: [delivery] }) => [
      delivery!.headers['service-version'],
      delivery!.body.data.object.date_of_birth ?? delivery!.body.data.object.birthday,
      typeof delivery!.body.request,
    ]);
    expect(told).toHaveLength(versions.length);
    expect(told[0]).toEqual([nextVersion.date, '1990-12-31', 'object']);
    expect(told.slice(-3)).toEqual([
      ['2026-11-01', '31/12/1990', 'object'],
      ['2026-03-01', '31/12/1990', 'string'],
      ['2025-09-01', '31/12/1990', 'string'],
    ]);
  });

  test('upgrades events when they were stored in an older shape', async () => {
    const earlier = await serverForTest();
    const { body: customer } = await earlier.api.post('/v1/customers', { name: 'Ada', date_of_birth: '1990-12-31' });
    // As the release of that time stored it.
    const { rowCount } = await earlier.context.database.readers.query(
      `update events set data = replace(replace(replace(data, 'date_of_birth', 'birthday'), '1990-12-31', '31/12/1990'),
         '"email"', '"email_address"')
       where object_id = $1`,
      [customer.id],
    );
    expect(rowCount).toBe(1);
    const later = await serverForTest({
      connection: earlier.connection,
      secretKey: earlier.secretKey,
      overrides: { versions },
    });
    const shown = async (headers: Record<string, string>) => {
      const { body } = await later.api.get(`/v1/events?object_id=${customer.id}`, headers);
      return body.data[0].data.object;
    };
    expect(await shown({ 'service-version': nextVersion.date })).toStrictEqual(customer);
    expect(await shown(before)).toMatchObject({ birthday: '31/12/1990', email_address: null });
  });
});

async function makeCustomer(fields: object = {}) {
  const body = { name: 'Ada', email: 'ada@example.org', date_of_birth: '1990-12-31', ...fields };
  const made = await api.post('/v1/customers', body);
  expect(made.status, made.text).toBe(200);
  return made.body;
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectRefusal, invalid, refusals, type Refusal } from './support/refusals.ts';
import { good, startTestServer, type Api, type TestServer } from './support/server.ts';
import { addAccount } from './support/tenants.ts';

/* Links of an account that keeps some records in a system of its own. What can only be a mistake is refused all the same. */

let server: TestServer;
let api: Api;
const ids: Record<string, string> = {};

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
  for (const [kind, body] of Object.entries({ customers: { name: 'Ada' }, applications: {} }))
    ids[kind] = (await good(api.post(`/v1/${kind}`, body))).body.id;
  ids.references = (await good(api.post('/v1/references', { application: 'app_1' }))).body.id;
});
afterAll(() => server.stop());

/** Says that the id of a linked record is no good. */
function missingAt(param: string, says: string | RegExp): Refusal {
  return { ...refusals.idUnknown, status: 400, param, says };
}

describe('an id with the prefix of another kind', () => {
  test.each([
    [
      '/v1/references',
      { application: 'cus_1' },
      'application',
      'takes that of an application (`app_…`), or one of your own system',
    ],
    [
      '/v1/references',
      { application: 'app_1', customer: 'app_1' },
      'customer',
      '`app_1` begins as the id of an application does. `customer` takes that of a customer (`cus_…`)',
    ],
    [
      '/v1/references',
      { application: 'app_1', customer: 'we_x' },
      'customer',
      'begins as the id of a webhook endpoint does',
    ],
    ['/v1/applications', { customers: ['cus_1', 'ref_1'] }, 'customers[1]', '(`cus_…`)'],
    ['/v1/applications', { unit: 'cus_1' }, 'unit', '`unit` takes an id of your own system.'],
  ])('is refused at %s with %o', async (path, body, param, says) => {
    const before = (await good(api.get(path))).body.count;
    expectRefusal(await api.post(path, body), missingAt(param, says));
    expect((await good(api.get(path))).body.count).toBe(before);
  });

  test('is refused in an update, whether or not there is such a record', async () => {
    const reference = `/v1/references/${ids.references}`;
    for (const id of ['cus_1', ids.customers])
      expectRefusal(await api.post(reference, { reference_pdf: id }), missingAt('reference_pdf', '(`file_…`)'));
    expectRefusal(
      await api.post(`/v1/applications/${ids.applications}`, { customers: [ids.applications] }),
      missingAt('customers[0]', '(`cus_…`)'),
    );
  });

  test('is named as the version of the request names its field', async () => {
    const answer = await api.post(
      `/v1/references/${ids.references}`,
      { pdf: 'cus_1' },
      { 'service-version': '2025-09-01' },
    );
    expectRefusal(answer, { ...missingAt('pdf', 'begins as the id of a customer does'), version: '2025-09-01' });
  });

  test('finds nothing in a list, and is no error there', async () => {
    for (const query of ['application=cus_1', 'customer=app_1'])
      expect((await good(api.get(`/v1/references?${query}`))).body.count).toBe(0);
  });

  test('stays on an older record when an update sends something else', async () => {
    const { id } = (await good(api.post('/v1/references', { application: 'app_1' }))).body;
    await server.context.database.readers.query(
      `update tenant_references set application = 'cus_1', customer = 'app_1' where id = $1`,
      [id],
    );
    const changed = await good(api.post(`/v1/references/${id}`, { outcome: 'accept', reference_pdf: 'file_1' }));
    expect(changed.body).toMatchObject({ application: 'cus_1', customer: 'app_1', status: 'complete' });
  });
});

describe('an id of our own form', () => {
  const unknown = '0000000000000000000000';

  test('is refused when there is no such record, or it is another account’s', async () => {
    const other = await addAccount(server);
    const theirs = (await good(other.api.post('/v1/applications', {}))).body.id as string;
    for (const id of [`app_${unknown}`, theirs]) {
      const says = `There is no application \`${id}\` in this account. Send the id of one that is here`;
      expectRefusal(await api.post('/v1/references', { application: id }), missingAt('application', says));
    }
    const body = { customers: [ids.customers, `cus_${unknown}`] };
    expectRefusal(await api.post('/v1/applications', body), missingAt('customers[1]', 'There is no customer'));
    expectRefusal(
      await api.post(`/v1/references/${ids.references}`, { reference_pdf: `file_${unknown}` }),
      missingAt('reference_pdf', 'There is no file'),
    );
  });

  test('is refused when the record was deleted, and stays where it was linked before', async () => {
    const { id } = (await good(api.post('/v1/applications', {}))).body;
    const made = await good(api.post('/v1/references', { application: id }));
    await good(api.delete(`/v1/applications/${id}`));
    expectRefusal(await api.post('/v1/references', { application: id }), missingAt('application', 'no application'));
    const { body } = await good(api.post(`/v1/references/${made.body.id}`, { metadata: { a: 'b' } }));
    expect(body.application).toBe(id);
  });

  test('is taken when the record is there', async () => {
    const { applications: application, customers: customer } = ids;
    const { body } = await good(api.post('/v1/references', { application, customer }));
    expect(body).toMatchObject({ application, customer });
  });
});

describe('an id of another system', () => {
  test.each(['app_1', 'app_0000000000000000000000x', '1042', 'applicant_9', 'Cus_1', 'cus', 'crm_cus_1', '_'])(
    'is taken when it begins as none of ours, or is not of our form: %s',
    async (application) => {
      expect((await good(api.post('/v1/references', { application }))).body.application).toBe(application);
    },
  );

  test('is refused with advice when it has a hyphen or another character that no id has', async () => {
    const uuid = '0b0f4a0e-7c60-4c58-9b1c-2f1f7d1b6a11';
    const hyphens = '`application` must be an id, which has letters, digits and _ only: leave out the hyphens.';
    expectRefusal(await api.post('/v1/references', { application: uuid }), {
      ...invalid('application'),
      says: hyphens,
    });
    expectRefusal(await api.get(`/v1/references?application=${uuid}`), { ...invalid('application'), says: hyphens });
    const { body } = await good(api.post('/v1/references', { application: uuid.replaceAll('-', '') }));
    expect(body.application).toBe(uuid.replaceAll('-', ''));
    expectRefusal(await api.post('/v1/applications', { customers: ['a b'] }), {
      ...invalid('customers[0]'),
      says: '`customers[0]` must be an id, which has letters, digits and _ only: leave out the rest.',
    });
  });
});

test('the endpoint of a resend is told apart by its prefix', async () => {
  const event = (await good(api.get('/v1/events?limit=1'))).body.data[0].id as string;
  expectRefusal(
    await api.post(`/v1/events/${event}/resend`, { webhook_endpoint: 'cus_1' }),
    missingAt('webhook_endpoint', 'Send the id of one that is here: `we_…`.'),
  );
});

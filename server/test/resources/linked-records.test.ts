import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { expectRefusal, invalid, refusals, type Refusal } from '../support/refusals.ts';
import { good, startTestServer, type Api, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';

/* Links of an account that keeps some records in its own system. An id that can only be a mistake is refused even if links are open. */

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

/** The refusal of a linked record's id. */
function missingAt(param: string, says: string | RegExp): Refusal {
  return { ...refusals.idUnknown, status: 400, param, says };
}

describe('ids with the prefix of another kind', () => {
  test.each([
    [
      '/v1/references',
      { application: 'cus_1' },
      'application',
      'For `application`, send that of an application (`app_…`), or one of your own system',
    ],
    [
      '/v1/references',
      { application: 'app_1', customer: 'app_1' },
      'customer',
      '`app_1` begins like the id of an application. For `customer`, send that of a customer (`cus_…`)',
    ],
    [
      '/v1/references',
      { application: 'app_1', customer: 'we_x' },
      'customer',
      'begins like the id of a webhook endpoint.',
    ],
    ['/v1/applications', { customers: ['cus_1', 'ref_1'] }, 'customers[1]', '(`cus_…`)'],
    [
      '/v1/applications',
      { unit: 'cus_1' },
      'unit',
      'For `unit`, send that of a unit (`unit_…`), or one of your own system.',
    ],
  ])(
    'refuses a linked id at %s when the body is %o and its prefix names another kind',
    async (path, body, param, says) => {
      const before = (await good(api.get(path))).body.count;
      expectRefusal(await api.post(path, body), missingAt(param, says));
      expect((await good(api.get(path))).body.count).toBe(before);
    },
  );

  test("refuses an update when its linked id has another kind's prefix, whether or not that record exists", async () => {
    const reference = `/v1/references/${ids.references}`;
    for (const id of ['cus_1', ids.customers])
      expectRefusal(await api.post(reference, { reference_pdf: id }), missingAt('reference_pdf', '(`file_…`)'));
    expectRefusal(
      await api.post(`/v1/applications/${ids.applications}`, { customers: [ids.applications] }),
      missingAt('customers[0]', '(`cus_…`)'),
    );
  });

  test("names the field as the request's version does when a linked id is refused", async () => {
    const answer = await api.post(
      `/v1/references/${ids.references}`,
      { pdf: 'cus_1' },
      { 'service-version': '2025-09-01' },
    );
    expectRefusal(answer, { ...missingAt('pdf', 'begins like the id of a customer.'), version: '2025-09-01' });
  });

  test("returns an empty list when a filter has an id with another kind's prefix", async () => {
    for (const query of ['application=cus_1', 'customer=app_1'])
      expect((await good(api.get(`/v1/references?${query}`))).body.count).toBe(0);
  });

  test("keeps an older id with another kind's prefix when an update sends other members", async () => {
    const { id } = (await good(api.post('/v1/references', { application: 'app_1' }))).body;
    await server.context.database.readers.query(
      `update tenant_references set application = 'cus_1', customer = 'app_1' where id = $1`,
      [id],
    );
    const changed = await good(api.post(`/v1/references/${id}`, { outcome: 'accept', reference_pdf: 'file_1' }));
    expect(changed.body).toMatchObject({ application: 'cus_1', customer: 'app_1', status: 'complete' });
  });
});

describe('ids of our own form', () => {
  const unknown = '0000000000000000000000';

  test('refuses a link when the record does not exist or belongs to another account', async () => {
    const other = await addAccount(server);
    const theirs = (await good(other.api.post('/v1/applications', {}))).body.id as string;
    for (const id of [`app_${unknown}`, theirs]) {
      const says = `There is no application \`${id}\` in this account. Send an existing id`;
      expectRefusal(await api.post('/v1/references', { application: id }), missingAt('application', says));
    }
    const body = { customers: [ids.customers, `cus_${unknown}`] };
    expectRefusal(await api.post('/v1/applications', body), missingAt('customers[1]', 'There is no customer'));
    expectRefusal(
      await api.post(`/v1/references/${ids.references}`, { reference_pdf: `file_${unknown}` }),
      missingAt('reference_pdf', 'There is no file'),
    );
  });

  test('refuses a new link when the record was deleted, and keeps older ones', async () => {
    const { id } = (await good(api.post('/v1/applications', {}))).body;
    const made = await good(api.post('/v1/references', { application: id }));
    await good(api.delete(`/v1/applications/${id}`));
    expectRefusal(await api.post('/v1/references', { application: id }), missingAt('application', 'no application'));
    const { body } = await good(api.post(`/v1/references/${made.body.id}`, { metadata: { a: 'b' } }));
    expect(body.application).toBe(id);
  });

  test('accepts a link when the record exists', async () => {
    const { applications: application, customers: customer } = ids;
    const { body } = await good(api.post('/v1/references', { application, customer }));
    expect(body).toMatchObject({ application, customer });
  });
});

describe('links to a record that changes at the same time', () => {
  test('refuses a link when another process commits first that the record was deleted', async () => {
    const other = await startTestServer({ connection: server.connection, secretKey: server.secretKey });
    onTestFinished(() => other.stop());
    const customer = `/v1/customers/${(await good(api.post('/v1/customers', { name: 'Grace' }))).body.id}`;
    const before = (await good(api.get('/v1/references'))).body.count;
    // The commit of a request with an Idempotency-Key waits for this table. That of a request without one does not.
    const blocker = await server.context.database.listers.connect();
    onTestFinished(() => blocker.release(true));
    await blocker.query('begin');
    await blocker.query('lock table idempotency_keys in exclusive mode');
    const link = { application: 'app_1', customer: customer.split('/').at(-1) };
    const made = other.api.post('/v1/references', link, { 'Idempotency-Key': 'a-late-link' });
    const waiting = async (): Promise<number> =>
      (await blocker.query(`select from pg_locks where not granted and relation = 'idempotency_keys'::regclass`))
        .rowCount!;
    await expect.poll(waiting, { interval: 10 }).toBe(1);
    await good(api.delete(customer));
    await blocker.query('commit');
    expectRefusal(await made, missingAt('customer', 'was deleted, so you cannot link to it'));
    expect((await good(api.get('/v1/references'))).body.count).toBe(before);
  });

  test('accepts every link and every update when both come at once', async () => {
    const { id } = (await good(api.post('/v1/customers', { name: 'Alan' }))).body;
    const asked = Array.from({ length: 30 }, (_, index) => [
      api.post('/v1/references', { application: 'app_1', customer: id }),
      api.post(`/v1/customers/${id}`, { metadata: { [`k${index}`]: 'v' } }),
    ]).flat();
    for (const answer of await Promise.all(asked)) expect(answer.status).toBe(200);
    const { body } = await good(api.get(`/v1/references?customer=${id}`));
    expect(body.count).toBe(30);
    expect(Object.keys((await good(api.get(`/v1/customers/${id}`))).body.metadata)).toHaveLength(30);
  });
});

describe('ids of another system', () => {
  test.each(['app_1', 'app_0000000000000000000000x', '1042', 'applicant_9', 'Cus_1', 'cus', 'crm_cus_1', '_'])(
    'accepts an id when its prefix or its form is not ours: %s',
    async (application) => {
      expect((await good(api.post('/v1/references', { application }))).body.application).toBe(application);
    },
  );

  test('refuses an id with advice when it has a hyphen or another forbidden character', async () => {
    const uuid = '0b0f4a0e-7c60-4c58-9b1c-2f1f7d1b6a11';
    const hyphens = '`application` must be an id, which has only letters, digits and _. Remove the hyphens.';
    expectRefusal(await api.post('/v1/references', { application: uuid }), {
      ...invalid('application'),
      says: hyphens,
    });
    expectRefusal(await api.get(`/v1/references?application=${uuid}`), { ...invalid('application'), says: hyphens });
    const { body } = await good(api.post('/v1/references', { application: uuid.replaceAll('-', '') }));
    expect(body.application).toBe(uuid.replaceAll('-', ''));
    expectRefusal(await api.post('/v1/applications', { customers: ['a b'] }), {
      ...invalid('customers[0]'),
      says: '`customers[0]` must be an id, which has only letters, digits and _. Remove all other characters.',
    });
  });
});

test("accepts only a webhook endpoint's id when an event is resent", async () => {
  const event = (await good(api.get('/v1/events?limit=1'))).body.data[0].id as string;
  expectRefusal(
    await api.post(`/v1/events/${event}/resend`, { webhook_endpoint: 'cus_1' }),
    missingAt('webhook_endpoint', 'Send an existing id: `we_…`.'),
  );
});

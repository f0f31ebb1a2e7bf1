import { describe, expect, test } from 'vitest';
import type { Action, Resource } from '../../src/model/resource.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { copyNewestEvent, makeLargeCustomer } from '../support/large-records.ts';
import { unexplainedBy } from '../support/explained-by-events.ts';
import { receiverForTest } from '../support/receiver.ts';
import { rawRequest } from '../support/raw-http.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { apiClient, good, serverForTest, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { tablesWith } from '../support/tables.ts';
import { addAccount, firstAccountId } from '../support/tenants.ts';
import { TestClock } from '../support/clock.ts';
import { endpointFor } from '../webhooks/scenario.ts';
import { made, personIn, personKeptElsewhere, placesOf, words } from './scenario.ts';

type Body = ApiResponse['body'];

/*
 * Deleting a customer erases their data everywhere: records, events, logs, stored responses and attempts. The tests search the database for
 * words that occur nowhere else.
 */

describe('customer deletion', () => {
  test('erases the customer from records, files, events, logs, responses and attempts when the customer is deleted', async () => {
    const receiver = await receiverForTest((response) => response.end(receiver.received.at(-1)!.raw));
    const server = await serverForTest();
    const { api } = server;
    await endpointFor(api, receiver.url);
    const { customer, file } = await personIn(server);
    await everythingDelivered(api);
    for (const word of words) expect(await placesOf(server, word), word).not.toEqual([]);

    const { body } = await good(api.delete(`/v1/customers/${customer.id}`));
    expect(body).toStrictEqual({ id: customer.id, object: 'customer', deleted: true });
    for (const word of words) expect(await placesOf(server, word), word).toEqual([]);
    expectRefusal(await api.get(`/v1/files/${file.id}/contents`), refusals.idUnknown);
  });

  test("keeps ids, times, outcomes and other customers' data when a customer is deleted", async () => {
    const server = await serverForTest();
    const { api } = server;
    const { customer, references, other } = await personIn(server);
    const [finished, open] = references;
    const before = (await good(api.get('/v1/events?limit=50'))).body;
    const logsBefore = (await good(api.get('/v1/logs?limit=50'))).body;
    await good(api.delete(`/v1/customers/${customer.id}`));

    expect((await good(api.get(`/v1/customers/${customer.id}`))).body).toStrictEqual({
      id: customer.id,
      object: 'customer',
      deleted: true,
    });
    expect((await good(api.get('/v1/customers'))).body).toMatchObject({ count: 1, data: [other] });
    expect((await good(api.get(`/v1/references/${finished.id}`))).body).toMatchObject({
      customer: customer.id,
      status: 'complete',
      outcome: 'accept',
      completed_at: expect.any(Number),
      metadata: {},
      deleted: true,
    });
    expect((await good(api.get(`/v1/references/${open.id}`))).body).toMatchObject({
      status: 'canceled',
      deleted: true,
    });

    const after = (await good(api.get('/v1/events?limit=50'))).body;
    const kept = after.data.slice(-before.data.length);
    for (const [index, event] of kept.entries()) {
      const { id, type, created, request } = before.data[index];
      expect(event).toMatchObject({ id, type, created, request });
      expect(Object.keys(event.data.object)).toEqual(Object.keys(before.data[index].data.object));
      expect(Object.keys(event.data.previous_attributes ?? {})).toEqual(
        Object.keys(before.data[index].data.previous_attributes ?? {}),
      );
      if (event.data.object.id === other.id) expect(event).toStrictEqual(before.data[index]);
    }
    expect(
      after.data
        .slice(0, -before.data.length)
        .map(({ type }: Body) => type)
        .sort(),
    ).toEqual([
      'customer.deleted',
      'file.deleted',
      'reference.canceled',
      'reference.canceled',
      'reference.deleted',
      'reference.deleted',
      'reference.deleted',
      'reference.updated',
      'reference.updated',
    ]);
    const updated = after.data.filter(({ type }: Body) => type === 'reference.updated').slice(0, 2);
    for (const { data } of updated) {
      expect(data.object).toMatchObject({ status: 'canceled', deleted: true, metadata: {} });
      expect(data.previous_attributes).toEqual({ status: 'pending', deleted: null });
    }
    const logs = (await good(api.get('/v1/logs?limit=50'))).body.data.slice(-logsBefore.data.length);
    for (const [index, log] of logs.entries()) {
      const { id, path, status, events } = logsBefore.data[index];
      expect(log).toMatchObject({ id, path, status, events });
      if (path === '/v1/applications') expect(log.request_body).toContain('flat_12');
    }
  });

  test('keeps events that explain the state of every record when a customer is deleted', async () => {
    const { api } = await serverForTest({
      settings: { TENURE_SIMULATOR_SPEED: '80000' },
      works: true,
      unpinned: true,
    });
    const posted = async (path: string, body: unknown): Promise<Body> => (await good(api.post(path, body))).body;
    const customer = await posted('/v1/customers', { name: 'Zebedee Brown', metadata: { note: 'secretmeta' } });
    const application = await posted('/v1/applications', { customers: [customer.id] });
    const about = { application: application.id, customer: customer.id, metadata: { note: 'secretmeta', b: '1' } };
    const plain = await posted('/v1/references', about);
    await posted(`/v1/references/${plain.id}`, { status: 'processing', metadata: { b: '' } });
    const automatic = await posted('/v1/references', { ...about, automatic_reference: { provider: 'provider_a' } });
    const advanced = await posted(`/v1/test_helpers/references/${automatic.id}/advance`, {});
    expect(advanced.automatic_reference.status).toBe('invited');
    const completed = await posted('/v1/references', { ...about, automatic_reference: { provider: 'provider_a' } });
    await posted(`/v1/test_helpers/references/${completed.id}/complete`, {});
    const file = await posted('/v1/files', formOf({ 'metadata[note]': 'kept' }));
    await posted(`/v1/files/${file.id}`, { metadata: { note: 'changed' } });
    const endpoint = await posted('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/' });
    await posted(`/v1/webhook_endpoints/${endpoint.id}`, { enabled_events: ['customer.*'] });
    await posted(`/v1/webhook_endpoints/${endpoint.id}/roll_secret`, {});
    const key = await posted('/v1/api_keys', { type: 'restricted', permissions: ['events.read'] });
    await good(api.delete(`/v1/api_keys/${key.id}`));
    await posted('/v1/account', { name: 'Renamed' });
    const other = await posted('/v1/applications', { unit: 'flat_12' });
    for (const path of [`/v1/applications/${other.id}`, `/v1/webhook_endpoints/${endpoint.id}`, `/v1/files/${file.id}`])
      await good(api.delete(path));
    expect(await unexplainedBy(api.get)).toEqual([]);
    await good(api.delete(`/v1/customers/${customer.id}`));
    // The request to stop the simulated service changes the reference without an event.
    expect(await unexplainedBy(api.get)).toEqual([]);
    for (const { id } of [plain, automatic]) {
      const { data } = (await good(api.get(`/v1/events?object_id=${id}&limit=3`))).body;
      expect(data.map(({ type }: Body) => type)).toEqual([
        'reference.deleted',
        'reference.canceled',
        'reference.updated',
      ]);
      expect(JSON.stringify(data)).not.toContain('secretmeta');
    }
  });

  test('replays earlier responses without the erased data when their keys are repeated', async () => {
    const server = await serverForTest();
    const { customer } = await personIn(server);
    await good(server.api.delete(`/v1/customers/${customer.id}`));
    const body = { application: 'app_1', customer: customer.id, metadata: { note: 'secretmeta' } };
    const key = { 'idempotency-key': 'reference' };
    const again = await good(server.api.post('/v1/references?expand=customer', body, key));
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toMatchObject({ object: 'reference', metadata: {}, customer: { id: customer.id, email: null } });
  });

  test('refuses to change or check a customer when they are deleted, and adds no event to a second deletion', async () => {
    const server = await serverForTest();
    const { api } = server;
    const { customer, references } = await personIn(server);
    await good(api.delete(`/v1/customers/${customer.id}`));
    expectRefusal(await api.post(`/v1/customers/${customer.id}`, { name: 'Zebedee' }), refusals.idUnknown);
    for (const body of [{ outcome: 'high_risk' }, { metadata: { a: 'b' } }, { reference_pdf: 'file_1' }]) {
      expectRefusal(await api.post(`/v1/references/${references[0].id}`, body), refusals.transition);
    }
    const { count } = (await good(api.get('/v1/events'))).body;
    await good(api.delete(`/v1/customers/${customer.id}`));
    expect((await good(api.get('/v1/events'))).body.count).toBe(count);
    // No new reference can name the deleted customer either.
    const late = await api.post('/v1/references', { application: 'app_1', customer: customer.id });
    expectRefusal(late, { ...refusals.idUnknown, status: 400, param: 'customer', says: 'was deleted' });
  });

  test('returns 404 when another account deletes the customer', async () => {
    const server = await serverForTest();
    const { body: customer } = await good(server.api.post('/v1/customers', { name: 'Zebedee' }));
    const { body: branch } = await good(server.api.post('/v1/accounts', { name: 'Branch' }));
    const context = { 'service-context': branch.id };
    expectRefusal(await server.api.delete(`/v1/customers/${customer.id}`, context), refusals.idUnknown);
    expect((await good(server.api.get(`/v1/customers/${customer.id}`))).body.name).toBe('Zebedee');
  });
});

describe('deletions that erase nothing', () => {
  test.each(['customer of another system', 'unknown customer', 'reference', 'application', 'event'])(
    'erases nothing when the id is that of a(n) %s',
    async (kind) => {
      const server = await serverForTest();
      const { api } = server;
      const { reference, application, file } = await personKeptElsewhere(api);
      const ids: Record<string, string> = {
        'customer of another system': 'cus_crm7',
        'unknown customer': `cus_${reference.id.slice(4)}`,
        reference: reference.id,
        application: application.id,
        event: (await good(api.get('/v1/events?limit=1'))).body.data[0].id,
      };
      const before = await historyOf(api);
      expectRefusal(await api.delete(`/v1/customers/${ids[kind]}`), refusals.idUnknown);

      const after = await historyOf(api);
      expect(after.events).toStrictEqual(before.events);
      expect(after.logs.slice(1)).toStrictEqual(before.logs);
      expect(after.logs[0].response_body).toContain(ids[kind]);
      expect((await good(api.get(`/v1/references/${reference.id}`))).body).toStrictEqual(reference);
      expect((await good(api.get(`/v1/files/${file.id}/contents`))).text).toContain('findings');
    },
  );

  test('erases nothing when the eraser is asked to erase a person that was not deleted', async () => {
    const server = await serverForTest();
    const { api, context } = server;
    const { customer } = await personIn(server);
    const before = await historyOf(api);
    const { id: accountId } = (await good(api.get('/v1/account'))).body;
    for (const id of [customer.id, 'cus_crm7']) {
      await context.eraser.erasedNow(kindOf(context, 'customers'), accountId, id);
    }
    expect(await historyOf(api)).toStrictEqual(before);
  });
});

describe('erasure of a reference', () => {
  test("erases a reference's files, events and logs when another system keeps its person", async () => {
    const server = await serverForTest();
    const { api } = server;
    const { reference, application, file } = await personKeptElsewhere(api);
    const { body } = await good(api.post(`/v1/references/${reference.id}/erase`));
    const { id, customer, application: linked } = reference;
    const left = { id, customer, application: linked, status: 'canceled', metadata: {}, deleted: true };
    expect(body).toMatchObject(left);
    expect((await good(api.get(`/v1/references/${reference.id}`))).body).toMatchObject(left);
    for (const word of ['secretmeta', 'findings', 'zebedee.pdf']) {
      expect(await placesOf(server, word), word).toEqual([]);
    }
    expectRefusal(await api.get(`/v1/files/${file.id}`), refusals.idUnknown);
    expect((await good(api.get(`/v1/applications/${application.id}`))).body.references.by_status).toMatchObject({
      pending: 0,
      canceled: 1,
    });
  });

  test('keeps other references of the same person when one is erased', async () => {
    const server = await serverForTest();
    const { api } = server;
    const { reference, file } = await personKeptElsewhere(api);
    const second = await made(api, 'references', { application: 'app_1', customer: 'cus_crm7', metadata: { a: 'b' } });
    await good(api.post(`/v1/references/${second.id}`, { reference_pdf: file.id }));
    await good(api.post(`/v1/references/${reference.id}/erase`));
    expect((await good(api.get(`/v1/references/${second.id}`))).body).toMatchObject({
      status: 'pending',
      metadata: { a: 'b' },
    });
    // A joint report is kept until the last reference that names it is erased.
    await good(api.get(`/v1/files/${file.id}`));
    await good(api.post(`/v1/references/${second.id}/erase`));
    expectRefusal(await api.get(`/v1/files/${file.id}`), refusals.idUnknown);
  });

  test('adds no event when a reference is erased twice', async () => {
    const { api } = await serverForTest();
    const { reference } = await personKeptElsewhere(api);
    await good(api.post(`/v1/references/${reference.id}/erase`));
    const events = (await good(api.get('/v1/events'))).body.count;
    await good(api.post(`/v1/references/${reference.id}/erase`));
    expect((await good(api.get('/v1/events'))).body.count).toBe(events);
  });

  test('refuses updates and actions before their own rules apply when a record is about an erased person', async () => {
    const remark: Action = {
      summary: 'Add a remark',
      decide: (current) => ({ after: { ...current, metadata: { remark: 'late' } } }),
    };
    const withRemarks = (kind: Resource): Resource =>
      kind.path === 'references' ? { ...kind, delete: remark, actions: { ...kind.actions, remark } } : kind;
    const { api } = await serverForTest({
      changeContext: (context) => ({ ...context, resources: context.resources.map(withRemarks) }),
    });
    const { reference } = await personKeptElsewhere(api);
    const path = `/v1/references/${reference.id}`;
    await good(api.post(`${path}/remark`));
    const erased = (await good(api.post(`${path}/erase`))).body;

    for (const refused of [
      await api.post(`${path}/remark`),
      await api.delete(path),
      await api.post(path, { outcome: 'accept' }),
      await api.post(path, { metadata: { remark: 'late' } }),
      await api.post(`${path}/cancel`),
    ]) {
      expectRefusal(refused, {
        ...refusals.transition,
        says: `The reference ${reference.id} is canceled. Its person was erased, so it cannot be changed.`,
      });
    }
    expect((await good(api.get(path))).body).toStrictEqual(erased);
    expect((await good(api.post(`${path}/erase`))).body).toStrictEqual(erased);
  });

  test('refuses to erase a reference when the key may not delete its files', async () => {
    const { api, url } = await serverForTest();
    const { reference } = await personKeptElsewhere(api);
    const key = await made(api, 'api_keys', {
      type: 'restricted',
      permissions: ['references.write', 'customers.write'],
    });
    const restricted = apiClient(url, key.secret);
    expect(await restricted.post(`/v1/references/${reference.id}/erase`)).toMatchObject({
      status: 403,
      body: { error: { code: 'permission_denied', message: expect.stringContaining('files.write') } },
    });
    expect((await good(api.get(`/v1/references/${reference.id}`))).body).toStrictEqual(reference);
  });

  test('finishes an erasure in the next process when the first one was killed', async () => {
    const clock = new TestClock();
    const server = await serverForTest({
      overrides: { clock },
      changeContext: (context) => ({
        ...context,
        eraser: Object.assign(context.eraser, { erasedNow: async () => {} }),
      }),
    });
    const { reference, file } = await personKeptElsewhere(server.api);
    await good(server.api.post(`/v1/references/${reference.id}/erase`));
    expect(await placesOf(server, 'secretmeta')).not.toEqual([]);
    clock.advanceSeconds(61);
    await server.context.eraser.finish();
    expect(await placesOf(server, 'secretmeta')).toEqual([]);
    expectRefusal(await server.api.get(`/v1/files/${file.id}`), refusals.idUnknown);
  });
});

describe('traces of erased customers', () => {
  test('erases expanded customers from responses about other records when they are repeated', async () => {
    const server = await serverForTest();
    const { api } = server;
    const person = await made(api, 'customers', { name: 'Zebedee', email: 'zebedee@example.com' });
    const other = await made(api, 'customers', { name: 'Ada' });
    const application = await made(api, 'applications', { customers: [person.id, other.id], unit: 'flat_12' });
    // The request changes nothing, so it has no event.
    await good(api.post(`/v1/applications/${application.id}?expand=customers`, {}));
    const reference = await made(api, 'references', { application: application.id, customer: other.id });
    const path = `/v1/references/${reference.id}?expand=application.customers`;
    const ask = () => api.post(path, { metadata: { order: '17' } }, { 'idempotency-key': 'k' });
    expect((await good(ask())).text).toContain('Zebedee');
    await good(api.delete(`/v1/customers/${person.id}`));
    expect(await placesOf(server, 'ebedee')).toEqual([]);
    const again = await good(ask());
    expect([again.headers.get('idempotent-replayed'), again.text.includes('ebedee')]).toEqual(['true', false]);
    expect(again.body).toMatchObject({ metadata: { order: '17' }, application: { unit: 'flat_12' } });
    // Texts that other requests sent stay.
    expect(await placesOf(server, 'order')).not.toEqual([]);
  });

  test('erases logs when their path was spelt otherwise, or their request was refused with personal data', async () => {
    const server = await serverForTest();
    const { api } = server;
    const { id } = await made(api, 'customers', { name: 'Zebedee' });
    await good(api.post(`/v1/customers/${id.replace('_', '%5F')}`, {}));
    const absolute = `POST http://localhost/v1/customers/${id}`;
    const headers = ['Content-Type: application/json'];
    expect((await rawRequest(server, absolute, { headers, body: '{}' })).status).toBe(200);
    for (const refused of [
      await api.post(`/v1/customers/${id}?email=zebedee@example.com`, {}),
      await api.post(`/v1/customers/${id}`, { metadata: { 'Zebedee [work]': 'x' } }),
      await api.post('/v1/references', { application: 'app_1', customer: id, metadata: { note: 'Zebedee' }, typo: 1 }),
    ])
      expect(refused.status).toBe(400);
    expect((await placesOf(server, 'ebedee')).length).toBeGreaterThan(5);
    await good(api.delete(`/v1/customers/${id}`));
    expect(await placesOf(server, 'ebedee')).toEqual([]);
    const { data: logs } = (await good(api.get('/v1/logs?status=400'))).body;
    expect(logs.map(({ error }: Body) => error.code)).toEqual([
      'parameter_unknown',
      'parameter_invalid',
      'parameter_unknown',
    ]);
  });

  test('erases the logs of other accounts of a platform when their requests named the customer', async () => {
    const server = await serverForTest();
    const { api } = server;
    const { body: branch } = await good(api.post('/v1/accounts', { name: 'Branch' }));
    const { body: deepest } = await good(api.post('/v1/accounts', { name: 'Sub' }));
    const contexts = [{}, { 'service-context': branch.id }, { 'service-context': deepest.id }];
    const stranger = await addAccount(server);
    for (const [index, own] of contexts.entries()) {
      const { body: customer } = await good(api.post('/v1/customers', { name: 'Ada' }, own));
      const others = contexts.filter((_, other) => other !== index);
      for (const context of others) {
        const path = `/v1/customers/${customer.id}`;
        expectRefusal(await api.post(path, { email: 'zebedee@example.com' }, context), refusals.idUnknown);
        // The error quotes the unknown member.
        expect((await api.post(path, { Zebedee: 1 }, context)).status).toBe(400);
      }
      await stranger.api.post(`/v1/customers/${customer.id}`, { Quokka: 1 });
      expect(await tablesWith(server, 'ebedee')).toEqual(['request_logs']);
      await good(api.delete(`/v1/customers/${customer.id}`, own));
      expect(await tablesWith(server, 'ebedee')).toEqual([]);
    }
    expect(await tablesWith(server, 'Quokka')).toEqual(['request_logs']);
  });

  test('keeps no body of rejected requests when they name a person that was erased before', async () => {
    const server = await serverForTest();
    const { api } = server;
    const { customer, references, file } = await personIn(server);
    await good(api.delete(`/v1/customers/${customer.id}`));
    const { body: branch } = await good(api.post('/v1/accounts', { name: 'Branch' }));
    const metadata = { note: 'Wombat' };
    const rejected = await Promise.all([
      api.post(`/v1/customers/${customer.id}`, { name: 'Wombat' }),
      api.post(`/v1/customers/${customer.id}`, { name: 'Wombat', email: 'bad' }),
      api.post(`/v1/customers/${customer.id}`, { name: 'Wombat' }, { 'service-context': branch.id }),
      api.post('/v1/references', { application: 'app_1', customer: customer.id, metadata }),
      api.post('/v1/applications', { customers: [customer.id], metadata }),
      api.post('/v1/applications', { customers: [customer.id], metadata }, { 'service-context': branch.id }),
      api.post(`/v1/references/${references[0].id}`, { outcome: 'Wombat' }),
      api.post(`/v1/files/${file.id}`, { metadata }),
      api.post(`/v1/customers?customer=${customer.id}`, { name: 'Wombat' }),
    ]);
    expect(rejected.map(({ status }) => Math.floor(status / 100))).toEqual(rejected.map(() => 4));
    expect(await tablesWith(server, 'Wombat')).toEqual([]);
  });

  test('leaves no person in the logs of requests when their Idempotency-Key was another request’s', async () => {
    const server = await serverForTest();
    const { api } = server;
    const person = { name: 'Zebedee Brown' };
    const key = { 'idempotency-key': 'used by all' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.post('/v1/customers', person, key)));
    const reused = await api.post('/v1/customers', { ...person, phone: '1' }, key);
    expectRefusal(reused, refusals.idempotencyReused);
    const inUse = answers.filter(({ status }) => status === 409);
    expect(inUse.length).toBeGreaterThan(0);
    for (const answer of [...inUse, reused]) {
      const { body } = await good(api.get(`/v1/logs/${answer.headers.get('request-id')}`));
      expect(body).toMatchObject({ request_body: null, response_body: answer.text, idempotency_key: 'used by all' });
    }
    const { body: customer } = answers.find(({ status }) => status === 200)!;
    expect(await placesOf(server, 'ebedee')).not.toEqual([]);
    await good(api.delete(`/v1/customers/${customer.id}`));
    expect(await placesOf(server, 'ebedee')).toEqual([]);
  });

  test('erases later repeats, updates and references when they arrive after the deletion', async () => {
    const server = await serverForTest();
    const { api } = server;
    const { customer, references } = await personIn(server);
    await good(api.delete(`/v1/customers/${customer.id}`));
    const body = { application: 'app_1', customer: customer.id, metadata: { note: 'secretmeta' } };
    await good(api.post('/v1/references?expand=customer', body, { 'idempotency-key': 'reference' }));
    await api.post(`/v1/customers/${customer.id}`, { name: 'Zebedee' });
    await api.post(`/v1/references/${references[0].id}`, { metadata: { note: 'secretmeta' } });
    for (const word of words) expect(await placesOf(server, word), word).toEqual([]);
  });

  test('erases a replaced report, but keeps it when it is also about another person', async () => {
    const server = await serverForTest();
    const { api } = server;
    const person = await made(api, 'customers', { name: 'Zebedee' });
    const other = await made(api, 'customers', { name: 'Ada' });
    const upload = async (name: string): Promise<string> =>
      (await good(api.post('/v1/files', formOf({}, pdfOf('findings'), name)))).body.id;
    const [first, second, joint] = [
      await upload('Zebedee 1.pdf'),
      await upload('Zebedee 2.pdf'),
      await upload('both.pdf'),
    ];
    for (const [customer, files] of [
      [person.id, [first, second]],
      [person.id, [joint]],
      [other.id, [joint]],
    ] as const) {
      const { id } = await made(api, 'references', { application: 'app_1', customer });
      for (const file of files) await good(api.post(`/v1/references/${id}`, { reference_pdf: file }));
    }
    const { body: link } = await good(api.post(`/v1/files/${joint}/links`, {}));
    await good(api.delete(`/v1/customers/${person.id}`));
    // The link was given away for both persons.
    await expect.poll(async () => (await api.get(`/v1/file_links/${link.id}`)).body.status).toBe('revoked');
    const statuses = [first, second, joint].map(async (id) => (await api.get(`/v1/files/${id}`)).status);
    expect(await Promise.all(statuses)).toEqual([404, 404, 200]);
    expect(await placesOf(server, 'Zebedee')).toEqual([]);
    await good(api.delete(`/v1/customers/${other.id}`));
    expect((await api.get(`/v1/files/${joint}`)).status).toBe(404);
  });

  test('sends no erased data when a webhook is resent after the deletion', async () => {
    const receiver = await receiverForTest(500, 500, 200);
    const server = await serverForTest({ settings: { TENURE_RETRY_SCHEDULE: '1,1,1,1' } });
    const { api } = server;
    await endpointFor(api, receiver.url, { enabled_events: ['customer.created'] });
    const person = await made(api, 'customers', { name: 'Zebedee' });
    await receiver.count(1);
    await good(api.delete(`/v1/customers/${person.id}`));
    const sent = await receiver.count(3);
    expect(sent[0]!.body.data.object.name).toBe('Zebedee');
    expect(sent.at(-1)!.body.data.object).toMatchObject({ id: person.id, name: '[erased]', email: null });
  });

  test('replays an erased request when its key is repeated, and does not take it for another request', async () => {
    const server = await serverForTest();
    const { customer } = await personIn(server);
    await good(server.api.delete(`/v1/customers/${customer.id}`));
    const { body } = await good(server.api.get('/v1/account/api_version/preview'));
    expect(body.requests).toMatchObject({ different: 0, data: [] });
  });
});

describe('large histories', () => {
  test('erases a few megabytes at a time when the history is long', async () => {
    const own = await serverForTest();
    const customer = await makeLargeCustomer(own.api);
    const ids = await copyNewestEvent(own.connection, await firstAccountId(own), 30);
    const { listers } = own.context.database;
    const pagesBytes: number[] = [];
    const query = listers.query.bind(listers) as (...asked: unknown[]) => Promise<{ rows: { data?: string }[] }>;
    listers.query = (async (...asked: unknown[]) => {
      const result = await query(...asked);
      pagesBytes.push(result.rows.reduce((sum, { data }) => sum + Buffer.byteLength(data ?? ''), 0));
      return result;
    }) as typeof listers.query;
    await good(own.api.delete(`/v1/customers/${customer}`));
    await expect.poll(() => own.context.eraser.bytes.held).toBe(0);
    expect(Math.max(...pagesBytes)).toBeLessThan(5_000_000);
    expect(pagesBytes.reduce((sum, bytes) => sum + bytes)).toBeGreaterThan(30 * 450_000);
    const rows = await query('select id, data from events where id = any($1)', [ids]);
    for (const row of rows.rows) expect(row.data!.length).toBeLessThan(1_000);
  });

  test('finds the events and the logs of a person once when they need many pages', async () => {
    const own = await serverForTest();
    const { id } = await made(own.api, 'customers', { name: 'Zebedee' });
    for (let at = 0; at < 10; at++) {
      const update = (index: number) => own.api.post(`/v1/customers/${id}`, { name: `Zebedee ${at} ${index}` });
      for (const answer of await Promise.all(Array.from({ length: 50 }, (_, index) => update(index))))
        expect(answer.status).toBe(200);
    }
    const { listers } = own.context.database;
    const statements: string[] = [];
    const query = listers.query.bind(listers) as (statement: string | { text: string }, ...more: unknown[]) => unknown;
    listers.query = ((statement: string | { text: string }, ...more: unknown[]) => {
      statements.push((typeof statement === 'string' ? statement : statement.text).trim().replaceAll(/\s+/g, ' '));
      return query(statement, ...more);
    }) as typeof listers.query;
    await good(own.api.delete(`/v1/customers/${id}`));
    await expect.poll(() => own.context.eraser.bytes.held).toBe(0);
    const count = (text: string) => statements.filter((statement) => statement.startsWith(text)).length;
    expect(count('update events event')).toBeGreaterThanOrEqual(3);
    expect(count('update request_logs log')).toBeGreaterThanOrEqual(3);
    const found = [
      count('select distinct event.id'),
      count('with found as materialized ( select id from request_logs'),
    ];
    expect(found).toEqual([1, 1]);
    expect(await placesOf(own, 'Zebedee')).toEqual([]);
  });
});

async function historyOf(api: Api): Promise<{ events: Body[]; logs: Body[] }> {
  const events = (await good(api.get('/v1/events?limit=50'))).body.data;
  return { events, logs: (await good(api.get('/v1/logs?limit=50'))).body.data };
}

function kindOf({ resources }: TestServer['context'], path: string): Resource {
  return resources.find((resource) => resource.path === path)!;
}

async function everythingDelivered(api: Api): Promise<void> {
  await expect
    .poll(async () => {
      const { body } = await api.get('/v1/webhook_endpoints');
      const { body: deliveries } = await api.get(`/v1/webhook_endpoints/${body.data[0].id}/deliveries?limit=50`);
      return deliveries.data.every(({ status }: Body) => status === 'delivered');
    })
    .toBe(true);
}

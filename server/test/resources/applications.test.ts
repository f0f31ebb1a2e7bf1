import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findKnown } from '../../src/core/arrays.ts';
import type { Fields } from '../../src/model/record.ts';
import { resources } from '../../src/resources/index.ts';
import { formOf } from '../support/files.ts';
import { allOf } from '../support/paging.ts';
import { expectRefusal, invalid, refusals, unknown } from '../support/refusals.ts';
import { good, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { expectShape } from '../support/shapes.ts';
import { laterThanNow } from '../support/later-than-now.ts';

type Body = ApiResponse['body'];

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

const noReferences = {
  total: 0,
  by_status: { pending: 0, processing: 0, complete: 0, canceled: 0 },
  by_outcome: { accept: 0, consider: 0, high_risk: 0 },
  result: null,
};

/** Returns the fields of a kind of record. */
function fieldsOf(kind: string): Fields {
  return findKnown(resources, ({ object }) => object === kind).fields;
}

/** What a new application says of its decision and its tenancy. */
const undecided = {
  status: 'open',
  decision: null,
  review: null,
  guarantors: [],
  tenancy: null,
  checks: [],
  approved_at: null,
  rejected_at: null,
  withdrawn_at: null,
  converted_at: null,
};

describe('applications', () => {
  test('counts each status and each outcome that a reference can have', () => {
    const { status, outcome } = fieldsOf('reference');
    expect(fieldsOf('application').references!.schema).toMatchObject({
      properties: {
        by_status: { required: Object(status!.schema).enum },
        by_outcome: { required: Object(outcome!.schema).enum.filter((value: string | null) => value !== null) },
        result: { enum: Object(outcome!.schema).enum },
      },
    });
  });

  test('returns the whole application when it is created with all members, with none or with null', async () => {
    const madeNow = laterThanNow();
    const body = {
      customers: ['cus_in_a_crm', 'cus_2'],
      unit: 'flat_12',
      rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
      move_in_date: '2027-01-31',
      metadata: { branch: 'Leeds' },
    };
    const application = await make('applications', body);
    expect(application).toStrictEqual({
      id: expect.stringMatching(/^app_[0-9A-Za-z]{22}$/),
      object: 'application',
      created: madeNow,
      ...body,
      ...undecided,
      references: noReferences,
    });
    expectShape('application', application);
    const empty = await make('applications', {});
    expectShape('application', empty);
    const nulls = { customers: null, unit: null, rent: null, move_in_date: null };
    const { id: _, created: __, ...rest } = await make('applications', nulls);
    expect(rest).toStrictEqual({
      object: 'application',
      ...nulls,
      customers: [],
      ...undecided,
      references: noReferences,
      metadata: {},
    });
  });

  test('changes single fields, and clears those sent as null when an application is updated', async () => {
    const body = { customers: ['cus_1'], unit: 'flat_12', move_in_date: '2027-01-31' };
    const { id, ...before } = await make('applications', body);
    const rent = { amount: 100, currency: 'eur', interval: 'week' };
    const changed = (await good(api.post(`/v1/applications/${id}`, { rent, unit: null }))).body;
    expect(changed).toStrictEqual({ id, ...before, rent, unit: null });
    const cleared = (await good(api.post(`/v1/applications/${id}`, { customers: null, rent: null }))).body;
    expect(cleared).toStrictEqual({ id, ...before, unit: null, customers: [], rent: null });
  });

  test.each<[object, Parameters<typeof expectRefusal>[1]]>([
    [{ customers: 'cus_1' }, invalid('customers')],
    [{ customers: ['cus_1', 'cus-2'] }, invalid('customers[1]')],
    [{ customers: ['cus_1', 'cus_1'] }, invalid('customers')],
    [{ customers: Array.from({ length: 51 }, (_, index) => `cus_${index}`) }, invalid('customers')],
    [{ rent: { amount: 1.5, currency: 'gbp', interval: 'month' } }, invalid('rent[amount]')],
    [{ rent: { amount: 1, currency: 'GBP', interval: 'month' } }, invalid('rent[currency]')],
    [{ rent: { amount: 1, currency: 'abc', interval: 'month' } }, { ...invalid('rent[currency]'), says: 'ISO 4217' }],
    [{ rent: { amount: 1, currency: 'xxx', interval: 'month' } }, invalid('rent[currency]')],
    [{ rent: { amount: 1, currency: 'gbp', interval: 'day' } }, invalid('rent[interval]')],
    [{ move_in_date: '2027-02-30' }, invalid('move_in_date')],
    [{ references: {} }, unknown('references')],
    [{ reference_counts: {} }, unknown('reference_counts')],
  ])('refuses an application when the body is %j', async (body, refusal) => {
    expectRefusal(await api.post('/v1/applications', body), refusal);
  });

  test('finds applications when they are filtered by customer and unit', async () => {
    const both = await make('applications', { customers: ['cus_a', 'cus_b'], unit: 'unit_a' });
    const one = await make('applications', { customers: ['cus_b'], unit: 'unit_b' });
    expect(await allOf(api, '/v1/applications', { customer: 'cus_b' })).toStrictEqual([one, both]);
    expect(await allOf(api, '/v1/applications', { customer: 'cus_a' })).toStrictEqual([both]);
    expect(await allOf(api, '/v1/applications', { unit: 'unit_b' })).toStrictEqual([one]);
    expect(await allOf(api, '/v1/applications', { unit: 'unit_b', customer: 'cus_a' })).toStrictEqual([]);
  });

  test('refuses a rent amount when it is not exactly a whole number', async () => {
    for (const amount of ['100.0000000000000000001', '99.99999999999999999999', '1e-400', '1e400']) {
      const answer = await api.post(
        '/v1/applications',
        `{"rent":{"amount":${amount},"currency":"gbp","interval":"month"}}`,
      );
      expectRefusal(answer, { ...invalid('rent[amount]'), says: 'a whole number from 0 to 9999999999' });
    }
    const exact = `{"rent":{"amount":950.00e2,"currency":"gbp","interval":"month"}}`;
    expect((await good(api.post('/v1/applications', exact))).body.rent.amount).toBe(95_000);
  });

  test('keeps an invalid stored currency when an update sends other members', async () => {
    const { id } = await make('applications', { rent: { amount: 1, currency: 'gbp', interval: 'month' } });
    const rent = { amount: 1, currency: 'abc', interval: 'month' };
    await server.context.database.readers.query('update applications set rent = $1 where id = $2', [
      JSON.stringify(rent),
      id,
    ]);
    const { body } = await good(api.post(`/v1/applications/${id}`, { unit: 'flat_1' }));
    expect(body).toMatchObject({ rent, unit: 'flat_1' });
  });

  test('removes an application for good when it is deleted', async () => {
    const { id } = await make('applications', {});
    const early = await make('references', { application: id });
    expect((await good(api.delete(`/v1/applications/${id}`))).body).toStrictEqual({
      id,
      object: 'application',
      deleted: true,
    });
    expectRefusal(await api.get(`/v1/applications/${id}`), refusals.idUnknown);
    // The references of the application still work. Their link now leads to no record.
    const { body } = await good(api.post(`/v1/references/${early.id}?expand=application`, { outcome: 'accept' }));
    expect([body.status, body.application]).toEqual(['complete', id]);
  });

  test('expands an application and its customers when a reference is requested with expand', async () => {
    const person = await make('customers', { name: 'Ada' });
    const application = await make('applications', { customers: [person.id, 'cus_in_a_crm'] });
    const path = '/v1/references?expand=application.customers';
    const { body } = await good(api.post(path, { application: application.id }));
    const references = { ...noReferences, total: 1, by_status: { ...noReferences.by_status, pending: 1 } };
    // The response shows the application after the request, so it counts the new reference.
    expect(body.application).toStrictEqual({ ...application, customers: [person, 'cus_in_a_crm'], references });
    const read = await good(api.get(`/v1/references/${body.id}?expand=application.customers`));
    expect(read.body).toStrictEqual(body);
  });
});

describe('application roll-up', () => {
  test('follows every reference, and gives no result when one reference is still open', async () => {
    const application = await make('applications', {});
    const [lead, joint] = [await referenceFor(application), await referenceFor(application)];
    expect(await rollUp(application)).toMatchObject({ total: 2, by_status: { pending: 2 }, result: null });
    await good(api.post(`/v1/references/${joint.id}`, { outcome: 'high_risk' }));
    expect(await rollUp(application)).toStrictEqual({
      total: 2,
      by_status: { pending: 1, processing: 0, complete: 1, canceled: 0 },
      by_outcome: { accept: 0, consider: 0, high_risk: 1 },
      result: null,
    });
    await good(api.post(`/v1/references/${lead.id}`, { status: 'processing', outcome: 'accept' }));
    // An outcome counts only when the reference is complete.
    expect(await rollUp(application)).toMatchObject({
      by_status: { processing: 1 },
      by_outcome: { accept: 0 },
      result: null,
    });
    await good(api.post(`/v1/references/${lead.id}`, { outcome: 'accept' }));
    expect(await rollUp(application)).toMatchObject({ by_status: { complete: 2 }, result: 'high_risk' });
    await good(api.post(`/v1/references/${joint.id}`, { outcome: 'consider' }));
    expect(await rollUp(application)).toMatchObject({ by_outcome: { accept: 1, consider: 1 }, result: 'consider' });
  });

  test('leaves canceled references out of the result when an application has some', async () => {
    const application = await make('applications', {});
    const [one, other] = [await referenceFor(application), await referenceFor(application)];
    await good(api.post(`/v1/references/${one.id}/cancel`));
    expect(await rollUp(application)).toMatchObject({ by_status: { pending: 1, canceled: 1 }, result: null });
    await good(api.post(`/v1/references/${other.id}/cancel`));
    expect(await rollUp(application)).toMatchObject({ total: 2, by_status: { canceled: 2 }, result: null });
    const third = await referenceFor(application);
    await good(api.post(`/v1/references/${third.id}`, { outcome: 'accept' }));
    expect(await rollUp(application)).toMatchObject({ total: 3, result: 'accept' });
  });

  test('adds an event of the application when a request changes its references', async () => {
    const application = await make('applications', {});
    const { headers, body: reference } = await good(api.post('/v1/references', { application: application.id }));
    const { body: log } = await good(api.get(`/v1/logs/${headers.get('request-id')}`));
    const types = await Promise.all(
      log.events.map(async (id: string) => (await api.get(`/v1/events/${id}`)).body.type),
    );
    expect(types).toEqual(['reference.created', 'application.updated']);
    const { body: event } = await good(api.get(`/v1/events/${log.events[1]}`));
    expect(event.data.previous_attributes).toStrictEqual({ references: { total: 0, by_status: { pending: 0 } } });
    expect(event.request.id).toBe(headers.get('request-id'));
    // Metadata of a reference does not change its application.
    await good(api.post(`/v1/references/${reference.id}`, { metadata: { a: '1' } }));
    expect((await api.get(`/v1/events?object_id=${application.id}`)).body.count).toBe(2);
  });
});

describe('erased customers of an application', () => {
  test('keeps the id of an erased customer in an application when the customer is deleted', async () => {
    const person = await make('customers', { name: 'Ada' });
    const application = await make('applications', { customers: [person.id] });
    const file = (await good(api.post('/v1/files', formOf()))).body;
    const reference = await make('references', { application: application.id, customer: person.id });
    await good(api.post(`/v1/references/${reference.id}`, { reference_pdf: file.id }));
    await good(api.delete(`/v1/customers/${person.id}`));
    const { body } = await good(api.get(`/v1/applications/${application.id}?expand=customers`));
    expect(body.customers).toStrictEqual([{ id: person.id, object: 'customer', deleted: true }]);
    // The deletion has canceled the open reference.
    expect(body.references).toMatchObject({ total: 1, by_status: { canceled: 1 } });
  });
});

async function make(path: string, body: object): Promise<Body> {
  return (await good(api.post(`/v1/${path}`, body))).body;
}

function referenceFor(application: Body): Promise<Body> {
  return make('references', { application: application.id });
}

async function rollUp({ id }: Body): Promise<Body> {
  return (await good(api.get(`/v1/applications/${id}`))).body.references;
}

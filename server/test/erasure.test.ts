import { describe, expect, test } from 'vitest';
import { formOf, pdfOf } from './support/files.ts';
import { receiverForTest } from './support/receiver.ts';
import { expectRefusal, refusals } from './support/refusals.ts';
import { good, serverForTest, type Api, type ApiResponse, type TestServer } from './support/server.ts';
import { inVersion, versions } from './support/versions.ts';
import { TestClock } from './support/clock.ts';
import { endpointFor } from './webhooks/scenario.ts';

type Body = ApiResponse['body'];

/*
 * Whoever is erased is in nothing that is kept: not in the records about them, nor in what was written when they were there. What is
 * looked for are words that nothing else here has.
 */

const words = ['Zebedee', 'zebedee@', '07700900123', '1988-07-06', 'Quokka', 'secretmeta', 'findings', 'zebedee.pdf'];

/** As much as there can be of one person. */
async function personIn({ api }: TestServer): Promise<{ customer: Body; references: Body[]; file: Body; other: Body }> {
  const key = { 'idempotency-key': 'made once' };
  const whole = {
    name: 'Zebedee Brown',
    email: 'zebedee@example.com',
    phone: '07700900123',
    date_of_birth: '1988-07-06',
    addresses: [{ line1: '1 Quokka Street', city: 'Leeds', postal_code: 'LS1 4AP', country: 'GB' }],
    metadata: { note: 'secretmeta' },
  };
  const customer = (await good(api.post('/v1/customers', whole, key))).body;
  await good(api.post('/v1/customers', whole, key));
  await good(api.post(`/v1/customers/${customer.id}`, { phone: null }));
  await good(api.post(`/v1/customers/${customer.id}`, { name: 'Zebedee Brown', addresses: null }));
  expectRefusal(await api.post(`/v1/customers/${customer.id}`, { name: 'Zebedee', shoe: 'Quokka' }), {
    ...refusals.idUnknown,
    status: 400,
    code: 'parameter_unknown',
    param: 'shoe',
  });
  const other = (await good(api.post('/v1/customers', { name: 'Ada' }))).body;
  const body = { application: 'app_1', customer: customer.id, metadata: { note: 'secretmeta' } };
  const oldest = inVersion(versions.at(-1)!);
  const references = [
    (await good(api.post('/v1/references?expand=customer', body))).body,
    (await good(api.post('/v1/references?expand=customer', body, oldest))).body,
  ];
  await good(api.post('/v1/references?expand=customer', body, { 'idempotency-key': 'reference' }));
  const form = formOf({ 'metadata[note]': 'secretmeta' }, pdfOf('findings'), 'zebedee.pdf');
  const file = (await good(api.post('/v1/files', form))).body;
  await good(api.post(`/v1/references/${references[0].id}`, { reference_pdf: file.id, outcome: 'accept' }));
  await good(api.post('/v1/applications', { customers: [customer.id, other.id], unit: 'flat_12' }));
  return { customer, references, file, other };
}

describe('a person who is deleted', () => {
  test('is in nothing any more: records, files, events, logs, answers, what receivers answered', async () => {
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

  test('leaves ids, times and outcomes, and all that is about others', async () => {
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
    ]);
    const logs = (await good(api.get('/v1/logs?limit=50'))).body.data.slice(-logsBefore.data.length);
    for (const [index, log] of logs.entries()) {
      const { id, path, status, events } = logsBefore.data[index];
      expect(log).toMatchObject({ id, path, status, events });
      if (path === '/v1/applications') expect(log.request_body).toContain('flat_12');
    }
  });

  test('is repeated without what was erased to whoever has the key of an earlier request', async () => {
    const server = await serverForTest();
    const { customer } = await personIn(server);
    await good(server.api.delete(`/v1/customers/${customer.id}`));
    const body = { application: 'app_1', customer: customer.id, metadata: { note: 'secretmeta' } };
    const key = { 'idempotency-key': 'reference' };
    const again = await good(server.api.post('/v1/references?expand=customer', body, key));
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toMatchObject({ object: 'reference', metadata: {}, customer: { id: customer.id, email: null } });
  });

  test('cannot be changed, checked again, or deleted twice with another event', async () => {
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
    const { body: later } = await good(
      api.post('/v1/references?expand=customer', { application: 'app_1', customer: customer.id }),
    );
    expect(later.customer).toStrictEqual({ id: customer.id, object: 'customer', deleted: true });
  });

  test('is nobody else’s to delete', async () => {
    const server = await serverForTest();
    const { body: customer } = await good(server.api.post('/v1/customers', { name: 'Zebedee' }));
    const { body: branch } = await good(server.api.post('/v1/accounts', { name: 'Branch' }));
    const context = { 'service-context': branch.id };
    expectRefusal(await server.api.delete(`/v1/customers/${customer.id}`, context), refusals.idUnknown);
    expect((await good(server.api.get(`/v1/customers/${customer.id}`))).body.name).toBe('Zebedee');
  });
});

describe('an erasure that was cut off', () => {
  test('is finished by the next process, and what a slow request wrote late is erased too', async () => {
    const clock = new TestClock();
    const server = await serverForTest({
      overrides: { clock },
      // As if the process ended right after the commit.
      changeContext: (context) => ({
        ...context,
        eraser: Object.assign(context.eraser, { erasedNow: async () => {} }),
      }),
    });
    const { customer, references } = await personIn(server);
    await good(server.api.delete(`/v1/customers/${customer.id}`));
    expect(await placesOf(server, 'secretmeta')).not.toEqual([]);
    await server.context.eraser.finish();
    // It is too early: somebody may still be writing.
    expect(await placesOf(server, 'secretmeta')).not.toEqual([]);
    clock.advanceSeconds(61);
    await server.context.eraser.finish();
    for (const word of words) expect(await placesOf(server, word), word).toEqual([]);
    expect((await good(server.api.get(`/v1/references/${references[0].id}`))).body.deleted).toBe(true);
  });
});

/** Where the word is kept: each table and column that has it. */
async function placesOf({ context }: TestServer, word: string): Promise<string[]> {
  const { readers } = context.database;
  const { rows: columns } = await readers.query<{ name: string; column: string; type: string }>(`
    select table_name as name, column_name as column, data_type as type
    from information_schema.columns
    where table_schema = 'public' and data_type in ('text', 'ARRAY', 'bytea')
    order by 1, 2`);
  const places: string[] = [];
  for (const { name, column, type } of columns) {
    const bytes = type === 'bytea' ? column : `convert_to(${column}::text, 'UTF8')`;
    const { rows } = await readers.query<{ found: boolean }>(
      `select exists (select from ${name} where position(convert_to($1, 'UTF8') in ${bytes}) > 0) as found`,
      [word],
    );
    if (rows[0]!.found) places.push(`${name}.${column}`);
  }
  return places;
}

async function everythingDelivered(api: Api): Promise<void> {
  await expect
    .poll(
      async () => {
        const { body } = await api.get('/v1/webhook_endpoints');
        const { body: deliveries } = await api.get(`/v1/webhook_endpoints/${body.data[0].id}/deliveries?limit=50`);
        return deliveries.data.every(({ status }: Body) => status === 'delivered');
      },
      { timeout: 15_000 },
    )
    .toBe(true);
}

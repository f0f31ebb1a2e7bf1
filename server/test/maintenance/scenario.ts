import { onTestFinished } from 'vitest';
import type { TestClock } from '../support/clock.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import {
  createTestDatabase,
  good,
  serverForTest,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { inVersion, versions } from '../support/versions.ts';

type Body = ApiResponse['body'];

/** Personal data of `personIn`. The words occur nowhere else in the database. */
export const words = [
  'Zebedee',
  'zebedee@',
  '07700900123',
  '1988-07-06',
  'Quokka',
  'secretmeta',
  'findings',
  'zebedee.pdf',
];

/** As much data as one person can have. */
export async function personIn({
  api,
}: TestServer): Promise<{ customer: Body; references: Body[]; file: Body; other: Body }> {
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

/** Creates a reference about a person of the account's own system, with a report. */
export async function personKeptElsewhere(api: Api): Promise<{ reference: Body; application: Body; file: Body }> {
  const application = await made(api, 'applications', {});
  const body = { application: application.id, customer: 'cus_crm7', metadata: { note: 'secretmeta' } };
  const { id } = await made(api, 'references', body);
  const file = (await good(api.post('/v1/files', formOf({}, pdfOf('findings'), 'zebedee.pdf')))).body;
  const reference = (await good(api.post(`/v1/references/${id}`, { reference_pdf: file.id }))).body;
  return { reference, application, file };
}

export async function made(api: Api, path: string, body: object): Promise<Body> {
  return (await good(api.post(`/v1/${path}`, body))).body;
}

/** Returns each table and column that has the word. */
export async function placesOf({ context }: TestServer, word: string): Promise<string[]> {
  const { readers } = context.database;
  const { rows: columns } = await readers.query<{ name: string; column: string; type: string }>(`
    select table_name as name, column_name as column, data_type as type
    from information_schema.columns
    where table_schema = 'public' and data_type in ('text', 'ARRAY', 'bytea')
    order by 1, 2`);
  const places: string[] = [];
  for (const { name, column, type } of columns) {
    // A column can have the name of a keyword, such as "limit".
    const bytes = type === 'bytea' ? `"${column}"` : `convert_to("${column}"::text, 'UTF8')`;
    const { rows } = await readers.query<{ found: boolean }>(
      `select exists (select from ${name} where position(convert_to($1, 'UTF8') in ${bytes}) > 0) as found`,
      [word],
    );
    if (rows[0]!.found) places.push(`${name}.${column}`);
  }
  return places;
}

/** A server that loses its database when an erasure begins, until the promise that `back` then returns. */
export async function serverWhoseErasuresLose(back: () => Promise<void>, clock?: TestClock): Promise<TestServer> {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const proxy = await startDatabaseProxy(database.connection);
  onTestFinished(() => proxy.stop());
  return serverForTest({
    connection: proxy.connection,
    ...(clock && { overrides: { clock } }),
    changeContext(context) {
      const eraser = context.eraser;
      const erasedNow = eraser.erasedNow.bind(eraser);
      const losing: typeof erasedNow = async (...erasure) => {
        proxy.close();
        void back().then(() => proxy.open());
        await erasedNow(...erasure);
      };
      return { ...context, eraser: Object.assign(eraser, { erasedNow: losing }) };
    },
  });
}

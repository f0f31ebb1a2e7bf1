import { expect, onTestFinished, test, vi } from 'vitest';
import { largestSizes } from '../../src/db/pool-sizes.ts';
import { Agency, dawn, lettingClock, startDay } from '../letting/agency.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { copySmallEvent } from '../support/large-records.ts';
import { Scrape } from '../support/prometheus.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { good, serverForTest } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';

/* `GET /v1/customers/{id}/erasure` tells what the deletion will do. Each test then deletes, and compares. */

test('tells what prevents an erasure, what goes and what is kept, when the erasure then does the same', async () => {
  const server = await serverForTest({ overrides: { clock: lettingClock() } });
  const agency = await Agency.on(server);
  const upload = async (name: string, fields: Record<string, string> = {}): Promise<string> =>
    (await good(agency.api.post('/v1/files', formOf(fields, pdfOf(name), `${name}.pdf`)))).body.id;
  const [evidence, agreement, report, shared] = [
    await upload('evidence'),
    await upload('agreement'),
    await upload('report'),
    await upload('shared'),
  ];
  const right = { status: 'unlimited', checked_on: '2026-12-01', files: [evidence, shared] };
  const { id } = await agency.make('customers', { name: 'Zebedee', right_to_rent: right });
  await agency.make('customers', { name: 'Bo', right_to_rent: { ...right, files: [shared] } });
  const { id: reference } = await agency.make('references', { application: 'app_1', customer: id });
  await good(agency.api.post(`/v1/references/${reference}`, { reference_pdf: report }));
  const payslip = await upload('payslip', { reference });
  const { id: tenancy } = await agency.signed((await agency.unit()).id, {
    customers: [id],
    start_date: startDay,
    agreement,
  });
  await dawn(server);
  const line = { type: 'utility', description: 'Water', amount: 7_777 };
  await agency.make('invoices', { tenancy, lines: [line], due_on: startDay, finalize: true });
  const preview = async () => (await good(agency.api.get(`/v1/customers/${id}/erasure`))).body;

  expect((await preview()).prevented_by).toEqual([
    { record: tenancy, reason: `It is a tenant of ${tenancy}: end or cancel this tenancy first.` },
    {
      record: tenancy,
      reason: `The balance of ${tenancy} is 7777: record the payments, or credit the invoices, first.`,
    },
  ]);
  await agency.make('payments', { tenancy, amount: 7_777, method: 'cash' });
  await agency.move('tenancies', tenancy, 'end', { ended_on: startDay, reason: 'surrender' });
  const told = await preview();
  expect(told).toEqual({
    object: 'erasure_preview',
    customer: id,
    prevented_by: [],
    erased: [
      { object: 'reference', number: 1 },
      { object: 'file', number: 4 },
    ],
    emptied: [
      { object: 'tenancy', number: 1 },
      { object: 'payment', number: 1 },
    ],
    holds: [
      {
        kind: 'right_to_rent',
        basis: expect.stringContaining('Immigration Act'),
        until: '2028-01-04',
        files: [evidence, shared],
      },
      { kind: 'accounts', basis: expect.stringContaining('Companies Act'), until: '2033-03-31', files: [agreement] },
    ],
  });
  expect(await agency.get('customers', id)).toMatchObject({ name: 'Zebedee' });

  await good(agency.api.delete(`/v1/customers/${id}`));

  const { data } = (await good(agency.api.get(`/v1/retention_holds?customer=${id}`))).body;
  const made = (data as Record<string, unknown>[]).map(({ kind, basis, until, files }) => ({
    kind,
    basis,
    until,
    files,
  }));
  expect(made.toReversed()).toEqual(told.holds);
  for (const file of [evidence, agreement, report, payslip])
    expectRefusal(await agency.api.get(`/v1/files/${file}`), refusals.idUnknown);
  await good(agency.api.get(`/v1/files/${shared}`));
  expectRefusal(await agency.api.get(`/v1/customers/${id}/erasure`), refusals.idUnknown);
});

test('tells that nothing is kept when the person had no let', async () => {
  const server = await serverForTest();
  const agency = await Agency.on(server);
  const { id } = await agency.make('customers', { name: 'Zebedee' });
  expect((await good(agency.api.get(`/v1/customers/${id}/erasure`))).body).toEqual({
    object: 'erasure_preview',
    customer: id,
    prevented_by: [],
    erased: [],
    emptied: [],
    holds: [],
  });
});

test('leaves connections to other accounts when one asks for many previews at once', async () => {
  const server = await serverForTest();
  const [first, second] = [await addAccount(server), await addAccount(server)];
  const { id } = (await good(first.api.post('/v1/customers', { name: 'Zebedee' }))).body;
  const { id: other } = (await good(second.api.post('/v1/customers', { name: 'Bo' }))).body;
  const blocker = await server.context.database.listers.connect();
  onTestFinished(() => blocker.release(true));
  await blocker.query('begin');
  await blocker.query('lock table deposits in access exclusive mode');
  const previews = Array.from({ length: 2 * largestSizes.readers }, () =>
    good(first.api.get(`/v1/customers/${id}/erasure`)),
  );
  const waiting = async (): Promise<number> =>
    (await blocker.query(`select from pg_locks where not granted and relation = 'deposits'::regclass`)).rowCount!;
  const inFlight = async (): Promise<number> =>
    new Scrape(await server.context.metrics.text()).value('tenure_http_requests_in_flight')!;
  await expect.poll(inFlight).toBe(previews.length);
  await expect.poll(waiting).toBeGreaterThan(0);

  await good(second.api.get(`/v1/customers/${other}`));
  // The reads of one preview.
  expect(await waiting()).toBeLessThanOrEqual(3);
  await blocker.query('commit');
  await Promise.all(previews);
});

test('reads no events of references, and follows each record once, when a person has many references', async () => {
  const server = await serverForTest();
  const { api, accountId } = await addAccount(server);
  const { id } = (await good(api.post('/v1/customers', { name: 'Zebedee' }))).body;
  await good(api.post('/v1/applications', { customers: [id] }));
  await good(api.post('/v1/references', { application: 'app_1', customer: id }));
  await copySmallEvent(server.connection, accountId, 1_000);
  const query = vi.spyOn(server.context.database.listers, 'query');
  const { emptied } = (await good(api.get(`/v1/customers/${id}/erasure`))).body;
  expect(emptied).toEqual([{ object: 'application', number: 1 }]);
  const followed = query.mock.calls
    .map(([text, values]) => ({ text: textOf(text), ids: (values as unknown as unknown[] | undefined)?.[1] }))
    .filter(({ text }) => text.includes('as bytes_so_far'))
    .map(({ ids }) => ids as string[]);
  expect(followed).toHaveLength(2);
  expect(new Set(followed.flat()).size).toBe(followed.flat().length);
});

test('looks each id up in the index of events when a person has many references', async () => {
  const server = await serverForTest();
  const { api, accountId } = await addAccount(server);
  const { id } = (await good(api.post('/v1/customers', { name: 'Zebedee' }))).body;
  const { id: reference } = (await good(api.post('/v1/references', { application: 'app_1', customer: id }))).body;
  await copySmallEvent(server.connection, accountId, 5_000);
  const pool = server.context.database.listers;
  await pool.query('analyze events');
  const query = vi.spyOn(pool, 'query');
  await good(api.get(`/v1/customers/${id}/erasure`));
  const text = query.mock.calls.map(([each]) => textOf(each)).find((each) => each.includes('distinct'));
  query.mockRestore();
  const ids = [reference, ...Array.from({ length: 1_000 }, () => server.context.ids.make('ref'))];
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [accountId, ids]);
  // Other days have no events, and a scan of an empty table costs nothing.
  const scans = rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes('Seq Scan on events'));
  expect(scans.filter((line) => !line.includes('cost=0.00..0.00'))).toEqual([]);
});

/** Returns the text of a statement. Those with a name are objects. */
function textOf(statement: unknown): string {
  return typeof statement === 'string' ? statement : '';
}

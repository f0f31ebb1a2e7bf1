import { expect, test } from 'vitest';
import { Agency, dawn, lettingClock, startDay } from '../letting/agency.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { good, serverForTest } from '../support/server.ts';

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

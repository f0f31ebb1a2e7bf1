import { expect, test } from 'vitest';
import { importFile, statementOf } from '../support/bank.ts';
import { expectRefusal } from '../support/refusals.ts';
import { good, serverForTest } from '../support/server.ts';
import { Agency, lettingClock, type Made } from '../letting/agency.ts';
import { placesOf } from './scenario.ts';

test('empties payer and reference of lines, in records and history, when their person is deleted', async () => {
  const server = await serverForTest({ overrides: { clock: lettingClock() } });
  const agency = await Agency.on(server);
  const person = await agency.make('customers', { name: 'Zebediah Quux' });
  const tenancy = await agency.signed((await agency.unit()).id, { customers: [person.id] });
  const file = statementOf([
    { payer: 'ZEBEDIAH QUUX', reference: 'PLUGH 7' },
    { payer: 'QUUX ZEBEDIAH', reference: 'XYZZY 8' },
    { payer: 'A STRANGER', reference: 'FROBOZZ 9' },
  ]);
  const { body: statement } = await good(importFile(agency.api, file));
  const lines = (await good(agency.api.get(`/v1/bank_lines?import=${statement.id}`))).body.data as Made[];
  const [paid, waiting, other] = lines.toSorted((one, next) => one.line - next.line);
  expect(paid).toMatchObject({ status: 'proposed', customer: person.id });
  const { payment } = await agency.move('bank_lines', paid!.id, 'confirm');
  await agency.move('tenancies', tenancy.id, 'cancel');
  // A person with a credit cannot be erased.
  await agency.move('payments', payment, 'refund', { amount: 95_000 });
  for (const word of ['ZEBEDIAH QUUX', 'QUUX ZEBEDIAH', 'XYZZY 8'])
    expect(await placesOf(server, word)).not.toEqual([]);

  await good(agency.api.delete(`/v1/customers/${person.id}`));

  for (const word of ['ZEBEDIAH QUUX', 'QUUX ZEBEDIAH', 'PLUGH 7', 'XYZZY 8', 'quux zebediah'])
    expect(await placesOf(server, word), word).toEqual([]);
  const gone = { payer_name: null, reference: null, deleted: true, amount: 95_000, customer: person.id };
  expect(await agency.get('bank_lines', paid!.id)).toMatchObject({ ...gone, status: 'confirmed', payment });
  expect(await agency.get('bank_lines', waiting!.id)).toMatchObject({ ...gone, status: 'ignored', payment: null });
  expect(await agency.get('bank_lines', other!.id)).toEqual(other);
  expect(await agency.get('payment_imports', statement.id)).toMatchObject({
    lines: { proposed: 0, unmatched: 1, confirmed: 1, ignored: 1 },
  });
  expect(await agency.get('payments', payment)).toMatchObject({ amount: 95_000, reference: null });

  // The file does not bring the person back.
  expect((await good(importFile(agency.api, file))).body).toMatchObject({ lines_new: 0, lines_known: 3 });
  expectRefusal(await agency.api.post(`/v1/bank_lines/${waiting!.id}/reopen`), {
    status: 400,
    type: 'invalid_request_error',
    code: 'status_transition_invalid',
  });
});

test('empties one line when it is erased alone', async () => {
  const server = await serverForTest({ overrides: { clock: lettingClock() } });
  const agency = await Agency.on(server);
  const { body } = await good(
    importFile(agency.api, statementOf([{ payer: 'PERSON ELSEWHERE', reference: 'GRUE 1' }])),
  );
  const { data } = (await good(agency.api.get(`/v1/bank_lines?import=${body.id}`))).body;
  expect(await placesOf(server, 'GRUE 1')).not.toEqual([]);
  expect(await agency.move('bank_lines', data[0].id, 'erase')).toMatchObject({
    payer_name: null,
    reference: null,
    status: 'ignored',
    deleted: true,
  });
  for (const word of ['PERSON ELSEWHERE', 'GRUE 1']) expect(await placesOf(server, word), word).toEqual([]);
});

test('empties the reference of the payment, too, when a confirmed line is erased alone', async () => {
  const server = await serverForTest({ overrides: { clock: lettingClock() } });
  const agency = await Agency.on(server);
  const tenant = await agency.make('customers', { name: 'Ada Tenant' });
  const tenancy = await agency.signed((await agency.unit()).id, { customers: [tenant.id] });
  const { body } = await good(
    importFile(agency.api, statementOf([{ payer: 'MOTHER ELSEWHERE', reference: 'FROM MUM GRUE 2' }])),
  );
  const { data } = (await good(agency.api.get(`/v1/bank_lines?import=${body.id}`))).body;
  const { payment } = await agency.move('bank_lines', data[0].id, 'confirm', {
    tenancy: tenancy.id,
    customer: tenant.id,
  });
  const byHand = { tenancy: tenancy.id, amount: 100, method: 'cash', customer: tenant.id, reference: 'PLUGH OF ADA' };
  const other = await agency.make('payments', byHand);
  await good(agency.api.post(`/v1/payments/${payment}`, { reference: 'GRUE 2 BY HAND' }));
  await good(agency.api.post(`/v1/payments/${payment}`, { reference: 'FROM MUM GRUE 2' }));

  await agency.move('bank_lines', data[0].id, 'erase');

  for (const word of ['MOTHER ELSEWHERE', 'GRUE 2']) expect(await placesOf(server, word), word).toEqual([]);
  expect(await agency.get('payments', payment)).toMatchObject({
    amount: 95_000,
    customer: tenant.id,
    bank_line: data[0].id,
    reference: null,
  });
  expect(await agency.get('payments', other.id)).toEqual(other);
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { importFile, statementOf, type WrittenLine } from '../support/bank.ts';
import { good, type ApiResponse, type TestServer } from '../support/server.ts';
import { Agency, expectCode, rent, startDay, startLetting, type Made } from './agency.ts';

let server: TestServer;
let agency: Agency;
let byron: Made;
let tenancy: Made;
let invoice: Made;

beforeAll(async () => {
  server = await startLetting();
});

afterAll(() => server.stop());

/** An account of its own for each test. George Byron has a flat, and owes 950 pounds. */
beforeEach(async () => {
  agency = await Agency.on(server);
  byron = await agency.make('customers', { name: 'George Byron' });
  tenancy = await letTo(byron.id);
  invoice = await owes(tenancy.id);
});

async function letTo(customer: string, more: object = {}): Promise<Made> {
  return agency.signed((await agency.unit()).id, { customers: [customer], ...more });
}

function owes(tenancyId: string, amount = 95_000): Promise<Made> {
  return agency.make('invoices', {
    tenancy: tenancyId,
    lines: [{ type: 'rent', description: 'Rent', amount }],
    due_on: '2027-02-01',
    finalize: true,
  });
}

async function imported(lines: readonly WrittenLine[]): Promise<Made> {
  return (await good(importFile(agency.api, statementOf(lines)))).body as Made;
}

/** Returns the lines of the account in the order of their files. */
async function linesOf(filter = ''): Promise<Made[]> {
  const { body } = await good(agency.api.get(`/v1/bank_lines?limit=50${filter}`));
  return (body.data as Made[]).toSorted((one, other) => one.line - other.line);
}

/** Imports one line, and returns it. */
async function lineOf(written: WrittenLine): Promise<Made> {
  const { id } = await imported([written]);
  const [line] = await linesOf(`&import=${id}`);
  return line!;
}

async function paymentsOf(): Promise<Made[]> {
  return (await good(agency.api.get('/v1/payments?limit=50'))).body.data as Made[];
}

function confirm(line: Made, body: object = {}): Promise<ApiResponse> {
  return agency.api.post(`/v1/bank_lines/${line.id}/confirm`, body);
}

describe('an import', () => {
  test('makes a line for each payment that came in, and no payment', async () => {
    const file = statementOf([
      { reference: 'inv-000001 rent', payer: 'A LOVELACE' },
      { amount: '-12.50', reference: 'BANK FEE' },
      { amount: '0.00' },
      { amount: '3.20', reference: 'Interest' },
    ]);
    const answer = await good(importFile(agency.api, file));
    expect(answer.body).toMatchObject({
      object: 'payment_import',
      filename: 'statement.csv',
      format: 'csv',
      status: 'open',
      lines_new: 2,
      lines_known: 0,
      lines_skipped: 2,
      known_lines: [],
      lines: { proposed: 1, unmatched: 1, confirmed: 0, ignored: 0 },
    });
    expect(await agency.eventsOf(answer)).toEqual(['payment_import.created']);
    const [line, interest] = await linesOf(`&import=${answer.body.id}`);
    expect(line).toMatchObject({
      line: 2,
      received_on: startDay,
      amount: 95_000,
      currency: 'gbp',
      reference: 'inv-000001 rent',
      payer_name: 'A LOVELACE',
      status: 'proposed',
      tenancy: tenancy.id,
      customer: null,
      matched_by: ['reference', 'amount'],
      payment: null,
    });
    expect(line).not.toHaveProperty('fingerprint');
    expect(interest).toMatchObject({ line: 5, amount: 320, status: 'unmatched', tenancy: null, candidates: [] });
    expect(await paymentsOf()).toEqual([]);
  });

  test('makes each line once when its file is sent ten times, and says which it knew', async () => {
    const lines = [{ reference: 'INV-000001' }, { reference: 'Interest' }, { reference: 'Interest' }];
    const imports = [];
    for (let time = 0; time < 10; time++) imports.push(await imported(lines));
    const [first, ...others] = imports;
    expect(first).toMatchObject({ lines_new: 3, lines_known: 0 });
    for (const other of others)
      expect(other).toMatchObject({
        status: 'complete',
        lines_new: 0,
        lines_known: 3,
        known_lines: [2, 3, 4],
        lines: { proposed: 0, unmatched: 0, confirmed: 0, ignored: 0 },
      });
    expect((await linesOf()).map(({ import: id }) => id)).toEqual(lines.map(() => first!.id));
  });

  test('makes each line once when its file is sent eight times at once', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => ({ reference: `RENT ${index % 15}` }));
    const made = await Promise.all(Array.from({ length: 8 }, () => imported(lines)));
    expect(made.map(({ lines_new: count }) => count).toSorted((one, other) => one - other)).toEqual([
      ...Array.from({ length: 7 }, () => 0),
      20,
    ]);
    expect(await linesOf()).toHaveLength(20);
  });

  test('makes only the new lines when two files overlap, in any form', async () => {
    await imported([
      { date: '2027-01-01', reference: 'A' },
      { date: '2027-01-02', reference: 'B', payer: 'Ada' },
    ]);
    const file = 'Payer;Reference;Amount;Date\nADA;b;950;02/01/2027\nADA;B;950.00;2027-01-02\n;C;950.00;2027-01-03';
    const { body } = await good(importFile(agency.api, file));
    // The second line is the same money as the first one, once more on that day.
    expect(body).toMatchObject({ lines_new: 2, lines_known: 1, known_lines: [2] });
    expect((await linesOf()).map(({ reference }) => String(reference)).toSorted()).toEqual(['A', 'B', 'B', 'C']);
  });

  test('counts its lines by their state when they move', async () => {
    const { id } = await imported([{ reference: 'INV-000001' }, { reference: 'Interest' }]);
    const [money, interest] = await linesOf();
    await agency.move('bank_lines', interest!.id, 'ignore');
    expect(await agency.get('payment_imports', id)).toMatchObject({
      status: 'open',
      lines: { proposed: 1, ignored: 1 },
    });
    await good(confirm(money!));
    expect(await agency.get('payment_imports', id)).toMatchObject({
      status: 'complete',
      lines: { proposed: 0, unmatched: 0, confirmed: 1, ignored: 1 },
    });
    expect(await agency.historyOf(id)).toEqual([
      'payment_import.created',
      'payment_import.updated',
      'payment_import.updated',
    ]);
  });
});

describe('a proposal', () => {
  test.each([
    ['the number of an invoice', { reference: 'INV-000001' }, ['reference', 'amount']],
    ['the number in another form', { reference: 'Rent inv 1, thanks' }, ['reference', 'amount']],
    ['the number, and another amount', { reference: 'INV000001', amount: '10.00' }, ['reference']],
    ['the name of the tenant', { payer: 'MR BYRON, GEORGE', amount: '10.00' }, ['payer']],
    ['the name with accents', { payer: 'Géorge  Býron' }, ['payer', 'amount']],
  ])('is made when the line has %s', async (_, written, matchedBy) => {
    const customer = matchedBy.includes('payer') ? byron.id : null;
    expect(await lineOf(written)).toMatchObject({
      status: 'proposed',
      tenancy: tenancy.id,
      customer,
      matched_by: matchedBy,
      candidates: [],
    });
  });

  test('is made when the line has the id of the tenancy in capitals', async () => {
    expect(await lineOf({ reference: tenancy.id.toUpperCase() })).toMatchObject({ tenancy: tenancy.id });
  });

  test.each([
    ['a longer number', 'INV-0000011'],
    ['a number with more zeros', 'INV-0000001'],
    ['a number that is cut off', 'INV-00000'],
    ['a number within a word', 'XINV-000001'],
    ['a number before a letter', 'INV-000001B'],
    ['a number of another series', 'CRN-000001'],
  ])('is not made when the line has %s', async (_, reference) => {
    expect(await lineOf({ reference, amount: '1.00' })).toMatchObject({ status: 'unmatched', candidates: [] });
  });

  test('is made by the reference of an earlier payment, whatever its case', async () => {
    const second = await letTo((await agency.make('customers', { name: 'Ada Lovelace' })).id);
    await agency.make('payments', { tenancy: second.id, amount: 100, method: 'cash', reference: 'Flat 2 / Ada' });
    expect(await lineOf({ reference: 'FLAT 2 ADA', amount: '1.00' })).toMatchObject({
      tenancy: second.id,
      matched_by: ['reference'],
    });
    await agency.make('payments', { tenancy: second.id, amount: 100, method: 'cash', reference: 'RENT JAN 2027' });
    expect(await lineOf({ reference: 'Rent Jan 2027', amount: '2.00' })).toMatchObject({ status: 'unmatched' });
  });

  test('is made by the payer of an earlier line, with its person', async () => {
    const line = await lineOf({ payer: 'BYRON FAMILY TRUST', amount: '1.00' });
    await good(confirm(line, { tenancy: tenancy.id, customer: byron.id }));
    expect(await lineOf({ payer: 'Byron Family Trust', amount: '2.00' })).toMatchObject({
      status: 'proposed',
      tenancy: tenancy.id,
      customer: byron.id,
      matched_by: ['payer'],
    });
  });

  test('is made of two tenancies by the amount, and has both as candidates without it', async () => {
    const second = await letTo(byron.id);
    await owes(second.id, 70_000);
    expect(await lineOf({ payer: 'George Byron', amount: '700.00' })).toMatchObject({
      tenancy: second.id,
      matched_by: ['payer', 'amount'],
    });
    const unclear = await lineOf({ payer: 'George Byron', amount: '1.00' });
    expect(unclear).toMatchObject({ status: 'unmatched', tenancy: null, customer: null, matched_by: [] });
    expect(unclear.candidates).toEqual(
      [tenancy.id, second.id].toSorted().map((id) => ({ tenancy: id, customer: byron.id, matched_by: ['payer'] })),
    );
  });

  test('is not made by the amount alone, which makes candidates', async () => {
    expect(await lineOf({ payer: 'A STRANGER' })).toMatchObject({
      status: 'unmatched',
      candidates: [{ tenancy: tenancy.id, customer: null, matched_by: ['amount'] }],
    });
  });

  test('is not made when an earlier reference and the payer tell different tenancies', async () => {
    const second = await letTo((await agency.make('customers', { name: 'Ada Lovelace' })).id);
    await agency.make('payments', { tenancy: second.id, amount: 100, method: 'cash', reference: 'COPPERGATE' });
    const line = await lineOf({ reference: 'COPPERGATE', payer: 'George Byron', amount: '1.00' });
    expect(line).toMatchObject({ status: 'unmatched' });
    expect(line.candidates).toHaveLength(2);
  });

  test('is not made when the number of an invoice and the payer tell different tenancies', async () => {
    const { id: ada } = await agency.make('customers', { name: 'Ada Lovelace' });
    const second = await letTo(ada);
    const line = await lineOf({ reference: 'INV-000001', payer: 'Ada Lovelace' });
    expect(line).toMatchObject({ status: 'unmatched', tenancy: null, matched_by: [] });
    expect(line.candidates).toEqual([
      { tenancy: tenancy.id, customer: null, matched_by: ['reference', 'amount'] },
      { tenancy: second.id, customer: ada, matched_by: ['payer'] },
    ]);
    // A payer of both lets contradicts neither.
    await letTo(byron.id);
    expect(await lineOf({ reference: 'INV-000001', payer: 'George Byron' })).toMatchObject({ tenancy: tenancy.id });
  });

  test.each([
    ['failed', 'fail', { code: 'wrong_tenancy' }],
    ['was refunded', 'refund', { amount: 100 }],
  ])('is not made by an earlier line whose payment %s', async (_, name, body) => {
    const wrong = await lineOf({ reference: 'COPPERGATE', payer: 'BYRON FAMILY TRUST', amount: '1.00' });
    const { payment } = (await good(confirm(wrong, { tenancy: tenancy.id }))).body;
    expect(await lineOf({ payer: 'Byron Family Trust', amount: '2.00' })).toMatchObject({ status: 'proposed' });
    expect(await lineOf({ reference: 'COPPERGATE', amount: '2.00' })).toMatchObject({ status: 'proposed' });
    await agency.move('payments', payment, name, body);
    expect(await lineOf({ payer: 'Byron Family Trust', amount: '3.00' })).toMatchObject({ status: 'unmatched' });
    expect(await lineOf({ reference: 'COPPERGATE', amount: '3.00' })).toMatchObject({ status: 'unmatched' });
  });

  test('has at most five candidates when more tenancies owe the amount', async () => {
    for (let count = 0; count < 6; count++) await owes((await letTo('tenant_2')).id);
    expect((await lineOf({ reference: 'Rent' })).candidates).toHaveLength(5);
  });

  test('is not made in another currency', async () => {
    const file = `date,amount,reference,payer,currency\n${startDay},950.00,INV-000001,George Byron,EUR`;
    await good(importFile(agency.api, file));
    expect((await linesOf())[0]).toMatchObject({ currency: 'eur', status: 'unmatched', candidates: [] });
    expectCode(await confirm((await linesOf())[0]!, { tenancy: tenancy.id }), 'parameter_invalid', {
      param: 'tenancy',
    });
    expect(await paymentsOf()).toEqual([]);
  });

  test('never names a tenancy of another account', async () => {
    const own = agency;
    agency = await Agency.on(server);
    expect(await lineOf({ reference: 'INV-000001', payer: 'George Byron' })).toMatchObject({
      status: 'unmatched',
      candidates: [],
    });
    expectCode(await confirm((await linesOf())[0]!, { tenancy: tenancy.id }), 'resource_missing', { param: 'tenancy' });
    agency = own;
  });
});

describe('a line', () => {
  test('becomes one payment when it is confirmed 50 times at once', async () => {
    const line = await lineOf({ reference: 'INV-000001', payer: 'Mr BYRON, George' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => confirm(line)));
    const [confirmed, ...others] = answers.toSorted((one, other) => one.status - other.status);
    expect(confirmed!.status).toBe(200);
    for (const other of others) expectCode(other, 'status_transition_invalid');
    const [payment, ...more] = await paymentsOf();
    expect(more).toEqual([]);
    expect(confirmed!.body).toMatchObject({ status: 'confirmed', payment: payment!.id, tenancy: tenancy.id });
    expect(payment).toMatchObject({
      amount: 95_000,
      method: 'bank_transfer',
      received_on: startDay,
      reference: 'INV-000001',
      customer: byron.id,
      bank_line: line.id,
      allocations: [{ invoice: invoice.id, amount: 95_000 }],
    });
    expect(await agency.eventsOf(confirmed!)).toEqual([
      'bank_line.updated',
      'bank_line.confirmed',
      'payment.created',
      'payment.succeeded',
      'invoice.updated',
      'invoice.paid',
      'payment_import.updated',
      'tenancy.updated',
    ]);
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: 0 });
  });

  test('becomes a payment of the tenancy and the person that the client names', async () => {
    const second = await letTo('tenant_2');
    const line = await lineOf({ reference: 'INV-000001', payer: 'George Byron' });
    const { body } = await good(confirm(line, { tenancy: second.id }));
    expect(body).toMatchObject({ tenancy: second.id, customer: null, matched_by: [] });
    expect(await agency.get('payments', body.payment)).toMatchObject({ tenancy: second.id, customer: null });
    const other = await lineOf({ reference: 'INV-000001', payer: 'George Byron', amount: '1.00' });
    const named = (await good(confirm(other, { customer: 'tenant_3' }))).body;
    expect(await agency.get('payments', named.payment)).toMatchObject({ tenancy: tenancy.id, customer: 'tenant_3' });
  });

  test('is refused when it is unmatched and no tenancy is named', async () => {
    const line = await lineOf({ reference: 'Interest', amount: '3.20' });
    expectCode(await confirm(line), 'parameter_missing', { param: 'tenancy' });
    expectCode(await confirm(line, { tenancy: 'ten_1' }), 'resource_missing', { param: 'tenancy' });
    expectCode(await confirm(line, { tenancy: tenancy.id, customer: 'ten_1' }), 'resource_missing', {
      param: 'customer',
    });
    expect(await agency.get('bank_lines', line.id)).toEqual(line);
    expect(await paymentsOf()).toEqual([]);
  });

  test('is refused when the law forbids the payment, and stays as it is', async () => {
    const draft = await agency.draft((await agency.unit()).id);
    const line = await lineOf({ reference: 'Interest', amount: '3.20' });
    expectCode(await confirm(line, { tenancy: draft.id }), 'check_failed');
    expect(await agency.get('bank_lines', line.id)).toEqual(line);
  });

  test('waits again after it was ignored and reopened', async () => {
    const line = await lineOf({ reference: 'INV-000001' });
    expect(await agency.move('bank_lines', line.id, 'ignore')).toMatchObject({
      status: 'ignored',
      tenancy: tenancy.id,
      ignored_at: expect.any(Number),
    });
    expectCode(await confirm(line), 'status_transition_invalid');
    expect(await agency.move('bank_lines', line.id, 'reopen')).toEqual(line);
    expectCode(await agency.api.post(`/v1/bank_lines/${line.id}/reopen`), 'status_transition_invalid');
    await good(confirm(line));
    expectCode(await agency.api.post(`/v1/bank_lines/${line.id}/ignore`), 'status_transition_invalid');
    expect(await agency.historyOf(line.id)).toEqual([
      'bank_line.updated',
      'bank_line.ignored',
      'bank_line.updated',
      'bank_line.reopened',
      'bank_line.updated',
      'bank_line.confirmed',
    ]);
  });

  test('stays confirmed when its payment fails, and makes no second one', async () => {
    const line = await lineOf({ reference: 'INV-000001' });
    const { body: confirmed } = await good(confirm(line));
    await agency.move('payments', confirmed.payment, 'fail', { code: 'recalled' });
    expect(await agency.get('bank_lines', line.id)).toEqual(confirmed);
    expectCode(await confirm(line), 'status_transition_invalid');
    expect(await imported([{ reference: 'INV-000001' }])).toMatchObject({ lines_new: 0, lines_known: 1 });
    expect(await paymentsOf()).toHaveLength(1);
  });

  test('is found by its import, status, tenancy, customer and day', async () => {
    const { id } = await imported([
      { reference: 'INV-000001', payer: 'George Byron' },
      { reference: 'Interest', date: '2027-01-01' },
    ]);
    for (const [filter, count] of [
      [`import=${id}`, 2],
      ['status=proposed', 1],
      [`tenancy=${tenancy.id}`, 1],
      [`customer=${byron.id}`, 1],
      ['received_on[lt]=2027-01-04', 1],
    ])
      expect([filter, (await linesOf(`&${filter}`)).length]).toEqual([filter, count]);
    const { body } = await good(agency.api.get('/v1/bank_lines?status=proposed&expand=data.tenancy,data.import'));
    expect(body.data[0]).toMatchObject({ tenancy: { id: tenancy.id, rent }, import: { id } });
  });
});

describe('the database', () => {
  test('refuses a second line with the fingerprint of another, and a second payment of a line', async () => {
    const line = await lineOf({ reference: 'INV-000001' });
    await good(confirm(line));
    await withClient(server.connection, async (client) => {
      const copy = (table: string, id: string): Promise<unknown> =>
        client.query(
          `insert into ${table} select (jsonb_populate_record(known, jsonb_build_object('id', $2::text))).* from ${table} known where account_id = $1`,
          [agency.accountId, id],
        );
      await expect(copy('bank_lines', 'bln_2')).rejects.toMatchObject({ constraint: 'bank_lines_fingerprint' });
      await expect(copy('payments', 'pay_2')).rejects.toMatchObject({ constraint: 'payments_bank_line' });
    });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Agency, rent, startDay, startLetting, week, type Made } from '../letting/agency.ts';
import { importFile, statementOf } from '../support/bank.ts';
import { good, type Api, type TestServer } from '../support/server.ts';
import { addKey } from '../support/tenants.ts';

let server: TestServer;
let agency: Agency;
let ada: Made;
let tenancy: Made;

beforeAll(async () => {
  server = await startLetting();
});
afterAll(() => server.stop());

/** An account of its own for each test. Ada Lovelace has a flat. */
beforeEach(async () => {
  agency = await Agency.on(server);
  ada = await agency.make('customers', { name: 'Ada Lovelace', email: 'ada@example.org' });
  tenancy = await agency.signed((await agency.unit()).id, { customers: [ada.id] });
});

async function resultsFor(query: string, types?: string, api: Api = agency.api): Promise<Made[]> {
  const parameters = new URLSearchParams({ query, ...(types !== undefined && { types }) });
  return (await good(api.get(`/v1/search?${parameters.toString()}`))).body.data;
}

async function idsFor(query: string, types?: string, api?: Api): Promise<string[]> {
  return (await resultsFor(query, types, api)).map(({ id }) => id);
}

async function protectedDeposit(): Promise<Made> {
  const { id } = await agency.make('deposits', { type: 'tenancy', tenancy: tenancy.id, amount: week });
  await agency.payDeposit(id, week);
  const protection = { scheme: 'tds_insured', scheme_reference: 'EW/4471', protected_on: startDay };
  return agency.move('deposits', id, 'protect', protection);
}

/** Imports two lines, and returns them. */
async function importedLines(): Promise<Made[]> {
  const lines = [
    { payer: 'MR G BYRON', reference: 'COPPER RENT', date: startDay },
    { payer: 'A LOVELACE', reference: 'INV-000999', date: startDay },
  ];
  await good(importFile(agency.api, statementOf(lines)));
  return (await good(agency.api.get('/v1/bank_lines'))).body.data;
}

describe('a deposit', () => {
  test('is found by its references, and by its tenancy or application, when the office looks for it', async () => {
    const secured = await protectedDeposit();
    const application = await agency.application({ customers: [ada.id], unit: (await agency.unit()).id, rent });
    const held = await agency.holding(application.id);
    expect(await idsFor('ew/4471')).toEqual([secured.id]);
    expect(await idsFor('lovelace', 'deposit')).toEqual([held.id, secured.id]);
    expect(await idsFor('coppergate', 'deposit')).toEqual([held.id, secured.id]);
    const [first] = await resultsFor('4471');
    expect([first?.type, first?.title, first?.subtitle, first?.matched]).toEqual([
      'deposit',
      'Tenancy deposit of Ada Lovelace',
      'Flat 2, Coppergate, protected, EW/4471',
      ['scheme_reference'],
    ]);
    await agency.move('deposits', secured.id, 'propose_release', { deductions: [{ amount: 10, reason: 'cleaning' }] });
    await agency.move('deposits', secured.id, 'dispute', { amount: 10, reference: 'DISP-17' });
    expect(await idsFor('disp-17')).toEqual([secured.id]);
  });
});

describe('a payment', () => {
  test('is found by the reference of the bank, and not by its tenancy, when it has one', async () => {
    const made = { tenancy: tenancy.id, amount: 100, method: 'bank_transfer', received_on: startDay };
    const payment = await agency.make('payments', { ...made, reference: 'STO 77 RENT', customer: ada.id });
    await agency.make('payments', made);
    const [first, ...others] = await resultsFor('sto 77');
    expect([first?.id, first?.title, first?.subtitle, others]).toEqual([
      payment.id,
      'STO 77 RENT',
      `Ada Lovelace, succeeded, received ${startDay}`,
      [],
    ]);
    expect(await idsFor('lovelace', 'payment')).toEqual([]);
    await good(agency.api.post(`/v1/payments/${payment.id}`, { reference: 'corrected' }));
    expect([await idsFor('sto 77'), await idsFor('corrected')]).toEqual([[], [payment.id]]);
  });
});

describe('bank lines', () => {
  test('are found by payer and reference when a file was imported, though no event tells of each', async () => {
    const lines = await importedLines();
    const [byron] = await resultsFor('byron');
    expect([byron?.type, byron?.title, byron?.subtitle]).toEqual([
      'bank_line',
      'MR G BYRON',
      `COPPER RENT, unmatched, received ${startDay}`,
    ]);
    const adas = lines.find(({ payer_name: payer }) => payer === 'A LOVELACE')!;
    expect(await idsFor('000999')).toEqual([adas.id]);
    expect(await idsFor('lovelace', 'bank_line')).toEqual([adas.id]);
  });

  test('are all found when two files come between changes of other records', async () => {
    await agency.make('customers', { name: 'Before' });
    for (const file of [1, 2]) {
      const lines = Array.from({ length: 5 }, (_, at) => ({ payer: `PAYER ${file}${at}`, date: startDay }));
      await good(importFile(agency.api, statementOf(lines)));
    }
    const after = await agency.make('customers', { name: 'After' });
    expect(await idsFor('payer', 'bank_line')).toHaveLength(10);
    expect(await idsFor('after')).toEqual([after.id]);
  });

  test('leave no text in the index when the person is erased', async () => {
    const lines = await importedLines();
    const adas = lines.find(({ payer_name: payer }) => payer === 'A LOVELACE')!;
    expect(await idsFor('lovelace', 'bank_line')).toEqual([adas.id]);
    await agency.move('bank_lines', adas.id, 'confirm', { tenancy: tenancy.id, customer: ada.id });
    // The payment copies the reference, and keeps it.
    expect(await idsFor('000999', 'bank_line,payment')).toHaveLength(2);
    await agency.move('bank_lines', adas.id, 'erase');
    const { rows } = await server.context.database.readers.query(
      'select id, words from search_entries where account_id = $1 and id = $2',
      [agency.accountId, adas.id],
    );
    expect(rows).toEqual([]);
    expect([await idsFor('lovelace', 'bank_line'), await idsFor('000999', 'bank_line')]).toEqual([[], []]);
  });
});

test('shows a key only what it can read when it searches money', async () => {
  const deposit = await protectedDeposit();
  const [line] = await importedLines();
  const made = { tenancy: tenancy.id, amount: 100, method: 'cash', received_on: startDay };
  const payment = await agency.make('payments', { ...made, reference: 'EW/4471 BYRON', customer: ada.id });
  for (const [path, id] of Object.entries({ deposits: deposit.id, payments: payment.id, bank_lines: line!.id })) {
    const { api } = await addKey(server, agency.accountId, { permissions: [`${path}.read`] });
    const found = await Promise.all(
      ['ew/4471', 'byron', 'lovelace', 'coppergate', id].map((query) => resultsFor(query, undefined, api)),
    );
    const kinds = new Set(found.flat().map(({ record }) => record.object));
    expect([path, [...kinds]]).toEqual([path, [path.slice(0, -1)]]);
    // The names of persons and homes are those of other kinds.
    for (const { title, subtitle } of found.flat())
      expect([path, /Ada|Coppergate/.test(`${title} ${subtitle}`)]).toEqual([path, false]);
  }
});

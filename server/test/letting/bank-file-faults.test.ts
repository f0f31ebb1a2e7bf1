import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importFile, importForm, statementOf } from '../support/bank.ts';
import { expectRefusal } from '../support/refusals.ts';
import { good, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { startLetting } from './agency.ts';

/*
 * Bank files as they come. Each fault is named with its line, and a file with a fault leaves nothing behind.
 */

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startLetting();
  ({ api } = await addAccount(server));
});

afterAll(() => server.stop());

const header = 'date,amount,reference,payer';
const row = '2027-01-04,950.00,FLAT 2,A LOVELACE';

/** Returns the messages of a refusal, and expects that nothing was made. */
async function faultsOf(contents: string | Uint8Array): Promise<string[]> {
  const before = await everything();
  const answer = await importFile(api, contents);
  expect(answer.status, answer.text).toBe(400);
  expect(answer.body.error).toMatchObject({ code: 'parameter_invalid', param: 'file' });
  expect(await everything()).toEqual(before);
  const errors = (answer.body.error.errors ?? [answer.body.error]) as { message: string; param: string }[];
  expect(errors[0]!.message).toBe(answer.body.error.message);
  for (const { param } of errors) expect(param).toBe('file');
  return errors.map(({ message }) => message);
}

async function everything(): Promise<unknown> {
  const paths = ['payment_imports', 'bank_lines', 'payments', 'events'];
  return Promise.all(paths.map(async (path) => (await good(api.get(`/v1/${path}?limit=1`))).body.count));
}

/** Imports a file, and returns its only line. */
async function lineOf(contents: string | Uint8Array): Promise<ApiResponse['body']> {
  const { body } = await good(importFile(api, contents));
  expect(body.lines_new, JSON.stringify(body)).toBe(1);
  return (await good(api.get(`/v1/bank_lines?import=${body.id}`))).body.data[0];
}

/** A line that no other test has, so that each import makes it. */
let lines = 0;
function unique(): string {
  return `U${++lines}`;
}

describe('a file in another form', () => {
  test.each<[string, (reference: string) => string | Uint8Array]>([
    ['has a byte order mark', (text) => `\u{feff}${header}\n2027-01-04,950.00,${text},ADA`],
    ['is UTF-16', (text) => Buffer.from(`\u{feff}${header}\n2027-01-04,950.00,${text},ADA`, 'utf16le')],
    ['has semicolons', (text) => `date;amount;reference;payer\n2027-01-04;950.00;${text};ADA`],
    ['has tabs', (text) => `date\tamount\treference\tpayer\n2027-01-04\t950.00\t${text}\tADA`],
    ['has lines that end with CRLF', (text) => `${header}\r\n2027-01-04,950.00,${text},ADA\r\n`],
    ['has lines that end with CR', (text) => `${header}\r2027-01-04,950.00,${text},ADA\r`],
    ['has empty lines', (text) => `${header}\n\n2027-01-04,950.00,${text},ADA\n\n`],
    ['has quoted texts', (text) => `${header}\n"2027-01-04","950.00","${text}","ADA"`],
    [
      'has its columns in another order and case',
      (text) => `Payer,REFERENCE, Amount ,Date\nADA,${text},950.00,2027-01-04`,
    ],
    ['has days as banks in the United Kingdom write them', (text) => `${header}\n04/01/2027,950.00,${text},ADA`],
    ['has pound signs and thousands', (text) => `amount,date,reference,payer\n£950,2027-01-04,${text},ADA`],
    ['has a column for pounds', (text) => `date,amount,currency,reference,payer\n2027-01-04,950.00,GBP,${text},ADA`],
  ])('is read when it %s', async (_, write) => {
    const text = unique();
    expect(await lineOf(write(text))).toMatchObject({
      received_on: '2027-01-04',
      amount: 95_000,
      currency: 'gbp',
      reference: text,
      payer_name: 'ADA',
    });
  });

  test.each([
    ['"1,250.00"', 125_000],
    ['"£1,234,567.80"', 123_456_780],
    ['+20', 2_000],
    ['0.5', 50],
    ['000000950.00', 95_000],
    ['99999999.99', 9_999_999_999],
  ])('is read when an amount is %s', async (written, amount) => {
    expect(await lineOf(`${header}\n2027-01-04,${written},${unique()},ADA`)).toMatchObject({ amount });
  });

  test.each([
    ['JPY', '950', 950],
    ['kwd', '9.505', 9_505],
    ['EUR', '9.50', 950],
  ])('is read when the currency is %s', async (currency, written, amount) => {
    const file = `date,amount,reference,payer,currency\n2027-01-04,${written},${unique()},ADA,${currency}`;
    expect(await lineOf(file)).toMatchObject({ amount, currency: currency.toLowerCase(), status: 'unmatched' });
  });
});

describe('a text of a line', () => {
  test.each([
    ['has a quote, a separator and spaces', '  He said ""hi"", twice ', 'He said "hi", twice'],
    ['has line breaks', 'RENT\r\nFLAT 2\nFEB', 'RENT FLAT 2 FEB'],
    ['is a formula', '=HYPERLINK(""https://example.com"",""x"")', '=HYPERLINK("https://example.com","x")'],
    ['begins like a formula', '+44 1904 @-1', '+44 1904 @-1'],
    ['has letters of many scripts', 'Łódź 東京 عربي', 'Łódź 東京 عربي'],
    ['is markup', '<script>alert(1)</script>', '<script>alert(1)</script>'],
  ])('is kept as a text when it %s', async (_, written, kept) => {
    const text = unique();
    expect(await lineOf(`${header}\n2027-01-04,950.00,"${written}",${text}`)).toMatchObject({ reference: kept });
  });

  test('is null when it is empty', async () => {
    const amount = `${++lines}.01`;
    expect(await lineOf(`${header}\n2027-01-04,${amount}, ,""`)).toMatchObject({ reference: null, payer_name: null });
  });
});

describe('a file with a fault', () => {
  const windows1252 = Buffer.concat([
    Buffer.from(`${header}\n2027-01-04,950.00,caf`),
    Buffer.from([0xe9]),
    Buffer.from(',ADA'),
  ]);

  test.each<[string, string | Uint8Array, RegExp]>([
    ['is empty', '', /is empty/],
    ['has columns only', `${header}\n`, /has no lines/],
    ['has columns and space only', `${header}\n\n , , , \n`, /has no lines/],
    ['is Windows-1252', windows1252, /not UTF-8.*Windows-1252.*CSV UTF-8/s],
    ['has no columns', row, /Line 1 has no columns `date` and `amount`/],
    ['has an unknown column', `${header},balance\n${row},1`, /“balance”, which is not known/],
    ['lacks a column', 'date,amount,payer\n2027-01-04,1,A', /no column `reference`/],
    ['has a column twice', `${header},date\n${row},2027-01-04`, /`date` twice/],
    ['has two separators', 'date;amount,reference;payer\n1;2,3;4', /Separate them by commas, semicolons or tabs/],
    ['has an open quote', `${header}\n2027-01-04,950.00,"FLAT 2,ADA`, /Line 2: it has a quote without its other half/],
    ['has a quote inside a text', `${header}\n${row}\n2027-01-04,950.00,FLAT"2",ADA`, /Line 3: it has a quote/],
    [
      'has a comma in a text',
      `${header}\n2027-01-04,950.00,FLAT 2,LOVELACE, ADA`,
      /Line 2: it has 5 columns, and the first line has 4/,
    ],
    ['is a spreadsheet', Buffer.from('504b0304140006000800000021', 'hex'), /Line 1 has no columns/],
  ])('says what to do when it %s', async (_, contents, message) => {
    const faults = await faultsOf(contents);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(message);
  });

  test.each([
    ['2027-02-30', /is no calendar day/],
    ['30/02/2026', /is no calendar day/],
    ['01/13/2026', /has the month first.*the day first/],
    ['2027-01-05', /has not come\. Today is 2027-01-04/],
    ['1/2/2026', /is no calendar day/],
    ['04.01.2027', /is no calendar day/],
    ['04/01/27', /is no calendar day/],
    ['44930', /is no calendar day/],
    ['0001-01-01', /is no calendar day/],
    ['2027-01-04T00:00:00Z', /is no calendar day/],
    ['', /is empty/],
  ])('names the line when a day is %s', async (day, message) => {
    const [fault, ...more] = await faultsOf(`${header}\n${row}\n${day},950.00,FLAT 2,ADA`);
    expect(more).toEqual([]);
    expect(fault).toMatch(/^Line 3: `date`/);
    expect(fault).toMatch(message);
  });

  test.each([
    ['"950,00"', /can be read in two ways/],
    ['"1,250"', /can be read in two ways/],
    ['"1.250,00"', /is no amount/],
    ['"12,50.00"', /can be read in two ways/],
    ['950.005', /fraction of the smallest unit/],
    ['100000000.00', /more than 9999999999/],
    ['9'.repeat(40), /more than 9999999999/],
    ['$950', /is no amount/],
    ['€950', /is no amount/],
    ['950 GBP', /is no amount/],
    ['(950.00)', /is no amount/],
    ['950-', /is no amount/],
    ['1e3', /is no amount/],
    ['NaN', /is no amount/],
    ['=1+1', /is no amount/],
    ['٩٥٠', /is no amount/],
    ['', /is empty/],
  ])('names the line when an amount is %s', async (amount, message) => {
    const [fault, ...more] = await faultsOf(`${header}\n\n2027-01-04,${amount},FLAT 2,ADA`);
    expect(more).toEqual([]);
    expect(fault).toMatch(/^Line 3: `amount`/);
    expect(fault).toMatch(message);
  });

  test.each([
    ['a control character', 'FLAT\u{7}2', /U\+0007/],
    ['a mark that changes the direction', 'FLAT \u{202e}2', /U\+202E, which changes the direction/],
    ['no visible character', '\u{2800}', /is blank/],
    ['more than 500 characters', 'x'.repeat(501), /has 501 characters. Shorten it to 500/],
  ])('names the line when a text has %s', async (_, text, message) => {
    const [fault] = await faultsOf(`${header}\n2027-01-04,950.00,${text},ADA`);
    expect(fault).toMatch(/^Line 2: `reference`/);
    expect(fault).toMatch(message);
  });

  test.each([
    ['XXX', '950', /is no currency/],
    ['pounds', '950', /is no currency/],
    ['JPY', '950.50', /jpy has no digits after the point/],
    ['EUR', '£950', /pound sign, and the currency is eur/],
  ])('names the line when the currency is %s', async (currency, amount, message) => {
    const [fault] = await faultsOf(`date,amount,reference,payer,currency\n2027-01-04,${amount},,,${currency}`);
    expect(fault).toMatch(/^Line 2: /);
    expect(fault).toMatch(message);
  });

  test('lists the first 20 faults with the lines of the file, when it has more', async () => {
    const faulty = Array.from({ length: 30 }, () => '2027-02-30,"950,00","FLAT\n2",ADA');
    const faults = await faultsOf([header, row, ...faulty].join('\n'));
    expect(faults).toHaveLength(20);
    expect(faults.map((fault) => Number(/^Line (\d+):/.exec(fault)![1]))).toEqual(
      // Each line of the file has a line break in its text, and two faults.
      Array.from({ length: 20 }, (__, index) => 3 + 2 * Math.floor(index / 2)),
    );
  });
});

describe('a file beyond a limit', () => {
  test('imports 2,000 lines when they are all that it has', async () => {
    const { body } = await good(importFile(api, statementOf(many(2_000))));
    expect(body).toMatchObject({ lines_new: 2_000, lines: { unmatched: 2_000 } });
  });

  test('is refused when it has 2,001 lines', async () => {
    expect(await faultsOf(statementOf(many(2_001)))).toEqual([
      expect.stringMatching(/more than 2000 lines, the limit/),
    ]);
  });

  test('is refused when it has 80,000 short lines', async () => {
    const file = `${header}\n${',1,,\n'.repeat(80_000)}`;
    expect(await faultsOf(file)).toEqual([expect.stringMatching(/more than 2000 lines, the limit/)]);
  });

  test.each([
    ['a line', `${header}\n`],
    ['the first line', ''],
  ])('is refused when %s has 100,001 commas', async (_, before) => {
    expect(await faultsOf(`${before}${','.repeat(100_001)}`)).toEqual([
      expect.stringMatching(/more than 100000 separators/),
    ]);
  });

  test('is refused when it has more than a megabyte', async () => {
    const answer = await importFile(api, `${header}\n${'x'.repeat(1024 * 1024)}`);
    expectRefusal(answer, { status: 413, type: 'invalid_request_error', code: 'body_too_large' });
    expect(answer.body.error.message).toContain('1 MB');
  });
});

describe('a request without a statement', () => {
  test.each<[string, () => object, string, number]>([
    ['is JSON', () => ({ file: 'date,amount' }), 'content_type_unsupported', 415],
    ['has no file', () => new FormData(), 'parameter_missing', 400],
    ['has a text as its file', () => formWith('file', 'date,amount'), 'parameter_invalid', 400],
    [
      'has an unknown field',
      () => withField(importForm(`${header}\n${row}`), 'account', '1'),
      'parameter_unknown',
      400,
    ],
    [
      'has a filename with a line break',
      () => importForm(`${header}\n${row}`, 'a\u{202e}b.csv'),
      'parameter_invalid',
      400,
    ],
  ])('is refused when it %s', async (_, body, code, status) => {
    const before = await everything();
    const answer = await api.post('/v1/payments/import', body());
    expect([answer.status, answer.body.error.code], answer.text).toEqual([status, code]);
    expect(await everything()).toEqual(before);
  });
});

function many(count: number): { amount: string; reference: string }[] {
  const text = unique();
  return Array.from({ length: count }, (_, index) => ({ amount: '1.00', reference: `${text} ${index}` }));
}

function formWith(name: string, value: string): FormData {
  return withField(new FormData(), name, value);
}

function withField(form: FormData, name: string, value: string): FormData {
  form.append(name, value);
  return form;
}

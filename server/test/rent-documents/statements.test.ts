import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { startLetting } from '../letting/agency.ts';
import { pagesOf, pdfToolsMissing } from '../support/pdf.ts';
import { good, type TestServer } from '../support/server.ts';
import { Office, textIn } from './office.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startLetting();
});

afterAll(() => server.stop());

/** An invoice of today, 2027-01-04, which two payments have settled in part. */
async function officeWithLedger(): Promise<Office> {
  const office = await Office.on(server);
  await office.invoice();
  await office.pay(30_000, { received_on: '2027-01-02' });
  await office.pay(60_001, { method: 'cash', received_on: '2026-12-31' });
  return office;
}

/** Fills the ledger without the requests that would make it. */
async function fillLedger({ agency, tenancy }: Office, count: number): Promise<void> {
  await withClient(server.connection, (client) =>
    client.query(
      `insert into ledger_entries (account_id, id, created, revision, tenancy, sequence, date, type, amount, balance)
       select $1, 'led_' || $2 || lpad(number::text, 6, '0'), 1, 1, $3, number, '2027-01-03',
         case when number % 2 = 1 then 'invoice' else 'payment' end, case when number % 2 = 1 then 100 else -99 end, 0
       from generate_series(1, $4) number`,
      [agency.accountId, tenancy.id.slice(-16), tenancy.id, count],
    ),
  );
}

describe('the text of a statement', () => {
  beforeEach((context) => {
    if (pdfToolsMissing) context.skip(pdfToolsMissing);
  });

  test('shows each entry with its balance, between the opening and the closing one', async () => {
    const office = await officeWithLedger();
    const text = textIn(await office.statementPdf('&from=2027-01-01&to=2027-01-31'));
    for (const said of [
      'Northern Homes Ltd 4 Stonegate York YO1 8AS United Kingdom',
      'Rent statement This is a test, made in the sandbox',
      'To Ada Lovelace Flat 2 12 Coppergate York YO1 9NR',
      'From 1 January 2027 To 31 January 2027',
      '£49.99 is owed on 31 January 2027 Nothing is overdue now.',
      'Date Entry Details Amount Balance',
      '1 Jan 2027 Opening balance -£600.01',
      '2 Jan 2027 Payment, thank you Standing order -£300.00 -£900.01',
      '4 Jan 2027 Invoice: Rent, February 2027 INV-000001 £950.00 £49.99',
      '31 Jan 2027 Closing balance £49.99',
      'Reference The number of the invoice that you pay',
    ])
      expect(text).toContain(said);
  });

  test('shows credit of the tenants, and asks for nothing, when they have paid too much', async () => {
    const office = await officeWithLedger();
    const text = textIn(await office.statementPdf('&to=2027-01-03'));
    expect(text).toContain('£900.01 in credit on 3 January 2027');
    expect(text).toContain('From The first entry');
    expect(text).not.toContain('How to pay');
  });

  test('repeats the titles on each page, and shows every entry, when it has 2,000 of them', async () => {
    const office = await Office.on(server);
    await fillLedger(office, 2_000);
    const pages = pagesOf(await office.statementPdf());
    expect(pages.length).toBeGreaterThan(50);
    expect(pages.length).toBeLessThan(90);
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`Page ${index + 1} of ${pages.length}`);
      expect(page).toMatch(/Date\s+Entry\s+Details\s+Amount\s+Balance/);
    }
    const rows = pages.join(' ').match(/3 Jan 2027\s+(Invoice|Payment)/g);
    expect(rows).toHaveLength(2_000);
    const text = pages.join(' ').replace(/\s+/g, ' ');
    expect(text).toContain('3 Jan 2027 Invoice £1.00 £10.99 3 Jan 2027 Payment, thank you -£0.99 £10.00');
    expect(text).toContain('Closing balance £10.00');
  });

  test('names arrears in an alarm when money is overdue', async () => {
    const office = await officeWithLedger();
    await withClient(server.connection, (client) =>
      client.query(`update tenancies set arrears = '{"amount":4999,"since":"2027-01-02"}' where account_id = $1`, [
        office.agency.accountId,
      ]),
    );
    expect(textIn(await office.statementPdf())).toContain(
      '£49.99 is owed on 4 January 2027 £49.99 is overdue now, since 2 January 2027.',
    );
  });
});

test.each([
  ['&from=2027-02-01&to=2027-02-28', '2027-02'],
  ['&from=2027-01-02&to=2027-01-31', '2027-01-02-to-2027-01-31'],
  ['&to=2027-01-31', 'until-2027-01-31'],
])('is a download whose name has its days (%s)', async (query, days) => {
  const office = await Office.on(server);
  const response = await office.fetch(`/v1/tenancies/${office.tenancy.id}/statement?format=pdf${query}`);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(response.headers.get('content-disposition')).toContain(
    `filename="statement-${office.tenancy.id}-${days}.pdf"`,
  );
  expect((await office.fetch(response.url.replace(server.url, ''), { method: 'HEAD' })).headers.get('etag')).toBe(
    response.headers.get('etag'),
  );
});

test('is JSON without a format, and with `json`', async () => {
  const office = await officeWithLedger();
  const path = `/v1/tenancies/${office.tenancy.id}/statement`;
  const { body } = await good(office.agency.api.get(`${path}?format=json`));
  expect(body).toEqual((await good(office.agency.api.get(path))).body);
  const refused = await office.agency.api.get(`${path}?format=csv`);
  expect([refused.status, refused.body.error.param]).toEqual([400, 'format']);
});

test('refuses what the JSON refuses, as JSON', async () => {
  const [office, other] = [await Office.on(server), await Office.on(server)];
  const path = `/v1/tenancies/${office.tenancy.id}/statement?format=pdf`;
  const wrongDays = await office.agency.api.get(`${path}&from=2027-01-02&to=2027-01-01`);
  expect([wrongDays.status, wrongDays.body.error.param]).toEqual([400, 'to']);
  expect((await other.agency.api.get(path)).body.error.code).toBe('resource_missing');
  await fillLedger(office, 2_001);
  const tooMany = await office.agency.api.get(path);
  expect([tooMany.status, tooMany.body.error.param]).toEqual([400, 'from']);
});

test('has the same bytes when nothing has changed', async () => {
  const office = await officeWithLedger();
  expect(await office.statementPdf('&to=2027-01-31')).toEqual(await office.statementPdf('&to=2027-01-31'));
});

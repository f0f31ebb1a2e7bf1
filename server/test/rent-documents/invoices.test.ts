import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadMainFonts, withScriptFonts } from '../../src/print/fonts.ts';
import type { InvoiceContents } from '../../src/rent-documents/contents.ts';
import { layOutInvoice } from '../../src/rent-documents/invoice.ts';
import { advance, dawn, startLetting, type Made } from '../letting/agency.ts';
import { fontsOf, informationOf, pagesOf, pdfToolsMissing, structureOf } from '../support/pdf.ts';
import { good, type TestServer } from '../support/server.ts';
import { addKey } from '../support/tenants.ts';
import { Office, textIn } from './office.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startLetting();
});

afterAll(() => server.stop());

const contents: InvoiceContents = {
  kind: 'invoice',
  id: 'in_1',
  number: null,
  status: 'draft',
  isTest: false,
  isOverdue: false,
  created: 0,
  sender: { name: 'A', address: null, email: null, phone: null, registration: null, logo: null, bank: null },
  recipients: ['Ada'],
  home: null,
  tenancy: 'ten_1',
  currency: 'gbp',
  finalizedOn: null,
  dueOn: '2027-02-01',
  paidOn: null,
  voidReason: null,
  period: null,
  lines: [],
  total: 1,
  amountPaid: 0,
  amountCredited: 0,
  amountDue: 1,
  credits: [],
  payments: [],
};

async function textOf(office: Office, invoice: Made): Promise<string> {
  return textIn(await office.invoicePdf(invoice));
}

/** Returns an amount as a document shows it, made from its text and not from a number. */
function pounds(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(3, '0');
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',');
  return `${amount < 0 ? '-' : ''}£${whole}.${digits.slice(-2)}`;
}

describe('the text of an invoice', () => {
  beforeEach((context) => {
    if (pdfToolsMissing) context.skip(pdfToolsMissing);
  });

  test('says who asks whom for what until when, and how to pay, when it is open', async () => {
    const office = await Office.on(server, {}, [{ name: 'Ada Lovelace' }, { name: 'Łukasz Żółć' }]);
    const period = { start: '2027-02-01', end: '2027-02-28' };
    const invoice = await office.invoice({
      lines: [
        { type: 'rent', description: 'Rent, February 2027', amount: 95_000, period },
        { type: 'utility', description: 'Water', amount: 4_217 },
      ],
    });
    const text = await textOf(office, invoice);
    for (const said of [
      'Northern Homes Ltd 4 Stonegate York YO1 8AS United Kingdom rent@northern.example +44 1904 555 0100',
      'Registered in England, no. 01234567',
      'Invoice INV-000001 This is a test, made in the sandbox: no money is owed or was paid.',
      'To Ada Lovelace Łukasz Żółć Flat 2 12 Coppergate York YO1 9NR',
      'Number INV-000001 Date 4 January 2027 Due 1 February 2027',
      '£992.17 is due by 1 February 2027 Quote INV-000001 as the reference.',
      'Rent, February 2027 1 – 28 Feb 2027 £950.00 Water £42.17',
      'Total £992.17 Amount due £992.17',
      'How to pay Account name Northern Homes Client Account Sort code 20-00-00 Account number 55779911',
      'IBAN GB33 BUKB 2020 1555 5555 55 BIC BUKBGB22 Reference INV-000001',
      'Page 1 of 1',
    ])
      expect(text).toContain(said);
    expect(text).toContain(`Tenancy ${office.tenancy.id}`);
  });

  test.each(['ten_018f2N9xQaMMMMwwwwWWWW', `ten_${'W'.repeat(22)}`])(
    'has the id of the tenancy on one line when its letters are wide (%s)',
    async (tenancy) => {
      const fonts = await withScriptFonts(loadMainFonts(), tenancy, null);
      expect(textIn(layOutInvoice({ ...contents, tenancy }, fonts))).toContain(`Tenancy ${tenancy} `);
    },
  );

  test('shows credits and payments so far, which lead from the total to what is due, when it is paid in part', async () => {
    const office = await Office.on(server);
    const { id } = await office.invoice();
    await office.pay(20_001, { method: 'cash', received_on: '2027-01-03' });
    await office.pay(10_000);
    await office.agency.move('invoices', id, 'credit', { amount: 5_050, reason: 'The heating failed.' });
    const invoice = await office.agency.get('invoices', id);
    const text = await textOf(office, invoice);
    const { total, amount_credited: credited, amount_paid: paid, amount_due: due } = invoice;
    expect([total, credited, paid, due]).toEqual([95_000, 5_050, 30_001, 59_949]);
    expect(text).toContain(
      `Total ${pounds(total)} Credits ${pounds(-credited)} Payments so far ${pounds(-paid)} Amount due ${pounds(due)}`,
    );
    expect(text).toContain('Payment Amount 3 Jan 2027 Cash £200.01 4 Jan 2027 Standing order £100.00');
    expect(text).toContain('Credit Amount 4 Jan 2027 The heating failed. £50.50');
    expect(text).toContain('£599.49 is due by 1 February 2027');
  });

  test('says that nothing is due, and asks for nothing, when it is paid', async () => {
    const office = await Office.on(server);
    const { id } = await office.invoice();
    await office.pay(95_000);
    const text = await textOf(office, await office.agency.get('invoices', id));
    expect(text).toContain('Paid Nothing is due. It was settled on 4 January 2027.');
    expect(text).toContain('Payments so far -£950.00 Amount due £0.00');
    expect(text).not.toContain('How to pay');
  });

  test('says on the page that it is a draft, and asks for nothing, when it is one', async () => {
    const office = await Office.on(server);
    const text = await textOf(office, await office.invoice({ finalize: false }));
    expect(text).toContain('Draft invoice');
    expect(text).toContain('Number None yet Date Not finalized');
    expect(text).toContain('Draft This invoice is not owed yet. Do not pay it.');
    expect(text).toMatch(/T E S T D R A F T/);
    expect(text).not.toContain('How to pay');
    expect(text).not.toContain('Amount due');
  });

  test('says what is owed, and of nothing that it is overdue, when it is uncollectible', async () => {
    const office = await Office.on(server);
    const { id } = await office.invoice();
    const invoice = await office.agency.move('invoices', id, 'mark_uncollectible');
    expect(invoice).toMatchObject({ overdue: false, due_on: '2027-02-01' });
    const text = await textOf(office, invoice);
    expect(text).toContain('£950.00 is owed The due date is 1 February 2027. Quote INV-000001 as the reference.');
    expect(text).not.toContain('overdue');
  });

  test('says on the page that it is void, and why, when it is', async () => {
    const office = await Office.on(server);
    const { id } = await office.invoice();
    const text = await textOf(office, await office.agency.move('invoices', id, 'void', { reason: 'Sent twice.' }));
    expect(text).toContain('Void This invoice is not owed. Sent twice.');
    expect(text).toContain('Amount due £0.00');
    expect(text).toMatch(/T E S T V O I D/);
    expect(text).not.toContain('How to pay');
  });

  test('names the account, and no address or bank, when the account has no letterhead', async () => {
    const office = await Office.on(server);
    await good(office.agency.api.post('/v1/account', { letterhead: null }));
    const text = await textOf(office, await office.invoice());
    expect(text).toMatch(/^Northern Invoice INV-000001/);
    expect(text).toContain('How to pay Ask Northern for the account to pay to. Reference INV-000001');
    expect(text).not.toContain('Stonegate');
    expect(text).not.toContain('IBAN');
  });

  test.each([
    ['jpy', 95_000, 'JP¥95,000'],
    ['kwd', 1_234_567, 'KWD 1,234.567'],
    ['huf', 9_500_050, 'HUF 95,000.50'],
    ['usd', 1, 'US$0.01'],
    ['eur', 9_999_999_999, '€99,999,999.99'],
  ])('writes %s with the digits of the currency', async (currency, amount, written) => {
    const office = await Office.on(server, { rent: { amount: 95_000, currency, interval: 'month' } });
    const lines = [{ type: 'rent', description: 'Rent', amount }];
    expect(await textOf(office, await office.invoice({ lines }))).toContain(`Amount due ${written}`);
  });

  test('prints names in any script, and ids for people that another system keeps', async () => {
    const names = ['محمد بن عبد الله', '王小明', 'Όλγα & <Co>'];
    const office = await Office.on(
      server,
      {},
      names.map((name) => ({ name })),
    );
    const text = await textOf(office, await office.invoice());
    // The tool turns the words of a line that is read from the right.
    for (const word of names.flatMap((name) => name.split(' '))) expect(text).toContain(word);
    const elsewhere = await Office.on(server, { customers: ['crm_ada'] }, []);
    expect(await textOf(elsewhere, await elsewhere.invoice())).toContain('To Customer crm_ada Flat 2');
  });

  test('shows no name when the tenant was erased', async () => {
    const office = await Office.on(server);
    const invoice = await office.invoice();
    await office.agency.move('invoices', invoice.id, 'void', { reason: 'The let did not come about.' });
    await office.agency.move('tenancies', office.tenancy.id, 'cancel');
    const [customer] = office.tenancy.customers as string[];
    await good(office.agency.api.delete(`/v1/customers/${customer}`));
    const pdf = await office.invoicePdf(invoice);
    expect(textIn(pdf)).toContain('To Erased person');
    expect(textIn(pdf)).not.toContain('Lovelace');
    expect(informationOf(pdf).Title).toBe('Invoice INV-000001 for Erased person');
  });

  test('repeats the titles of the table, and numbers the pages, when it has 50 long lines', async () => {
    const office = await Office.on(server);
    const lines = Array.from({ length: 50 }, (_, index) => ({
      type: 'rent',
      description: `Line ${index + 1}: ${'the work of a day on the roof and the gutters, '.repeat(4)}`.trim(),
      amount: 101 + index,
    }));
    const pages = pagesOf(await office.invoicePdf(await office.invoice({ lines })));
    expect(pages.length).toBeGreaterThanOrEqual(4);
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`Page ${index + 1} of ${pages.length}`);
      if (page.includes('Line ')) expect(page).toMatch(/Description\s+Period\s+Amount/);
    }
    const text = pages.join(' ').replace(/\s+/g, ' ');
    for (const [index, { amount }] of lines.entries()) {
      expect(text).toContain(`Line ${index + 1}: `);
      expect(text).toContain(`gutters, ${pounds(amount)}`);
    }
    expect(text).toContain(`Total ${pounds(lines.reduce((sum, { amount }) => sum + amount, 0))}`);
  });

  test('is tagged for screen readers, and embeds its fonts', async () => {
    const office = await Office.on(server);
    const pdf = await office.invoicePdf(await office.invoice());
    const structure = structureOf(pdf);
    expect(structure).toMatch(/H1 \(block\)\s+"Invoice INV-000001"/);
    expect(structure).toMatch(/TH:\s+\/Scope \/Column\s+"Description"/);
    expect(informationOf(pdf)).toMatchObject({
      Title: 'Invoice INV-000001 for Ada Lovelace',
      Author: 'Northern Homes Ltd',
      Tagged: 'yes',
    });
    for (const { embedded, subset, unicode } of fontsOf(pdf))
      expect([embedded, subset, unicode]).toEqual(['yes', 'yes', 'yes']);
  });
});

test('is a download with its number as the name, and only headers are sent to a HEAD', async () => {
  const office = await Office.on(server);
  const invoice = await office.invoice();
  const path = `/v1/invoices/${invoice.id}/pdf`;
  const got = await office.fetch(path);
  const bytes = Buffer.from(await got.arrayBuffer());
  const head = await office.fetch(path, { method: 'HEAD' });
  for (const { headers } of [got, head]) {
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="INV-000001.pdf"; filename*=UTF-8''INV-000001.pdf`,
    );
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('content-length')).toBe(String(bytes.length));
    expect(headers.get('etag')).toMatch(/^"[0-9a-f]{64}"$/);
  }
  expect(head.headers.get('etag')).toBe(got.headers.get('etag'));
  expect((await head.arrayBuffer()).byteLength).toBe(0);
  expect(bytes.subarray(0, 8).toString()).toBe('%PDF-1.7');
  const { id } = await office.invoice({ finalize: false });
  expect((await office.fetch(`/v1/invoices/${id}/pdf`)).headers.get('content-disposition')).toContain(
    `filename="draft-${id}.pdf"`,
  );
});

test('has the same bytes when nothing has changed, and others after a payment', async () => {
  const office = await Office.on(server);
  const invoice = await office.invoice();
  const first = await office.invoicePdf(invoice);
  expect(await office.invoicePdf(invoice)).toEqual(first);
  await office.pay(1_000);
  expect(await office.invoicePdf(invoice)).not.toEqual(first);
});

test('is not found for another account, and forbidden without the permission', async () => {
  const office = await Office.on(server);
  const other = await Office.on(server);
  const path = `/v1/invoices/${(await office.invoice()).id}/pdf`;
  expect((await other.fetch(path)).status).toBe(404);
  const { key } = await addKey(server, office.agency.accountId, { permissions: ['tenancies.read'] });
  const refused = await office.fetch(path, { key });
  expect([refused.status, await refused.json()]).toEqual([
    403,
    { error: expect.objectContaining({ code: 'permission_denied' }) },
  ]);
  expect((await office.fetch(`${path}?format=pdf`)).status).toBe(400);
});

test('says since when it is overdue once its due date is past', async (context) => {
  if (pdfToolsMissing) context.skip(pdfToolsMissing);
  const own = await startLetting();
  try {
    const office = await Office.on(own);
    const { id } = await office.invoice({ due_on: '2027-01-05' });
    await advance(own, 2);
    await dawn(own);
    const text = await textOf(office, await office.agency.get('invoices', id));
    expect(text).toContain('£950.00 is overdue It was due on 5 January 2027. Quote INV-000001 as the reference.');
  } finally {
    await own.stop();
  }
});

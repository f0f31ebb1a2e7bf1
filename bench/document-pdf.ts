import { Printer } from '../server/src/print/printer.ts';
import type { DocumentContents, InvoiceContents, StatementContents } from '../server/src/rent-documents/contents.ts';
import { percentile, verify, type Suite } from './suite.ts';

const printedCount = 60;
const largeCount = 3;

/** The first document starts the process, which the others need not. */
const warmUpCount = 3;

/** Entries of a statement of a year, and of the largest one. */
const entries = { ofYear: 30, most: 2_000 };

let printer: Printer<DocumentContents> | undefined;

/** Prints ordinary invoices and statements. Measures from the call to the bytes. */
export const documentPdf: Suite<'invoice' | 'statement' | 'large'> = {
  name: 'documents',
  figures: {
    invoice: { title: 'Invoice as a PDF, p50', unit: 'ms', better: 'less', floor: 50, aim: null, needs: [] },
    statement: {
      title: `Statement of ${entries.ofYear} entries as a PDF, p50`,
      unit: 'ms',
      better: 'less',
      floor: 50,
      aim: null,
      needs: [],
    },
    large: {
      title: `Statement of ${entries.most} entries as a PDF, p50`,
      unit: 'ms',
      better: 'less',
      floor: 3_000,
      aim: null,
      needs: [],
    },
  },
  async round() {
    printer ??= new Printer({ processFile: new URL('../server/src/rent-documents/process.ts', import.meta.url) });
    return {
      invoice: { value: await medianMs(printer, printedCount, (index) => ({ ...invoice, number: `INV-${index}` })) },
      statement: { value: await medianMs(printer, printedCount, () => statementOf(entries.ofYear)) },
      large: { value: await medianMs(printer, largeCount, () => statementOf(entries.most)) },
    };
  },
  async stop() {
    await printer?.stop();
  },
};

async function medianMs(
  by: Printer<DocumentContents>,
  count: number,
  contentsOf: (index: number) => DocumentContents,
): Promise<number> {
  const durationsMs: number[] = [];
  for (let index = -Math.min(warmUpCount, count); index < count; index++) {
    const startedMs = performance.now();
    const pdf = await by.print(contentsOf(index));
    if (index >= 0) durationsMs.push(performance.now() - startedMs);
    verify('a document is a PDF', pdf.subarray(0, 5).toString() === '%PDF-');
  }
  return percentile(durationsMs, 0.5);
}

const common = {
  sender: {
    name: 'Northern Homes Ltd',
    address: { line1: '4 Stonegate', line2: null, city: 'York', postalCode: 'YO1 8AS', country: 'GB' },
    email: 'rent@northern.example',
    phone: '+44 1904 555 0100',
    registration: 'Registered in England, no. 01234567',
    logo: null,
    bank: {
      accountName: 'Northern Homes Client Account',
      bankName: null,
      sortCode: '200000',
      accountNumber: '55779911',
      iban: null,
      bic: null,
    },
  },
  recipients: ['Ada Lovelace', 'Łukasz Żółć'],
  home: {
    unit: 'Flat 2',
    address: { line1: '12 Coppergate', line2: null, city: 'York', postalCode: 'YO1 9NR', country: 'GB' },
  },
  tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4',
  currency: 'gbp',
  isTest: true,
};

const february = { start: '2027-02-01', end: '2027-02-28' };

const invoice: InvoiceContents = {
  ...common,
  kind: 'invoice',
  id: 'in_0VbZq9aK00mT3cUuP8sXw4',
  number: 'INV-000001',
  status: 'open',
  isOverdue: true,
  created: 1_800_835_200,
  finalizedOn: '2027-01-25',
  dueOn: '2027-02-01',
  paidOn: null,
  voidReason: null,
  period: february,
  lines: [
    { description: 'Rent, February 2027', period: february, amount: 95_000 },
    { description: 'Water', period: february, amount: 4_217 },
  ],
  total: 99_217,
  amountPaid: 20_000,
  amountCredited: 5_000,
  amountDue: 74_217,
  credits: [{ on: '2027-02-04', reason: 'The heating failed.', amount: 5_000 }],
  payments: [{ on: '2027-02-03', method: 'cash', amount: 20_000 }],
};

function statementOf(count: number): StatementContents {
  return {
    ...common,
    kind: 'statement',
    from: null,
    to: '2027-02-28',
    opening: 0,
    closing: 95_000,
    entries: Array.from({ length: count }, (_, index) => ({
      date: '2027-02-01',
      type: index % 2 === 0 ? 'invoice' : 'payment',
      amount: index % 2 === 0 ? 95_000 : -95_000,
      balance: index % 2 === 0 ? 95_000 : 0,
      description: index % 2 === 0 ? 'Rent, February 2027' : null,
      number: index % 2 === 0 ? `INV-${String(index).padStart(6, '0')}` : null,
      method: index % 2 === 0 ? null : 'standing_order',
    })),
    arrears: { amount: 95_000, since: '2027-02-02' },
  };
}

import { reportPrinter, type ReportContents } from '../server/src/referencing/report/index.ts';
import { percentile, verify, type Suite } from './suite.ts';

const reportCount = 60;

/** The first report starts the process, which the others need not. */
const warmUpCount = 3;

let printer: ReturnType<typeof reportPrinter> | undefined;

/** Prints an ordinary report of a completed reference, two pages long. Measures from the call to its bytes. */
export const reportPdf: Suite<'p50' | 'size'> = {
  name: 'report',
  figures: {
    p50: { title: 'Report as a PDF, p50', unit: 'ms', better: 'less', floor: 50, aim: null, needs: [] },
    size: { title: 'Report as a PDF, size', unit: 'kB', better: 'less', floor: 100, aim: null, needs: [] },
  },
  async round() {
    printer ??= reportPrinter();
    const durationsMs: number[] = [];
    let bytes = 0;
    for (let index = -warmUpCount; index < reportCount; index++) {
      const startedMs = performance.now();
      const pdf = await printer.print({ ...sample, referenceId: `ref_${index}` });
      if (index >= 0) durationsMs.push(performance.now() - startedMs);
      verify('a report is a PDF', pdf.subarray(0, 5).toString() === '%PDF-');
      bytes = Math.max(bytes, pdf.length);
    }
    return { p50: { value: percentile(durationsMs, 0.5) }, size: { value: bytes / 1000 } };
  },
  async stop() {
    await printer?.stop();
  },
};

const sample: ReportContents = {
  referenceId: 'ref_0',
  created: 1_801_216_500,
  completed: 1_801_392_300,
  providerName: 'Canopy',
  applicationId: 'app_0',
  accountName: 'Harper & Sons Lettings',
  applicant: {
    name: 'Łukasz Żółć',
    dateOfBirth: '1993-04-17',
    currentAddress: {
      line1: '14 Albion Terrace',
      line2: 'Flat 3',
      city: 'Bristol',
      postalCode: 'BS1 4QA',
      country: 'GB',
    },
  },
  customerId: null,
  letterhead: null,
  tenancy: null,
  unfinished: null,
  decision: null,
  sharedRent: null,
  hasGuarantor: true,
  findings: {
    verdict: 'consider',
    words: 'Consider, with a guarantor',
    reasons: ['The rent takes more than 40% of the verified income.', 'The employer did not answer in seven days.'],
    affordability: {
      status: 'refer',
      percentage: 45.5,
      rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
      annualIncome: { amount: 2_505_500, currency: 'gbp' },
      isIncomeVerified: true,
      sources: ['Salary at Northbridge Engineering Ltd, by three payslips that were matched to bank payments.'],
    },
    credit: {
      score: 420,
      scoreMax: 999,
      facts: [
        { label: 'Electoral roll', value: 'Registered at this address' },
        { label: 'County court judgments', value: 'None' },
        { label: 'Insolvency', value: 'None' },
        { label: 'Addresses', value: '3 years, 2 addresses, all of them disclosed' },
      ],
    },
    sanctions: { passed: true, facts: ['The lists of the UK, the UN and the EU were searched.'] },
    checks: [
      { name: 'Identity', result: 'pass', detail: 'Passport and a live picture matched.' },
      { name: 'Employer', result: 'refer', detail: 'Did not answer in seven days.' },
      { name: 'Former landlord', result: 'pass', detail: 'No arrears, property left in good order.' },
      { name: 'Right to rent', result: 'not_performed', detail: null },
    ],
    notes: [{ created: 1_801_300_000, message: 'The employer was written to a second time.' }],
    dispute: { service: 'Canopy', contact: 'complaints@canopy.example' },
  },
  timeline: [
    { created: 1_801_216_500, message: 'Ordered.' },
    { created: 1_801_216_560, message: 'The applicant was invited.' },
    { created: 1_801_240_000, message: 'The applicant filled in the form and connected a bank account.' },
    { created: 1_801_392_300, message: 'Completed.' },
  ],
  isTest: true,
};

import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { reportPrinter, type ReportContents } from '../../../src/referencing/report/index.ts';
import { anyCodePoint } from '../../support/any-code-point.ts';
import { naughtyStrings } from '../../support/naughty-strings.ts';
import { pagesOf, pdfToolsMissing } from '../../support/pdf.ts';
import { rounds } from '../../support/rounds.ts';

const printer = reportPrinter();
afterAll(() => printer.stop());

describe('reports with any findings', () => {
  const anyText = fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 100 }) },
    { weight: 4, arbitrary: fc.string({ unit: anyCodePoint, maxLength: 100 }) },
    { weight: 4, arbitrary: fc.constantFrom(...naughtyStrings) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'W'.repeat(5_000),
        '\uFFFD'.repeat(3_000),
        'e\u0301\u0302\u0303\u0323\u0331'.repeat(900),
        '\n'.repeat(9_000),
        'निर्भर '.repeat(99),
      ),
    },
  );
  const anyNumber = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  const texts = fc.array(anyText, { maxLength: 5 });
  const note = fc.record({ created: anyNumber, message: anyText });
  const rent = fc.record({ amount: anyNumber, currency: anyText, interval: fc.constantFrom('week', 'month', 'year') });
  const address = fc.record({
    line1: anyText,
    line2: fc.option(anyText),
    city: anyText,
    postalCode: anyText,
    country: anyText,
  });
  const findings = fc.record({
    verdict: fc.constantFrom('accept', 'consider', 'high_risk'),
    words: anyText,
    reasons: texts,
    affordability: fc.option(
      fc.record({
        status: fc.option(anyText),
        percentage: fc.option(anyNumber),
        rent: fc.option(rent),
        annualIncome: fc.option(fc.record({ amount: anyNumber, currency: anyText })),
        isIncomeVerified: fc.boolean(),
        sources: texts,
      }),
    ),
    credit: fc.option(
      fc.record({
        score: fc.option(anyNumber),
        scoreMax: fc.option(anyNumber),
        facts: fc.array(fc.record({ label: anyText, value: anyText }), { maxLength: 5 }),
      }),
    ),
    sanctions: fc.option(fc.record({ passed: fc.option(fc.boolean()), facts: texts })),
    checks: fc.array(
      fc.record({
        name: anyText,
        result: fc.constantFrom('pass', 'refer', 'fail', 'not_performed'),
        detail: fc.option(anyText),
      }),
      { maxLength: 5 },
    ),
    notes: fc.array(note, { maxLength: 5 }),
    dispute: fc.record({ service: anyText, contact: anyText }),
  });
  const anyContents = fc.record({
    referenceId: anyText,
    created: anyNumber,
    completed: anyNumber,
    providerName: fc.option(anyText),
    applicationId: anyText,
    accountName: anyText,
    applicant: fc.option(
      fc.record({ name: anyText, dateOfBirth: fc.option(anyText), currentAddress: fc.option(address) }),
    ),
    customerId: fc.option(anyText),
    letterhead: fc.option(
      fc.record({
        name: anyText,
        address: fc.option(address),
        email: fc.option(anyText),
        phone: fc.option(anyText),
        registration: fc.option(anyText),
        logo: fc.constant(null),
      }),
    ),
    tenancy: fc.option(
      fc.record({
        home: fc.option(fc.record({ name: anyText, address: fc.option(address) })),
        moveInDate: fc.option(anyText),
        rent: fc.option(rent),
        coApplicants: texts,
      }),
    ),
    unfinished: fc.option(
      fc.record({
        words: fc.option(anyText),
        percentage: fc.option(anyNumber),
        creditScore: fc.option(anyNumber),
        sanctionsPassed: fc.option(fc.boolean()),
      }),
    ),
    decision: fc.option(
      fc.record({
        outcome: fc.constantFrom('accept', 'consider', 'high_risk'),
        reason: fc.option(anyText),
        by: anyText,
        at: anyNumber,
      }),
    ),
    sharedRent: fc.option(
      fc.record({ whole: rent, shares: fc.array(fc.record({ customerId: anyText, rent }), { maxLength: 4 }) }),
    ),
    hasGuarantor: fc.boolean(),
    findings: fc.option(findings),
    timeline: fc.array(note, { maxLength: 5 }),
    isTest: fc.boolean(),
  }) as fc.Arbitrary<ReportContents>;

  test('prints a PDF of bounded size when the findings are random', async () => {
    await fc.assert(
      fc.asyncProperty(anyContents, async (contents) => {
        const pdf = await printer.print(contents);
        expect(pdf.subarray(0, 8).toString()).toBe('%PDF-1.7');
        expect(pdf.subarray(-6).toString()).toBe('%%EOF\n');
        expect(pdf.length).toBeLessThan(10_000_000);
      }),
      { numRuns: rounds(8, 16) },
    );
  });

  test('prints a PDF that another program can read when the findings are random', async (context) => {
    if (pdfToolsMissing) context.skip(pdfToolsMissing);
    await fc.assert(
      fc.asyncProperty(anyContents, async (contents) => {
        const pages = pagesOf(await printer.print(contents));
        expect(pages.at(-1)).toContain(`Page ${pages.length} of ${pages.length}`);
      }),
      { numRuns: rounds(4, 8) },
    );
  });
});

import type { Findings } from '../../../src/referencing/providers/provider.ts';
import type { ReportContents } from '../../../src/referencing/report/index.ts';

/** 2027-01-31 10:45 UTC. */
export const completed = 1_801_392_300;

/** A reference with some of everything, changed as a test needs it. */
export function contentsOf(
  changes: Partial<ReportContents> = {},
  findings: Partial<Findings> = {},
): ReportContents & { findings: Findings } {
  return {
    referenceId: 'ref_0192f3a4b5c6',
    created: completed - 2 * 86_400,
    completed,
    providerName: 'Canopy',
    applicationId: 'app_0192f3a4b5c7',
    accountName: 'Harper & Sons <Lettings>',
    applicant: {
      name: 'Łukasz Żółć',
      dateOfBirth: '1993-04-07',
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
    hasGuarantor: false,
    findings: {
      verdict: 'accept',
      words: 'Acceptable',
      reasons: ['Income covers the rent with room to spare.', 'No adverse credit.'],
      affordability: {
        status: 'pass',
        percentage: 28,
        rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
        annualIncome: { amount: 4_071_400, currency: 'gbp' },
        isIncomeVerified: true,
        sources: ['Salary, confirmed by the employer.'],
      },
      credit: { score: 640, scoreMax: 999, facts: [{ label: 'Electoral roll', value: 'Registered at this address' }] },
      sanctions: { passed: true, facts: ['UK, UN and EU lists were searched.'] },
      checks: [
        { name: 'Identity', result: 'pass', detail: 'Passport and picture matched.' },
        { name: 'Employer', result: 'refer', detail: 'On probation until May.' },
        { name: 'Former landlord', result: 'fail', detail: 'Two months of arrears.' },
        { name: 'Right to rent', result: 'not_performed', detail: null },
      ],
      notes: [{ created: completed - 3_600, message: 'The employer answered.' }],
      dispute: { service: 'Canopy Disputes', contact: 'disputes@canopy.example' },
      ...findings,
    },
    timeline: [
      { created: completed, message: 'Completed' },
      { created: completed - 86_400, message: 'The applicant was invited.' },
    ],
    isTest: false,
    ...changes,
  } as ReportContents & { findings: Findings };
}

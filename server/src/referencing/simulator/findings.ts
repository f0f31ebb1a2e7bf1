import { standingOf, type Rent, type SimulatedOrder } from './order.ts';
import type { Finding } from '../../core/vocabulary/simulation-script.ts';

type Verdict = 'accept' | 'consider' | 'high_risk';
export type CheckResult = 'pass' | 'refer' | 'fail' | 'not_performed';

/** The findings of a simulated service, before it puts them into its own words. */
export interface CaseFile {
  verdict: Verdict;
  reasons: string[];
  affordability: { percentage: number; result: CheckResult };
  rent: Rent;
  /** In the smallest unit of the rent's currency. */
  annualIncome: number;
  incomeSources: string[];
  isIncomeDoubted: boolean;
  creditScore: number | null;
  creditFacts: { label: string; value: string }[];
  sanctionsPassed: boolean;
  sanctionsFacts: string[];
  checks: { name: string; result: CheckResult; detail: string | null; referee: Referee | null }[];
}

/** Invented data. The numbers are among those that Ofcom reserves for fiction, and the domains among those of RFC 2606. */
export interface Referee {
  name: string;
  email: string;
  phone: string;
}

const employer: Referee = {
  name: 'Morgan Ellis',
  email: 'morgan.ellis@bakery.example',
  phone: '020 7946 0182',
};
const formerLandlord: Referee = {
  name: 'Priya Nair',
  email: 'priya.nair@lettings.example',
  phone: '+44 7700 900417',
};

interface Result {
  verdict: Verdict;
  percentage: number;
  affordability: CheckResult;
  score: number | null;
  reason: string;
  creditFact?: string;
}

const good = { verdict: 'accept', percentage: 28, affordability: 'pass', score: 640 } as const;

const results: Readonly<Record<Finding, Result>> = {
  accept: { ...good, reason: 'No issues were found.' },
  consider: {
    verdict: 'consider',
    percentage: 45,
    affordability: 'refer',
    score: 420,
    reason: 'The rent is a larger share of the income than usual.',
  },
  high_risk: {
    verdict: 'high_risk',
    percentage: 62,
    affordability: 'fail',
    score: 120,
    reason: 'The rent is more than the income can carry, and accounts were not paid.',
    creditFact: 'Two accounts in default',
  },
  no_credit_file: {
    ...good,
    verdict: 'consider',
    score: null,
    reason: 'There is no credit file about the person, which says nothing against them.',
  },
  ccj: {
    ...good,
    verdict: 'high_risk',
    score: 180,
    reason: 'There is a county court judgment that was not declared and is not paid.',
    creditFact: 'One county court judgment, not satisfied',
  },
  ccj_satisfied: {
    ...good,
    verdict: 'consider',
    score: 430,
    reason: 'There is a county court judgment; it is paid.',
    creditFact: 'One county court judgment, satisfied',
  },
  iva: {
    ...good,
    verdict: 'high_risk',
    score: 150,
    reason: 'There is an individual voluntary arrangement.',
    creditFact: 'An individual voluntary arrangement, active',
  },
  bankrupt: {
    ...good,
    verdict: 'high_risk',
    score: 90,
    reason: 'There is a bankruptcy that is not discharged.',
    creditFact: 'A bankruptcy, not discharged',
  },
  low_income: {
    ...good,
    verdict: 'consider',
    percentage: 58,
    affordability: 'fail',
    reason: 'The income does not carry the rent.',
  },
  sanctions_match: {
    ...good,
    verdict: 'high_risk',
    reason: 'The person is on a list of persons under financial sanctions.',
  },
  sanctions_review: {
    ...good,
    reason: 'A similar name is on a list of persons under financial sanctions; it is another person.',
  },
  referee_silent: { ...good, verdict: 'consider', reason: 'The employer did not answer within seven working days.' },
  fraud_payslip: {
    ...good,
    verdict: 'high_risk',
    affordability: 'refer',
    reason: 'A payslip was changed after it was made.',
  },
};

/** The best score on the scale of the simulated credit files. */
export const scoreMax = 999;

const usualRent: Rent = { amount: 95_000, currency: 'gbp', interval: 'month' };

/** Returns the findings, or null until the order is done. */
export function caseFileOf(order: SimulatedOrder, nowMs: number): CaseFile | null {
  const { finding } = standingOf(order, nowMs);
  if (finding === null) return null;
  const result = results[finding];
  // If the order has no rent, the renter has given it.
  const rent = order.rent ?? usualRent;
  // The guarantor's income makes up for it: passed in conjunction.
  const isInConjunction = finding === 'low_income' && order.hasGuarantor;
  return {
    verdict: isInConjunction ? 'accept' : result.verdict,
    reasons: isInConjunction
      ? [result.reason, 'Together with the guarantor it does: accepted in conjunction.']
      : [result.reason],
    affordability: { percentage: result.percentage, result: result.affordability },
    rent,
    annualIncome: Math.round((annualOf(rent) * 100) / result.percentage),
    incomeSources:
      finding === 'fraud_payslip'
        ? ['Salary, by payslips of which one was changed.']
        : ['Salary, by three payslips and the statements of a bank account.'],
    isIncomeDoubted: finding === 'fraud_payslip',
    creditScore: result.score,
    creditFacts: [
      { label: 'Electoral roll', value: result.score === null ? 'Not found' : 'Registered at this address' },
      { label: 'Public records', value: result.creditFact ?? 'None' },
    ],
    sanctionsPassed: finding !== 'sanctions_match',
    sanctionsFacts: [sanctionsFactOf(finding)],
    checks: [
      {
        name: 'Identity',
        result: finding === 'fraud_payslip' ? 'refer' : 'pass',
        detail: 'A passport and a picture of the face.',
        referee: null,
      },
      finding === 'referee_silent'
        ? { name: 'Employer', result: 'not_performed', detail: askedIn(employer), referee: employer }
        : { name: 'Employer', result: 'pass', detail: confirmedBy(employer), referee: employer },
      { name: 'Former landlord', result: 'pass', detail: confirmedBy(formerLandlord), referee: formerLandlord },
    ],
  };
}

/** Adds the employer's contact details, as talkative services do. */
export function spelledOut(text: string): string {
  return text.replace(/\b[Tt]he employer\b/, (words) => `${words} (${employer.email}, ${employer.phone})`);
}

function sanctionsFactOf(finding: Finding): string {
  if (finding === 'sanctions_match') return 'One entry of the consolidated list matches by name and date of birth.';
  if (finding === 'sanctions_review') return 'One entry has a similar name and another date of birth.';
  return 'No entry of the consolidated list matches.';
}

function confirmedBy({ name, email, phone }: Referee): string {
  return `Confirmed by ${name} (${email}, ${phone}).`;
}

function askedIn({ name, email, phone }: Referee): string {
  return `${name} did not answer, neither at ${email} nor at ${phone}.`;
}

function annualOf({ amount, interval }: Rent): number {
  return amount * { week: 52, month: 12, year: 1 }[interval];
}

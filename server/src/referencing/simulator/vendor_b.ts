import { Type } from 'typebox';
import Schema from 'typebox/schema';
import { scoreMax, spelledOut, type CheckResult } from './findings.ts';
import type { Phase } from './order.ts';
import type { Asked, OrderView, Vendor } from './vendor.ts';

const states: Readonly<Record<Phase, string>> = {
  queued: 'Pending Submission',
  invited: 'Invitation Sent',
  in_progress: 'In Progress',
  awaiting_referee: 'Awaiting Response',
  in_review: 'In Review',
  done: 'Completed',
  canceled: 'Cancelled',
};
const verdicts = { accept: 'Pass', consider: 'Conditional Pass', high_risk: 'Fail' } as const;
const results: Readonly<Record<CheckResult, string>> = {
  pass: 'Pass',
  refer: 'Refer',
  fail: 'Fail',
  not_performed: 'NotPerformed',
};
const intervals = { Week: 'week', Month: 'month', Year: 'year' } as const;
const intervalNames = { week: 'Week', month: 'Month', year: 'Year' } as const;

const orderSchema = Type.Object({
  Subject: Type.Union([Type.Object({ EmailAddress: Type.Union([Type.String(), Type.Null()]) }), Type.Null()]),
  RentShare: Type.Union([
    Type.Object({
      Amount: Type.String({ pattern: String.raw`^\d{1,13}\.\d\d$` }),
      Currency: Type.String(),
      Per: Type.Enum(['Week', 'Month', 'Year']),
    }),
    Type.Null(),
  ]),
  Guarantor: Type.Enum(['Yes', 'No']),
  TestScenario: Type.Optional(Type.String()),
});

export const vendorB: Vendor = {
  provider: 'provider_b',
  orderIdOf: (digest) => `B-${String(digest.readUIntBE(0, 6)).padStart(15, '0')}`,

  credentialIn({ authorization = '' }) {
    const encoded = /^Basic (.+)$/.exec(authorization)?.[1] ?? '';
    const [username = '', ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
    // Either of them may be the wrong one.
    return username.startsWith('invalid') ? username : password.join(':');
  },

  askedBy({ method, path: [api, resource, id, action, ...rest], body }): Asked | null {
    if (api !== 'api' || id === undefined || rest.length > 0) return null;
    if (resource === 'cases') {
      if (action !== undefined) return null;
      if (method === 'GET') return { kind: 'find', referenceId: id };
      return method === 'PUT' ? placedBy(id, body) : null;
    }
    if (resource !== 'case-numbers') return null;
    if (method === 'GET' && action === 'outcome') return { kind: 'report', orderId: id };
    if (action !== undefined) return null;
    if (method === 'DELETE') return { kind: 'cancel', orderId: id };
    return method === 'GET' ? { kind: 'read', orderId: id } : null;
  },

  placed: (view) => ({ status: 200, body: caseBody(view) }),
  order: (view) => ({ status: 200, body: caseBody(view) }),
  list: (view) =>
    view
      ? { status: 200, body: caseBody(view) }
      : { status: 404, body: { Fault: { Code: 'NoSuchCase', Text: 'There is no such case.' } } },
  canceled: () => ({ status: 204, body: null }),
  closed: () => ({ status: 410, body: { Fault: { Code: 'CaseClosed', Text: 'The case is closed.' } } }),
  refused: (status, code, message) => ({
    status,
    body: { Fault: { Code: code.replaceAll('_', '-'), Text: message } },
  }),

  report: ({ standing }, file) => ({
    status: 200,
    body: {
      Result: verdicts[file.verdict],
      Comments: file.reasons.map(spelledOut),
      Income: {
        Outcome: results[file.affordability.result],
        ShareOfIncome: file.affordability.percentage,
        RentShare: {
          Amount: decimalOf(file.rent.amount),
          Currency: file.rent.currency.toUpperCase(),
          Per: intervalNames[file.rent.interval],
        },
        VerifiedGrossAnnual: { Amount: decimalOf(file.annualIncome), Currency: file.rent.currency.toUpperCase() },
        Doubtful: file.isIncomeDoubted,
        Evidence: file.incomeSources,
      },
      CreditFile: {
        Found: file.creditScore !== null,
        Score: file.creditScore,
        OutOf: scoreMax,
        Lines: file.creditFacts.map(({ label, value }) => [label, value]),
      },
      SanctionsStatus: file.sanctionsPassed ? 'NotFound' : 'Match',
      SanctionsRemarks: file.sanctionsFacts,
      Sections: file.checks.map(({ name, result, detail, referee }) => ({
        Name: name,
        Status: results[result],
        Remark: detail,
        Contact: referee && { FullName: referee.name, Email: referee.email, Telephone: referee.phone },
      })),
      Touchpoints: standing.notes.map(({ atMs, message }) => ({
        CreatedAt: new Date(atMs).toISOString(),
        Message: spelledOut(message),
      })),
      Complaints: { Firm: 'Provider B (simulated)', HowToReach: 'https://provider-b.example/complaints' },
    },
  }),
};

function placedBy(referenceId: string, body: unknown): Asked {
  if (!Schema.Check(orderSchema, body)) return { kind: 'unreadable' };
  return {
    kind: 'place',
    order: {
      referenceId,
      email: body.Subject?.EmailAddress ?? null,
      scenario: body.TestScenario ?? null,
      rent: body.RentShare && {
        amount: Number(body.RentShare.Amount.replace('.', '')),
        currency: body.RentShare.Currency.toLowerCase(),
        interval: intervals[body.RentShare.Per],
      },
      hasGuarantor: body.Guarantor === 'Yes',
      callback: null,
    },
  };
}

function caseBody({ order, standing, file }: OrderView): object {
  return {
    CaseNumber: order.orderId,
    YourReference: order.referenceId,
    State: states[standing.phase],
    Result: file && verdicts[file.verdict],
    OnHold: standing.problem && {
      Reason: standing.problem.code.replaceAll('_', ' '),
      Explanation: standing.problem.message,
    },
  };
}

function decimalOf(amount: number): string {
  return `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
}

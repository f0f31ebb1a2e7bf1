import { Type } from 'typebox';
import { withoutContacts } from '../../external-services/without-contacts.ts';
import type { ProviderAccess, ProviderRequest } from '../../external-services/service.ts';
import type { Findings, Order, OrderStatus, Progress, ReferencingProvider, Rent, Verdict } from './provider.ts';
import { codeOf, meaningOf, orNull, parseResponse } from '../../external-services/parse-response.ts';
import { noteOf } from './notes.ts';

/*
 * Adapts a service that responds at once, mostly with the verdict, and has no callbacks. It uses HTTP Basic, and makes one case for each of
 * our references. Money is decimal text.
 */

const states: Readonly<Record<string, OrderStatus>> = {
  'Pending Submission': 'queued',
  'Invitation Sent': 'invited',
  'In Progress': 'in_progress',
  'Awaiting Response': 'awaiting_referee',
  'In Review': 'in_review',
  Completed: 'done',
  Cancelled: 'canceled',
};

const verdicts: Readonly<Record<string, Verdict>> = {
  Pass: 'accept',
  'Conditional Pass': 'consider',
  Caution: 'consider',
  Warning: 'consider',
  Inconclusive: 'consider',
  Fail: 'high_risk',
};

const results = { Pass: 'pass', Refer: 'refer', Fail: 'fail', NotPerformed: 'not_performed' } as const;

const caseSchema = Type.Object({
  CaseNumber: Type.String({ minLength: 1 }),
  State: Type.String(),
  Result: orNull(Type.String()),
  OnHold: orNull(Type.Object({ Reason: Type.String(), Explanation: Type.String() })),
});

const amountSchema = Type.String({ pattern: String.raw`^\d{1,13}\.\d\d$` });

const reportSchema = Type.Object({
  Result: Type.String(),
  Comments: Type.Array(Type.String()),
  Income: Type.Object({
    Outcome: orNull(Type.String()),
    ShareOfIncome: orNull(Type.Number()),
    RentShare: orNull(Type.Object({ Amount: amountSchema, Currency: Type.String(), Per: Type.String() })),
    VerifiedGrossAnnual: orNull(Type.Object({ Amount: amountSchema, Currency: Type.String() })),
    Doubtful: Type.Optional(Type.Boolean()),
    Evidence: Type.Array(Type.String()),
  }),
  CreditFile: Type.Object({
    Found: Type.Boolean(),
    Score: orNull(Type.Integer()),
    OutOf: Type.Optional(Type.Integer()),
    Lines: Type.Array(Type.Tuple([Type.String(), Type.String()])),
  }),
  SanctionsStatus: Type.String(),
  SanctionsRemarks: Type.Array(Type.String()),
  Sections: Type.Array(
    Type.Object({
      Name: Type.String(),
      Status: Type.String(),
      Remark: orNull(Type.String()),
      Contact: orNull(Type.Object({ FullName: Type.String() })),
    }),
  ),
  Touchpoints: Type.Array(Type.Object({ CreatedAt: Type.String(), Message: Type.String() })),
  Complaints: Type.Object({ Firm: Type.String(), HowToReach: Type.String() }),
});

const faultSchema = Type.Object({ Fault: Type.Object({ Code: Type.String(), Text: Type.String() }) });

export const providerB: ReferencingProvider = {
  name: 'provider_b',
  lookAgainAfterSeconds: 300,

  async submit(access, order) {
    return progressOf(
      await ask(access, {
        method: 'PUT',
        path: `/api/cases/${encodeURIComponent(order.referenceId)}`,
        body: orderBody(order),
      }),
    );
  },

  async read(access, orderId) {
    return progressOf(await ask(access, { method: 'GET', path: pathOf(orderId) }));
  },

  async find(access, referenceId) {
    // 404: there is no such case.
    const path = `/api/cases/${encodeURIComponent(referenceId)}`;
    const { status, body } = await call(access, { method: 'GET', path, expected: [200, 404] });
    return status === 404 ? null : parseResponse(caseSchema, body).CaseNumber;
  },

  async cancel(access, orderId) {
    // 410: it is closed already.
    await ask(access, { method: 'DELETE', path: pathOf(orderId), expected: [204, 410] });
  },

  async fetchFindings(access, orderId) {
    return findingsOf(await ask(access, { method: 'GET', path: `${pathOf(orderId)}/outcome` }));
  },
};

async function ask(access: ProviderAccess, request: ProviderRequest): Promise<unknown> {
  return (await call(access, request)).body;
}

async function call(
  { client, credentials }: ProviderAccess,
  request: ProviderRequest,
): Promise<{ status: number; body: unknown }> {
  const secret = Buffer.from(`${credentials.username}:${credentials.password}`, 'utf8').toString('base64');
  return client.call({
    ...request,
    headers: { authorization: `Basic ${secret}` },
    refusalIn: (answer) => {
      const { Code: code, Text: message } = parseResponse(faultSchema, answer).Fault;
      return { code, message };
    },
  });
}

function pathOf(orderId: string): string {
  return `/api/case-numbers/${encodeURIComponent(orderId)}`;
}

function orderBody({ applicant, rent, hasGuarantor, scenario }: Order): object {
  return {
    Subject: applicant && {
      Name: applicant.name,
      EmailAddress: applicant.email,
      Telephone: applicant.phone,
      DateOfBirth: applicant.dateOfBirth,
      AddressHistory: applicant.addresses.map(({ line1, line2, city, postalCode, country }) => ({
        Address: [line1, line2, city, postalCode].filter((line) => line !== null).join(', '),
        Country: country,
      })),
    },
    RentShare: rent && {
      Amount: decimalOf(rent.amount),
      Currency: rent.currency.toUpperCase(),
      Per: { week: 'Week', month: 'Month', year: 'Year' }[rent.interval],
    },
    Guarantor: hasGuarantor ? 'Yes' : 'No',
    ...(scenario !== null && { TestScenario: scenario }),
  };
}

function progressOf(body: unknown): Progress {
  const found = parseResponse(caseSchema, body);
  const status = meaningOf(states, found.State);
  return {
    orderId: found.CaseNumber,
    status,
    outcome: status === 'done' ? { words: found.Result ?? '', verdict: meaningOf(verdicts, found.Result ?? '') } : null,
    data: null,
    problem: found.OnHold && {
      code: codeOf(found.OnHold.Reason),
      message: withoutContacts(found.OnHold.Explanation),
    },
  };
}

function findingsOf(body: unknown): Findings {
  const report = parseResponse(reportSchema, body);
  const names = report.Sections.flatMap(({ Contact }) => (Contact ? [Contact.FullName] : []));
  const clean = (text: string): string => withoutContacts(text, names);
  const { Income: income, CreditFile: credit } = report;
  return {
    verdict: meaningOf(verdicts, report.Result),
    words: report.Result,
    reasons: report.Comments.map(clean),
    affordability: {
      status: income.Outcome === null ? null : meaningOf(results, income.Outcome),
      percentage: income.ShareOfIncome,
      rent: income.RentShare && {
        ...moneyOf(income.RentShare),
        interval: meaningOf<Rent['interval']>({ Week: 'week', Month: 'month', Year: 'year' }, income.RentShare.Per),
      },
      annualIncome: income.VerifiedGrossAnnual && moneyOf(income.VerifiedGrossAnnual),
      isIncomeVerified: income.Doubtful !== true,
      sources: income.Evidence.map(clean),
    },
    credit: {
      score: credit.Found ? credit.Score : null,
      scoreMax: credit.OutOf ?? null,
      facts: credit.Lines.map(([label, value]) => ({ label: clean(label), value: clean(value) })),
    },
    sanctions: {
      passed: meaningOf<{ passed: boolean | null }>(
        { NotFound: { passed: true }, Match: { passed: false }, ActionRequired: { passed: null } },
        report.SanctionsStatus,
      ).passed,
      facts: report.SanctionsRemarks.map(clean),
    },
    checks: report.Sections.map(({ Name, Status, Remark }) => ({
      name: clean(Name),
      result: meaningOf(results, Status),
      detail: Remark === null ? null : clean(Remark),
    })),
    notes: report.Touchpoints.map(({ CreatedAt, Message }) => noteOf(CreatedAt, Message, names)),
    dispute: { service: report.Complaints.Firm, contact: report.Complaints.HowToReach },
  };
}

/** Writes money in hundredths for any currency: our smallest unit with two decimals. */
function decimalOf(amount: number): string {
  return `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
}

function moneyOf({ Amount: amount, Currency: currency }: { Amount: string; Currency: string }): {
  amount: number;
  currency: string;
} {
  return { amount: Number(amount.replace('.', '')), currency: currency.toLowerCase() };
}

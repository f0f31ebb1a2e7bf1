import { Type, type Static } from 'typebox';
import { withoutContacts } from '../../external-services/without-contacts.ts';
import type { ProviderAccess, ProviderRequest } from '../../external-services/service.ts';
import type { Findings, Order, OrderStatus, Progress, ReferencingProvider, Rent, Verdict } from './provider.ts';
import { codeOf, meaningOf, orNull, parseResponse } from '../../external-services/parse-response.ts';
import { noteOf } from './notes.ts';
import { headerOf, isHmacOf, memberOf } from '../../external-services/signatures.ts';

/*
 * Adapts a service that reports much, step by step. It is REST, with a key as bearer token. It makes one order for each reference, even if
 * it is asked again. Callbacks are signed together with their time.
 */

/** The service's words for its stages. */
const stages: Readonly<Record<string, OrderStatus>> = {
  NOT_STARTED: 'queued',
  INVITE_SENT: 'invited',
  IN_PROGRESS: 'in_progress',
  AWAITING_REFEREE: 'awaiting_referee',
  IN_REVIEW: 'in_review',
  DONE: 'done',
  FAILED: 'failed',
  CANCELLED: 'canceled',
};

const decisions: Readonly<Record<string, Verdict>> = {
  ACCEPT: 'accept',
  VERIFY: 'accept',
  CONSIDER: 'consider',
  HIGH_RISK: 'high_risk',
};

const results = { PASS: 'pass', REFER: 'refer', FAIL: 'fail', NOT_PERFORMED: 'not_performed' } as const;

const frequencies = { WEEKLY: 'week', MONTHLY: 'month', ANNUAL: 'year' } as const;

const timelineSchema = Type.Array(Type.Object({ at: Type.String(), text: Type.String() }));

const requestSchema = Type.Object({
  requestId: Type.String({ minLength: 1 }),
  stage: Type.String(),
  decision: orNull(Type.String()),
  progressPercent: orNull(Type.Integer({ minimum: 0, maximum: 100 })),
  affordability: orNull(Type.Object({ rentToIncomePercent: orNull(Type.Number()), result: orNull(Type.String()) })),
  creditScore: orNull(Type.Integer()),
  sanctionsClear: orNull(Type.Boolean()),
  timeline: timelineSchema,
  blocker: orNull(Type.Object({ code: Type.String(), text: Type.String() })),
});

const listSchema = Type.Object({ requests: Type.Array(Type.Object({ requestId: Type.String({ minLength: 1 }) })) });

const reportSchema = Type.Object({
  decision: Type.String(),
  decisionReasons: Type.Array(Type.String()),
  affordability: orNull(
    Type.Object({
      result: orNull(Type.String()),
      rentToIncomePercent: orNull(Type.Number()),
      rent: orNull(Type.Object({ amountMinor: Type.Integer(), currency: Type.String(), frequency: Type.String() })),
      verifiedAnnualIncome: orNull(Type.Object({ amountMinor: Type.Integer(), currency: Type.String() })),
      incomeDoubted: Type.Optional(Type.Boolean()),
      sources: Type.Array(Type.String()),
    }),
  ),
  credit: orNull(
    Type.Object({
      score: orNull(Type.Integer()),
      scoreMax: Type.Optional(Type.Integer()),
      entries: Type.Array(Type.Object({ label: Type.String(), value: Type.String() })),
    }),
  ),
  sanctions: orNull(Type.Object({ clear: orNull(Type.Boolean()), entries: Type.Array(Type.String()) })),
  checks: Type.Array(Type.Object({ title: Type.String(), result: Type.String(), comment: orNull(Type.String()) })),
  referees: Type.Array(Type.Object({ name: Type.String() })),
  timeline: timelineSchema,
  complaints: Type.Object({ company: Type.String(), contact: Type.String() }),
});

/** Seconds that a callback's time may differ. An older callback may be a replay. */
const toleranceSeconds = 300;

export const providerA: ReferencingProvider = {
  name: 'provider_a',
  lookAgainAfterSeconds: 300,

  async submit(access, order) {
    return progressOf(
      await ask(access, { method: 'POST', path: '/v1/reference-requests', body: orderBody(access, order) }),
    );
  },

  async read(access, orderId) {
    return progressOf(await ask(access, { method: 'GET', path: pathOf(orderId) }));
  },

  async find(access, referenceId) {
    const path = `/v1/reference-requests?clientReferenceId=${encodeURIComponent(referenceId)}`;
    return parseResponse(listSchema, await ask(access, { method: 'GET', path })).requests[0]?.requestId ?? null;
  },

  async invite(access, orderId, email) {
    // 409: it has ended already.
    await ask(access, {
      method: 'PUT',
      path: `${pathOf(orderId)}/applicant-email`,
      body: { email },
      expected: [200, 409],
    });
  },

  async cancel(access, orderId) {
    // 409: it has ended already.
    await ask(access, { method: 'POST', path: `${pathOf(orderId)}/cancel`, expected: [200, 409] });
  },

  async fetchFindings(access, orderId) {
    return findingsOf(
      parseResponse(reportSchema, await ask(access, { method: 'GET', path: `${pathOf(orderId)}/report` })),
    );
  },

  readCallback({ headers, body, credentials, nowSeconds }) {
    const timestamp = headerOf(headers, 'x-callback-timestamp');
    if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds) return null;
    const signature = headerOf(headers, 'x-callback-signature');
    if (!isHmacOf(signature, credentials.signing_secret ?? '', `${timestamp}.`, body)) return null;
    return memberOf(body, 'clientReferenceId');
  },
};

async function ask({ client, credentials }: ProviderAccess, request: ProviderRequest): Promise<unknown> {
  const { body } = await client.call({
    ...request,
    headers: { authorization: `Bearer ${credentials.api_key}` },
    refusalIn: (answer) => (answer as { error: { code: unknown; message: unknown } }).error,
  });
  return body;
}

function pathOf(orderId: string): string {
  return `/v1/reference-requests/${encodeURIComponent(orderId)}`;
}

function orderBody({ credentials }: ProviderAccess, order: Order): object {
  return {
    clientReferenceId: order.referenceId,
    applicant: order.applicant && {
      fullName: order.applicant.name,
      email: order.applicant.email,
      phone: order.applicant.phone,
      dateOfBirth: order.applicant.dateOfBirth,
      addresses: order.applicant.addresses.map(({ line1, line2, city, postalCode, country }) => ({
        lines: [line1, line2].filter((line) => line !== null),
        town: city,
        postcode: postalCode,
        country,
      })),
    },
    rentShare: order.rent && {
      amountMinor: order.rent.amount,
      currency: order.rent.currency.toUpperCase(),
      frequency: { week: 'WEEKLY', month: 'MONTHLY', year: 'ANNUAL' }[order.rent.interval],
    },
    hasGuarantor: order.hasGuarantor,
    callback: { url: order.callbackUrl, signingSecret: credentials.signing_secret },
    ...(order.scenario !== null && { testScenario: order.scenario }),
  };
}

function progressOf(body: unknown): Progress {
  const request = parseResponse(requestSchema, body);
  const status = meaningOf(stages, request.stage);
  return {
    orderId: request.requestId,
    status,
    outcome:
      status === 'done'
        ? { words: request.decision ?? '', verdict: meaningOf(decisions, request.decision ?? '') }
        : null,
    data: {
      affordability: {
        percentage: request.affordability?.rentToIncomePercent ?? null,
        status: resultOf(request.affordability?.result ?? null),
      },
      credit_score: request.creditScore,
      notes: request.timeline.map(({ at, text }) => noteOf(at, text)),
      progress: request.progressPercent,
      sanctions_passed: request.sanctionsClear,
    },
    problem: request.blocker && {
      code: codeOf(request.blocker.code),
      message: withoutContacts(request.blocker.text),
    },
  };
}

function findingsOf(report: Static<typeof reportSchema>): Findings {
  const names = report.referees.map(({ name }) => name);
  const clean = (text: string): string => withoutContacts(text, names);
  const { affordability, credit, sanctions } = report;
  return {
    verdict: meaningOf(decisions, report.decision),
    words: report.decision,
    reasons: report.decisionReasons.map(clean),
    affordability: affordability && {
      status: resultOf(affordability.result),
      percentage: affordability.rentToIncomePercent,
      rent: affordability.rent && rentOf(affordability.rent),
      annualIncome: affordability.verifiedAnnualIncome && {
        amount: affordability.verifiedAnnualIncome.amountMinor,
        currency: affordability.verifiedAnnualIncome.currency.toLowerCase(),
      },
      isIncomeVerified: affordability.incomeDoubted !== true,
      sources: affordability.sources.map(clean),
    },
    credit: credit && {
      score: credit.score,
      scoreMax: credit.scoreMax ?? null,
      facts: credit.entries.map(({ label, value }) => ({ label: clean(label), value: clean(value) })),
    },
    sanctions: sanctions && { passed: sanctions.clear, facts: sanctions.entries.map(clean) },
    checks: report.checks.map(({ title, result, comment }) => ({
      name: clean(title),
      result: meaningOf(results, result),
      detail: comment === null ? null : clean(comment),
    })),
    notes: report.timeline.map(({ at, text }) => noteOf(at, text, names)),
    dispute: { service: report.complaints.company, contact: report.complaints.contact },
  };
}

function resultOf(word: string | null): string | null {
  return word === null ? null : meaningOf(results, word);
}

function rentOf(rent: { amountMinor: number; currency: string; frequency: string }): Rent {
  return {
    amount: rent.amountMinor,
    currency: rent.currency.toLowerCase(),
    interval: meaningOf<Rent['interval']>(frequencies, rent.frequency),
  };
}

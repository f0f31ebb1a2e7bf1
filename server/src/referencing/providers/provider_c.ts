import { Type } from 'typebox';
import { withoutContacts } from '../../external-services/without-contacts.ts';
import type { ProviderAccess, ProviderRequest } from '../../external-services/service.ts';
import type { Findings, Order, OrderStatus, Progress, ReferencingProvider, Verdict } from './provider.ts';
import { codeOf, meaningOf, orNull, parseResponse } from '../../external-services/parse-response.ts';
import { noteOf } from './notes.ts';
import { headerOf, isHmacOf, memberOf } from '../../external-services/signatures.ts';

/*
 * Adapts a service whose staff work for days. It takes a key in a header of its own. Its rejections are problem documents (RFC 9457).
 * Callbacks are signed over their body alone, and come twice and in any order, so only their arrival counts.
 */

const phases: Readonly<Record<string, OrderStatus>> = {
  received: 'queued',
  applicant_invited: 'invited',
  collecting: 'in_progress',
  referees_contacted: 'awaiting_referee',
  with_assessor: 'in_review',
  concluded: 'done',
  abandoned: 'failed',
  withdrawn: 'canceled',
};

const recommendations: Readonly<Record<string, Verdict>> = {
  Accepted: 'accept',
  Refer: 'consider',
  'Accept with guarantor': 'consider',
  Rejected: 'high_risk',
};

const results = { ok: 'pass', refer: 'refer', not_ok: 'fail', skipped: 'not_performed' } as const;

const applicationSchema = Type.Object({
  application: Type.Object({
    uuid: Type.String({ minLength: 1 }),
    phase: Type.String(),
    recommendation: orNull(Type.String()),
    hold: orNull(Type.Object({ reason: Type.String(), explanation: Type.String() })),
  }),
});

const listSchema = Type.Object({ applications: Type.Array(Type.Object({ uuid: Type.String({ minLength: 1 }) })) });

const moneySchema = Type.Object({ minor_units: Type.Integer(), currency: Type.String() });

const assessmentSchema = Type.Object({
  assessment: Type.Object({
    recommendation: Type.String(),
    rationale: Type.Array(Type.String()),
    means: Type.Object({
      result: orNull(Type.String()),
      rent_to_income_ratio: orNull(Type.Number()),
      rent: orNull(Type.Object({ ...moneySchema.properties, every: Type.Enum(['week', 'month', 'year']) })),
      annual_income: orNull(moneySchema),
      evidence: Type.Array(Type.String()),
      evidence_doubted: Type.Optional(Type.Boolean()),
    }),
    credit_search: Type.Object({
      score: orNull(Type.Integer()),
      scale_to: Type.Optional(Type.Integer()),
      facts: Type.Array(Type.Object({ key: Type.String(), value: Type.String() })),
    }),
    screening: Type.Object({ hit: orNull(Type.Boolean()), remarks: Type.Array(Type.String()) }),
    enquiries: Type.Array(
      Type.Object({
        subject: Type.String(),
        conclusion: Type.String(),
        summary: orNull(Type.String()),
        answered_by: orNull(Type.Object({ name: Type.String() })),
      }),
    ),
    diary: Type.Array(Type.Object({ time: Type.String(), entry: Type.String() })),
    ombudsman: Type.Object({ firm: Type.String(), address: Type.String() }),
  }),
});

const problemSchema = Type.Object({ type: Type.String(), detail: Type.String() });

export const providerC: ReferencingProvider = {
  name: 'provider_c',
  lookAgainAfterSeconds: 600,

  async submit(access, order) {
    return progressOf(await ask(access, { method: 'POST', path: '/applications', body: orderBody(access, order) }));
  },

  async read(access, orderId) {
    return progressOf(await ask(access, { method: 'GET', path: pathOf(orderId) }));
  },

  async find(access, referenceId) {
    const path = `/applications?external_id=${encodeURIComponent(referenceId)}`;
    return parseResponse(listSchema, await ask(access, { method: 'GET', path })).applications[0]?.uuid ?? null;
  },

  async invite(access, orderId, email) {
    // 409: it is concluded already.
    await ask(access, { method: 'PUT', path: `${pathOf(orderId)}/email`, body: { email }, expected: [200, 409] });
  },

  async cancel(access, orderId) {
    // 409: it is concluded already.
    await ask(access, { method: 'PUT', path: `${pathOf(orderId)}/withdrawal`, body: {}, expected: [200, 204, 409] });
  },

  async fetchFindings(access, orderId) {
    return findingsOf(await ask(access, { method: 'GET', path: `${pathOf(orderId)}/assessment` }));
  },

  readCallback({ headers, body, credentials }) {
    const [scheme, signature = ''] = headerOf(headers, 'x-signature-256').split('=');
    if (scheme !== 'sha256' || !isHmacOf(signature, credentials.signing_secret ?? '', body)) return null;
    return memberOf(body, 'external_id');
  },
};

async function ask({ client, credentials }: ProviderAccess, request: ProviderRequest): Promise<unknown> {
  const { body } = await client.call({
    ...request,
    headers: { 'x-api-key': credentials.api_key ?? '' },
    refusalIn: (answer) => {
      const { type, detail } = parseResponse(problemSchema, answer);
      return { code: type.split(':').at(-1), message: detail };
    },
  });
  return body;
}

function pathOf(orderId: string): string {
  return `/applications/${encodeURIComponent(orderId)}`;
}

function orderBody({ credentials }: ProviderAccess, order: Order): object {
  const { applicant, rent } = order;
  return {
    external_id: order.referenceId,
    person: applicant && {
      name: applicant.name,
      email: applicant.email,
      mobile: applicant.phone,
      born_on: applicant.dateOfBirth,
      residences: applicant.addresses.map(({ line1, line2, city, postalCode, country }) => ({
        street: line2 === null ? line1 : `${line1}, ${line2}`,
        city,
        postal_code: postalCode,
        country_code: country,
      })),
    },
    rent: rent && { minor_units: rent.amount, currency: rent.currency, every: rent.interval },
    guaranteed: order.hasGuarantor,
    notify: { url: order.callbackUrl, secret: credentials.signing_secret },
    ...(order.scenario !== null && { test_scenario: order.scenario }),
  };
}

function progressOf(body: unknown): Progress {
  const { uuid, phase, recommendation, hold } = parseResponse(applicationSchema, body).application;
  const status = meaningOf(phases, phase);
  return {
    orderId: uuid,
    status,
    outcome:
      status === 'done'
        ? { words: recommendation ?? '', verdict: meaningOf(recommendations, recommendation ?? '') }
        : null,
    data: null,
    problem: hold && { code: codeOf(hold.reason), message: withoutContacts(hold.explanation) },
  };
}

function findingsOf(body: unknown): Findings {
  const { means, credit_search: credit, screening, ...assessment } = parseResponse(assessmentSchema, body).assessment;
  const names = assessment.enquiries.flatMap(({ answered_by: referee }) => (referee ? [referee.name] : []));
  const clean = (text: string): string => withoutContacts(text, names);
  return {
    verdict: meaningOf(recommendations, assessment.recommendation),
    words: assessment.recommendation,
    reasons: assessment.rationale.map(clean),
    affordability: {
      status: means.result === null ? null : meaningOf(results, means.result),
      // The service returns a ratio.
      percentage: means.rent_to_income_ratio === null ? null : Math.round(means.rent_to_income_ratio * 10_000) / 100,
      rent: means.rent && {
        amount: means.rent.minor_units,
        currency: means.rent.currency,
        interval: means.rent.every,
      },
      annualIncome: means.annual_income && {
        amount: means.annual_income.minor_units,
        currency: means.annual_income.currency,
      },
      isIncomeVerified: means.evidence_doubted !== true,
      sources: means.evidence.map(clean),
    },
    credit: {
      score: credit.score,
      scoreMax: credit.scale_to ?? null,
      facts: credit.facts.map(({ key, value }) => ({ label: clean(key), value: clean(value) })),
    },
    sanctions: { passed: screening.hit === null ? null : !screening.hit, facts: screening.remarks.map(clean) },
    checks: assessment.enquiries.map(({ subject, conclusion, summary }) => ({
      name: clean(subject),
      result: meaningOf(results, conclusion),
      detail: summary === null ? null : clean(summary),
    })),
    notes: assessment.diary.map(({ time, entry }) => noteOf(time, entry, names)),
    dispute: { service: assessment.ombudsman.firm, contact: assessment.ombudsman.address },
  };
}

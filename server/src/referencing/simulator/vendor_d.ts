import { Type } from 'typebox';
import Schema from 'typebox/schema';
import { scoreMax, type CheckResult } from './findings.ts';
import type { Phase } from './order.ts';
import type { Asked, OrderView, Vendor } from './vendor.ts';

const states: Readonly<Record<Phase, string>> = {
  queued: 'new',
  invited: 'invited',
  in_progress: 'running',
  awaiting_referee: 'waiting',
  in_review: 'manual',
  done: 'complete',
  canceled: 'canceled',
};
const verdicts = { accept: 'clear', consider: 'review', high_risk: 'decline' } as const;
const results: Readonly<Record<CheckResult, string>> = {
  pass: 'clear',
  refer: 'review',
  fail: 'decline',
  not_performed: 'none',
};

const orderSchema = Type.Object({
  reference: Type.String({ minLength: 1 }),
  email: Type.Union([Type.String(), Type.Null()]),
  rent: Type.Union([
    Type.Object({
      cents: Type.Integer({ minimum: 0 }),
      currency: Type.String(),
      interval: Type.Enum(['week', 'month', 'year']),
    }),
    Type.Null(),
  ]),
  guarantor: Type.Boolean(),
  test_scenario: Type.Optional(Type.String()),
});

export const vendorD: Vendor = {
  provider: 'provider_d',
  // Never 0.
  orderIdOf: (digest) => String(digest.readUIntBE(0, 6) + 1),
  credentialIn: ({ authorization = '' }) => /^Token (.+)$/.exec(authorization)?.[1] ?? '',

  askedBy({ method, path: [resource, orderId, action, ...rest], query, body }): Asked | null {
    if (resource !== 'screenings' || rest.length > 0) return null;
    if (orderId === undefined) {
      if (method === 'POST') return placedBy(body);
      const referenceId = query.get('reference');
      return method === 'GET' && referenceId !== null ? { kind: 'find', referenceId } : null;
    }
    if (method === 'POST' && action === 'stop') return { kind: 'cancel', orderId };
    if (method === 'GET' && action === 'findings') return { kind: 'report', orderId };
    return method === 'GET' && action === undefined ? { kind: 'read', orderId } : null;
  },

  placed: (view, isNew) =>
    isNew
      ? { status: 201, body: screeningBody(view) }
      : { status: 409, body: { code: 'duplicate', reason: 'There is a screening with this reference.' } },
  order: (view) => ({ status: 200, body: screeningBody(view) }),
  list: (view) => ({ status: 200, body: { screenings: view ? [screeningBody(view)] : [] } }),
  canceled: (view) => ({ status: 200, body: screeningBody(view) }),
  closed: () => ({ status: 409, body: { code: 'complete', reason: 'The screening is complete.' } }),
  refused: (status, code, message) => ({ status, body: { code, reason: message } }),

  report: ({ standing }, file) => ({
    status: 200,
    body: {
      result: verdicts[file.verdict],
      reasons: file.reasons,
      rent_percentage: file.affordability.percentage,
      rent_result: results[file.affordability.result],
      rent: { cents: file.rent.amount, currency: file.rent.currency, interval: file.rent.interval },
      income_cents: file.annualIncome,
      income_sources: file.incomeSources,
      income_doubted: file.isIncomeDoubted,
      score: file.creditScore,
      score_max: scoreMax,
      bureau: file.creditFacts.map(({ label, value }) => `${label}: ${value}`),
      watchlists: { matched: !file.sanctionsPassed, text: file.sanctionsFacts },
      // This service does not name its referees.
      checks: file.checks.map(({ name, result, referee, detail }) => ({
        name,
        result: results[result],
        text: referee ? null : detail,
      })),
      log: standing.notes.map(({ atMs, message }) => ({ at: Math.floor(atMs / 1000), text: message })),
      complaints_desk: { name: 'Provider D (simulated)', email: 'complaints@provider-d.example' },
    },
  }),
};

function placedBy(body: unknown): Asked {
  if (!Schema.Check(orderSchema, body)) return { kind: 'unreadable' };
  return {
    kind: 'place',
    order: {
      referenceId: body.reference,
      email: body.email,
      scenario: body.test_scenario ?? null,
      rent: body.rent && { amount: body.rent.cents, currency: body.rent.currency, interval: body.rent.interval },
      hasGuarantor: body.guarantor,
      callback: null,
    },
  };
}

function screeningBody({ order, standing, file }: OrderView): object {
  return {
    id: Number(order.orderId),
    reference: order.referenceId,
    state: states[standing.phase],
    result: file && verdicts[file.verdict],
    stopped_by: standing.problem && { what: standing.problem.code, why: standing.problem.message },
  };
}

import { createHmac } from 'node:crypto';
import { Type } from 'typebox';
import Schema from 'typebox/schema';
import { scoreMax, spelledOut } from './findings.ts';
import type { Phase } from './order.ts';
import { invitedBy, type Asked, type OrderView, type Vendor } from './vendor.ts';

const stages: Readonly<Record<Phase, string>> = {
  queued: 'NOT_STARTED',
  invited: 'INVITE_SENT',
  in_progress: 'IN_PROGRESS',
  awaiting_referee: 'AWAITING_REFEREE',
  in_review: 'IN_REVIEW',
  done: 'DONE',
  canceled: 'CANCELLED',
};
const decisions = { accept: 'ACCEPT', consider: 'CONSIDER', high_risk: 'HIGH_RISK' } as const;
const frequencies = { WEEKLY: 'week', MONTHLY: 'month', ANNUAL: 'year' } as const;
const frequencyNames = { week: 'WEEKLY', month: 'MONTHLY', year: 'ANNUAL' } as const;

const orderSchema = Type.Object({
  clientReferenceId: Type.String({ minLength: 1 }),
  applicant: Type.Union([Type.Object({ email: Type.Union([Type.String(), Type.Null()]) }), Type.Null()]),
  rentShare: Type.Union([
    Type.Object({
      amountMinor: Type.Integer({ minimum: 0 }),
      currency: Type.String(),
      frequency: Type.Enum(['WEEKLY', 'MONTHLY', 'ANNUAL']),
    }),
    Type.Null(),
  ]),
  hasGuarantor: Type.Boolean(),
  callback: Type.Object({ url: Type.String(), signingSecret: Type.String({ minLength: 1 }) }),
  testScenario: Type.Optional(Type.String()),
});

export const vendorA: Vendor = {
  provider: 'provider_a',
  orderIdOf: (digest) => `rr_${digest.toString('hex').slice(0, 24)}`,
  credentialIn: ({ authorization = '' }) => /^Bearer (.+)$/.exec(authorization)?.[1] ?? '',

  askedBy({ method, path: [version, resource, orderId, action, ...rest], query, body }): Asked | null {
    if (version !== 'v1' || resource !== 'reference-requests' || rest.length > 0) return null;
    if (orderId === undefined) {
      if (method === 'POST') return placedBy(body);
      const referenceId = query.get('clientReferenceId');
      return method === 'GET' && referenceId !== null ? { kind: 'find', referenceId } : null;
    }
    if (method === 'PUT' && action === 'applicant-email') return invitedBy(orderId, body);
    if (method === 'POST' && action === 'cancel') return { kind: 'cancel', orderId };
    if (method === 'GET' && action === 'report') return { kind: 'report', orderId };
    return method === 'GET' && action === undefined ? { kind: 'read', orderId } : null;
  },

  placed: (view, isNew) => ({ status: isNew ? 201 : 200, body: requestBody(view) }),
  order: (view) => ({ status: 200, body: requestBody(view) }),
  list: (view) => ({ status: 200, body: { requests: view ? [requestBody(view)] : [] } }),
  canceled: (view) => ({ status: 200, body: requestBody(view) }),
  closed: () => ({ status: 409, body: { error: { code: 'REQUEST_CLOSED', message: 'The request has ended.' } } }),
  refused: (status, code, message) => ({ status, body: { error: { code: code.toUpperCase(), message } } }),

  report: ({ order, standing }, file) => ({
    status: 200,
    body: {
      requestId: order.orderId,
      decision: decisions[file.verdict],
      decisionReasons: file.reasons.map(spelledOut),
      affordability: {
        result: file.affordability.result.toUpperCase(),
        rentToIncomePercent: file.affordability.percentage,
        rent: {
          amountMinor: file.rent.amount,
          currency: file.rent.currency.toUpperCase(),
          frequency: frequencyNames[file.rent.interval],
        },
        verifiedAnnualIncome: { amountMinor: file.annualIncome, currency: file.rent.currency.toUpperCase() },
        incomeDoubted: file.isIncomeDoubted,
        sources: file.incomeSources,
      },
      credit: { score: file.creditScore, scoreMax, entries: file.creditFacts },
      sanctions: { clear: file.sanctionsPassed, entries: file.sanctionsFacts },
      checks: file.checks.map(({ name, result, detail }) => ({
        title: name,
        result: result.toUpperCase(),
        comment: detail,
      })),
      referees: file.checks.flatMap(({ name: role, referee }) => (referee ? [{ role, ...referee }] : [])),
      timeline: timelineOf(standing),
      complaints: { company: 'Provider A (simulated)', contact: 'complaints@provider-a.example' },
    },
  }),

  callback: {
    stepsToTell: (from, to) => Array.from({ length: to - from }, (_, index) => from + index + 1),
    request({ order, phase }, secret, nowMs) {
      const timestamp = String(Math.floor(nowMs / 1000));
      const body = JSON.stringify({
        type: 'reference_request.updated',
        requestId: order.orderId,
        clientReferenceId: order.referenceId,
        stage: stages[phase],
      });
      const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
      return { headers: { 'x-callback-timestamp': timestamp, 'x-callback-signature': signature }, body };
    },
  },
};

function placedBy(body: unknown): Asked {
  if (!Schema.Check(orderSchema, body)) return { kind: 'unreadable' };
  return {
    kind: 'place',
    order: {
      referenceId: body.clientReferenceId,
      email: body.applicant?.email ?? null,
      scenario: body.testScenario ?? null,
      rent: body.rentShare && {
        amount: body.rentShare.amountMinor,
        currency: body.rentShare.currency.toLowerCase(),
        interval: frequencies[body.rentShare.frequency],
      },
      hasGuarantor: body.hasGuarantor,
      callback: { url: body.callback.url, secret: body.callback.signingSecret },
    },
  };
}

/** Shows no finding before the decision. */
function requestBody({ order, standing, file }: OrderView): object {
  return {
    requestId: order.orderId,
    clientReferenceId: order.referenceId,
    stage: stages[standing.phase],
    decision: file && decisions[file.verdict],
    progressPercent: standing.percent,
    affordability: file && {
      rentToIncomePercent: file.affordability.percentage,
      result: file.affordability.result.toUpperCase(),
    },
    creditScore: file && file.creditScore,
    sanctionsClear: file && file.sanctionsPassed,
    timeline: timelineOf(standing),
    blocker: standing.problem && { code: standing.problem.code.toUpperCase(), text: standing.problem.message },
  };
}

function timelineOf({ notes }: OrderView['standing']): object[] {
  return notes.map(({ atMs, message }) => ({ at: new Date(atMs).toISOString(), text: spelledOut(message) }));
}

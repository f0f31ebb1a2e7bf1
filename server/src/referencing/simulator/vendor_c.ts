import { createHmac } from 'node:crypto';
import { Type } from 'typebox';
import Schema from 'typebox/schema';
import { scoreMax, spelledOut, type CheckResult } from './findings.ts';
import type { Phase } from './order.ts';
import { invitedBy, type Asked, type OrderView, type Vendor } from './vendor.ts';

const phases: Readonly<Record<Phase, string>> = {
  queued: 'received',
  invited: 'applicant_invited',
  in_progress: 'collecting',
  awaiting_referee: 'referees_contacted',
  in_review: 'with_assessor',
  done: 'concluded',
  canceled: 'withdrawn',
};
const recommendations = { accept: 'Accepted', consider: 'Refer', high_risk: 'Rejected' } as const;
const results: Readonly<Record<CheckResult, string>> = {
  pass: 'ok',
  refer: 'refer',
  fail: 'not_ok',
  not_performed: 'skipped',
};

const orderSchema = Type.Object({
  external_id: Type.String({ minLength: 1 }),
  person: Type.Union([Type.Object({ email: Type.Union([Type.String(), Type.Null()]) }), Type.Null()]),
  rent: Type.Union([
    Type.Object({
      minor_units: Type.Integer({ minimum: 0 }),
      currency: Type.String(),
      every: Type.Enum(['week', 'month', 'year']),
    }),
    Type.Null(),
  ]),
  guaranteed: Type.Boolean(),
  notify: Type.Object({ url: Type.String(), secret: Type.String({ minLength: 1 }) }),
  test_scenario: Type.Optional(Type.String()),
});

export const vendorC: Vendor = {
  provider: 'provider_c',
  orderIdOf: (digest) => digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5'),
  credentialIn: (headers) => String(headers['x-api-key'] ?? ''),

  askedBy({ method, path: [resource, orderId, action, ...rest], query, body }): Asked | null {
    if (resource !== 'applications' || rest.length > 0) return null;
    if (orderId === undefined) {
      if (method === 'POST') return placedBy(body);
      const referenceId = query.get('external_id');
      return method === 'GET' && referenceId !== null ? { kind: 'find', referenceId } : null;
    }
    if (method === 'PUT' && action === 'email') return invitedBy(orderId, body);
    if (method === 'PUT' && action === 'withdrawal') return { kind: 'cancel', orderId };
    if (method === 'GET' && action === 'assessment') return { kind: 'report', orderId };
    return method === 'GET' && action === undefined ? { kind: 'read', orderId } : null;
  },

  placed: (view) => ({ status: 202, body: applicationBody(view) }),
  order: (view) => ({ status: 200, body: applicationBody(view) }),
  list: (view) => ({ status: 200, body: { applications: view ? [applicationBody(view).application] : [] } }),
  canceled: () => ({ status: 204, body: null }),
  closed: () => problem(409, 'application_concluded', 'The application is concluded.'),
  refused: problem,

  report: ({ standing }, file) => ({
    status: 200,
    body: {
      assessment: {
        recommendation: recommendations[file.verdict],
        rationale: file.reasons.map(spelledOut),
        means: {
          result: results[file.affordability.result],
          rent_to_income_ratio: file.affordability.percentage / 100,
          rent: {
            minor_units: file.rent.amount,
            currency: file.rent.currency,
            every: file.rent.interval,
          },
          annual_income: { minor_units: file.annualIncome, currency: file.rent.currency },
          evidence: file.incomeSources,
          evidence_doubted: file.isIncomeDoubted,
        },
        credit_search: {
          score: file.creditScore,
          scale_to: scoreMax,
          facts: file.creditFacts.map(({ label, value }) => ({ key: label, value })),
        },
        screening: { hit: !file.sanctionsPassed, remarks: file.sanctionsFacts },
        enquiries: file.checks.map(({ name, result, detail, referee }) => ({
          subject: name,
          conclusion: results[result],
          summary: detail,
          answered_by: referee && { name: referee.name, email: referee.email, mobile: referee.phone },
        })),
        diary: standing.notes.map(({ atMs, message }) => ({
          time: new Date(atMs).toISOString(),
          entry: spelledOut(message),
        })),
        ombudsman: { firm: 'Provider C (simulated)', address: 'disputes@provider-c.example' },
      },
    },
  }),

  callback: {
    /* Of two steps, sends the second first, and then both again. So each comes twice, and some come too late. */
    stepsToTell(from, to, total) {
      const reported: number[] = [];
      for (let step = from + 1; step <= to; step++) {
        if (step % 2 === 0) reported.push(step, step - 1, step);
        else if (step === total) reported.push(step, step);
        else reported.push(step);
      }
      return reported;
    },
    request({ order, phase, step }, secret) {
      const body = JSON.stringify({
        application: order.orderId,
        external_id: order.referenceId,
        phase: phases[phase],
        sequence: step,
      });
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      return { headers: { 'x-signature-256': `sha256=${signature}` }, body };
    },
  },
};

function problem(status: number, code: string, detail: string): { status: number; body: object } {
  return { status, body: { type: `urn:provider-c:problem:${code}`, title: 'Not possible', status, detail } };
}

function placedBy(body: unknown): Asked {
  if (!Schema.Check(orderSchema, body)) return { kind: 'unreadable' };
  return {
    kind: 'place',
    order: {
      referenceId: body.external_id,
      email: body.person?.email ?? null,
      scenario: body.test_scenario ?? null,
      rent: body.rent && {
        amount: body.rent.minor_units,
        currency: body.rent.currency,
        interval: body.rent.every,
      },
      hasGuarantor: body.guaranteed,
      callback: body.notify,
    },
  };
}

function applicationBody({ order, standing, file }: OrderView): { application: object } {
  return {
    application: {
      uuid: order.orderId,
      external_id: order.referenceId,
      phase: phases[standing.phase],
      recommendation: file && recommendations[file.verdict],
      hold: standing.problem && { reason: standing.problem.code, explanation: standing.problem.message },
    },
  };
}

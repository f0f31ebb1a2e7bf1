import { Type, type Static } from 'typebox';
import { withoutContacts } from '../../external-services/without-contacts.ts';
import { ProviderFault, type ProviderAccess, type ProviderRequest } from '../../external-services/service.ts';
import type { Findings, Order, OrderStatus, Progress, ReferencingProvider, Verdict } from './provider.ts';
import { codeOf, meaningOf, orNull, parseResponse } from '../../external-services/parse-response.ts';
import { noteOf } from './notes.ts';

/*
 * Adapts a service that fails often, is soon busy, and has no callbacks, so it is polled. It can make several orders for a reference. So
 * existing orders are looked up before one is made, and again if the service reports a conflict. Its ids are numbers.
 */

const states: Readonly<Record<string, OrderStatus>> = {
  new: 'queued',
  invited: 'invited',
  running: 'in_progress',
  waiting: 'awaiting_referee',
  manual: 'in_review',
  complete: 'done',
  error: 'failed',
  canceled: 'canceled',
};

const results: Readonly<Record<string, Verdict>> = {
  clear: 'accept',
  approve: 'accept',
  review: 'consider',
  unavailable: 'consider',
  UNDETERMINED: 'consider',
  decline: 'high_risk',
  EDITED: 'high_risk',
};

const checkResults = { clear: 'pass', review: 'refer', decline: 'fail', none: 'not_performed' } as const;

const screeningSchema = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  state: Type.String(),
  result: orNull(Type.String()),
  stopped_by: orNull(Type.Object({ what: Type.String(), why: Type.String() })),
});

const listSchema = Type.Object({ screenings: Type.Array(screeningSchema) });

const findingsSchema = Type.Object({
  result: Type.String(),
  reasons: Type.Array(Type.String()),
  rent_percentage: orNull(Type.Number()),
  rent_result: orNull(Type.String()),
  rent: orNull(
    Type.Object({ cents: Type.Integer(), currency: Type.String(), interval: Type.Enum(['week', 'month', 'year']) }),
  ),
  income_cents: orNull(Type.Integer()),
  income_sources: Type.Array(Type.String()),
  income_doubted: Type.Optional(Type.Boolean()),
  score: orNull(Type.Integer()),
  score_max: Type.Optional(Type.Integer()),
  bureau: Type.Array(Type.String()),
  watchlists: Type.Object({ matched: orNull(Type.Boolean()), text: Type.Array(Type.String()) }),
  checks: Type.Array(Type.Object({ name: Type.String(), result: Type.String(), text: orNull(Type.String()) })),
  log: Type.Array(Type.Object({ at: Type.Integer({ minimum: 0, maximum: 4_000_000_000 }), text: Type.String() })),
  complaints_desk: Type.Object({ name: Type.String(), email: Type.String() }),
});

const faultSchema = Type.Object({ code: Type.String(), reason: Type.String() });

export const providerD: ReferencingProvider = {
  name: 'provider_d',
  lookAgainAfterSeconds: 30,

  async submit(access, order) {
    const known = await lookUp(access, order.referenceId);
    if (known) return progressOf(known);
    const { status, body } = await ask(access, {
      method: 'POST',
      path: '/screenings',
      body: orderBody(order),
      // 409: another process has made it meanwhile.
      expected: [200, 201, 409],
    });
    if (status !== 409) return progressOf(parseResponse(screeningSchema, body));
    const made = await lookUp(access, order.referenceId);
    if (made) return progressOf(made);
    throw new ProviderFault('response_invalid', 'The service says that there is an order, and does not find it.');
  },

  async read(access, orderId) {
    const { body } = await ask(access, { method: 'GET', path: pathOf(orderId) });
    return progressOf(parseResponse(screeningSchema, body));
  },

  async find(access, referenceId) {
    const known = await lookUp(access, referenceId);
    return known ? String(known.id) : null;
  },

  async cancel(access, orderId) {
    // 409: it is complete already.
    await ask(access, { method: 'POST', path: `${pathOf(orderId)}/stop`, expected: [200, 409] });
  },

  async fetchFindings(access, orderId) {
    const { body } = await ask(access, { method: 'GET', path: `${pathOf(orderId)}/findings` });
    return findingsOf(parseResponse(findingsSchema, body));
  },
};

async function lookUp(
  access: ProviderAccess,
  referenceId: string,
): Promise<Static<typeof screeningSchema> | undefined> {
  const path = `/screenings?reference=${encodeURIComponent(referenceId)}`;
  const { body } = await ask(access, { method: 'GET', path });
  return parseResponse(listSchema, body).screenings[0];
}

async function ask(
  { client, credentials }: ProviderAccess,
  request: ProviderRequest,
): Promise<{ status: number; body: unknown }> {
  return client.call({
    ...request,
    headers: { authorization: `Token ${credentials.token}` },
    refusalIn: (answer) => {
      const { code, reason } = parseResponse(faultSchema, answer);
      return { code, message: reason };
    },
  });
}

function pathOf(orderId: string): string {
  return `/screenings/${encodeURIComponent(orderId)}`;
}

function orderBody({ referenceId, applicant, rent, hasGuarantor, scenario }: Order): object {
  return {
    reference: referenceId,
    name: applicant?.name ?? null,
    email: applicant?.email ?? null,
    phone: applicant?.phone ?? null,
    dob: applicant?.dateOfBirth ?? null,
    addresses: (applicant?.addresses ?? []).map(({ line1, line2, city, postalCode, country }) =>
      [line1, line2, city, postalCode, country].filter((line) => line !== null).join('\n'),
    ),
    rent: rent && { cents: rent.amount, currency: rent.currency, interval: rent.interval },
    guarantor: hasGuarantor,
    ...(scenario !== null && { test_scenario: scenario }),
  };
}

function progressOf(screening: Static<typeof screeningSchema>): Progress {
  const status = meaningOf(states, screening.state);
  return {
    orderId: String(screening.id),
    status,
    outcome:
      status === 'done' ? { words: screening.result ?? '', verdict: meaningOf(results, screening.result ?? '') } : null,
    data: null,
    problem: screening.stopped_by && {
      code: codeOf(screening.stopped_by.what),
      message: withoutContacts(screening.stopped_by.why),
    },
  };
}

/** Removes contact details. The service names no referees in a known form. */
function clean(text: string): string {
  return withoutContacts(text);
}

function findingsOf(found: Static<typeof findingsSchema>): Findings {
  return {
    verdict: meaningOf(results, found.result),
    words: found.result,
    reasons: found.reasons.map(clean),
    affordability: {
      status: found.rent_result === null ? null : meaningOf(checkResults, found.rent_result),
      percentage: found.rent_percentage,
      rent: found.rent && { amount: found.rent.cents, currency: found.rent.currency, interval: found.rent.interval },
      annualIncome:
        found.income_cents === null || found.rent === null
          ? null
          : { amount: found.income_cents, currency: found.rent.currency },
      isIncomeVerified: found.income_doubted !== true,
      sources: found.income_sources.map(clean),
    },
    credit: {
      score: found.score,
      scoreMax: found.score_max ?? null,
      // It writes `Electoral roll: Registered at this address`.
      facts: found.bureau.map((line) => {
        const [label = '', ...value] = line.split(': ');
        return { label: clean(label), value: clean(value.join(': ')) };
      }),
    },
    sanctions: {
      passed: found.watchlists.matched === null ? null : !found.watchlists.matched,
      facts: found.watchlists.text.map(clean),
    },
    checks: found.checks.map(({ name, result, text }) => ({
      name: clean(name),
      result: meaningOf(checkResults, result),
      detail: text === null ? null : clean(text),
    })),
    notes: found.log.map(({ at, text }) => noteOf(new Date(at * 1000).toISOString(), text)),
    dispute: { service: found.complaints_desk.name, contact: found.complaints_desk.email },
  };
}

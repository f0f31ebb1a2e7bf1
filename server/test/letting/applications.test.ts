import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { apiClient, good, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { Agency, expectCode, rent, startDay, startLetting, type Made } from './agency.ts';

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
});

afterAll(() => server.stop());

const rejection = { reasons: ['affordability', 'credit_history'], note: 'Two defaults.' };
const operations: Record<string, object> = {
  approve: {},
  reject: rejection,
  withdraw: {},
  request_review: { message: 'My new contract began in May.' },
  review: { result: 'upheld', note: 'The income does not carry the rent.' },
};

async function moved(...names: string[]): Promise<Made> {
  const { id } = await agency.application();
  for (const name of names) await agency.move('applications', id, name, operations[name]);
  return agency.get('applications', id);
}

const inState: Record<string, () => Promise<Made>> = {
  open: () => moved(),
  approved: () => moved('approve'),
  rejected: () => moved('reject'),
  'rejected, with a review requested': () => moved('reject', 'request_review'),
  'rejected, with a review done': () => moved('reject', 'request_review', 'review'),
  withdrawn: () => moved('withdraw'),
  async converted() {
    const { id } = await agency.application();
    await agency.signed((await agency.unit()).id, { application: id });
    return agency.get('applications', id);
  },
};

const allowed: Record<string, readonly string[]> = {
  open: ['approve', 'reject', 'withdraw'],
  approved: ['reject', 'withdraw'],
  rejected: ['request_review'],
  'rejected, with a review requested': ['review'],
  'rejected, with a review done': [],
  withdrawn: [],
  converted: [],
};

function moveOf({ id }: Made, name: string, body: object = operations[name]!): Promise<ApiResponse> {
  return agency.api.post(`/v1/applications/${id}/${name}`, body);
}

function moveBy(api: Api, { id }: Made, name: string): Promise<ApiResponse> {
  return api.post(`/v1/applications/${id}/${name}`, operations[name]);
}

describe('decisions', () => {
  test.each(Object.keys(inState))('allows only the moves of the table when an application is %s', async (state) => {
    const made = await inState[state]!();
    for (const name of Object.keys(operations)) {
      if (allowed[state]!.includes(name)) continue;
      expectRefusal(await moveOf(made, name), { ...refusals.transition, says: made.id });
    }
    expect(await agency.get('applications', made.id)).toEqual(made);
    for (const name of allowed[state]!) {
      const answer = await moveOf(await inState[state]!(), name);
      expect(answer.status, `${state} ${name} ${answer.text}`).toBe(200);
    }
  });

  test('keeps the decision and the review, and opens the application when the review changes it', async () => {
    const made = await moved('approve');
    expect(made).toMatchObject({
      status: 'approved',
      decision: { outcome: 'approved', reasons: [], note: null, automated: false, decided_at: made.approved_at },
    });
    const rejected = await good(moveOf(made, 'reject'));
    expect(rejected.body).toMatchObject({
      status: 'rejected',
      decision: { outcome: 'rejected', ...rejection },
      approved_at: null,
      rejected_at: expect.any(Number),
    });
    expect(await agency.eventsOf(rejected)).toEqual(['application.updated', 'application.rejected']);
    const requested = await good(moveOf(made, 'request_review'));
    expect(requested.body.review).toMatchObject({ status: 'requested', note: null, completed_at: null });
    const changed = await good(moveOf(made, 'review', { result: 'changed', note: 'The contract was sent.' }));
    expect(changed.body).toMatchObject({
      status: 'open',
      decision: null,
      rejected_at: null,
      review: { status: 'changed', note: 'The contract was sent.', completed_at: expect.any(Number) },
    });
    expect(await agency.historyOf(made.id)).toEqual([
      'application.created',
      'application.updated',
      'application.approved',
      'application.updated',
      'application.rejected',
      'application.updated',
      'application.review_requested',
      'application.updated',
      'application.reviewed',
    ]);
  });

  test.each([
    ['reject', { reasons: [] }, 'reasons'],
    ['reject', { reasons: ['children'] }, 'reasons[0]'],
    ['reject', { reasons: ['benefits'] }, 'reasons[0]'],
    ['reject', { reasons: ['affordability', 'affordability'] }, 'reasons'],
    ['review', { result: 'open', note: 'No.' }, 'result'],
  ])('refuses %s with %j', async (name, body, param) => {
    expectCode(await moveOf(await moved('reject', 'request_review'), name, body), 'parameter_invalid', { param });
  });

  test('tells an agent from a person, and lets only a person review', async () => {
    const key = { type: 'agent', name: 'A helper', permissions: ['applications.write'] };
    const { secret } = (await good(agency.api.post('/v1/api_keys', key))).body;
    const byAgent = apiClient(server.url, secret);
    for (const [name, outcome] of [
      ['approve', 'approved'],
      ['reject', 'rejected'],
    ] as const) {
      const answer = await good(moveBy(byAgent, await moved(), name));
      expect(answer.body.decision).toMatchObject({ outcome, automated: true });
      const person = await good(moveBy(agency.api, await moved(), name));
      expect(person.body.decision).toMatchObject({ outcome, automated: false });
    }
    // A new decision by a person replaces that of the agent.
    const approved = await moved();
    await good(moveBy(byAgent, approved, 'approve'));
    expect((await good(moveBy(agency.api, approved, 'reject'))).body.decision).toMatchObject({ automated: false });

    const rejected = await moved('reject');
    await good(moveBy(byAgent, rejected, 'request_review'));
    const before = [await agency.get('applications', rejected.id), await agency.historyOf(rejected.id)];
    const refused = await moveBy(byAgent, rejected, 'review');
    expectRefusal(refused, { ...refusals.permission, says: 'a person has to' });
    expect([await agency.get('applications', rejected.id), await agency.historyOf(rejected.id)]).toEqual(before);
    await good(moveBy(agency.api, rejected, 'review'));
  });

  test('refuses an offer above the lowest rent asked', async () => {
    const { id: unit } = await agency.unit({ rent, on_market: true });
    await good(agency.api.post(`/v1/units/${unit}`, { rent: { ...rent, amount: 90_000 } }));
    await good(agency.api.post(`/v1/units/${unit}`, { rent }));
    const body = { customers: ['tenant_1'], unit };
    const refused = await agency.api.post('/v1/applications', { ...body, rent: { ...rent, amount: 90_001 } });
    expectCode(refused, 'check_failed', { check: 'rent_bid', param: 'rent[amount]' });
    await good(agency.api.post('/v1/applications', { ...body, rent: { ...rent, amount: 90_000 } }));
    // A unit of another system asks nothing.
    await good(agency.api.post('/v1/applications', { ...body, unit: 'flat_12', rent }));
  });
});

describe('guarantors', () => {
  test('are refused beyond fifty when an application has so many', async () => {
    const { id: application } = await agency.application();
    const propose = (number: number) =>
      agency.api.post('/v1/guarantors', { application, customer: `guarantor_${number}` });
    const answers = await Promise.all(Array.from({ length: 52 }, (_, number) => propose(number)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(2);
    for (const answer of refused) expectCode(answer, 'limit_reached', { param: 'application' });
    const { guarantors } = await agency.get('applications', application);
    expect(guarantors).toHaveLength(50);
    await good(agency.api.delete(`/v1/guarantors/${guarantors[0]}`));
    await good(propose(99));
  });

  const agree = { agreed_on: startDay };
  const release = { released_on: startDay };
  const bodies: Record<string, object> = { agree, decline: {}, release };
  const states: Record<string, string[]> = {
    proposed: [],
    agreed: ['agree'],
    declined: ['decline'],
    released: ['agree', 'release'],
  };
  const moves: Record<string, string[]> = {
    proposed: ['agree', 'decline'],
    agreed: ['release'],
    declined: [],
    released: [],
  };

  async function guarantorIn(state: string): Promise<Made> {
    const { id: application } = await agency.application();
    const { id } = await agency.make('guarantors', { application, customer: 'guarantor_1' });
    for (const name of states[state]!) await agency.move('guarantors', id, name, bodies[name]);
    return agency.get('guarantors', id);
  }

  test.each(Object.keys(states))('allow only the moves of the table when they are %s', async (state) => {
    const made = await guarantorIn(state);
    for (const name of Object.keys(bodies)) {
      if (moves[state]!.includes(name)) continue;
      expectRefusal(await agency.api.post(`/v1/guarantors/${made.id}/${name}`, bodies[name]), refusals.transition);
    }
    for (const name of moves[state]!) {
      const { id } = await guarantorIn(state);
      const answer = await good(agency.api.post(`/v1/guarantors/${id}/${name}`, bodies[name]));
      const verb = { agree: 'agreed', decline: 'declined', release: 'released' }[name]!;
      expect(answer.body).toMatchObject({ status: verb, [`${verb}_at`]: expect.any(Number) });
      expect(await agency.eventsOf(answer)).toEqual(['guarantor.updated', `guarantor.${verb}`]);
    }
    const path = `/v1/guarantors/${made.id}`;
    const limited = await agency.api.post(path, { limit: { amount: 1, currency: 'gbp' } });
    const deleted = await agency.api.delete(path);
    if (state === 'proposed') {
      expect([limited.status, deleted.status]).toEqual([200, 200]);
      expect(await agency.get('applications', made.application)).toMatchObject({ guarantors: [] });
    } else {
      expectRefusal(limited, refusals.transition);
      expectCode(deleted, 'record_in_use');
      expectCode(await agency.api.delete(`/v1/applications/${made.application}`), 'record_in_use');
    }
  });

  test('cannot be released from a day before they agreed', async () => {
    const made = await guarantorIn('agreed');
    const path = `/v1/guarantors/${made.id}/release`;
    expectCode(await agency.api.post(path, { released_on: '2027-01-03' }), 'parameter_invalid', {
      param: 'released_on',
    });
    await good(agency.api.post(path, release));
  });

  test('have the newest reference of their person', async () => {
    const person = await agency.make('customers', { name: 'George Byron' });
    const { id: application } = await agency.application();
    const made = await agency.make('guarantors', { application, customer: person.id });
    await agency.make('references', { application, customer: 'tenant_1' });
    expect(await agency.get('guarantors', made.id)).toMatchObject({ reference: null });
    const reference = await agency.make('references', { application, customer: person.id });
    expect(await agency.get('guarantors', made.id)).toMatchObject({ reference: reference.id });
    expect(await agency.get('applications', application)).toMatchObject({ references: { total: 2 } });
  });

  test.each([
    [{ customer: 'tenant_1' }, 'parameter_invalid', 'customer'],
    [{ customer: 'guarantor_0' }, 'parameter_invalid', 'customer'],
    [{ application: 'case_9' }, 'resource_missing', 'application'],
    [{ application: 'cus_0VbZq9aK00mT3cUuP8sXw4' }, 'resource_missing', 'application'],
    [{ guarantees: ['tenant_2'] }, 'parameter_invalid', 'guarantees[0]'],
    [{ limit: { amount: 1, currency: 'xyz' } }, 'parameter_invalid', 'limit[currency]'],
  ])('are refused with %j', async (more, code, param) => {
    const { id: application } = await agency.application();
    await agency.make('guarantors', { application, customer: 'guarantor_0' });
    const body = { application, customer: 'guarantor_1', ...more };
    expectCode(await agency.api.post('/v1/guarantors', body), code, { param });
  });

  test('keep an application from naming them as applicants, or from losing the person they stand for', async () => {
    const { id: application } = await agency.application({ customers: ['tenant_1', 'tenant_2'] });
    const guarantor = { application, customer: 'guarantor_1', guarantees: ['tenant_2'] };
    const { id } = await agency.make('guarantors', guarantor);
    const update = (customers: string[]): Promise<ApiResponse> =>
      agency.api.post(`/v1/applications/${application}`, { customers });
    expectCode(await update(['tenant_2', 'guarantor_1']), 'parameter_invalid', { param: 'customers[1]' });
    expectCode(await update(['tenant_1']), 'parameter_invalid', { param: 'customers' });
    await good(update(['tenant_2', 'tenant_3']));
    await agency.move('guarantors', id, 'decline');
    await good(update(['guarantor_1']));
  });

  test('are refused when the application is decided', async () => {
    const { id: application } = await moved('reject');
    const answer = await agency.api.post('/v1/guarantors', { application, customer: 'guarantor_1' });
    expectCode(answer, 'status_transition_invalid', { param: 'application' });
  });
});

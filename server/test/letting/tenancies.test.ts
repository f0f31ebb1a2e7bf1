import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { good, type ApiResponse, type TestServer } from '../support/server.ts';
import { addKey } from '../support/tenants.ts';
import { Agency, dawn, expectCode, rent, startDay, startLetting, type Made } from './agency.ts';

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
});

afterAll(() => server.stop());

const company = { type: 'company' };
const sign = { signed_on: startDay };
const tenantNotice = { by: 'tenant', served_on: startDay, ends_on: '2027-03-31' };
const landlordNotice = { by: 'landlord', served_on: startDay, ends_on: '2027-02-28', grounds: ['8'] };
const surrender = { ended_on: startDay, reason: 'surrender' };
const pet = { customer: 'tenant_1', description: 'A small dog.' };

const operations: Record<string, object> = {
  sign,
  give_notice: { ...tenantNotice, by: 'mutual' },
  withdraw_notice: { agreed_in_writing: true },
  end: surrender,
  cancel: {},
  request_pet: pet,
  answer_pet: { number: 1, answer: 'granted' },
};

/** Makes a tenancy of a new unit in each state. An active one began on the first day of the tests. */
const inState: Record<string, () => Promise<Made>> = {
  draft: async () => agency.draft((await agency.unit()).id),
  signed: async () => agency.signed((await agency.unit()).id),
  active: async () => active(),
  notice: async () => agency.move('tenancies', (await active()).id, 'give_notice', tenantNotice),
  'landlord’s notice': async () => agency.move('tenancies', (await active()).id, 'give_notice', landlordNotice),
  ended: async () => agency.move('tenancies', (await active()).id, 'end', surrender),
  canceled: async () => agency.move('tenancies', (await inState.signed!()).id, 'cancel'),
};

/** Begins a tenancy with its first day today. A daybreak makes it active. */
async function active(more: object = {}): Promise<Made> {
  const { id } = await agency.signed((await agency.unit()).id, { ...company, start_date: startDay, ...more });
  await dawn(server);
  return agency.get('tenancies', id);
}

const allowed: Record<string, readonly string[]> = {
  draft: ['sign', 'cancel'],
  signed: ['give_notice', 'cancel', 'request_pet'],
  active: ['give_notice', 'end', 'request_pet'],
  notice: ['withdraw_notice', 'end', 'request_pet'],
  'landlord’s notice': ['give_notice', 'withdraw_notice', 'end', 'request_pet'],
  ended: [],
  canceled: [],
};

async function moveOf({ id }: Made, name: string, body: object = operations[name]!): Promise<ApiResponse> {
  return agency.api.post(`/v1/tenancies/${id}/${name}`, body);
}

describe('moves', () => {
  test.each(Object.keys(inState))('allows only the moves of the table when a tenancy is in %s', async (state) => {
    for (const name of Object.keys(operations)) {
      if (allowed[state]!.includes(name)) continue;
      // There is no pet request yet, which is another fault.
      if (name === 'answer_pet' && !['draft', 'ended', 'canceled'].includes(state)) continue;
      const made = await inState[state]!();
      expectRefusal(await moveOf(made, name), { ...refusals.transition, says: made.id });
      expect(await agency.get('tenancies', made.id)).toEqual(made);
    }
    for (const name of allowed[state]!) {
      const answer = await moveOf(await inState[state]!(), name);
      expect(answer.status, `${state} ${name} ${answer.text}`).toBe(200);
    }
  });

  test('stamps a signing and moves the unit, the application and the guarantors in one mutation', async () => {
    const unit = await agency.unit();
    const application = await agency.application({ unit: unit.id });
    const [agreed, proposed, declined] = [
      await agency.make('guarantors', { application: application.id, customer: 'guarantor_1' }),
      await agency.make('guarantors', { application: application.id, customer: 'guarantor_2' }),
      await agency.make('guarantors', { application: application.id, customer: 'guarantor_3' }),
    ];
    await agency.move('guarantors', agreed.id, 'agree', { agreed_on: startDay });
    await agency.move('guarantors', declined.id, 'decline');
    const drafted = await agency.draft(unit.id, { ...company, application: application.id });
    expect(drafted).toMatchObject({
      status: 'draft',
      end_date: null,
      rent: { ...rent, interval_count: 1 },
      jurisdiction: null,
      guarantors: [],
      balance: 0,
      arrears: { amount: 0, since: null },
      pet_requests: [],
      checks: [],
      signed_on: null,
      signed_at: null,
    });
    const answer = await good(moveOf(drafted, 'sign'));
    expect(answer.body).toMatchObject({
      status: 'signed',
      signed_on: startDay,
      signed_at: expect.any(Number),
      guarantors: [agreed.id],
    });
    const events = await agency.eventsOf(answer);
    expect(events.slice(0, 2)).toEqual(['tenancy.updated', 'tenancy.signed']);
    expect(events.slice(2).toSorted()).toEqual([
      'application.converted',
      'application.updated',
      'guarantor.updated',
      'guarantor.updated',
      'unit.let_agreed',
      'unit.updated',
    ]);
    expect(events.indexOf('unit.let_agreed')).toBe(events.indexOf('unit.updated') + 1);
    expect(await agency.get('applications', application.id)).toMatchObject({
      status: 'converted',
      tenancy: drafted.id,
      converted_at: answer.body.signed_at,
    });
    expect(await agency.get('guarantors', proposed.id)).toMatchObject({ tenancy: drafted.id });
    expect(await agency.get('guarantors', declined.id)).toMatchObject({ tenancy: null });

    await agency.move('guarantors', proposed.id, 'agree', { agreed_on: startDay });
    expect(await agency.get('tenancies', drafted.id)).toMatchObject({ guarantors: [agreed.id, proposed.id] });
    await agency.move('guarantors', agreed.id, 'release', { released_on: startDay });
    expect(await agency.get('tenancies', drafted.id)).toMatchObject({ guarantors: [proposed.id] });

    const canceled = await good(moveOf(drafted, 'cancel', { reason: 'The landlord sells.' }));
    expect(canceled.body).toMatchObject({
      status: 'canceled',
      cancel_reason: 'The landlord sells.',
      canceled_at: expect.any(Number),
      guarantors: [],
    });
    const after = await agency.eventsOf(canceled);
    expect(after.slice(0, 2)).toEqual(['tenancy.updated', 'tenancy.canceled']);
    expect(after).toEqual(expect.arrayContaining(['unit.available', 'application.reopened']));
    expect(await agency.get('guarantors', proposed.id)).toMatchObject({ tenancy: null, status: 'agreed' });
    expect(await agency.get('applications', application.id)).toMatchObject({
      status: 'approved',
      tenancy: null,
      converted_at: null,
    });
    // The application can be let again.
    const again = await agency.signed(unit.id, { ...company, application: application.id });
    expect(again).toMatchObject({ status: 'signed', guarantors: [proposed.id] });
  });

  test('ends on the day of a tenant’s notice, and goes on when it is withdrawn', async () => {
    const made = await active();
    const given = (await good(moveOf(made, 'give_notice', tenantNotice))).body;
    expect(given).toMatchObject({
      status: 'notice',
      end_date: '2027-03-31',
      notice: { ...tenantNotice, grounds: [], agreed_in_writing: false },
      notice_given_at: expect.any(Number),
    });
    expect(await agency.get('units', made.unit)).toMatchObject({ status: 'occupied', available_on: '2027-04-01' });
    const withdrawn = await good(moveOf(made, 'withdraw_notice'));
    expect(withdrawn.body).toMatchObject({ status: 'active', end_date: null, notice: null, notice_given_at: null });
    expect(await agency.eventsOf(withdrawn)).toEqual(['tenancy.updated', 'tenancy.notice_withdrawn', 'unit.updated']);
    expectCode(await moveOf(made, 'withdraw_notice', { agreed_in_writing: false }), 'parameter_invalid', {
      param: 'agreed_in_writing',
    });
  });

  test('keeps the agreed end, and restores it when a notice is withdrawn', async () => {
    const made = await active({ end_date: '2027-12-31' });
    await agency.move('tenancies', made.id, 'give_notice', tenantNotice);
    expect(await agency.move('tenancies', made.id, 'withdraw_notice', { agreed_in_writing: true })).toMatchObject({
      end_date: '2027-12-31',
    });
    const landlords = await agency.move('tenancies', made.id, 'give_notice', landlordNotice);
    expect(landlords).toMatchObject({ status: 'notice', end_date: '2027-12-31', notice: { by: 'landlord' } });
    const tenants = await agency.move('tenancies', made.id, 'give_notice', tenantNotice);
    expect(tenants).toMatchObject({ status: 'notice', end_date: '2027-03-31', notice: { by: 'tenant' } });
  });

  test('returns to signed when a notice before the first day is withdrawn', async () => {
    const made = await agency.signed((await agency.unit()).id);
    await agency.move('tenancies', made.id, 'give_notice', tenantNotice);
    expect(await agency.get('units', made.unit)).toMatchObject({ status: 'let_agreed', next_tenancy: made.id });
    const back = await agency.move('tenancies', made.id, 'withdraw_notice', { agreed_in_writing: true });
    expect(back).toMatchObject({ status: 'signed', end_date: null });
    expect(await agency.get('units', made.unit)).toMatchObject({ status: 'let_agreed', next_tenancy: made.id });
  });

  test('drops the warning of a landlord’s notice when a tenants’ notice replaces it', async () => {
    const own = await Agency.on(server);
    await good(own.api.post('/v1/account', { rules: { checks: { landlord_notice: 'warn' } } }));
    const { id } = await own.signed((await own.unit()).id, { start_date: '2027-02-01' });
    const early = { ...landlordNotice, ends_on: '2027-02-01', grounds: ['1'] };
    const warned = await own.move('tenancies', id, 'give_notice', early);
    expect(warned.checks.map((check: Made) => check.id)).toContain('landlord_notice');
    const replaced = await own.move('tenancies', id, 'give_notice', { ...tenantNotice, by: 'mutual' });
    expect(replaced.checks.map((check: Made) => check.id)).not.toContain('landlord_notice');
  });

  test.each([
    ['sign', { signed_on: '2027-02-30' }, 'signed_on'],
    ['sign', { signed_on: '2027-06-01' }, 'signed_on'],
    ['end', { ...surrender, ended_on: '2027-06-01' }, 'ended_on'],
    ['end', { ...surrender, ended_on: '2027-01-03' }, 'ended_on'],
    ['end', { ...surrender, ended_on: '2027-01-32' }, 'ended_on'],
    ['end', { ...surrender, reason: 'notice' }, 'reason'],
    ['give_notice', { ...tenantNotice, served_on: '2027-06-01' }, 'served_on'],
    // A day before the signing would choose an older law.
    ['give_notice', { ...tenantNotice, served_on: '2027-01-03' }, 'served_on'],
    ['give_notice', { ...landlordNotice, served_on: '2015-01-01' }, 'served_on'],
    ['give_notice', { ...tenantNotice, ends_on: '2027-01-03' }, 'ends_on'],
    ['give_notice', { ...tenantNotice, ends_on: '2027-02-29' }, 'ends_on'],
    ['give_notice', { ...tenantNotice, grounds: ['8'] }, 'grounds'],
    ['give_notice', { ...landlordNotice, grounds: ['8', '8'] }, 'grounds'],
    ['give_notice', { ...tenantNotice, by: 'neighbor' }, 'by'],
    ['request_pet', { ...pet, customer: 'tenant_2' }, 'customer'],
    ['request_pet', { ...pet, number: 1 }, 'number'],
    ['answer_pet', { number: 1, answer: 'granted' }, 'number'],
  ])('refuses %s with %j', async (name, body, param) => {
    const made = name === 'sign' ? await inState.draft!() : await active();
    expectCode(await moveOf(made, name, body), 'parameter_invalid', { param });
  });
});

describe('drafts', () => {
  test.each([
    [{ start_date: '2027-02-30' }, 'start_date'],
    [{ start_date: '2027-02-01', end_date: '2027-01-31', ...company }, 'end_date'],
    [{ end_date: '10000-01-01', ...company }, 'end_date'],
    [{ customers: [] }, 'customers'],
    [{ customers: ['tenant_1', 'tenant_1'] }, 'customers'],
    [{ customers: Array.from({ length: 21 }, (_, number) => `tenant_${number}`) }, 'customers'],
    [{ rent: { ...rent, amount: 0 } }, 'rent[amount]'],
    [{ rent: { ...rent, amount: 10_000_000_000 } }, 'rent[amount]'],
    [{ rent: { ...rent, interval: 'year' } }, 'rent[interval]'],
    [{ rent: { ...rent, interval_count: 13 } }, 'rent[interval_count]'],
    [{ rent: { ...rent, currency: 'xyz' } }, 'rent[currency]'],
    [{ type: 'holiday' }, 'type'],
    [{ statement_given_on: '2027-13-01' }, 'statement_given_on'],
    // Not a day of the tenancy, and a day that has not come.
    [{ start_date: '2026-02-01', rent_increased_on: '2026-02-01' }, 'rent_increased_on'],
    [{ start_date: '2026-02-01', rent_increased_on: '2027-01-05' }, 'rent_increased_on'],
  ])('refuses %j', async (more, param) => {
    const { id } = await agency.unit();
    const body = { unit: id, customers: ['tenant_1'], start_date: '2027-02-01', rent, ...more };
    expectCode(await agency.api.post('/v1/tenancies', body), 'parameter_invalid', { param });
  });

  test('requires units, applications and earlier tenancies of this account', async () => {
    const own = await Agency.on(server);
    const { id: foreign } = await own.unit();
    const body = { unit: (await agency.unit()).id, customers: ['tenant_1'], start_date: '2027-02-01', rent };
    for (const [param, id] of [
      ['unit', foreign],
      ['unit', 'cus_0VbZq9aK00mT3cUuP8sXw4'],
      ['unit', 'flat_12'],
      ['application', (await own.application()).id],
      ['application', 'case_9'],
      ['replaces', (await own.draft(foreign)).id],
    ])
      expectCode(await agency.api.post('/v1/tenancies', { ...body, [param!]: id }), 'resource_missing', { param });
    expectCode(await agency.api.post('/v1/tenancies', { ...body, customers: [body.unit] }), 'resource_missing', {
      param: 'customers[0]',
    });
  });

  test('changes its terms only while it is a draft', async () => {
    const drafted = await agency.draft((await agency.unit()).id, company);
    const path = `/v1/tenancies/${drafted.id}`;
    await good(agency.api.post(path, { start_date: '2027-02-02', end_date: '2027-03-01' }));
    expectCode(await agency.api.post(path, { start_date: '2027-03-02' }), 'parameter_invalid', { param: 'end_date' });
    expectCode(await agency.api.post(path, { unit: drafted.unit }), 'parameter_unknown', { param: 'unit' });
    await good(agency.api.post(`${path}/sign`, sign));
    for (const terms of [{ start_date: '2027-02-03' }, { end_date: null }, { rent }])
      expectRefusal(await agency.api.post(path, terms), refusals.transition);
    const updated = await good(agency.api.post(path, { statement_given_on: '2027-01-03', metadata: { crm: '7' } }));
    expect(updated.body).toMatchObject({ statement_given_on: '2027-01-03', metadata: { crm: '7' } });
    expect(await agency.eventsOf(updated)).toEqual(['tenancy.updated']);
    expectRefusal(await agency.api.delete(path), refusals.methodNotAllowed);
  });
});

describe('units that are held', () => {
  test.each([
    ['the last day', { start_date: '2027-03-31' }],
    ['the first day', { start_date: '2027-01-01', end_date: '2027-02-01' }],
    ['all days', { start_date: '2027-01-01' }],
    ['a day within', { start_date: '2027-02-10', end_date: '2027-02-10' }],
  ])('refuses to sign when another tenancy holds %s', async (_, days) => {
    const { id } = await agency.unit();
    const first = await agency.signed(id, { ...company, end_date: '2027-03-31' });
    const second = await agency.draft(id, { ...company, ...days });
    const answer = await moveOf(second, 'sign');
    expectCode(answer, 'unit_occupied', { param: 'unit' });
    expect(answer.body.error.message).toContain(first.id);
  });

  test('advises later days when an ended tenancy holds the unit', async () => {
    const made = await active();
    await agency.move('tenancies', made.id, 'end', surrender);
    const answer = await moveOf(await agency.draft(made.unit, { ...company, start_date: startDay }), 'sign');
    expectCode(answer, 'unit_occupied', { param: 'unit' });
    expect(answer.body.error.message).toMatch(/\(ended\) .* Choose later days\.$/);
  });

  test('signs when the days touch, also in the year 9999', async () => {
    const { id } = await agency.unit();
    await agency.signed(id, { ...company, end_date: '2027-03-31' });
    await agency.signed(id, { ...company, start_date: '2027-01-31', end_date: '2027-01-31' });
    await agency.signed(id, { ...company, start_date: '2027-04-01', end_date: '9999-12-30' });
    const last = await agency.signed(id, { ...company, start_date: '9999-12-31', end_date: '9999-12-31' });
    expect(last).toMatchObject({ status: 'signed' });
    expectCode(await moveOf(await agency.draft(id, { ...company, start_date: '9999-12-31' }), 'sign'), 'unit_occupied');
    const { body } = await good(agency.api.get(`/v1/tenancies?unit=${id}&start_date[gte]=2027-04-01`));
    expect(body.data).toHaveLength(3);
    expectCode(await agency.api.get('/v1/tenancies?start_date[gte]=2027-02-30'), 'parameter_invalid', {
      param: 'start_date[gte]',
    });
  });

  test('refuses to withdraw a notice when another tenancy was signed for the days after it', async () => {
    const made = await active();
    await agency.move('tenancies', made.id, 'give_notice', tenantNotice);
    const next = await agency.signed(made.unit, { ...company, start_date: '2027-04-01' });
    expectCode(await moveOf(made, 'withdraw_notice'), 'unit_occupied', { param: 'unit' });
    await agency.move('tenancies', next.id, 'cancel');
    await good(moveOf(made, 'withdraw_notice'));
  });

  test('refuses a notice that ends after the start of the next tenancy', async () => {
    const { id } = await agency.unit();
    const first = await agency.signed(id, { ...company, end_date: '2027-02-28' });
    await agency.signed(id, { ...company, start_date: '2027-03-31' });
    const agreement = { ...tenantNotice, by: 'mutual' };
    expectCode(await moveOf(first, 'give_notice', agreement), 'unit_occupied');
    await good(moveOf(first, 'give_notice', { ...agreement, ends_on: '2027-03-30' }));
  });

  test('signs one of two drafts when they name one application', async () => {
    const application = await agency.application();
    const [one, other] = [
      await agency.draft((await agency.unit()).id, { application: application.id }),
      await agency.draft((await agency.unit()).id, { application: application.id }),
    ];
    const answers = await Promise.all([moveOf(one, 'sign'), moveOf(other, 'sign')]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    const refused = answers.find(({ status }) => status === 400)!;
    expectCode(refused, 'status_transition_invalid', { param: 'application' });
  });

  test('signs once when twenty clients sign drafts of one unit at once', async () => {
    const { id } = await agency.unit();
    const drafts = await Promise.all(Array.from({ length: 20 }, () => agency.draft(id)));
    const answers = await Promise.all(drafts.map((drafted) => moveOf(drafted, 'sign')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectCode(answer, 'unit_occupied');
  });

  test('either deletes or lets a unit when both are asked at once', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await agency.unit();
      const drafted = await agency.draft(id);
      const [signed, deleted] = await Promise.all([moveOf(drafted, 'sign'), agency.api.delete(`/v1/units/${id}`)]);
      expect(
        [signed.status, deleted.status].toSorted((a, b) => a - b),
        `${signed.text} ${deleted.text}`,
      ).toEqual([200, 400]);
    }
  });

  test('either archives or lets a unit when both are asked at once', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await agency.unit();
      const drafted = await agency.draft(id);
      const [signed, archived] = await Promise.all([
        moveOf(drafted, 'sign'),
        agency.api.post(`/v1/units/${id}`, { archived: true }),
      ]);
      expect(
        [signed.status, archived.status].toSorted((a, b) => a - b),
        `${signed.text} ${archived.text}`,
      ).toEqual([200, 400]);
    }
  });

  test('repeats the response when a signing is sent again with its idempotency key', async () => {
    const drafted = await inState.draft!();
    const headers = { 'idempotency-key': `sign-${drafted.id}` };
    const path = `/v1/tenancies/${drafted.id}/sign`;
    const first = await good(agency.api.post(path, sign, headers));
    const again = await good(agency.api.post(path, sign, headers));
    expect(again.text).toBe(first.text);
    expect((await agency.historyOf(drafted.id)).filter((type) => type === 'tenancy.signed')).toHaveLength(1);
  });
});

describe('tenants', () => {
  test('lose the warning about their right to rent when it is recorded after the signature', async () => {
    const [ada, grace] = await Promise.all(['Ada', 'Grace'].map((name) => agency.make('customers', { name })));
    const made = await agency.signed((await agency.unit()).id, {
      customers: [ada!.id, grace!.id],
      statement_given_on: startDay,
    });
    const record = { right_to_rent: { status: 'unlimited', checked_on: startDay } };
    const warningOf = async (): Promise<string | undefined> =>
      (await agency.get('tenancies', made.id)).checks.find(({ id }: { id: string }) => id === 'right_to_rent')?.message;
    expect(await warningOf()).toContain(`${ada!.id}, ${grace!.id}`);
    const answer = await good(agency.api.post(`/v1/customers/${ada!.id}`, record));
    expect(await agency.eventsOf(answer)).toEqual(['customer.updated', 'tenancy.updated']);
    expect(await warningOf()).not.toContain(ada!.id);
    expect(await warningOf()).toContain(grace!.id);
    await good(agency.api.post(`/v1/customers/${grace!.id}`, record));
    expect(await agency.get('tenancies', made.id)).toMatchObject({ checks: [] });
    const other = await good(agency.api.post(`/v1/customers/${grace!.id}`, { phone: '+44 1904 555 0123' }));
    expect(await agency.eventsOf(other)).toEqual(['customer.updated']);
  });

  test('cannot be erased while a tenancy holds a home', async () => {
    const person = await agency.make('customers', { name: 'Ada Lovelace' });
    const made = await agency.signed((await agency.unit()).id, { customers: [person.id] });
    const path = `/v1/customers/${person.id}`;
    const refused = await agency.api.delete(path);
    expectCode(refused, 'record_in_use');
    expect(refused.body.error.message).toContain(made.id);
    await agency.move('tenancies', made.id, 'cancel');
    await good(agency.api.delete(path));
  });

  test('ask for pets, and get an answer', async () => {
    const made = await active();
    const asked = await good(moveOf(made, 'request_pet'));
    const request = {
      number: 1,
      ...pet,
      requested_on: startDay,
      answer_by: '2027-02-01',
      status: 'open',
      reason: null,
    };
    expect(asked.body.pet_requests).toEqual([request]);
    expect(await agency.eventsOf(asked)).toEqual(['tenancy.updated', 'tenancy.pet_requested']);
    const answer = (body: object) => moveOf(made, 'answer_pet', { number: 1, ...body });
    expectCode(await answer({ answer: 'refused' }), 'parameter_missing', { param: 'reason' });
    const information = await good(answer({ answer: 'information_asked', reason: 'Which breed?' }));
    expect(information.body.pet_requests).toMatchObject([{ status: 'information_asked', answer_by: '2027-02-01' }]);
    const told = await good(moveOf(made, 'request_pet', { ...pet, description: 'A dachshund.', number: 1 }));
    // Seven days from now are before the day that is known.
    expect(told.body.pet_requests).toMatchObject([{ status: 'open', answer_by: '2027-02-01' }]);
    const granted = await good(answer({ answer: 'granted' }));
    expect(granted.body.pet_requests).toMatchObject([{ status: 'granted' }]);
    expect(await agency.eventsOf(granted)).toEqual(['tenancy.updated', 'tenancy.pet_answered']);
    expectCode(await answer({ answer: 'refused', reason: 'Too large.' }), 'parameter_invalid', { param: 'number' });
  });

  test('show a person within a pet request when it is expanded, and are found by that person', async () => {
    const { id: customer } = await agency.make('customers', { name: 'Ada Lovelace' });
    const made = await agency.signed((await agency.unit()).id, { customers: [customer] });
    await agency.move('tenancies', made.id, 'request_pet', { customer, description: 'A cat.' });
    const { body } = await good(agency.api.get(`/v1/tenancies/${made.id}?expand[]=pet_requests.customer`));
    expect(body.pet_requests).toMatchObject([{ number: 1, customer: { id: customer, name: 'Ada Lovelace' } }]);
    expect(body.customers).toEqual([customer]);
    const { data } = (await good(agency.api.get(`/v1/events?related_object=${customer}&type=tenancy.pet_requested`)))
      .body;
    expect(data).toMatchObject([{ data: { object: { id: made.id } } }]);
  });

  test('are signed only when the key has the permission', async () => {
    const { api } = await addKey(server, agency.accountId, { permissions: ['tenancies.read'] });
    expectRefusal(await api.post(`/v1/tenancies/${(await inState.draft!()).id}/sign`, sign), refusals.permission);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { portalFeatures } from '../../src/model/callers/portal.ts';
import { portalRoutes } from '../../src/http/portal/routes.ts';
import { Agency, lettingClock, rent, startDay, startLetting, type Made } from '../letting/agency.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { good, serverForTest, type ApiResponse, type TestServer } from '../support/server.ts';
import { letHome, Renter, type Let } from './renter.ts';

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
});
afterAll(() => server.stop());

const address = { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };

async function applicant(more: object = {}): Promise<{ renter: Renter; application: Made }> {
  const { id: customer } = await agency.make('customers', { name: 'Ada Lovelace', ...more });
  const { id: unit } = await agency.unit({ rent, on_market: true });
  const application = await agency.application({ customers: [customer], unit, rent });
  return { renter: await Renter.of(agency, server, customer), application };
}

const people = { lead: 'Ada', joint: 'Ben', guarantor: 'Gus' };

async function tenant(): Promise<{ renter: Renter; home: Let }> {
  const home = await letHome(agency, people);
  return { renter: await Renter.of(agency, server, home.lead.id), home };
}

/** Expects that a change has an event of the portal, and a log that names the session. */
async function expectByRenter(answer: ApiResponse, renter: Renter, types: string[]): Promise<void> {
  expect(await agency.eventsOf(answer)).toEqual(types);
  const requestId = answer.headers.get('request-id')!;
  const { body } = await good(agency.api.get('/v1/events?limit=50'));
  const events = (body.data as Made[]).filter(({ request }) => request.id === requestId);
  for (const { request } of events)
    expect(request).toEqual({
      id: requestId,
      idempotency_key: null,
      from_dashboard: false,
      customer_portal: true,
      actor: null,
    });
  expect(await agency.get('logs', requestId)).toMatchObject({
    source: 'portal',
    portal_session: renter.sessionId,
    key_id: null,
    user_id: null,
    events: events.map(({ id }) => id).toReversed(),
  });
}

describe('me', () => {
  test('shows the person, the session and the letterhead of the account', async () => {
    await good(
      agency.api.post('/v1/account', {
        letterhead: {
          name: 'Northern Homes',
          address,
          email: 'lets@example.org',
          phone: '01904 555 010',
          brand_color: '#1d4ed8',
        },
      }),
    );
    const { renter } = await applicant({ email: 'ada@example.com' });
    const { body } = await good(renter.get('me'));
    expect(body).toEqual({
      object: 'portal_customer',
      id: renter.customerId,
      name: 'Ada Lovelace',
      details: { email: 'ada@example.com', phone: null, date_of_birth: null, addresses: [] },
      guarantees: [],
      references: [],
      session: {
        id: renter.sessionId,
        features: [...portalFeatures],
        return_url: null,
        opened_at: expect.any(Number),
        expires_at: body.session.opened_at + 8 * 3600,
      },
      account: {
        name: 'Another',
        letterhead_name: 'Northern Homes',
        email: 'lets@example.org',
        phone: '01904 555 010',
        address: { ...address, line2: null },
        logo: null,
        brand_color: '#1d4ed8',
        bank: null,
      },
      mode: 'sandbox',
      time_zone: 'Europe/London',
      today: startDay,
      now: expect.any(Number),
    });
  });

  test('changes the contact details', async () => {
    const { renter } = await applicant();
    const answer = await good(
      renter.post('me', {
        phone: '01904 1',
        date_of_birth: '1990-12-10',
        addresses: [{ ...address, from: '2021-04-01' }],
      }),
    );
    expect(answer.body.details).toMatchObject({
      phone: '01904 1',
      date_of_birth: '1990-12-10',
      addresses: [{ ...address, line2: null, from: '2021-04-01', to: null }],
    });
    await expectByRenter(answer, renter, ['customer.updated']);
    expect(await agency.get('customers', renter.customerId)).toMatchObject({ phone: '01904 1' });
  });

  test.each([
    ['the name', { name: 'Eve' }, 'name'],
    ['the e-mail address', { email: 'eve@example.com' }, 'email'],
    ['metadata', { metadata: { a: '1' } }, 'metadata'],
    ['the right to rent', { right_to_rent: null }, 'right_to_rent'],
    ['an impossible birthday', { date_of_birth: '2090-01-01' }, 'date_of_birth'],
    ['a phone number of two lines', { phone: '1\n2' }, 'phone'],
  ])('refuses to change %s', async (_, body, param) => {
    const { renter } = await applicant();
    expect(await renter.post('me', body)).toMatchObject({ status: 400, body: { error: { param } } });
  });
});

function upload(renter: Renter): Promise<ApiResponse> {
  return renter.post('files', formOf({ purpose: 'other' }));
}

describe('files', () => {
  test('takes a file, which belongs to the person', async () => {
    const { renter } = await applicant();
    const answer = await good(renter.post('files', formOf({ purpose: 'identity_document' }, pdfOf('A passport'))));
    expect(answer.body).toMatchObject({
      object: 'portal_file',
      purpose: 'identity_document',
      content_type: 'application/pdf',
    });
    await expectByRenter(answer, renter, ['file.created']);
    expect(await agency.get('files', answer.body.id)).toMatchObject({ customer: renter.customerId, metadata: {} });
    expect(await renter.list('files')).toEqual([answer.body]);
    const { body: list } = await good(agency.api.get(`/v1/files?customer=${renter.customerId}`));
    expect(list.data).toHaveLength(1);
  });

  test('lists no evidence that the office has added for a reference of the person', async () => {
    const { renter } = await applicant();
    const { id: reference } = await agency.make('references', { application: 'app_1', customer: renter.customerId });
    const { body: file } = await good(
      agency.api.post('/v1/files', formOf({ purpose: 'identity_document', reference })),
    );
    const sent = await good(upload(renter));
    expect(await renter.list('files')).toEqual([sent.body]);
    expect((await renter.get(`files/${file.id}`)).status).toBe(404);
    const form = formOf({ purpose: 'other', reference });
    expect(await renter.post('files', form)).toMatchObject({ status: 400, body: { error: { param: 'reference' } } });
  });

  test.each([
    ['a purpose of the office', { purpose: 'reference_report' }, 'purpose'],
    ['metadata', { purpose: 'other', 'metadata[a]': '1' }, 'metadata'],
  ])('refuses %s', async (_, fields, param) => {
    const { renter } = await applicant();
    expect(await renter.post('files', formOf(fields))).toMatchObject({ status: 400, body: { error: { param } } });
    expect(await renter.list('files')).toEqual([]);
  });

  test('takes fifty files, and no more when another process takes the last one after the count', async () => {
    const second = await serverForTest({ connection: server.connection, overrides: { clock: lettingClock() } });
    const { renter } = await applicant();
    const ids: string[] = [];
    while (ids.length < 49) ids.push((await good(agency.api.post('/v1/files', formOf()))).body.id);
    // They are as if the person had sent them.
    await server.context.database.readers.query(
      'update files set customer = $1 where account_id = $2 and id = any($3::text[])',
      [renter.customerId, agency.accountId, ids],
    );
    const { reader } = second.context;
    const query = reader.query.bind(reader);
    let inTheMiddle: (() => Promise<unknown>) | null = () => good(upload(renter));
    reader.query = async (statement) => {
      const rows = await query(statement);
      const act = statement.name === 'count_files_of_renter' ? inTheMiddle : null;
      if (act) {
        inTheMiddle = null;
        await act();
      }
      return rows as never;
    };
    const late = await upload(renter.at(second));
    expect(inTheMiddle).toBeNull();
    expectRefusal(late, { ...refusals.limitReached, says: /You have sent 50 files/ });
    const { body } = await good(agency.api.get(`/v1/files?customer=${renter.customerId}&limit=1`));
    expect(body.count).toBe(50);
  });

  test('refuses a file with another type', async () => {
    const { renter } = await applicant();
    const answer = await renter.post('files', formOf({ purpose: 'other' }, Buffer.from('<html>')));
    expect(answer.body.error.param).toBe('file');
  });
});

describe('applications', () => {
  test('asks for what is missing, until it is there', async () => {
    const { renter } = await applicant();
    const asked = async (): Promise<string[]> =>
      (await renter.list('applications'))[0]!.asked.map(({ code }: Made) => code as string);
    expect(await asked()).toEqual([
      'phone',
      'date_of_birth',
      'addresses',
      'identity_document',
      'income_evidence',
      'right_to_rent',
    ]);
    const recently = { ...address, from: startDay };
    for (const addresses of [[address], [recently]]) {
      await good(renter.post('me', { addresses }));
      expect(await asked()).toContain('addresses');
    }
    const former = { ...address, from: '2019-05-01', to: startDay };
    await good(renter.post('me', { phone: '01904 1', addresses: [recently, former] }));
    await good(renter.post('files', formOf({ purpose: 'income_evidence' })));
    expect(await asked()).toEqual(['date_of_birth', 'identity_document', 'right_to_rent']);
  });

  test('withdraws an application', async () => {
    const { renter, application } = await applicant();
    const answer = await good(renter.post(`applications/${application.id}/withdraw`));
    expect(answer.body).toMatchObject({ object: 'portal_application', status: 'withdrawn', actions: [], asked: [] });
    await expectByRenter(answer, renter, ['application.updated', 'application.withdrawn']);
    const again = await renter.post(`applications/${application.id}/withdraw`);
    expect(again.body.error.code).toBe('status_transition_invalid');
  });

  test('asks for a review of a rejection, once', async () => {
    const { renter, application } = await applicant();
    await agency.move('applications', application.id, 'reject', { reasons: ['affordability'] });
    const path = `applications/${application.id}/request_review`;
    const answer = await good(renter.post(path, { message: 'My new contract began in May.' }));
    expect(answer.body).toMatchObject({
      review: { status: 'requested', requested_at: expect.any(Number), completed_at: null },
      actions: [],
    });
    await expectByRenter(answer, renter, ['application.updated', 'application.review_requested']);
    const { review } = await agency.get('applications', application.id);
    expect(review.message).toBe('My new contract began in May.');
    expect((await renter.post(path)).body.error.code).toBe('status_transition_invalid');
  });

  test('says that no person took part in a decision, and offers a review', async () => {
    const { renter, application } = await applicant();
    const { body: agent } = await good(
      agency.api.post('/v1/api_keys', { type: 'agent', name: 'Robot', permissions: ['applications.write'] }),
    );
    const rejected = await fetch(`${server.url}/v1/applications/${application.id}/reject`, {
      method: 'POST',
      headers: { authorization: `Bearer ${agent.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reasons: ['affordability'] }),
    });
    expect(rejected.status).toBe(200);
    const [seen] = await renter.list('applications');
    expect(seen).toMatchObject({ decision: { automated: true }, actions: ['request_review'] });
  });
});

describe('tenancies', () => {
  test('shows the home, the rent and what can be done', async () => {
    const { renter, home } = await tenant();
    expect(await renter.list('tenancies')).toEqual([
      {
        object: 'portal_tenancy',
        id: home.tenancy.id,
        created: expect.any(Number),
        status: 'signed',
        home: { name: 'Flat 2', address: { ...address, line2: null } },
        type: 'company',
        start_date: '2027-02-01',
        end_date: null,
        signed_on: startDay,
        rent: { ...rent, interval_count: 1 },
        co_tenants: ['Ben'],
        has_guarantor: false,
        notice: null,
        // No rule says how long the notice of a company is.
        earliest_last_day: null,
        pet_requests: [],
        balance: 80_000,
        arrears: { amount: 0, since: null },
        deposit: home.deposit.id,
        actions: ['give_notice', 'request_pet'],
      },
    ]);
  });

  test('takes the notice of a tenant, served today', async () => {
    const { renter, home } = await tenant();
    const answer = await good(renter.post(`tenancies/${home.tenancy.id}/give_notice`, { ends_on: '2027-06-30' }));
    expect(answer.body).toMatchObject({
      status: 'notice',
      end_date: '2027-06-30',
      notice: { by: 'tenant', served_on: startDay, ends_on: '2027-06-30', grounds: [] },
      actions: ['request_pet'],
    });
    const types = await agency.eventsOf(answer);
    expect(types).toContain('tenancy.notice_given');
    await expectByRenter(answer, renter, types);
    const again = await renter.post(`tenancies/${home.tenancy.id}/give_notice`, { ends_on: '2027-07-31' });
    expect(again.body.error.code).toBe('status_transition_invalid');
  });

  test('refuses a notice when it ends after the agreed last day', async () => {
    const { id: customer } = await agency.make('customers', { name: 'Ada', email: 'ada@example.com' });
    const { id: unit } = await agency.unit({ rent });
    const { id } = await agency.signed(unit, { customers: [customer], type: 'licence', end_date: '2027-06-30' });
    const renter = await Renter.of(agency, server, customer);
    const late = await renter.post(`tenancies/${id}/give_notice`, { ends_on: '2028-06-30' });
    expect(late).toMatchObject({ status: 400, body: { error: { param: 'ends_on' } } });
    expect(await agency.get('units', unit)).toMatchObject({ available_on: '2027-07-01' });
  });

  // Two months after 4 January is 4 March, in the rent period that ends with March.
  test.each([
    ['2027-03-30', ['tenant_notice']],
    ['2027-03-31', []],
  ])(
    'tells the earliest last day of a notice, and warns of a notice to %s only if it is earlier',
    async (day, warned) => {
      const { id: customer } = await agency.make('customers', { name: 'Ada', email: 'ada@example.com' });
      const { id: unit } = await agency.unit({ rent });
      const { id } = await agency.signed(unit, { customers: [customer], statement_given_on: startDay });
      const renter = await Renter.of(agency, server, customer);
      const { body } = await good(renter.get('tenancies'));
      expect(body.data).toEqual([expect.objectContaining({ id, earliest_last_day: '2027-03-31' })]);
      const answer = await good(renter.post(`tenancies/${id}/give_notice`, { ends_on: day }));
      expect(answer.body.earliest_last_day).toBe(null);
      const { checks } = await agency.get('tenancies', id);
      expect((checks as Made[]).map((check) => check.id).filter((check) => check === 'tenant_notice')).toEqual(warned);
    },
  );

  test.each([
    ['a notice of the landlord', { by: 'landlord', ends_on: '2027-06-30' }, 'by'],
    ['an earlier day of service', { served_on: '2026-01-01', ends_on: '2027-06-30' }, 'served_on'],
    ['an agreement', { agreed_in_writing: true, ends_on: '2027-06-30' }, 'agreed_in_writing'],
    ['a notice without an end', {}, 'ends_on'],
    ['an end before the start', { ends_on: '2027-01-10' }, 'ends_on'],
  ])('refuses %s', async (_, body, param) => {
    const { renter, home } = await tenant();
    const answer = await renter.post(`tenancies/${home.tenancy.id}/give_notice`, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
  });

  test('asks for a pet once, and sends information that the landlord asks for', async () => {
    const { renter, home } = await tenant();
    const path = `tenancies/${home.tenancy.id}/request_pet`;
    const answer = await good(renter.post(path, { description: 'A small dog.' }));
    expect(answer.body.pet_requests).toEqual([
      {
        number: 1,
        description: 'A small dog.',
        requested_on: startDay,
        answer_by: '2027-02-01',
        status: 'open',
        reason: null,
      },
    ]);
    await expectByRenter(answer, renter, ['tenancy.updated', 'tenancy.pet_requested']);
    const again = await good(renter.post(path, { description: 'A small dog.' }));
    expect(again.body.pet_requests).toHaveLength(1);
    expect(await agency.eventsOf(again)).toEqual([]);
    await agency.move('tenancies', home.tenancy.id, 'answer_pet', { number: 1, answer: 'information_asked' });
    const other = await Renter.of(agency, server, home.joint.id);
    expect((await other.post(path, { description: 'Mine.', number: 1 })).body.error.param).toBe('number');
    const informed = await good(renter.post(path, { description: 'A dog of 5 kg.', number: 1 }));
    expect(informed.body.pet_requests).toMatchObject([{ number: 1, description: 'A dog of 5 kg.', status: 'open' }]);
  });
});

describe('money', () => {
  test('shows invoices, payments, deposits and the ledger', async () => {
    const { renter, home } = await tenant();
    expect(await renter.list('invoices')).toMatchObject([
      {
        object: 'portal_invoice',
        status: 'open',
        currency: 'gbp',
        total: 95_000,
        amount_paid: 15_000,
        amount_due: 80_000,
        lines: [{ type: 'rent', description: 'February', amount: 95_000, period: null }],
      },
    ]);
    expect(await renter.list('payments')).toMatchObject([
      { object: 'portal_payment', amount: 5_000, currency: 'gbp', own: false },
      { object: 'portal_payment', amount: 10_000, currency: 'gbp', own: true },
    ]);
    expect(await renter.list('deposits')).toMatchObject([
      { object: 'portal_deposit', type: 'tenancy', status: 'pending', amount: 50_000, amount_held: 0, own: false },
    ]);
    expect(await renter.list(`tenancies/${home.tenancy.id}/ledger`)).toMatchObject([
      { sequence: 3, balance: 80_000 },
      { sequence: 2, balance: 85_000 },
      { sequence: 1, balance: 95_000 },
    ]);
  });

  test('has pages', async () => {
    const { renter, home } = await tenant();
    const { body: first } = await good(renter.get('payments?limit=1'));
    expect(first).toMatchObject({ count: 2, has_more: true, data: [{ id: home.payments.guarantor.id }] });
    const { body: next } = await good(renter.get(`payments?limit=1&starting_after=${home.payments.guarantor.id}`));
    expect(next).toMatchObject({ count: 2, has_more: false, data: [{ id: home.payments.lead.id }] });
    expect((await renter.get('payments?starting_after=x')).body.error.param).toBe('starting_after');
    expect((await renter.get('invoices?limit=51')).body.error.param).toBe('limit');
  });
});

describe('a feature that a session lacks', () => {
  test('closes its routes, and no others', async () => {
    const home = await letHome(agency, people);
    const routes = portalRoutes(server.context).filter(({ path }) => !path.endsWith('/end'));
    for (const feature of portalFeatures) {
      const features = portalFeatures.filter((each) => each !== feature);
      const lacking = await Renter.of(agency, server, home.joint.id, { features });
      const only = await Renter.of(agency, server, home.joint.id, { features: [feature] });
      expect((await good(lacking.get('me'))).body.session.features).toEqual(features);
      const { body: own } = await good(only.get('me'));
      if (feature !== 'details') expect(own.details).toBeNull();
      if (feature !== 'applications') expect([own.references, own.guarantees]).toEqual([[], []]);
      const closed = routes.filter(({ portalFeatures: needed }) => needed?.length === 1 && needed[0] === feature);
      expect(closed.length, feature).toBeGreaterThan(0);
      for (const { method, path } of closed) {
        const answer = await lacking.send(method, path.replace('/v1/portal/', '').replace(':id', 'ten_1'));
        expect([answer.status, answer.body.error.code], `${method} ${path}`).toEqual([403, 'permission_denied']);
        expect(answer.body.error.message).toContain(`\`${feature}\``);
      }
      for (const { method, path } of closed) {
        if (method !== 'GET' || path.includes(':id')) continue;
        await good(only.get(path.replace('/v1/portal/', '')));
      }
    }
  });

  test('hides what belongs to it', async () => {
    const home = await letHome(agency, people);
    const renter = await Renter.of(agency, server, home.lead.id, { features: ['pets'] });
    expect((await good(renter.get('me'))).body.details).toBeNull();
    const [seen] = await renter.list('tenancies');
    expect(seen).toMatchObject({ balance: null, arrears: null, actions: ['request_pet'] });
    const [none] = [await Renter.of(agency, server, home.lead.id, { features: ['details'] })];
    expect((await none.get('tenancies')).status).toBe(403);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { portalRoutes } from '../../src/http/portal/routes.ts';
import { Agency, rent, startDay, startLetting, type Made } from '../letting/agency.ts';
import { formOf } from '../support/files.ts';
import { good, type TestServer } from '../support/server.ts';
import { letHome, Renter, type Let } from './renter.ts';

let server: TestServer;
let agency: Agency;
let home: Let;
let other: Let;
let lead: Renter;
let joint: Renter;
let guarantor: Renter;

/** Names that occur nowhere else. */
const names = { lead: 'Ada-Leadname', joint: 'Ben-Jointname', guarantor: 'Gus-Guarantorname' };
const otherNames = { lead: 'Zoe-Othername', joint: 'Yan-Othername', guarantor: 'Xia-Othername' };

const lists = ['files', 'applications', 'tenancies', 'invoices', 'payments', 'deposits'] as const;

beforeAll(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
  home = await letHome(agency, names);
  await agency.move('guarantors', home.guarantee.id, 'agree', { agreed_on: startDay });
  other = await letHome(agency, otherNames);
  lead = await Renter.of(agency, server, home.lead.id);
  joint = await Renter.of(agency, server, home.joint.id);
  guarantor = await Renter.of(agency, server, home.guarantor.id);
});
afterAll(() => server.stop());

const idsOf = (records: Made[]): string[] => records.map(({ id }) => id);

/** Returns the routes with an id. */
function withId(): { method: string; path: string }[] {
  return portalRoutes(server.context)
    .filter(({ path }) => path.includes(':id'))
    .map(({ method, path }) => ({ method, path: path.replace('/v1/portal/', '') }));
}

/** Returns everything that a person sees, as one text. */
async function allOf(renter: Renter): Promise<string> {
  const texts = [(await good(renter.get('me'))).text];
  for (const path of lists) texts.push((await good(renter.get(path))).text);
  return texts.join('\n');
}

describe('a tenant', () => {
  test('sees its own application, tenancy and money', async () => {
    expect(idsOf(await lead.list('applications'))).toEqual([home.application.id]);
    expect(idsOf(await lead.list('tenancies'))).toEqual([home.tenancy.id]);
    expect(idsOf(await lead.list('invoices'))).toEqual([home.invoice.id]);
    expect(idsOf(await lead.list('payments'))).toEqual([home.payments.guarantor.id, home.payments.lead.id]);
    expect(idsOf(await lead.list('deposits'))).toEqual([home.deposit.id]);
    const ledger = await lead.list(`tenancies/${home.tenancy.id}/ledger`);
    expect(ledger.map(({ type, amount }) => [type, amount])).toEqual([
      ['payment', -5_000],
      ['payment', -10_000],
      ['invoice', 95_000],
    ]);
  });

  test.each([
    ['the lead', () => lead, names.lead, names.joint],
    ['a joint tenant', () => joint, names.joint, names.lead],
  ] as const)(
    'sees of %s’s co-tenant only the name, and of the guarantor only that there is one',
    async (_, of, own, coTenant) => {
      const renter = of();
      const [application] = await renter.list('applications');
      expect(application).toMatchObject({ co_applicants: [coTenant], has_guarantor: true });
      const [tenancy] = await renter.list('tenancies');
      expect(tenancy).toMatchObject({ co_tenants: [coTenant] });
      const all = await allOf(renter);
      expect(all).toContain(`01904 ${own}`);
      expect(all).not.toContain(`01904 ${coTenant}`);
      expect(all).not.toContain(names.guarantor);
      for (const { id } of [home.guarantor, home.guarantee]) expect(all).not.toContain(id);
      const coTenantId = (renter === lead ? home.joint : home.lead).id;
      expect(all).not.toContain(coTenantId);
    },
  );

  test('sees a guarantor only while one has agreed to stand by this applicant', async () => {
    const [ada, ben, gus] = await Promise.all(['Ada', 'Ben', 'Gus'].map((name) => agency.make('customers', { name })));
    const { id: application } = await agency.make('applications', { customers: [ada!.id, ben!.id], rent });
    const { id } = await agency.make('guarantors', { application, customer: gus!.id, guarantees: [ada!.id] });
    const applicants = [await Renter.of(agency, server, ada!.id), await Renter.of(agency, server, ben!.id)];
    const seen = async (): Promise<unknown[]> =>
      Promise.all(applicants.map(async (renter) => (await renter.list('applications'))[0]!.has_guarantor));
    expect(await seen()).toEqual([false, false]);
    await agency.move('guarantors', id, 'agree', { agreed_on: startDay });
    expect(await seen()).toEqual([true, false]);
    await agency.move('guarantors', id, 'release', { released_on: startDay });
    expect(await seen()).toEqual([false, false]);
    const declined = await agency.make('guarantors', { application, customer: gus!.id });
    await agency.move('guarantors', declined.id, 'decline', {});
    expect(await seen()).toEqual([false, false]);
  });

  test('sees a guarantor of its tenancy only while one stands by this tenant', async () => {
    const [ada, ben, gus] = await Promise.all(['Ada', 'Ben', 'Gus'].map((name) => agency.make('customers', { name })));
    const customers = [ada!.id, ben!.id];
    const { id: unit } = await agency.unit({ rent, on_market: true });
    const { id: application } = await agency.application({ customers, unit, rent });
    const { id } = await agency.make('guarantors', { application, customer: gus!.id, guarantees: [ben!.id] });
    await agency.move('guarantors', id, 'agree', { agreed_on: startDay });
    await agency.signed(unit, { customers, application, type: 'company' });
    const tenants = [await Renter.of(agency, server, ada!.id), await Renter.of(agency, server, ben!.id)];
    const seen = async (): Promise<unknown[]> =>
      Promise.all(tenants.map(async (renter) => (await renter.list('tenancies'))[0]!.has_guarantor));
    expect(await seen()).toEqual([false, true]);
    await agency.move('guarantors', id, 'release', { released_on: startDay });
    expect(await seen()).toEqual([false, false]);
  });

  test('sees the words of its own bank only', async () => {
    const [byGuarantor, byLead] = await lead.list('payments');
    expect(byLead).toMatchObject({ own: true, reference: `paid by ${home.lead.id}` });
    expect(byGuarantor).toMatchObject({ own: false, reference: null });
  });

  test('sees its own checks, and no one else’s', async () => {
    expect((await lead.list('applications'))[0]!.references).toHaveLength(1);
    expect((await joint.list('applications'))[0]!.references).toEqual([]);
  });

  test('sees its own requests for pets only', async () => {
    await good(lead.post(`tenancies/${home.tenancy.id}/request_pet`, { description: 'A dog called Rex.' }));
    expect((await lead.list('tenancies'))[0]!.pet_requests).toHaveLength(1);
    expect((await joint.list('tenancies'))[0]!.pet_requests).toEqual([]);
    expect(await allOf(joint)).not.toContain('A dog called Rex.');
  });

  test('sees no drafts', async () => {
    const { id: unit } = await agency.unit();
    await agency.draft(unit, { customers: [home.lead.id], type: 'company' });
    const lines = [{ type: 'utility', description: 'Water', amount: 100 }];
    await agency.make('invoices', { tenancy: home.tenancy.id, lines, due_on: '2027-03-01' });
    expect(idsOf(await lead.list('tenancies'))).toEqual([home.tenancy.id]);
    expect(idsOf(await lead.list('invoices'))).toEqual([home.invoice.id]);
  });

  test('sees nothing of a draft that names it by mistake, also when the draft is canceled', async () => {
    const mistaken = await agency.make('customers', { name: 'Mo' });
    const renter = await Renter.of(agency, server, mistaken.id);
    const { id: unit } = await agency.unit();
    const { id } = await agency.draft(unit, { customers: [mistaken.id, home.joint.id], type: 'company' });
    const deposit = await agency.make('deposits', { type: 'tenancy', tenancy: id, amount: 50_000 });
    const payment = await agency.make('payments', { deposit: deposit.id, amount: 100, method: 'cash' });
    const expectNothing = async (): Promise<void> => {
      for (const path of ['tenancies', 'deposits', 'payments']) expect(await renter.list(path), path).toEqual([]);
      expect((await renter.get(`tenancies/${id}/ledger`)).status).toBe(404);
    };
    await expectNothing();
    await agency.move('payments', payment.id, 'fail', { code: 'mistaken' });
    await agency.move('tenancies', id, 'cancel', {});
    await expectNothing();
    expect(await allOf(renter)).not.toContain(names.joint);
  });

  test('still sees a signed tenancy that is canceled before it begins', async () => {
    const tenant = await agency.make('customers', { name: 'Sue' });
    const { id: unit } = await agency.unit();
    const { id } = await agency.draft(unit, { customers: [tenant.id], type: 'company', start_date: '2027-09-01' });
    await agency.move('tenancies', id, 'sign', { signed_on: startDay });
    await agency.move('tenancies', id, 'cancel', {});
    const seen = await (await Renter.of(agency, server, tenant.id)).list('tenancies');
    expect(seen).toMatchObject([{ id, status: 'canceled', signed_on: startDay }]);
  });
});

describe('a guarantor', () => {
  test('sees its own guarantee, payments and files, and nothing of the let', async () => {
    const { body: me } = await good(guarantor.get('me'));
    expect(me.guarantees).toEqual([
      { id: home.guarantee.id, status: 'agreed', limit: null, agreed_on: startDay, released_on: null },
    ]);
    expect(idsOf(await guarantor.list('payments'))).toEqual([home.payments.guarantor.id]);
    for (const path of ['applications', 'tenancies', 'invoices', 'deposits', 'files'])
      expect(await guarantor.list(path), path).toEqual([]);
    const all = await allOf(guarantor);
    for (const text of [names.lead, names.joint, home.lead.id, home.joint.id, home.application.id])
      expect(all).not.toContain(text);
  });

  test('does not see which application its check is for', async () => {
    await agency.make('references', { application: home.application.id, customer: home.guarantor.id });
    const { body: me } = await good(guarantor.get('me'));
    expect(me.references).toEqual([expect.objectContaining({ status: 'pending', outcome: null, application: null })]);
  });
});

describe('a check of a person', () => {
  test('shows its outcome once the application is decided, and never its reasons, notes or report', async () => {
    const { id: customer } = await agency.make('customers', { name: 'Kim' });
    const { id: unit } = await agency.unit();
    const application = await agency.application({ customers: [customer], unit, rent });
    const reference = await agency.make('references', { application: application.id, customer });
    const file = await agency.api.post('/v1/files', formOf({ purpose: 'reference_report' }));
    await good(
      agency.api.post(`/v1/references/${reference.id}`, {
        outcome: 'high_risk',
        reason: 'Secret words of the office.',
        reference_pdf: file.body.id,
      }),
    );
    const renter = await Renter.of(agency, server, customer);
    const outcomes = async (): Promise<unknown[]> => [
      (await renter.list('applications'))[0]!.references[0].outcome,
      (await good(renter.get('me'))).body.references[0].outcome,
    ];
    expect(await outcomes()).toEqual([null, null]);
    await agency.move('applications', application.id, 'reject', {
      reasons: ['affordability', 'credit_history'],
      note: 'Secret note of the office.',
    });
    expect(await outcomes()).toEqual(['high_risk', 'high_risk']);
    const [seen] = await renter.list('applications');
    expect(seen!.decision).toEqual({
      outcome: 'rejected',
      reasons: [
        { code: 'affordability', text: 'The rent is more than the income can carry.' },
        { code: 'credit_history', text: 'The credit history has defaults, judgments or arrears.' },
      ],
      automated: false,
      decided_at: expect.any(Number),
    });
    expect(seen!.actions).toEqual(['request_review']);
    const all = await allOf(renter);
    for (const secret of ['Secret', file.body.id]) expect(all).not.toContain(secret);
  });
});

describe('the records of others', () => {
  const bodies: Record<string, object> = {
    'tenancies/:id/give_notice': { ends_on: '2027-06-30' },
    'tenancies/:id/request_pet': { description: 'A cat.' },
  };

  test('are unknown on every route, for each role', async () => {
    const foreign = [other.application, other.tenancy, other.invoice, other.deposit, other.lead, home.guarantee];
    const ofGuarantor = [...foreign, home.application, home.tenancy, home.invoice, home.deposit, home.lead];
    const wrong = [{ id: 'ten_0VbZq9aK00mT3cUuP8sXw4' }, { id: '../me' }, { id: 'x' }];
    for (const [customer, ids] of [
      [home.lead, foreign],
      [home.joint, foreign],
      [home.guarantor, ofGuarantor],
    ] as const) {
      const sessions = await Renter.manyOf(agency, server, customer.id);
      const requests = withId().flatMap((route) => [...ids, ...wrong].map(({ id }) => ({ ...route, id })));
      await Promise.all(
        requests.map(async ({ method, path, id }, index) => {
          const body = method === 'POST' ? (bodies[path] ?? {}) : undefined;
          const renter = sessions[index % sessions.length]!;
          const answer = await renter.send(method, path.replace(':id', encodeURIComponent(id)), body);
          expect([answer.status, answer.body.error.code], `${method} ${path} ${id}`).toEqual([404, 'resource_missing']);
        }),
      );
    }
  });

  test('are in no list, for each role', async () => {
    for (const renter of [lead, joint, guarantor]) {
      const all = await allOf(renter);
      for (const made of Object.values(other) as Made[])
        if (typeof made.id === 'string') expect(all).not.toContain(made.id);
      expect(all).not.toContain('Othername');
    }
  });

  test('are in no list of a foreign tenancy', async () => {
    for (const path of ['invoices', 'payments', 'deposits'])
      expect(await lead.list(`${path}?tenancy=${other.tenancy.id}`), path).toEqual([]);
    expect(await lead.list(`invoices?tenancy=${home.tenancy.id}`)).toHaveLength(1);
  });

  test('are not reached by a filter, an expansion or another account', async () => {
    for (const query of [`customer=${other.lead.id}`, 'expand[]=customers', 'created[gt]=1']) {
      const answer = await lead.get(`applications?${query}`);
      expect(answer.status, query).toBe(400);
    }
    const { body: connected } = await good(agency.api.post('/v1/accounts', { name: 'Branch' }));
    const asked = await Renter.of(agency, server, home.lead.id);
    const answer = await fetch(`${server.url}/v1/portal/applications`, {
      headers: { authorization: `Bearer ${asked.token}`, 'service-context': connected.id as string },
    });
    const { data } = (await answer.json()) as { data: Made[] };
    expect(idsOf(data)).toEqual([home.application.id]);
  });
});

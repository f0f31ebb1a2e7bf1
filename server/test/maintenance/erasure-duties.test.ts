import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Agency, dawn, expectCode, fiveWeeks, startDay, startLetting, week, type Made } from '../letting/agency.ts';
import { allPermissions } from '../support/permissions.ts';
import { good, type ApiResponse, type TestServer } from '../support/server.ts';
import { addKey } from '../support/tenants.ts';

/*
 * A person cannot be erased while a duty needs the data. A duty is a tenancy that holds a home or has a balance, or a deposit that is held.
 */

/** Runs once, after the next read of a tenancy or a deposit. */
let afterNextRead: (() => Promise<unknown>) | null = null;

let server: TestServer;
/** Another process with the same database: no turn in memory keeps its requests apart from those of the first. */
let other: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting({
    changeContext: (context) => ({
      ...context,
      async readRecord(resource, accountId, id) {
        const record = await context.readRecord(resource, accountId, id);
        const then = resource.path === 'tenancies' || resource.path === 'deposits' ? afterNextRead : null;
        if (then) {
          afterNextRead = null;
          await then();
        }
        return record;
      },
    }),
  });
  other = await startLetting({ connection: server.connection });
});

afterAll(async () => {
  await other.stop();
  await server.stop();
});

beforeEach(async () => {
  agency = await Agency.on(server);
});

const person = async (name = 'Ada Lovelace'): Promise<string> => (await agency.make('customers', { name })).id;
const erase = (id: string): Promise<ApiResponse> => agency.api.delete(`/v1/customers/${id}`);
const line = { type: 'utility', description: 'Water', amount: 7_777 };

async function expectInUse(id: string, ...words: string[]): Promise<void> {
  const refused = await erase(id);
  expectCode(refused, 'record_in_use');
  for (const word of [id, ...words]) expect(refused.body.error.message).toContain(word);
  expect((await agency.get('customers', id)).name).toBe('Ada Lovelace');
}

async function expectErased(id: string): Promise<void> {
  await good(erase(id));
  expect(await agency.get('customers', id)).toMatchObject({ id, deleted: true });
}

/** A tenancy that began and ended on the first day. */
async function ended(customers: string[]): Promise<Made> {
  const { id } = await agency.signed((await agency.unit()).id, { customers, start_date: startDay });
  await dawn(server);
  return end(id);
}

function end(tenancy: string): Promise<Made> {
  return agency.move('tenancies', tenancy, 'end', { ended_on: startDay, reason: 'surrender' });
}

function charge(tenancy: string): Promise<Made> {
  return agency.make('invoices', { tenancy, lines: [line], due_on: startDay, finalize: true });
}

const pay = (tenancy: string, amount: number): Promise<Made> =>
  agency.make('payments', { tenancy, amount, method: 'bank_transfer' });

/** An application with a proposed guarantor. */
async function guaranteed(): Promise<{ customer: string; guarantor: string; unit: string; application: string }> {
  const customer = await person();
  const { unit, application } = await agency.applied();
  const { id: guarantor } = await agency.make('guarantors', { application, customer });
  return { customer, guarantor, unit, application };
}

/** Lets something happen in the other process between the reads of a deletion and its commit. */
async function eraseWhile(id: string, happens: (elsewhere: Agency) => Promise<unknown>): Promise<ApiResponse> {
  const { api } = await addKey(other, agency.accountId, { permissions: allPermissions });
  afterNextRead = () => happens(new Agency(agency.accountId, api));
  return erase(id);
}

describe('a tenant', () => {
  test('cannot be erased after the end while the balance is not 0 or the deposit is held', async () => {
    const tenant = await person();
    const { id: unit } = await agency.unit();
    const { id: tenancy } = await agency.signed(unit, { customers: [tenant, 'crm_7'], start_date: startDay });
    const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 50_000 });
    await agency.payDeposit(deposit, 50_000);
    await dawn(server);
    await expectInUse(tenant, `tenant of ${tenancy}`, `${deposit} holds 50000`);
    await charge(tenancy);
    await end(tenancy);
    await expectInUse(tenant, `balance of ${tenancy} is 7777`, `${deposit} holds 50000`);
    await pay(tenancy, 7_777);
    await expectInUse(tenant, `${deposit} holds 50000`);
    await agency.move('deposits', deposit, 'release', { deductions: [], returned_on: startDay });
    await expectErased(tenant);
  });

  test('cannot be erased while a credit is not paid back', async () => {
    const tenant = await person();
    const { id: tenancy } = await ended([tenant]);
    const { id: payment } = await pay(tenancy, 1);
    await expectInUse(tenant, `balance of ${tenancy} is -1`, 'refund');
    await agency.move('payments', payment, 'refund', { amount: 1 });
    await expectErased(tenant);
  });

  test('cannot be erased while the deposit of a draft holds a part of its amount', async () => {
    const tenant = await person();
    const { id: tenancy } = await agency.draft((await agency.unit()).id, { customers: [tenant] });
    const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: fiveWeeks });
    await agency.payDeposit(deposit, 1);
    await expectInUse(tenant, `${deposit} holds 1:`);
  });

  test('can be erased when the tenancies are drafts, canceled, or ended with nothing left', async () => {
    const tenant = await person();
    await agency.draft((await agency.unit()).id, { customers: [tenant] });
    const { id: canceled } = await agency.signed((await agency.unit()).id, { customers: [tenant] });
    await agency.move('tenancies', canceled, 'cancel');
    const { id: tenancy } = await ended([tenant]);
    await charge(tenancy);
    await pay(tenancy, 7_777);
    await expectErased(tenant);
    // Money that comes later does not bring the person back, and the deletion can be repeated.
    await pay(tenancy, 500);
    expect(await agency.get('tenancies', tenancy)).toMatchObject({ balance: -500 });
    await expectErased(tenant);
  });

  test('learns of ten duties and of the number of the others', async () => {
    const tenant = await person();
    const made: string[] = [];
    for (let index = 0; index < 12; index += 1)
      made.push((await agency.signed((await agency.unit()).id, { customers: [tenant] })).id);
    await expectInUse(tenant, ...made.slice(0, 10), '2 more');
  });
});

describe('an applicant', () => {
  test('cannot be erased while a holding deposit of the application is held', async () => {
    const [first, second, later] = [await person(), await person(), await person()];
    const { unit, application } = await agency.applied();
    await good(agency.api.post(`/v1/applications/${application}`, { customers: [first, second] }));
    const { id: deposit } = await agency.holding(application);
    await good(agency.api.post(`/v1/applications/${application}`, { customers: [first, later] }));
    await expectErased(second);
    await agency.payDeposit(deposit, week);
    expect(await agency.get('units', unit)).toMatchObject({ holding_deposit: deposit });
    for (const applicant of [first, later]) await expectInUse(applicant, `${deposit} holds ${week}`);
    await agency.move('deposits', deposit, 'return', { returned_on: startDay });
    for (const applicant of [first, later]) await expectErased(applicant);
  });
});

describe('a payer', () => {
  test('cannot be erased while the deposit holds the money', async () => {
    const payer = await person();
    const { unit, application } = await agency.applied();
    const { id: deposit } = await agency.make('deposits', { type: 'holding', application, amount: week, payer });
    await agency.payDeposit(deposit, week);
    await expectInUse(payer, `${deposit} holds ${week}`);
    const { id: tenancy } = await agency.signed(unit, { application });
    const body = { type: 'tenancy', tenancy, amount: fiveWeeks, payer };
    const { id: second } = await agency.make('deposits', body);
    await agency.move('deposits', deposit, 'apply', {
      to: [{ deposit: second, amount: week }],
      payer_consents: true,
    });
    await expectInUse(payer, `${second} holds ${week}`);
    await agency.payDeposit(second, fiveWeeks - week);
    await agency.move('deposits', second, 'release', { deductions: [], returned_on: startDay });
    await expectErased(payer);
  });

  test('can be erased when nothing of the deposit has come, or it was canceled', async () => {
    const payer = await person();
    const made: string[] = [];
    for (let index = 0; index < 2; index += 1) {
      const { application } = await agency.applied();
      made.push((await agency.make('deposits', { type: 'holding', application, amount: week, payer })).id);
    }
    await agency.move('deposits', made[0]!, 'cancel');
    await expectErased(payer);
  });
});

describe('a guarantor', () => {
  test('cannot be erased while the tenancy lasts, until the release', async () => {
    const { customer, guarantor, unit, application } = await guaranteed();
    await agency.move('guarantors', guarantor, 'agree', { agreed_on: startDay });
    const { id: tenancy } = await agency.signed(unit, { application });
    await expectInUse(customer, guarantor, tenancy);
    await agency.move('guarantors', guarantor, 'release', { released_on: startDay });
    await expectErased(customer);
  });

  test('cannot be erased after the end while the tenancy has a balance or a held deposit', async () => {
    const { customer, guarantor, unit, application } = await guaranteed();
    await agency.move('guarantors', guarantor, 'agree', { agreed_on: startDay });
    const { id: tenancy } = await agency.signed(unit, { application, start_date: startDay });
    const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 1_000 });
    await agency.payDeposit(deposit, 1_000);
    await dawn(server);
    await charge(tenancy);
    await end(tenancy);
    await agency.move('deposits', deposit, 'release', { deductions: [], returned_on: startDay });
    await expectInUse(customer, guarantor);
    await pay(tenancy, 7_777);
    await expectErased(customer);
  });

  test('can be erased when the guarantee was only proposed, or guards nothing', async () => {
    const proposed = await guaranteed();
    await agency.signed(proposed.unit, { application: proposed.application });
    await expectErased(proposed.customer);
    const agreed = await guaranteed();
    await agency.move('guarantors', agreed.guarantor, 'agree', { agreed_on: startDay });
    await expectErased(agreed.customer);
  });

  test('cannot be erased while a holding deposit of the application is held', async () => {
    const { customer, guarantor, application } = await guaranteed();
    await agency.move('guarantors', guarantor, 'agree', { agreed_on: startDay });
    await agency.payDeposit((await agency.holding(application)).id, week);
    await expectInUse(customer, guarantor, application);
  });
});

describe('at the same moment', () => {
  test('a payment refuses the deletion that has read the balance before', async () => {
    const tenant = await person();
    const { id: tenancy } = await ended([tenant]);
    const answer = await eraseWhile(tenant, (elsewhere) =>
      elsewhere.make('payments', { tenancy, amount: 500, method: 'bank_transfer' }),
    );
    expectCode(answer, 'record_in_use');
    expect(await agency.get('customers', tenant)).toMatchObject({ name: 'Ada Lovelace' });
  });

  test('the money of a deposit refuses the deletion that has read the deposit before', async () => {
    const payer = await person();
    const { application } = await agency.applied();
    const { id } = await agency.make('deposits', { type: 'holding', application, amount: week, payer });
    expectCode(await eraseWhile(payer, (elsewhere) => elsewhere.payDeposit(id, week)), 'record_in_use');
  });

  test('a new deposit refuses the deletion that did not know it', async () => {
    const payer = await person();
    // The read of this draft is the moment.
    await agency.draft((await agency.unit()).id, { customers: [payer] });
    const { application } = await agency.applied();
    const answer = await eraseWhile(payer, async (elsewhere) => {
      const { id } = await elsewhere.make('deposits', { type: 'holding', application, amount: week, payer });
      await elsewhere.payDeposit(id, week);
    });
    expectCode(answer, 'record_in_use');
  });

  test('a new holding deposit of an application refuses the deletion of its applicant', async () => {
    const applicant = await person();
    await agency.draft((await agency.unit()).id, { customers: [applicant] });
    const { application } = await agency.applied();
    await good(agency.api.post(`/v1/applications/${application}`, { customers: [applicant] }));
    const answer = await eraseWhile(applicant, async (elsewhere) => {
      const { id } = await elsewhere.holding(application);
      await elsewhere.payDeposit(id, week);
    });
    expectCode(answer, 'record_in_use');
  });

  test('thirty payments and thirty deletions leave each person whole or erased', async () => {
    const lets = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const tenant = await person();
        return {
          tenant,
          tenancy: await agency.signed((await agency.unit()).id, { customers: [tenant], start_date: startDay }),
        };
      }),
    );
    await dawn(server);
    await Promise.all(lets.map(({ tenancy }) => end(tenancy.id)));
    const answers = await Promise.all(
      lets.map(async ({ tenant, tenancy }) => {
        const [payment, deletion] = await Promise.all([pay(tenancy.id, 500), erase(tenant)]);
        return { tenant, tenancy, payment, deletion };
      }),
    );
    for (const { tenant, tenancy, deletion } of answers) {
      expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: -500 });
      const { deleted = false } = await agency.get('customers', tenant);
      if (deletion.status === 400) expectCode(deletion, 'record_in_use');
      expect(deleted).toBe(deletion.status === 200);
    }
  });

  test('thirty signatures and thirty deletions in two processes: one of each pair is refused', async () => {
    const { api } = await addKey(other, agency.accountId, { permissions: allPermissions });
    const drafts = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const tenant = await person();
        return { tenant, id: (await agency.draft((await agency.unit()).id, { customers: [tenant] })).id };
      }),
    );
    const answers = await Promise.all(
      drafts.map(async ({ tenant, id }) => {
        const [signature, deletion] = await Promise.all([
          api.post(`/v1/tenancies/${id}/sign`, { signed_on: startDay }),
          erase(tenant),
        ]);
        return [signature.status, deletion.status].toSorted((one, next) => one - next);
      }),
    );
    expect(answers).toEqual(drafts.map(() => [200, 400]));
  });
});

test('lists the same records when a database of an earlier release is upgraded', async () => {
  const [tenant, payer, guarantor] = [await person(), await person(), await person()];
  const { unit, application } = await agency.applied();
  await good(agency.api.post(`/v1/applications/${application}`, { customers: [tenant, 'crm_7'] }));
  for (const move of ['agree', 'decline']) {
    const { id } = await agency.make('guarantors', {
      application,
      customer: move === 'agree' ? guarantor : payer,
    });
    await agency.move('guarantors', id, move, move === 'agree' ? { agreed_on: startDay } : {});
  }
  const { id: holding } = await agency.make('deposits', { type: 'holding', application, amount: week, payer });
  await agency.payDeposit(holding, week);
  const { id: tenancy } = await agency.signed(unit, { application, customers: [tenant] });
  const { id: deposit } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: fiveWeeks, payer });
  await agency.move('deposits', holding, 'apply', { to: [{ deposit, amount: week }], payer_consents: true });
  const lists = 'tenancies, applications, deposits, guarantees';
  const listed = async (): Promise<unknown[]> =>
    (
      await server.context.database.listers.query(
        `select id, ${lists} from customers where account_id = $1 order by id`,
        [agency.accountId],
      )
    ).rows;
  const before = await listed();
  expect(before).toMatchObject([
    { id: tenant, tenancies: [tenancy], applications: [application], deposits: [], guarantees: [] },
    { id: payer, tenancies: [], applications: [], deposits: [deposit], guarantees: [] },
    { id: guarantor, tenancies: [], applications: [], deposits: [], guarantees: [expect.any(String)] },
  ]);
  const migration = readFileSync(new URL('../../sql/0056_duties_of_customers.sql', import.meta.url), 'utf8');
  const { listers } = server.context.database;
  await listers.query(
    `update customers set ${lists.replaceAll(/\w+/g, (name) => `${name} = '{}'`)} where account_id = $1`,
    [agency.accountId],
  );
  await listers.query(migration.slice(migration.indexOf('update customers')));
  expect(await listed()).toEqual(before);
});

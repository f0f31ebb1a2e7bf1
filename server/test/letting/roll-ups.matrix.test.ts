import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiResponse, TestServer } from '../support/server.ts';
import { advance, Agency, startLetting, type Made } from './agency.ts';

/*
 * Random moves of lets, with days that pass. Afterwards, units, buildings, applications, guarantors and customers are compared with a
 * recomputation. It knows the tenancies and guarantors, and the rules of the contract.
 */

/** Each waits for the days that pass in it. */
const numRuns = 12;

let server: TestServer;

beforeAll(async () => {
  server = await startLetting();
});

afterAll(() => server.stop());

const kinds = [
  'draft',
  'sign',
  'sign',
  'cancel',
  'notice',
  'withdraw',
  'end',
  'guarantor',
  'agree',
  'release',
  'days',
] as const;
const anyOperation = fc.record({
  kind: fc.constantFrom(...kinds),
  unit: fc.nat(1),
  application: fc.nat(1),
  /** Chooses among the records so far. */
  choice: fc.nat(1_000),
  start: fc.nat(12),
  days: fc.integer({ min: 1, max: 10 }),
});
type Operation = {
  kind: (typeof kinds)[number];
  unit: number;
  application: number;
  choice: number;
  start: number;
  days: number;
};

interface Office {
  agency: Agency;
  building: string;
  units: string[];
  people: string[];
  applications: string[];
  tenancies: string[];
  guarantors: string[];
}

async function makeIds(count: number, make: () => Promise<Made>): Promise<string[]> {
  const made: string[] = [];
  for (let number = 0; number < count; number++) made.push((await make()).id);
  return made;
}

async function open(): Promise<Office> {
  const agency = await Agency.on(server);
  const { id: building } = await agency.building();
  return {
    agency,
    building,
    units: await makeIds(2, () => agency.unit({ building })),
    people: await makeIds(2, () => agency.make('customers', { name: 'Ada Lovelace' })),
    applications: await makeIds(2, () => agency.application()),
    tenancies: [],
    guarantors: [],
  };
}

function dayAt(days: number): string {
  return new Date(server.context.clock.nowMs() + days * 86_400_000).toISOString().slice(0, 10);
}

async function carryOut(office: Office, operation: Operation): Promise<void> {
  const { kind, unit, application, choice, start, days } = operation;
  const { agency, units, people, applications, tenancies, guarantors } = office;
  const { api } = agency;
  if (kind === 'days') return advance(server, days);
  const tenancy = tenancies[choice % tenancies.length] ?? 'ten_0VbZq9aK00mT3cUuP8sXw4';
  const guarantor = guarantors[choice % guarantors.length] ?? 'gua_0VbZq9aK00mT3cUuP8sXw4';
  const today = dayAt(0);
  const requests: Record<Exclude<Operation['kind'], 'days'>, () => Promise<ApiResponse>> = {
    draft: () =>
      api.post('/v1/tenancies', {
        unit: units[unit],
        customers: [people[choice % 2]],
        // Some drafts have no application.
        application: choice % 3 === 0 ? null : applications[application],
        start_date: dayAt(start),
        end_date: dayAt(start + days),
        rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
        type: 'licence',
      }),
    sign: () => api.post(`/v1/tenancies/${tenancy}/sign`, { signed_on: today }),
    cancel: () => api.post(`/v1/tenancies/${tenancy}/cancel`),
    notice: () =>
      api.post(`/v1/tenancies/${tenancy}/give_notice`, { by: 'mutual', served_on: today, ends_on: dayAt(start) }),
    withdraw: () => api.post(`/v1/tenancies/${tenancy}/withdraw_notice`, { agreed_in_writing: true }),
    end: () => api.post(`/v1/tenancies/${tenancy}/end`, { ended_on: today, reason: 'surrender' }),
    guarantor: () => api.post('/v1/guarantors', { application: applications[application], customer: `g_${choice}` }),
    agree: () => api.post(`/v1/guarantors/${guarantor}/agree`, { agreed_on: today }),
    release: () => api.post(`/v1/guarantors/${guarantor}/release`, { released_on: today }),
  };
  const answer = await requests[kind]();
  expect([200, 400, 404], answer.text).toContain(answer.status);
  if (answer.status !== 200) return;
  const { id } = answer.body as Made;
  if (kind === 'draft') tenancies.push(id);
  if (kind === 'guarantor') guarantors.push(id);
}

const holding = new Set(['signed', 'active', 'notice', 'ended']);
const living = new Set(['signed', 'active', 'notice']);

async function expectSumsRight({ agency, building, units, people, applications, ...made }: Office): Promise<void> {
  const all = async (kind: string, ids: readonly string[]): Promise<Made[]> =>
    Promise.all(ids.map((id) => agency.get(kind, id)));
  const tenancies = await all('tenancies', made.tenancies);
  const guarantors = await all('guarantors', made.guarantors);
  for (const unit of await all('units', units)) {
    const own = tenancies
      .filter((tenancy) => tenancy.unit === unit.id && holding.has(tenancy.status))
      .toSorted((one, other) => (one.start_date < other.start_date ? -1 : 1));
    for (const [index, { end_date: end }] of own.slice(0, -1).entries())
      expect(end < own[index + 1]!.start_date, unit.id).toBe(true);
    // A tenancy can end on its first day, before it became active.
    const lives = own.filter(({ status }) => living.has(status));
    const current = lives.find(({ activated_at: at }) => at !== null);
    const next = lives.find(({ activated_at: at }) => at === null);
    const end: string | undefined = own.at(-1)?.end_date;
    expect(unit).toMatchObject({
      status: current ? 'occupied' : next ? 'let_agreed' : 'available',
      tenancy: current?.id ?? null,
      next_tenancy: next?.id ?? null,
      available_on: end === undefined ? null : new Date(Date.parse(end) + 86_400_000).toISOString().slice(0, 10),
    });
  }
  for (const application of await all('applications', applications)) {
    const converted = tenancies.filter((each) => each.application === application.id && holding.has(each.status));
    expect(converted.length).toBeLessThan(2);
    expect(application.tenancy).toBe(converted[0]?.id ?? null);
    expect(application.status === 'converted').toBe(converted.length === 1);
    const own = guarantors.filter((each) => each.application === application.id);
    expect(application.guarantors).toEqual(own.map(({ id }) => id));
    const agreed = own.filter(({ status }) => status === 'agreed').map(({ id }) => id);
    if (converted[0]) expect((converted[0].guarantors as string[]).toSorted()).toEqual(agreed.toSorted());
  }
  // A person that lives in a home, or is going to, cannot be erased. The building has units.
  for (const person of people) {
    const lives = tenancies.some(({ customers, status }) => customers.includes(person) && living.has(status));
    const answer = await agency.api.delete(`/v1/customers/${person}`);
    expect(answer.status, answer.text).toBe(lives ? 400 : 200);
  }
  expect((await agency.api.delete(`/v1/buildings/${building}`)).status).toBe(400);
}

test('every roll-up equals a recomputation after any moves of lets and days', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyOperation, { minLength: 15, maxLength: 40 }), async (operations) => {
      const office = await open();
      for (const operation of operations) await carryOut(office, operation);
      await expectSumsRight(office);
    }),
    { numRuns, endOnFailure: true },
  );
});

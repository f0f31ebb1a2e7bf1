import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { addDays } from '../../src/core/calendar.ts';
import { jurisdictions, tenancyTypes } from '../../src/law/index.ts';
import { good, type ApiResponse, type TestServer } from '../support/server.ts';
import { tracesOf } from '../support/traces.ts';
import {
  advance,
  Agency,
  expectCode,
  fiveWeeks,
  lettingClock,
  rent,
  startDay,
  startLetting,
  week,
  type Made,
} from './agency.ts';

/* Each enforced check through HTTP, on either side of its limit and of its first day. The rules of the account change what it does. */

/** An act in one variation. */
interface How {
  /** Whether it is a penny, or a day, beyond the limit. */
  beyond: boolean;
  /** The day of the act. */
  day: string;
  type: string;
  jurisdiction: string | null;
}

/** The act that fails, unless a variation differs. */
const plain: How = { beyond: true, day: startDay, type: 'assured', jurisdiction: null };

/** A request that a check judges. */
interface Act {
  path: string;
  body: object;
  /** The path of the record that it changes. Left out if it creates one. */
  record?: string;
}

interface Row {
  check: string;
  act: string;
  /** Undefined if no parameter is at fault. */
  param: string | undefined;
  /** What the message of the default day says: the value that would pass, if there is one. */
  says: string;
  /** The day before the first day, and the first day. Left out if the request cannot name the day of the act. */
  days?: readonly [string, string];
  /** The record has no type of tenancy: it counts as assured. */
  isUntyped?: true;
  /** The record has no `checks`, so that a warning leaves no trace. */
  keepsNothing?: true;
  prepare(agency: Agency, how: How): Promise<Act>;
}

/** Judges the days of a tenancy, and no request. */
const petAnswer = 'pet_answer';
/** Judge the days of a deposit. `deposit-deadlines.test.ts` has their tests. */
const depositDays = ['deposit_protection', 'deposit_information', 'deposit_return'];

const reform = ['2026-04-30', '2026-05-01'] as const;

/** Makes a unit in a building of this jurisdiction. */
async function unitIn(agency: Agency, { jurisdiction }: Pick<How, 'jurisdiction'>, more: object = {}): Promise<Made> {
  return agency.unit({ building: (await agency.building({ jurisdiction })).id, ...more });
}

/** Makes a unit that is on the market for `rent`. */
function advertised(agency: Agency, how: How): Promise<Made> {
  return unitIn(agency, how, { on_market: true, rent });
}

const bid = ({ beyond }: How) => ({ ...rent, amount: beyond ? rent.amount + 1 : rent.amount });

/** Returns the request that drafts a tenancy. */
async function creation(agency: Agency, how: How, terms: object, unit?: Made): Promise<Act> {
  const { id } = unit ?? (await unitIn(agency, how));
  const { type } = how;
  return {
    path: '/v1/tenancies',
    body: { unit: id, customers: ['tenant_1'], start_date: '2027-02-01', rent, type, ...terms },
  };
}

/** Returns the update of a draft to these terms. */
async function changed(agency: Agency, how: How, terms: object, unit?: Made): Promise<Act> {
  const { path, body } = await creation(agency, how, {}, unit);
  const { id } = await agency.make('tenancies', body);
  return { path: `${path}/${id}`, body: terms, record: `${path}/${id}` };
}

/** Returns the signing of a draft with these terms. */
async function signing(agency: Agency, how: How, terms: object, unit?: Made): Promise<Act> {
  const { path, body } = await creation(agency, how, terms, unit);
  const { id } = await agency.make('tenancies', body);
  return { path: `${path}/${id}/sign`, body: { signed_on: how.day }, record: `${path}/${id}` };
}

/** Returns the notice to end a tenancy that began with the year. */
async function notice(agency: Agency, how: How, body: object, terms: object = {}): Promise<Act> {
  const { id } = await agency.draft((await unitIn(agency, how)).id, {
    start_date: '2026-01-01',
    type: how.type,
    ...terms,
  });
  await agency.move('tenancies', id, 'sign', { signed_on: '2026-01-01' });
  const record = `/v1/tenancies/${id}`;
  return { path: `${record}/give_notice`, body: { served_on: how.day, ...body }, record };
}

/** Returns the finalization of an invoice of a tenancy that starts on 2027-02-01. It is due a month later, unless the terms differ. */
async function finalization(
  agency: Agency,
  how: How,
  line: object,
  { due_on = '2027-03-01', isSigned = true }: { due_on?: string; isSigned?: boolean } = {},
): Promise<Act> {
  const tenancy = await agency.draft((await unitIn(agency, how)).id, { type: how.type });
  if (isSigned) await agency.move('tenancies', tenancy.id, 'sign', { signed_on: startDay });
  const invoiceOf = (of: object, due: string, finalize = false): Promise<Made> => {
    const lines = [{ description: 'A line', amount: 1, ...of }];
    return agency.make('invoices', { tenancy: tenancy.id, lines, due_on: due, finalize });
  };
  // Fourteen days before the day of the act, or one fewer.
  const lateDay = how.beyond ? '2026-12-22' : '2026-12-21';
  const about =
    'isLate' in line ? { type: 'late_interest', invoice: (await invoiceOf({ type: 'rent' }, lateDay, true)).id } : line;
  const record = `/v1/invoices/${(await invoiceOf(about, due_on)).id}`;
  return { path: `${record}/finalize`, body: {}, record };
}

const rentBeforeSigning = {
  check: 'rent_before_signing',
  says: 'Sign the tenancy first.',
  keepsNothing: true,
} as const;

const rentStated = {
  check: 'rent_stated',
  param: 'rent',
  says: 'Send `rent`',
  isUntyped: true,
  keepsNothing: true,
} as const;
const rentBid = { check: 'rent_bid', param: 'rent[amount]', says: 'at most 95000 ' } as const;
const rentAboveAdvert = { check: 'rent_bid' } as const;
const periodicOnly = { check: 'periodic_only', param: 'end_date', says: 'Leave `end_date` out.' } as const;
const rentPeriod = { check: 'rent_period', param: 'rent[interval_count]' } as const;
const endOf = ({ beyond }: How) => ({ end_date: beyond ? '9999-12-31' : null });
const countOf = ({ beyond }: How) => ({ rent: { ...rent, interval_count: beyond ? 2 : 1 } });

/** The acts of each check that a request carries out. `pet_answer` follows from days, and has its own test. */
const rows: Row[] = [
  {
    ...rentStated,
    act: 'creates a unit',
    prepare: async (agency, how) => ({
      path: '/v1/units',
      body: {
        building: (await agency.building({ jurisdiction: how.jurisdiction })).id,
        name: 'Flat 2',
        on_market: true,
        rent: how.beyond ? null : { ...rent, amount: 0 },
      },
    }),
  },
  {
    ...rentStated,
    act: 'puts a unit on the market',
    async prepare(agency, how) {
      const path = `/v1/units/${(await unitIn(agency, how, { rent: how.beyond ? null : rent })).id}`;
      return { path, body: { on_market: true }, record: path };
    },
  },
  {
    ...rentStated,
    act: 'changes a unit that is on the market',
    async prepare(agency, how) {
      const path = `/v1/units/${(await advertised(agency, how)).id}`;
      return { path, body: { rent: how.beyond ? null : { ...rent, amount: 1 } }, record: path };
    },
  },
  {
    ...rentBid,
    isUntyped: true,
    act: 'creates an application',
    prepare: async (agency, how) => ({
      path: '/v1/applications',
      body: { customers: ['tenant_1'], unit: (await advertised(agency, how)).id, rent: bid(how) },
    }),
  },
  {
    ...rentBid,
    isUntyped: true,
    act: 'changes the rent of an application',
    async prepare(agency, how) {
      const { id } = await agency.application({ unit: (await advertised(agency, how)).id });
      const path = `/v1/applications/${id}`;
      return { path, body: { rent: bid(how) }, record: path };
    },
  },
  {
    ...rentBid,
    isUntyped: true,
    act: 'changes the unit of an application',
    async prepare(agency, how) {
      const path = `/v1/applications/${(await agency.application({ rent: bid(how) })).id}`;
      return { path, body: { unit: (await advertised(agency, how)).id }, record: path };
    },
  },
  {
    ...rentBid,
    act: 'drafts a tenancy',
    prepare: async (agency, how) => creation(agency, how, { rent: bid(how) }, await advertised(agency, how)),
  },
  {
    ...rentBid,
    act: 'changes a draft',
    prepare: async (agency, how) => changed(agency, how, { rent: bid(how) }, await advertised(agency, how)),
  },
  {
    ...rentBid,
    act: 'signs a tenancy',
    days: reform,
    prepare: async (agency, how) => signing(agency, how, { rent: bid(how) }, await advertised(agency, how)),
  },
  {
    ...periodicOnly,
    act: 'drafts a tenancy',
    prepare: (agency, how) => creation(agency, how, endOf(how)),
  },
  {
    ...periodicOnly,
    act: 'changes a draft',
    prepare: (agency, how) => changed(agency, how, endOf(how)),
  },
  {
    ...periodicOnly,
    act: 'signs a tenancy',
    days: reform,
    prepare: (agency, how) => signing(agency, how, endOf(how)),
  },
  {
    ...rentPeriod,
    says: 'at most 1 for the interval `month`',
    act: 'drafts a tenancy',
    prepare: (agency, how) => creation(agency, how, countOf(how)),
  },
  {
    ...rentPeriod,
    says: 'at most 4 for the interval `week`',
    act: 'changes a draft',
    prepare: (agency, how) =>
      changed(agency, how, { rent: { ...rent, interval: 'week', interval_count: how.beyond ? 5 : 4 } }),
  },
  {
    ...rentPeriod,
    says: 'at most 1 for the interval `month`',
    act: 'signs a tenancy',
    days: reform,
    prepare: (agency, how) => signing(agency, how, countOf(how)),
  },
  {
    check: 'statement_of_terms',
    param: 'statement_given_on',
    says: `by ${startDay}, the day of signing`,
    act: 'signs a tenancy',
    days: reform,
    prepare: (agency, how) => signing(agency, how, { statement_given_on: how.beyond ? '2027-01-05' : how.day }),
  },
  {
    check: 'right_to_rent',
    param: 'customers',
    says: 'Record `right_to_rent` of cus_',
    act: 'signs a tenancy',
    days: ['2016-01-31', '2016-02-01'],
    async prepare(agency, how) {
      const recorded = { status: 'unlimited', checked_on: '2026-12-31' };
      const people = [
        await agency.make('customers', { name: 'Ada Lovelace', right_to_rent: recorded }),
        await agency.make('customers', { name: 'George Byron', right_to_rent: how.beyond ? null : recorded }),
      ];
      return signing(agency, how, { customers: people.map(({ id }) => id) });
    },
  },
  {
    check: 'tenant_notice',
    param: 'ends_on',
    says: 'It passes with 2027-03-31 or a later such day.',
    act: 'gives notice',
    days: reform,
    prepare: (agency, how) =>
      notice(agency, how, { by: 'tenant', ends_on: how.beyond ? lateEnd(how.day) : '2027-03-31' }),
  },
  {
    check: 'landlord_notice',
    param: 'ends_on',
    says: 'Served on 2027-01-04, it can end on 2027-02-01 or later.',
    act: 'gives notice',
    days: reform,
    prepare: (agency, how) =>
      notice(agency, how, {
        by: 'landlord',
        grounds: ['8'],
        ends_on: how.beyond ? (how.day === startDay ? '2027-01-31' : how.day) : '2027-02-01',
      }),
  },
];

for (const act of ['finalizes an invoice', 'takes a payment'])
  rows.push({
    ...rentBeforeSigning,
    act,
    param: act === 'takes a payment' ? 'tenancy' : 'lines[0][type]',
    async prepare(agency, how) {
      const demand = await finalization(agency, how, { type: 'rent' }, { isSigned: !how.beyond });
      if (act === 'finalizes an invoice') return demand;
      const { tenancy } = await agency.get('invoices', demand.record!.split('/').at(-1)!);
      return { path: '/v1/payments', body: { tenancy, amount: 1, method: 'cash' } };
    },
  });
rows.push(
  {
    ...rentBeforeSigning,
    act: 'takes a payment of an earlier day',
    param: 'received_on',
    says: 'The tenancy was signed on 2027-01-04, and the money came earlier.',
    async prepare(agency, how) {
      const tenancy = await agency.draft((await unitIn(agency, how)).id, { type: how.type });
      await agency.move('tenancies', tenancy.id, 'sign', { signed_on: startDay });
      const received_on = how.beyond ? '2027-01-03' : startDay;
      return { path: '/v1/payments', body: { tenancy: tenancy.id, amount: 1, method: 'cash', received_on } };
    },
  },
  {
    check: 'rent_in_advance',
    act: 'finalizes an invoice',
    param: 'due_on',
    says: 'send a `due_on` of 2027-03-01 or later',
    keepsNothing: true,
    prepare: (agency, how) =>
      finalization(
        agency,
        how,
        { type: 'rent', period: { start: '2027-03-01', end: '2027-03-31' } },
        { due_on: how.beyond ? '2027-02-28' : '2027-03-01' },
      ),
  },
  {
    check: 'rent_increase',
    act: 'raises the rent',
    param: 'effective_on',
    says: 'from 2027-03-04 on',
    keepsNothing: true,
    async prepare(agency, how) {
      const { id: unit } = await unitIn(agency, how);
      const { id: tenancy } = await agency.signed(unit, { start_date: '2026-01-01', type: how.type });
      const { id } = await agency.make('subscriptions', { tenancy });
      const record = `/v1/subscriptions/${id}`;
      const body = {
        amount: 99_000,
        basis: 'section_13',
        served_on: how.day,
        effective_on: how.beyond ? '2027-03-01' : '2027-04-01',
      };
      return { path: `${record}/change_amount`, body, record };
    },
  },
  {
    check: 'permitted_payment',
    act: 'finalizes an invoice',
    param: 'lines[0][type]',
    says: 'Send the `type` that fits',
    keepsNothing: true,
    prepare: (agency, how) => finalization(agency, how, { type: how.beyond ? 'other' : 'damages' }),
  },
  {
    check: 'late_interest',
    act: 'finalizes an invoice',
    param: 'lines[0][invoice]',
    says: 'on 2027-01-05 or later',
    keepsNothing: true,
    prepare: (agency, how) => finalization(agency, how, { isLate: true }),
  },
);

/** Makes an application for a unit with a rent. */
async function application(agency: Agency, how: How): Promise<string> {
  return (await agency.application({ unit: (await unitIn(agency, how, { rent })).id })).id;
}

const holdingSingle = {
  check: 'holding_single',
  says: 'First return, retain or apply dep_',
  isUntyped: true,
} as const;

/** Makes a holding deposit for a unit. Another one is held for the unit if the act is to fail. */
async function rival(agency: Agency, how: How): Promise<{ type: 'holding'; application: string; amount: number }> {
  const { id: unit } = await unitIn(agency, how, { rent });
  const { id: first } = await agency.holding((await agency.application({ unit })).id, 1);
  if (how.beyond) await agency.payDeposit(first, 1);
  return { type: 'holding', application: (await agency.application({ unit })).id, amount: 1 };
}

rows.push(
  {
    check: 'holding_cap',
    act: 'agrees a holding deposit',
    param: 'amount',
    says: `at most ${week}.`,
    isUntyped: true,
    prepare: async (agency, how) => ({
      path: '/v1/deposits',
      body: { type: 'holding', application: await application(agency, how), amount: how.beyond ? week + 1 : week },
    }),
  },
  {
    check: 'holding_cap',
    act: 'changes a holding deposit',
    param: 'amount',
    says: `at most ${week}.`,
    isUntyped: true,
    async prepare(agency, how) {
      const record = `/v1/deposits/${(await agency.holding(await application(agency, how), 1)).id}`;
      return { path: record, body: { amount: how.beyond ? week + 1 : week }, record };
    },
  },
  {
    ...holdingSingle,
    act: 'agrees a holding deposit',
    param: 'application',
    prepare: async (agency, how) => ({ path: '/v1/deposits', body: await rival(agency, how) }),
  },
  {
    ...holdingSingle,
    act: 'receives a holding deposit',
    param: 'deposit',
    keepsNothing: true,
    async prepare(agency, how) {
      const { id: deposit } = await agency.make('deposits', await rival(agency, how));
      return { path: '/v1/payments', body: { deposit, amount: 1, method: 'cash' } };
    },
  },
  {
    check: 'holding_deadline',
    act: 'retains a holding deposit',
    // No parameter is at fault.
    param: undefined,
    says: `retained on ${startDay}. That was possible until 2027-01-03 `,
    isUntyped: true,
    async prepare(agency, how) {
      const { id } = await agency.holding(await application(agency, how));
      await agency.payDeposit(id, week, { received_on: how.beyond ? '2026-12-14' : '2026-12-15' });
      const record = `/v1/deposits/${id}`;
      const body = { amount: week, reason: 'tenant_withdrew', explanation: 'They took another home.' };
      return { path: `${record}/retain`, body, record };
    },
  },
  {
    check: 'holding_retention',
    act: 'retains a holding deposit',
    param: undefined,
    says: `signed on ${startDay}, `,
    isUntyped: true,
    async prepare(agency, how) {
      const id = await application(agency, how);
      const { id: deposit } = await agency.holding(id);
      await agency.payDeposit(deposit, week);
      const { unit } = await agency.get('applications', id);
      if (how.beyond) await agency.signed(unit, { application: id });
      else await agency.draft(unit, { application: id });
      const record = `/v1/deposits/${deposit}`;
      const body = { amount: 1, reason: 'tenant_withdrew', explanation: 'They took another home.' };
      return { path: `${record}/retain`, body, record };
    },
  },
  {
    check: 'deposit_cap',
    act: 'agrees a deposit',
    param: 'amount',
    says: `at most ${fiveWeeks}.`,
    async prepare(agency, how) {
      const { path, body } = await creation(agency, how, {});
      const { id: tenancy } = await agency.make(path.slice('/v1/'.length), body);
      const amount = how.beyond ? fiveWeeks + 1 : fiveWeeks;
      return { path: '/v1/deposits', body: { type: 'tenancy', tenancy, amount } };
    },
  },
  {
    check: 'possession_deposit',
    act: 'gives notice',
    param: 'served_on',
    says: 'serve a new notice',
    days: reform,
    async prepare(agency, how) {
      const act = await notice(agency, how, { by: 'landlord', grounds: ['8'], ends_on: '2028-01-01' });
      const tenancy = act.record!.split('/').at(-1)!;
      const { id } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 1 });
      await agency.payDeposit(id, 1);
      if (how.beyond) return act;
      const protection = { scheme: 'other', scheme_reference: 'D1', protected_on: how.day };
      await agency.move('deposits', id, 'protect', protection);
      await agency.move('deposits', id, 'give_information', { given_on: how.day });
      return act;
    },
  },
);

/** The end of a rent period that is less than two months after a day. */
function lateEnd(day: string): string {
  return day === startDay ? '2027-02-28' : '2026-05-31';
}

const outcomes = { error: 'refused', warn: 'warned', off: 'passed' } as const;
type Outcome = (typeof outcomes)[keyof typeof outcomes];

let server: TestServer;
let agency: Agency;
let enforced: { id: string; severity: 'error' | 'warn'; applies_to: string[]; from: string }[];

beforeAll(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
  enforced = (await good(agency.api.get('/v1/rulesets/england'))).body.checks;
});

afterAll(() => server.stop());

const checkOf = (row: Row) => enforced.find(({ id }) => id === row.check)!;

interface ChosenRules {
  /** The check that is judged. All others are off. */
  check: string | null;
  /** Null: its own. */
  severity?: string | null;
  ruleset?: string;
}

async function choose(of: Agency, { check, severity = null, ruleset = 'england' }: ChosenRules): Promise<void> {
  const checks = Object.fromEntries(enforced.map(({ id }) => [id, id === check ? severity : 'off']));
  await good(of.api.post('/v1/account', { rules: { ruleset, checks } }));
}

/** Carries out an act in each variation at once, and returns what the check did. Expects all that an outcome promises. */
async function outcomesOf(
  row: Row,
  rules: Omit<ChosenRules, 'check'>,
  ...variations: Partial<How>[]
): Promise<Outcome[]> {
  const hows = variations.map((more): How => ({ ...plain, ...more }));
  await choose(agency, { check: null });
  const acts = await Promise.all(hows.map((how) => row.prepare(agency, how)));
  await choose(agency, { check: row.check, ...rules });
  const stateOf = async ({ record }: Act) => (record === undefined ? null : (await good(agency.api.get(record))).body);
  const states = await Promise.all(acts.map(stateOf));
  const answers = await Promise.all(acts.map(({ path, body }) => agency.api.post(path, body)));
  const outcomeOf = async (answer: ApiResponse, index: number): Promise<Outcome> => {
    const says = hows[index]!.day === startDay ? row.says : '';
    if (answer.status === 200) return (await isWarned(row, says, answer)) ? 'warned' : 'passed';
    expectCode(answer, 'check_failed', { check: row.check });
    expect(answer.body.error.param).toBe(row.param);
    expect(answer.body.error.message).toContain(says);
    expect(await stateOf(acts[index]!)).toEqual(states[index]);
    expect(await agency.eventsOf(answer)).toEqual([]);
    return 'refused';
  };
  return Promise.all(answers.map(outcomeOf));
}

async function isWarned(row: Row, says: string, answer: ApiResponse): Promise<boolean> {
  const checks: Made[] = answer.body.checks ?? [];
  const raised = checks.filter(({ id }) => id === row.check);
  const events = await agency.eventsOf(answer);
  expect(events.filter((type) => type.endsWith('.check_raised'))).toHaveLength(raised.length);
  if (raised.length === 0) return false;
  expect(raised).toEqual([{ id: row.check, message: expect.stringContaining(says), since: expect.any(Number) }]);
  return true;
}

const named = rows.map((row) => [row.check, row.act, row] as const);
const typed = named.filter(([, , { isUntyped }]) => !isUntyped);
const dated = named.filter(([, , { days }]) => days);

test('has a row for every enforced check', () => {
  const tested = new Set([...rows.map(({ check }) => check), petAnswer, ...depositDays]);
  expect(enforced.map(({ id }) => id).toSorted()).toEqual([...tested].toSorted());
});

describe('a check', () => {
  test.each(named)('%s passes at the limit, and fails beyond it, when a request %s', async (_, __, row) => {
    for (const severity of [null, 'error', 'warn', 'off'] as const) {
      const done = outcomes[severity ?? checkOf(row).severity];
      const expected = done === 'warned' && row.keepsNothing ? 'passed' : done;
      const judged = await outcomesOf(row, { severity }, {}, { beyond: false });
      expect(judged, String(severity)).toEqual([expected, 'passed']);
    }
    expect(await outcomesOf(row, { ruleset: 'none' }, {})).toEqual(['passed']);
  });

  test.each(named)('%s leaves no trace when it refuses a request that %s', async (_, __, row) => {
    await choose(agency, { check: null });
    const { path, body } = await row.prepare(agency, plain);
    await choose(agency, { check: row.check, severity: 'error' });
    const before = await tracesOf(server, agency.accountId);
    expectCode(await agency.api.post(path, body), 'check_failed', { check: row.check });
    expect(await tracesOf(server, agency.accountId)).toEqual(before);
  });

  test.each(named)('%s judges only homes in England when a request %s', async (_, __, row) => {
    const judged = await outcomesOf(
      row,
      { severity: 'error' },
      ...jurisdictions.map((jurisdiction) => ({ jurisdiction })),
    );
    expect(jurisdictions.filter((___, index) => judged[index] === 'refused')).toEqual(['england']);
  });

  test.each(typed)('%s judges only its types of tenancy when a request %s', async (_, __, row) => {
    const judged = await outcomesOf(row, { severity: 'error' }, ...tenancyTypes.map((type) => ({ type })));
    expect(tenancyTypes.filter((___, index) => judged[index] === 'refused')).toEqual(checkOf(row).applies_to);
  });

  test.each(dated)('%s judges from its first day on when a request %s', async (_, __, row) => {
    const [before, first] = row.days!;
    expect(first).toBe(checkOf(row).from);
    const judged = await outcomesOf(row, { severity: 'error' }, { day: before }, { day: first });
    expect(judged).toEqual(['passed', 'refused']);
  });
});

/** Gives a notice that the account judges strictly. */
async function give(body: object, terms: object = {}): Promise<ApiResponse> {
  await choose(agency, { check: null });
  const { path, body: given } = await notice(agency, plain, body, terms);
  await good(
    agency.api.post('/v1/account', { rules: { checks: { tenant_notice: 'error', landlord_notice: 'error' } } }),
  );
  return agency.api.post(path, given);
}

describe('notices', () => {
  test.each([
    [['1A'], startDay, '2027-05-04'],
    [['7'], startDay, '2027-03-04'],
    [['14', '8'], startDay, '2027-02-01'],
    [['17'], startDay, '2027-01-18'],
    [['8', '1', '17'], startDay, '2027-05-04'],
    // There is no 31 February.
    [['6'], '2026-10-31', '2027-02-28'],
  ])('by a landlord on grounds %j, served on %s, end on %s or later', async (grounds, served_on, earliest) => {
    const body = { by: 'landlord', grounds, served_on };
    const early = await give({ ...body, ends_on: addDays(earliest, -1) });
    expectCode(early, 'check_failed', { check: 'landlord_notice', param: 'ends_on' });
    expect(early.body.error.message).toContain(` ${earliest} or later`);
    await good(give({ ...body, ends_on: earliest }));
  });

  test('by a landlord can end on the same day when the ground needs no notice', async () => {
    await good(give({ by: 'landlord', grounds: ['14'], ends_on: startDay }));
  });

  test.each([
    [[], 'grounds'],
    [['8', '99'], 'grounds[1]'],
  ])('by a landlord are refused when the grounds are %j', async (grounds, param) => {
    const answer = await give({ by: 'landlord', grounds, ends_on: '2028-01-01' });
    expectCode(answer, 'check_failed', { check: 'landlord_notice', param });
  });

  test.each([
    ['2026-12-31', {}, '2027-02-28'],
    ['2027-01-02', {}, '2027-03-31'],
    [startDay, { agreed_in_writing: true }, '2027-01-31'],
  ])('by a tenant, served on %s with %j, end on %s or the day after it', async (served_on, more, earliest) => {
    const body = { by: 'tenant', served_on, ...more };
    await good(give({ ...body, ends_on: addDays(earliest, 1) }));
    for (const ends_on of [addDays(earliest, -1), addDays(earliest, 2)])
      expectCode(await give({ ...body, ends_on }), 'check_failed', { check: 'tenant_notice', param: 'ends_on' });
    expect((await give({ ...body, ends_on: addDays(earliest, -1) })).body.error.message).toContain(earliest);
    await good(give({ ...body, ends_on: earliest }));
  });

  test('end with a rent period of weeks', async () => {
    // The weeks begin on Fridays.
    const weekly = { rent: { ...rent, interval: 'week', interval_count: 2 }, start_date: '2027-01-01' };
    const body = { by: 'tenant', served_on: startDay };
    const early = await give({ ...body, ends_on: '2027-03-04' }, weekly);
    expectCode(early, 'check_failed', { check: 'tenant_notice' });
    expect(early.body.error.message).toContain(' 2027-03-11.');
    await good(give({ ...body, ends_on: '2027-03-11' }, weekly));
  });
});

describe('offers', () => {
  test.each([
    // 950.00 a month are 219.23 a week, and 11,400.00 a year.
    [{ interval: 'week', amount: 21_924 }, 'rent[amount]', 'at most 21923 ', { interval: 'week', amount: 21_923 }],
    [
      { interval: 'year', amount: 1_140_001 },
      'rent[amount]',
      'at most 1140000 ',
      { interval: 'year', amount: 1_140_000 },
    ],
    [{ currency: 'eur', amount: 1 }, 'rent[currency]', '`gbp`', {}],
  ])('of %j are compared with a rent by the month in pounds', async (above, param, says, within) => {
    await choose(agency, { check: 'rent_bid' });
    const { id: unit } = await agency.unit({ on_market: true, rent });
    const refused = await agency.api.post('/v1/applications', { unit, rent: { ...rent, ...above } });
    expectCode(refused, 'check_failed', { check: 'rent_bid', param });
    expect(refused.body.error.message).toContain(says);
    expect(await agency.application({ unit, rent: { ...rent, ...within } })).toMatchObject({ checks: [] });
  });

  test('are compared with the lowest rent since the unit came on the market', async () => {
    await choose(agency, { check: 'rent_bid' });
    const { id: unit } = await agency.unit({ on_market: true, rent: { ...rent, amount: 90_000 } });
    const change = (body: object) => good(agency.api.post(`/v1/units/${unit}`, body));
    await change({ rent });
    const body = { unit, rent: { ...rent, amount: 90_001 } };
    expectCode(await agency.api.post('/v1/applications', body), 'check_failed', { check: 'rent_bid' });
    await change({ on_market: false });
    await change({ on_market: true });
    await good(agency.api.post('/v1/applications', body));
  });

  test('may stay as they are when a tenancy replaces one whose rent has risen since the advert', async () => {
    const newServer = await startLetting({ overrides: { clock: lettingClock(startDay) } });
    onTestFinished(() => newServer.stop());
    const landlord = await Agency.on(newServer);
    await choose(landlord, { check: null });
    const raised = { ...rent, amount: 99_000 };
    const advert = { on_market: true, rent: { ...rent, amount: 90_000 } };
    const { id: unit } = await landlord.unit(advert);
    const { id: other } = await landlord.unit(advert);
    const begun = await landlord.signed(unit, { rent: raised, start_date: startDay, end_date: startDay });
    const { id: yetToBegin } = await landlord.signed(unit, { rent: raised, start_date: '2028-02-01' });
    await advance(newServer, 1);
    expect((await landlord.get('tenancies', begun.id)).status).toBe('ended');
    // The same rent, sent again, is no new advert.
    await good(landlord.api.post(`/v1/units/${unit}`, { rent: advert.rent }));
    await choose(landlord, { check: 'rent_bid' });
    const body = { unit, customers: ['tenant_1', 'tenant_9'], start_date: '2027-02-01', rent: raised };
    const replacing = { ...body, replaces: begun.id };
    const refuse = async (change: object) =>
      expectCode(
        await landlord.api.post('/v1/tenancies', { ...replacing, ...change }),
        'check_failed',
        rentAboveAdvert,
      );
    await refuse({ rent: { ...rent, amount: 99_001 } });
    await refuse({ rent: { ...raised, currency: 'eur' } });
    await refuse({ replaces: null });
    // The rent of another home is no rent of this one.
    await refuse({ unit: other });
    // Only new tenants bid.
    await refuse({ customers: ['tenant_9'] });
    // No person has paid the rent of a tenancy that has not begun.
    await refuse({ replaces: yetToBegin });
    const { id } = await landlord.make('tenancies', replacing);
    await good(landlord.api.post(`/v1/tenancies/${id}`, { rent: raised }));
    await landlord.move('tenancies', yetToBegin, 'cancel');
    expect(await landlord.move('tenancies', id, 'sign', { signed_on: startDay })).toMatchObject({ checks: [] });
  });

  test('are compared with a new advert when a tenancy replaces an earlier one', async () => {
    const newServer = await startLetting({ overrides: { clock: lettingClock(startDay) } });
    onTestFinished(() => newServer.stop());
    const landlord = await Agency.on(newServer);
    await choose(landlord, { check: null });
    const raised = { ...rent, amount: 99_000 };
    const { id: unit } = await landlord.unit({ on_market: true, rent: { ...rent, amount: 90_000 } });
    const { id: replaces } = await landlord.signed(unit, { rent: raised, start_date: startDay });
    await advance(newServer, 1);
    await good(landlord.api.post(`/v1/units/${unit}`, { on_market: false }));
    await good(landlord.api.post(`/v1/units/${unit}`, { on_market: true }));
    await choose(landlord, { check: 'rent_bid' });
    const body = { unit, customers: ['tenant_1'], start_date: '2027-02-01', rent: raised, replaces };
    expectCode(await landlord.api.post('/v1/tenancies', body), 'check_failed', rentAboveAdvert);
  });
});

describe('standing duties', () => {
  test('stay a warning after the signing when the account makes them an error, until they are met', async () => {
    const own = await Agency.on(server);
    await choose(own, { check: 'statement_of_terms' });
    const { id, checks } = await own.signed((await own.unit()).id);
    expect(checks).toMatchObject([{ id: 'statement_of_terms' }]);
    await choose(own, { check: 'statement_of_terms', severity: 'error' });
    const update = async (body: object) => (await good(own.api.post(`/v1/tenancies/${id}`, body))).body;
    expect(await update({ metadata: { crm: '7' } })).toMatchObject({ checks });
    expect(await update({ statement_given_on: '2027-01-05' })).toMatchObject({
      checks: [{ id: 'statement_of_terms' }],
    });
    expect(await update({ statement_given_on: startDay })).toMatchObject({ checks: [] });
    const raised = (await own.historyOf(id)).filter((type) => type === 'tenancy.check_raised');
    expect(raised).toHaveLength(1);
  });
});

describe('warnings', () => {
  test('leave an application when a later offer passes', async () => {
    const own = await Agency.on(server);
    await choose(own, { check: 'rent_bid', severity: 'warn' });
    const { id: unit } = await own.unit({ on_market: true, rent });
    const { id } = await own.application({ unit, rent: { ...rent, amount: 95_001 } });
    expect(await own.historyOf(id)).toEqual(['application.created', 'application.check_raised']);
    await good(own.api.post(`/v1/applications/${id}`, { move_in_date: '2027-02-01' }));
    expect(await own.get('applications', id)).toMatchObject({ checks: [{ id: 'rent_bid' }] });
    await good(own.api.post(`/v1/applications/${id}`, { rent }));
    expect(await own.get('applications', id)).toMatchObject({ checks: [] });
  });

  test('of a draft are raised once when it is signed', async () => {
    const own = await Agency.on(server);
    await choose(own, { check: 'rent_period', severity: 'warn' });
    const { id } = await own.signed((await own.unit()).id, { rent: { ...rent, interval_count: 2 } });
    expect(await own.get('tenancies', id)).toMatchObject({ checks: [{ id: 'rent_period' }] });
    expect((await own.historyOf(id)).filter((type) => type === 'tenancy.check_raised')).toHaveLength(1);
  });
});

/** The terms of a tenancy that began a month before the reform. */
const early = { customers: ['tenant_1'], start_date: '2026-04-01', rent };

describe('days that come', () => {
  /** The reform comes into force a month later. */
  const firstDay = '2026-04-01';
  let springServer: TestServer;

  beforeAll(async () => {
    springServer = await startLetting({ overrides: { clock: lettingClock(firstDay) } });
  });

  afterAll(() => springServer.stop());

  test('bring a check into force, a deadline near, and a deadline to be missed', async () => {
    const strict = await Agency.on(springServer);
    const { id: home } = await strict.unit({ on_market: true, rent });
    /** Acts that are judged by the day of today. */
    const todays: Record<string, [path: string, body: object]> = {
      rent_stated: ['units', { building: (await strict.building()).id, name: 'Flat 3', on_market: true }],
      rent_bid: ['applications', { unit: home, rent: { ...rent, amount: 95_001 } }],
      periodic_only: ['tenancies', { ...early, unit: home, end_date: '2027-01-31' }],
      rent_period: ['tenancies', { ...early, unit: home, rent: { ...rent, interval_count: 2 } }],
    };
    const failed = async () => {
      const answers = Object.values(todays).map(async ([path, body]) => strict.api.post(`/v1/${path}`, body));
      return (await Promise.all(answers)).map(({ body }) => body.error?.check ?? null);
    };
    // A tenancy whose request for a pet is to be answered by 30 April, the last day before the reform.
    const landlord = await Agency.on(springServer);
    const first = await petOwner(landlord);
    await advance(springServer, 1);
    await requestPet(landlord, first);

    await advance(springServer, 28);
    expect(await failed()).toEqual(Object.keys(todays).map(() => null));
    expect(await petWarning(landlord, first)).toBe(null);
    await advance(springServer, 1);
    expect(await failed()).toEqual(Object.keys(todays));
    expect(await petWarning(landlord, first)).toMatch(/^Missed\. /);

    const others: Record<string, { severity?: string; ruleset?: string; type?: string; jurisdiction?: string }> = {
      'as it is': {},
      'as an error': { severity: 'error' },
      'turned off': { severity: 'off' },
      'ruleset none': { ruleset: 'none' },
      ...Object.fromEntries(tenancyTypes.map((type) => [type, { type }])),
      ...Object.fromEntries(jurisdictions.map((jurisdiction) => [jurisdiction, { jurisdiction }])),
    };
    const lets: [name: string, own: Agency, id: string][] = [];
    for (const [name, { severity, ruleset, ...more }] of Object.entries(others)) {
      const own = await Agency.on(springServer);
      await good(
        own.api.post('/v1/account', {
          rules: { ...(ruleset && { ruleset }), checks: { [petAnswer]: severity ?? null } },
        }),
      );
      const id = await petOwner(own, more);
      await requestPet(own, id);
      lets.push([name, own, id]);
    }
    const warned = async () => {
      const found: [string, string][] = [];
      for (const [name, own, id] of lets) {
        const message = await petWarning(own, id);
        if (message !== null) found.push([name, message.replace(/\. .*/, '')]);
      }
      return found;
    };
    const judged = ['as it is', 'as an error', 'assured', 'england'];
    await advance(springServer, 20);
    expect(await warned()).toEqual([]);
    await advance(springServer, 1);
    expect(await warned()).toEqual(judged.map((name) => [name, 'Due soon']));
    await advance(springServer, 7);
    expect(await warned()).toEqual(judged.map((name) => [name, 'Due soon']));
    await advance(springServer, 1);
    expect(await warned()).toEqual(judged.map((name) => [name, 'Missed']));
    for (const [name, own, id] of lets) {
      const raised = (await own.historyOf(id)).filter((type) => type === 'tenancy.check_raised');
      expect(raised, name).toHaveLength(judged.includes(name) ? 2 : 0);
      // Even as an error, the duty refuses no later request.
      await own.move('tenancies', id, 'answer_pet', { number: 1, answer: 'granted' });
    }
    expect(await warned()).toEqual([]);
  });
});

/** Signs a tenancy whose only duty is to answer requests for pets. */
async function petOwner(
  of: Agency,
  { type = 'assured', jurisdiction = null }: { type?: string; jurisdiction?: string | null } = {},
): Promise<string> {
  await good(of.api.post('/v1/account', { rules: { checks: { right_to_rent: 'off' } } }));
  const { id } = await of.draft((await unitIn(of, { jurisdiction })).id, { ...early, type });
  await of.move('tenancies', id, 'sign', { signed_on: '2026-04-01' });
  return id;
}

function requestPet(of: Agency, id: string): Promise<Made> {
  return of.move('tenancies', id, 'request_pet', { customer: 'tenant_1', description: 'A cat.' });
}

async function petWarning(of: Agency, id: string): Promise<string | null> {
  const { checks } = await of.get('tenancies', id);
  return checks.find((check: Made) => check.id === petAnswer)?.message ?? null;
}

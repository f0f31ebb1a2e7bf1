import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addDays, daysBetween } from '../../src/core/calendar.ts';
import { good, type TestServer } from '../support/server.ts';
import { advance, Agency, dawn, expectCode, startLetting, week } from './agency.ts';

/* The deadlines of deposits, day by day. The clock of the server goes on from test to test. */

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting();
});

beforeEach(async () => {
  agency = await Agency.on(server);
});

afterAll(() => server.stop());

function today(): string {
  return new Date(server.context.clock.nowMs()).toISOString().slice(0, 10);
}

/** Returns the warnings of a deposit, each with the first words of its message. */
async function warningsOf(id: string): Promise<string[]> {
  const { checks } = await agency.get('deposits', id);
  return (checks as { id: string; message: string }[]).map(({ id: check, message }) => {
    const [first] = message.split('.');
    return `${check}: ${first}`;
  });
}

async function raisedOf(id: string): Promise<number> {
  return (await agency.historyOf(id)).filter((type) => type === 'deposit.check_raised').length;
}

/** Moves to so many days after a day. */
async function moveTo(day: string, days: number): Promise<void> {
  const target = addDays(day, days);
  await advance(server, daysBetween(today(), target));
  expect(today()).toBe(target);
}

async function received(): Promise<string> {
  const { id: tenancy } = await agency.signed((await agency.unit()).id, { start_date: addDays(today(), 90) });
  const { id } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 1_000 });
  await agency.payDeposit(id, 1_000);
  return id;
}

function protect(id: string): Promise<object> {
  const body = { scheme: 'other', scheme_reference: 'D1', protected_on: today() };
  return agency.move('deposits', id, 'protect', body);
}

describe('the protection and the information', () => {
  test('are due seven days before their deadline, and missed on the day after', async () => {
    const first = today();
    const [open, done] = [await received(), await received()];
    await moveTo(first, 21);
    expect(await warningsOf(open)).toEqual([]);
    await moveTo(first, 22);
    expect(await warningsOf(open)).toEqual(['deposit_information: Due soon', 'deposit_protection: Due soon']);
    await moveTo(first, 29);
    expect(await warningsOf(open)).toEqual(['deposit_information: Due soon', 'deposit_protection: Due soon']);
    await protect(done);
    await agency.move('deposits', done, 'give_information', { given_on: today() });
    expect(await warningsOf(done)).toEqual([]);
    await moveTo(first, 30);
    expect(await warningsOf(open)).toEqual(['deposit_information: Missed', 'deposit_protection: Missed']);
    expect([await raisedOf(open), await raisedOf(done)]).toEqual([2, 1]);
    // Late is late for good.
    await protect(open);
    expect(await warningsOf(open)).toEqual([
      'deposit_information: Missed',
      `deposit_protection: The deposit was protected on ${today()}, after ${addDays(first, 29)} (Housing Act 2004 s213(3))`,
    ]);
    await moveTo(first, 31);
    expect(await warningsOf(done)).toEqual([]);
  });

  test('are raised by the next day when the money came long ago', async () => {
    const { id: tenancy } = await agency.signed((await agency.unit()).id);
    const { id } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 1_000 });
    const { id: payment } = await agency.payDeposit(id, 1_000, { received_on: addDays(today(), -40) });
    await dawn(server);
    expect(await warningsOf(id)).toEqual(['deposit_information: Missed', 'deposit_protection: Missed']);
    await agency.move('payments', payment, 'fail', { code: 'bounced' });
    expect(await warningsOf(id)).toEqual([]);
    await dawn(server);
    expect(await warningsOf(id)).toEqual([]);
  });

  test('are a duty when a part of the deposit has come, and can be done then', async () => {
    const first = today();
    const { id: tenancy } = await agency.signed((await agency.unit()).id, { start_date: addDays(first, 90) });
    const parts: string[] = [];
    const { id } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 1_000 });
    const body = { scheme: 'other', scheme_reference: 'D1', protected_on: first };
    // Nothing of it has come, so there is nothing to protect.
    expectCode(await agency.api.post(`/v1/deposits/${id}/protect`, body), 'status_transition_invalid');
    const early = await agency.api.post(`/v1/deposits/${id}/give_information`, { given_on: first });
    expectCode(early, 'status_transition_invalid');
    for (const amount of [600, 399]) parts.push((await agency.payDeposit(id, amount)).id);
    expect(await agency.get('deposits', id)).toMatchObject({
      status: 'pending',
      received_on: null,
      protect_by: addDays(first, 29),
    });
    await moveTo(first, 22);
    expect(await warningsOf(id)).toEqual(['deposit_information: Due soon', 'deposit_protection: Due soon']);
    await agency.move('deposits', id, 'give_information', { given_on: today() });
    expect(await agency.get('deposits', id)).toMatchObject({ status: 'pending' });
    await protect(id);
    expect(await warningsOf(id)).toEqual([]);
    await moveTo(first, 31);
    await agency.payDeposit(id, 1);
    expect(await agency.get('deposits', id)).toMatchObject({
      status: 'protected',
      amount_held: 1_000,
      received_on: today(),
      protect_by: addDays(first, 29),
    });
    expect(await warningsOf(id)).toEqual([]);
    await agency.move('deposits', id, 'release', { deductions: [], returned_on: today() });
  });

  test('are no duty when the account turns them off, or the home is not in England', async () => {
    const first = today();
    const { id: building } = await agency.building({ jurisdiction: 'wales' });
    const { id: tenancy } = await agency.signed((await agency.unit({ building })).id, { start_date: '2028-01-01' });
    const { id: abroad } = await agency.make('deposits', { type: 'tenancy', tenancy, amount: 1_000 });
    await agency.payDeposit(abroad, 1_000);
    const other = await Agency.on(server);
    await good(other.api.post('/v1/account', { rules: { checks: { deposit_protection: 'off' } } }));
    [agency] = [other];
    const id = await received();
    await moveTo(first, 30);
    expect(await warningsOf(id)).toEqual(['deposit_information: Missed']);
  });
});

test('a holding deposit is due seven days before it is to be repaid, and missed on the day after', async () => {
  const first = today();
  const [{ application }, { application: second }] = [await agency.applied(), await agency.applied()];
  const [{ id }, { id: retained }] = [await agency.holding(application), await agency.holding(second)];
  for (const deposit of [id, retained]) await agency.payDeposit(deposit, week);
  await moveTo(first, 12);
  expect(await warningsOf(id)).toEqual([]);
  await moveTo(first, 13);
  expect(await warningsOf(id)).toEqual(['holding_deadline: Due soon']);
  // A later day to decide is a later deadline.
  await agency.move('deposits', id, 'extend', { decide_by: addDays(first, 15), agreed_in_writing: true });
  expect(await warningsOf(id)).toEqual([]);
  await moveTo(first, 14);
  expect(await warningsOf(id)).toEqual(['holding_deadline: Due soon']);
  await moveTo(first, 21);
  expect(await warningsOf(id)).toEqual(['holding_deadline: Due soon']);
  expect(await warningsOf(retained)).toEqual(['holding_deadline: Missed']);
  await moveTo(first, 22);
  expect(await warningsOf(id)).toEqual(['holding_deadline: Missed']);
  await agency.move('deposits', id, 'return', { returned_on: today() });
  expect(await warningsOf(id)).toEqual([]);
  await agency.move('deposits', retained, 'retain', {
    amount: week,
    reason: 'right_to_rent',
    explanation: 'No right to rent was shown.',
  });
  expect(await warningsOf(retained)).toEqual([`holding_deadline: The holding deposit was retained on ${today()}`]);
});

test('a holding deposit is due by the next day when its application is rejected', async () => {
  const { application } = await agency.applied();
  const { id } = await agency.holding(application);
  await agency.payDeposit(id, week);
  await agency.move('applications', application, 'reject', { reasons: ['affordability'] });
  await dawn(server);
  expect(await warningsOf(id)).toEqual(['holding_deadline: Due soon']);
  expect(await raisedOf(id)).toBe(1);
});

test('a deposit is to be returned ten days after a proposal, unless the tenants object', async () => {
  const first = today();
  const [open, disputed] = [await received(), await received()];
  for (const id of [open, disputed]) {
    await protect(id);
    await agency.move('deposits', id, 'give_information', { given_on: today() });
    await agency.move('deposits', id, 'propose_release', { deductions: [{ amount: 1_000, reason: 'damage' }] });
  }
  await moveTo(first, 2);
  expect(await warningsOf(open)).toEqual([]);
  await moveTo(first, 3);
  expect([await warningsOf(open), await warningsOf(disputed)]).toEqual([
    ['deposit_return: Due soon'],
    ['deposit_return: Due soon'],
  ]);
  await agency.move('deposits', disputed, 'dispute', { amount: 1_000 });
  expect(await warningsOf(disputed)).toEqual([]);
  await moveTo(first, 10);
  expect(await warningsOf(open)).toEqual(['deposit_return: Due soon']);
  await moveTo(first, 11);
  expect([await warningsOf(open), await warningsOf(disputed)]).toEqual([['deposit_return: Missed'], []]);
  await agency.move('deposits', open, 'release', { deductions: [], returned_on: today() });
  expect(await warningsOf(open)).toEqual([]);
});

/** Gives a landlord's notice, and returns the warning about the deposit. */
async function noticed(tenancy: string, grounds: string[]): Promise<string[]> {
  const body = { by: 'landlord', grounds, served_on: today(), ends_on: addDays(today(), 200) };
  const { checks } = await agency.move('tenancies', tenancy, 'give_notice', body);
  return (checks as { id: string }[]).map(({ id }) => id).filter((id) => id === 'possession_deposit');
}

describe('a landlord’s notice', () => {
  test('warns about a deposit without protection until it is withdrawn', async () => {
    const { tenancy, deposit } = await agency.secured();
    expect(await noticed(tenancy, ['8'])).toEqual(['possession_deposit']);
    const withdrawn = await agency.move('tenancies', tenancy, 'withdraw_notice', { agreed_in_writing: true });
    expect(withdrawn.checks.map(({ id }: { id: string }) => id)).not.toContain('possession_deposit');
    await protect(deposit);
    expect(await noticed(tenancy, ['8'])).toEqual(['possession_deposit']);
    await agency.move('tenancies', tenancy, 'withdraw_notice', { agreed_in_writing: true });
    await agency.move('deposits', deposit, 'give_information', { given_on: today() });
    expect(await noticed(tenancy, ['8'])).toEqual([]);
  });

  test('needs no protection on grounds 7A and 14, or without money', async () => {
    const { tenancy } = await agency.secured();
    expect(await noticed(tenancy, ['7A', '14'])).toEqual([]);
    const { id: unpaid } = await agency.signed((await agency.unit()).id);
    await agency.make('deposits', { type: 'tenancy', tenancy: unpaid, amount: 1_000 });
    expect(await noticed(unpaid, ['8'])).toEqual([]);
  });
});

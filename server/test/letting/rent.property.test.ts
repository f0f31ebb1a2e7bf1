import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rounds } from '../support/rounds.ts';
import { good, type TestServer } from '../support/server.ts';
import { advance, Agency, startLetting, type Made } from './agency.ts';

/*
 * A model of the rent, written from the contract alone. Each day of the let is charged once, by its share of the full period. Periods that
 * begin during a pause are free. A period costs the amount of its first day. Random lets start, are paid, change their amount, pause and end.
 * Some payments bounce. The balance must be what the model says, to the penny. No money is left free beside an open invoice.
 */

let server: TestServer;

beforeAll(async () => {
  server = await startLetting();
});

afterAll(() => server.stop());

const dayMs = 86_400_000;

const anyLet = fc.record({
  interval: fc.constantFrom<'week' | 'month'>('week', 'month'),
  count: fc.integer({ min: 1, max: 3 }),
  amount: fc.integer({ min: 1, max: 200_000 }),
  anchor: fc.integer({ min: 1, max: 31 }),
  /** Days from today to the first day. */
  starts: fc.integer({ min: -80, max: 30 }),
  /** Days from then to the first day that is charged. */
  later: fc.nat(20),
  /** Days from the first day of a period until its rent is due, and from the invoice until then. Half of all lets invoice late. */
  timing: fc.oneof(
    fc.record({ dueAfter: fc.nat(27), invoiceBefore: fc.nat(28) }),
    fc.record({ dueAfter: fc.integer({ min: 14, max: 27 }), invoiceBefore: fc.nat(3) }),
  ),
  steps: fc.array(fc.integer({ min: 1, max: 35 }), { minLength: 1, maxLength: 5 }),
  paid: fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 3 }),
  /** The step at which the first payment bounces. */
  bouncesAt: fc.option(fc.nat(4)),
  pausesAt: fc.option(fc.nat(4)),
  /** Another amount from a later period on: so many periods after the next one that is not invoiced. */
  changes: fc.array(fc.record({ amount: fc.integer({ min: 1, max: 200_000 }), ahead: fc.nat(2) }), {
    minLength: 1,
    maxLength: 5,
  }),
  end: fc.constantFrom('notice', 'past', 'today'),
  endDays: fc.nat(40),
});
type Let = typeof anyLet extends fc.Arbitrary<infer Value> ? Value : never;

/** Days since the Unix epoch. */
function numberOf(day: string): number {
  return Date.parse(day) / dayMs;
}

function dayOf(number: number): string {
  return new Date(number * dayMs).toISOString().slice(0, 10);
}

function today(): string {
  return new Date(server.context.clock.nowMs()).toISOString().slice(0, 10);
}

/** Returns the boundary of periods in a month: the anchor day, or the last day of a shorter month. */
function boundaryIn(year: number, month: number, anchor: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(anchor, last)) / dayMs;
}

/** Returns the boundaries of periods, as numbers of days. The first one is on or before the start. */
function boundariesOf(
  { interval, count, anchor }: Pick<Let, 'interval' | 'count' | 'anchor'>,
  start: string,
): number[] {
  const first = numberOf(start);
  if (interval === 'week') {
    let boundary = first;
    while (((new Date(boundary * dayMs).getUTCDay() + 6) % 7) + 1 !== anchor) boundary++;
    return Array.from({ length: 80 }, (_, index) => boundary + 7 * count * (index - 1));
  }
  const date = new Date(first * dayMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const offset = boundaryIn(year, month, anchor) < first ? 1 : 0;
  return Array.from({ length: 40 }, (_, index) => boundaryIn(year, month + offset + count * (index - 1), anchor));
}

/** Returns the price of so many days of a period. */
function priceOf(amount: number, days: number, length: number): number {
  return Number((2n * BigInt(amount) * BigInt(days) + BigInt(length)) / (2n * BigInt(length)));
}

interface Charged extends Let {
  first: string;
  last: string;
  pause: { from: string; until: string } | null;
  /** The first days of other amounts, the earliest first. */
  amounts: { from: string; amount: number }[];
}

/** Returns what the days from the first to the last one cost. */
function expectedOf({ first, last, pause, amounts, timing, ...schedule }: Charged): number {
  const [from, to] = [numberOf(first), numberOf(last) + 1];
  const boundaries = boundariesOf(schedule, first);
  let sum = 0;
  for (const [index, start] of boundaries.entries()) {
    const next = boundaries[index + 1];
    if (next === undefined) break;
    const [x, y] = [Math.max(start, from), Math.min(next, to)];
    if (x >= y) continue;
    const isInvoicedBefore = pause && dayOf(x + timing.dueAfter - timing.invoiceBefore) <= pause.from;
    if (pause && !isInvoicedBefore && dayOf(x) > pause.from && dayOf(x) < pause.until) continue;
    const amount = amounts.findLast(({ from: day }) => day <= dayOf(x))?.amount ?? schedule.amount;
    sum += priceOf(amount, y - start, next - start) - priceOf(amount, x - start, next - start);
  }
  return sum;
}

async function play(plan: Let): Promise<void> {
  const agency = await Agency.on(server);
  const anchor = plan.interval === 'week' ? ((plan.anchor - 1) % 7) + 1 : plan.anchor;
  const begin = dayOf(numberOf(today()) + plan.starts);
  const rent = { amount: plan.amount, currency: 'gbp', interval: plan.interval, interval_count: plan.count };
  const unit = await agency.unit();
  const { id: tenancy } = await agency.draft(unit.id, { start_date: begin, rent, type: 'company' });
  await agency.move('tenancies', tenancy, 'sign', { signed_on: begin < today() ? begin : today() });
  const first = dayOf(numberOf(begin) + plan.later);
  const { id: subscription } = await agency.make('subscriptions', {
    tenancy,
    start_date: first,
    anchor_day: anchor,
    due_after: plan.timing.dueAfter,
    invoice_before: plan.timing.invoiceBefore,
  });
  let paid = 0;
  let bounceable: Made | null = null;
  let pause: Charged['pause'] = null;
  const amounts: Charged['amounts'] = [];
  for (const [index, days] of plan.steps.entries()) {
    await advance(server, days);
    const amount = plan.paid[index];
    if (amount !== undefined) {
      const made = await agency.make('payments', { tenancy, amount, method: 'cash' });
      bounceable ??= made;
      paid += amount;
    }
    if (bounceable && index === plan.bouncesAt) {
      await agency.move('payments', bounceable.id, 'fail', { code: 'insufficient_funds' });
      paid -= bounceable.amount;
    }
    const now = await agency.get('subscriptions', subscription);
    if (pause && now.status === 'paused') {
      await agency.move('subscriptions', subscription, 'resume');
      pause.until = today();
    } else if (!pause && index === plan.pausesAt && now.status === 'active') {
      await agency.move('subscriptions', subscription, 'pause');
      pause = { from: today(), until: '9999-12-31' };
    }
    const changed = await changeAmount(agency, subscription, plan, index, { anchor, first });
    if (changed) amounts.push(changed);
  }
  const last = await endOf(agency, tenancy, plan, begin);
  await advance(server, 45);
  const ended = await agency.get('tenancies', tenancy);
  const charged = { ...plan, anchor, first, last, pause, amounts };
  const expected = last < first ? 0 : expectedOf(charged);
  expect(ended.balance, JSON.stringify({ charged, today: today() })).toBe(expected - paid);
  expect(await agency.get('subscriptions', subscription)).toMatchObject({ status: 'ended' });
  await expectMoneySettles(agency, tenancy);
  const { body } = await good(agency.api.get(`/v1/tenancies/${tenancy}/statement?to=9999-12-31`));
  expect(body.closing_balance).toBe(ended.balance);
}

/** No client allocates here, so free money and an open invoice are never there together. */
async function expectMoneySettles({ api }: Agency, tenancy: string): Promise<void> {
  const listed = async (path: string): Promise<Made[]> =>
    (await good(api.get(`/v1/${path}?tenancy=${tenancy}&limit=50`))).body.data;
  const free = (await listed('payments')).filter(({ amount_unallocated: left }) => left > 0);
  const open = (await listed('invoices')).filter(({ status }) => status === 'open');
  expect(open.length === 0 || free.length === 0, JSON.stringify({ open, free })).toBe(true);
}

/** Schedules another amount from the first day of a period on, if the plan has one now. Returns that day and the amount. */
async function changeAmount(
  agency: Agency,
  id: string,
  { interval, count, changes }: Let,
  index: number,
  { anchor, first }: { anchor: number; first: string },
): Promise<Charged['amounts'][number] | null> {
  const { next_period_start: next, scheduled_change: scheduled } = await agency.get('subscriptions', id);
  const change = changes[index];
  if (!change || scheduled) return null;
  const starts = boundariesOf({ interval, count, anchor }, first).map(dayOf);
  const from = starts.filter((day) => day >= next)[change.ahead]!;
  const { amount } = change;
  await agency.move('subscriptions', id, 'change_amount', { amount, effective_on: from, basis: 'agreement' });
  return { from, amount };
}

/** Ends the let, and returns its last day. */
async function endOf(agency: Agency, tenancy: string, { end, endDays }: Let, begin: string): Promise<string> {
  if (begin > today()) await advance(server, numberOf(begin) - numberOf(today()));
  if (end !== 'notice') {
    const wanted = dayOf(numberOf(today()) - (end === 'past' ? endDays : 0));
    const ended_on = wanted < begin ? begin : wanted;
    await agency.move('tenancies', tenancy, 'end', { ended_on, reason: 'surrender' });
    return ended_on;
  }
  const ends_on = dayOf(numberOf(today()) + endDays);
  await agency.move('tenancies', tenancy, 'give_notice', { by: 'mutual', served_on: today(), ends_on });
  await advance(server, endDays + 1);
  return ends_on;
}

test('charges each day of a let once, to the penny, when the let changes in any way', async () => {
  await fc.assert(fc.asyncProperty(anyLet, play), { numRuns: rounds(8, 30), endOnFailure: true });
});

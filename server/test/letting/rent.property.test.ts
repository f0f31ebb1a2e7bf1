import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rounds } from '../support/rounds.ts';
import { good, type TestServer } from '../support/server.ts';
import { advance, Agency, startLetting } from './agency.ts';

/*
 * A model of the rent, written from the contract alone. Each day of the let is charged once, by its share of the full period. Periods that
 * begin during a pause are free. Random lets start, are paid, pause and end. The balance must be what the model says, to the penny.
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
  dueAfter: fc.nat(27),
  invoiceBefore: fc.nat(28),
  steps: fc.array(fc.integer({ min: 1, max: 35 }), { minLength: 1, maxLength: 5 }),
  paid: fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 3 }),
  pausesAt: fc.option(fc.nat(4)),
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
}

/** Returns what the days from the first to the last one cost. */
function expectedOf({ first, last, pause, amount, dueAfter, invoiceBefore, ...schedule }: Charged): number {
  const [from, to] = [numberOf(first), numberOf(last) + 1];
  const boundaries = boundariesOf(schedule, first);
  let sum = 0;
  for (const [index, start] of boundaries.entries()) {
    const next = boundaries[index + 1];
    if (next === undefined) break;
    const [x, y] = [Math.max(start, from), Math.min(next, to)];
    if (x >= y) continue;
    const isInvoicedBefore = pause && dayOf(x + dueAfter - invoiceBefore) <= pause.from;
    if (pause && !isInvoicedBefore && dayOf(x) > pause.from && dayOf(x) < pause.until) continue;
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
    due_after: plan.dueAfter,
    invoice_before: plan.invoiceBefore,
  });
  let paid = 0;
  let pause: Charged['pause'] = null;
  for (const [index, days] of plan.steps.entries()) {
    await advance(server, days);
    const amount = plan.paid[index];
    if (amount !== undefined) {
      await agency.make('payments', { tenancy, amount, method: 'cash' });
      paid += amount;
    }
    const now = await agency.get('subscriptions', subscription);
    if (pause && now.status === 'paused') {
      await agency.move('subscriptions', subscription, 'resume');
      pause.until = today();
    } else if (!pause && index === plan.pausesAt && now.status === 'active') {
      await agency.move('subscriptions', subscription, 'pause');
      pause = { from: today(), until: '9999-12-31' };
    }
  }
  const last = await endOf(agency, tenancy, plan, begin);
  await advance(server, 45);
  const ended = await agency.get('tenancies', tenancy);
  const charged = { ...plan, anchor, first, last, pause };
  const expected = last < first ? 0 : expectedOf(charged);
  expect(ended.balance, JSON.stringify({ charged, today: today() })).toBe(expected - paid);
  expect(await agency.get('subscriptions', subscription)).toMatchObject({ status: 'ended' });
  const { body } = await good(agency.api.get(`/v1/tenancies/${tenancy}/statement?to=9999-12-31`));
  expect(body.closing_balance).toBe(ended.balance);
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

test('charges each day of a let once, to the penny, whatever happens to it', { timeout: 170_000 }, async () => {
  await fc.assert(fc.asyncProperty(anyLet, play), { numRuns: rounds(8, 50), endOnFailure: true });
});

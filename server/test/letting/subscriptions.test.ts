import { beforeEach, describe, expect, test } from 'vitest';
import { Agency, advance, dawn, dawnMsMax, expectCode, rent, startLetting, type Made } from './agency.ts';
import { withClient } from '../../src/db/pools.ts';
import { apiClient, good, type ApiResponse, type TestServer } from '../support/server.ts';

/*
 * Each test has a sandbox of its own, whose clock it moves. The expected amounts were computed by hand: 950.00 pounds a month, and the days of
 * each month.
 */

let server: TestServer;
let agency: Agency;
let tenancy: Made;

beforeEach(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
  tenancy = await agency.signed((await agency.unit()).id, { start_date: '2027-02-01' });
  return () => server.stop();
});

const utility = { type: 'service', line_type: 'utility', amount: 1000 };

function subscribe(more: object = {}): Promise<Made> {
  return agency.make('subscriptions', { tenancy: tenancy.id, ...more });
}

function tryToSubscribe(more: object): Promise<ApiResponse> {
  return agency.api.post('/v1/subscriptions', { tenancy: tenancy.id, ...more });
}

/** Moves the clock to noon of a day. */
async function advanceTo(day: string): Promise<void> {
  const now = new Date(server.context.clock.nowMs()).toISOString().slice(0, 10);
  await advance(server, Math.round((Date.parse(day) - Date.parse(now)) / 86_400_000));
}

/** Returns the invoices, the earliest period first: its days, the due date, the total and the status. */
async function invoices(): Promise<string[]> {
  const { body } = await good(agency.api.get(`/v1/invoices?tenancy=${tenancy.id}&limit=50`));
  return (body.data as Made[])
    .toSorted((one, other) => (one.period.start < other.period.start ? -1 : 1))
    .map(({ period, due_on, total, status }) => `${period.start} ${period.end} ${due_on} ${total} ${status}`);
}

function subscriptionNow({ id }: Made): Promise<Made> {
  return agency.get('subscriptions', id);
}

describe('a rent', () => {
  test('is invoiced a week before each period, once, and follows the tenancy', async () => {
    const made = await subscribe();
    expect(made).toMatchObject({
      status: 'scheduled',
      amount: 95_000,
      currency: 'gbp',
      interval: 'month',
      interval_count: 1,
      start_date: '2027-02-01',
      anchor_day: 1,
      next_period_start: '2027-02-01',
      next_invoice_on: '2027-01-25',
    });
    expect(await invoices()).toEqual([]);
    await advanceTo('2027-01-24');
    expect(await invoices()).toEqual([]);
    await advanceTo('2027-01-25');
    expect(await invoices()).toEqual(['2027-02-01 2027-02-28 2027-02-01 95000 open']);
    await advanceTo('2027-02-01');
    expect(await subscriptionNow(made)).toMatchObject({ status: 'active', next_invoice_on: '2027-02-22' });
    await advanceTo('2027-05-02');
    expect(await invoices()).toEqual([
      '2027-02-01 2027-02-28 2027-02-01 95000 open',
      '2027-03-01 2027-03-31 2027-03-01 95000 open',
      '2027-04-01 2027-04-30 2027-04-01 95000 open',
      '2027-05-01 2027-05-31 2027-05-01 95000 open',
    ]);
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({
      balance: 380_000,
      arrears: { amount: 380_000, since: '2027-02-01' },
    });
    expect(await agency.historyOf(made.id)).toEqual([
      'subscription.created',
      'subscription.updated',
      'subscription.updated',
      'subscription.activated',
      'subscription.updated',
      'subscription.updated',
      'subscription.updated',
    ]);
  });

  test('has the words of its period, and money that waits settles it', async () => {
    await agency.make('payments', { tenancy: tenancy.id, amount: 100_000, method: 'cash' });
    const made = await subscribe({ start_date: '2027-02-10', description: 'Rent of Flat 2', invoice_before: 28 });
    await advanceTo('2027-01-13');
    const { body } = await good(agency.api.get(`/v1/invoices?subscription=${made.id}`));
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toMatchObject({
      status: 'paid',
      number: 'INV-000001',
      customers: ['tenant_1'],
      lines: [
        {
          type: 'rent',
          description: 'Rent of Flat 2, 10 February 2027 to 9 March 2027',
          amount: 95_000,
          period: { start: '2027-02-10', end: '2027-03-09' },
        },
      ],
    });
  });

  test('shortens a long description so that the line of the invoice has room for the days', async () => {
    const made = await subscribe({ description: '😀'.repeat(500), invoice_before: 28 });
    await advanceTo('2027-01-10');
    const { body } = await good(agency.api.get(`/v1/invoices?subscription=${made.id}`));
    const [line] = body.data[0].lines;
    expect(line.description).toBe(`${'😀'.repeat(440)}…, 1 February 2027 to 28 February 2027`);
  });

  test('costs its share of the days in a part period at both ends', async () => {
    // 19 of 28 days of February, and 10 of 30 of April: 644.64 and 316.67 pounds.
    await subscribe({ start_date: '2027-02-10', end_date: '2027-04-10', anchor_day: 1 });
    await advanceTo('2027-04-12');
    expect(await invoices()).toEqual([
      '2027-02-10 2027-02-28 2027-02-10 64464 open',
      '2027-03-01 2027-03-31 2027-03-01 95000 open',
      '2027-04-01 2027-04-10 2027-04-01 31667 open',
    ]);
    const { body } = await good(agency.api.get('/v1/subscriptions'));
    expect(body.data[0]).toMatchObject({ status: 'ended', next_period_start: null, next_invoice_on: null });
  });

  test('keeps the 31st through shorter months, and moves with its due day', async () => {
    await subscribe({ start_date: '2027-02-01', anchor_day: 31, due_after: 5, invoice_before: 0 });
    await advanceTo('2027-05-06');
    expect(await invoices()).toEqual([
      '2027-02-01 2027-02-27 2027-02-06 91607 open',
      '2027-02-28 2027-03-30 2027-03-05 95000 open',
      '2027-03-31 2027-04-29 2027-04-05 95000 open',
      '2027-04-30 2027-05-30 2027-05-05 95000 open',
    ]);
  });

  test('invoices periods of the past at once', async () => {
    tenancy = await agency.signed((await agency.unit()).id, { start_date: '2026-11-01' });
    const made = await subscribe();
    expect(made).toMatchObject({ status: 'active', next_period_start: '2027-02-01', next_invoice_on: '2027-01-25' });
    expect(await invoices()).toEqual([
      '2026-11-01 2026-11-30 2026-11-01 95000 open',
      '2026-12-01 2026-12-31 2026-12-01 95000 open',
      '2027-01-01 2027-01-31 2027-01-01 95000 open',
    ]);
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({
      balance: 285_000,
      arrears: { amount: 285_000, since: '2026-11-01' },
    });
    expect(await agency.historyOf(made.id)).toEqual(['subscription.created', 'subscription.activated']);
  });

  test('settles periods of the past with money that waits, and spends none of it twice', async () => {
    tenancy = await agency.signed((await agency.unit()).id, { start_date: '2026-11-01' });
    const waiting = await agency.make('payments', { tenancy: tenancy.id, amount: 150_000, method: 'cash' });
    const made = await subscribe();
    const { body } = await good(agency.api.get(`/v1/invoices?subscription=${made.id}`));
    const byPeriod = (body.data as Made[]).toSorted((one, other) => (one.period.start < other.period.start ? -1 : 1));
    expect(byPeriod.map(({ number, amount_paid: paid, status }) => [number, paid, status])).toEqual([
      ['INV-000001', 95_000, 'paid'],
      ['INV-000002', 55_000, 'open'],
      ['INV-000003', 0, 'open'],
    ]);
    expect(await agency.get('payments', waiting.id)).toMatchObject({
      amount_unallocated: 0,
      allocations: [
        { invoice: byPeriod[0]!.id, amount: 95_000 },
        { invoice: byPeriod[1]!.id, amount: 55_000 },
      ],
    });
  });

  test('is refused when the tenancy has one already, and accepted after that has ended', async () => {
    const first = await subscribe();
    expectCode(await tryToSubscribe({}), 'record_in_use', { param: 'tenancy' });
    const twice = await Promise.all([tryToSubscribe({}), tryToSubscribe({ amount: 1 })]);
    for (const answer of twice) expectCode(answer, 'record_in_use');
    expect(await agency.move('subscriptions', first.id, 'cancel')).toMatchObject({ status: 'ended' });
    expect(await subscribe()).toMatchObject({ status: 'scheduled' });
  });

  describe('that has an end', () => {
    const successor = { start_date: '2027-03-16', anchor_day: 1 };

    test('has a successor from the next day on, and each day is charged once', async () => {
      const first = await subscribe();
      await advanceTo('2027-02-10');
      await agency.move('subscriptions', first.id, 'cancel', { end_date: '2027-03-15' });
      const early = await tryToSubscribe({ ...successor, start_date: '2027-03-15' });
      expectCode(early, 'record_in_use', { param: 'tenancy' });
      expect(early.body.error.message).toContain(`${first.id}. It charges the days to 2027-03-15.`);
      const second = await subscribe({ ...successor, amount: 93_000 });
      expect(second).toMatchObject({ status: 'scheduled', next_period_start: '2027-03-16' });
      expectCode(await tryToSubscribe({ ...successor, start_date: '2027-06-01' }), 'record_in_use');
      expectCode(await tryToSubscribe({ start_date: '2027-02-01', end_date: '2027-02-05' }), 'record_in_use');
      await advanceTo('2027-04-02');
      expect(await invoices()).toEqual([
        '2027-02-01 2027-02-28 2027-02-01 95000 open',
        '2027-03-01 2027-03-15 2027-03-01 45968 open',
        '2027-03-16 2027-03-31 2027-03-16 48000 open',
        '2027-04-01 2027-04-30 2027-04-01 93000 open',
      ]);
      expect(await subscriptionNow(first)).toMatchObject({ status: 'ended', end_date: '2027-03-15' });
      expect(await subscriptionNow(second)).toMatchObject({ status: 'active' });
    });

    test('refuses a successor for days that it has invoiced, also after it has ended, unless they are credited', async () => {
      const first = await subscribe();
      await advanceTo('2027-02-10');
      await agency.move('subscriptions', first.id, 'cancel');
      await advanceTo('2027-03-05');
      expect(await subscriptionNow(first)).toMatchObject({ status: 'ended', end_date: '2027-02-28' });
      for (const body of [{}, { start_date: '2027-02-28' }, { start_date: '2027-02-01', end_date: '2027-02-01' }]) {
        const answer = await tryToSubscribe(body);
        expectCode(answer, 'parameter_invalid', { param: 'start_date' });
        expect(answer.body.error.message).toContain('for the days to 2027-02-28');
      }
      const [february] = (await good(agency.api.get(`/v1/invoices?subscription=${first.id}`))).body.data as Made[];
      await agency.move('invoices', february!.id, 'credit', { amount: 1_000, reason: 'A broken boiler.' });
      expectCode(await tryToSubscribe({}), 'parameter_invalid', { param: 'start_date' });
      await agency.move('invoices', february!.id, 'credit', { amount: 94_000, reason: 'Another rent day.' });
      const second = await subscribe({ anchor_day: 15 });
      expect(await invoices()).toEqual([
        '2027-02-01 2027-02-14 2027-02-01 42903 open',
        '2027-02-01 2027-02-28 2027-02-01 95000 paid',
        '2027-02-15 2027-03-14 2027-02-15 95000 open',
      ]);
      expect(second).toMatchObject({ status: 'active', next_period_start: '2027-03-15' });
    });

    test('accepts a successor from a day in a period when the rent of the days from there on is credited', async () => {
      const first = await subscribe();
      await advanceTo('2027-02-10');
      await agency.move('subscriptions', first.id, 'cancel');
      await advanceTo('2027-03-05');
      const [february] = (await good(agency.api.get(`/v1/invoices?subscription=${first.id}`))).body.data as Made[];
      // Half of 28 days.
      await agency.move('invoices', february!.id, 'credit', { amount: 47_500, reason: 'Another rent day.' });
      expectCode(await tryToSubscribe({ start_date: '2027-02-14' }), 'parameter_invalid', { param: 'start_date' });
      expect(await subscribe({ start_date: '2027-02-15' })).toMatchObject({ status: 'active' });
    });

    test('has one successor when two are created at once', async () => {
      const first = await subscribe();
      await agency.move('subscriptions', first.id, 'cancel', { end_date: '2027-03-15' });
      const dated = { ...successor, end_date: '2027-04-30' };
      const answers = await Promise.all(Array.from({ length: 4 }, () => tryToSubscribe(dated)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) expectCode(answer, 'record_in_use');
    });

    test('ends with its successor when the tenancy ends before either', async () => {
      const first = await subscribe();
      await agency.move('subscriptions', first.id, 'cancel', { end_date: '2027-03-15' });
      const second = await subscribe(successor);
      await advanceTo('2027-02-10');
      await agency.move('tenancies', tenancy.id, 'end', { ended_on: '2027-02-10', reason: 'surrender' });
      for (const made of [first, second])
        expect(await subscriptionNow(made)).toMatchObject({ status: 'ended', end_date: '2027-02-10' });
      expect(await invoices()).toHaveLength(1);
    });
  });

  const refused = [
    [{ tenancy: 'ten_0VbZq9aK00mT3cUuP8sXw4' }, 'resource_missing', 'tenancy'],
    [{ start_date: '2027-01-31' }, 'parameter_invalid', 'start_date'],
    [{ end_date: '2027-01-31' }, 'parameter_invalid', 'end_date'],
    [{ amount: 95_001 }, 'parameter_invalid', 'amount'],
    [{ amount: 0 }, 'parameter_invalid', 'amount'],
    [{ amount: 1.5 }, 'parameter_invalid', 'amount'],
    [{ amount: 10_000_000_000 }, 'parameter_invalid', 'amount'],
    [{ interval: 'week' }, 'parameter_invalid', 'interval'],
    [{ interval_count: 2 }, 'parameter_invalid', 'interval_count'],
    [{ anchor_day: 32 }, 'parameter_invalid', 'anchor_day'],
    [{ due_after: 28 }, 'parameter_invalid', 'due_after'],
    [{ invoice_before: 29 }, 'parameter_invalid', 'invoice_before'],
    [{ line_type: 'utility' }, 'parameter_invalid', 'line_type'],
    [{ type: 'service' }, 'parameter_missing', 'amount'],
    [{ type: 'service', amount: 1, interval: 'week', anchor_day: 8 }, 'parameter_invalid', 'anchor_day'],
    [{ type: 'service', amount: 500 }, 'check_failed', 'lines[0][type]'],
  ] as const;

  test('is refused with a wrong term, and leaves nothing', async () => {
    for (const [more, code, param] of refused) expectCode(await tryToSubscribe(more), code, { param });
    expect((await good(agency.api.get('/v1/subscriptions'))).body.count).toBe(0);
  });

  test('is refused for a draft, and for more periods of the past than one request invoices', async () => {
    const draft = await agency.draft((await agency.unit()).id);
    expectCode(await tryToSubscribe({ tenancy: draft.id }), 'parameter_invalid', { param: 'tenancy' });
    const weekly = { ...rent, interval: 'week' };
    const old = await agency.signed((await agency.unit()).id, { start_date: '2025-01-06', rent: weekly });
    expectCode(await tryToSubscribe({ tenancy: old.id }), 'parameter_invalid', { param: 'start_date' });
  });

  test('is invoiced once when two workers break the same days', async () => {
    await subscribe();
    const other = await startLetting({ connection: server.connection, secretKey: server.secretKey });
    // A request would break the days before the workers do.
    await withClient(server.connection, (client) =>
      client.query('update deployment set clock_ahead_ms = clock_ahead_ms + 120 * 86400000::bigint'),
    );
    const apis = [server.api, apiClient(other.url, server.secretKey)];
    await Promise.all(apis.map((api) => good(api.get('/v1/test_helpers/clock'))));
    await Promise.all(
      [server, other, server, other].map(({ context }) => context.breakDays(AbortSignal.timeout(dawnMsMax))),
    );
    const all = await invoices();
    expect(new Set(all.map((line) => line.slice(0, 10))).size).toBe(all.length);
    expect(all.map((line) => line.slice(0, 10))).toEqual(['2027-02-01', '2027-03-01', '2027-04-01', '2027-05-01']);
    await other.stop();
  });
});

test('a service has lines of its type beside the rent', async () => {
  await subscribe();
  const water = {
    type: 'service',
    line_type: 'utility',
    amount: 1_000,
    interval: 'week',
    anchor_day: 1,
    description: 'Water',
  };
  await subscribe(water);
  await advanceTo('2027-02-01');
  const { body } = await good(agency.api.get(`/v1/invoices?tenancy=${tenancy.id}&limit=50`));
  const lines = (body.data as Made[]).map(({ lines: [line], due_on }) => `${due_on} ${line.type} ${line.amount}`);
  expect(lines.toSorted()).toEqual(['2027-02-01 rent 95000', '2027-02-01 utility 1000', '2027-02-08 utility 1000']);
});

describe('another amount', () => {
  const change = { amount: 99_000, effective_on: '2028-03-01', basis: 'section_13', served_on: '2027-12-20' };

  test('is charged from its period on, and the rent follows on the day', async () => {
    const made = await subscribe();
    await advanceTo('2027-12-21');
    expect(await agency.move('subscriptions', made.id, 'change_amount', change)).toMatchObject({
      amount: 95_000,
      scheduled_change: { amount: 99_000, effective_on: '2028-03-01', basis: 'section_13', served_on: '2027-12-20' },
    });
    await advanceTo('2028-02-28');
    expect((await invoices()).slice(-2)).toEqual([
      '2028-02-01 2028-02-29 2028-02-01 95000 open',
      '2028-03-01 2028-03-31 2028-03-01 99000 open',
    ]);
    expect((await agency.get('tenancies', tenancy.id)).rent.amount).toBe(95_000);
    expectCode(await agency.api.post(`/v1/subscriptions/${made.id}/cancel_change`), 'status_transition_invalid');
    await advanceTo('2028-03-01');
    expect(await subscriptionNow(made)).toMatchObject({ amount: 99_000, scheduled_change: null });
    expect((await agency.get('tenancies', tenancy.id)).rent.amount).toBe(99_000);
    const history = await agency.historyOf(made.id);
    expect(history.filter((type) => type.includes('change'))).toEqual([
      'subscription.change_scheduled',
      'subscription.amount_changed',
    ]);
  });

  const refused = [
    [{ basis: 'agreement' }, 'check_failed', 'basis'],
    // An old day of service must not choose the law of that day.
    [{ basis: 'agreement', served_on: '2027-01-04' }, 'check_failed', 'basis'],
    [{ basis: 'correction', served_on: '2027-01-04' }, 'check_failed', 'basis'],
    [{ basis: 'agreement', served_on: '2020-01-01' }, 'parameter_invalid', 'served_on'],
    [{ served_on: '2020-01-01' }, 'parameter_invalid', 'served_on'],
    [{ served_on: null }, 'check_failed', 'served_on'],
    [{ effective_on: '2028-02-01' }, 'check_failed', 'effective_on'],
    [{ effective_on: '2028-01-01' }, 'check_failed', 'effective_on'],
    [{ effective_on: '2028-03-02' }, 'parameter_invalid', 'effective_on'],
    [{ effective_on: '2027-12-01' }, 'parameter_invalid', 'effective_on'],
    [{ served_on: '2027-12-22' }, 'parameter_invalid', 'served_on'],
    [{ amount: -1 }, 'parameter_invalid', 'amount'],
  ] as const;

  test('is refused with a wrong term, and leaves nothing', async () => {
    const made = await subscribe();
    await advanceTo('2027-12-21');
    for (const [more, code, param] of refused) {
      const answer = await agency.api.post(`/v1/subscriptions/${made.id}/change_amount`, { ...change, ...more });
      expectCode(answer, code, { param, ...(code === 'check_failed' && { check: 'rent_increase' }) });
    }
    expect(await subscriptionNow(made)).toMatchObject({ scheduled_change: null });
  });

  test('can be less at any time, and canceled before it is invoiced', async () => {
    const made = await subscribe();
    const less = { amount: 90_000, effective_on: '2027-04-01', basis: 'agreement' };
    await agency.move('subscriptions', made.id, 'change_amount', less);
    expectCode(await agency.api.post(`/v1/subscriptions/${made.id}/change_amount`, less), 'status_transition_invalid');
    expect(await agency.move('subscriptions', made.id, 'cancel_change')).toMatchObject({ scheduled_change: null });
    await agency.move('subscriptions', made.id, 'change_amount', less);
    await advanceTo('2027-04-01');
    expect((await invoices()).at(-1)).toBe('2027-04-01 2027-04-30 2027-04-01 90000 open');
  });

  const tribunal = { amount: 200_000, effective_on: '2027-03-01', basis: 'tribunal' };

  test('leaves earlier periods as they were when they are invoiced after its day', async () => {
    const weekly = { amount: 20_000, currency: 'gbp', interval: 'week' };
    tenancy = await agency.signed((await agency.unit()).id, { start_date: '2027-01-04', rent: weekly });
    const made = await subscribe({ due_after: 27, invoice_before: 0 });
    const rise = { ...tribunal, amount: 40_000, effective_on: '2027-01-25' };
    await agency.move('subscriptions', made.id, 'change_amount', rise);
    await advanceTo('2027-02-28');
    expect(await invoices()).toEqual([
      '2027-01-04 2027-01-10 2027-01-31 20000 open',
      '2027-01-11 2027-01-17 2027-02-07 20000 open',
      '2027-01-18 2027-01-24 2027-02-14 20000 open',
      '2027-01-25 2027-01-31 2027-02-21 40000 open',
      '2027-02-01 2027-02-07 2027-02-28 40000 open',
    ]);
    // An end in the past credits days. It charges none again.
    await agency.move('tenancies', tenancy.id, 'end', { ended_on: '2027-01-24', reason: 'surrender' });
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: 60_000 });
  });

  test('leaves a part period at the start as it was', async () => {
    tenancy = await agency.signed((await agency.unit()).id, { start_date: '2027-01-30' });
    const made = await subscribe({ anchor_day: 1, due_after: 27, invoice_before: 0 });
    const less = { ...tribunal, amount: 50_000, effective_on: '2027-02-01' };
    await agency.move('subscriptions', made.id, 'change_amount', less);
    await advanceTo('2027-02-28');
    expect(await invoices()).toEqual([
      '2027-01-30 2027-01-31 2027-02-26 6129 open',
      '2027-02-01 2027-02-28 2027-02-28 50000 open',
    ]);
  });

  test('invoices the periods before a change at once when its day has come', async () => {
    tenancy = await agency.signed((await agency.unit()).id, { start_date: '2027-01-04' });
    const made = await subscribe({ anchor_day: 10, due_after: 27, invoice_before: 0 });
    await advanceTo('2027-01-12');
    const rise = { ...tribunal, effective_on: '2027-01-10' };
    await agency.move('subscriptions', made.id, 'change_amount', rise);
    // 6 of 31 days: 183.87 pounds.
    expect(await invoices()).toEqual(['2027-01-04 2027-01-09 2027-01-31 18387 open']);
    await advanceTo('2027-02-06');
    expect((await invoices()).at(-1)).toBe('2027-01-10 2027-02-09 2027-02-06 200000 open');
  });

  test('invoices no skipped period when its day comes during a pause', async () => {
    const made = await subscribe({ due_after: 27, invoice_before: 0 });
    await advanceTo('2027-02-10');
    await agency.move('subscriptions', made.id, 'pause');
    await agency.move('subscriptions', made.id, 'change_amount', { ...tribunal, effective_on: '2027-04-01' });
    await advanceTo('2027-04-02');
    expect(await invoices()).toEqual(['2027-02-01 2027-02-28 2027-02-28 95000 open']);
    expect(await subscriptionNow(made)).toMatchObject({ amount: 200_000, next_invoice_on: null });
  });

  test('by notice waits for 52 weeks after the last one', async () => {
    const made = await subscribe();
    await advanceTo('2027-12-21');
    await agency.move('subscriptions', made.id, 'change_amount', change);
    await advanceTo('2028-12-01');
    const next = { amount: 100_000, basis: 'section_13', served_on: '2028-12-01' };
    const path = `/v1/subscriptions/${made.id}/change_amount`;
    expectCode(await agency.api.post(path, { ...next, effective_on: '2029-02-01' }), 'check_failed', {
      param: 'effective_on',
      message: expect.stringContaining('2029-02-28'),
    });
    await good(agency.api.post(path, { ...next, effective_on: '2029-03-01' }));
  });

  test('by notice waits for the last one also when another subscription charges the rent', async () => {
    const made = await subscribe();
    await advanceTo('2027-12-21');
    await agency.move('subscriptions', made.id, 'change_amount', change);
    await advanceTo('2028-03-02');
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ rent_increased_on: '2028-03-01' });
    await agency.move('subscriptions', made.id, 'cancel');
    await advanceTo('2028-05-02');
    const { id } = await subscribe({ start_date: '2028-05-01' });
    const path = `/v1/subscriptions/${id}/change_amount`;
    const next = { amount: 100_000, basis: 'section_13', served_on: '2028-05-02' };
    const answer = await agency.api.post(path, { ...next, effective_on: '2029-02-01' });
    expectCode(answer, 'check_failed', { message: expect.stringContaining('2029-02-28') });
    await good(agency.api.post(path, { ...next, effective_on: '2029-03-01' }));
  });

  test.each([
    ['52 weeks after the tenancy began in another system', null, '2027-05-01'],
    ['52 weeks after the increase in another system', '2026-08-01', '2027-08-01'],
  ])('by notice waits for %s', async (_, rent_increased_on, earliest) => {
    const { id: unit } = await agency.unit();
    const old = await agency.signed(unit, { start_date: '2025-02-01', rent_increased_on });
    const { id } = await agency.make('subscriptions', { tenancy: old.id, start_date: '2027-01-01' });
    const path = `/v1/subscriptions/${id}/change_amount`;
    const next = { amount: 99_000, basis: 'section_13', served_on: '2027-01-04' };
    if (rent_increased_on) {
      const answer = await agency.api.post(path, { ...next, effective_on: '2027-07-01' });
      expectCode(answer, 'check_failed', { message: expect.stringContaining('2027-07-31') });
    }
    await good(agency.api.post(path, { ...next, effective_on: earliest }));
  });
});

describe('a pause', () => {
  test('skips the periods that begin meanwhile, until it is resumed', async () => {
    const made = await subscribe();
    await advanceTo('2027-02-10');
    expect(await agency.move('subscriptions', made.id, 'pause')).toMatchObject({
      status: 'paused',
      next_invoice_on: null,
    });
    await advanceTo('2027-04-15');
    expect(await agency.move('subscriptions', made.id, 'resume')).toMatchObject({
      status: 'active',
      next_period_start: '2027-05-01',
      next_invoice_on: '2027-04-24',
    });
    await advanceTo('2027-04-24');
    expect(await invoices()).toEqual([
      '2027-02-01 2027-02-28 2027-02-01 95000 open',
      '2027-05-01 2027-05-31 2027-05-01 95000 open',
    ]);
  });

  test('ends by itself on its day, and a period that has begun is still invoiced', async () => {
    const made = await subscribe({ due_after: 10, invoice_before: 0 });
    await advanceTo('2027-02-05');
    expect(await invoices()).toEqual([]);
    await agency.move('subscriptions', made.id, 'pause', { resume_on: '2027-04-01' });
    expect(await invoices()).toEqual(['2027-02-01 2027-02-28 2027-02-11 95000 open']);
    await advanceTo('2027-04-11');
    expect(await subscriptionNow(made)).toMatchObject({ status: 'active', resume_on: null });
    expect((await invoices()).map((line) => line.slice(0, 10))).toEqual(['2027-02-01', '2027-04-01']);
    expectCode(await agency.api.post(`/v1/subscriptions/${made.id}/resume`), 'status_transition_invalid');
  });
});

describe('a cancellation', () => {
  test('charges a part of the last period, and ends after it', async () => {
    const made = await subscribe();
    await advanceTo('2027-02-10');
    expectCode(
      await agency.api.post(`/v1/subscriptions/${made.id}/cancel`, { end_date: '2027-02-20' }),
      'parameter_invalid',
      {
        param: 'end_date',
      },
    );
    expect(await agency.move('subscriptions', made.id, 'cancel', { end_date: '2027-03-10' })).toMatchObject({
      status: 'active',
      end_date: '2027-03-10',
    });
    await advanceTo('2027-03-11');
    // 10 of 31 days: 306.45 pounds.
    expect(await invoices()).toEqual([
      '2027-02-01 2027-02-28 2027-02-01 95000 open',
      '2027-03-01 2027-03-10 2027-03-01 30645 open',
    ]);
    expect(await subscriptionNow(made)).toMatchObject({ status: 'ended' });
  });

  test('cancels a change of the amount that comes after its last day', async () => {
    const made = await subscribe();
    await advanceTo('2027-02-10');
    const rise = { amount: 99_000, effective_on: '2027-03-01', basis: 'tribunal' };
    await agency.move('subscriptions', made.id, 'change_amount', rise);
    expect(await agency.move('subscriptions', made.id, 'cancel')).toMatchObject({
      status: 'active',
      end_date: '2027-02-28',
      scheduled_change: null,
    });
    expect((await agency.historyOf(made.id)).at(-1)).toBe('subscription.change_canceled');
    await advanceTo('2027-03-05');
    expect((await agency.get('tenancies', tenancy.id)).rent).toMatchObject({ amount: 95_000 });
  });

  test('keeps a change of the amount that comes before its last day', async () => {
    const made = await subscribe();
    await advanceTo('2027-02-10');
    const rise = { amount: 99_000, effective_on: '2027-03-01', basis: 'tribunal' };
    await agency.move('subscriptions', made.id, 'change_amount', rise);
    await agency.move('subscriptions', made.id, 'cancel', { end_date: '2027-03-01' });
    await advanceTo('2027-03-01');
    expect(await subscriptionNow(made)).toMatchObject({ amount: 99_000, scheduled_change: null });
  });

  test('without a day ends with what is invoiced', async () => {
    const made = await subscribe();
    await advanceTo('2027-02-10');
    expect(await agency.move('subscriptions', made.id, 'cancel')).toMatchObject({
      status: 'active',
      end_date: '2027-02-28',
      next_period_start: null,
    });
    await advanceTo('2027-03-05');
    expect(await subscriptionNow(made)).toMatchObject({ status: 'ended' });
    expect(await invoices()).toHaveLength(1);
  });
});

describe('the end of a tenancy', () => {
  test('credits the days after it and ends the subscription, when the tenants give notice', async () => {
    const made = await subscribe({ invoice_before: 28 });
    await advanceTo('2027-03-10');
    // April is invoiced already. The notice ends the tenancy on 12 April.
    expect(await invoices()).toHaveLength(3);
    await agency.make('payments', { tenancy: tenancy.id, amount: 285_000, method: 'cash' });
    await agency.move('tenancies', tenancy.id, 'give_notice', {
      by: 'mutual',
      served_on: '2027-03-10',
      ends_on: '2027-04-12',
    });
    await advanceTo('2027-04-13');
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ status: 'ended', balance: -57_000 });
    expect(await subscriptionNow(made)).toMatchObject({ status: 'ended', end_date: '2027-04-12' });
    const { body } = await good(agency.api.get(`/v1/invoices?subscription=${made.id}`));
    // 18 of 30 days: 570.00 pounds.
    expect((body.data as Made[]).find(({ period }) => period.start === '2027-04-01')).toMatchObject({
      status: 'paid',
      amount_credited: 57_000,
      amount_paid: 38_000,
      credits: [{ amount: 57_000, reason: 'The tenancy ended on 12 April 2027.' }],
    });
    expect(await invoices()).toHaveLength(3);
  });

  test('invoices the days after its end in time when the notice is withdrawn', async () => {
    const made = await subscribe({ invoice_before: 20 });
    await advanceTo('2027-02-02');
    const notice = { by: 'mutual', served_on: '2027-02-02', ends_on: '2027-03-10' };
    await agency.move('tenancies', tenancy.id, 'give_notice', notice);
    await advanceTo('2027-02-18');
    await agency.move('tenancies', tenancy.id, 'withdraw_notice', { agreed_in_writing: true });
    expect(await subscriptionNow(made)).toMatchObject({
      next_period_start: '2027-03-11',
      next_invoice_on: '2027-02-19',
    });
    await advanceTo('2027-02-19');
    expect(await invoices()).toEqual([
      '2027-02-01 2027-02-28 2027-02-01 95000 open',
      '2027-03-01 2027-03-10 2027-03-01 30645 open',
      '2027-03-11 2027-03-31 2027-03-11 64355 open',
    ]);
    expect(await subscriptionNow(made)).toMatchObject({ next_invoice_on: '2027-03-12' });
  });

  test('invoices the days after its end today when an agreement names a later end', async () => {
    const company = { type: 'company', start_date: '2027-02-01', end_date: '2027-03-10' };
    tenancy = await agency.signed((await agency.unit()).id, company);
    const made = await subscribe({ invoice_before: 20 });
    await advanceTo('2027-03-01');
    expect(await subscriptionNow(made)).toMatchObject({ next_invoice_on: '2027-03-11' });
    const notice = { by: 'mutual', served_on: '2027-03-01', ends_on: '2027-04-30' };
    await agency.move('tenancies', tenancy.id, 'give_notice', notice);
    expect(await subscriptionNow(made)).toMatchObject({ next_invoice_on: '2027-03-01' });
  });

  test('invoices the days after its end today when the notice is withdrawn after the day of their invoice', async () => {
    const made = await subscribe({ invoice_before: 20 });
    const paused = await agency.make('subscriptions', { ...utility, tenancy: tenancy.id, invoice_before: 20 });
    await advanceTo('2027-02-02');
    await agency.move('subscriptions', paused.id, 'pause');
    const notice = { by: 'mutual', served_on: '2027-02-02', ends_on: '2027-03-10' };
    await agency.move('tenancies', tenancy.id, 'give_notice', notice);
    await advanceTo('2027-03-01');
    expect(await subscriptionNow(made)).toMatchObject({ next_invoice_on: '2027-03-11' });
    await agency.move('tenancies', tenancy.id, 'withdraw_notice', { agreed_in_writing: true });
    expect(await subscriptionNow(made)).toMatchObject({
      next_period_start: '2027-03-11',
      next_invoice_on: '2027-03-01',
    });
    expect(await subscriptionNow(paused)).toMatchObject({ status: 'paused', next_invoice_on: null });
    await dawn(server);
    expect(await subscriptionNow(made)).toMatchObject({
      next_period_start: '2027-04-01',
      next_invoice_on: '2027-03-12',
    });
  });

  test('voids what nobody has paid of later periods, credits what is paid, and invoices what is missing', async () => {
    const made = await subscribe({ due_after: 20, invoice_before: 0 });
    const water = { type: 'service', line_type: 'utility', amount: 2_800, invoice_before: 28 };
    await subscribe(water);
    await advanceTo('2027-02-10');
    expect(await invoices()).toEqual([
      '2027-02-01 2027-02-28 2027-02-01 2800 open',
      '2027-03-01 2027-03-31 2027-03-01 2800 open',
    ]);
    await agency.move('tenancies', tenancy.id, 'end', { ended_on: '2027-02-07', reason: 'surrender' });
    // The rent of 7 of 28 days was not invoiced yet: 237.50 pounds. Of the water of February, 21 days are credited.
    expect((await invoices()).toSorted()).toEqual([
      '2027-02-01 2027-02-07 2027-02-21 23750 open',
      '2027-02-01 2027-02-28 2027-02-01 2800 open',
      '2027-03-01 2027-03-31 2027-03-01 2800 void',
    ]);
    expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: 24_450 });
    expect(await subscriptionNow(made)).toMatchObject({ status: 'ended', end_date: '2027-02-07' });
    await advanceTo('2027-06-01');
    expect(await invoices()).toHaveLength(3);
  });

  test('takes back what was paid when a signed tenancy is canceled', async () => {
    await subscribe({ invoice_before: 28 });
    await agency.make('payments', { tenancy: tenancy.id, amount: 95_000, method: 'cash' });
    expect(await agency.move('tenancies', tenancy.id, 'cancel')).toMatchObject({
      status: 'canceled',
      balance: -95_000,
    });
    const { body } = await good(agency.api.get('/v1/subscriptions'));
    expect(body.data[0]).toMatchObject({ status: 'ended' });
    const { body: payments } = await good(agency.api.get('/v1/payments'));
    expect(payments.data[0]).toMatchObject({ amount_unallocated: 95_000 });
    const { body: credited } = await good(agency.api.get('/v1/invoices'));
    // The tenancy never began, so nothing may say that it ended.
    expect(credited.data[0].credits).toMatchObject([
      { amount: 95_000, reason: 'The tenancy was canceled on 4 January 2027.' },
    ]);
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import { credentialNames, providers } from '../../../src/core/vocabulary/providers.ts';
import { referencingProviders } from '../../../src/referencing/providers/index.ts';
import {
  faultOf,
  goodCredentials,
  orderOf,
  servicesForTest,
  workingDayMs,
  type Services,
} from '../../support/services.ts';

/* The promises of every referencing service to the product: its adapter against its simulated service, over HTTP. */

let services: Services;

beforeEach(async () => {
  services = await servicesForTest();
});

async function orderCount(): Promise<number> {
  const { rows } = await services.pool.query(
    'select count(*) as count from simulated_orders where placed_at_ms is not null',
  );
  return rows[0].count;
}

describe.each(providers)('referencing service %s', (name) => {
  test('names itself and its credentials when it is described', () => {
    expect(referencingProviders[name].name).toBe(name);
    expect(Object.keys(goodCredentials[name])).toEqual(credentialNames[name]);
  });

  test('takes an order to its end and returns the findings when it is polled', async () => {
    const service = services.service(name);
    const ordered = await service.submit(orderOf());
    expect(ordered.problem).toBeNull();
    services.clock.advanceMs(4 * workingDayMs);
    const done = await service.read(ordered.orderId);
    expect(done).toMatchObject({
      orderId: ordered.orderId,
      status: 'done',
      outcome: { verdict: 'accept' },
      problem: null,
    });
    const findings = await service.fetchFindings(ordered.orderId);
    expect(findings).toMatchObject({
      verdict: 'accept',
      words: done.outcome!.words,
      reasons: ['No issues were found.'],
      affordability: {
        status: 'pass',
        percentage: 28,
        rent: { amount: 120_000, currency: 'gbp', interval: 'month' },
        annualIncome: { amount: 5_142_857, currency: 'gbp' },
      },
      credit: {
        score: 640,
        facts: expect.arrayContaining([{ label: 'Electoral roll', value: 'Registered at this address' }]),
      },
      sanctions: { passed: true },
    });
    expect(findings.checks.map((check) => [check.name, check.result])).toEqual([
      ['Identity', 'pass'],
      ['Employer', 'pass'],
      ['Former landlord', 'pass'],
    ]);
    expect(findings.dispute.service).toContain('simulated');
  });

  test('shows no outcome before the end, and moves only forward, when it is polled', async () => {
    const service = services.service(name);
    const { orderId } = await service.submit(orderOf());
    const ranks = ['queued', 'invited', 'in_progress', 'awaiting_referee', 'in_review', 'done'];
    let rank = 0;
    for (let step = 0; step < 40; step++) {
      const progress = await service.read(orderId);
      expect(progress.outcome === null).toBe(progress.status !== 'done');
      expect(ranks.indexOf(progress.status)).toBeGreaterThanOrEqual(rank);
      rank = ranks.indexOf(progress.status);
      services.clock.advanceMs(workingDayMs / 12);
    }
    expect(ranks[rank]).toBe('done');
  });

  test('makes one order for a reference when it is requested several times by several processes', async () => {
    const [one, other] = [services.service(name), (await servicesForTest(services)).service(name)];
    const order = orderOf('stuck');
    const asked = await Promise.all([1, 2, 3].flatMap(() => [one.submit(order), other.submit(order)]));
    const again = await one.submit(order);
    expect(new Set([...asked, again].map(({ orderId }) => orderId)).size).toBe(1);
    expect(await orderCount()).toBe(1);
    const { orderId } = await one.submit(orderOf('stuck'));
    expect(orderId).not.toBe(again.orderId);
    expect(await orderCount()).toBe(2);
  });

  test('takes an order when the person has only a name', async () => {
    const service = services.service(name);
    const { orderId } = await service.submit(orderOf(null, { applicant: null, rent: null }));
    services.clock.advanceMs(4 * workingDayMs);
    expect((await service.read(orderId)).outcome?.verdict).toBe('accept');
    expect((await service.fetchFindings(orderId)).affordability).toMatchObject({
      rent: { amount: 95_000, currency: 'gbp', interval: 'month' },
      annualIncome: { currency: 'gbp' },
    });
  });

  test('cancels an order for good when it is asked once or more', async () => {
    const service = services.service(name);
    const { orderId } = await service.submit(orderOf('stuck'));
    await service.cancel(orderId);
    await service.cancel(orderId);
    services.clock.advanceMs(4 * workingDayMs);
    expect(await service.read(orderId)).toMatchObject({ status: 'canceled', outcome: null });
  });

  test('leaves an order unchanged when it is complete before it is canceled', async () => {
    const service = services.service(name);
    const { orderId } = await service.submit(orderOf('consider'));
    services.clock.advanceMs(4 * workingDayMs);
    await service.cancel(orderId);
    expect(await service.read(orderId)).toMatchObject({ status: 'done', outcome: { verdict: 'consider' } });
  });

  test('returns no findings before the end, and knows no other orders, when it is asked', async () => {
    const service = services.service(name);
    const { orderId } = await service.submit(orderOf('stuck'));
    expect((await faultOf(service.fetchFindings(orderId))).code).toBe('report_not_ready');
    for (const unknown of ['4711', '../../x', '%', 'a b'])
      expect((await faultOf(service.read(unknown))).code).toBe('not_found');
  });

  test('refuses credentials when they are wrong or missing', async () => {
    for (const credential of Object.keys(goodCredentials[name]).filter((each) => each !== 'signing_secret')) {
      const wrong = services.service(name, { ...goodCredentials[name], [credential]: 'invalid_one' });
      const { code, message } = await faultOf(wrong.submit(orderOf()));
      expect([credential, code]).toEqual([credential, 'unauthorized']);
      expect(message).not.toContain('invalid_one');
      expect((await faultOf(wrong.read('4711'))).code).toBe('unauthorized');
    }
    expect(await orderCount()).toBe(0);
  });

  test('resumes an order when everything was restarted', async () => {
    const { orderId } = await services.service(name).submit(orderOf('consider'));
    services.clock.advanceMs(workingDayMs / 2);
    const before = await services.service(name).read(orderId);
    await services.stop();
    const restarted = await servicesForTest(services);
    expect(await restarted.service(name).read(orderId)).toEqual(before);
    services.clock.advanceMs(4 * workingDayMs);
    expect((await restarted.service(name).read(orderId)).outcome?.verdict).toBe('consider');
  });

  test('keeps no personal data when an order is over', async () => {
    await services.service(name).submit(orderOf('ccj'));
    const { rows } = await services.pool.query('select * from simulated_orders');
    const kept = JSON.stringify(rows);
    expect(rows).toHaveLength(1);
    for (const told of ['Ann', 'archer', '900123', '1990-02-03', 'High Street', 'LS1', 'secret_of'])
      expect(kept).not.toContain(told);
  });
});

test('makes the order with corrected data when its first try failed', async () => {
  const service = services.service('provider_a');
  const order = orderOf('invalid_details');
  expect((await faultOf(service.submit(order))).code).toBe('invalid_details');
  await service.submit({ ...orderOf('high_risk'), referenceId: order.referenceId });
  services.clock.advanceMs(workingDayMs);
  const { orderId } = await service.submit(order);
  expect((await service.read(orderId)).outcome?.verdict).toBe('high_risk');
});

test('fails the first and every fourth call, with an error or as busy, when it is the flaky one', async () => {
  const service = services.service('provider_d');
  const provider = referencingProviders.provider_d;
  const order = orderOf('stuck');
  expect((await faultOf(provider.submit(service.access, order))).code).toBe('unavailable');
  // The second call looks for the order, and the third makes it.
  const { orderId } = await provider.submit(service.access, order);
  const seen: string[] = [];
  for (let call = 4; call <= 16; call++) {
    seen.push(
      await provider.read(service.access, orderId).then(
        () => 'good',
        (fault) => `${fault.code} ${fault.busyForSeconds}`,
      ),
    );
  }
  const good = ['good', 'good', 'good'];
  const [error, busy] = ['unavailable null', 'busy 2'];
  expect(seen).toEqual([error, ...good, busy, ...good, error, ...good, busy]);
});

test('makes one order and tells all callers when several ask the flaky one at once', async () => {
  const { access } = services.service('provider_d');
  const body = { reference: 'ref_1', email: null, rent: null, guarantor: false };
  const post = () =>
    access.client.call({
      method: 'POST',
      path: '/screenings',
      headers: { authorization: 'Token t' },
      body,
      expected: [201, 409, 429, 500],
    });
  const answers = await Promise.all(Array.from({ length: 20 }, post));
  const count = (wanted: number): number => answers.filter(({ status }) => status === wanted).length;
  expect(count(201)).toBe(1);
  // The order of arrival decides how many calls meet a fault.
  expect(count(409)).toBeGreaterThan(0);
  expect(count(201) + count(409) + count(429) + count(500)).toBe(answers.length);
});

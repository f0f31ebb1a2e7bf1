import { beforeEach, describe, expect, test } from 'vitest';
import { providers } from '../../../src/core/vocabulary/providers.ts';
import { advance, complete, fail, note } from '../../../src/referencing/simulator/force.ts';
import {
  faultOf,
  orderOf,
  servicesForTest,
  workingDayMs,
  type Service,
  type Services,
} from '../../support/services.ts';

/* Test helpers change the simulated services directly, without a request to them. */

let services: Services;

beforeEach(async () => {
  services = await servicesForTest();
});

describe.each(providers)('test helpers for %s', (name) => {
  let service: Service;

  beforeEach(() => {
    service = services.service(name);
  });

  /** Makes an order that is being checked, and the call of a helper for it. */
  async function ordered(tag: string) {
    const order = orderOf(tag);
    const { orderId } = await service.submit(order);
    return { order, orderId, target: [services.pool, name, order.referenceId, services.clock.nowMs()] as const };
  }

  test('takes the next step at once, until the last, when an order is advanced', async () => {
    const { orderId, target } = await ordered('stuck');
    const seen: string[] = [];
    while (await advance(...target)) seen.push((await service.read(orderId)).status);
    expect(seen.at(-1)).toBe('done');
    const shorter = { provider_a: 6, provider_b: 1, provider_c: 4, provider_d: 3 };
    expect(seen).toHaveLength(shorter[name]);
    expect((await service.read(orderId)).outcome?.verdict).toBe('accept');
  });

  test('changes the verdict at once when that is the next step', async () => {
    const { orderId, target } = await ordered('consider_then_high_risk');
    await complete(...target);
    expect((await service.read(orderId)).outcome?.verdict).toBe('consider');
    expect(await advance(...target)).toBe(true);
    expect((await service.read(orderId)).outcome?.verdict).toBe('high_risk');
    expect(await advance(...target)).toBe(false);
  });

  test.each(['stuck', 'invite_bounced', 'referee_silent'])('completes an order at once when it is %s', async (tag) => {
    const { orderId, target } = await ordered(tag);
    expect(await complete(...target, 'high_risk')).toBe(true);
    expect(await service.read(orderId)).toMatchObject({
      status: 'done',
      outcome: { verdict: 'high_risk' },
      problem: null,
    });
    expect((await service.fetchFindings(orderId)).verdict).toBe('high_risk');
    expect(await complete(...target, 'accept')).toBe(false);
    services.clock.advanceMs(1_000 * workingDayMs);
    expect((await service.read(orderId)).outcome?.verdict).toBe('high_risk');
  });

  test('completes an order with the outcome of its script when the helper names none', async () => {
    const { orderId, target } = await ordered('invite_bounced_then_ccj');
    expect(await complete(...target)).toBe(true);
    const done = await service.read(orderId);
    expect(done.outcome?.verdict).toBe('high_risk');
    expect((await service.fetchFindings(orderId)).reasons.join()).toContain('county court judgment');
  });

  test('fails every call with the code, until it is advanced, when the helper says so', async () => {
    const { order, orderId, target } = await ordered('stuck');
    const before = await service.read(orderId);
    expect(await fail(...target, 'bureau_closed')).toBe(true);
    expect((await faultOf(service.read(orderId))).code).toBe('bureau_closed');
    expect((await faultOf(service.submit(order))).code).toBe('bureau_closed');
    expect((await faultOf(service.cancel(orderId))).code).toBe('bureau_closed');
    expect(await advance(...target)).toBe(true);
    expect(await service.read(orderId)).toEqual(before);
  });

  test('responds like a service in trouble when the helper says so', async () => {
    const { orderId, target } = await ordered('stuck');
    await fail(...target, 'provider_garbage');
    expect((await faultOf(service.read(orderId))).code).toBe('response_invalid');
    for (const code of ['', 'Bad', 'a b', 'x'.repeat(41), '1'])
      await expect(fail(...target, code)).rejects.toThrow(RangeError);
  });

  test('ends the failures of a script when an order is advanced', async () => {
    const order = orderOf('invalid_details');
    expect((await faultOf(service.submit(order))).code).toBe('invalid_details');
    expect(await advance(services.pool, name, order.referenceId, services.clock.nowMs())).toBe(true);
    const { orderId } = await service.submit(order);
    services.clock.advanceMs(3 * workingDayMs);
    expect((await service.read(orderId)).outcome?.verdict).toBe('accept');
  });

  test('adds a note to the order and its report when the helper sends one', async () => {
    const { orderId, target } = await ordered('stuck');
    services.clock.advanceMs(5_000);
    const createdMs = services.clock.nowMs();
    expect(await note(services.pool, name, target[2], createdMs, 'Ask Ann: ann@archer.example')).toBe(true);
    const expected = { created: createdMs / 1000, message: 'Ask Ann: [e-mail address removed]' };
    const { data } = await service.read(orderId);
    if (name === 'provider_a') expect(data!.notes).toContainEqual(expected);
    await complete(services.pool, name, target[2], createdMs);
    expect((await service.fetchFindings(orderId)).notes).toContainEqual(expected);
  });

  test('changes nothing when the order has ended or does not exist', async () => {
    const { orderId, target } = await ordered('stuck');
    await service.cancel(orderId);
    const never = [services.pool, name, 'ref_never', services.clock.nowMs()] as const;
    for (const gone of [target, never]) {
      expect(await advance(...gone)).toBe(false);
      expect(await complete(...gone)).toBe(false);
      expect(await fail(...gone, 'x')).toBe(false);
      expect(await note(...gone, 'x')).toBe(false);
    }
    expect((await service.read(orderId)).status).toBe('canceled');
  });

  test('keeps all changes when several helpers act at once', async () => {
    const { orderId, target } = await ordered('stuck');
    const noted = await Promise.all(Array.from({ length: 10 }, (_, index) => note(...target, `Note ${index}.`)));
    expect(noted).toEqual(Array.from({ length: 10 }, () => true));
    await complete(...target);
    const { notes } = await service.fetchFindings(orderId);
    expect(notes.filter(({ message }) => message.startsWith('Note ')).length).toBe(10);
  });

  test('keeps one of a completion and a cancellation for good when both arrive at once', async () => {
    const { orderId, target } = await ordered('stuck');
    const [isCompleted] = await Promise.all([complete(...target, 'consider'), service.cancel(orderId)]);
    expect((await service.read(orderId)).status).toBe(isCompleted ? 'done' : 'canceled');
    services.clock.advanceMs(workingDayMs);
    expect((await service.read(orderId)).status).toBe(isCompleted ? 'done' : 'canceled');
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import { providers, type Provider } from '../../../src/core/vocabulary/providers.ts';
import type { Progress } from '../../../src/referencing/providers/provider.ts';
import { faultOf, orderOf, servicesForTest, workingDayMs, type Services } from '../../support/services.ts';

/* Every row of the table in the sandbox guide, with every service. */

let services: Services;

beforeEach(async () => {
  services = await servicesForTest();
});

const byProvider = (a: string, b: string, c: string, d: string): Record<Provider, string> => ({
  provider_a: a,
  provider_b: b,
  provider_c: c,
  provider_d: d,
});
const words = {
  accept: byProvider('ACCEPT', 'Pass', 'Accepted', 'clear'),
  consider: byProvider('CONSIDER', 'Conditional Pass', 'Refer', 'review'),
  high_risk: byProvider('HIGH_RISK', 'Fail', 'Rejected', 'decline'),
};

type Verdict = keyof typeof words;

/** Tag, verdict, rent as a share of income, its status, score, sanctions passed, and the reasons. */
const finished: [string, Verdict, number, string, number | null, boolean, RegExp][] = [
  ['accept', 'accept', 28, 'pass', 640, true, /No issues/],
  ['consider', 'consider', 45, 'refer', 420, true, /larger share/],
  ['high_risk', 'high_risk', 62, 'fail', 120, true, /more than the income/],
  ['no_credit_file', 'consider', 28, 'pass', null, true, /no credit file/],
  ['ccj', 'high_risk', 28, 'pass', 180, true, /county court judgment/],
  ['ccj_satisfied', 'consider', 28, 'pass', 430, true, /is paid/],
  ['iva', 'high_risk', 28, 'pass', 150, true, /voluntary arrangement/],
  ['bankrupt', 'high_risk', 28, 'pass', 90, true, /bankruptcy/],
  ['low_income', 'consider', 58, 'fail', 640, true, /does not carry/],
  ['sanctions_match', 'high_risk', 28, 'pass', 640, false, /financial sanctions/],
  ['sanctions_review', 'accept', 28, 'pass', 640, true, /another person/],
  ['referee_silent', 'consider', 28, 'pass', 640, true, /did not answer/],
  ['fraud_payslip', 'high_risk', 28, 'refer', 640, true, /payslip was changed/],
  ['no_such_tag', 'accept', 28, 'pass', 640, true, /No issues/],
  ['CCJ', 'high_risk', 28, 'pass', 180, true, /county court judgment/],
  ['accept_then_provider_error', 'accept', 28, 'pass', 640, true, /No issues/],
];

describe.each(providers)('scenarios of %s', (name) => {
  test.each(finished)(
    'ends with the expected verdict when the scenario is %s: %s',
    async (tag, verdict, percentage, status, score, passed, reason) => {
      const service = services.service(name);
      const { orderId } = await service.submit(orderOf(tag));
      services.clock.advanceMs(7 * workingDayMs);
      const progress = await service.read(orderId);
      expect(progress).toMatchObject({
        status: 'done',
        outcome: { verdict, words: words[verdict][name] },
        problem: null,
      });
      const findings = await service.fetchFindings(orderId);
      expect(findings).toMatchObject({
        verdict,
        affordability: { percentage, status },
        credit: { score },
        sanctions: { passed },
      });
      expect(findings.reasons.join(' ')).toMatch(reason);
      if (name !== 'provider_a') expect(progress.data).toBeNull();
      else
        expect(progress.data).toMatchObject({
          affordability: { percentage, status },
          credit_score: score,
          sanctions_passed: passed,
          progress: 100,
        });
    },
  );

  test('accepts low_income in conjunction when there is a guarantor', async () => {
    const service = services.service(name);
    const { orderId } = await service.submit(orderOf('low_income', { hasGuarantor: true }));
    services.clock.advanceMs(3 * workingDayMs);
    expect((await service.read(orderId)).outcome?.verdict).toBe('accept');
    expect((await service.fetchFindings(orderId)).reasons.join(' ')).toContain('in conjunction');
  });

  test('reviews sanctions_review for another working day and shows nothing meanwhile when it runs', async () => {
    const service = services.service(name);
    const { orderId } = await service.submit(orderOf('sanctions_review'));
    services.clock.advanceMs({ provider_a: 1, provider_b: 0, provider_c: 3, provider_d: 1 }[name] * workingDayMs);
    const held = await service.read(orderId);
    expect(held).toMatchObject({ status: 'in_review', outcome: null });
    expect(held.data?.sanctions_passed ?? null).toBeNull();
    services.clock.advanceMs(workingDayMs);
    expect((await service.read(orderId)).status).toBe('done');
  });

  test('asks the referee again every working day and closes on the seventh when the scenario is referee_silent', async () => {
    const service = services.service(name);
    const { orderId } = await service.submit(orderOf('referee_silent'));
    services.clock.advanceMs(7 * workingDayMs - 1);
    expect(await service.read(orderId)).toMatchObject({ status: 'awaiting_referee', outcome: null });
    services.clock.advanceMs(1);
    expect(await service.read(orderId)).toMatchObject({ status: 'done', outcome: { verdict: 'consider' } });
    const asked = (await service.fetchFindings(orderId)).notes.filter(({ message }) => message.includes('asked again'));
    expect(asked.map(({ message }) => /day \d/.exec(message)![0])).toEqual(
      (name === 'provider_c' ? [2, 3, 4, 5, 6] : [1, 2, 3, 4, 5, 6]).map((day) => `day ${day}`),
    );
    const days = asked.slice(1).map(({ created }, index) => created - asked[index]!.created);
    expect(new Set(days)).toEqual(new Set([workingDayMs / 1000]));
  });

  test.each([
    ['invite_bounced', /could not be delivered/],
    ['renter_declined', /does not want/],
    ['renter_expired', /did not answer/],
  ])('stays open and names the problem when the scenario is %s', async (tag, message) => {
    const service = services.service(name);
    const { orderId, ...ordered } = await service.submit(orderOf(tag));
    const problem = { code: tag, message: expect.stringMatching(message) };
    expect(ordered).toMatchObject({ status: 'invited', outcome: null, problem });
    services.clock.advanceMs(1_000 * workingDayMs);
    expect(await service.read(orderId)).toMatchObject({ status: 'invited', outcome: null, problem });
  });

  test('resumes invite_bounced_then_accept when the problem is over', async () => {
    const service = services.service(name);
    const { orderId } = await service.submit(orderOf('invite_bounced_then_accept'));
    expect((await service.read(orderId)).problem?.code).toBe('invite_bounced');
    services.clock.advanceMs(workingDayMs);
    expect((await service.read(orderId)).problem).toBeNull();
    services.clock.advanceMs(3 * workingDayMs);
    expect((await service.read(orderId)).outcome?.verdict).toBe('accept');
  });

  test('never ends when the scenario is stuck', async () => {
    const service = services.service(name);
    const { orderId } = await service.submit(orderOf('stuck'));
    services.clock.advanceMs(100_000 * workingDayMs);
    expect(await service.read(orderId)).toMatchObject({ status: 'in_review', outcome: null, problem: null });
  });

  test('changes its verdict a working day after the first when the scenario is consider_then_accept', async () => {
    const service = services.service(name);
    const { orderId } = await service.submit(orderOf('consider_then_accept'));
    const seen: (Progress['outcome'] | undefined)[] = [];
    for (let day = 0; day <= 5; day++) {
      seen.push((await service.read(orderId)).outcome);
      services.clock.advanceMs(workingDayMs);
    }
    const verdicts = seen.flatMap((outcome) => (outcome ? [outcome.verdict] : []));
    expect(verdicts[0]).toBe('consider');
    expect(verdicts.slice(1).every((verdict) => verdict === 'accept')).toBe(true);
    expect((await service.fetchFindings(orderId)).verdict).toBe('accept');
  });

  test.each([
    ['provider_error', 'unavailable', /status 500/],
    ['provider_timeout', 'timeout', /within 0.4 seconds/],
    ['provider_garbage', 'response_invalid', /no JSON/],
    ['invalid_details', 'invalid_details', /date of birth/],
    ['error_document_unreadable', 'document_unreadable', /cannot be carried out/],
  ])('fails every call when the scenario is %s, as %s', async (tag, code, message) => {
    const service = services.service(name, undefined, tag === 'provider_timeout' ? 400 : undefined);
    const order = orderOf(tag);
    for (let time = 1; time <= 3; time++) {
      const fault = await faultOf(service.submit(order));
      expect(fault).toMatchObject({ code, message: expect.stringMatching(message), busyForSeconds: null });
    }
  });

  test('fails two calls and no more when the scenario is provider_garbage_then_accept', async () => {
    const service = services.service(name);
    const order = orderOf('provider_garbage_then_accept');
    expect((await faultOf(service.submit(order))).code).toBe('response_invalid');
    expect((await faultOf(service.submit(order))).code).toBe('response_invalid');
    const { orderId } = await service.submit(order);
    services.clock.advanceMs(3 * workingDayMs);
    expect((await service.read(orderId)).outcome?.verdict).toBe('accept');
  });

  test("prefers the order's own scenario when the tag says another", async () => {
    const service = services.service(name);
    const { orderId } = await service.submit(orderOf('ccj', { scenario: 'consider' }));
    services.clock.advanceMs(3 * workingDayMs);
    expect((await service.read(orderId)).outcome?.verdict).toBe('consider');
  });
});

test('reports its progress step by step with a note each when it is the detailed service', async () => {
  const service = services.service('provider_a');
  const { orderId } = await service.submit(orderOf());
  const seen: [number | null, string, number][] = [];
  for (let step = 0; step <= 6; step++) {
    const { data, status } = await service.read(orderId);
    seen.push([data!.progress, status, data!.notes!.length]);
    services.clock.advanceMs(workingDayMs / 6);
  }
  expect(seen).toEqual([
    [0, 'queued', 1],
    [10, 'invited', 2],
    [25, 'in_progress', 3],
    [50, 'in_progress', 4],
    [75, 'awaiting_referee', 5],
    [90, 'in_review', 6],
    [100, 'done', 7],
  ]);
});

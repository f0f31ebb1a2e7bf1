import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { providers } from '../../../src/core/vocabulary/providers.ts';
import {
  disclose,
  faultOf,
  nextStepAtMs,
  nothingForced,
  standingOf,
  stepsOf,
  type SimulatedOrder,
} from '../../../src/referencing/simulator/order.ts';
import { readScript, scriptFault, scriptFor } from '../../../src/core/vocabulary/simulation-script.ts';
import { rounds } from '../../support/rounds.ts';

/* The state of a simulated order follows from its row and the time, and moves only forward. */

const someFindings = fc.constantFrom(
  'accept',
  'consider',
  'high_risk',
  'low_income',
  'sanctions_review',
  'referee_silent',
);
const someObstacles = fc.constantFrom('invite_bounced', 'renter_declined', 'renter_expired', 'stuck');
const someFailures = fc.constantFrom('provider_error', 'provider_timeout', 'invalid_details', 'error_xyz');
const anyScript = fc
  .tuple(
    fc.array(someFailures, { maxLength: 2 }),
    fc.array(someObstacles, { maxLength: 3 }),
    fc.array(someFindings, { maxLength: 3 }),
  )
  .map((parts) => parts.flat().join('_then_'))
  .filter((script) => script !== '');

const placedAtMs = 1_700_000_000_000;
const dayMs = 30_000;
const anyDelayMs = fc.oneof(fc.nat(12 * dayMs), fc.constantFrom(0, dayMs, 3 * dayMs, 7 * dayMs, 1e12));

const anyUntoldOrder: fc.Arbitrary<SimulatedOrder> = fc.record({
  provider: fc.constantFrom(...providers),
  referenceId: fc.constant('ref_1'),
  orderId: fc.constant('1'),
  script: anyScript,
  contact: fc.constant(null),
  hasGuarantor: fc.boolean(),
  rent: fc.constant(null),
  workingDayMs: fc.constant(dayMs),
  placedAtMs: fc.constant(placedAtMs),
  canceledAtMs: fc.option(anyDelayMs.map((delayMs) => placedAtMs + delayMs)),
  calls: fc.constant(9),
  forced: fc.record({
    jumps: fc
      .array(fc.record({ atMs: anyDelayMs.map((delayMs) => placedAtMs + delayMs), byMs: fc.nat(5 * dayMs) }), {
        maxLength: 3,
      })
      .map((jumps) => jumps.toSorted((one, other) => one.atMs - other.atMs)),
    notes: fc.constant([]),
    outcome: fc.option(fc.constantFrom('accept' as const, 'consider' as const)),
    failure: fc.constant(null),
    lifted: fc.boolean(),
  }),
  disclosed: fc.constant([]),
});

/** The customer has read the order at some times. */
const anyOrder: fc.Arbitrary<SimulatedOrder> = fc
  .tuple(anyUntoldOrder, fc.array(anyDelayMs, { maxLength: 3 }))
  .map(([untold, delays]) =>
    delays
      .toSorted((one, other) => one - other)
      .map((delayMs) => placedAtMs + delayMs)
      .reduce((order, atMs) => {
        const jumps = order.forced.jumps.filter((jump) => jump.atMs <= atMs);
        return {
          ...order,
          disclosed: disclose({ ...order, forced: { ...order.forced, jumps } }, atMs) ?? order.disclosed,
        };
      }, untold),
  );

const phases = ['queued', 'invited', 'in_progress', 'awaiting_referee', 'in_review', 'done', 'canceled'];

describe('simulated orders', () => {
  test('moves phase, progress, steps and notes forward when time passes', () => {
    fc.assert(
      fc.property(anyOrder, anyDelayMs, anyDelayMs, (order, oneMs, otherMs) => {
        const [earlier, later] = [Math.min(oneMs, otherMs), Math.max(oneMs, otherMs)].map((delayMs) =>
          standingOf(order, placedAtMs + delayMs),
        );
        expect(phases.indexOf(later!.phase)).toBeGreaterThanOrEqual(phases.indexOf(earlier!.phase));
        expect(later!.percent).toBeGreaterThanOrEqual(earlier!.percent);
        expect(later!.steps).toBeGreaterThanOrEqual(earlier!.steps);
        expect(later!.notes.slice(0, earlier!.notes.length)).toEqual(earlier!.notes);
        if (earlier!.phase === 'done' || earlier!.phase === 'canceled') expect(later!.phase).toBe(earlier!.phase);
        if (earlier!.problem === null && earlier!.phase !== 'invited' && earlier!.steps > 0)
          expect(later!.problem).toBeNull();
      }),
      { numRuns: rounds(200, 3_000) },
    );
  });

  test('keeps the first finding until the customer has read it, however late, when a verdict changes', () => {
    fc.assert(
      fc.property(anyUntoldOrder, anyDelayMs, fc.nat(2 * dayMs), (order, delayMs, laterMs) => {
        const nowMs = placedAtMs + delayMs;
        const { finding } = standingOf(order, nowMs);
        fc.pre(finding !== null && order.canceledAtMs === null);
        const findings = order.forced.outcome ? [order.forced.outcome] : readScript(order.script).findings;
        expect(finding).toBe(findings[0] ?? 'accept');
        const told = { ...order, disclosed: disclose(order, nowMs)! };
        // Later forced jumps bring the change of the verdict nearer. This test is not about them.
        fc.pre(told.forced.jumps.every(({ atMs }) => atMs <= nowMs));
        const wanted = laterMs < dayMs ? finding : (findings[1] ?? finding);
        expect(standingOf(told, nowMs + laterMs).finding).toBe(wanted);
      }),
      { numRuns: rounds(200, 3_000) },
    );
  });

  test('shows findings and 100 percent exactly when an order is complete', () => {
    fc.assert(
      fc.property(anyOrder, anyDelayMs, (order, delayMs) => {
        const { phase, finding, percent } = standingOf(order, placedAtMs + delayMs);
        expect(finding !== null).toBe(phase === 'done');
        expect(percent === 100).toBe(phase === 'done');
      }),
      { numRuns: rounds(200, 2_000) },
    );
  });

  test('changes an order at the time of its next step, and not before', () => {
    fc.assert(
      fc.property(anyOrder, anyDelayMs, (order, delayMs) => {
        const nowMs = placedAtMs + delayMs;
        const nextMs = nextStepAtMs(order, nowMs);
        if (nextMs === null) return;
        expect(nextMs).toBeGreaterThan(nowMs);
        const { steps } = standingOf(order, nowMs);
        expect(standingOf(order, nextMs).steps).toBeGreaterThan(steps);
        if (Number.isInteger(nextMs)) expect(standingOf(order, nextMs - 1).steps).toBe(steps);
      }),
      { numRuns: rounds(200, 2_000) },
    );
  });

  test("keeps an order's last state for ever when it is canceled", () => {
    fc.assert(
      fc.property(anyOrder, anyDelayMs, (order, delayMs) => {
        const { canceledAtMs } = order;
        fc.pre(canceledAtMs !== null);
        const atCancel = standingOf(order, canceledAtMs);
        expect(['done', 'canceled']).toContain(atCancel.phase);
        expect(standingOf(order, canceledAtMs + delayMs)).toEqual(atCancel);
      }),
    );
  });

  test("keeps an order's earlier states when a helper changes it", () => {
    fc.assert(
      fc.property(anyOrder, anyDelayMs, anyDelayMs, fc.nat(5 * dayMs), (order, delayMs, agoMs, byMs) => {
        const lastMs = order.forced.jumps.at(-1)?.atMs ?? placedAtMs;
        const helpedAtMs = lastMs + delayMs;
        const helped = {
          ...order,
          forced: { ...order.forced, jumps: [...order.forced.jumps, { atMs: helpedAtMs, byMs }] },
        };
        const before = helpedAtMs - 1 - agoMs;
        expect(standingOf(helped, before)).toEqual(standingOf(order, before));
      }),
      { numRuns: rounds(200, 2_000) },
    );
  });

  test('shows no progress when no worker has begun the order', () => {
    fc.assert(
      fc.property(anyUntoldOrder, anyDelayMs, (order, delayMs) => {
        const waiting = { ...order, placedAtMs: null, canceledAtMs: null };
        expect(standingOf(waiting, placedAtMs + delayMs)).toMatchObject({ phase: 'queued', steps: 0, finding: null });
        expect(nextStepAtMs(waiting, placedAtMs)).toBeNull();
      }),
    );
  });

  test('ends an order in seven working days and one for each further finding when nothing obstructs it', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        const { obstacles, findings } = readScript(order.script);
        fc.pre(obstacles.length === 0 && findings.length > 0);
        const last = stepsOf(order).at(-1)!;
        expect(last.phase).toBe('done');
        expect(last.offsetMs).toBeLessThanOrEqual((6 + findings.length) * dayMs);
        expect(last.finding).toBe(order.forced.outcome ?? findings.at(-1));
      }),
    );
  });
});

describe('scenario scripts', () => {
  test.each([
    [null, null, 'accept'],
    [null, 'ann@x.example', 'accept'],
    [null, 'ann+ccj@x.example', 'ccj'],
    [null, 'ann+test+IVA@x.example', 'iva'],
    [null, 'ann+@x.example', 'accept'],
    [null, '"a+ccj@b"@x.example', 'accept'],
    [null, 'ann@ccj+iva.example', 'accept'],
    [null, 'ann+ann.archer@x.example', 'accept'],
    ['consider', 'ann+ccj@x.example', 'consider'],
    ['', 'ann+ccj@x.example', 'accept'],
    [null, 'ann+accept_then_invite_bounced@x.example', 'accept'],
    [null, 'ann+stuck_then_provider_error@x.example', 'accept'],
    [null, 'ann+error_Bad_Code@x.example', 'error_bad_code'],
    [null, 'ann+error_@x.example', 'accept'],
    [null, 'ann+__proto__@x.example', 'accept'],
    [
      'provider_error_then_invite_bounced_then_ccj_then_accept',
      null,
      'provider_error_then_invite_bounced_then_ccj_then_accept',
    ],
  ])('selects the script when the scenario is %s and the e-mail address %s: %s', (scenario, email, script) => {
    expect(scriptFor(scenario, email)).toBe(script);
  });

  test('accepts a script when it follows the grammar, in any case of letters', () => {
    fc.assert(
      fc.property(anyScript, fc.boolean(), (script, isUpper) => {
        fc.pre(script.length <= 120);
        expect(scriptFault(isUpper ? script.toUpperCase() : script)).toBeNull();
      }),
    );
  });

  test('refuses a script exactly when a service would treat it as `accept`', () => {
    const anyText = fc.oneof(
      fc.string(),
      fc.array(fc.oneof(anyScript, fc.string()), { maxLength: 4 }).map((parts) => parts.join('_then_')),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        expect(scriptFault(text) === null).toBe(scriptFor(text, null) === text.toLowerCase());
      }),
    );
  });

  test.each([
    [
      'acept',
      /^No simulated service knows `acept`\. Did you mean `accept`\? The words are provider_error, .* fraud_payslip\./,
    ],
    ['accept_then_provider_eror', /`provider_eror`\. Did you mean `provider_error`\?/],
    ['accept_then_stuck', /^Its words are in the wrong order, or too many\. The words are/],
    [' accept', /Did you mean `accept`\?/],
    ['a policy of our own', /^No simulated service knows `a policy of our own`\. The words are/],
  ])('names the fault when the script is %s', (text, message) => {
    expect(scriptFault(text)).toMatch(message);
  });

  test('stores a script only when it is valid, with any address', () => {
    fc.assert(
      fc.property(fc.string(), (tag) => {
        const kept = scriptFor(null, `ann+${tag}@x.example`);
        expect(kept === 'accept' || kept === tag.toLowerCase()).toBe(true);
        expect(scriptFor(kept, null)).toBe(kept);
      }),
    );
  });

  test('fails two calls for each failure, and the last for ever, when nothing follows it', () => {
    const order = fc.sample(anyOrder, { numRuns: 1, seed: 1 })[0]!;
    const failing = (script: string): (string | undefined)[] =>
      [1, 2, 3, 4, 5, 6].map(
        (calls) => faultOf({ ...order, provider: 'provider_a', script, calls, forced: nothingForced })?.kind,
      );
    const none = undefined;
    expect(failing('provider_error_then_accept')).toEqual(['error', 'error', none, none, none, none]);
    expect(failing('provider_error_then_invalid_details_then_stuck')).toEqual([
      'error',
      'error',
      'refusal',
      'refusal',
      none,
      none,
    ]);
    expect(failing('provider_error_then_provider_timeout')).toEqual([
      'error',
      'error',
      'silence',
      'silence',
      'silence',
      'silence',
    ]);
  });
});

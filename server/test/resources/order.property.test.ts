import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newRecord, renderRecord } from '../../src/model/change.ts';
import { ApiError } from '../../src/core/errors.ts';
import type { Change } from '../../src/model/resource.ts';
import { reference } from '../../src/resources/reference/index.ts';
import {
  failuresMax,
  onCallback,
  newOrder,
  nextStepOf,
  recordBusy,
  recordFailure,
  recordStopped,
  applyStatus,
  type ProviderStatus,
} from '../../src/resources/reference/order.ts';
import type { ReferenceRecord } from '../../src/resources/reference/record.ts';
import { cancel, endForErasure, update } from '../../src/resources/reference/transitions.ts';
import { callerAt } from '../support/caller.ts';

const runs = { numRuns: 2_000 };

/** One thing that happens to a reference, at least a second after the one before. */
type Happening =
  | { kind: 'word'; word: ProviderStatus; isLate: boolean }
  | { kind: 'failure' | 'busy' | 'callback' | 'cancel' | 'erase' }
  | { kind: 'overrule'; outcome: 'accept' | 'consider' | 'high_risk' };

const verdict = fc.constantFrom('accept' as const, 'consider' as const, 'high_risk' as const);
const word = fc
  .record({
    status: fc.constantFrom(
      'queued',
      'invited',
      'in_progress',
      'awaiting_referee',
      'in_review',
      'done',
      'failed',
      'canceled',
    ),
    verdict,
    progress: fc.integer({ min: 0, max: 100 }),
    problem: fc.option(fc.constantFrom('invite_bounced', 'renter_declined')),
  })
  .map(({ status, verdict: said, progress, problem }): ProviderStatus => ({
    orderId: 'order_1',
    status,
    outcome: status === 'done' ? { words: said.toUpperCase(), verdict: said } : null,
    data: {
      affordability: { percentage: null, status: null },
      credit_score: null,
      notes: null,
      progress,
      sanctions_passed: null,
    },
    problem: problem === null ? null : { code: problem, message: 'The renter must act.' },
  }));
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('word' as const), word, isLate: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Happening>({ kind: 'failure' }, { kind: 'busy' }, { kind: 'callback' }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Happening>({ kind: 'cancel' }, { kind: 'erase' }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('overrule' as const), outcome: verdict }) },
);
const story = fc.array(happening, { maxLength: 30 });

describe('references at a provider', () => {
  test('keeps a time for the next step of a reference while it is open and not given up', () => {
    fc.assert(
      fc.property(story, (happenings) => {
        for (const { after } of told(happenings)) {
          const isOpen = after.status === 'pending' || after.status === 'processing';
          if (!isOpen || after.deleted_at) continue;
          const isGivenUp = after.automatic_reference!.status === 'failed';
          expect(after.provider_order!.due_at_ms === null).toBe(isGivenUp);
        }
      }),
      runs,
    );
  });

  test('keeps a time for the stop at the provider, until that is done, when a client has ended the reference', () => {
    fc.assert(
      fc.property(story, (happenings) => {
        for (const { after } of told(happenings)) {
          if (nextStepOf(after) === 'stop') expect(after.provider_order!.due_at_ms).not.toBeNull();
        }
      }),
      runs,
    );
  });

  test("takes an outcome only from a verdict or a client, and never replaces the client's", () => {
    fc.assert(
      fc.property(story, (happenings) => {
        for (const { before, happening: what, after } of told(happenings)) {
          if (after.outcome === before.outcome) continue;
          if (what.kind === 'overrule') expect(after.outcome).toBe(what.outcome);
          else {
            expect(before.outcome).toBeNull();
            expect(what.kind === 'word' && what.word.outcome?.verdict).toBe(after.outcome);
          }
        }
      }),
      runs,
    );
  });

  test("moves a reference only forward, and changes it after its end only by its own provider's corrections", () => {
    const order = ['pending', 'processing', 'complete'];
    fc.assert(
      fc.property(story, (happenings) => {
        for (const { before, happening: what, after } of told(happenings)) {
          if (before.status === 'canceled' || before.deleted_at) {
            expect({ ...shown(after), deleted: null }).toStrictEqual({ ...shown(before), deleted: null });
          } else if (after.status !== 'canceled') {
            expect(order.indexOf(after.status)).toBeGreaterThanOrEqual(order.indexOf(before.status));
          }
          const isWord = ['word', 'failure', 'busy', 'callback'].includes(what.kind);
          if (!isWord || before.status !== 'complete') continue;
          const correctable = before.automatic_reference!.status === 'done' ? ['automatic_reference'] : [];
          expect(without(shown(after), correctable)).toStrictEqual(without(shown(before), correctable));
        }
      }),
      runs,
    );
  });

  test('states in last_error why its provider could not be reached, and gives up after exactly ten failures in a row', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 15 }), (count) => {
        const failures = Array.from({ length: count }, (): Happening => ({ kind: 'failure' }));
        const { after } = told(failures).at(-1)!;
        expect(after.status).toBe('pending');
        expect(after.automatic_reference).toMatchObject({
          last_error: expect.stringMatching(
            /^unavailable: The service cannot be reached\. The server (asks|has asked)/,
          ),
          status: count >= failuresMax ? 'failed' : 'queued',
        });
      }),
    );
  });

  test('shows mere progress at most every five seconds, and every step at once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 1, maxLength: 40 }), (pauses) => {
        let current = applyStatus(made(), inProgress(0), askedAt(1_000_000), null).after;
        let [nowMs, shownMs] = [1_000_000, 1_000_000];
        for (const [index, pause] of pauses.entries()) {
          nowMs += pause;
          const { after } = applyStatus(current, inProgress(index + 1), askedAt(nowMs), null);
          const isShown = after.automatic_reference !== current.automatic_reference;
          expect(isShown).toBe(nowMs - shownMs >= 5_000);
          // Progress that is not shown yet is read again when it can be.
          if (!isShown) expect(after.provider_order!.due_at_ms).toBeLessThanOrEqual(shownMs + 5_000);
          else shownMs = nowMs;
          current = after;
        }
        const { after } = applyStatus(current, { ...inProgress(99), status: 'in_review' }, askedAt(nowMs), null);
        expect(after.automatic_reference).toMatchObject({
          status: 'in_review',
          provider_data: { provider_a: { progress: 99 } },
        });
      }),
    );
  });

  test('retries within five seconds when a callback came during a request that has failed many times', () => {
    const seen = applyStatus(made(), inProgress(0), askedAt(1_000_000), null).after;
    const nowMs = 2_000_000;
    const called = onCallback(seen, nowMs).after;
    const dueAtMs = seen.provider_order!.due_at_ms;
    const failure = { nowMs, retryAtMs: nowMs + 7_200_000, look: 0, dueAtMs };
    const fault = { code: 'unavailable', message: 'The service cannot be reached.' };
    const retryOf = (now: ReferenceRecord) => recordFailure(now, fault, failure).after.provider_order!.due_at_ms;
    expect(retryOf(called)).toBe(nowMs + 5_000);
    expect(retryOf(seen)).toBe(nowMs + 7_200_000);
  });
});

interface Happened {
  before: ReferenceRecord;
  happening: Happening;
  after: ReferenceRecord;
}

/** Applies one happening after the other, as the server would. A refused one changes nothing. */
function told(happenings: Happening[]): Happened[] {
  let current = made();
  let nowMs = 1_000_000;
  return happenings.map((what) => {
    nowMs += 1_500;
    const before = current;
    // The server refuses clients' requests about an erased record before it decides them.
    if (before.deleted_at && isOfClient(what)) return { before, happening: what, after: before };
    try {
      current = happen(before, what, nowMs).after;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
    return { before, happening: what, after: current };
  });
}

function isOfClient({ kind }: Happening): boolean {
  return kind === 'cancel' || kind === 'overrule';
}

function happen(current: ReferenceRecord, what: Happening, nowMs: number): Change<ReferenceRecord> {
  const nowSeconds = Math.floor(nowMs / 1000);
  // The job chooses its step before it calls a provider.
  const step = nextStepOf(current);
  switch (what.kind) {
    case 'word':
      if (step === null) return { after: current };
      if (step === 'stop' && !what.isLate) return recordStopped(current);
      return applyStatus(current, what.word, askedAt(nowMs), null);
    case 'failure':
      if (step === null) return { after: current };
      return recordFailure(
        current,
        { code: 'unavailable', message: 'The service cannot be reached.' },
        { nowMs, retryAtMs: nowMs + 60_000, look: 0, dueAtMs: current.provider_order!.due_at_ms },
      );
    case 'busy':
      return step === null ? { after: current } : recordBusy(current, nowMs + 5_000);
    case 'callback':
      return onCallback(current, nowMs);
    case 'cancel':
      return cancel(current, { nowSeconds });
    case 'overrule':
      return update(current, { outcome: what.outcome }, callerAt(nowSeconds));
    case 'erase': {
      const { after } = endForErasure(current, nowSeconds);
      return { after: { ...after, deleted_at: nowSeconds } };
    }
  }
}

function askedAt(nowMs: number) {
  return { nowMs, look: 0, dueAtMs: null, begunAtMs: nowMs, nextReadAtMs: nowMs + 3_600_000, lateReadAtMs: null };
}

function made(): ReferenceRecord {
  return {
    ...newRecord('ref_0VbZq9aK00mT3cUuP8sXw4', 'acct_1'),
    application: 'app_1',
    automatic_reference: {
      enabled: true,
      last_error: null,
      outcome: null,
      provider: 'provider_a',
      status: 'queued',
      provider_data: null,
    },
    earlier_orders: null,
    provider_order: newOrder(1_000),
    completed_at: null,
    customer: null,
    outcome: null,
    decision: null,
    reference_pdf: null,
    earlier_reports: [],
    report_order: null,
    status: 'pending',
    type: 'customer',
    metadata: {},
    deleted_at: null,
  };
}

function shown(record: ReferenceRecord): Record<string, unknown> {
  return renderRecord(reference, record, { nowSeconds: 2_000, realSeconds: 2_000 });
}

function without(object: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

function inProgress(percent: number): ProviderStatus {
  return {
    orderId: 'order_1',
    status: 'in_progress',
    outcome: null,
    data: {
      affordability: { percentage: null, status: null },
      credit_score: null,
      notes: null,
      progress: percent,
      sanctions_passed: null,
    },
    problem: null,
  };
}

import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { defaultRules } from '../../src/core/vocabulary/law-rules.ts';
import {
  judge,
  mergeWarnings,
  nextDeadlineOn,
  RaisedChecks,
  type Judgement,
  type RaisedCheck,
} from '../../src/law/index.ts';

const judged = ['right_to_rent', 'statement_of_terms'];
const raised: RaisedCheck = { id: 'right_to_rent', message: 'Record it of cus_1, cus_2.', since: 100 };

describe('merged warnings', () => {
  test('are raised when they are new', () => {
    expect(mergeWarnings([], { warnings: [{ id: 'right_to_rent', message: 'Record it.' }], judged }, 200)).toEqual({
      checks: [{ id: 'right_to_rent', message: 'Record it.', since: 200 }],
      isRaised: true,
    });
  });

  test('keep their time, and take the new message, while the check fails', () => {
    expect(mergeWarnings([raised], { warnings: [{ id: 'right_to_rent', message: 'Of cus_2.' }], judged }, 200)).toEqual(
      {
        checks: [{ ...raised, message: 'Of cus_2.' }],
        isRaised: false,
      },
    );
  });

  test('end when the check passes', () => {
    expect(mergeWarnings([raised], { warnings: [], judged }, 200)).toEqual({ checks: [], isRaised: false });
  });

  test('stay, in one order, when they belong to another act', () => {
    const other = { id: 'tenant_notice', message: 'Two months.', since: 50 };
    const warnings = [{ id: 'statement_of_terms', message: 'Give it.' }];
    expect(mergeWarnings([other, raised], { warnings: [...warnings, raised], judged }, 200)).toEqual({
      checks: [raised, { ...warnings[0], since: 200 }, other],
      isRaised: true,
    });
  });

  test('are raised a second time when a deadline is missed', () => {
    const due = answeredBy('2027-02-22', [], 100);
    const stillDue = answeredBy('2027-03-01', due.checks, 200);
    const missed = answeredBy('2027-03-02', stillDue.checks, 300);
    const stillMissed = answeredBy('2027-03-03', missed.checks, 400);
    expect([due, stillDue, missed, stillMissed].map(({ isRaised, checks }) => [isRaised, checks[0]?.since])).toEqual([
      [true, 100],
      [false, 100],
      [true, 300],
      [false, 300],
    ]);
  });
});

/** Merges the warnings of a day about a pet request that is answered by 2027-03-01. */
function answeredBy(day: string, stored: readonly RaisedCheck[], nowSeconds: number) {
  const judgement: Judgement = judge(defaultRules, 'answer_pets', day, {
    jurisdiction: null,
    type: 'assured',
    openPetRequests: [{ number: 1, answerBy: '2027-03-01' }],
  });
  const merged = mergeWarnings(stored, judgement, nowSeconds);
  expect(Value.Check(RaisedChecks, merged.checks)).toBe(true);
  return merged;
}

test.each([
  ['2027-02-01', '2027-02-22'],
  ['2027-02-21', '2027-02-22'],
  ['2027-02-22', '2027-03-02'],
  ['2027-03-01', '2027-03-02'],
  ['2027-03-02', '2027-03-13'],
  ['2027-03-21', null],
])('looks at deadlines again after %s on %s', (today, next) => {
  expect(nextDeadlineOn(['2027-03-20', '2027-03-01'], today)).toBe(next);
});

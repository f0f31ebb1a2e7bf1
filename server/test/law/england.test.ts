import { describe, expect, test } from 'vitest';
import { addDays } from '../../src/core/calendar.ts';
import { defaultRules, type Rules } from '../../src/core/vocabulary/law-rules.ts';
import { ApiError } from '../../src/core/errors.ts';
import {
  judge,
  jurisdictions,
  refuseFailed,
  rulesets,
  tenancyTypes,
  type ActName,
  type Acts,
  type Jurisdiction,
  type Rent,
  type Scope,
  type TenancyType,
} from '../../src/law/index.ts';
import { noticeOfGrounds } from '../../src/law/grounds.ts';

const signedOn = '2027-01-10';
const scope: Scope = { jurisdiction: null, type: 'assured' };
const monthly: Rent = { amount: 95_000, currency: 'gbp', interval: 'month' };
const monthlyPeriods = { start: '2027-02-01', anchor_day: 1, interval: 'month', interval_count: 1 } as const;

/** Acts that fail exactly one check, by its id. */
const failing: { [Id in string]: { act: ActName; facts: Acts[ActName] } } = {
  rent_stated: { act: 'advertise', facts: { onMarket: true, rent: null } },
  rent_bid: { act: 'offer_rent', facts: { rent: { ...monthly, amount: 95_001 }, lowestAsked: monthly } },
  periodic_only: { act: 'draft', facts: drafted({ endDate: '2028-01-31' }) },
  rent_period: { act: 'draft', facts: drafted({ rent: { ...monthly, interval_count: 2 } }) },
  statement_of_terms: { act: 'signed', facts: { statementGivenOn: null, signedOn, unrecordedTenants: [] } },
  right_to_rent: { act: 'signed', facts: { statementGivenOn: signedOn, signedOn, unrecordedTenants: ['cus_1'] } },
  tenant_notice: {
    act: 'tenant_notice',
    facts: { servedOn: '2027-02-01', endsOn: '2027-03-31', agreedInWriting: false, rentPeriods: monthlyPeriods },
  },
  landlord_notice: {
    act: 'landlord_notice',
    facts: { servedOn: '2027-01-03', endsOn: '2027-05-02', grounds: ['1A'], startedOn: '2020-02-01', deposit: null },
  },
  pet_answer: { act: 'answer_pets', facts: { openPetRequests: [{ number: 1, answerBy: '2016-01-01' }] } },
  rent_before_signing: { act: 'pay', facts: { isSigned: false, signedOn: null, rentParam: 'tenancy' } },
  rent_in_advance: {
    act: 'invoice',
    facts: invoiced({
      type: 'rent',
      period: { start: '2028-03-01', end: '2028-03-31' },
      unpaidSince: null,
      paidOn: null,
    }),
  },
  rent_increase: {
    act: 'increase_rent',
    facts: raised({ basis: 'agreement' }),
  },
  permitted_payment: {
    act: 'invoice',
    facts: invoiced({ type: 'other', period: null, unpaidSince: null, paidOn: null }),
  },
  late_interest: {
    act: 'invoice',
    facts: invoiced({ type: 'late_interest', period: null, unpaidSince: null, paidOn: null }),
  },
  holding_cap: { act: 'take_holding_deposit', facts: holding({ amount: 21_924 }) },
  holding_single: { act: 'take_holding_deposit', facts: holding({ otherDeposit: 'dep_1' }) },
  holding_deadline: {
    act: 'hold_holding_deposit',
    facts: { repayBy: '2016-01-01', isHeld: true, retainedOn: null },
  },
  holding_retention: {
    act: 'retain_holding_deposit',
    facts: { repayBy: null, isHeld: false, retainedOn: null, signedOn: '2016-01-01' },
  },
  deposit_cap: { act: 'take_deposit', facts: { amount: 109_616, rent: monthly } },
  deposit_protection: { act: 'hold_deposit', facts: held({ protectedOn: null }) },
  deposit_information: { act: 'hold_deposit', facts: held({ informationGivenOn: null }) },
  possession_deposit: {
    act: 'landlord_notice',
    facts: {
      servedOn: '2027-01-03',
      endsOn: '2028-01-03',
      grounds: ['1A'],
      startedOn: '2020-02-01',
      deposit: { protectedOn: null, informationGivenOn: '2027-01-03' },
    },
  },
  deposit_return: { act: 'hold_deposit', facts: held({ returnBy: '2012-01-11' }) },
};

function holding(changes: Partial<Acts['take_holding_deposit']>): Acts['take_holding_deposit'] {
  return { amount: 21_923, rent: monthly, otherDeposit: null, param: 'application', ...changes };
}

/** A deposit whose duties were done on the last day for them. */
function held(changes: Partial<Acts['hold_deposit']>): Acts['hold_deposit'] {
  return {
    protectBy: '2012-01-30',
    protectedOn: '2012-01-30',
    informationGivenOn: '2012-01-30',
    settledOn: null,
    returnBy: null,
    ...changes,
  };
}

function raised(changes: Partial<Acts['increase_rent']>): Acts['increase_rent'] {
  return {
    isIncrease: true,
    basis: 'section_13',
    servedOn: '2027-12-20',
    effectiveOn: '2028-03-01',
    startedOn: '2027-02-01',
    firstIncreaseOn: null,
    lastIncreaseOn: null,
    ...changes,
  };
}

function invoiced(line: Acts['invoice']['lines'][number]): Acts['invoice'] {
  return {
    isSigned: true,
    rentParam: null,
    signedOn,
    startDate: signedOn,
    rentPeriods: { interval: 'month', interval_count: 1 },
    dueOn: '2028-02-01',
    lines: [line],
  };
}

function drafted(changes: Partial<Acts['draft']>): Acts['draft'] {
  return { rent: monthly, lowestAsked: null, endDate: null, isEndedByNotice: false, ...changes };
}

const standing: ReadonlySet<ActName> = new Set(['signed', 'answer_pets', 'hold_holding_deposit', 'hold_deposit']);

/** Returns the failures of an act by check id, as messages. */
function failuresOf<Act extends ActName>(
  act: Act,
  facts: Acts[Act],
  day = signedOn,
  at: Partial<Scope> = {},
  rules: Rules = defaultRules,
) {
  const { refusal, warnings } = judge(rules, act, day, { ...scope, ...at, ...facts });
  return [...(refusal ? [refusal.id] : []), ...warnings.map(({ id }) => id)];
}

describe.each(rulesets.england.map((check) => [check.id, check] as const))('%s', (id, check) => {
  const { act, facts } = failing[id]!;

  test('fails alone when its act breaks it', () => {
    expect(failuresOf(act, facts)).toEqual([id]);
  });

  test('is judged from its first day on, and not on the day before', () => {
    expect([failuresOf(act, facts, addDays(check.from, -1)), failuresOf(act, facts, check.from)]).toEqual([[], [id]]);
  });

  test('is judged for exactly its types of tenancy', () => {
    const judged = tenancyTypes.filter((type: TenancyType) => failuresOf(act, facts, signedOn, { type }).length > 0);
    expect(judged).toEqual(check.appliesTo);
  });

  test('is judged in England only', () => {
    const judged = jurisdictions.filter(
      (jurisdiction: Jurisdiction) => failuresOf(act, facts, signedOn, { jurisdiction }).length > 0,
    );
    expect(judged).toEqual(['england']);
  });

  test('is not judged when the account has turned it off or has no ruleset', () => {
    expect(failuresOf(act, facts, signedOn, {}, { ruleset: 'england', checks: { [id]: 'off' } })).toEqual([]);
    expect(failuresOf(act, facts, signedOn, { jurisdiction: 'england' }, { ruleset: 'none', checks: {} })).toEqual([]);
  });

  test('refuses or warns by its severity, and names its source', () => {
    const { refusal, warnings } = judge(defaultRules, act, signedOn, { ...scope, ...facts });
    const failed = check.severity === 'error' ? refusal : warnings[0];
    expect(failed?.id).toBe(id);
    // The source in the message may name more of the Act.
    expect(failed?.message).toContain(check.source.split(/[;,]/)[0]);
  });

  test('warns instead of refusing when the account says so', () => {
    const { refusal, warnings } = judge({ ruleset: 'england', checks: { [id]: 'warn' } }, act, signedOn, {
      ...scope,
      ...facts,
    });
    expect([refusal, warnings.map((warning) => warning.id)]).toEqual([null, [id]]);
  });

  test('refuses a new act, and only warns about a standing duty, when the account makes it an error', () => {
    const rules: Rules = { ruleset: 'england', checks: { [id]: 'error' } };
    const { refusal } = judge(rules, act, signedOn, { ...scope, ...facts });
    expect(refusal?.id ?? null).toBe(standing.has(act) ? null : id);
  });
});

describe('an increase of the rent', () => {
  test.each([
    ['a day short of two months after its notice', { servedOn: '2028-01-02' }, '2028-03-02'],
    ['two months after its notice', { servedOn: '2028-01-01' }, null],
    ['in a month without the day of its notice', { servedOn: '2027-12-31', effectiveOn: '2028-02-29' }, null],
    ['a day short of 52 weeks after the rent began', { startedOn: '2027-03-04' }, '2028-03-02'],
    ['52 weeks after the rent began', { startedOn: '2027-03-03' }, null],
    ['a day short of 52 weeks after the last one', increased('2027-03-04', '2027-03-04'), '2028-03-02'],
    ['52 weeks after the last one', increased('2027-03-03', '2027-03-03'), null],
    // The 53rd week would begin seven days before the anniversary, 8 March 2028.
    ['52 weeks after the last one, a week before the anniversary', increased('2024-03-08', '2027-03-03'), '2028-03-08'],
    ['six days before the anniversary', increased('2024-03-07', '2027-03-03'), null],
    [
      'before an anniversary in the next year',
      { ...increased('2024-01-03', '2026-12-30'), servedOn: '2027-10-01', effectiveOn: '2027-12-29' },
      null,
    ],
    ['by a tribunal', { basis: 'tribunal', servedOn: null }, null],
    ['that is none, by agreement', { isIncrease: false, basis: 'agreement', servedOn: null }, null],
    ['without a day of service', { servedOn: null }, 'served_on'],
  ] as const)('%s', (_, changes, limit) => {
    const { refusal } = judge(defaultRules, 'increase_rent', '2027-12-20', { ...scope, ...raised(changes) });
    expect(refusal?.limit ?? refusal?.param ?? null).toBe(limit);
  });
});

function rentOf(amount: number, interval: Rent['interval'], count = 1): Rent {
  return { amount, currency: 'gbp', interval, interval_count: count };
}

describe('the cap of a deposit', () => {
  test.each([
    ['monthly', rentOf(95_000, 'month'), 21_923, 109_615],
    ['weekly', rentOf(21_923, 'week'), 21_923, 109_615],
    ['every four weeks', rentOf(87_692, 'week', 4), 21_923, 109_615],
    ['yearly', rentOf(1_140_000, 'year'), 21_923, 109_615],
    ['a penny below 50,000 pounds a year', rentOf(4_999_999, 'year'), 96_153, 480_769],
    ['50,000 pounds a year', rentOf(5_000_000, 'year'), 96_153, 576_923],
    ['above it by the month', rentOf(416_667, 'month'), 96_153, 576_923],
    ['below it by the month', rentOf(416_666, 'month'), 96_153, 480_768],
    ['in another currency', { ...rentOf(5_000_000, 'year'), currency: 'eur' }, 96_153, 480_769],
  ] as const)('rounds down and tells the limit when the rent is %s', (_, rent, week, weeks) => {
    const holdingOf = (amount: number) =>
      judge(defaultRules, 'take_holding_deposit', signedOn, { ...scope, ...holding({ amount, rent }) }).refusal?.limit;
    const depositOf = (amount: number) =>
      judge(defaultRules, 'take_deposit', signedOn, { ...scope, amount, rent }).refusal?.limit;
    expect([holdingOf(week), holdingOf(week + 1)]).toEqual([undefined, week]);
    expect([depositOf(weeks), depositOf(weeks + 1)]).toEqual([undefined, weeks]);
  });

  test('fails when no rent is known', () => {
    const { refusal } = judge(defaultRules, 'take_holding_deposit', signedOn, { ...scope, ...holding({ rent: null }) });
    expect([refusal?.id, refusal?.param]).toEqual(['holding_cap', 'application']);
  });
});

describe('a duty about a deposit', () => {
  test.each([
    ['seven days before its deadline', '2027-02-01', 'Due soon'],
    ['eight days before its deadline', '2027-01-31', null],
    ['on its deadline', '2027-02-08', 'Due soon'],
    ['on the day after', '2027-02-09', 'Missed'],
  ] as const)('is told when it is open %s', (_, day, told) => {
    const open = { protectBy: '2027-02-08', protectedOn: null, informationGivenOn: null, returnBy: '2027-02-08' };
    const words = (act: 'hold_deposit' | 'hold_holding_deposit', facts: Acts[ActName]) =>
      judge(defaultRules, act, day, {
        ...scope,
        ...(facts as Acts['hold_deposit'] & Acts['hold_holding_deposit']),
      }).warnings.map(({ message }) => message.split('.')[0]);
    expect(words('hold_deposit', held(open))).toEqual(told === null ? [] : [told, told, told]);
    const holdingDuty = { repayBy: '2027-02-08', isHeld: true, retainedOn: null };
    expect(words('hold_holding_deposit', holdingDuty)).toEqual(told === null ? [] : [told]);
  });

  test.each([
    ['done on its last day', { protectBy: '2027-02-08', protectedOn: '2027-02-08' }, []],
    ['done a day late', { protectBy: '2027-02-08', protectedOn: '2027-02-09' }, ['deposit_protection']],
    ['settled on its last day', { protectBy: '2027-02-08', protectedOn: null, settledOn: '2027-02-08' }, []],
    [
      'settled a day late',
      { protectBy: '2027-02-08', protectedOn: null, settledOn: '2027-02-09' },
      ['deposit_protection'],
    ],
  ] as const)('is judged for good when it was %s', (_, changes, failed) => {
    expect(failuresOf('hold_deposit', held(changes), '2028-01-01')).toEqual(failed);
  });

  test('stays broken when a holding deposit was retained a day after its deadline', () => {
    const repayBy = '2027-02-08';
    for (const [retainedOn, failed] of [
      [repayBy, []],
      [addDays(repayBy, 1), ['holding_deadline']],
    ] as const)
      expect(
        failuresOf('retain_holding_deposit', { repayBy, isHeld: false, retainedOn, signedOn: null }, retainedOn),
      ).toEqual(failed);
  });
});

describe('possession_deposit', () => {
  const servedOn = '2027-01-10';
  const noticed = (changes: Partial<Acts['landlord_notice']>) =>
    failuresOf('landlord_notice', {
      servedOn,
      endsOn: '2028-01-10',
      grounds: ['8'],
      startedOn: '2027-01-01',
      deposit: { protectedOn: servedOn, informationGivenOn: servedOn },
      ...changes,
    });
  const late = addDays(servedOn, 1);

  test.each([
    ['both were done on the day of service', {}, false],
    ['the protection came a day later', { deposit: { protectedOn: late, informationGivenOn: servedOn } }, true],
    ['the information came a day later', { deposit: { protectedOn: servedOn, informationGivenOn: late } }, true],
    ['no deposit was received', { deposit: null }, false],
    [
      'the grounds are 7A and 14',
      { grounds: ['7A', '14'], deposit: { protectedOn: null, informationGivenOn: null } },
      false,
    ],
    ['one ground is another', { grounds: ['14', '8'], deposit: { protectedOn: null, informationGivenOn: null } }, true],
  ] as const)('warns or not when %s', (_, changes, fails) => {
    expect(noticed(changes)).toEqual(fails ? ['possession_deposit'] : []);
  });
});

/** The days of the first and the last increase. */
function increased(firstIncreaseOn: string, lastIncreaseOn: string) {
  return { firstIncreaseOn, lastIncreaseOn };
}

test('has a failing act for every check', () => {
  expect(Object.keys(failing)).toEqual(rulesets.england.map(({ id }) => id));
});

test('judges duties at signing as a new act, so that the account can make them errors', () => {
  const facts = { ...drafted({}), statementGivenOn: null, signedOn, unrecordedTenants: [] };
  const rules: Rules = { ruleset: 'england', checks: { statement_of_terms: 'error' } };
  expect(judge(rules, 'sign', signedOn, { ...scope, ...facts }).refusal?.param).toBe('statement_given_on');
});

describe('a refusal', () => {
  test('has the code, the check and the parameter when a check fails', () => {
    const { act, facts } = failing.landlord_notice!;
    const judgement = judge(defaultRules, act, signedOn, { ...scope, ...facts });
    const error = errorOf(() => refuseFailed(judgement));
    expect([error?.code, error?.status, error?.check, error?.param]).toEqual([
      'check_failed',
      400,
      'landlord_notice',
      'ends_on',
    ]);
    expect(error?.message).toContain('2027-05-03 or later');
  });

  test('is none when every check passes', () => {
    expect(errorOf(() => refuseFailed({ refusal: null }))).toBe(null);
  });
});

function errorOf(act: () => void): ApiError | null {
  try {
    act();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

describe('rent_stated', () => {
  test.each([
    [true, monthly],
    [false, null],
    [false, monthly],
  ])('passes when on_market is %s and the rent is %o', (onMarket, rent) => {
    expect(failuresOf('advertise', { onMarket, rent })).toEqual([]);
  });
});

describe('rent_bid', () => {
  test.each<[Rent, Rent, number]>([
    [monthly, monthly, 95_000],
    // 950.00 a month are 11,400.00 a year, and 219.23 a week.
    [{ ...monthly, interval: 'week' }, monthly, 21_923],
    [{ ...monthly, interval: 'year' }, monthly, 1_140_000],
    [monthly, { ...monthly, amount: 21_923, interval: 'week' }, 94_999],
    [{ ...monthly, interval: 'week', interval_count: 4 }, monthly, 87_692],
    [{ ...monthly, interval_count: 2 }, monthly, 190_000],
    [monthly, { ...monthly, interval: 'month', interval_count: 3, amount: 100 }, 33],
    [{ ...monthly, interval_count: 12 }, { ...monthly, interval: 'week', amount: 9_999_999_999 }, 519_999_999_948],
  ])('passes up to the limit, and fails a penny above it, for %o below %o', (rent, lowestAsked, limit) => {
    const offered = (amount: number) =>
      judge(defaultRules, 'offer_rent', signedOn, { ...scope, rent: { ...rent, amount }, lowestAsked });
    expect(offered(limit).refusal).toBe(null);
    expect(offered(limit + 1).refusal).toMatchObject({ param: 'rent[amount]', limit });
    expect(offered(limit + 1).refusal?.message).toContain(`at most ${limit} `);
  });

  test('passes when no rent was asked, or none is offered', () => {
    expect(failuresOf('offer_rent', { rent: monthly, lowestAsked: null })).toEqual([]);
    expect(failuresOf('offer_rent', { rent: null, lowestAsked: monthly })).toEqual([]);
  });

  test('fails when the currencies differ', () => {
    const facts = { ...scope, rent: { ...monthly, currency: 'eur', amount: 1 }, lowestAsked: monthly };
    expect(judge(defaultRules, 'offer_rent', signedOn, facts).refusal?.param).toBe('rent[currency]');
  });
});

describe('periodic_only', () => {
  test('passes when there is no end, or a notice set it', () => {
    expect(failuresOf('draft', drafted({ endDate: null }))).toEqual([]);
    expect(failuresOf('draft', drafted({ endDate: '2028-01-31', isEndedByNotice: true }))).toEqual([]);
  });
});

describe('rent_period', () => {
  test.each([
    ['week', 1, true],
    ['week', 4, true],
    ['week', 5, false],
    ['month', 1, true],
    ['month', 2, false],
    ['year', 1, false],
  ] as const)('judges every %s, %i of them: %s', (interval, interval_count, passes) => {
    const failures = failuresOf('draft', drafted({ rent: { ...monthly, interval, interval_count } }));
    expect(failures).toEqual(passes ? [] : ['rent_period']);
  });

  test('names the largest count that passes', () => {
    const facts = drafted({ rent: { ...monthly, interval: 'week', interval_count: 5 } });
    expect(judge(defaultRules, 'draft', signedOn, { ...scope, ...facts }).refusal).toMatchObject({
      param: 'rent[interval_count]',
      limit: 4,
    });
  });
});

describe('statement_of_terms', () => {
  test.each([
    ['2027-01-09', []],
    ['2027-01-10', []],
    ['2027-01-11', ['statement_of_terms']],
  ])('judges a statement given on %s', (statementGivenOn, failures) => {
    expect(failuresOf('signed', { statementGivenOn, signedOn, unrecordedTenants: [] })).toEqual(failures);
  });
});

describe('right_to_rent', () => {
  test('names the tenants whose check is not recorded', () => {
    const facts = { statementGivenOn: signedOn, signedOn, unrecordedTenants: ['cus_1', 'cus_2'] };
    const { warnings } = judge(defaultRules, 'signed', signedOn, { ...scope, ...facts });
    expect(warnings[0]?.message).toContain('cus_1, cus_2');
  });
});

describe('tenant_notice', () => {
  test.each([
    // Two months to the day, at the end of a period.
    ['2027-02-28', '2027-04-30', false, null],
    ['2027-03-01', '2027-04-30', false, '2027-05-01'],
    ['2027-03-01', '2027-05-01', false, null],
    ['2027-03-02', '2027-05-01', false, '2027-05-31'],
    ['2027-02-01', '2027-04-30', false, null],
    ['2027-02-01', '2027-04-29', false, '2027-04-30'],
    // The rent day, and the day after it.
    ['2027-02-01', '2027-05-01', false, null],
    ['2027-02-01', '2027-05-02', false, '2027-05-31'],
    ['2027-02-01', '2027-03-31', false, '2027-04-01'],
    // Less by agreement, and still at the end of a period or on the rent day.
    ['2027-02-01', '2027-02-28', true, null],
    ['2027-02-01', '2027-03-01', true, null],
    ['2027-02-01', '2027-03-02', true, '2027-03-31'],
    ['2027-02-01', '2027-02-27', true, '2027-02-28'],
    // The tenancy has not begun.
    ['2026-11-30', '2027-01-31', false, null],
  ])('judges a notice served on %s that ends on %s, agreed: %s', (servedOn, endsOn, agreedInWriting, limit) => {
    const facts = { servedOn, endsOn, agreedInWriting, rentPeriods: monthlyPeriods };
    const { warnings } = judge(defaultRules, 'tenant_notice', servedOn, { ...scope, ...facts });
    expect(warnings.map(({ id }) => id)).toEqual(limit === null ? [] : ['tenant_notice']);
    if (limit !== null) expect(warnings[0]?.message).toContain(limit);
  });

  test('counts weekly periods from the anchor', () => {
    const rentPeriods = { start: '2027-02-01', anchor_day: 1, interval: 'week', interval_count: 1 } as const;
    const facts = { servedOn: '2027-02-01', agreedInWriting: false, rentPeriods };
    expect(failuresOf('tenant_notice', { ...facts, endsOn: '2027-04-04' })).toEqual([]);
    expect(failuresOf('tenant_notice', { ...facts, endsOn: '2027-04-05' })).toEqual([]);
    expect(failuresOf('tenant_notice', { ...facts, endsOn: '2027-04-03' })).toEqual(['tenant_notice']);
    expect(failuresOf('tenant_notice', { ...facts, endsOn: '2027-04-06' })).toEqual(['tenant_notice']);
  });
});

describe('landlord_notice', () => {
  /** Served on 31 October 2027, which has no 31 February. */
  test.each([
    ['1', '2028-02-29'],
    ['1A', '2028-02-29'],
    ['1B', '2028-02-29'],
    ['2', '2028-02-29'],
    ['2ZA', '2028-02-29'],
    ['2ZB', '2028-02-29'],
    ['2ZC', '2028-02-29'],
    ['2ZD', '2028-02-29'],
    ['4A', '2028-02-29'],
    ['6', '2028-02-29'],
    ['6A', '2028-02-29'],
    ['6B', '2028-02-29'],
    ['5', '2027-12-31'],
    ['5A', '2027-12-31'],
    ['5B', '2027-12-31'],
    ['5C', '2027-12-31'],
    ['5D', '2027-12-31'],
    ['5H', '2027-12-31'],
    ['7', '2027-12-31'],
    ['9', '2027-12-31'],
    ['5E', '2027-11-28'],
    ['5F', '2027-11-28'],
    ['5G', '2027-11-28'],
    ['8', '2027-11-28'],
    ['10', '2027-11-28'],
    ['11', '2027-11-28'],
    ['18', '2027-11-28'],
    ['4', '2027-11-14'],
    ['7B', '2027-11-14'],
    ['12', '2027-11-14'],
    ['13', '2027-11-14'],
    ['14ZA', '2027-11-14'],
    ['14A', '2027-11-14'],
    ['15', '2027-11-14'],
    ['17', '2027-11-14'],
    ['7A', '2027-10-31'],
    ['14', '2027-10-31'],
  ])('passes on the first day and fails the day before when the ground is %s', (ground, earliest) => {
    const notice = (endsOn: string) =>
      judge(defaultRules, 'landlord_notice', '2027-10-31', {
        ...scope,
        servedOn: '2027-10-31',
        endsOn,
        grounds: [ground],
        startedOn: '2020-02-01',
        deposit: null,
      });
    expect(notice(earliest).refusal).toBe(null);
    expect(notice(addDays(earliest, -1)).refusal).toMatchObject({ param: 'ends_on', limit: earliest });
    expect(noticeOfGrounds.has(ground)).toBe(true);
  });

  test('knows no more grounds than those above', () => {
    expect(noticeOfGrounds.size).toBe(37);
  });

  test.each([
    [[], 'grounds', 'at least one ground'],
    [['8', '3'], 'grounds[1]', 'is not a ground'],
    [['14a'], 'grounds[0]', 'Did you mean `14A`?'],
    [['16'], 'grounds[0]', 'is not a ground'],
    [['constructor'], 'grounds[0]', 'is not a ground'],
  ])('fails when the grounds are %j', (grounds, param, message) => {
    const facts = {
      ...scope,
      servedOn: '2027-01-01',
      endsOn: '2028-01-01',
      grounds,
      startedOn: '2020-02-01',
      deposit: null,
    };
    const { refusal } = judge(defaultRules, 'landlord_notice', '2027-01-01', facts);
    expect([refusal?.param, refusal?.message]).toEqual([param, expect.stringContaining(message)]);
  });

  test('takes the longest period when there are several grounds', () => {
    const facts = { servedOn: '2027-01-03', grounds: ['14', '8', '1A', '10'], startedOn: '2020-02-01', deposit: null };
    expect(failuresOf('landlord_notice', { ...facts, endsOn: '2027-05-02' })).toEqual(['landlord_notice']);
    expect(failuresOf('landlord_notice', { ...facts, endsOn: '2027-05-03' })).toEqual([]);
  });

  test.each([
    ['1', '2027-02-01', '2028-01-31'],
    ['1A', '2027-02-01', '2028-01-31'],
    ['1A', '2027-03-01', '2028-02-29'],
    ['1', '2028-02-29', '2029-02-28'],
    // The four months of the notice end later than the first year.
    ['1A', '2026-05-01', '2027-06-15'],
    ['1B', '2027-02-01', '2027-06-15'],
    ['8', '2027-02-01', '2027-03-15'],
  ])('on ground %s ends a tenancy from %s on at %s or later', (ground, startedOn, earliest) => {
    const facts = { servedOn: '2027-02-15', grounds: ['14', ground], startedOn, deposit: null };
    const { refusal } = judge(defaultRules, 'landlord_notice', '2027-02-15', {
      ...scope,
      ...facts,
      endsOn: addDays(earliest, -1),
    });
    expect(refusal).toMatchObject({ limit: earliest, message: expect.stringContaining(`on ground ${ground} needs`) });
    expect(failuresOf('landlord_notice', { ...facts, endsOn: earliest })).toEqual([]);
  });
});

describe('pet_answer', () => {
  test.each([
    ['2027-02-21', null],
    ['2027-02-22', 'Due soon.'],
    ['2027-03-01', 'Due soon.'],
    ['2027-03-02', 'Missed.'],
  ])('on %s, for an answer by 2027-03-01, says %j', (day, begin) => {
    const { warnings } = judge(defaultRules, 'answer_pets', day, {
      ...scope,
      openPetRequests: [
        { number: 2, answerBy: '2027-03-09' },
        { number: 1, answerBy: '2027-03-01' },
      ],
    });
    expect(warnings.map(({ message }) => message)).toEqual(
      begin === null ? [] : [`${begin} Answer the pet request 1 by 2027-03-01 (Housing Act 1988 s16A).`],
    );
  });
});

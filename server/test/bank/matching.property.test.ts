import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprintsOf } from '../../src/bank/fingerprints.ts';
import { candidatesMax, matcherOf, type ExpectedTenancy, type Expectations } from '../../src/bank/matching.ts';
import { nameKey } from '../../src/bank/names.ts';
import { invoiceNumbersIn, tenancyIdsIn } from '../../src/bank/references.ts';
import { readStatement, type StatementLine } from '../../src/bank/statement-file.ts';
import { anyCodePoint } from '../support/any-code-point.ts';
import { statementOf } from '../support/bank.ts';
import { rounds } from '../support/rounds.ts';

const runs = { numRuns: rounds(200, 2_000) };

/** Few texts, so that lines are often alike. */
const anyLine: fc.Arbitrary<StatementLine> = fc.record({
  line: fc.integer({ min: 2, max: 50 }),
  received_on: fc.constantFrom('2027-01-01', '2027-01-02'),
  amount: fc.constantFrom(100, 200, 300),
  currency: fc.constantFrom('gbp', 'eur'),
  reference: fc.option(fc.constantFrom('INV-000001', 'inv 2', 'FLAT 2', 'RENT', 'INV-000001 INV-000002')),
  payer_name: fc.option(fc.constantFrom('Ada Lovelace', 'MR G BYRON', 'BYRON G', 'Trust')),
});

describe('fingerprints', () => {
  test('are as many as the lines, and all different, in any file', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 30 }), (lines) => {
        const fingerprints = fingerprintsOf(lines);
        expect(fingerprints).toHaveLength(lines.length);
        expect(new Set(fingerprints).size).toBe(lines.length);
      }),
      runs,
    );
  });

  test('are the same set when the lines of a file come in another order', () => {
    fc.assert(
      fc.property(
        fc.array(anyLine, { maxLength: 30 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1 })),
        (lines, keys) => {
          const shuffled = lines
            .map((line) => ({ line: { ...line, line: line.line + 1 }, key: keys.next().value as number }))
            .toSorted((one, other) => one.key - other.key)
            .map(({ line }) => line);
          expect(fingerprintsOf(shuffled).toSorted()).toEqual(fingerprintsOf(lines).toSorted());
        },
      ),
      runs,
    );
  });

  test('of a part of a file are among those of the whole', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 30 }), fc.nat(30), fc.nat(30), (lines, from, to) => {
        const whole = new Set(fingerprintsOf(lines));
        for (const fingerprint of fingerprintsOf(lines.slice(from, to))) expect(whole).toContain(fingerprint);
      }),
      runs,
    );
  });
});

const ids = ['ten_a', 'ten_b', 'ten_c'];
const anyTenancy = (id: string): fc.Arbitrary<ExpectedTenancy> =>
  fc.record({
    id: fc.constant(id),
    currency: fc.constantFrom('gbp', 'eur'),
    tenants: fc.array(
      fc.record({
        customer: fc.constantFrom('cus_1', 'cus_2'),
        name: fc.option(fc.constantFrom('Ada Lovelace', 'G. Byron')),
      }),
      { maxLength: 2 },
    ),
    due: fc.array(fc.constantFrom(100, 200, 300), { maxLength: 2 }),
  });
const anyEarlier = fc.array(
  fc.record({ tenancy: fc.constantFrom(...ids), customer: fc.option(fc.constant('cus_1')) }),
  {
    maxLength: 2,
  },
);
const anyExpectations: fc.Arbitrary<Expectations> = fc.record({
  invoicePrefix: fc.constant('INV'),
  tenancies: fc.tuple(...ids.map(anyTenancy)).chain((all) => fc.subarray(all)),
  invoices: fc.dictionary(fc.constantFrom('INV-000001', 'INV-000002'), fc.constantFrom(...ids)).map(mapOf),
  byReference: fc.dictionary(fc.constantFrom('FLAT 2', 'RENT'), anyEarlier).map(mapOf),
  byPayer: fc.dictionary(fc.constantFrom('lovelace ada', 'byron g', 'trust'), anyEarlier).map(mapOf),
});

function mapOf<Value>(members: Record<string, Value>): Map<string, Value> {
  return new Map(Object.entries(members));
}

describe('a proposal', () => {
  test('is one tenancy that a sign other than the amount tells, or a few candidates, whatever is known', () => {
    fc.assert(
      fc.property(anyExpectations, anyLine, (expected, line) => {
        const { match, candidates } = matcherOf(expected)(line);
        const known = new Map(expected.tenancies.map((tenancy) => [tenancy.id, tenancy]));
        for (const { tenancy, matched_by: matchedBy, customer } of [...(match ? [match] : []), ...candidates]) {
          expect(known.get(tenancy)?.currency).toBe(line.currency);
          expect(matchedBy.length).toBeGreaterThan(0);
          expect(matchedBy.includes('amount')).toBe(known.get(tenancy)!.due.includes(line.amount));
          if (customer !== null) expect(matchedBy).toContain('payer');
        }
        if (match) expect(match.matched_by.some((sign) => sign !== 'amount')).toBe(true);
        if (match) expect(candidates).toEqual([]);
        expect(candidates.length).toBeLessThanOrEqual(candidatesMax);
        expect(new Set(candidates.map(({ tenancy }) => tenancy)).size).toBe(candidates.length);
      }),
      runs,
    );
  });

  test('names the tenancy of the only invoice number, unless the payer tells only others', () => {
    fc.assert(
      fc.property(anyExpectations, anyLine, fc.constantFrom(...ids), (expected, line, id) => {
        const tenancies = [
          ...expected.tenancies.filter((tenancy) => tenancy.id !== id),
          { id, currency: line.currency, tenants: [], due: [] },
        ];
        const propose = matcherOf({ ...expected, tenancies, invoices: new Map([['INV-000007', id]]) });
        const { match, candidates } = propose({ ...line, reference: 'RENT INV-000007' });
        if (match) expect(match.tenancy).toBe(id);
        else
          expect(candidates.some(({ tenancy, matched_by: by }) => tenancy !== id && by.includes('payer'))).toBe(true);
      }),
      runs,
    );
  });

  test('does not depend on the order in which tenancies are read', () => {
    fc.assert(
      fc.property(anyExpectations, anyLine, (expected, line) => {
        const turned = { ...expected, tenancies: expected.tenancies.toReversed() };
        const [one, other] = [matcherOf(expected)(line), matcherOf(turned)(line)];
        expect(other.match?.tenancy).toBe(one.match?.tenancy);
        expect(other.candidates.map(({ tenancy }) => tenancy)).toEqual(one.candidates.map(({ tenancy }) => tenancy));
      }),
      runs,
    );
  });
});

test('looks at each tenancy once for a file when all have the same rent and the same tenant', () => {
  let looks = 0;
  const tenancies = Array.from({ length: 500 }, (_, index) => ({
    id: `ten_${String(index).padStart(3, '0')}`,
    get currency() {
      looks++;
      return 'gbp';
    },
    tenants: [{ customer: 'cus_1', name: 'Trust' }],
    due: [95_000],
  }));
  const none = new Map<string, never>();
  const propose = matcherOf({ invoicePrefix: 'INV', tenancies, invoices: none, byReference: none, byPayer: none });
  const line = { line: 2, received_on: '2027-01-01', amount: 95_000, currency: 'gbp', reference: 'RENT' };
  for (const payer of ['Trust', null])
    for (let count = 0; count < 100; count++) {
      const { match, candidates } = propose({ ...line, payer_name: payer });
      expect(match).toBeNull();
      expect(candidates.map(({ tenancy }) => tenancy)).toEqual(tenancies.slice(0, candidatesMax).map(({ id }) => id));
    }
  expect(looks).toBe(tenancies.length);
});

describe('the number of an invoice', () => {
  test('is found in any case, and with any space and punctuation, when words stand around it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9_999_999 }),
        fc.constantFrom('INV', 'R2', 'A'),
        fc.constantFrom('-', ' ', '', ' / ', ': ', '–'),
        fc.constantFrom('', 'rent ', 'Flat 2, '),
        fc.constantFrom('', ' thanks', '; 7'),
        fc.boolean(),
        (number, prefix, between, before, after, isLower) => {
          const written = `${before}${prefix}${between}${String(number).padStart(6, '0')}${after}`;
          const text = isLower ? written.toLowerCase() : written;
          // After a prefix that ends with a digit, digits without a space between belong to it.
          fc.pre(!(between === '' && prefix === 'R2'));
          expect(invoiceNumbersIn(text, prefix)).toContain(`${prefix}-${String(number).padStart(6, '0')}`);
        },
      ),
      runs,
    );
  });

  test('is not found when it is a part of a longer number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 0, max: 9 }), (number, more) => {
        const whole = `INV-${String(number).padStart(6, '0')}`;
        expect(invoiceNumbersIn(`${whole}${more}`, 'INV')).not.toContain(whole);
        expect(invoiceNumbersIn(whole.slice(0, -1), 'INV')).not.toContain(whole);
      }),
      runs,
    );
  });
});

test('finds the id of a tenancy in lower case when a bank writes capitals', () => {
  expect(tenancyIdsIn('RENT TEN_0VBZQ9AK00MT3CUUP8SXW4 FEB')).toEqual(['ten_0vbzq9ak00mt3cuup8sxw4']);
  expect(tenancyIdsIn('TEN_0VBZQ9AK00MT3CUUP8SXW4X')).toEqual([]);
  expect(tenancyIdsIn(null)).toEqual([]);
});

test('gives two spellings of a name one key, and other names another', () => {
  const same = [
    'George Byron',
    'BYRON GEORGE',
    'Mr. Byron, George',
    'Géorge Býron',
    ' george  byron ',
    'Lord George Byron',
  ];
  expect(new Set(same.map(nameKey))).toEqual(new Set(['byron george']));
  expect(nameKey("O'Neill")).toBe(nameKey('O’NEILL'));
  expect(nameKey('G Byron')).not.toBe(nameKey('George Byron'));
  expect([nameKey(null), nameKey('Mr'), nameKey('-')]).toEqual([null, null, null]);
  expect(nameKey('山田 太郎')).toBe(nameKey('太郎 山田'));
});

test('reads what a test writes, whatever the texts are', () => {
  const anyText = fc.string({ unit: anyCodePoint, maxLength: 40 });
  fc.assert(
    fc.property(
      fc.array(fc.record({ reference: anyText, payer: anyText }), { minLength: 1, maxLength: 10 }),
      (written) => {
        const bytes = Buffer.from(statementOf(written));
        try {
          const { lines, skipped } = readStatement(bytes, '2027-01-04');
          expect(skipped).toBe(0);
          expect(lines).toHaveLength(written.length);
          for (const [index, { reference }] of lines.entries())
            expect(reference ?? '').toBe(
              written[index]!.reference.replaceAll(/[\s\u2028\u2029]+/gu, ' ')
                .trim()
                .normalize('NFC'),
            );
        } catch (error) {
          expect(error).toMatchObject({ name: 'ApiError', code: 'parameter_invalid', param: 'file' });
          expect((error as Error).message).toMatch(/^Line \d+: `(reference|payer)`/);
        }
      },
    ),
    runs,
  );
});

test('answers any bytes with lines or with faults of the file', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, hasHeader) => {
      const file = hasHeader ? Buffer.concat([Buffer.from('date,amount,reference,payer\n'), bytes]) : bytes;
      try {
        readStatement(file, '2027-01-04');
      } catch (error) {
        expect(error).toMatchObject({ name: 'ApiError', code: 'parameter_invalid', param: 'file' });
      }
    }),
    runs,
  );
});

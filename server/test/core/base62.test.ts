import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { base62Digits, fromBase62, randomBase62, toBase62 } from '../../src/core/base62.ts';

/** 62^9 is the first power above 2^53. */
const width = 9;
const anyNumber = fc.maxSafeNat();

describe('numbers in base 62', () => {
  test('the digits are in ASCII order, and none is there twice', () => {
    expect(base62Digits).toHaveLength(62);
    expect(base62Digits.split('').sort().join('')).toBe(base62Digits);
    expect(new Set(base62Digits).size).toBe(62);
  });

  test('what was written is read again, with a fixed width', () => {
    fc.assert(
      fc.property(anyNumber, (value) => {
        const text = toBase62(value, width);
        expect(text).toMatch(/^[0-9A-Za-z]{9}$/);
        expect(fromBase62(text)).toBe(value);
      }),
    );
  });

  test('text sorts as the numbers do', () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (left, right) => {
        expect(toBase62(left, width) < toBase62(right, width)).toBe(left < right);
      }),
    );
  });

  test('every text of digits is the text of its number', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9A-Za-z]{8}$/), (text) => {
        expect(toBase62(fromBase62(text), 8)).toBe(text);
      }),
    );
  });

  test.each([
    [0, '00000'],
    [61, '0000z'],
    [62, '00010'],
    [62 ** 5 - 1, 'zzzzz'],
    [62 ** 5 + 7, '00007'],
  ])('%d is written %s with five digits', (value, text) => {
    expect(toBase62(value, 5)).toBe(text);
  });
});

describe('random digits', () => {
  test('are as many as were asked for, whatever bytes come', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.infiniteStream(fc.nat(255)), (length, bytes) => {
        const text = randomBase62(length, (count) =>
          Uint8Array.from({ length: count }, () => bytes.next().value as number),
        );
        expect(text).toMatch(/^[0-9A-Za-z]*$/);
        expect(text).toHaveLength(length);
      }),
    );
  });

  test('are equally likely: of all 256 bytes each digit has four, and the rest are thrown away', () => {
    let next = 0;
    const everyByte = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => next++ % 256);
    // Begins with those that are thrown away.
    next = 248;
    const text = randomBase62(248, everyByte);
    for (const digit of base62Digits) expect(text.split(digit).length - 1, digit).toBe(4);
  });
});

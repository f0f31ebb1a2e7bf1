import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { base62Digits, fromBase62, randomBase62, toBase62 } from '../../src/core/base62.ts';

/** 62^9 is the first power of 62 above 2^53. */
const width = 9;
const anyNumber = fc.maxSafeNat();

describe('numbers in base 62', () => {
  test('uses unique digits in ASCII order', () => {
    expect(base62Digits).toHaveLength(62);
    expect(base62Digits.split('').sort().join('')).toBe(base62Digits);
    expect(new Set(base62Digits).size).toBe(62);
  });

  test('reads a number back when it was written with a fixed width', () => {
    fc.assert(
      fc.property(anyNumber, (value) => {
        const text = toBase62(value, width);
        expect(text).toMatch(/^[0-9A-Za-z]{9}$/);
        expect(fromBase62(text)).toBe(value);
      }),
    );
  });

  test('sorts texts like their numbers', () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (left, right) => {
        expect(toBase62(left, width) < toBase62(right, width)).toBe(left < right);
      }),
    );
  });

  test('writes every text of digits again when its number was read', () => {
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
  ])('writes %d as %s with five digits', (value, text) => {
    expect(toBase62(value, 5)).toBe(text);
  });
});

describe('random base 62 digits', () => {
  test('generates as many digits as requested when the bytes are random', () => {
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

  test('generates each digit from four of the 256 bytes, and discards the remaining bytes', () => {
    let next = 0;
    const everyByte = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => next++ % 256);
    // Begins with bytes that are discarded.
    next = 248;
    const text = randomBase62(248, everyByte);
    for (const digit of base62Digits) expect(text.split(digit).length - 1, digit).toBe(4);
  });
});

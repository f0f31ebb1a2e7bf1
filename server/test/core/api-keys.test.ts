import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskSecrets } from '../../src/core/secrets/mask-secrets.ts';
import { hashKey, makeKey, maskKey, modeOfKey, type Mode } from '../../src/core/secrets/api-keys.ts';
import { anyCodePoint } from '../support/any-code-point.ts';

const anyMode = fc.constantFrom<Mode>('sandbox', 'live');
/** Keys from given bytes, so that a failure can be reproduced. */
const anyKey = fc
  .tuple(anyMode, fc.uint8Array({ minLength: 64, maxLength: 64, max: 247 }))
  .map(([mode, bytes]) => makeKey('secret', mode, (length) => bytes.subarray(0, length)));
const anyCell = fc.stringMatching(/^[a-z][a-z0-9]{1,11}$/);
const anyCharacter = fc.oneof(
  fc.stringMatching(/^[0-9A-Za-z_]$/),
  fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 1 }),
);

describe('API keys', () => {
  test('generates a key with its type and mode, 32 random and 6 further characters', () => {
    expect(makeKey('secret', 'sandbox', randomBytes)).toMatch(/^sk_test_[0-9A-Za-z]{38}$/);
    expect(makeKey('secret', 'live', randomBytes)).toMatch(/^sk_live_[0-9A-Za-z]{38}$/);
  });

  test("reads the mode from a key's text", () => {
    fc.assert(
      fc.property(anyMode, (mode) => {
        expect(modeOfKey(makeKey('secret', mode, randomBytes))).toBe(mode);
      }),
    );
  });

  test('has the name of its cell after the mode, and the same checksum, when it has a cell', () => {
    fc.assert(
      fc.property(anyMode, anyCell, (mode, cell) => {
        const key = makeKey('restricted', mode, randomBytes, cell);
        expect(key).toMatch(new RegExp(`^rk_(test|live)_${cell}_[0-9A-Za-z]{38}$`));
        expect(modeOfKey(key)).toBe(mode);
        const tag = `_${cell}_`;
        expect(modeOfKey(key.replace(tag, '_')), 'without its cell').toBeNull();
        expect(modeOfKey(key.replace(tag, `_${cell === 'eu1' ? 'eu2' : 'eu1'}_`)), 'of another cell').toBeNull();
        expect(maskKey(key)).toBe(`${key.slice(0, 8)}${cell}_****${key.slice(-4)}`);
        expect(maskSecrets(`Use ${key}.`)).toBe(`Use ${maskKey(key)}.`);
      }),
    );
  });

  test('generates a key that ends with the CRC-32 of the rest', () => {
    // Computed here in another way, because every scanner that knows the scheme must agree.
    const key = makeKey('secret', 'sandbox', (length) => new Uint8Array(length));
    expect(key.slice(0, -6)).toBe(`sk_test_${'0'.repeat(32)}`);
    expect(key.slice(-6)).toBe(inBase62(crc32(`sk_test_${'0'.repeat(32)}`)));
  });

  test('refuses a key when any one character differs', () => {
    fc.assert(
      fc.property(anyKey, fc.nat(45), anyCharacter, (key, at, character) => {
        fc.pre(key[at] !== character);
        expect(modeOfKey(key.slice(0, at) + character + key.slice(at + 1))).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  test('refuses a key when two neighboring characters are swapped', () => {
    fc.assert(
      fc.property(anyKey, fc.nat(44), (key, at) => {
        fc.pre(key[at] !== key[at + 1]);
        expect(modeOfKey(key.slice(0, at) + key[at + 1]! + key[at]! + key.slice(at + 2))).toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });

  test('refuses a key when a character is missing or added', () => {
    fc.assert(
      fc.property(anyKey, fc.nat(46), anyCharacter, (key, at, character) => {
        expect(modeOfKey(key.slice(0, at) + key.slice(at + 1)) === null || at === 46).toBe(true);
        expect(modeOfKey(key.slice(0, at) + character + key.slice(at))).toBeNull();
      }),
    );
  });

  test.each(['test', 'live'])('refuses a key when the mode in its text is changed to %s', (word) => {
    fc.assert(
      fc.property(anyKey, (key) => {
        fc.pre(!key.startsWith(`sk_${word}`));
        expect(modeOfKey(key.replace(/test|live/, word))).toBeNull();
      }),
    );
  });

  test('refuses any other text as a key', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: anyCodePoint }), fc.stringMatching(/^sk_(test|live)_[0-9A-Za-z]{38}$/)),
        (text) => {
          // One in 57 billion texts has the right checksum by chance.
          expect(modeOfKey(text)).toBeNull();
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('stored and displayed parts of a key', () => {
  test('hashes a key to the same value each time, and differently from others', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (left, right) => {
        expect(hashKey(left)).toBe(hashKey(left));
        expect(hashKey(left) === hashKey(right)).toBe(left === right);
        expect(hashKey(left)).not.toContain(left.slice(8));
      }),
    );
  });

  test('shows only type and last four characters when a key is displayed', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(maskKey(key)).toBe(`${key.slice(0, 8)}****${key.slice(-4)}`);
      }),
    );
  });

  test('shows at most four characters of a text that is not a key, and none of a short one', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^([a-z]{2}_(test|live)_)?[!-~]{0,60}$/), (text) => {
        const masked = maskKey(text);
        const [prefix = ''] = /^[a-z]{2}_(test|live)_/.exec(text) ?? [];
        const shown = masked.slice(`${prefix}****`.length);
        expect(masked.startsWith(`${prefix}****`)).toBe(true);
        expect(shown === '' || (shown === text.slice(-4) && text.length >= prefix.length + 12)).toBe(true);
      }),
    );
  });
});

/** CRC-32 as in ISO 3309, bit by bit. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function inBase62(value: number): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  return [5, 4, 3, 2, 1, 0].map((power) => digits[Math.floor(value / 62 ** power) % 62]).join('');
}

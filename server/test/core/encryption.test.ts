import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { masterKeyLength, Encryption } from '../../src/core/secrets/encryption.ts';
import { anyCodePoint } from '../support/any-code-point.ts';
import { naughtyStrings } from '../support/naughty-strings.ts';

const masterKey = randomBytes(masterKeyLength);
const encryption = new Encryption(masterKey, randomBytes);
/** Node's messages for a ciphertext that is empty, incomplete or does not fit. */
const unreadable = /unable to authenticate|Invalid authentication tag|Invalid initialization vector/;
const anyText = fc.oneof(fc.string({ unit: anyCodePoint }), fc.constantFrom('', ...naughtyStrings));

describe('encrypted values', () => {
  test('decrypts a value when the same or another process has the same key', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(encryption.decrypt(encryption.encrypt(text))).toBe(text);
        expect(new Encryption(masterKey, randomBytes).decrypt(encryption.encrypt(text))).toBe(text);
      }),
    );
  });

  test('refuses to decrypt a value when the key is another one', () => {
    fc.assert(
      fc.property(anyText, fc.nat(masterKeyLength * 8 - 1), (text, bit) => {
        const other = new Encryption(flipped(masterKey, bit), randomBytes);
        expect(() => other.decrypt(encryption.encrypt(text))).toThrow(unreadable);
      }),
    );
  });

  test('refuses to decrypt a value when one bit has changed', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), (text, at) => {
        const sealed = encryption.encrypt(text);
        expect(() => encryption.decrypt(flipped(sealed, at % (sealed.length * 8)))).toThrow(unreadable);
      }),
      { numRuns: 500 },
    );
  });

  test('refuses to decrypt a value when it was cut or extended', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), (text, length) => {
        const sealed = encryption.encrypt(text);
        expect(() => encryption.decrypt(sealed.subarray(0, length % sealed.length))).toThrow(unreadable);
        expect(() => encryption.decrypt(Buffer.concat([sealed, Buffer.from([0])]))).toThrow(unreadable);
      }),
      { numRuns: 500 },
    );
  });

  test('encrypts a text differently each time, and shows nothing of it', () => {
    const text = 'whsec_0123456789abcdef0123456789abcdef';
    const sealed = Array.from({ length: 100 }, () => encryption.encrypt(text));
    expect(new Set(sealed.map((value) => value.toString('hex'))).size).toBe(100);
    for (const value of sealed) expect(value.includes('whsec')).toBe(false);
  });
});

function flipped(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
}

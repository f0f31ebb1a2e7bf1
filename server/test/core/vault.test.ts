import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { masterKeyLength, Vault } from '../../src/core/encryption.ts';
import { naughtyStrings } from '../support/naughty-strings.ts';

const masterKey = randomBytes(masterKeyLength);
const vault = new Vault(masterKey, randomBytes);
/** Node's messages for a ciphertext that is empty, incomplete or does not fit. */
const unreadable = /unable to authenticate|Invalid authentication tag|Invalid initialization vector/;
const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', ...naughtyStrings));

describe('encrypted values', () => {
  test('decrypts a value when the same or another process has the same key', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(vault.open(vault.seal(text))).toBe(text);
        expect(new Vault(masterKey, randomBytes).open(vault.seal(text))).toBe(text);
      }),
    );
  });

  test('refuses to decrypt a value when the key is another one', () => {
    fc.assert(
      fc.property(anyText, fc.nat(masterKeyLength * 8 - 1), (text, bit) => {
        const other = new Vault(flipped(masterKey, bit), randomBytes);
        expect(() => other.open(vault.seal(text))).toThrow(unreadable);
      }),
    );
  });

  test('refuses to decrypt a value when one bit has changed', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), (text, at) => {
        const sealed = vault.seal(text);
        expect(() => vault.open(flipped(sealed, at % (sealed.length * 8)))).toThrow(unreadable);
      }),
      { numRuns: 500 },
    );
  });

  test('refuses to decrypt a value when it was cut or extended', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), (text, length) => {
        const sealed = vault.seal(text);
        expect(() => vault.open(sealed.subarray(0, length % sealed.length))).toThrow(unreadable);
        expect(() => vault.open(Buffer.concat([sealed, Buffer.from([0])]))).toThrow(unreadable);
      }),
      { numRuns: 500 },
    );
  });

  test('encrypts a text differently each time, and shows nothing of it', () => {
    const text = 'whsec_0123456789abcdef0123456789abcdef';
    const sealed = Array.from({ length: 100 }, () => vault.seal(text));
    expect(new Set(sealed.map((value) => value.toString('hex'))).size).toBe(100);
    for (const value of sealed) expect(value.includes('whsec')).toBe(false);
  });
});

function flipped(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
}

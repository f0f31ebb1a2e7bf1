import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signatureHeader } from '../../src/webhooks/sign.ts';
import { anyCodePoint } from '../support/any-code-point.ts';
import { isSignedWith } from '../support/receiver.ts';

const vector: {
  secret: string;
  timestamp: number;
  body: string;
  body_bytes: number;
  header: string;
  invalid: { reason: string; header: string; body: string }[];
} = JSON.parse(
  readFileSync(new URL('../../../examples/receivers/signature-vector.json', import.meta.url), { encoding: 'utf8' }),
);

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

describe('the published vector', () => {
  test("equals the server's signature when the vector is signed", () => {
    const body = bytes(vector.body);
    expect(body).toHaveLength(vector.body_bytes);
    expect(signatureHeader(vector.secret, vector.timestamp, body)).toBe(vector.header);
  });

  test("verifies with the tests' own verification when the vector is valid", () => {
    const delivery = { headers: { 'service-signature': vector.header }, raw: bytes(vector.body) };
    expect(isSignedWith(vector.secret, delivery)).toBe(true);
  });

  // The signatures of cases that are too old or in the future are valid. Only their time is wrong.
  const forged = vector.invalid.filter(({ reason }) => !/^(stale|signed six minutes ahead)/.test(reason));

  test.each(forged)('refuses an invalid case of the vector when it is verified: $reason', ({ header, body }) => {
    expect(isSignedWith(vector.secret, { headers: { 'service-signature': header }, raw: bytes(body) })).toBe(false);
  });
});

describe('signatures of any body', () => {
  const anySecret = fc.stringMatching(/^whsec_[0-9A-Za-z]{32}$/);
  const anyTime = fc.nat(4_000_000_000);
  const anyBody = fc.oneof(fc.string({ unit: anyCodePoint }).map(bytes), fc.uint8Array().map(Buffer.from));

  test('verifies with its secret, and has no space in the header, when a body is signed', () => {
    fc.assert(
      fc.property(anySecret, anyTime, anyBody, (secret, seconds, raw) => {
        const header = signatureHeader(secret, seconds, raw);
        expect(header).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
        expect(isSignedWith(secret, { headers: { 'service-signature': header }, raw })).toBe(true);
      }),
    );
  });

  test('does not verify when the secret, a byte or the time differs', () => {
    fc.assert(
      fc.property(anySecret, anySecret, anyTime, anyBody, (secret, other, seconds, raw) => {
        fc.pre(secret !== other);
        const header = signatureHeader(secret, seconds, raw);
        const later = header.replace(`t=${seconds},`, `t=${seconds + 1},`);
        expect(isSignedWith(other, { headers: { 'service-signature': header }, raw })).toBe(false);
        expect(isSignedWith(secret, { headers: { 'service-signature': later }, raw })).toBe(false);
        const longer = Buffer.concat([raw, Buffer.from('\n')]);
        expect(isSignedWith(secret, { headers: { 'service-signature': header }, raw: longer })).toBe(false);
      }),
    );
  });
});

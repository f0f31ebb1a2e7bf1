import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { signatureHeader } from '../../server/src/webhooks/sign.ts';
import { Tenure } from '../src/index.ts';
import { constructEvent, SignatureVerificationError, signTestHeader } from '../src/webhooks.ts';
import { testKey } from './scripted.ts';

interface SignatureVector {
  secret: string;
  timestamp: number;
  body: string;
  header: string;
  invalid: { reason: string; header: string; body: string }[];
}

const vector = JSON.parse(
  readFileSync(new URL('../../examples/receivers/signature-vector.json', import.meta.url), 'utf8'),
) as SignatureVector;
const { secret, timestamp, body, header } = vector;
const [, signature] = header.split(',');
const event = JSON.parse(body) as object;

/** Sets the clock to the time of the vector. */
function atItsTime(laterMs = 0): void {
  vi.useFakeTimers({ toFake: ['Date'], now: timestamp * 1000 + laterMs });
  onTestFinished(() => void vi.useRealTimers());
}

describe('the vector of the example receivers', () => {
  test('is accepted as text and as bytes', async () => {
    atItsTime();
    const bytes = new TextEncoder().encode(body);
    const padded = new Uint8Array(bytes.length + 7);
    padded.set(bytes, 3);
    for (const raw of [body, bytes, Buffer.from(body), bytes.buffer, padded.subarray(3, 3 + bytes.length)]) {
      expect(await constructEvent(raw, header, secret)).toEqual(event);
    }
    expect(await new Tenure(testKey).webhooks.constructEvent(body, header, secret)).toEqual(event);
  });

  test.each(vector.invalid)('is refused when it has: $reason', async (invalid) => {
    atItsTime();
    await expect(constructEvent(invalid.body, invalid.header, secret)).rejects.toBeInstanceOf(
      SignatureVerificationError,
    );
  });

  test('is refused for each changed byte of the body and of the header', async () => {
    atItsTime();
    const bytes = Buffer.from(body);
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      await expect(constructEvent(changed, header, secret)).rejects.toBeInstanceOf(SignatureVerificationError);
    }
    for (let at = 0; at < header.length; at++) {
      const changed = Buffer.from(header);
      changed[at]! ^= 1;
      await expect(constructEvent(body, changed.toString('latin1'), secret), String(changed)).rejects.toBeInstanceOf(
        SignatureVerificationError,
      );
    }
  });

  test('has the signature that the server and the test helper make', async () => {
    atItsTime(999);
    expect(signatureHeader(secret, timestamp, Buffer.from(body))).toBe(header);
    expect(await signTestHeader(body, secret, { timestamp })).toBe(header);
    expect(await signTestHeader(Buffer.from(body), secret)).toBe(header);
  });
});

test('accepts what the server signs, for bodies of all kinds', async () => {
  const nowSeconds = Math.floor(Date.now() / 1000);
  for (const text of ['{}', '{"a":"\u2028🏠Ł"}', ' {"a":\n1}\r\n', `{"a":"${'x'.repeat(300_000)}"}`]) {
    const signed = signatureHeader(secret, nowSeconds, Buffer.from(text));
    expect(await constructEvent(text, signed, secret)).toEqual(JSON.parse(text));
    expect(await signTestHeader(text, secret, { timestamp: nowSeconds })).toBe(signed);
  }
});

/** Verdicts of `stripe.webhooks.constructEvent`. Besides, that accepts times far ahead, two times in a header, and eleven signatures. */
const stripe = JSON.parse(readFileSync(new URL('stripe-vectors.json', import.meta.url), 'utf8')) as {
  secret: string;
  timestamp: number;
  body: string;
  cases: { name: string; body?: string; header: string; laterSeconds: number; accepted: boolean }[];
};

test.each(stripe.cases)('has the verdict of the `stripe` package when a webhook has: $name', async (one) => {
  vi.useFakeTimers({ toFake: ['Date'], now: (stripe.timestamp + one.laterSeconds) * 1000 });
  onTestFinished(() => void vi.useRealTimers());
  const verdict = await constructEvent(one.body ?? stripe.body, one.header, stripe.secret).then(
    () => true,
    (error: unknown) => !(error instanceof SignatureVerificationError),
  );
  expect(verdict).toBe(one.accepted);
});

test('accepts one right signature among several', async () => {
  atItsTime();
  const wrong = `v1=${'0'.repeat(64)}`;
  expect(await constructEvent(body, `t=${timestamp},${wrong},${signature},v0=abc`, secret)).toEqual(event);
  expect(await constructEvent(body, `${signature},${wrong},t=${timestamp}`, secret)).toEqual(event);
  const many = Array<string>(20).fill(wrong).join(',');
  for (const refused of [`t=${timestamp},${wrong}`, `t=${timestamp},${many},${signature}`, `t=1,${header}`]) {
    await expect(constructEvent(body, refused, secret)).rejects.toBeInstanceOf(SignatureVerificationError);
  }
});

test.each([
  [300_000, undefined, true],
  [-300_000, undefined, true],
  [301_000, undefined, false],
  [-301_000, undefined, false],
  [10_000, 10, true],
  [11_000, 10, false],
  [-11_000, 10, false],
  [1_000, 0, false],
  [86_400_000, Number.POSITIVE_INFINITY, true],
  [0, Number.NaN, false],
])('judges a clock that is %d ms later with a tolerance of %s s', async (laterMs, toleranceSeconds, isGood) => {
  atItsTime(laterMs);
  const judged = constructEvent(body, header, secret, { toleranceSeconds });
  if (isGood) expect(await judged).toEqual(event);
  else await expect(judged).rejects.toThrow(/was signed \d+ s (ago|ahead)/);
});

test.each([[event], [JSON.parse(body)], [undefined], [null], [7], [[body]]])(
  'tells about raw bodies when it gets something parsed',
  async (parsed) => {
    atItsTime();
    const judged = constructEvent(parsed as string, header, secret);
    await expect(judged).rejects.toBeInstanceOf(TypeError);
    await expect(judged).rejects.toThrow(/raw/);
  },
);

test.each([undefined, null, '', 'nonsense', 't=,v1=', 't=1e9,v1=ab', `t=${timestamp}`, [header]])(
  'refuses the header %j',
  async (wrong) => {
    atItsTime();
    const judged = constructEvent(body, wrong as string, secret);
    await expect(judged).rejects.toThrow(/`Service-Signature` is missing or malformed/);
  },
);

test('refuses an empty secret, and shows no secret in its errors', async () => {
  atItsTime();
  await expect(constructEvent(body, header, '')).rejects.toBeInstanceOf(TypeError);
  await expect(constructEvent(body, header, undefined as unknown as string)).rejects.toBeInstanceOf(TypeError);
  const wrong = `${secret} `;
  const error: unknown = await constructEvent(body, header, wrong).catch((caught: unknown) => caught);
  expect(String(error)).not.toContain(secret);
});

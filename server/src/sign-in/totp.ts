import { Secret, TOTP } from 'otpauth';
import { hash } from 'node:crypto';
import type { RandomBytes } from '../core/random.ts';

/** RFC 4226, section 4, recommends 160 bits. */
const secretBytes = 20;

/** Seconds of a step, and the steps before and after the current one that count: clocks differ (RFC 6238, 5.2). */
const period = 30;
const window = 1;

const codeForm = /^[0-9]{6}$/;

const recoveryCodes = 10;
/** 24 base32 characters are 120 bits, which cannot be guessed. */
const recoveryBytes = 15;

/** Makes a secret in base32, for an authenticator app. */
export function newTotpSecret(randomBytes: RandomBytes): string {
  return new Secret({ buffer: exactBuffer(randomBytes(secretBytes)) }).base32;
}

/** Returns the URL that an app reads from a QR code. */
export function totpUrl(secret: string, { issuer, label }: { issuer: string; label: string }): string {
  return totpOf(secret, issuer, label).toString();
}

/**
 * Returns the time step of a right code, or null. Each step counts once, so that an overheard code is worth nothing.
 *
 * @param lastStep the step of the last used code.
 */
export function stepOfCode(secret: string, code: string, nowMs: number, lastStep: number | null): number | null {
  // The library compares bytes, and throws if their number differs.
  if (!codeForm.test(code)) return null;
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window });
  if (delta === null) return null;
  const step = Math.floor(nowMs / 1000 / period) + delta;
  return lastStep !== null && step <= lastStep ? null : step;
}

/** Makes recovery codes: each signs in once instead of a code. Only their hashes are stored. */
export function newRecoveryCodes(randomBytes: RandomBytes): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: recoveryCodes }, () => {
    const { base32 } = new Secret({ buffer: exactBuffer(randomBytes(recoveryBytes)) });
    return base32.match(/.{4}/g)!.join('-');
  });
  return { codes, hashes: codes.map(hashOfRecoveryCode) };
}

/** Returns the stored form of a recovery code. Case, spaces and dashes do not matter. */
export function hashOfRecoveryCode(code: string): string {
  return hash('sha256', code.replaceAll(/[\s-]/g, '').toUpperCase(), 'base64url');
}

function totpOf(secret: string, issuer?: string, label?: string): TOTP {
  return new TOTP({
    ...(issuer !== undefined && { issuer }),
    ...(label !== undefined && { label }),
    algorithm: 'SHA1',
    digits: 6,
    period,
    secret: Secret.fromBase32(secret),
  });
}

function exactBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

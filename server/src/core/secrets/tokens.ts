import { hash } from 'node:crypto';
import { randomBase62 } from '../base62.ts';
import type { RandomBytes } from '../random.ts';

/** So many base62 digits are 190 bits, which cannot be guessed. */
const linkLength = 32;
const sessionBytes = 32;

/** The form of a link's token. No other text reaches a query. */
const linkForm = /^[0-9A-Za-z]{32}$/;
const sessionForm = /^[\w-]{43}$/;

/** Makes the token of a link that a person opens. */
export function makeLinkToken(randomBytes: RandomBytes): string {
  return randomBase62(linkLength, randomBytes);
}

/** Makes the token of a session's cookie: 256 random bits. */
export function makeSessionToken(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(sessionBytes)).toString('base64url');
}

export function isLinkToken(text: string): boolean {
  return linkForm.test(text);
}

export function isSessionToken(text: string): boolean {
  return sessionForm.test(text);
}

/** Returns the hash that is stored instead of a token. A plain hash is enough, because a token cannot be guessed. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

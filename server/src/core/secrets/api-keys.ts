import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from '../base62.ts';
import type { RandomBytes } from '../random.ts';

/** The environment of a deployment. It has only one, and the text of its keys names it. */
export type Mode = 'sandbox' | 'live';

/** The kind of a key. Its text begins with it (`sk_`, `rk_`, `ak_`). */
export type KeyType = 'secret' | 'restricted' | 'agent';

const keyTypePrefix: Record<KeyType, string> = { secret: 'sk', restricted: 'rk', agent: 'ak' };
const modeWord: Record<Mode, string> = { sandbox: 'test', live: 'live' };
const randomLength = 32;
const checksumLength = 6;
const keyForm = /^(sk|rk|ak)_(test|live)_(?:[a-z][a-z0-9]{1,11}_)?[0-9A-Za-z]{38}$/;

/** The form of a cell's name in a key. Only small letters, because a proxy compares it byte by byte. */
const cellForm = /^[a-z][a-z0-9]{1,11}$/;

/** Returns whether a text can be the name of a cell. */
export function isCellName(text: string): boolean {
  return cellForm.test(text);
}

/**
 * Makes a key: its kind and mode (`sk_test_`, `rk_live_`), 32 random characters (190 bits), and a checksum in base62. The checksum is the
 * CRC-32 of all before it. So a mistyped key is refused without a look-up, and a scanner recognizes real keys.
 *
 * @param cell the name of the deployment among several, such as `eu1`. It follows the mode, so that a proxy reads it from the beginning of
 * the key (`sk_live_eu1_`). No key without a cell begins in the same way.
 */
export function makeKey(type: KeyType, mode: Mode, randomBytes: RandomBytes, cell: string | null = null): string {
  const tag = cell === null ? '' : `${cell}_`;
  const start = `${keyTypePrefix[type]}_${modeWord[mode]}_${tag}${randomBase62(randomLength, randomBytes)}`;
  return start + checksum(start);
}

/** Returns the mode of a well-formed key. Returns null if the form or the checksum is wrong. */
export function modeOfKey(key: string): Mode | null {
  const form = keyForm.exec(key);
  if (!form) return null;
  const start = key.slice(0, -checksumLength);
  if (checksum(start) !== key.slice(-checksumLength)) return null;
  return form[2] === modeWord.live ? 'live' : 'sandbox';
}

/** Returns the hash that is stored instead of the key. A plain hash is enough, because 190 random bits cannot be guessed. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'base64url');
}

/** Masks a key for display: its kind, its cell and its last four characters remain. A text in another form shows no cell. */
export function maskKey(key: string): string {
  const start = keyForm.test(key) ? /^.*_/ : /^[a-z]{2}_(test|live)_/;
  const prefix = start.exec(key)?.[0] ?? '';
  if (key.length < prefix.length + 12) return `${prefix}****`;
  return `${prefix}****${key.slice(-4)}`;
}

function checksum(text: string): string {
  return toBase62(crc32(text), checksumLength);
}

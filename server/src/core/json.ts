import { setMember, type Json, type JsonObject } from './json-diff.ts';

/**
 * `JSON.parse` that reads every key as it is spelt. V8 takes a key with an escape for another one with a backslash that it has met
 * at the same place of a similar object (nodejs/node#63785): one client's metadata key would become another's.
 *
 * @throws {SyntaxError} as `JSON.parse`.
 */
export function parseJson(text: string): Json {
  if (!text.includes('\\')) return JSON.parse(text) as Json;
  const keys = escapedKeys(text);
  if (keys.length === 0) return JSON.parse(text) as Json;
  let renamed = '';
  let copiedTo = 0;
  keys.forEach(({ start, end }, index) => {
    renamed += `${text.slice(copiedTo, start)}"${placeholder}${index}"`;
    copiedTo = end;
  });
  return restoreKeys(JSON.parse(renamed + text.slice(copiedTo)) as Json, keys);
}

/** Stands for an escaped key. No key begins with the second half of a pair: neither UTF-8 nor what we store can have it alone. */
const placeholder = '\udc00';

/** A key that is spelt with an escape: where its quotes are, and what it says. */
interface EscapedKey {
  start: number;
  end: number;
  key: string;
}

function escapedKeys(text: string): EscapedKey[] {
  const keys: EscapedKey[] = [];
  for (let start = text.indexOf('"'); start !== -1;) {
    const end = endOfString(text, start) + 1;
    const spelling = text.slice(start, end);
    if (isFollowedByColon(text, end) && spelling.includes('\\')) {
      keys.push({ start, end, key: JSON.parse(spelling) as string });
    }
    start = text.indexOf('"', end);
  }
  return keys;
}

function restoreKeys(value: Json, keys: EscapedKey[]): Json {
  if (Array.isArray(value)) return value.map((item) => restoreKeys(item, keys));
  if (typeof value !== 'object' || value === null) return value;
  const restored: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const key = name.startsWith(placeholder) ? keys[Number(name.slice(1))]!.key : name;
    setMember(restored, key, restoreKeys(member, keys));
  }
  return restored;
}

/** Where the number that has a digit at `start` ends. */
export function endOfNumber(text: string, start: number): number {
  let at = start;
  while (numberCharacters.has(text.charCodeAt(at))) at++;
  return at;
}

const numberCharacters = new Set(Array.from('0123456789.+-eE', (character) => character.charCodeAt(0)));

/** A double tells all decimals of so many digits apart (IEEE 754, binary64). */
const exactDigits = 15;

/**
 * Whether `JSON.parse` makes a whole number of a text that is none: `100.0000000000000000001` has more digits than a double, and
 * `1e-400` is too small for one. False for what is no number of JSON.
 *
 * @param literal without its sign.
 */
export function losesFraction(literal: string): boolean {
  const isExact = literal.length <= exactDigits && !/[eE]/.test(literal);
  if (isExact || !Number.isInteger(Number(literal))) return false;
  const parts = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal);
  if (!parts) return false;
  const [, whole = '', fraction = '', exponent = '0'] = parts;
  const digits = whole + fraction;
  let last = digits.length - 1;
  while (digits[last] === '0') last--;
  // The last digit that is not 0 stands behind the point. There is none in a zero.
  return last >= 0 && whole.length + Number(exponent) <= last;
}

const backslash = 0x5c;

/** Where the string that begins at `start` has its closing quote; the text's length if it has none. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether an odd number of backslashes stands before a character of a string. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before--;
  return (at - before) % 2 === 0;
}

/** Whether what ends before `start` is a key. */
export function isFollowedByColon(text: string, start: number): boolean {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text[at] === ':';
}

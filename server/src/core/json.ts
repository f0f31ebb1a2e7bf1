import { setMember, type Json, type JsonObject } from './json-diff.ts';

/**
 * Parses JSON like `JSON.parse`, but reads every escaped key correctly. V8 can confuse such keys of similar objects (nodejs/node#63785).
 * Then one client's metadata key would become another's.
 *
 * @throws {SyntaxError} as `JSON.parse`.
 */
export function parseJson(text: string): Json {
  const keys = text.includes('\\') ? escapedKeys(text) : noKeys;
  if (keys.length === 0) return JSON.parse(text) as Json;
  let renamed = '';
  let copiedTo = 0;
  keys.forEach(({ start, end }, index) => {
    renamed += `${text.slice(copiedTo, start)}"${placeholder}${index}"`;
    copiedTo = end;
  });
  return restoreKeys(JSON.parse(renamed + text.slice(copiedTo)) as Json, keys);
}

/** Characters that begin or end a value. */
export const quote = 0x22;
export const comma = 0x2c;
export const openingBracket = 0x5b;
export const closingBracket = 0x5d;
export const openingBrace = 0x7b;
export const closingBrace = 0x7d;

/**
 * Returns whether a JSON text has more values or more levels than it may have. Reads the text without parsing it, and stops at the first
 * value or level that is too many. Does not check that the text is valid.
 */
export function exceedsBounds(text: string, { valuesMax, depthMax }: { valuesMax: number; depthMax: number }): boolean {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case openingBracket:
      case openingBrace:
        if (++depth > depthMax || ++values > valuesMax) return true;
        break;
      case closingBracket:
      case closingBrace:
        depth--;
        break;
      case comma:
        if (++values > valuesMax) return true;
    }
  }
  return false;
}

const noKeys: EscapedKey[] = [];

/** Replaces an escaped key. No key begins with a low surrogate: neither UTF-8 nor our stored texts can have it alone. */
const placeholder = '\udc00';

/** A key that contains an escape: the positions of its quotes, and its decoded text. */
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
      keys.push({ start, end, key: String(JSON.parse(spelling)) });
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

/** Returns the end of the number that has a digit at `start`. */
export function endOfNumber(text: string, start: number): number {
  let at = start;
  while (numberCharacters.has(text.charCodeAt(at))) at++;
  return at;
}

const numberCharacters = new Set(Array.from('0123456789.+-eE', (character) => character.charCodeAt(0)));

/** A double distinguishes all decimals of up to so many digits (IEEE 754, binary64). */
const exactDigits = 15;

/**
 * Returns whether `JSON.parse` would read a fraction as a whole number. Two examples: `100.0000000000000000001` has more digits than a
 * double, and `1e-400` is too small for one. Returns false for a text that is not a JSON number.
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
  // The last digit that is not 0 is behind the point. A zero has no such digit.
  return last >= 0 && whole.length + Number(exponent) <= last;
}

const backslash = 0x5c;

/** Returns where the string that begins at `start` has its closing quote. Without one, returns the text's length. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Returns whether an odd number of backslashes precedes a character of a string. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before--;
  return (at - before) % 2 === 0;
}

/** Returns whether a colon follows at `start`, so that the string before it is a key. */
export function isFollowedByColon(text: string, start: number): boolean {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text[at] === ':';
}

import type { Json, JsonObject } from '../../core/json-diff.ts';
import { ApiError, errorMessage } from '../../core/errors.ts';
import {
  closingBrace,
  closingBracket,
  comma,
  endOfNumber,
  endOfString,
  isFollowedByColon,
  losesFraction,
  openingBrace,
  openingBracket,
  parseJson,
  quote,
} from '../../core/json.ts';

/** Deeper than any valid body. A deeper one is an attack on its next reader. */
const depthMax = 32;

/**
 * The most members and items that all objects and arrays of a body may have together. No request takes as many. Each costs memory and time, also
 * when the body is refused.
 */
const valuesMax = 1_000;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON object, and refuses texts that programs read differently. These have invalid UTF-8, duplicate keys (RFC 8259, section 4),
 * unpaired surrogates, or NUL, which PostgreSQL does not store. A fraction never becomes a whole number by rounding. It becomes a number
 * that no schema accepts. It refuses more members and items than any request takes before it creates one.
 *
 * @throws {ApiError} `body_invalid`.
 */
export function parseJsonObject(bytes: Uint8Array): { text: string; value: JsonObject } {
  const text = decode(bytes);
  const inexact = scan(text);
  let value: Json;
  try {
    value = parseJson(withoutInexact(text, inexact));
  } catch (error) {
    throw invalidBody(`The body is not valid JSON: ${errorMessage(error)}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidBody('The body must be a JSON object.');
  return { text, value };
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidBody('The body is not valid UTF-8.');
  }
}

const zero = 0x30;
const nine = 0x39;

/** The beginning and end of a number in a text. */
type Span = readonly [start: number, end: number];

/** Parsed as infinity, which every schema of a number refuses. */
const noNumber = '1e999';

function withoutInexact(text: string, inexact: readonly Span[]): string {
  if (inexact.length === 0) return text;
  let replaced = '';
  let copiedTo = 0;
  for (const [start, end] of inexact) {
    replaced += text.slice(copiedTo, start) + noNumber;
    copiedTo = end;
  }
  return replaced + text.slice(copiedTo);
}

/**
 * Checks what `JSON.parse` hides or does not limit: duplicate keys, depth, inexact numbers. Invalid JSON may pass, because the parser
 * finds it.
 *
 * @returns the fractions that would be read as whole numbers.
 */
function scan(text: string): readonly Span[] {
  const inexact: Span[] = [];
  /** The keys of each open object. Null for an array. */
  const open: Keys[] = [];
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case openingBrace:
      case openingBracket:
        open.push(text.charCodeAt(at) === openingBrace ? noKeys : null);
        if (open.length > depthMax) throw invalidBody(`The body is nested more than ${depthMax} levels deep.`);
        break;
      case closingBrace:
      case closingBracket:
        open.pop();
        break;
      case comma:
        if (open.at(-1) === null && ++values > valuesMax) throw tooManyValues();
        break;
      case quote: {
        const end = endOfString(text, at);
        if (checkString(text, at, end, open) && ++values > valuesMax) throw tooManyValues();
        at = end;
        break;
      }
      default: {
        const code = text.charCodeAt(at);
        if (code < zero || code > nine) break;
        const end = endOfNumber(text, at);
        if (losesFraction(text.slice(at, end))) inexact.push([at, end]);
        at = end - 1;
      }
    }
  }
  return inexact;
}

/** The keys of an object; null for an array. */
type Keys = Set<string> | null;

/** Stands for the keys of an object until it has one. A body can have tens of thousands of empty objects. */
const noKeys: Keys = new Set();

/** @returns whether the string is a key. */
function checkString(text: string, start: number, end: number, open: Keys[]): boolean {
  let value = text.slice(start + 1, end);
  if (value.includes('\\')) {
    try {
      value = String(JSON.parse(text.slice(start, end + 1)));
    } catch {
      return false;
    }
    if (value.includes('\0'))
      throw invalidBody('The body contains a NUL character (`\\u0000`), which cannot be stored. Remove it.');
    if (!value.isWellFormed()) throw invalidBody('The body contains an unpaired surrogate (`\\ud800` to `\\udfff`).');
  }
  const keys = open.at(-1);
  if (!keys || !isFollowedByColon(text, end + 1)) return false;
  if (keys.has(value)) throw invalidBody(`The body has the key \`${value.slice(0, 40)}\` twice in one object.`);
  if (keys === noKeys) open[open.length - 1] = new Set([value]);
  else keys.add(value);
  return true;
}

function tooManyValues(): ApiError {
  const most = valuesMax.toLocaleString('en-GB');
  return invalidBody(
    `The body has more than ${most} members and items in all its objects and arrays, and no request takes as many. Send only the parameters that this request takes.`,
  );
}

function invalidBody(message: string): ApiError {
  return new ApiError('body_invalid', message);
}

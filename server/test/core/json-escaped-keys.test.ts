import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sameJson, setMember, type Json, type JsonObject } from '../../src/core/json-diff.ts';
import { parseJson } from '../../src/core/json.ts';
import { parseJsonObject } from '../../src/http/body/json.ts';

/**
 * Some versions of V8 confuse keys (nodejs/node#63785). There, `JSON.parse` reads a key with an escape as an earlier key with a backslash.
 * The earlier key was at the same place of a similar object. One client's key would become another's.
 * These tests spoil JSON.parse for their whole process, so they have a file of their own.
 */
describe('keys with an escape', () => {
  test.each([
    ['\\', '\\n', '\n'],
    ['\\', '\\u00e9', 'é'],
    ['\\', '\\"', '"'],
    ['floor\\', 'floor\\t', 'floor\t'],
    ['\\u', '\\u0041\\u0042', 'AB'],
  ])('reads the right key when %j was read before %s', (before, spelling, key) => {
    expect(read(`{"order":"1",${JSON.stringify(before)}:"2"}`)).toEqual(['order', before]);
    expect(read(`{"order":"1","${spelling}":"2"}`)).toEqual(['order', key]);
  });
});

function read(text: string): string[] {
  return Object.keys(parseJsonObject(new TextEncoder().encode(text)).value);
}

describe('JSON that was written before', () => {
  /** Few keys, so that the same places of similar objects repeat. */
  const anyKey = fc.constantFrom(
    'a',
    'b',
    '1',
    '',
    '\\',
    '\n',
    '"',
    '\\n',
    '\\"',
    'a\\',
    'a\n',
    '\\u',
    '\u0001\u0002',
    '__proto__',
  );
  const anyObject = fc.letrec<{ json: Json; object: JsonObject }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      anyKey,
      fc.constantFrom<Json>(null, true, 1.5),
      fc.array(tie('json'), { maxLength: 2 }),
      tie('object'),
    ),
    object: fc.uniqueArray(fc.tuple(anyKey, tie('json')), { selector: ([key]) => key, maxLength: 4 }).map(objectOf),
  })).object;

  test('reads JSON back unchanged when other JSON was read before', () => {
    fc.assert(
      fc.property(anyObject, (object) => {
        const text = JSON.stringify(object);
        const again = parseJson(text);
        expect(sameJson(again, object), text).toBe(true);
        expect(JSON.stringify(again)).toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });

  test.each(['', '{', '{"a":}', '{"\\n"}', '{"\\n":1,}', '{"\\x":1}', '"\\', '{"a\\'])(
    'refuses a text when it is not JSON: %j',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );
});

function objectOf(members: [string, Json][]): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of members) setMember(object, key, value);
  return object;
}

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { previousAttributes, sameJson, setMember, type Json, type JsonObject } from '../../src/core/json-diff.ts';

/** Few keys and values, so that two objects have much in common. Some keys are those that every object inherits. */
const anyKey = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString');
const anyJson: fc.Arbitrary<Json> = fc.letrec<{ json: Json; object: JsonObject }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false, 0, 1, '', 'x', 'y'),
    tie('object'),
    fc.array(tie('json'), { maxLength: 3 }),
  ),
  object: fc.uniqueArray(fc.tuple(anyKey, tie('json')), { selector: ([key]) => key, maxLength: 4 }).map(objectOf),
})).json;
const anyObject: fc.Arbitrary<JsonObject> = fc
  .uniqueArray(fc.tuple(anyKey, anyJson), { selector: ([key]) => key, maxLength: 5 })
  .map(objectOf);
/** An object, and one that differs from it in some places. */
const anyPair: fc.Arbitrary<[JsonObject, JsonObject]> = fc.oneof(
  fc.tuple(anyObject, anyObject),
  fc
    .tuple(anyObject, anyObject)
    .map(([base, other]): [JsonObject, JsonObject] => [
      base,
      objectOf([...Object.entries(base), ...Object.entries(other)]),
    ]),
);

describe('previous values', () => {
  test('restores the old object when previous values are put back', () => {
    fc.assert(
      fc.property(anyPair, ([before, after]) => {
        const previous = previousAttributes(before, after);
        // Null also stands for an absent member, so the two count as equal here.
        expect(withoutNulls(restore(after, previous ?? {}))).toEqual(withoutNulls(before));
      }),
      { numRuns: 2_000 },
    );
  });

  test('returns no previous values when nothing changed but the order of keys', () => {
    fc.assert(
      fc.property(anyObject, (object) => {
        expect(previousAttributes(object, object)).toBeNull();
        expect(previousAttributes(object, copyOf(object))).toBeNull();
        expect(previousAttributes(object, reversed(object))).toBeNull();
      }),
    );
  });

  test('returns previous values when anything changed', () => {
    fc.assert(
      fc.property(anyPair, ([before, after]) => {
        const equal = JSON.stringify(sorted(withoutNulls(before))) === JSON.stringify(sorted(withoutNulls(after)));
        expect(previousAttributes(before, after) === null).toBe(equal);
      }),
      { numRuns: 2_000 },
    );
  });

  test('returns changed members only, down to the innermost object', () => {
    fc.assert(
      fc.property(anyPair, ([before, after]) => {
        expectChangedOnly(previousAttributes(before, after) ?? {}, before, after);
      }),
      { numRuns: 1_000 },
    );
  });

  test('leaves its input unchanged when it computes previous values', () => {
    fc.assert(
      fc.property(anyPair, ([before, after]) => {
        const [earlier, later] = [JSON.stringify(before), JSON.stringify(after)];
        previousAttributes(before, after);
        expect([JSON.stringify(before), JSON.stringify(after)]).toEqual([earlier, later]);
      }),
    );
  });

  const examples: [before: JsonObject, after: JsonObject, previous: JsonObject | null][] = [
    [{ status: 'pending' }, { status: 'complete' }, { status: 'pending' }],
    [{ a: 1, b: 2 }, { a: 1, b: 3 }, { b: 2 }],
    [{ a: null }, { a: 1 }, { a: null }],
    [{}, { a: 1 }, { a: null }],
    [{ a: 1 }, {}, { a: 1 }],
    [{ a: null }, {}, null],
    [{ metadata: { a: '1', b: '2' } }, { metadata: { a: '1', b: '3' } }, { metadata: { b: '2' } }],
    [{ metadata: {} }, { metadata: { a: '1' } }, { metadata: { a: null } }],
    [{ metadata: { a: '1' } }, { metadata: {} }, { metadata: { a: '1' } }],
    [{ automatic: null }, { automatic: { enabled: true } }, { automatic: null }],
    [{ automatic: { enabled: true } }, { automatic: null }, { automatic: { enabled: true } }],
    [{ a: { b: { c: 1, d: 2 } } }, { a: { b: { c: 1, d: 3 } } }, { a: { b: { d: 2 } } }],
    [{ list: [1, 2] }, { list: [1, 2, 3] }, { list: [1, 2] }],
    [{ list: [1, 2] }, { list: [2, 1] }, { list: [1, 2] }],
    [{ list: [{ a: 1, b: 2 }] }, { list: [{ b: 2, a: 1 }] }, null],
    [{ list: [{ a: 1, b: 2 }] }, { list: [{ a: 1, b: 3 }] }, { list: [{ a: 1, b: 2 }] }],
    [{ a: [] }, { a: {} }, { a: [] }],
    [{ a: '1' }, { a: 1 }, { a: '1' }],
    [{ a: 0 }, { a: false }, { a: 0 }],
  ];

  test.each(examples)('compares %j with %j and returns %j', (before, after, previous) => {
    expect(previousAttributes(before, after)).toEqual(previous);
  });

  test('returns a member called __proto__ when it changed', () => {
    const previous = previousAttributes(JSON.parse('{"__proto__":"a"}'), JSON.parse('{"__proto__":"b"}'));
    expect(Object.entries(previous!)).toEqual([['__proto__', 'a']]);
    expect(Object.entries(previousAttributes({}, JSON.parse('{"constructor":"b"}'))!)).toEqual([['constructor', null]]);
  });
});

describe('JSON equality', () => {
  test('treats two values as equal when only the order of keys differs', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (left, right) => {
        const equal = JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
        expect(sameJson(left, right)).toBe(equal);
        expect(sameJson(right, left)).toBe(equal);
        expect(sameJson(left, copyOf(left))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

function expectChangedOnly(previous: JsonObject, before: JsonObject, after: JsonObject): void {
  for (const [key, was] of Object.entries(previous)) {
    const [left, right] = [memberOf(before, key), memberOf(after, key)];
    expect(JSON.stringify(sorted(left)), key).not.toBe(JSON.stringify(sorted(right)));
    if (isObject(left) && isObject(right)) expectChangedOnly(was as JsonObject, left, right);
    else expect(was).toEqual(left);
  }
}

/** Restores the old record from an event, as a client would. */
function restore(after: JsonObject, previous: JsonObject): JsonObject {
  const restored = objectOf(Object.entries(after));
  for (const [key, was] of Object.entries(previous)) {
    const is = memberOf(after, key);
    setMember(restored, key, isObject(is) && isObject(was) ? restore(is, was) : was);
  }
  return restored;
}

function withoutNulls(object: JsonObject): JsonObject {
  const kept = Object.entries(object).filter(([, value]) => value !== null);
  return objectOf(kept.map(([key, value]): [string, Json] => [key, isObject(value) ? withoutNulls(value) : value]));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return entries.map(([key, inner]): Json => [key, sorted(inner)]).concat(['an object']);
}

function reversed(object: JsonObject): JsonObject {
  return objectOf(
    Object.entries(object)
      .reverse()
      .map(([key, value]): [string, Json] => [key, isObject(value) ? reversed(value) : value]),
  );
}

function objectOf(entries: [string, Json][]): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of entries) setMember(object, key, value);
  return object;
}

/** Copies by way of JSON, because a structured clone loses a member called `__proto__`. */
function copyOf<Value extends Json>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function memberOf(object: JsonObject, key: string): Json {
  return Object.hasOwn(object, key) ? object[key]! : null;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

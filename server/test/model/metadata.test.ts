import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { setMember } from '../../src/core/json-diff.ts';
import { ApiError } from '../../src/core/errors.ts';
import { mergeMetadata, type Metadata } from '../../src/model/schemas/metadata.ts';
import { anyCodePoint } from '../support/any-code-point.ts';

const anyKey = fc.oneof(
  fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString', '0', '1'),
  fc.string({ unit: anyCodePoint, minLength: 1 }),
);
const anyValue = fc.oneof(fc.constantFrom('', 'x'), fc.string({ unit: anyCodePoint, minLength: 1 }));
const anyPairs = fc.uniqueArray(fc.tuple(anyKey, anyValue), { selector: ([key]) => key, maxLength: 20 });
/** The metadata that a record can have. Empty values are never stored. */
const anyKept = anyPairs.map((some) => some.filter(([, value]) => value !== ''));

describe('metadata merges', () => {
  test('replaces a pair by its key, removes it by an empty value, and keeps the others', () => {
    fc.assert(
      fc.property(anyKept, anyPairs, (current, input) => {
        const expected = new Map(current);
        for (const [key, value] of input) {
          if (value === '') expected.delete(key);
          else expected.set(key, value);
        }
        const merged = mergeMetadata(metadataOf(current), metadataOf(input));
        expect(new Map(Object.entries(merged))).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  test('ignores absent metadata, clears it by null, and never changes its input', () => {
    fc.assert(
      fc.property(anyKept, anyPairs, (current, input) => {
        const [before, sent] = [metadataOf(current), metadataOf(input)];
        mergeMetadata(before, sent);
        expect(Object.entries(before)).toEqual(Object.entries(metadataOf(current)));
        expect(Object.entries(sent)).toEqual(Object.entries(metadataOf(input)));
        expect(Object.entries(mergeMetadata(before, undefined))).toEqual(Object.entries(before));
        expect(Object.entries(mergeMetadata(before, {}))).toEqual(Object.entries(before));
        expect(mergeMetadata(before, null)).toEqual({});
      }),
    );
  });

  test('changes nothing when the same metadata is merged twice', () => {
    fc.assert(
      fc.property(anyKept, anyPairs, (current, input) => {
        const once = mergeMetadata(metadataOf(current), metadataOf(input));
        expect(Object.entries(mergeMetadata(once, metadataOf(input)))).toEqual(Object.entries(once));
      }),
    );
  });

  test('keeps pairs as own properties when their keys have a meaning in JavaScript', () => {
    const merged = mergeMetadata(JSON.parse('{"__proto__":"a"}'), JSON.parse('{"constructor":"b"}'));
    expect(Object.entries(merged)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });

  test('allows at most 50 pairs after the merge', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(60), fc.nat(50), (had, added, removed) => {
        const current = pairs('old', had, 'x');
        const input = { ...pairs('new', added, 'x'), ...pairs('old', removed, '') };
        const left = had - Math.min(had, removed) + added;
        if (left <= 50) expect(Object.keys(mergeMetadata(current, input))).toHaveLength(left);
        else expect(() => mergeMetadata(current, input)).toThrow(ApiError);
      }),
    );
  });

  test('names the parameter and the number when there are more than 50 pairs', () => {
    expect(() => mergeMetadata(pairs('old', 50, 'x'), { more: 'x' })).toThrow(
      expect.objectContaining({
        code: 'parameter_invalid',
        param: 'metadata',
        message: expect.stringMatching(/51.*50/),
      }),
    );
  });
});

function metadataOf(entries: [string, string][]): Metadata {
  const metadata: Metadata = {};
  for (const [key, value] of entries) setMember(metadata, key, value);
  return metadata;
}

function pairs(name: string, count: number, value: string): Metadata {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name} ${index}`, value]));
}

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearestName } from '../../src/core/nearest.ts';
import { processorMsOf } from '../support/processor-time.ts';

const known = [
  'application',
  'customer',
  'type',
  'automatic_reference',
  'metadata',
  'limit',
  'offset',
  'created[gt]',
  'created[gte]',
];
const anyName = fc.stringMatching(/^[a-c_]{0,8}$/);

describe('nearest name', () => {
  test.each([
    ['aplication', 'application'],
    ['applicaton', 'application'],
    ['Application', 'application'],
    ['CUSTOMER', 'customer'],
    ['costumer', 'customer'],
    ['meta_data', 'metadata'],
    ['limti', 'limit'],
    ['tyep', 'type'],
    ['limt', 'limit'],
    ['created[gtt]', 'created[gt]'],
    ['typ', 'type'],
    ['colour', null],
    ['', null],
    ['x'.repeat(10_000), null],
  ])('suggests for %s: %s', (name, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });

  test('suggests the known name with the fewest wrong letters, and null when more than a third is wrong', () => {
    fc.assert(
      fc.property(anyName, fc.uniqueArray(anyName, { maxLength: 8 }), (name, names) => {
        const distances = new Map(names.map((candidate) => [candidate, distance(name, candidate)]));
        const least = Math.min(...distances.values());
        const nearest = nearestName(name, names);
        if (least > Math.max(1, Math.floor(name.length / 3))) expect(nearest).toBeNull();
        else expect(distances.get(nearest!)).toBe(least);
      }),
      { numRuns: 2_000 },
    );
  });

  test('suggests a known name when it is the name itself', () => {
    for (const name of known) expect(nearestName(name, known)).toBe(name);
  });

  test('ignores the case of letters when it suggests a name', () => {
    fc.assert(
      fc.property(anyName, fc.uniqueArray(anyName, { maxLength: 8 }), (name, names) => {
        expect(nearestName(name.toUpperCase(), names)).toBe(nearestName(name, names));
      }),
    );
  });

  test('suggests at once when the name is very long', () => {
    expect(
      processorMsOf(() => {
        for (let count = 0; count < 1_000; count++) nearestName('x'.repeat(12_000), known);
      }),
    ).toBeLessThan(1_000);
  });
});

/** Counts the edits from one name to the other, where a swap of two neighbors is one. Computed by definition and not by a table. */
function distance(from: string, to: string, seen = new Map<string, number>()): number {
  if (from === '' || to === '') return from.length + to.length;
  const key = `${from} ${to}`;
  const before = seen.get(key);
  if (before !== undefined) return before;
  const after = (fromLength: number, toLength: number): number =>
    distance(from.slice(fromLength), to.slice(toLength), seen);
  const edits = [1 + after(1, 0), 1 + after(0, 1), (from[0] === to[0] ? 0 : 1) + after(1, 1)];
  if (from.length > 1 && from[0] === to[1] && from[1] === to[0]) edits.push(1 + after(2, 2));
  const least = Math.min(...edits);
  seen.set(key, least);
  return least;
}

import * as fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };
const lastCodePoint = 0x10ffff;

/**
 * Makes any character, as the unit `binary` of fast-check does. That unit makes a map of all 1.1 million characters. In each worker of the
 * tests, the map takes a second and 85 MB.
 */
export const anyCodePoint: fc.Arbitrary<string> = fc
  .nat({ max: lastCodePoint - surrogates.count })
  .map(characterAt, placeOf);

function characterAt(place: number): string {
  return String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count);
}

/** Returns the place of a character, so that fast-check can shrink texts that it did not make. */
function placeOf(character: unknown): number {
  const codePoint = typeof character === 'string' ? character.codePointAt(0) : undefined;
  if (codePoint === undefined || characterOf(codePoint) !== character) throw new Error('This is not one character.');
  return codePoint < surrogates.first ? codePoint : codePoint - surrogates.count;
}

/** Returns null for half of a pair. */
function characterOf(codePoint: number): string | null {
  const isHalf = codePoint >= surrogates.first && codePoint < surrogates.first + surrogates.count;
  return isHalf ? null : String.fromCodePoint(codePoint);
}

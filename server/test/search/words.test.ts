import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  charactersOf,
  fold,
  hasWord,
  partsOf,
  partsOfWord,
  searchedText,
  startsOf,
  wordsOf,
} from '../../src/search/words.ts';
import { anyCodePoint } from '../support/any-code-point.ts';
import { naughtyStrings } from '../support/naughty-strings.ts';
import { rounds } from '../support/rounds.ts';

const owner = 'acct_1 cus ';
const numRuns = rounds(200, 5_000);

/** Letters, accents, punctuation and scripts that are hard to fold. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...charactersOf("aAbBéEßıİ́ ,.-@'%_\\1田中がمحΣς한글กา")) }),
  fc.string({ unit: anyCodePoint }),
  fc.constantFrom(...naughtyStrings),
);

describe('a folded text', () => {
  test('stays as it is when it is folded again', () => {
    fc.assert(
      fc.property(text, (given) => {
        const folded = fold(given);
        expect(fold(folded)).toBe(folded);
        expect(folded).not.toMatch(/^\s|\s$|\s\s|[\p{Cc}\p{Lu}]/u);
        expect(folded.isWellFormed()).toBe(true);
      }),
      { numRuns },
    );
  });

  test('loses no part that the index asks for when it has a word', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.integer({ min: 1, max: 6 }), (given, from, length) => {
        const folded = searchedText(given);
        const characters = charactersOf(folded);
        const at = from % (characters.length + 1);
        const parts = new Set(partsOf(owner, folded));
        for (const word of wordsOf(characters.slice(at, at + length).join(''))) {
          if (!hasWord(folded, word)) continue;
          for (const part of partsOfWord(owner, word)) expect(parts).toContain(part);
        }
      }),
      { numRuns },
    );
  });

  test('has each of its words, and each beginning of a word', () => {
    fc.assert(
      fc.property(text, (given) => {
        const folded = fold(given);
        for (const word of wordsOf(given))
          expect([folded, word.text, hasWord(folded, word)]).toEqual([folded, word.text, true]);
        for (const start of startsOf(folded).split(' ').filter(Boolean)) expect(folded).toContain(start);
      }),
      { numRuns },
    );
  });
});

test('numbers the parts of each account and kind apart', () => {
  const parts = partsOf('acct_1 cus ', 'lovelace');
  const others = new Set([...partsOf('acct_2 cus ', 'lovelace'), ...partsOf('acct_1 ten ', 'lovelace')]);
  expect(parts.filter((part) => others.has(part))).toEqual([]);
});

test('finds a phone number however its digits are grouped', () => {
  expect(searchedText('+44 1904 555-0123')).toBe('+44 1904 555-0123 4419045550123');
  expect(searchedText('12 Coppergate')).toBe('12 coppergate');
});

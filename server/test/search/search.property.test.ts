import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Agency, startLetting, type Made } from '../letting/agency.ts';
import { rounds } from '../support/rounds.ts';
import { good, type TestServer } from '../support/server.ts';

const customersMade = 60;
const pieces = [
  'ada',
  'adá',
  'lo',
  'love',
  'O’Neil',
  'née',
  '7',
  '12',
  'x%',
  '_y',
  '\\z',
  'ÉMILE',
  'a-b',
  '田中',
  'ing',
  'S',
];

/** A text of words, each of some pieces. */
const texts = fc
  .array(
    fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((words) => words.join(' '));

let server: TestServer;
let agency: Agency;
const made: Made[] = [];

beforeAll(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
  for (const [at, name] of fc.sample(texts, { numRuns: customersMade, seed: 7 }).entries())
    made.unshift(await agency.make('customers', { name, metadata: { note: pieces[at % pieces.length]! } }));
});
afterAll(() => server.stop());

function plain(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
}

/** Finds as a reader would: word by word in the plain texts. Records with the query as a phrase come first. */
function naively(query: string): string[] {
  const words = plain(query).split(' ').filter(Boolean);
  const found = made.filter((one) =>
    words.every((word) =>
      Array.from(word).length > 2 ? wholeOf(one).includes(word) : beginsSomeWord(wholeOf(one), word),
    ),
  );
  const hasPhrase = (one: Made): boolean => new Set(words).size > 1 && hasWhole(wholeOf(one), words.join(' '));
  return [...found.filter(hasPhrase), ...found.filter((one) => !hasPhrase(one))].map(({ id }) => id);
}

/** Returns whether a text has a phrase whose numbers are whole. */
function hasWhole(whole: string, phrase: string): boolean {
  return [...whole.matchAll(/./gsu)].some(({ index }) => {
    const end = index + phrase.length;
    const cutsNumber = bothDigits(whole[index - 1], phrase[0]) || bothDigits(phrase.at(-1), whole[end]);
    return whole.startsWith(phrase, index) && !cutsNumber;
  });
}

function bothDigits(one: string | undefined, other: string | undefined): boolean {
  return /^[0-9]{2}$/.test(`${one ?? ''}${other ?? ''}`);
}

function wholeOf({ name, metadata }: Made): string {
  return plain(`${name} ${metadata.note}`);
}

/** Returns whether a word begins with these one or two characters. Punctuation and Chinese characters are words of their own. */
function beginsSomeWord(whole: string, word: string): boolean {
  return [...whole.matchAll(/./gsu)].some(({ index }) => {
    if (!whole.startsWith(word, index)) return false;
    const [before, first] = [whole.slice(0, index), whole.slice(index)];
    return !/[\p{L}\p{N}]$/u.test(before) || !/^[\p{L}\p{N}]/u.test(first) || /^\p{Script=Han}/u.test(first);
  });
}

test('finds what a naive comparison of all records finds, when queries are random', async () => {
  const query = fc
    .tuple(texts, fc.nat({ max: 3 }), fc.integer({ min: 2, max: 9 }))
    .map(([text, from, length]) => text.slice(from, from + length));
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(query, async (asked) => {
      fc.pre([...new Set(plain(asked).split(' '))].join('').length >= 2);
      const { body } = await good(agency.api.get(`/v1/search?query=${encodeURIComponent(asked)}`));
      const expected = naively(asked);
      hits += expected.length;
      expect([asked, body.data.map(({ id }: Made) => id), body.has_more]).toEqual([
        asked,
        expected.slice(0, 20),
        expected.length > 20,
      ]);
    }),
    { numRuns: rounds(60, 1_000) },
  );
  expect(hits).toBeGreaterThan(30);
});

import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { withClient, type Client } from '../../src/db/pools.ts';
import { arrayLiteral } from '../../src/db/array-literal.ts';
import { anyCodePoint } from '../support/any-code-point.ts';
import { naughtyStrings } from '../support/naughty-strings.ts';

/** All that PostgreSQL can store: Unicode without NUL. */
const anyText = fc.oneof(
  fc.string({ unit: anyCodePoint, maxLength: 40 }).map((text) => text.replaceAll('\0', '')),
  fc
    .array(fc.constantFrom('"', '\\', '{', '}', ',', ' ', 'NULL', '\n', '\t', '\u2028', '😀', 'a'), { maxLength: 8 })
    .map((parts) => parts.join('')),
  fc.constantFrom(...naughtyStrings),
);
const anyCell = fc.oneof({ weight: 8, arbitrary: anyText }, { weight: 1, arbitrary: fc.constant(null) });

let client: Client;
let close: () => void;
let closed: Promise<void>;

beforeAll(async () => {
  const opened = Promise.withResolvers<void>();
  closed = withClient(inject('cluster'), async (connected) => {
    client = connected;
    const { promise, resolve } = Promise.withResolvers<void>();
    close = resolve;
    opened.resolve();
    await promise;
  });
  await Promise.race([opened.promise, closed]);
});
afterAll(async () => {
  close();
  await closed;
});

describe('array literals read by PostgreSQL', () => {
  test('keeps every text exactly when an array has any characters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCell, { maxLength: 30 }), async (cells) => {
        expect(await readBack(cells)).toEqual(cells);
      }),
      { numRuns: 500 },
    );
  });

  test('keeps texts that programs are known to change', async () => {
    expect(await readBack([...naughtyStrings])).toEqual([...naughtyStrings]);
    for (const text of naughtyStrings) expect(await readBack([text])).toEqual([text]);
  });

  test('keeps every character, alone and between others', async () => {
    const characters = Array.from({ length: 0x2fff }, (_, index) => String.fromCodePoint(index + 1)).filter((text) =>
      text.isWellFormed(),
    );
    expect(await readBack(characters)).toEqual(characters);
    const between = characters.map((character) => `a${character}"`);
    expect(await readBack(between)).toEqual(between);
  });

  test('distinguishes null from the text null', async () => {
    expect(await readBack([null, 'NULL', 'null', '"NULL"', ''])).toEqual([null, 'NULL', 'null', '"NULL"', '']);
    expect(await readBack([])).toEqual([]);
  });

  test('keeps numbers and booleans as their own types', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(fc.maxSafeInteger())),
        fc.array(fc.option(fc.boolean())),
        async (numbers, flags) => {
          const { rows } = await client.query('select $1::bigint[]::text[] as numbers, $2::boolean[] as flags', [
            arrayLiteral(numbers),
            arrayLiteral(flags),
          ]);
          expect(rows[0].numbers).toEqual(numbers.map((number) => (number === null ? null : String(number))));
          expect(rows[0].flags).toEqual(flags);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('keeps nested arrays, like those of a batch', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(anyText, { maxLength: 4 }), { maxLength: 6 }), async (lists) => {
        const { rows } = await client.query<{ list: string[] }>(
          'select list::text[] as list from unnest($1::text[]) with ordinality as t (list, at) order by at',
          [arrayLiteral(lists.map(arrayLiteral))],
        );
        expect(rows.map(({ list }) => list)).toEqual(lists);
      }),
      { numRuns: 200 },
    );
  });

  test('keeps neighboring items unharmed when one has half a character', async () => {
    const [left, odd, right] = (await readBack(['left"', 'a\ud83d', 'right\\'])) as string[];
    expect([left, right]).toEqual(['left"', 'right\\']);
    expect(odd).toBe('a\ufffd');
  });
});

async function readBack(cells: (string | null)[]): Promise<(string | null)[]> {
  const { rows } = await client.query<{ cells: (string | null)[] }>('select $1::text[] as cells', [
    arrayLiteral(cells),
  ]);
  return rows[0]!.cells;
}

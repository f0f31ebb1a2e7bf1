import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstIdAt, IdMaker, idPattern, isId, timeOfId, type Id, type IdPrefix } from '../../src/core/ids.ts';

const prefixes: IdPrefix[] = ['acct', 'cus', 'evt', 'key', 'ref', 'req'];
const anyPrefix = fc.constantFrom(...prefixes);
/** From 1970 to the year 5000. */
const anyTime = fc.integer({ min: 0, max: 95_617_584_000_000 });
/** A clock that mostly moves forward, sometimes stands still, and now and then steps back. */
const anySteps = fc.array(
  fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5 }), fc.integer({ min: -10_000, max: 10_000 })),
  {
    minLength: 2,
    maxLength: 200,
  },
);

class SettableClock {
  ms = 0;
  nowMs(): number {
    return this.ms;
  }
}

function makerAt(ms: number): { clock: SettableClock; maker: IdMaker } {
  const clock = new SettableClock();
  clock.ms = ms;
  return { clock, maker: new IdMaker(clock, (length) => randomBytes(length)) };
}

describe('ids', () => {
  test('creates ids with a prefix and 22 characters, as the specification says', () => {
    fc.assert(
      fc.property(anyPrefix, anyTime, (prefix, ms) => {
        const id = makerAt(ms).maker.make(prefix);
        expect(id).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{22}$`));
        expect(id).toMatch(new RegExp(idPattern));
        expect(isId(prefix, id)).toBe(true);
      }),
    );
  });

  test('reads the time of creation from an id', () => {
    fc.assert(
      fc.property(anyPrefix, anyTime, (prefix, ms) => {
        expect(timeOfId(makerAt(ms).maker.make(prefix))).toBe(ms);
      }),
    );
  });

  test('creates ids that sort by time when there are two makers', () => {
    fc.assert(
      fc.property(anyTime, anyTime, (early, late) => {
        fc.pre(early < late);
        const [first, second] = [makerAt(early).maker.make('ref'), makerAt(late).maker.make('ref')];
        expect(first < second).toBe(true);
      }),
    );
  });

  test("creates ids in increasing order when one maker's clock stands still or steps back", () => {
    fc.assert(
      fc.property(anyTime, anySteps, (start, steps) => {
        const { clock, maker } = makerAt(start);
        const ids = steps.map((step) => {
          clock.ms = Math.max(0, clock.ms + step);
          return maker.make('evt');
        });
        for (let index = 1; index < ids.length; index++) expect(ids[index - 1]! < ids[index]!).toBe(true);
      }),
    );
  });

  test('keeps the order of ids when one millisecond has more than its counter holds', () => {
    const { maker } = makerAt(1_700_000_000_000);
    const ids = Array.from({ length: 62 ** 2 * 2 + 10 }, () => maker.make('req'));
    for (let index = 1; index < ids.length; index++) expect(ids[index - 1]! < ids[index]!).toBe(true);
    expect(timeOfId(ids.at(-1)!)).toBe(1_700_000_000_002);
  });

  test('creates no id before the clock, and returns to it when it has caught up', () => {
    const { clock, maker } = makerAt(1_000_000);
    for (let count = 0; count < 62 ** 2 + 1; count++) maker.make('req');
    clock.ms = 2_000_000;
    expect(timeOfId(maker.make('req'))).toBe(2_000_000);
  });

  test('creates different ids in two processes when clocks and counters are equal', () => {
    const ids = Array.from({ length: 5_000 }, () => makerAt(5).maker.make('ref'));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the first id of a moment', () => {
  test('returns a first id that sorts before all ids of its moment, and after earlier ones', () => {
    fc.assert(
      fc.property(anyPrefix, anyTime, fc.integer({ min: 0, max: 100_000 }), (prefix, ms, later) => {
        const first = firstIdAt(prefix, ms);
        expect(first <= makerAt(ms).maker.make(prefix)).toBe(true);
        expect(first <= makerAt(ms + later).maker.make(prefix)).toBe(true);
        if (ms > 0) expect(makerAt(Math.max(0, ms - 1 - later)).maker.make(prefix) < first).toBe(true);
      }),
    );
  });

  test('returns the smallest id of a moment when all random bits are zero', () => {
    const clock = new SettableClock();
    clock.ms = 42;
    const id: Id = new IdMaker(clock, (length) => new Uint8Array(length)).make('ref');
    expect(id).toBe(`${firstIdAt('ref', 42)}00${'0'.repeat(12)}`);
  });
});

describe('texts that are not ids', () => {
  test('refuses a text when it differs from an id in one place', () => {
    const id = makerAt(1_700_000_000_000).maker.make('ref');
    const wrong = [
      '',
      'ref_',
      'ref',
      id.slice(0, -1),
      `${id}0`,
      ` ${id}`,
      `${id}\n`,
      `\n${id}`,
      id.toUpperCase(),
      id.replace('_', '-'),
      id.replace('ref', 'cus'),
      `x${id}`,
      `${id.slice(0, -1)}é`,
      `${id.slice(0, -1)}_`,
      `${id.slice(0, -1)}\0`,
    ];
    for (const text of wrong) expect(isId('ref', text), JSON.stringify(text)).toBe(false);
    for (const prefix of prefixes) expect(isId(prefix, id)).toBe(prefix === 'ref');
  });

  test('refuses any other value as an id', () => {
    let ids = 0;
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9A-Za-z_é\n]{0,1}[0-9A-Za-z]{20,22}[0-9A-Za-z\-\n]{0,1}$/), (text) => {
        const isOne = text.length === 22 && /^[0-9A-Za-z]*$/.test(text);
        if (isOne) ids++;
        expect(isId('ref', `ref_${text}`), JSON.stringify(text)).toBe(isOne);
      }),
      { numRuns: 500 },
    );
    expect(ids).toBeGreaterThan(50);
    expect(ids).toBeLessThan(450);
  });
});

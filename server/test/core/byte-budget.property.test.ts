import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteBudget, type Release } from '../../src/core/byte-budget.ts';

const limits = { max: 100, maxPerAccount: 40 };

describe('a byte budget', () => {
  test('holds no more than its limits when requests are taken and released in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.record({ account: fc.constantFrom('a', 'b', 'c', 'd'), bytes: fc.integer({ min: 1, max: 60 }) }),
            fc.record({ release: fc.nat(20) }),
          ),
          { maxLength: 60 },
        ),
        async (steps) => {
          const budget = new ByteBudget(limits);
          const held: { account: string; bytes: number; release: Release }[] = [];
          let asked = 0;
          let admitted = 0;
          const takeInto = async (wanted: { account: string; bytes: number }): Promise<void> => {
            const release = await budget.take(wanted.account, wanted.bytes);
            admitted++;
            held.push({ ...wanted, release });
          };
          for (const step of steps) {
            if ('release' in step) {
              const [released] = held.splice(step.release % Math.max(1, held.length), 1);
              released?.release();
              released?.release();
            } else {
              asked++;
              void takeInto(step);
            }
            await turn();
            expectWithinLimits(budget, held);
          }
          // Nothing waits for ever: once all is released, all that asked has been admitted.
          while (held.length > 0) {
            held.pop()!.release();
            await turn();
            expectWithinLimits(budget, held);
          }
          expect({ admitted, held: budget.held, waiting: budget.waiting }).toEqual({
            admitted: asked,
            held: 0,
            waiting: 0,
          });
        },
      ),
    );
  });

  test('admits another account at once when one account waits for its own share', async () => {
    const budget = new ByteBudget(limits);
    await budget.take('a', 40);
    void budget.take('a', 10);
    expect(budget.tryTake('a', 1)).toBeNull();
    expect(budget.tryTake('b', 40)).not.toBeNull();
  });

  test('keeps the order when a large request waits for the process', async () => {
    const budget = new ByteBudget({ max: 100, maxPerAccount: 100 });
    const first = await budget.take('a', 90);
    const large = budget.take('b', 50);
    expect(budget.tryTake('c', 5)).toBeNull();
    first();
    await large;
    expect(budget.tryTake('c', 5)).not.toBeNull();
  });

  test('forgets a request when its wait is stopped', async () => {
    const budget = new ByteBudget(limits);
    const release = await budget.take('a', 40);
    const waiting = budget.take('a', 40, AbortSignal.timeout(1));
    await expect(waiting).rejects.toThrow('timeout');
    release();
    expect({ held: budget.held, waiting: budget.waiting }).toEqual({ held: 0, waiting: 0 });
  });
});

function expectWithinLimits(budget: ByteBudget, held: { account: string; bytes: number }[]): void {
  const all = held.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(budget.held).toBe(all);
  expect(all <= limits.max || held.length === 1).toBe(true);
  for (const account of new Set(held.map((item) => item.account))) {
    const own = held.filter((item) => item.account === account);
    const bytes = own.reduce((sum, item) => sum + item.bytes, 0);
    expect(budget.heldBy(account)).toBe(bytes);
    expect(bytes <= limits.maxPerAccount || own.length === 1).toBe(true);
  }
}

/** Lets what was admitted be told. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

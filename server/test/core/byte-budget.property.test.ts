import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteBudget, type HeldBytes, type Payer } from '../../src/core/limits/byte-budget.ts';

const limits = { max: 100, maxPerAccount: 40 };

function branch(accountId: string): Payer {
  return { accountId, rootId: 'platform' };
}

describe('byte budget', () => {
  test('holds no more than its limits when requests are taken and released in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.record({ account: fc.constantFrom('a', 'b', 'c', 'd'), bytes: fc.integer({ min: 1, max: 60 }) }),
            fc.record({ release: fc.nat(20) }),
            fc.record({ resize: fc.nat(20), to: fc.integer({ min: 1, max: 60 }) }),
          ),
          { maxLength: 60 },
        ),
        async (steps) => {
          const budget = new ByteBudget(limits);
          const held: { account: string; bytes: number; bytesHeld: HeldBytes }[] = [];
          let asked = 0;
          let admitted = 0;
          const takeInto = async (wanted: { account: string; bytes: number }): Promise<void> => {
            const bytesHeld = await budget.take(wanted.account, wanted.bytes);
            admitted++;
            held.push({ ...wanted, bytesHeld });
          };
          for (const step of steps) {
            if ('release' in step) {
              const [released] = held.splice(step.release % Math.max(1, held.length), 1);
              released?.bytesHeld.release();
              released?.bytesHeld.release();
            } else if ('resize' in step) {
              const resized = held[step.resize % Math.max(1, held.length)];
              const isDone = resized?.bytesHeld.resize(step.to);
              if (resized && step.to <= resized.bytes) expect(isDone).toBe(true);
              if (isDone) resized!.bytes = step.to;
            } else {
              asked++;
              void takeInto(step);
            }
            await turn();
            expectWithinLimits(budget, held);
          }
          // No request waits for ever: after all releases, every request has been admitted.
          while (held.length > 0) {
            held.pop()!.bytesHeld.release();
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

  test('bounds a tree of accounts together when each of them has room', () => {
    const budget = new ByteBudget({ ...limits, maxPerTree: 60 });
    const first = budget.tryTake(branch('a'), 40)!;
    expect([budget.tryTake(branch('b'), 30), budget.isShareFull(branch('b'), 30)]).toEqual([null, true]);
    const second = budget.tryTake(branch('b'), 20)!;
    expect(second.resize(21)).toBe(false);
    expect(budget.tryTake('other', 40)).not.toBeNull();
    first.release();
    expect(second.resize(40)).toBe(true);
    expect([budget.tryTake(branch('c'), 21), budget.tryTake(branch('c'), 20)]).toEqual([null, expect.anything()]);
  });

  test('lets another tree take at once when an account waits for the share of its tree', async () => {
    const budget = new ByteBudget({ ...limits, maxPerTree: 60 });
    const held = await budget.take(branch('a'), 40);
    await budget.take(branch('b'), 20);
    let isAdmitted = false;
    const waiting = budget.take(branch('c'), 10).then(() => (isAdmitted = true));
    expect(budget.tryTake('other', 40)).not.toBeNull();
    await turn();
    expect(isAdmitted).toBe(false);
    held.release();
    await waiting;
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
    first.release();
    await large;
    expect(budget.tryTake('c', 5)).not.toBeNull();
  });

  test('changes nothing when what is held grows beyond a limit', () => {
    const budget = new ByteBudget(limits);
    const held = budget.tryTake('a', 30)!;
    const others = ['b', 'c'].map((account) => budget.tryTake(account, 30)!);
    expect(held.resize(40)).toBe(true);
    expect(held.resize(30)).toBe(true);
    const second = budget.tryTake('a', 10)!;
    expect([second.resize(11), budget.heldBy('a')]).toEqual([false, 40]);
    for (const other of [...others, second]) other.release();
    expect([held.resize(200), budget.held]).toEqual([true, 200]);
    held.release();
    expect([held.resize(1), budget.held]).toEqual([false, 0]);
  });

  test('admits what waits when what is held shrinks', async () => {
    const budget = new ByteBudget(limits);
    const held = budget.tryTake('a', 40)!;
    const waiting = budget.take('a', 30);
    expect(held.resize(10)).toBe(true);
    await waiting;
    expect(budget.heldBy('a')).toBe(40);
  });

  test('counts what is taken in any case against later requests', () => {
    const budget = new ByteBudget(limits);
    const held = budget.add('a', 70);
    expect(budget.tryTake('a', 1)).toBeNull();
    expect(budget.tryTake('b', 31)).toBeNull();
    held.release();
    expect(budget.tryTake('a', 1)).not.toBeNull();
  });

  test('forgets a request when its wait is stopped', async () => {
    const budget = new ByteBudget(limits);
    const held = await budget.take('a', 40);
    const waiting = budget.take('a', 40, AbortSignal.timeout(1));
    await expect(waiting).rejects.toThrow('timeout');
    held.release();
    expect({ held: budget.held, waiting: budget.waiting }).toEqual({ held: 0, waiting: 0 });
  });

  test('admits what waits when a holder keeps less than it asked for', async () => {
    const budget = new ByteBudget(limits);
    const held = await budget.take('a', 40);
    const waiting = budget.take('a', 30);
    held.hold(10);
    await waiting;
    expect(budget.heldBy('a')).toBe(40);
  });

  test('counts what is added beyond its limits, and makes others wait for it', async () => {
    const budget = new ByteBudget(limits);
    const held = budget.add('a', 60);
    expect([budget.isShareFull('a', 1), budget.tryTake('a', 1), budget.tryTake('b', 41)]).toEqual([true, null, null]);
    held.release();
    held.hold(50);
    expect(budget.held).toBe(0);
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

/** Waits until the admissions have been reported. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

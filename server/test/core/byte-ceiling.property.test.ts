import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ByteBudget,
  ByteCeiling,
  type CeilingLimits,
  type HeldBytes,
  type Payer,
} from '../../src/core/limits/byte-budget.ts';

const limits: CeilingLimits = { max: 100, maxPerTree: 60, reserved: 20, little: 10 };

function open(count = 2, ceilingLimits = limits): { ceiling: ByteCeiling; budgets: ByteBudget[] } {
  const ceiling = new ByteCeiling(ceilingLimits);
  const budgets = Array.from({ length: count }, () => new ByteBudget({ max: 90, maxPerAccount: 50 }, ceiling));
  return { ceiling, budgets };
}

function branch(accountId: string, rootId = 'platform'): Payer {
  return { accountId, rootId };
}

describe('byte ceiling', () => {
  test('holds no more than its limits when requests of several budgets are taken and released in any order', async () => {
    const step = fc.oneof(
      fc.record({
        budget: fc.nat(2),
        account: fc.constantFrom('a', 'b', 'c', 'd'),
        tree: fc.constantFrom('one', 'two', 'three'),
        bytes: fc.integer({ min: 1, max: 50 }),
      }),
      fc.record({ release: fc.nat(20) }),
      fc.record({ resize: fc.nat(20), to: fc.integer({ min: 1, max: 50 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { ceiling, budgets } = open(3);
        const held: { tree: string; bytes: number; bytesHeld: HeldBytes }[] = [];
        let [asked, admitted] = [0, 0];
        const take = async (wanted: {
          budget: number;
          account: string;
          tree: string;
          bytes: number;
        }): Promise<void> => {
          const payer = branch(`${wanted.tree} ${wanted.account}`, wanted.tree);
          const bytesHeld = await budgets[wanted.budget]!.take(payer, wanted.bytes);
          admitted++;
          held.push({ ...wanted, bytesHeld });
        };
        for (const each of steps) {
          if ('release' in each) {
            held.splice(each.release % Math.max(1, held.length), 1)[0]?.bytesHeld.release();
          } else if ('resize' in each) {
            const one = held[each.resize % Math.max(1, held.length)];
            if (one?.bytesHeld.resize(each.to)) one.bytes = each.to;
          } else {
            asked++;
            void take(each);
          }
          await turn();
          expectWithinLimits(ceiling, held);
        }
        while (held.length > 0) {
          held.pop()!.bytesHeld.release();
          await turn();
          expectWithinLimits(ceiling, held);
        }
        expect([admitted, ceiling.held, ...budgets.map(({ waiting }) => waiting)]).toEqual([asked, 0, 0, 0, 0]);
      }),
    );
  });

  test('refuses bytes of one kind when another kind has taken them', () => {
    const { ceiling, budgets } = open();
    const [first, second] = budgets as [ByteBudget, ByteBudget];
    const held = first.tryTake('a', 50)!;
    first.tryTake('b', 30);
    expect([second.tryTake('c', 20), second.isShareFull('c', 20), ceiling.held]).toEqual([null, false, 80]);
    held.release();
    expect(second.tryTake('c', 20)).not.toBeNull();
  });

  test('admits what waits for one kind when another kind releases bytes', async () => {
    const [first, second] = open().budgets as [ByteBudget, ByteBudget];
    const held = first.tryTake('a', 50)!;
    first.tryTake('b', 30);
    const waiting = second.take('c', 40);
    held.release();
    await waiting;
    expect(second.held).toBe(40);
  });

  test('admits in the order of the requests when several kinds wait', async () => {
    const [first, second] = open().budgets as [ByteBudget, ByteBudget];
    const held = first.tryTake('a', 50)!;
    first.tryTake('b', 30);
    const order: string[] = [];
    const waiting = [
      second.take('c', 30).then(() => order.push('second')),
      first.take('d', 15).then(() => order.push('first')),
      second.take('e', 30).then(() => order.push('third')),
    ];
    held.release();
    await Promise.all(waiting.slice(0, 2));
    expect([order, second.waiting]).toEqual([['second', 'first'], 1]);
  });

  test('bounds all kinds of a tree together, and names the tree, when another tree has room', () => {
    const [first, second] = open().budgets as [ByteBudget, ByteBudget];
    first.tryTake(branch('a'), 40);
    expect(second.tryTake(branch('b'), 30)).toBeNull();
    expect([second.fullShare(branch('b'), 30), second.fullShare('c', 30)]).toEqual(['tree', null]);
    expect(second.tryTake('c', 30)).not.toBeNull();
  });

  test('leaves the reserve to trees that hold little when others have taken the rest', () => {
    const [first, second] = open().budgets as [ByteBudget, ByteBudget];
    first.tryTake('a', 50);
    second.tryTake('b', 30);
    expect([first.tryTake('a', 1), second.tryTake('c', 11)]).toEqual([null, null]);
    const little = second.tryTake('c', 6)!;
    expect([first.tryTake('c', 5), little.resize(11), little.resize(10)]).toEqual([null, false, true]);
  });

  test('lets others that hold little pass when a large request waits for the ceiling', async () => {
    const [first] = open(1).budgets as [ByteBudget];
    const held = first.tryTake('a', 50)!;
    first.tryTake('b', 20);
    const large = first.take('c', 20);
    expect(first.tryTake('d', 10)).not.toBeNull();
    held.release();
    await large;
  });

  test('admits a request larger than the ceiling when nothing else is held', async () => {
    const ceiling = new ByteCeiling(limits);
    const budget = new ByteBudget({ max: 300, maxPerAccount: 300 }, ceiling);
    const small = budget.tryTake('a', 10)!;
    const large = budget.take('a', 200);
    small.release();
    (await large).release();
    expect(ceiling.held).toBe(0);
  });

  test('refuses nothing that takes no bytes when more is held than the limits allow', () => {
    const [first, second] = open().budgets as [ByteBudget, ByteBudget];
    first.add(branch('a'), 500);
    expect([second.isShareFull(branch('b'), 0), second.tryTake(branch('b'), 0) !== null]).toEqual([false, true]);
  });

  test('forgets a request when its wait is stopped', async () => {
    const [first, second] = open().budgets as [ByteBudget, ByteBudget];
    const held = first.tryTake('a', 50)!;
    first.tryTake('b', 30);
    await expect(second.take('c', 40, AbortSignal.timeout(1))).rejects.toThrow('timeout');
    held.release();
    expect([second.held, second.waiting]).toEqual([0, 0]);
  });
});

function expectWithinLimits(ceiling: ByteCeiling, held: { tree: string; bytes: number }[]): void {
  expect(ceiling.held).toBe(bytesOf(held));
  expect(ceiling.held).toBeLessThanOrEqual(limits.max);
  for (const tree of new Set(held.map((item) => item.tree))) {
    const bytes = bytesOf(held.filter((item) => item.tree === tree));
    expect(ceiling.heldBy(tree)).toBe(bytes);
    expect(bytes).toBeLessThanOrEqual(limits.maxPerTree);
  }
}

function bytesOf(items: { bytes: number }[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Waits until the admissions have been reported. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

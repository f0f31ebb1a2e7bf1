import * as fc from 'fast-check';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ClientGoneError } from '../../src/core/errors.ts';
import { FairQueue, FairRounds } from '../../src/core/limits/fair-queue.ts';

const patient = { whenReleased: (): void => {} };

test('runs all work, never more at once than the limit, and each party in turn when much work waits', async () => {
  const parties = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), parties, async (atOnceMax, wanted) => {
      const queue = new FairQueue(atOnceMax);
      const began: string[] = [];
      let running = 0;
      const work = async (party: string): Promise<void> => {
        began.push(party);
        expect(++running).toBeLessThanOrEqual(atOnceMax);
        await nextTurn();
        running--;
      };
      await Promise.all(wanted.map((party) => queue.run(party, patient, () => work(party))));
      expect(began.toSorted()).toEqual(wanted.toSorted());
      // Behind those that began at once, no party has a second turn while another has waited for its first.
      const behind = began.slice(atOnceMax);
      for (const [index, party] of behind.entries()) {
        const next = behind.indexOf(party, index + 1);
        if (next === -1) continue;
        for (const other of new Set(behind.slice(next))) {
          if (other !== party) expect(behind.slice(index, next)).toContain(other);
        }
      }
    }),
  );
});

test('gives another tree the second turn when many accounts of one tree wait', async () => {
  const queue = new FairQueue(1);
  const began: string[] = [];
  const wait = (accountId: string, rootId: string): Promise<void> =>
    queue.run({ accountId, rootId }, patient, async () => {
      began.push(accountId);
      await nextTurn();
    });
  const accounts = ['a1', 'a1', 'a1', 'a2', 'a3', 'a4'];
  await Promise.all([...accounts.map((account) => wait(account, 'a')), wait('b', 'b')]);
  // The first began at once. The accounts of the tree take turns, too.
  expect(began).toEqual(['a1', 'b', 'a1', 'a2', 'a3', 'a4', 'a1']);
});

test('gives a tree that comes later the next turn when many trees with much work have had theirs', async () => {
  const queue = new FairQueue(1);
  const began: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const wait = (tree: string): Promise<void> =>
    queue.run(tree, patient, async () => {
      began.push(tree);
      // The other tree comes while the last of them has its first turn.
      if (began.length === 3) await ended;
      await nextTurn();
    });
  const work = ['a', 'b', 'c', 'a', 'b', 'c'].map(wait);
  await expect.poll(() => began.length).toBe(3);
  const late = wait('late');
  end();
  await Promise.all([...work, late]);
  expect(began).toEqual(['a', 'b', 'c', 'late', 'a', 'b', 'c']);
});

test('gives a tree that had a turn its next one soon when new trees come without end', async () => {
  const queue = new FairQueue(1);
  const flood = { turns: 0, isOver: false };
  const comeAgain = async (client: number): Promise<void> => {
    for (let visit = 0; !flood.isOver && flood.turns < 1_000; visit++) {
      await queue.run(`${client}-${visit}`, patient, async () => {
        flood.turns++;
        await nextTurn();
      });
    }
  };
  const first = queue.run('office', patient, () => nextTurn());
  const clients = Array.from({ length: 6 }, (_, client) => comeAgain(client));
  await first;
  await queue.run('office', patient, async () => void (flood.isOver = true));
  expect(flood.turns).toBeLessThan(30);
  await Promise.all(clients);
});

test('refuses the newest work of the tree with the most when too much waits', async () => {
  const queue = new FairQueue(1, { max: 3, refusal: () => new Error('full') });
  const began: string[] = [];
  const outcome = (accountId: string, rootId: string): Promise<string> =>
    queue
      .run({ accountId, rootId }, patient, async () => {
        began.push(accountId);
        await nextTurn();
      })
      .then(
        () => 'done',
        ({ message }: Error) => message,
      );
  const wanted = ['a1', 'a1', 'a1', 'a2', 'a1', 'b1', 'b2', 'c1'].map((account) => outcome(account, account[0]!));
  // The fifth is of the tree with the most. The seventh would leave that tree less than its own then has.
  expect(await Promise.all(wanted)).toEqual(['done', 'full', 'full', 'done', 'full', 'done', 'full', 'done']);
  expect(began).toEqual(['a1', 'b1', 'c1', 'a2']);
});

test('continues with other work when one piece fails', async () => {
  const queue = new FairQueue(1);
  const failing = queue.run('a', patient, () => Promise.reject(new Error('no')));
  const other = queue.run('b', patient, async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await other).toBe('done');
});

test('runs no work of a client that has disconnected while it waited', async () => {
  const queue = new FairQueue(1);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const first = queue.run('a', patient, () => ended);
  const callbacks: ((() => void) | null)[] = [];
  const leaving = { whenReleased: (callback: (() => void) | null) => void callbacks.push(callback) };
  let hasRun = false;
  const left = queue.run('b', leaving, async () => void (hasRun = true));
  const behind = queue.run('b', patient, async () => 'done');
  callbacks[0]!();
  await expect(left).rejects.toThrow(ClientGoneError);
  end();
  await first;
  expect([await behind, hasRun]).toEqual(['done', false]);
});

test('returns the result before its rest, and begins other work after it, when the work must rest', async () => {
  const queue = new FairQueue(1);
  const order: string[] = [];
  const first = queue.runAndRest('a', patient, 5, async () => {
    await delay(10);
    return 'done';
  });
  const other = queue.run('b', patient, async () => void order.push('other work'));
  expect(await first).toBe('done');
  order.push('result');
  // All that is due without a timer happens now.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect(order).toEqual(['result']);
  await other;
  expect(order).toEqual(['result', 'other work']);
});

test('continues with other work after a rest when the work fails', async () => {
  const queue = new FairQueue(1);
  const failing = queue.runAndRest('a', patient, 1, () => Promise.reject(new Error('no')));
  const other = queue.run('b', patient, async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await other).toBe('done');
});

test('gives its place to other work after two seconds when the work takes longer', async () => {
  const queue = new FairQueue(1);
  const { promise: endless, resolve: end } = Promise.withResolvers<string>();
  const slow = queue.runAndRest('a', patient, 1, () => endless);
  expect(await queue.run('b', patient, async () => 'done')).toBe('done');
  end('at last');
  expect(await slow).toBe('at last');
});

test('begins one piece of work in each round of the event loop, and gives another tree the second, when much work waits', async () => {
  const rounds = new FairRounds();
  const began: string[] = [];
  const wait = async (party: string): Promise<void> => {
    await rounds.next(party);
    began.push(party);
  };
  const all = Promise.all(['a', 'a', 'a', 'a', 'b'].map(wait));
  const known: number[] = [];
  while (began.length < 5) {
    await nextTurn();
    known.push(began.length);
  }
  await all;
  expect(began.indexOf('b')).toBeLessThanOrEqual(2);
  expect(known.every((count, round) => count <= round + 1)).toBe(true);
});

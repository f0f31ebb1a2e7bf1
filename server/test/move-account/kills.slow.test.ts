import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rollBack, steps, type Step } from '../../src/move-account/move.ts';
import { apiClient, good, masterKey } from '../support/server.ts';
import { addKey } from '../support/tenants.ts';
import { between, move, twoCells, type TwoCells } from './cells.ts';
import type { MoverInput } from './mover.ts';
import { body, eventsOf, Follower, guardsIn, listAll, newTree, post, Router, rowsOf, Writer } from './tree.ts';

/** The first step at whose beginning the target is open. */
const firstOpen = steps.indexOf('finish the source');

describe.each(steps.map((step, index) => ({ step, isOpen: index >= firstOpen })))(
  'a move whose command was killed before the step "$step"',
  ({ step, isOpen }) => {
    test('loses and doubles nothing when the command is run again', async () => {
      const cells = await twoCells();
      const tree = await newTree(cells);
      const old = await post(tree.root.api, 'old');
      const router = new Router(cells);
      const [first] = await eventsOf(cells.source, tree.root.accountId);
      const follower = new Follower(router, tree.root.key, first!);
      const writer = new Writer((key) => router.api(key), tree.root.key);
      await expect.poll(() => writer.ids.length).toBeGreaterThan(10);

      await killAt(cells, tree.root.accountId, step);
      await move(cells, tree.root.accountId);
      router.hasMoved = true;

      const written = writer.ids.length;
      await expect.poll(() => writer.ids.length).toBeGreaterThan(written + 5);
      await writer.stop();
      expect(await listAll(cells.target.url, tree.root.key)).toEqual(sorted([old.body.id, ...writer.ids]));
      const events = await eventsOf(cells.target, tree.root.accountId);
      await follower.count(events.length - 1, cells.target);
      await follower.stop();
      expect(follower.ids).toEqual(events.slice(1));
      expect((await post(apiClient(cells.target.url, tree.root.key), 'old')).text).toBe(old.text);
      expect((await guardsIn(cells))[1]).toBe(0);
      expect((await apiClient(cells.source.url, tree.root.key).get('/v1/references')).status).toBe(503);
    });

    test.skipIf(isOpen || step === 'check' || step === 'register at the source')(
      'leaves the source as it was when it is rolled back',
      async () => {
        const cells = await twoCells();
        const tree = await newTree(cells);
        const { body: old } = await post(tree.root.api, 'old');
        await killAt(cells, tree.root.accountId, step);
        await between(cells, cells.source.context.encryption, (clients) => rollBack(clients, tree.root.accountId));
        expect(await rowsOf(cells.target, tree.root.accountId)).toEqual({});
        expect(await guardsIn(cells)).toEqual([0, 0]);
        const { body: made } = await good(tree.root.api.post('/v1/references', body));
        expect(await listAll(cells.source.url, tree.root.key)).toEqual(sorted([old.id, made.id]));
        // It can move anew.
        await move(cells, tree.root.accountId);
        expect(await listAll(cells.target.url, tree.root.key)).toEqual(sorted([old.id, made.id]));
      },
    );

    test.runIf(isOpen)('cannot be rolled back', async () => {
      const cells = await twoCells();
      const tree = await newTree(cells);
      await addKey(cells.source, tree.root.accountId);
      await killAt(cells, tree.root.accountId, step);
      await expect(
        between(cells, cells.source.context.encryption, (clients) => rollBack(clients, tree.root.accountId)),
      ).rejects.toThrow('The target is open');
    });
  },
);

function sorted(ids: string[]): string[] {
  return ids.toSorted();
}

/** Runs the command in a process of its own, which kills itself at this step. */
async function killAt({ source, target }: TwoCells, root: string, diesAt: Step): Promise<void> {
  const input: MoverInput = {
    source: source.connection,
    target: target.connection,
    masterKey: masterKey.toString('base64'),
    root,
    diesAt,
  };
  const child = spawn(process.execPath, [join(import.meta.dirname, 'mover.ts'), JSON.stringify(input)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
}

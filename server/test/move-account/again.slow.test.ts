import { onTestFinished, describe, expect, test } from 'vitest';
import { raiseEpoch } from '../../src/db/deployment.ts';
import { withClient } from '../../src/db/pools.ts';
import { forget } from '../../src/move-account/move.ts';
import { receiverForTest } from '../support/receiver.ts';
import { apiClient, createTestDatabase, good, startTestServer, type TestServer } from '../support/server.ts';
import { move, twoCells } from './cells.ts';
import { eventsOf, Follower, listAll, newTree, post, Router, rowsOf, Writer } from './tree.ts';

describe('a tree', () => {
  test('loses and doubles nothing when it moves and moves back while clients write', async () => {
    let source = await startCell();
    let target = await raise(await startCell(), 2);
    onTestFinished(async () => void (await Promise.all([source.stop(), target.stop()])));
    const { root } = await newTree({ source, target });
    const receiver = await receiverForTest(200);
    await good(root.api.post('/v1/webhook_endpoints', { url: receiver.url, enabled_events: ['*'] }));
    const old = await post(root.api, 'old');
    let here = source;
    const router = {
      api: (key: string) => apiClient(here.url, key),
      get url() {
        return here.url;
      },
    };
    const writer = new Writer((key) => router.api(key), root.key);
    const [first] = await eventsOf(source, root.accountId);
    const follower = new Follower(router, root.key, first!);
    const writes = async (count: number): Promise<void> => {
      const before = writer.ids.length;
      await expect.poll(() => writer.ids.length).toBeGreaterThan(before + count);
    };
    await writes(20);
    for (const epoch of [3, null]) {
      await move({ source, target }, root.accountId);
      here = target;
      await writes(20);
      expect((await post(router.api(root.key), 'old')).text).toBe(old.text);
      if (epoch === null) break;
      await withClient(source.connection, (client) => forget(client, root.accountId));
      expect(await rowsOf(source, root.accountId)).toEqual({});
      [source, target] = [target, await raise(source, epoch)];
    }
    await writer.stop();
    expect(await listAll(target.url, root.key)).toEqual([old.body.id as string, ...writer.ids].toSorted());
    const events = await eventsOf(target, root.accountId);
    await follower.count(events.length - 1, target);
    await follower.stop();
    expect(follower.ids).toEqual(events.slice(1));
    await receiver.count(events.length);
    expect(receiver.received.map(({ body }) => body.id as string).toSorted()).toEqual(events.toSorted());
  });

  test('moves once when two commands move it at once', async () => {
    const cells = await twoCells();
    const { root } = await newTree(cells);
    const router = new Router(cells);
    const writer = new Writer((key) => router.api(key), root.key);
    await expect.poll(() => writer.ids.length).toBeGreaterThan(10);
    // The later command waits for ten seconds. Then it finds a running move or one that has ended.
    const both = await Promise.allSettled([move(cells, root.accountId), move(cells, root.accountId)]);
    const reasons = both.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
    expect(reasons.filter((reason) => !reason.includes('Another move is running'))).toEqual([]);
    expect(reasons.length).toBeLessThan(2);
    router.hasMoved = true;
    await writer.stop();
    expect(await listAll(cells.target.url, root.key)).toEqual(writer.ids.toSorted());
    expect((await apiClient(cells.source.url, root.key).get('/v1/references')).status).toBe(503);
  });
});

/** Starts a cell with a database of its own. */
async function startCell(): Promise<TestServer> {
  const { connection, drop } = await createTestDatabase();
  onTestFinished(() => drop());
  return startTestServer({ works: true, connection });
}

/** Raises the epoch of a cell as its operator does: no process runs meanwhile. */
async function raise(cell: TestServer, epoch: number): Promise<TestServer> {
  const { connection, secretKey } = cell;
  await cell.stop();
  await withClient(connection, (client) => raiseEpoch(client, epoch));
  return startTestServer({ works: true, connection, secretKey });
}

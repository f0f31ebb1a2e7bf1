import { describe, expect, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { forget, rollBack, type Step } from '../../src/move-account/move.ts';
import { makeAnotherKey, makeFirstOwnerLink, makeLoginLink, makeRootAccount } from '../../src/server/first-account.ts';
import { oldestAccountId } from '../../src/sign-in/users.ts';
import { receiverForTest } from '../support/receiver.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { Browser, goodPassword, signedIn } from '../support/browser.ts';
import { allPermissions } from '../support/permissions.ts';
import { apiClient, good, type ApiResponse } from '../support/server.ts';
import { addAccount, addKey } from '../support/tenants.ts';
import { between, move, twoCells } from './cells.ts';
import { body, eventsOf, Follower, guardsIn, listAll, newTree, post, Router, rowsOf, Writer } from './tree.ts';

describe('a moved tree', () => {
  test('loses and doubles nothing when it moves while clients write', async () => {
    const cells = await twoCells();
    const { source, target } = cells;
    const receiver = await receiverForTest(200);
    const tree = await newTree(cells);
    const bystanders = [await addAccount(source), await addAccount(target)];
    await good(tree.root.api.post('/v1/webhook_endpoints', { url: receiver.url, enabled_events: ['*'] }));
    const router = new Router(cells);
    const writers = [tree.root.key, tree.child.key].map((key) => new Writer((ofTree) => router.api(ofTree), key));
    const others = bystanders.map((tenant) => new Writer(() => tenant.api, tenant.key));
    const [first] = await eventsOf(source, tree.root.accountId);
    const follower = new Follower(router, tree.root.key, first!);
    await expect.poll(() => Math.min(...writers.map(({ ids }) => ids.length))).toBeGreaterThan(30);

    const moved = await move(cells, tree.root.accountId);
    router.hasMoved = true;

    expect(moved.accountIds.toSorted()).toEqual([tree.root.accountId, tree.child.accountId].toSorted());
    const atMove = writers.map(({ ids }) => ids.length);
    await expect.poll(() => writers.every(({ ids }, index) => ids.length > atMove[index]! + 10)).toBe(true);
    await Promise.all([...writers, ...others].map((writer) => writer.stop()));
    for (const other of others) expect(other.failures).toEqual([]);
    for (const writer of writers) {
      expect(new Set(writer.failures)).toEqual(new Set(writer.failures.length > 0 ? ['503 unavailable'] : []));
      expect(await listAll(target.url, writer.key)).toEqual(writer.ids.toSorted());
    }

    // The follower got each event of the root once, and in order.
    const events = await eventsOf(target, tree.root.accountId);
    expect(events[0]).toBe(first);
    await follower.count(events.length - 1, cells.target);
    await follower.stop();
    expect(follower.ids).toEqual(events.slice(1));

    // Each event was delivered, and none twice: no process died.
    await receiver.count(events.length);
    const delivered = receiver.received.map((delivery) => delivery.body.id as string);
    expect(delivered.toSorted()).toEqual(events.toSorted());

    // The counts are those of the lists.
    const page = (await good(apiClient(target.url, tree.root.key).get('/v1/references?limit=1'))).body;
    expect(page.count).toBe(writers[0]!.ids.length);
  });

  test('replays the stored response of an old idempotency key when the key is used at the target', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    const old = await post(tree.root.api, 'old');
    const ofChild = await good(
      tree.root.api.post('/v1/references', body, {
        'Idempotency-Key': 'child',
        'Service-Context': tree.child.accountId,
      }),
    );
    await move(cells, tree.root.accountId);
    const api = apiClient(cells.target.url, tree.root.key);
    const again = await post(api, 'old');
    expect(again.text).toBe(old.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const childAgain = await good(
      api.post('/v1/references', body, { 'Idempotency-Key': 'child', 'Service-Context': tree.child.accountId }),
    );
    expect(childAgain.body.id).toBe(ofChild.body.id);
  });

  test('brings its files with their bytes and links, and closes the links at the source', async () => {
    const cells = await twoCells();
    const { root } = await newTree(cells);
    const { key } = await addKey(cells.source, root.accountId, { permissions: [...allPermissions] });
    const api = apiClient(cells.source.url, key);
    const bytes = pdfOf('x'.repeat(300_000));
    const file = (await good(api.post('/v1/files', formOf({}, bytes)))).body;
    const { url } = (await good(api.post(`/v1/files/${file.id}/links`, {}))).body;
    const token = new URL(url).hash.slice(1);
    const open = (cell: string): Promise<Response> =>
      fetch(`${cell}/links/contents`, { method: 'POST', body: new URLSearchParams({ token }) });
    await move(cells, root.accountId);
    const opened = await open(cells.target.url);
    expect(opened.status).toBe(200);
    expect(Buffer.from(await opened.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await open(cells.source.url)).status).toBe(503);
  });

  test('is refused with the name of its cell at the source, for reads and writes, until it is forgotten', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    await post(tree.root.api, 'first');
    const person = await signedIn(cells.source, 'owner', { accountId: tree.root.accountId });
    const { id: customer } = (await good(tree.root.api.post('/v1/customers', { name: 'Ada' }))).body;
    const { url: portal } = (await good(tree.root.api.post('/v1/portal_sessions', { customer }))).body;
    const { url: joining } = (
      await good(person.browser.post('/v1/invitations', { email: 'new@example.com', role: 'viewer' }))
    ).body;
    await move(cells, tree.root.accountId);
    for (const key of [tree.root.key, tree.child.key]) {
      const api = apiClient(cells.source.url, key);
      for (const response of [await api.get('/v1/references'), await api.post('/v1/references', body)]) {
        expect(response.status).toBe(503);
        expect(response.headers.get('retry-after')).toBe('1');
        expect(response.body.error).toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining('cell eu2'),
        });
      }
    }
    for (const response of [
      await person.browser.get('/auth/session'),
      await new Browser(cells.source).post('/auth/links/read', { token: new URL(joining).hash.slice(1) }),
      await new Browser(cells.source).post('/v1/portal/link', { token: new URL(portal).hash.slice(1) }),
    ])
      expect([response.status, response.body.error?.code]).toEqual([503, 'unavailable']);
    // A sign-in writes, and its person has no key. A stranger must not learn the id of the account.
    for (const password of [goodPassword, `${goodPassword}?`]) {
      const response = await new Browser(cells.source).post('/auth/sign_in', { email: person.email, password });
      expect(response.status).toBe(503);
      expect(response.body.error.message).toBe(
        'The account has moved to the cell eu2. Nothing was changed. Send the request to the address of that cell.',
      );
    }
    await good(new Browser(cells.target).post('/auth/sign_in', { email: person.email, password: goodPassword }));
    await good(person.browser.copy(cells.target).get('/v1/references'));
    await withClient(cells.source.connection, (client) => forget(client, tree.root.accountId));
    const gone = await apiClient(cells.source.url, tree.root.key).get('/v1/references');
    expect(gone.body.error.code).toBe('api_key_invalid');
    expect(await rowsOf(cells.source, tree.root.accountId)).toEqual({});
    expect(await guardsIn(cells)).toEqual([0, 0]);
    expect(await listAll(cells.target.url, tree.root.key)).toHaveLength(1);
  });
});

describe('a move', () => {
  test('leaves nothing in the target, and the source as it was, when it is rolled back', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    const { body: reference } = await post(tree.root.api, 'first');
    const before = await rowsOf(cells.source, tree.root.accountId);
    await expect(
      move(cells, tree.root.accountId, (step) => {
        if (step === 'open the target') throw new Error('planted');
      }),
    ).rejects.toThrow('planted');
    // The source is open again.
    await post(tree.root.api, 'second');
    await between(cells, cells.source.context.encryption, (clients) => rollBack(clients, tree.root.accountId));
    expect(await rowsOf(cells.target, tree.root.accountId)).toEqual({});
    expect(await guardsIn(cells)).toEqual([0, 0]);
    expect(Object.keys(await rowsOf(cells.source, tree.root.accountId)).toSorted()).toEqual(
      Object.keys(before).toSorted(),
    );
    expect((await tree.root.api.get(`/v1/references/${reference.id}`)).status).toBe(200);
    expect((await apiClient(cells.target.url, tree.root.key).get('/v1/references')).status).toBe(401);
  });

  test('leaves a tree that can move again, when accounts join it during the roll-back', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    const { accountId } = tree.root;
    await expect(
      move(cells, accountId, (step) => {
        if (step === 'drain') throw new Error('planted');
      }),
    ).rejects.toThrow('planted');
    const rolledBack = new AbortController();
    const joining = (async () => {
      while (!rolledBack.signal.aborted) await good(tree.root.api.post('/v1/accounts', { name: 'Joins' }));
    })();
    await between(cells, cells.source.context.encryption, (clients) => rollBack(clients, accountId));
    rolledBack.abort();
    await joining;
    expect(await guardsIn(cells)).toEqual([0, 0]);
    await withClient(cells.source.connection, async (client) => {
      expect((await client.query('select account_id from account_moves')).rows).toEqual([]);
      expect((await client.query('select account_id from account_move_changes')).rows).toEqual([]);
      // Earlier releases left such rows.
      await client.query(
        `insert into account_moves (account_id, root, move, state, cell, target)
         select max(account_id), $1, 'earlier', 'copying', 'eu2', 'a target' from accounts where parent = $1`,
        [accountId],
      );
    });
    expect((await move(cells, accountId)).closedMs).not.toBeNull();
  });
});

describe('the first account of a cell', () => {
  test('lets people of other accounts sign in, and the server start, while it moves and after that', async () => {
    const cells = await twoCells();
    const first = (await oldestAccountId(cells.source.context.reader))!;
    const others = await Promise.all(
      [cells.source, cells.target].map(async (cell) => {
        const { accountId } = await addAccount(cell);
        return { cell, person: await signedIn(cell, 'owner', { accountId }) };
      }),
    );
    const steps: Step[] = [];
    const check = async (): Promise<void> => {
      for (const { cell, person } of others) {
        const signIn = (password: string): Promise<ApiResponse> =>
          new Browser(cell).post('/auth/sign_in', { email: person.email, password });
        expect((await signIn('a wrong password')).status).toBe(401);
        await good(signIn(goodPassword));
        await makeFirstOwnerLink(cell.context);
        await makeLoginLink(cell.context, { accountId: null, email: person.email, resetsSecondFactor: false });
      }
    };
    await move(cells, first, async (step) => {
      steps.push(step);
      if (['catch up', 'last round', 'open the target', 'finish the source'].includes(step)) await check();
    });
    await check();
    expect(steps).toContain('last round');
    expect(await makeFirstOwnerLink(cells.source.context)).toBeNull();
    await expect(makeAnotherKey(cells.source.context, { accountId: null })).rejects.toThrow('is not in this cell');
    await makeRootAccount(cells.source.context, { name: 'Next', owner: null });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeAnotherKey, makeFirstOwnerLink, makeLoginLink, makeRootAccount } from '../../src/server/first-account.ts';
import { Browser, firstOwner, goodPassword, member, tokenOf } from '../support/browser.ts';
import { apiClient, good, serverForTest, startTestServer, type Api, type TestServer } from '../support/server.ts';
import { firstAccountId } from '../support/tenants.ts';

/* A deployment with two root accounts, each with a connected account and a team of its own. */

interface Tree {
  rootId: string;
  connectedId: string;
  key: string;
  api: Api;
  owner: Browser;
}

let server: TestServer;
let first: Tree;
let second: Tree;

beforeAll(async () => {
  server = await startTestServer();
  const owner = await firstOwner(server);
  first = await treeOf(await firstAccountId(server), server.secretKey, owner);
  second = await newTree('Ouse Lettings', 'grace@example.com');
});
afterAll(() => server.stop());

async function newTree(name: string, email: string): Promise<Tree> {
  const { accountId, key, ownerUrl } = await makeRootAccount(server.context, { name, owner: email });
  const browser = new Browser(server);
  await good(browser.post('/auth/links/use', { token: tokenOf(ownerUrl) }));
  return treeOf(accountId, key, browser);
}

async function treeOf(rootId: string, key: string, owner: Browser): Promise<Tree> {
  const api = apiClient(server.url, key);
  const connectedId = (await good(api.post('/v1/accounts', { name: 'Branch' }))).body.id;
  return { rootId, connectedId, key, api, owner };
}

describe('two trees', () => {
  test('have roots without a parent, and list only their own accounts, when both have connected ones', async () => {
    for (const { api, rootId, connectedId } of [first, second]) {
      expect((await good(api.get('/v1/account'))).body).toMatchObject({ id: rootId, parent: null });
      const { data, count } = (await good(api.get('/v1/accounts'))).body;
      expect({ ids: data.map(({ id }: { id: string }) => id), count }).toEqual({ ids: [connectedId], count: 1 });
    }
  });

  test("refuse a key that names an account of the other tree, as they refuse an unknown account's id", async () => {
    for (const [own, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const unknown = await own.api.get('/v1/references', { 'service-context': server.context.ids.make('acct') });
      for (const id of [other.rootId, other.connectedId]) {
        const refused = await own.api.get('/v1/references', { 'service-context': id });
        expect([refused.status, refused.body.error.code]).toEqual([403, unknown.body.error.code]);
      }
    }
  });

  test('make a record each, and two different ones, when they use the same idempotency key', async () => {
    const header = { 'idempotency-key': 'the-same-for-both' };
    const made = await Promise.all(
      [first, second].map(({ api }) => good(api.post('/v1/references', { application: 'app_1' }, header))),
    );
    const ids = made.map(({ body }) => body.id);
    expect(new Set(ids).size).toBe(2);
    for (const [index, { api }] of [first, second].entries()) {
      const again = await good(api.post('/v1/references', { application: 'app_1' }, header));
      expect(again.body.id).toBe(ids[index]);
      expect((await api.get(`/v1/references/${ids[1 - index]}`)).status).toBe(404);
    }
  });

  test('keep events and logs apart when a connected account of each writes', async () => {
    for (const { api, connectedId } of [first, second])
      await good(api.post('/v1/references', { application: 'app_1' }, { 'service-context': connectedId }));
    for (const [own, other] of [
      [first, second],
      [second, first],
    ] as const) {
      for (const headers of [{}, { 'service-context': own.connectedId }]) {
        for (const path of ['/v1/events?limit=50', '/v1/logs?limit=50', '/v1/api_keys?limit=50']) {
          const { text } = await good(own.api.get(path, headers));
          expect(text).not.toContain(other.rootId);
          expect(text).not.toContain(other.connectedId);
        }
      }
    }
  });

  test("deliver only to the tree's own endpoints when an endpoint listens to connected accounts", async () => {
    const endpoint = { url: 'http://127.0.0.1:9/hook', enabled_events: ['*'], connected: true };
    const made = await good(first.api.post('/v1/webhook_endpoints', endpoint));
    const deliveriesAfterWriteOf = async ({ api, connectedId }: Tree): Promise<number> => {
      const { body: reference } = await good(
        api.post('/v1/references', { application: 'app_1' }, { 'service-context': connectedId }),
      );
      const { rows } = await server.context.database.readers.query(
        `select 1 from webhook_deliveries where webhook_endpoint = $1 and event in (select id from events where object_id = $2)`,
        [made.body.id, reference.id],
      );
      return rows.length;
    };
    expect(await deliveriesAfterWriteOf(first)).toBe(1);
    expect(await deliveriesAfterWriteOf(second)).toBe(0);
  });
});

describe('the people of two trees', () => {
  test('sign in by e-mail each to their own tree when they have passwords', async () => {
    await member(server, second.owner, 'admin', 'alan@example.com');
    await member(server, first.owner, 'admin', 'barbara@example.com');
    for (const [email, tree] of [
      ['alan@example.com', second],
      ['barbara@example.com', first],
    ] as const) {
      const browser = new Browser(server);
      const { body } = await good(browser.post('/auth/sign_in', { email, password: goodPassword }));
      expect(body.user.account.id).toBe(tree.rootId);
      const { data } = (await good(browser.get('/v1/users'))).body;
      const emails = data.map((user: { email: string }) => user.email);
      expect(emails).toContain(email);
      expect(emails).not.toContain(email === 'alan@example.com' ? 'barbara@example.com' : 'alan@example.com');
    }
  });

  test('have one account for each address when the other tree invites it, too', async () => {
    const invited = await good(first.owner.post('/v1/invitations', { email: 'grace@example.com', role: 'viewer' }));
    const used = await new Browser(server).post('/auth/links/use', {
      token: tokenOf(invited.body.url),
      password: goodPassword,
    });
    expect([used.status, used.body.error]).toEqual([
      400,
      expect.objectContaining({ code: 'parameter_invalid', param: 'email' }),
    ]);
    await expect(
      makeRootAccount(server.context, { name: 'Foss Lettings', owner: 'Grace@example.com' }),
    ).rejects.toThrow(/has the e-mail address Grace@example\.com already/);
  });
});

test('makes one account and names the address when two are made with it at once', async () => {
  const other = await serverForTest();
  const wanted = { name: 'Foss Lettings', owner: 'mary@example.com' };
  const results = await Promise.allSettled([
    makeRootAccount(other.context, wanted),
    makeRootAccount(other.context, wanted),
  ]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const refused = results.find((result) => result.status === 'rejected');
  expect(String(refused?.reason)).toContain('has the e-mail address mary@example.com already');
});

describe('an account of its own tree', () => {
  test('gets its first owner by a link when the other tree has users', async () => {
    const { accountId, ownerUrl } = await makeRootAccount(server.context, { name: 'Foss Lettings', owner: null });
    const later = await makeLoginLink(server.context, { accountId, email: null, resetsSecondFactor: false });
    const browser = new Browser(server);
    const read = await good(browser.post('/auth/links/read', { token: tokenOf(ownerUrl) }));
    expect(read.body).toMatchObject({ purpose: 'first_owner', account: { name: 'Foss Lettings' } });
    const used = await good(
      browser.post('/auth/links/use', { token: tokenOf(ownerUrl), email: 'katherine@example.com' }),
    );
    expect(used.body.user).toMatchObject({ role: 'owner', account: { id: accountId } });
    const again = await new Browser(server).post('/auth/links/use', { token: tokenOf(later), email: 'e@example.com' });
    expect(again.body.error.code, 'the other link is used up').toBe('link_invalid');
  });

  test('needs a password for its owner when it is live', async () => {
    const live = await serverForTest({ settings: { TENURE_MODE: 'live' } });
    const { ownerUrl } = await makeRootAccount(live.context, { name: 'Foss Lettings', owner: 'mary@example.com' });
    const token = tokenOf(ownerUrl);
    const read = await good(new Browser(live).post('/auth/links/read', { token }));
    expect(read.body).toMatchObject({ email: 'mary@example.com', role: 'owner', password_required: true });
    const used = await new Browser(live).post('/auth/links/use', { token, password: goodPassword });
    expect(used.body.user, used.text).toMatchObject({ email: 'mary@example.com', role: 'owner' });
  });

  test('needs a password for its owner when it is live and the first link was not used', async () => {
    const live = await serverForTest({ settings: { TENURE_MODE: 'live' } });
    const { accountId } = await makeRootAccount(live.context, { name: 'Foss Lettings', owner: 'mary@example.com' });
    const linkFor = async (email: string | null): Promise<string> =>
      tokenOf(await makeLoginLink(live.context, { accountId, email, resetsSecondFactor: false }));
    for (const email of [null, 'mary@example.com']) {
      const token = await linkFor(email);
      const read = await good(new Browser(live).post('/auth/links/read', { token }));
      expect(read.body).toMatchObject({ purpose: 'password_reset', password_required: true });
      const refused = await new Browser(live).post('/auth/links/use', { token });
      expect([refused.status, refused.body.error.param]).toEqual([400, 'password']);
    }
    await good(new Browser(live).post('/auth/links/use', { token: await linkFor(null), password: goodPassword }));
    // A user with a password signs in with the link alone.
    const later = await good(new Browser(live).post('/auth/links/read', { token: await linkFor(null) }));
    expect(later.body).toMatchObject({ purpose: 'sign_in', password_required: false });
  });

  test('leaves the first account its own first owner when it has a user before', async () => {
    const other = await serverForTest();
    await makeRootAccount(other.context, { name: 'Foss Lettings', owner: 'mary@example.com' });
    const url = await makeFirstOwnerLink(other.context);
    const used = await new Browser(other).post('/auth/links/use', { token: tokenOf(url!), email: 'ada@example.com' });
    expect(used.body.user.account.id).toBe(await firstAccountId(other));
    expect(await makeFirstOwnerLink(other.context)).toBeNull();
  });

  test('gets another key and a link by its id, and no link of a user elsewhere', async () => {
    const key = await makeAnotherKey(server.context, { accountId: second.rootId });
    expect((await good(apiClient(server.url, key).get('/v1/account'))).body.id).toBe(second.rootId);
    const options = { accountId: second.rootId, resetsSecondFactor: false };
    const url = await makeLoginLink(server.context, { ...options, email: null });
    const used = await good(new Browser(server).post('/auth/links/use', { token: tokenOf(url) }));
    expect(used.body.user.email).toBe('grace@example.com');
    await expect(makeLoginLink(server.context, { ...options, email: 'ada@example.com' })).rejects.toThrow(
      /^No user of/,
    );
    await expect(makeAnotherKey(server.context, { accountId: 'acct_unknown' })).rejects.toThrow(/^There is no account/);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../src/model/callers/roles.ts';
import { signedIn } from '../support/browser.ts';
import { good, serverForTest, startTestServer, type Api, type TestServer } from '../support/server.ts';
import { addAccount, addKey, type Tenant } from '../support/tenants.ts';
import { idsInOrder, streamForTest, untilSettled } from './scenario.ts';

type Listed = { id: string; type: string };

const team = ['user', 'invitation'];
const developing = ['api_key', 'recovery', 'webhook_endpoint'];
const office = ['customer'];

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** An account with events about its team, its developers' records and its office. */
interface Office extends Tenant {
  personOf(role: Role): Promise<Api>;
  keyWith(...permissions: string[]): Promise<Tenant>;
}

async function officeWithEvents(): Promise<Office> {
  const { accountId } = await addAccount(server);
  const tenant = await addKey(server, accountId, {
    permissions: ['customers.write', 'webhook_endpoints.write', 'api_keys.write', 'events.read'],
  });
  const { browser, id } = await signedIn(server, 'owner', { accountId });
  await good(tenant.api.post('/v1/customers', { name: 'Ada' }));
  await good(browser.post('/v1/invitations', { email: `${id.toLowerCase()}@example.net`, role: 'viewer' }));
  await good(tenant.api.post('/v1/api_keys', { type: 'restricted', permissions: ['events.read'] }));
  const { body } = await good(
    tenant.api.post('/v1/webhook_endpoints', { url: 'https://hooks.example.com/secret-path' }),
  );
  await good(tenant.api.post(`/v1/webhook_endpoints/${body.id}/recover`, { since: body.created }));
  await good(browser.post(`/auth/me`, { name: 'Grace' }));
  await good(tenant.api.post('/v1/customers', { name: 'Alan' }));
  return {
    ...tenant,
    personOf: async (role) => (await signedIn(server, role, { accountId })).browser,
    keyWith: (...permissions) => addKey(server, accountId, { permissions }),
  };
}

/** Returns all events that a caller lists, page by page. Each page says how many there are. */
async function listed(api: Api, query = ''): Promise<Listed[]> {
  const found: Listed[] = [];
  for (let after = ''; ; after = `&starting_after=${found.at(-1)!.id}`) {
    const { body } = await good(api.get(`/v1/events?limit=2${query}${after}`));
    found.push(...body.data);
    if (body.has_more) continue;
    expect(body.count).toBe(found.length);
    return found;
  }
}

async function kindsIn(api: Api, query = ''): Promise<string[]> {
  const events = await listed(api, query);
  return [...new Set(events.map(({ type }) => type.split('.')[0]!))].toSorted();
}

const sorted = (...kinds: string[][]): string[] => kinds.flat().toSorted();

describe('events', () => {
  test('are only listed and counted when the caller may read their kind of record', async () => {
    const { personOf, keyWith, api } = await officeWithEvents();
    const all = sorted(office, team, developing);
    for (const role of ['owner', 'admin', 'developer'] as const)
      expect(await kindsIn(await personOf(role))).toEqual(all);
    for (const role of ['operator', 'viewer'] as const) expect(await kindsIn(await personOf(role))).toEqual(office);
    expect(await kindsIn(api)).toEqual(sorted(office, developing));
    expect(await kindsIn((await keyWith('events.read')).api)).toEqual(office);
    const withKeys = await keyWith('events.read', 'api_keys.read');
    expect(await kindsIn(withKeys.api)).toEqual(sorted(office, ['api_key']));
  });

  test('are counted without the hidden ones when a filter finds both', async () => {
    const { personOf, keyWith, keyId } = await officeWithEvents();
    const { api } = await keyWith('events.read');
    for (const query of [
      '&type=*',
      '&type=c*',
      '&type=user.*',
      '&type=api_key.created',
      '&actor=user',
      '&actor=system',
      '&actor=api_key',
      `&actor=${keyId}`,
      `&actor=${keyId}&type=*`,
      `&related_object=${keyId}`,
      '&created[gte]=0',
    ]) {
      // Of their own for each query, because a session may only send 20 requests a second.
      const [owner, viewer] = [await personOf('owner'), await personOf('viewer')];
      const expected = (await listed(owner, query)).filter(({ type }) => type.startsWith('customer.'));
      expect(await listed(viewer, query), query).toEqual(expected);
      expect(await listed(api, query), query).toEqual(expected);
    }
  });

  test('are unknown when the caller may not read their kind of record', async () => {
    const { personOf, keyWith } = await officeWithEvents();
    const { api } = await keyWith('events.read');
    for (const event of await listed(await personOf('owner'))) {
      const isOfOffice = event.type.startsWith('customer.');
      const { status, body } = await api.get(`/v1/events/${event.id}`);
      expect([event.type, status, body.error?.code]).toEqual(
        isOfOffice ? [event.type, 200, undefined] : [event.type, 404, 'resource_missing'],
      );
    }
  });

  test('are passed over by a stream when the caller may not read their kind of record', async () => {
    const tenant = await officeWithEvents();
    const { key, api } = await tenant.keyWith('events.read');
    const stream = await streamForTest(server.url, key, { query: '?after=beginning' });
    await stream.count(2);
    const [first, last] = (await listed(api)).toReversed().map(({ id }) => id);
    expect(stream.ids).toEqual([first, last]);
    // A client that has seen only the first one resumes with the next that it may see.
    const resumed = await streamForTest(server.url, key, { query: `?after=${first}` });
    await resumed.count(1);
    expect(resumed.ids).toEqual([last]);
    expect(JSON.stringify([...stream.text, ...resumed.text])).not.toContain('secret-path');
    // A client that could see a hidden event has its position, and must not lose events.
    const ids = await idsInOrder(tenant, server);
    const hidden = ids[ids.indexOf(first!) + 1];
    expect(hidden).not.toBe(last);
    const after = await streamForTest(server.url, key, { query: `?after=${hidden}` });
    await after.count(1);
    expect(after.ids).toEqual([last]);
  });

  test('are named by no position of a stream when the caller may not read their kind of record', async () => {
    const tenant = await officeWithEvents();
    const { key, api } = await tenant.keyWith('events.read');
    const makeHidden = () =>
      good(tenant.api.post('/v1/api_keys', { type: 'restricted', permissions: ['events.read'] }));
    await makeHidden();
    const seen = (await listed(api)).map(({ id }) => id);
    // A stream begins behind the settled events.
    await untilSettled(tenant, server);
    const quick = await serverForTest({
      connection: server.connection,
      overrides: { streamLimits: { heartbeatMs: 100 } },
    });
    const stream = await streamForTest(quick.url, key);
    const positions = () => [...stream.text.join('').matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    await expect.poll(positions).toEqual([seen[0]]);
    // A stream of another key shows that the hidden event was passed.
    const watching = await streamForTest(quick.url, tenant.key);
    const comments = () => stream.text.join('').match(/^:$/gm)?.length ?? 0;
    await makeHidden();
    await watching.count(1);
    const before = comments();
    await expect.poll(comments).toBeGreaterThan(before + 1);
    expect(positions()).toEqual([seen[0]]);
    await good(tenant.api.post('/v1/customers', { name: 'Mary' }));
    await stream.count(1);
    expect(stream.ids).toEqual([(await listed(api))[0]!.id]);
  });
});

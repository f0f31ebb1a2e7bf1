import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allPermissions } from '../support/permissions.ts';
import type { ApiVersion } from '../../src/versions/api-version.ts';
import { apiVersions } from '../../src/versions/index.ts';
import { isSignedWith, receiverForTest, type Received, type Receiver } from '../support/receiver.ts';
import { expectRefusal, invalid } from '../support/refusals.ts';
import {
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { expectReferenceIn } from '../support/shapes.ts';
import { addAccount, addKey, type Tenant } from '../support/tenants.ts';
import { inVersion, latestVersion, versions, words } from '../support/versions.ts';
import { deliveriesOf, endpointFor, over, queueEmpty } from '../webhooks/scenario.ts';

type Body = ApiResponse['body'];

const oldest = versions.at(-1)!;
const between = versions[1]!;
const updates = { enabled_events: ['reference.updated'] };

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ settings: { TENURE_RETRY_SCHEDULE: '0.05' } });
});
afterAll(() => server.stop());

describe('the version of an endpoint', () => {
  test.each(versions)('is that of its account when it is made, whatever the request was in: %s', async (version) => {
    const { api } = await addAccount(server, version);
    const receiver = await receiverForTest();
    for (const other of versions) {
      const made = await good(api.post('/v1/webhook_endpoints', { url: receiver.url, ...updates }, inVersion(other)));
      expect(made.body.api_version).toBe(version);
    }
    await updateReference(api, version);
    for (const sent of await receiver.count(versions.length)) expectSent(version, sent);
  });

  test('is that of the account acted upon, not of the key’s own', async () => {
    const { parent, child } = await family();
    const context = { 'service-context': child.accountId };
    const receiver = await receiverForTest();
    const made = await good(parent.api.post('/v1/webhook_endpoints', { url: receiver.url, ...updates }, context));
    expect(made.body.api_version).toBe(between);
    await updateReference(child.api, between);
    expectSent(between, (await receiver.count(1))[0]!);
  });

  test('can be told when it is made, and stays when its account is upgraded', async () => {
    const { accountId } = await addAccount(server, oldest);
    const { api } = await addKey(server, accountId, { permissions: [...allPermissions] });
    const [told, untold] = [await receiverForTest(), await receiverForTest()];
    const endpoint = await endpointFor(api, told.url, { ...updates, api_version: between });
    expect(endpoint.api_version).toBe(between);
    await endpointFor(api, untold.url, updates);
    await good(api.post('/v1/account/api_version', { api_version: latestVersion }));
    await updateReference(api, latestVersion);
    expectSent(between, (await told.count(1))[0]!);
    expectSent(oldest, (await untold.count(1))[0]!);
  });

  test('can be changed: what is sent from then on has the new shape, and each attempt tells which it had', async () => {
    const { api } = await addAccount(server);
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(api, receiver.url, { ...updates, api_version: oldest });
    for (const [index, version] of [oldest, latestVersion, between].entries()) {
      if (index > 0) {
        const changed = await good(api.post(`/v1/webhook_endpoints/${endpoint.id}`, { api_version: version }));
        expect(changed.body.api_version).toBe(version);
      }
      await updateReference(api, latestVersion);
      expectSent(version, (await receiver.count(index + 1))[index]!);
    }
    await queueEmpty(server);
    const deliveries = await deliveriesOf(api, endpoint.id);
    const attempts = deliveries.map(({ attempts: [attempt] }: Body) => attempt.api_version);
    expect(attempts).toEqual([between, latestVersion, oldest]);
  });

  test('is looked at when something is sent: a retry has the shape of now, although the event is of before', async () => {
    const { api } = await addAccount(server);
    const broken = Promise.withResolvers<void>();
    const receiver = await receiverForTest(
      (response) => void broken.promise.then(() => response.writeHead(500).end()),
      200,
    );
    const endpoint = await endpointFor(api, receiver.url, { ...updates, api_version: oldest });
    await updateReference(api, latestVersion);
    await receiver.count(1);
    await good(api.post(`/v1/webhook_endpoints/${endpoint.id}`, { api_version: latestVersion }));
    broken.resolve();
    const { attempts } = await over(api, endpoint.id);
    const [before, after] = receiver.received;
    expectSent(oldest, before!);
    expectSent(latestVersion, after!);
    expect(after!.body.id).toBe(before!.body.id);
    expect(attempts.map(({ status, api_version }: Body) => [status, api_version])).toEqual([
      [500, oldest],
      [200, latestVersion],
    ]);
  });

  test('is one that there is', async () => {
    const { api } = await addAccount(server);
    const endpoint = await endpointFor(api, 'http://127.0.0.1:9/', updates);
    for (const version of ['2026-11-02', 'latest', '']) {
      const refusal = { ...invalid('api_version'), says: versions.join(', ') };
      expectRefusal(
        await api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/', api_version: version }),
        refusal,
      );
      expectRefusal(await api.post(`/v1/webhook_endpoints/${endpoint.id}`, { api_version: version }), refusal);
    }
    expect((await good(api.get(`/v1/webhook_endpoints/${endpoint.id}`))).body.api_version).toBe(latestVersion);
  });
});

describe('one event for endpoints of every version', () => {
  test('is sent to each in its own shape, signed over those bytes', async () => {
    const { api } = await addAccount(server);
    const receivers = await receiversOf(api, {});
    const { id, metadata } = await updateReference(api, latestVersion);
    const [event] = (await good(api.get(`/v1/events?object_id=${id}`))).body.data;
    for (const { version, receiver, secret } of receivers) {
      const [sent, ...more] = await receiver.count(1);
      expect(more).toEqual([]);
      expectSent(version, sent!);
      expect(isSignedWith(secret, sent!)).toBe(true);
      expect(sent!.raw.toString('utf8')).toBe(JSON.stringify(sent!.body));
      expect([sent!.body.id, sent!.body.data.object.metadata]).toEqual([event.id, metadata]);
      // The same that the API shows in that version.
      const { api_version, ...shown } = (await good(api.get(`/v1/events/${event.id}`, inVersion(version)))).body;
      expect(sent!.body).toStrictEqual(shown);
      expect(api_version).toBe(version);
    }
  });

  test('of a connected account, is so too, and says whose it is', async () => {
    const { parent, child } = await family();
    const receivers = await receiversOf(parent.api, { connected: true });
    await updateReference(child.api, between);
    for (const { version, receiver, secret } of receivers) {
      const [sent] = await receiver.count(1);
      const { account, ...event } = sent!.body;
      expect(account).toBe(child.accountId);
      expectSent(version, { ...sent!, body: event });
      expect(isSignedWith(secret, sent!)).toBe(true);
    }
  });

  test('is rendered once for each version, however many the endpoints are', async () => {
    const calls = { request: 0 };
    // The newest shape is sent as it is kept: nothing renders it, so it is the two older ones that can be counted.
    const own = await serverForTest({
      overrides: { versions: apiVersions.map((version) => counting(version, calls)) },
    });
    const receiver = await receiverForTest();
    for (const version of versions)
      for (let made = 0; made < 4; made++) await endpointFor(own.api, receiver.url, { api_version: version });
    calls.request = 0;
    await good(own.api.post('/v1/references', { application: 'app_1' }));
    const received = await receiver.count(12);
    await queueEmpty(own);
    expect(calls.request).toBe(2);
    for (const version of versions) {
      const sent = received.filter(({ headers }) => headers['service-version'] === version);
      expect(sent).toHaveLength(4);
      expect(new Set(sent.map(({ raw }) => raw.toString('utf8'))).size).toBe(1);
    }
  });
});

/** The same version; it counts how often the `request` of an event is rendered for those before. */
function counting(version: ApiVersion, calls: { request: number }): ApiVersion {
  const changes = version.changes.map((change) => {
    const { request } = change.reshaped ?? {};
    if (!request) return change;
    const older: typeof request.older = (value) => {
      calls.request++;
      return request.older(value);
    };
    return { ...change, reshaped: { ...change.reshaped, request: { ...request, older } } };
  });
  return { ...version, changes };
}

/** An endpoint of each version, with a receiver of its own. */
async function receiversOf(api: Api, more: object): Promise<{ version: string; receiver: Receiver; secret: string }[]> {
  const made = [];
  for (const version of versions) {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(api, receiver.url, { ...updates, ...more, api_version: version });
    made.push({ version, receiver, secret: endpoint.signing_secret as string });
  }
  return made;
}

/** A platform at the oldest version, and an account that is connected to it and one version ahead. */
async function family(): Promise<{ parent: Tenant; child: Tenant }> {
  const { accountId: parentId } = await addAccount(server, oldest);
  const { accountId: childId } = await addAccount(server, between);
  await server.context.database.readers.query('update accounts set parent = $1 where id = $2', [parentId, childId]);
  return {
    parent: await addKey(server, parentId, { permissions: [...allPermissions] }),
    child: await addKey(server, childId),
  };
}

/** Makes a reference whose file changes once, so that there is one `reference.updated`. The account is at this version. */
async function updateReference(api: Api, version: string): Promise<Body> {
  const metadata = { pdf: 'the client’s', reference_pdf: 'own', object: 'reference' };
  const { id } = (await good(api.post('/v1/references', { application: 'app_1', metadata }))).body;
  return (await good(api.post(`/v1/references/${id}`, { [words[version]!.file]: 'file_1' }))).body;
}

/** Fails unless it is, in the shape of this version, the event that `updateReference` made. */
function expectSent(version: string, { headers, body }: Pick<Received, 'headers' | 'body'>): void {
  const { file, request } = words[version]!;
  expect(headers['service-version']).toBe(version);
  expect(Object.keys(body)).toEqual(['id', 'object', 'created', 'type', 'data', 'request']);
  expectReferenceIn(version, body.data.object, 'file_1');
  expect(body.data.previous_attributes).toStrictEqual({ [file]: null });
  expect(request === 'id' ? body.request : body.request.id).toMatch(/^req_/);
}

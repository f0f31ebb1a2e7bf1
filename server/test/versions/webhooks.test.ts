import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allPermissions } from '../support/permissions.ts';
import type { ApiVersion } from '../../src/versions/api-version.ts';
import { apiVersions } from '../../src/versions/index.ts';
import { isSignedWith, receiverForTest } from '../support/receiver.ts';
import { good, serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount, addKey, type Tenant } from '../support/tenants.ts';
import { inVersion, latestVersion, versions } from '../support/versions.ts';
import { deliveriesOf, endpointFor, queueEmpty } from '../webhooks/scenario.ts';
import { expectSent, receiversOf, updateReference, updates } from '../support/sent-shapes.ts';

type Body = ApiResponse['body'];

const oldest = versions.at(-1)!;
const between = versions[1]!;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ settings: { TENURE_RETRY_SCHEDULE: '0.05' } });
});
afterAll(() => server.stop());

describe('the version of an endpoint', () => {
  test.each(versions)(
    "gives an endpoint its account's version when it is created in any version: %s",
    async (version) => {
      const { api } = await addAccount(server, version);
      const receiver = await receiverForTest();
      for (const other of versions) {
        const made = await good(api.post('/v1/webhook_endpoints', { url: receiver.url, ...updates }, inVersion(other)));
        expect(made.body.api_version).toBe(version);
      }
      await updateReference(api, version);
      for (const sent of await receiver.count(versions.length)) expectSent(version, sent);
    },
  );

  test("gives an endpoint the version of the account acted on when the key is the parent's", async () => {
    const { parent, child } = await family();
    const context = { 'service-context': child.accountId };
    const receiver = await receiverForTest();
    const made = await good(parent.api.post('/v1/webhook_endpoints', { url: receiver.url, ...updates }, context));
    expect(made.body.api_version).toBe(between);
    await updateReference(child.api, between);
    expectSent(between, (await receiver.count(1))[0]!);
  });

  test("sends the next attempt in the new version, and records it, when an endpoint's version changes", async () => {
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
});

describe('events for endpoints of every version', () => {
  test("sends a connected account's event in each endpoint's version, with its account, when versions differ", async () => {
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

  test('renders an event once for each version when it has many endpoints', async () => {
    const calls = { request: 0 };
    // The newest shape is sent as it is stored, without rendering. So the test counts the two older ones.
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

/** The same version with a counter of the renderings of an event's `request` for older versions. */
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

/** Creates a platform at the oldest version, with a connected account one version ahead. */
async function family(): Promise<{ parent: Tenant; child: Tenant }> {
  const { accountId: parentId } = await addAccount(server, oldest);
  const { accountId: childId } = await addAccount(server, between);
  await server.context.database.readers.query('update accounts set parent = $1 where id = $2', [parentId, childId]);
  return {
    parent: await addKey(server, parentId, { permissions: [...allPermissions] }),
    child: await addKey(server, childId),
  };
}

import { describe, expect, onTestFinished, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { withClient } from '../../src/db/pools.ts';
import { ReleaseTooOldError } from '../../src/db/deployment.ts';
import { releaseVersion } from '../../src/db/latest-version.ts';
import { apiVersions } from '../../src/versions/index.ts';
import { takeAnswerFaults } from '../support/answer-faults.ts';
import { receiverForTest } from '../support/receiver.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { apiClient, createTestDatabase, serverForTest, startTestServer, type TestServer } from '../support/server.ts';
import { endpointFor, soon } from '../webhooks/scenario.ts';
import { nextVersion } from './next-version.ts';

/*
 * A rolling deployment: processes of two releases serve at the same time. Only the newer release knows a new version. That version is
 * dormant until every process knows it and the deployment's row names it.
 */

const settings = { DATABASE_URL: 'postgres://given.by.the.test/', TENURE_MASTER_KEY: newMasterKey() };
const versions = [nextVersion, ...apiVersions];
const dormant = nextVersion.date;
const latest = apiVersions[0].date;

describe('dormant versions', () => {
  test('refuses, hides and never pins a version when not every process knows it', async () => {
    const { older, newer } = await twoReleases({ unpinned: true });
    const first = await newer.api.get('/v1/references');
    expect(first.headers.get('service-version')).toBe(latest);
    for (const { api } of [older, newer]) {
      const named = await api.get('/v1/references', { 'service-version': dormant });
      expectRefusal(named, { ...refusals.version, says: `Send one of ${latest}, ` });
      expect(named.body.error.message).not.toContain(`${dormant}, `);
      const { body: list } = await api.get('/v1/api_versions');
      expect([list.count, list.data[0].id, list.data[0].latest]).toEqual([apiVersions.length, latest, true]);
      const endpoint = { url: 'http://127.0.0.1:9/', api_version: dormant };
      expect((await api.post('/v1/webhook_endpoints', endpoint)).body.error.param).toBe('api_version');
      expect((await api.post('/v1/account/api_version', { api_version: dormant })).body.error.param).toBe(
        'api_version',
      );
      expect((await api.get(`/v1/account/api_version/preview?to=${dormant}`)).body.error.param).toBe('to');
      expect((await api.get('/v1/account')).body.api_version).toBe(latest);
    }
  });

  test('renders and delivers events of both releases when a version is dormant', async () => {
    const { older, newer } = await twoReleases();
    const receiver = await receiverForTest();
    await endpointFor(older.api, receiver.url, { enabled_events: ['customer.created'] });
    for (const { api } of [newer, older]) {
      await api.post('/v1/customers', {
        name: 'Ada',
        // The newer release stores it under another name, and responds in the version that both know.
        birthday: api === newer.api ? '31/12/1990' : undefined,
      });
    }
    const shown = await Promise.all(
      [older, newer].map(async ({ api }) => (await api.get('/v1/events?type=customer.*')).body),
    );
    expect(shown[0].count).toBe(2);
    const fromNewer = shown[0].data[1].data.object;
    expect(fromNewer).toMatchObject({ birthday: '31/12/1990' });
    expect(shown[1].data[1].data.object).toStrictEqual(fromNewer);
    await expect.poll(() => receiver.received.length, soon).toBe(2);
    // In the older process, that version always had `date_of_birth`. Two real releases agree on a version's shape.
    expect(takeAnswerFaults()).toEqual([
      expect.stringMatching(/^GET \/v1\/events .*\/data\/1\/data\/object must have/),
    ]);
  });
});

describe('activated versions', () => {
  test('serves the version and pins new accounts when the row names it', async () => {
    const { newer: one } = await twoReleases();
    const two = await serverForTest({
      settings,
      connection: one.connection,
      secretKey: one.secretKey,
      overrides: { versions },
    });
    const { body: child } = await one.api.post('/v1/accounts', { name: 'A branch' });
    expect((await two.api.get('/v1/references', { 'service-version': dormant })).status).toBe(400);
    expect(await release(one, dormant)).toBe(dormant);
    for (const { api } of [one, two]) {
      await expect.poll(async () => (await api.get('/v1/references', { 'service-version': dormant })).status).toBe(200);
    }
    const { body: list } = await two.api.get('/v1/api_versions');
    expect([list.count, list.data[0].id, list.data[0].latest]).toEqual([versions.length, dormant, true]);
    await two.api.get('/v1/references', { 'service-context': child.id });
    expect((await one.api.get(`/v1/accounts/${child.id}`)).body.api_version).toBe(dormant);
    // An account keeps its version, and can upgrade.
    expect((await one.api.get('/v1/account')).body.api_version).toBe(latest);
    expect((await one.api.post('/v1/account/api_version', { api_version: dormant })).status).toBe(200);
  });

  test('asks clients of the new version to retry, and serves all others, when a process of the older release is left', async () => {
    const { older, newer } = await twoReleases();
    const { body: before } = await newer.api.post('/v1/customers', { name: 'Ada' });
    await release(newer, dormant);
    await expect.poll(async () => (await newer.api.get('/v1/api_versions')).body.count).toBe(versions.length);
    expect((await newer.api.post('/v1/account/api_version', { api_version: dormant })).status).toBe(200);
    const asked = await older.api.get(`/v1/customers/${before.id}`);
    expectRefusal(asked, {
      ...refusals.unavailable,
      says: `does not know the API version ${dormant}`,
      version: latest,
    });
    const named = await older.api.get(`/v1/customers/${before.id}`, { 'service-version': latest });
    expect(named.status).toBe(200);
    // Even after it has read of the new version, it offers none that it would refuse.
    const later = await older.api.get(`/v1/customers/${before.id}`);
    expect([later.status, later.headers.get('service-version')]).toEqual([503, latest]);
    const unknown = await apiClient(older.url, 'sk_test_1').get('/v1/references');
    expect([unknown.status, unknown.headers.get('service-version')]).toEqual([401, latest]);
  });

  test('leaves a delivery to a newer process when the older one cannot render it', async () => {
    const { older, newer } = await twoReleases();
    await release(newer, dormant);
    await expect.poll(async () => (await newer.api.get('/v1/api_versions')).body.count).toBe(versions.length);
    const receiver = await receiverForTest();
    const wanted = { api_version: dormant, enabled_events: ['customer.created'] };
    await endpointFor(newer.api, receiver.url, wanted);
    // The older process claims it first. It releases it for five seconds, each time that it claims it.
    await older.api.post('/v1/customers', { name: 'Ada' }, { 'service-version': latest });
    await expect.poll(() => receiver.received.length, { timeout: 110_000, interval: 50 }).toBe(1);
    expect(receiver.received[0]!.headers['service-version']).toBe(dormant);
    expect(receiver.received[0]!.headers['service-attempt']).toBe('1');
  });

  test('refuses to start and does not revert the row when the release does not know the version', async () => {
    const { newer } = await twoReleases();
    await release(newer, dormant);
    await expect(serverForTest({ settings, connection: newer.connection })).rejects.toThrow(ReleaseTooOldError);
    expect(await release(newer, latest)).toBe(dormant);
  });

  test('activates the version by its start when a server is alone on its embedded database', async () => {
    const database = await createTestDatabase();
    onTestFinished(database.drop);
    const before = await startTestServer({ connection: database.connection });
    expect((await before.api.get('/v1/api_versions')).body.count).toBe(apiVersions.length);
    await before.stop();
    const after = await serverForTest({
      connection: database.connection,
      secretKey: before.secretKey,
      overrides: { versions },
    });
    expect((await after.api.get('/v1/api_versions')).body.data[0]).toMatchObject({ id: dormant, latest: true });
    expect((await after.api.get('/v1/account')).body.api_version).toBe(latest);
  });
});

/** Starts two processes of one deployment: today's release and a future one. */
async function twoReleases(options: { unpinned?: true } = {}): Promise<{ older: TestServer; newer: TestServer }> {
  const { connection, drop } = await createTestDatabase();
  onTestFinished(drop);
  const older = await serverForTest({ settings, connection, ...options });
  const { secretKey } = older;
  const newer = await serverForTest({ settings, connection, secretKey, overrides: { versions }, ...options });
  return { older, newer };
}

function release({ connection }: TestServer, version: string): Promise<string> {
  return withClient(connection, (client) => releaseVersion(client, version));
}

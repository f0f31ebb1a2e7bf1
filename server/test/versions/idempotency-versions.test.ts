import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allPermissions } from '../support/permissions.ts';
import { expectReplay, newKey } from '../support/idempotency.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import {
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { StillClock } from '../support/still-clock.ts';
import { addAccount, addKey } from '../support/tenants.ts';
import { inVersion, latestVersion, versions, words } from '../support/versions.ts';

const oldest = versions.at(-1)!;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('repeats in another version', () => {
  const pairs = versions.flatMap((first) => versions.map((later) => ({ first, later })));

  test.each(pairs)(
    'replays the bytes and version of $first when the repeat asks in $later',
    async ({ first, later }) => {
      const { api } = await addAccount(server);
      const key = newKey();
      const body = { application: 'app_1', metadata: { pdf: '1' } };
      const made = await good(api.post('/v1/references', body, { ...key, ...inVersion(first) }));
      expect(made.body).toHaveProperty(words[first]!.file);
      const again = await api.post('/v1/references', body, { ...key, ...inVersion(later) });
      expectReplay(again, made);
      expect(again.headers.get('service-version')).toBe(first);
      expect((await good(api.get('/v1/references', inVersion(latestVersion)))).body.count).toBe(1);
    },
  );

  test.each(pairs)('replays in $later when the body is valid only in $first', async ({ first, later }) => {
    const { api } = await addAccount(server);
    const path = await newReference(api);
    const key = newKey();
    const body = { [words[first]!.file]: 'file_1' };
    const made = await good(api.post(path, body, { ...key, ...inVersion(first) }));
    await good(api.post(path, { reference_pdf: 'file_2' }));
    expectReplay(await api.post(path, body, { ...key, ...inVersion(later) }), made);
    // The request was not executed again.
    expect((await good(api.get(path))).body.reference_pdf).toBe('file_2');
  });

  test('replays the response when the account was upgraded and rolled back in between', async () => {
    const { api } = await upgradable();
    const path = await newReference(api);
    const [key, otherKey] = [newKey(), newKey()];
    const made = await good(api.post(path, { pdf: 'file_1' }, key));
    expect([made.body.pdf, made.headers.get('service-version')]).toEqual(['file_1', oldest]);

    await good(api.post('/v1/account/api_version', { api_version: latestVersion }));
    expect((await api.get(path)).headers.get('service-version')).toBe(latestVersion);
    expectReplay(await api.post(path, { pdf: 'file_1' }, key), made);
    expect(errorOf(await api.post(path, { pdf: 'file_1' }, otherKey))).toEqual([400, 'parameter_unknown']);
    const newer = await good(api.post(path, { reference_pdf: 'file_2' }, otherKey));

    await good(api.post('/v1/account/api_version/rollback'));
    expectReplay(await api.post(path, { reference_pdf: 'file_2' }, otherKey), newer);
    expectReplay(await api.post(path, { pdf: 'file_1' }, key), made);
    expect((await good(api.get(path))).body.pdf).toBe('file_2');
  });

  test('replays for 24 hours when the repeat would be refused in its own version', async () => {
    const clock = new StillClock();
    const { api } = await serverForTest({ overrides: { clock }, settings: { TENURE_LATEST_VERSION: oldest } });
    const path = await newReference(api);
    const key = newKey();
    const made = await good(api.post(path, { pdf: 'file_1' }, key));
    const later = { ...key, ...inVersion(latestVersion) };
    clock.advanceMs(24 * 3_600_000 - 1_000);
    expectReplay(await api.post(path, { pdf: 'file_1' }, later), made);
    // The key's row stays for some minutes more.
    clock.advanceMs(61_000);
    expect(errorOf(await api.post(path, { pdf: 'file_1' }, later))).toEqual([400, 'parameter_unknown']);
  });

  test('replays the response when an expanded field has another name now', async () => {
    const { api } = await addAccount(server);
    const path = await newReference(api);
    const key = newKey();
    const ask = (version: string) =>
      api.post(`${path}?expand=pdf`, { outcome: 'accept' }, { ...key, ...inVersion(version) });
    const made = await good(ask(oldest));
    for (const later of versions) expectReplay(await ask(later), made);
  });

  test('replays a refusal in its first version when it was executed', async () => {
    const { api } = await addAccount(server);
    const path = await newReference(api);
    await good(api.post(`${path}/cancel`));
    for (const [target, status, code] of [
      [path, 400, 'status_transition_invalid'],
      ['/v1/references/ref_1', 404, 'resource_missing'],
    ] as const) {
      const key = newKey();
      const refused = await api.post(target, { pdf: 'file_1' }, { ...key, ...inVersion(oldest) });
      expect(errorOf(refused)).toEqual([status, code]);
      for (const later of versions) {
        expectReplay(await api.post(target, { pdf: 'file_1' }, { ...key, ...inVersion(later) }), refused);
      }
    }
  });

  test('logs a replay with the version of its response when a request is repeated', async () => {
    const { api } = await upgradable();
    const path = await newReference(api);
    const key = newKey();
    const made = await good(api.post(path, { pdf: 'file_1' }, { ...key, ...inVersion(oldest) }));
    const again = await api.post(path, { pdf: 'file_1' }, { ...key, ...inVersion(latestVersion) });
    const { body: log } = await good(api.get(`/v1/logs/${again.headers.get('request-id')}`));
    expect(log).toMatchObject({
      status: 200,
      api_version: oldest,
      replayed: true,
      original_request: made.headers.get('request-id'),
      response_body: made.text,
      request_body: '{"pdf":"file_1"}',
      events: [],
    });
  });
});

describe('bodies of another version', () => {
  test('refuses the body and leaves the key free when the key is new', async () => {
    const { api } = await addAccount(server);
    const path = await newReference(api);
    const key = newKey();
    for (let times = 0; times < 2; times++) {
      const refused = await api.post(path, { pdf: 'file_1' }, key);
      expect([...errorOf(refused), refused.headers.get('idempotent-replayed')]).toEqual([
        400,
        'parameter_unknown',
        null,
      ]);
    }
    await good(api.post(path, { reference_pdf: 'file_1' }, key));
  });

  test("refuses the body and keeps the key's request when the key was used for another one", async () => {
    const { api } = await addAccount(server);
    const [path, otherPath] = [await newReference(api), await newReference(api)];
    const key = newKey();
    const ask = (at: string, body: object, version: string) => api.post(at, body, { ...key, ...inVersion(version) });
    const made = await good(ask(path, { pdf: 'file_1' }, oldest));
    expect(errorOf(await ask(path, { pdf: 'file_2' }, latestVersion))).toEqual([400, 'parameter_unknown']);
    expect(errorOf(await ask(otherPath, { pdf: 'file_1' }, latestVersion))).toEqual([400, 'parameter_unknown']);
    // With a valid body, the key is at fault, even if the body means the same as the first one.
    expect(errorOf(await ask(path, { pdf: 'file_2' }, oldest))).toEqual([400, 'idempotency_key_reused']);
    expectRefusal(await ask(path, { reference_pdf: 'file_1' }, latestVersion), refusals.idempotencyReused);
    expectReplay(await ask(path, { pdf: 'file_1' }, latestVersion), made);
    expect((await good(api.get(otherPath))).body.reference_pdf).toBeNull();
  });

  test('refuses the body when another account used the key for the same request', async () => {
    const [{ api }, { api: stranger }] = [await addAccount(server), await addAccount(server)];
    const path = await newReference(api);
    const key = newKey();
    await good(api.post(path, { pdf: 'file_1' }, { ...key, ...inVersion(oldest) }));
    expect(errorOf(await stranger.post(path, { pdf: 'file_1' }, key))).toEqual([400, 'parameter_unknown']);
  });

  test("refuses the body when the key's form is wrong", async () => {
    const { api } = await addAccount(server);
    const path = await newReference(api);
    for (const form of ['', 'k'.repeat(256)]) {
      const refused = await api.post(path, { pdf: 'file_1' }, { 'idempotency-key': form });
      expect(errorOf(refused)).toEqual([400, 'parameter_unknown']);
    }
  });
});

/** Creates an account at the oldest version, with a key that may upgrade it. */
async function upgradable(): Promise<{ api: Api }> {
  const { accountId } = await addAccount(server, oldest);
  return addKey(server, accountId, { permissions: [...allPermissions] });
}

async function newReference(api: Api): Promise<string> {
  return `/v1/references/${(await good(api.post('/v1/references', { application: 'app_1' }))).body.id}`;
}

function errorOf({ status, body }: ApiResponse): unknown[] {
  return [status, body.error?.code];
}

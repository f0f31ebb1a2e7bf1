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

describe('a repeated request', () => {
  const pairs = versions.flatMap((first) => versions.map((later) => ({ first, later })));

  test.each(pairs)(
    'that was answered in $first gets those bytes and that version, asking in $later',
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

  test.each(pairs)('with a body that is good in $first gets them also in $later', async ({ first, later }) => {
    const { api } = await addAccount(server);
    const path = await newReference(api);
    const key = newKey();
    const body = { [words[first]!.file]: 'file_1' };
    const made = await good(api.post(path, body, { ...key, ...inVersion(first) }));
    await good(api.post(path, { reference_pdf: 'file_2' }));
    expectReplay(await api.post(path, body, { ...key, ...inVersion(later) }), made);
    // It was not carried out again.
    expect((await good(api.get(path))).body.reference_pdf).toBe('file_2');
  });

  test('gets them although the account was upgraded in between, and taken back', async () => {
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

  test('gets them for a day, also where they are looked for because the request would be refused', async () => {
    const clock = new StillClock();
    const { api } = await serverForTest({ overrides: { clock }, settings: { TENURE_LATEST_VERSION: oldest } });
    const path = await newReference(api);
    const key = newKey();
    const made = await good(api.post(path, { pdf: 'file_1' }, key));
    const later = { ...key, ...inVersion(latestVersion) };
    clock.advanceMs(24 * 3_600_000 - 1_000);
    expectReplay(await api.post(path, { pdf: 'file_1' }, later), made);
    // Its row is there for some minutes more.
    clock.advanceMs(61_000);
    expect(errorOf(await api.post(path, { pdf: 'file_1' }, later))).toEqual([400, 'parameter_unknown']);
  });

  test('gets them although what it expands has another name now', async () => {
    const { api } = await addAccount(server);
    const path = await newReference(api);
    const key = newKey();
    const ask = (version: string) =>
      api.post(`${path}?expand=pdf`, { outcome: 'accept' }, { ...key, ...inVersion(version) });
    const made = await good(ask(oldest));
    for (const later of versions) expectReplay(await ask(later), made);
  });

  test('gets a refusal that was executed, in the words of that time', async () => {
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

  test('is logged as a repeat, with the version of the answer', async () => {
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

describe('a body of another version', () => {
  test('is refused with a key that nobody used, which stays free', async () => {
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

  test('is refused with a key that was used for another request, which goes on standing for that', async () => {
    const { api } = await addAccount(server);
    const [path, otherPath] = [await newReference(api), await newReference(api)];
    const key = newKey();
    const ask = (at: string, body: object, version: string) => api.post(at, body, { ...key, ...inVersion(version) });
    const made = await good(ask(path, { pdf: 'file_1' }, oldest));
    expect(errorOf(await ask(path, { pdf: 'file_2' }, latestVersion))).toEqual([400, 'parameter_unknown']);
    expect(errorOf(await ask(otherPath, { pdf: 'file_1' }, latestVersion))).toEqual([400, 'parameter_unknown']);
    // Where the body is good, it is the key that is at fault. So it is for what means the same, but was not what was sent.
    expect(errorOf(await ask(path, { pdf: 'file_2' }, oldest))).toEqual([400, 'idempotency_key_reused']);
    expectRefusal(await ask(path, { reference_pdf: 'file_1' }, latestVersion), refusals.idempotencyReused);
    expectReplay(await ask(path, { pdf: 'file_1' }, latestVersion), made);
    expect((await good(api.get(otherPath))).body.reference_pdf).toBeNull();
  });

  test('is refused with a key that another account used for the same', async () => {
    const [{ api }, { api: stranger }] = [await addAccount(server), await addAccount(server)];
    const path = await newReference(api);
    const key = newKey();
    await good(api.post(path, { pdf: 'file_1' }, { ...key, ...inVersion(oldest) }));
    expect(errorOf(await stranger.post(path, { pdf: 'file_1' }, key))).toEqual([400, 'parameter_unknown']);
  });

  test('is refused with a key that is none', async () => {
    const { api } = await addAccount(server);
    const path = await newReference(api);
    for (const form of ['', 'k'.repeat(256)]) {
      const refused = await api.post(path, { pdf: 'file_1' }, { 'idempotency-key': form });
      expect(errorOf(refused)).toEqual([400, 'parameter_unknown']);
    }
  });
});

/** An account at the oldest version, whose key may upgrade it. */
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

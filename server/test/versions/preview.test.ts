import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { firstOwner } from '../support/browser.ts';
import { expectRefusal, invalid, refusals, unknown } from '../support/refusals.ts';
import {
  apiClient,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { addAccount, addKey, firstAccountId } from '../support/tenants.ts';
import { latestVersion } from '../support/versions.ts';

/*
 * The preview of an upgrade: how the account's last requests and events would look in another version.
 */

/* These tests know what exactly changed between these versions. So later versions change no test. */
const [third, second, oldest] = ['2026-11-01', '2026-03-01', '2025-09-01'] as const;

let server: TestServer;
let api: Api;
let accountId: string;
/** The requests of `beforeAll`, each with its response. */
const answers: Record<'created' | 'filed' | 'refused' | 'named' | 'customer', ApiResponse> = {} as never;

beforeAll(async () => {
  server = await startTestServer({ settings: { TENURE_LATEST_VERSION: oldest } });
  api = server.api;
  accountId = await firstAccountId(server);
  answers.created = await api.post('/v1/references', { application: 'app_1' });
  const path = `/v1/references/${answers.created.body.id}`;
  answers.filed = await api.post(path, { pdf: 'file_1', outcome: 'accept' });
  answers.refused = await api.post(path, { pdf: 1, metadata: { a: 1 } });
  answers.named = await api.post(path, { reference_pdf: 'file_2' }, { 'service-version': third });
  answers.customer = await api.post('/v1/customers', { name: 'Ada' });
});
afterAll(() => server.stop());

describe('upgrade previews', () => {
  test('compares with the newest version when a person asks before the account has a version', async () => {
    const unpinned = await serverForTest({ unpinned: true });
    const owner = await firstOwner(unpinned);
    const { status, text, body } = await owner.get(`/v1/account/api_version/preview?to=${oldest}`);
    expect(status, text).toBe(200);
    expect(body).toMatchObject({ from: latestVersion, to: oldest });
    expect((await owner.get('/v1/account')).body.api_version).toBe(null);
  });

  test('shows the changed request and response, and any refusal, of each request that an upgrade would change', async () => {
    const { status, body } = await previewOf(third);
    expect(status).toBe(200);
    expect([body.object, body.from, body.to]).toEqual(['api_version_preview', oldest, third]);
    expect(body.changelog.map(({ id }: { id: string }) => id)).toEqual([third, second]);
    expect(body.requests).toStrictEqual({
      looked_at: 5,
      different: 3,
      data: [
        {
          ...factsOf(answers.refused, 'POST', `/v1/references/${answers.created.body.id}`),
          request_body: [],
          refused: null,
          response_body: [
            { path: 'error.param', before: 'pdf', after: 'reference_pdf' },
            {
              path: 'error.errors',
              before: answers.refused.body.error.errors,
              after: ['reference_pdf', 'metadata[a]'].map((param) => expect.objectContaining({ param })),
            },
          ],
        },
        {
          ...factsOf(answers.filed, 'POST', `/v1/references/${answers.created.body.id}`),
          request_body: [
            { path: 'pdf', before: 'file_1' },
            { path: 'reference_pdf', after: 'file_1' },
          ],
          refused: {
            status: 400,
            type: 'invalid_request_error',
            code: 'parameter_unknown',
            param: 'pdf',
            message: expect.stringContaining('it is called `reference_pdf`'),
          },
          response_body: [
            { path: 'pdf', before: 'file_1' },
            { path: 'reference_pdf', after: 'file_1' },
          ],
        },
        {
          ...factsOf(answers.created, 'POST', '/v1/references'),
          request_body: [],
          refused: null,
          response_body: [
            { path: 'pdf', before: null },
            { path: 'reference_pdf', after: null },
          ],
        },
      ],
    });
  });

  test('shows the same changes that an upgrade makes when the account upgrades', async () => {
    const { body } = await previewOf(third);
    const filed = body.requests.data.find(({ id }: { id: string }) => id === idOf(answers.filed));
    const now = await api.get(`/v1/references/${answers.created.body.id}`, { 'service-version': third });
    for (const { path, after } of filed.response_body) {
      if (after === undefined) expect(now.body).not.toHaveProperty(path);
      else expect(now.body).toHaveProperty(path);
    }
    const sent = { pdf: 'file_1', outcome: 'accept' };
    const refused = await api.post(`/v1/references/${answers.created.body.id}`, sent, { 'service-version': third });
    const { status, code, param, message } = filed.refused;
    expect([refused.status, refused.body.error]).toMatchObject([status, { code, param, message }]);
  });

  test('shows the changed events when an upgrade would change them', async () => {
    const { body } = await previewOf(third);
    const [updated] = (await api.get(`/v1/events?object_id=${answers.created.body.id}&type=reference.updated&offset=1`))
      .body.data;
    const shown = body.events.data.find(({ id }: { id: string }) => id === updated.id);
    const inThird = (await api.get(`/v1/events/${updated.id}`, { 'service-version': third })).body;
    expect(shown).toStrictEqual({
      id: updated.id,
      type: 'reference.updated',
      differences: [
        { path: 'data.object.pdf', before: 'file_1' },
        { path: 'data.object.reference_pdf', after: 'file_1' },
        { path: 'data.previous_attributes.pdf', before: null },
        { path: 'data.previous_attributes.reference_pdf', after: null },
        { path: 'request', before: idOf(answers.filed), after: inThird.request },
      ],
    });
    const { count } = (await api.get('/v1/events', { 'service-version': third })).body;
    expect([body.events.looked_at, body.events.different]).toEqual([count, count]);
  });

  test('shows only the changes up to the requested version when there are later ones, and none for the own version', async () => {
    const { body } = await previewOf(second);
    expect(body.changelog).toHaveLength(1);
    expect(body.requests.different).toBe(3);
    const kinds = new Set(body.events.data.map(({ type }: { type: string }) => type.split('.')[0]));
    expect([...kinds]).toEqual(['reference']);
    const own = (await previewOf(oldest)).body;
    expect([own.changelog, own.requests.different, own.events.different]).toEqual([[], 0, 0]);
  });

  test('previews the latest version and changes nothing when `to` is absent', async () => {
    const before = (await api.get('/v1/account')).body;
    expect((await api.get('/v1/account/api_version/preview')).text).toBe((await previewOf(latestVersion)).text);
    expect((await api.get('/v1/account')).body).toStrictEqual(before);
  });

  test('previews a rollback when `to` is the older version', async () => {
    const tenant = await addAccount(server);
    const headers = { 'service-version': third };
    const everything = await addKey(server, tenant.accountId, {
      permissions: ['references.write', 'accounts.write', 'logs.read', 'events.read'],
    });
    await everything.api.post('/v1/references', { application: 'app_1' });
    await everything.api.post('/v1/account/api_version', { api_version: third });
    await everything.api.post('/v1/references', { application: 'app_1' }, headers);
    const { body } = await everything.api.get(`/v1/account/api_version/preview?to=${oldest}`);
    expect([body.from, body.to, body.requests.different]).toEqual([third, oldest, 1]);
    expect(body.requests.data[0].response_body).toStrictEqual([
      { path: 'reference_pdf', before: null },
      { path: 'pdf', after: null },
    ]);
  });

  test('reports an unknown expand path when the other version has none of that name', async () => {
    const { body: reference } = await api.post('/v1/references', { application: 'app_1' });
    const sent = await api.post(`/v1/references/${reference.id}?expand=pdf`, { metadata: { a: '1' } });
    const { body } = await previewOf(third);
    const shown = body.requests.data.find(({ id }: { id: string }) => id === idOf(sent));
    expect(shown.refused).toMatchObject({ status: 400, code: 'parameter_invalid', param: 'expand' });
  });

  test("shows the parent's requests on a connected account when that account is previewed, and none of its own", async () => {
    const { body: child } = await api.post('/v1/accounts', { name: 'A branch' });
    const context = { 'service-context': child.id };
    const own = await addKey(server, child.id, { permissions: ['references.write'] });
    await own.api.post('/v1/references', { application: 'app_1' });
    const parents = await api.post('/v1/references', { application: 'app_1' }, context);
    const { body } = await api.get('/v1/account/api_version/preview', context);
    expect(body).toMatchObject({ from: oldest, to: latestVersion, account: child.id });
    expect(body.requests.looked_at).toBe(2);
    expect(body.requests.data.map(({ id }: { id: string }) => id)).toEqual([idOf(parents)]);
  });

  test('delays no other request when the previewed ones are large', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`key${index}`, 'x']));
    await Promise.all(Array.from({ length: 30 }, () => api.post('/v1/references', { application: 'app_1', metadata })));
    // Processor time of this thread, which other processes do not take.
    let longestMs = 0;
    let before = process.threadCpuUsage();
    const clock = setInterval(() => {
      const { user, system } = process.threadCpuUsage(before);
      longestMs = Math.max(longestMs, (user + system) / 1_000);
      before = process.threadCpuUsage();
    }, 1);
    expect((await previewOf(third)).status).toBe(200);
    clearInterval(clock);
    expect(longestMs).toBeLessThan(250);
  });

  test('reads the last hundred requests and events when there are more', async () => {
    const { api: other } = await addKey(server, (await addAccount(server)).accountId, {
      permissions: ['references.write', 'accounts.read', 'logs.read', 'events.read'],
    });
    for (let times = 0; times < 3; times++) {
      await Promise.all(Array.from({ length: 40 }, () => other.post('/v1/references', { application: 'app_1' })));
    }
    const { body } = await other.get('/v1/account/api_version/preview');
    for (const part of [body.requests, body.events]) {
      expect([part.looked_at, part.different, part.data.length]).toEqual([100, 100, 100]);
    }
  });

  test('shows no secret and nothing of another account when it is requested', async () => {
    const key = await api.post('/v1/api_keys', { type: 'secret', name: 'Another' });
    const preview = await previewOf(third);
    expect(preview.text).not.toContain(key.body.secret);
    const { api: stranger } = await addKey(server, (await addAccount(server)).accountId, {
      permissions: ['accounts.read', 'logs.read', 'events.read'],
    });
    const { body } = await stranger.get('/v1/account/api_version/preview');
    expect([body.requests.looked_at, body.events.looked_at]).toEqual([0, 0]);
  });

  test('refuses a preview when its version is wrong', async () => {
    for (const version of ['2026-11-02', 'latest', '']) {
      expectRefusal(await previewOf(version), { ...invalid('to'), version: oldest });
    }
    const misspelt = await api.get('/v1/account/api_version/preview?too=2026-11-01');
    expectRefusal(misspelt, { ...unknown('too'), says: '`to`', version: oldest });
  });

  test.each(['accounts.read', 'logs.read', 'events.read'])(
    'requires %s when a preview is requested, because it shows such data',
    async (needed) => {
      const permissions = ['accounts.read', 'logs.read', 'events.read'].filter((each) => each !== needed);
      const { key } = await addKey(server, accountId, { permissions });
      const refused = await apiClient(server.url, key).get('/v1/account/api_version/preview');
      expectRefusal(refused, { ...refusals.permission, says: `\`${needed}\``, version: oldest });
    },
  );
});

function previewOf(to: string): Promise<ApiResponse> {
  return api.get(`/v1/account/api_version/preview?to=${to}`);
}

function factsOf(answer: ApiResponse, method: string, path: string) {
  return { id: idOf(answer), method, path, status: answer.status };
}

function idOf(answer: ApiResponse): string {
  return answer.headers.get('request-id')!;
}

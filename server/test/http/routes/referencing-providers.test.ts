import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectRefusal, refusals } from '../../support/refusals.ts';
import { good, startTestServer, type Api, type TestServer } from '../../support/server.ts';
import { addAccount, addKey } from '../../support/tenants.ts';

const secrets = { api_key: 'a_secret', signing_secret: 'another' };

async function statesOf(api: Api, headers = {}): Promise<Record<string, string>> {
  const { body } = await good(api.get('/v1/referencing_providers', headers));
  return Object.fromEntries(body.data.map(({ id, status }: Record<'id' | 'status', string>) => [id, status]));
}

describe('the list of referencing providers', () => {
  let live: TestServer;

  beforeAll(async () => {
    live = await startTestServer({
      settings: {
        TENURE_MODE: 'live',
        TENURE_PROVIDER_A_URL: 'http://127.0.0.1:9',
        TENURE_PROVIDER_C_URL: 'http://127.0.0.1:9',
      },
    });
  });
  afterAll(() => live.stop());

  test('tells which services an account can use when credentials are set and removed', async () => {
    const notSetUp = { provider_b: 'not_set_up', provider_d: 'not_set_up' };
    const missing = { provider_a: 'credentials_missing', provider_c: 'credentials_missing' };
    expect(await statesOf(live.api)).toEqual({ ...missing, ...notSetUp });
    await good(live.api.post('/v1/account', { provider_credentials: { provider_a: secrets } }));
    expect(await statesOf(live.api)).toEqual({ ...missing, provider_a: 'ready', ...notSetUp });
    const { body, text } = await good(live.api.get('/v1/referencing_providers'));
    expect(body).toMatchObject({ object: 'list', count: 4, has_more: false });
    expect(body.data[0]).toEqual({
      id: 'provider_a',
      object: 'referencing_provider',
      status: 'ready',
      service: 'real',
      credentials_set: true,
      credential_names: ['api_key', 'signing_secret'],
      advice: null,
    });
    expect(body.data.slice(1).map(({ advice }: { advice: string }) => advice)).toEqual([
      expect.stringMatching(/^`provider_b` is not set up .*TENURE_PROVIDER_B_URL/),
      expect.stringMatching(/^The account has no credentials for `provider_c`\. Send `api_key` and `signing_secret` /),
      expect.stringMatching(/^`provider_d` is not set up .*TENURE_PROVIDER_D_URL/),
    ]);
    expect(text).not.toContain(secrets.api_key);
    await good(live.api.post('/v1/account', { provider_credentials: { provider_a: null } }));
    expect(await statesOf(live.api)).toEqual({ ...missing, ...notSetUp });
  });

  test('tells of the connected account when the request is for it', async () => {
    const { body: branch } = await good(live.api.post('/v1/accounts', { name: 'A branch' }));
    const context = { 'service-context': branch.id };
    await good(live.api.post('/v1/account', { provider_credentials: { provider_c: secrets } }, context));
    expect(await statesOf(live.api, context)).toMatchObject({ provider_c: 'ready' });
    expect(await statesOf(live.api)).toMatchObject({ provider_c: 'credentials_missing' });
    const { body } = await good(live.api.get('/v1/referencing_providers', context));
    expect(body.data.map((one: { account: string }) => one.account)).toEqual(Array(4).fill(branch.id));
  });

  test('says that all simulated services are ready when the mode is sandbox', async () => {
    const sandbox = await startTestServer();
    try {
      const { body } = await good(sandbox.api.get('/v1/referencing_providers'));
      for (const one of body.data)
        expect(one).toMatchObject({ status: 'ready', service: 'simulated', credentials_set: false, advice: null });
    } finally {
      await sandbox.stop();
    }
  });

  test('is refused when the key may not read accounts', async () => {
    const { accountId } = await addAccount(live);
    const { api } = await addKey(live, accountId, { permissions: ['references.read'] });
    expectRefusal(await api.get('/v1/referencing_providers'), refusals.permission);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { credentialNames, headerCredentials, type Provider } from '../../src/core/vocabulary/providers.ts';
import { good, serverForTest, startTestServer, type Api, type TestServer } from '../support/server.ts';
import { expectRefusal, invalid, missing, unknown } from '../support/refusals.ts';
import { tablesWith } from '../support/tables.ts';
import { addAccount, addKey, firstAccountId } from '../support/tenants.ts';
import { quickServerForTest, refer, untilReference } from './scenario.ts';

const apiKey = 'provider-a-key-0123456789';
const signingSecret = 'provider-a-signing-secret-9876';
const credentials = { provider_a: { api_key: apiKey, signing_secret: signingSecret } };

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});

afterAll(() => server.stop());

describe('provider credentials', () => {
  test('stores credentials and shows them in no response, event, log or table when they are set', async () => {
    const key = { 'idempotency-key': 'credentials-1' };
    const { body, text, headers } = await good(api.post('/v1/account', { provider_credentials: credentials }, key));
    expect(body).not.toHaveProperty('provider_credentials');
    const log = await good(api.get(`/v1/logs/${headers.get('request-id')}`));
    expect(JSON.parse(log.body.request_body)).toEqual({
      provider_credentials: { provider_a: { api_key: '[redacted]', signing_secret: '[redacted]' } },
    });
    const events = await good(api.get(`/v1/events?object_id=${body.id}`));
    expect(events.body.data[0]).toMatchObject({
      type: 'account.credentials_changed',
      data: { previous_attributes: null },
    });
    for (const secret of [apiKey, signingSecret]) {
      for (const answer of [text, log.text, events.text, (await good(api.get('/v1/account'))).text]) {
        expect(answer).not.toContain(secret);
      }
      expect(await tablesWith(server, secret)).toEqual([]);
    }
    const repeated = await good(api.post('/v1/account', { provider_credentials: credentials }, key));
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    const other = { provider_a: { ...credentials.provider_a, api_key: 'another' } };
    expect((await api.post('/v1/account', { provider_credentials: other }, key)).status).toBe(400);
  });

  test('logs no credentials when they are refused', async () => {
    const refused = await api.post('/v1/account', {
      name: 'Northern Homes',
      provider_credentials: { provider_a: { api_key: 'refused-secret-1' } },
    });
    expectRefusal(refused, missing('provider_credentials[provider_a][signing_secret]'));
    expect((await api.post('/v1/account', '{"provider_credentials":{"provider_a":"refused-secret-2"')).status).toBe(
      400,
    );
    expectRefusal(
      await api.post('/v1/account', {
        provider_credentials: { provider_a: { ...credentials.provider_a, more: 'refused-secret-3' } },
      }),
      unknown('provider_credentials[provider_a][more]'),
    );
    expectRefusal(
      await api.post('/v1/account', { provider_credentials: { provider_b: { username: 'u', password: 7 } } }),
      invalid('provider_credentials[provider_b][password]'),
    );
    expect(await tablesWith(server, 'refused-secret')).toEqual([]);
  });

  test('logs no credentials when they are sent inside another member', async () => {
    const nested = { provider_a: { api_key: 'nested-secret-1' } };
    const refused = await api.post('/v1/references', {
      application: 'app_1',
      automatic_reference: { provider: 'provider_a', provider_credentials: nested },
      metadata: { all: [{ provider_credentials: nested }] },
    });
    expect(refused.status).toBe(400);
    const log = await good(api.get(`/v1/logs/${refused.headers.get('request-id')}`));
    const redacted = { provider_a: { api_key: '[redacted]' } };
    expect(JSON.parse(log.body.request_body)).toMatchObject({
      automatic_reference: { provider_credentials: redacted },
      metadata: { all: [{ provider_credentials: redacted }] },
    });
    expect(await tablesWith(server, 'nested-secret')).toEqual([]);
  });

  test('logs no credentials when they are sent for a new account, which does not accept them', async () => {
    const stray = { provider_a: { api_key: 'stray-secret-1', signing_secret: 'stray-secret-2' } };
    expectRefusal(
      await api.post('/v1/accounts', { name: 'Ouse Lettings', provider_credentials: stray }),
      unknown('provider_credentials'),
    );
    expect(await tablesWith(server, 'stray-secret')).toEqual([]);
  });

  test("changes one provider's credentials only when others are set, and deletes them when null is sent", async () => {
    await good(api.post('/v1/account', { provider_credentials: credentials }));
    await good(api.post('/v1/account', { provider_credentials: { provider_d: { token: 'd' } } }));
    expect(await providersWithCredentials()).toEqual(['provider_a', 'provider_d']);
    await good(api.post('/v1/account', { provider_credentials: { provider_a: null } }));
    expect(await providersWithCredentials()).toEqual(['provider_d']);
    await good(api.post('/v1/account', { provider_credentials: { provider_d: null } }));
    expect(await providersWithCredentials()).toEqual([]);
  });

  test('requires the permission to change the account when credentials are set', async () => {
    const reader = await addKey(server, await firstAccountId(server), {
      permissions: ['accounts.read', 'references.write'],
    });
    expect((await reader.api.post('/v1/account', { provider_credentials: credentials })).status).toBe(403);
  });

  test("sends the account's credentials when any of its keys has made the reference", async () => {
    const working = await quickServerForTest();
    const other = await addAccount(working);
    await good(
      other.api.post('/v1/account', {
        provider_credentials: { provider_a: { api_key: 'invalid_key', signing_secret: 's' } },
      }),
    );
    const refused = await refer(other.api);
    const accepted = await refer(working.api);
    await untilReference(other.api, refused.id, {
      automatic_reference: { last_error: expect.stringMatching(/^unauthorized: /) },
    });
    await untilReference(working.api, accepted.id, { status: 'complete' });
    // The next attempt uses the corrected credentials.
    await good(other.api.post('/v1/account', { provider_credentials: { provider_a: null } }));
    await untilReference(other.api, refused.id, { status: 'complete' });
  });

  test('asks for credentials in last_error when a live account has removed them', async () => {
    const live = await serverForTest({
      settings: { TENURE_MODE: 'live', TENURE_PROVIDER_B_URL: 'http://127.0.0.1:9' },
      works: true,
    });
    const given = { username: 'ada', password: 'p' };
    await good(live.api.post('/v1/account', { provider_credentials: { provider_b: given } }));
    const { id } = await refer(live.api, { provider: 'provider_b' });
    await good(live.api.post('/v1/account', { provider_credentials: { provider_b: null } }));
    await good(live.api.post(`/v1/references/${id}/retry`));
    await untilReference(live.api, id, {
      automatic_reference: {
        last_error: expect.stringMatching(/^credentials_missing: .*provider_credentials\[provider_b\]/),
      },
    });
  });
});

describe('a live deployment that can reach one service', () => {
  let live: TestServer;

  beforeAll(async () => {
    live = await startTestServer({ settings: { TENURE_MODE: 'live', TENURE_PROVIDER_A_URL: 'http://127.0.0.1:9' } });
  });
  afterAll(() => live.stop());

  const refusal = invalid('automatic_reference[provider]');

  test('refuses an order when the account has no credentials for the service, and takes it when they are set', async () => {
    const other = await addAccount(live);
    const without = { ...refusal, says: /no credentials for `provider_a`.*provider_credentials\[provider_a\]/ };
    expectRefusal(await other.api.post('/v1/references', order('provider_a')), without);
    await good(other.api.post('/v1/account', { default_provider: 'provider_a' }));
    expectRefusal(await other.api.post('/v1/references', order()), without);
    const byHand = await good(other.api.post('/v1/references', { application: 'app_1' }));
    const move = { automatic_reference: { provider: 'provider_a' } };
    expectRefusal(await other.api.post(`/v1/references/${byHand.body.id}`, move), without);

    await good(other.api.post('/v1/account', { provider_credentials: credentials }));
    await good(other.api.post('/v1/references', order()));
    await good(other.api.post(`/v1/references/${byHand.body.id}`, move));
    await good(other.api.post('/v1/account', { provider_credentials: { provider_a: null } }));
    expectRefusal(await other.api.post('/v1/references', order()), without);
  });

  test('refuses an order, a default and credentials when the service has no address', async () => {
    const says = /`provider_b` is not set up .*TENURE_PROVIDER_B_URL/;
    expectRefusal(await live.api.post('/v1/references', order('provider_b')), { ...refusal, says });
    const asDefault = await live.api.post('/v1/account', { default_provider: 'provider_b' });
    expectRefusal(asDefault, { ...invalid('default_provider'), says });
    const given = { provider_b: { username: 'ada', password: 'p' } };
    const set = await live.api.post('/v1/account', { provider_credentials: given });
    expectRefusal(set, { ...invalid('provider_credentials[provider_b]'), says });
  });
});

describe('credentials that do not fit into an HTTP header', () => {
  const whole = { api_key: 'key', signing_secret: 'secret', username: 'ada', password: 'pass word ü', token: 't' };
  const places = Object.entries(credentialNames).flatMap(([provider, names]) =>
    names.map((name): [Provider, string] => [provider as Provider, name]),
  );
  const placesInHeaders = places.filter(([, name]) => headerCredentials.includes(name));
  const membersOf = (provider: Provider) =>
    Object.fromEntries(credentialNames[provider].map((name) => [name, whole[name]]));

  test.each(places)('refuses %s %s when it was pasted with a line break or is a placeholder', async (...at) => {
    const [provider, name] = at;
    await good(api.post('/v1/account', { provider_credentials: { [provider]: membersOf(provider) } }));
    for (const value of ['key\n', ' key', 'k\u0007y', '…', 'key…']) {
      const refused = await api.post('/v1/account', {
        provider_credentials: { [provider]: { ...membersOf(provider), [name]: value } },
      });
      expectRefusal(refused, { ...invalid(`provider_credentials[${provider}][${name}]`), says: /Paste it again/ });
    }
  });

  test.each(placesInHeaders)('refuses %s %s when it has spaces or letters beyond ASCII', async (...at) => {
    const [provider, name] = at;
    for (const value of ['a key', 'schlüssel', '\u200bkey']) {
      const refused = await api.post('/v1/account', {
        provider_credentials: { [provider]: { ...membersOf(provider), [name]: value } },
      });
      expectRefusal(refused, { ...invalid(`provider_credentials[${provider}][${name}]`), says: /Paste it again/ });
    }
  });

  const unsendable = ['key\n', '…', 'to\rken'];
  test.each(placesInHeaders.map((at, index) => [...at, unsendable[index % unsendable.length]!] as const))(
    'completes references at %s when the stored %s of another account cannot be sent: %j',
    async (provider, name, value) => {
      const members = { ...membersOf(provider), [name]: value };
      const working = await quickServerForTest();
      const other = await addAccount(working);
      const sealed = working.context.encryption.encrypt(JSON.stringify(members)).toString('base64');
      await working.context.database.readers.query('update accounts set provider_credentials = $2 where id = $1', [
        other.accountId,
        JSON.stringify({ [provider]: sealed }),
      ]);
      // More orders than connections to the service.
      const made = await Promise.all(Array.from({ length: 40 }, () => refer(other.api, { provider })));
      const cannotBeSent = expect.stringMatching(
        /^credentials_invalid: .*cannot be sent.*Set the credentials of the service again/,
      );
      for (const { id } of made)
        await untilReference(other.api, id, { automatic_reference: { last_error: cannotBeSent } });
      const accepted = await refer(working.api, { provider });
      await untilReference(working.api, accepted.id, { status: 'complete' });
    },
  );
});

function order(provider?: string): object {
  return { application: 'app_1', automatic_reference: provider === undefined ? {} : { provider } };
}

async function providersWithCredentials(): Promise<string[]> {
  const { rows } = await server.context.database.readers.query<{ provider_credentials: string | null }>(
    'select provider_credentials from accounts where account_id = $1',
    [await firstAccountId(server)],
  );
  return Object.keys(JSON.parse(rows[0]!.provider_credentials ?? '{}') as object).sort();
}

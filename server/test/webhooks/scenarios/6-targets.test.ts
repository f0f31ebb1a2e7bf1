import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawReceiverForTest, receiverForTest } from '../../support/receiver.ts';
import { expectRefusal, invalid } from '../../support/refusals.ts';
import { good, serverForTest, startTestServer, type ApiResponse, type TestServer } from '../../support/server.ts';
import {
  copiedEndpoint,
  deliver,
  deliverOnceTo,
  endpointFor,
  makeReferences,
  over,
  patientLimits,
  ping,
  pingedEndpoint,
  queueEmpty,
} from '../scenario.ts';

/*
 * Forbidden targets are checked when a URL is saved, and again when a connection is made. Redirects (68) are tested with the statuses (21).
 */

type Body = ApiResponse['body'];

const path = '/v1/webhook_endpoints';
const url = 'https://hooks.example.com/tenure';
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';

/** The addresses of every name for now. */
let resolveHost: (hostname: string) => Promise<string[]> = async () => ['127.0.0.1'];
const overrides = {
  resolveHost: (hostname: string) => resolveHost(hostname),
  dispatcherLimits: { ...patientLimits, pollMs: 20 },
};

describe('targets limited to public addresses', () => {
  let server: TestServer;
  /** The endpoints with forbidden URLs are copies of this one, because the API refuses to save them. */
  let pattern: Body;
  beforeAll(async () => {
    server = await startTestServer({
      settings: { TENURE_ALLOWED_TARGETS: '', TENURE_RETRY_SCHEDULE: 'none' },
      overrides,
    });
    pattern = await pingedEndpoint(server.api, url);
  });
  afterAll(() => server.stop());

  async function expectRefused(bad: string): Promise<void> {
    const its = `${path}/${pattern.id}`;
    expectRefusal(await server.api.post(path, { url: bad }), invalid('url'));
    expectRefusal(await server.api.post(its, { url: bad, description: 'changed' }), invalid('url'));
    expect((await good(server.api.get(its))).body).toStrictEqual(pattern);
  }

  const forbidden = `
    127.0.0.1 10.0.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1
    198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 0.0.0.0 [::1] [::] [::ffff:10.0.0.1] [::ffff:a00:1]
    [::ffff:0:7f00:1] [::5efe:7f00:1] [::7f00:1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::1] [2002:7f00:1::1] [2001::1]
    [2001:db8::1] [fd00:ec2::254] [fe80::1] [fec0::1] [ff02::1] [100::1] [5f00::1] [3fff::1]`;

  test.each(forbidden.trim().split(/\s+/))(
    '65: refuses %s when it is saved and when it is connected to',
    async (host) => {
      await expectRefused(`http://${host}/`);
      await expectRefused(`https://${host}:8443/`);
      expect(await deliverOnceTo(server, pattern.id, `http://${host}:9/`)).toMatchObject({
        status: 'failed',
        attempt: { status: null, error: 'address_forbidden', response: null },
      });
    },
  );

  test.each([
    ['in hexadecimal', 'http://0x0a000001/'],
    ['as one number', 'http://167772161/'],
    ['in octal', 'http://012.0.0.1/'],
    ['shortened', 'http://10.1/'],
    ['with a final dot', 'http://10.0.0.1./'],
    ['in wide digits', 'http://１０.0.0.1/'],
    ['in digits within circles', 'http://①⓪.0.0.1/'],
    ['percent-encoded', 'http://%31%30.0.0.1/'],
    ['with a zone', 'http://[fe80::1%25lo]/'],
    ['after a backslash', 'http:\\\\10.0.0.1\\@hooks.example.com/'],
    ['by a name of this machine', 'http://localhost/'],
    ['by a name below one of this machine', 'http://hooks.localhost/'],
    ['by a name that only a private network knows', 'http://metadata.google.internal/'],
    ['by a name of one word', 'http://intranet/'],
  ])('65: refuses a forbidden address when it is written %s', async (_, bad) => {
    await expectRefused(bad);
  });

  test.each(['93.184.216.34', '192.88.98.255', '192.88.100.1', '223.255.255.255', '[2606:4700:4700::1111]'])(
    '65: saves %s because it is public',
    async (host) => {
      const made = await good(server.api.post(path, { url: `https://${host}/`, status: 'disabled' }));
      expect(made.body.url).toBe(`https://${host}/`);
    },
  );

  test('71: refuses our own API as a target and sends it nothing when a URL names it', async () => {
    const own = `${server.url}/v1/references`;
    await expectRefused(own);
    const logs = async () => (await good(server.api.get('/v1/logs'))).body.count;
    const before = await logs();
    expect(await deliverOnceTo(server, pattern.id, own)).toMatchObject({ attempt: { error: 'address_forbidden' } });
    expect(await logs()).toBe(before);
  });

  test.each([
    ['a user name', 'https://ada@hooks.example.com/'],
    ['a user name and a password', 'https://ada:secret@hooks.example.com/'],
    ['a password alone', 'https://:secret@hooks.example.com/'],
    ['a user name before an allowed address', 'https://ada@93.184.216.34/'],
    ['a user name that looks like a host', 'https://1.1.1.1 &@2.2.2.2#/'],
  ])('69: refuses a URL when it has %s', async (_, bad) => {
    await expectRefused(bad);
  });

  test('72: refuses every forbidden address with the same text, so that it reveals no network', async () => {
    const addresses = ['127.0.0.1', '10.0.0.1', '10.0.0.2', '192.168.1.1', '169.254.169.254', '[fd00::1]', '[::]'];
    const answers = await Promise.all(addresses.map((host) => server.api.post(path, { url: `http://${host}/` })));
    const messages = new Set<string>(answers.map(({ body }) => body.error.message));
    expect(messages.size).toBe(1);
    for (const address of addresses) expect([...messages][0]).not.toContain(address);
  });
});

test('64: refuses every unencrypted URL when the mode is live', async () => {
  const live = await serverForTest({ settings: { TENURE_MODE: 'live' }, overrides });
  const { body: made } = await good(live.api.post(path, { url }));
  const refusal = { ...invalid('url'), says: /https:\/\/ in live mode/ };
  for (const its of [path, `${path}/${made.id}`]) {
    expectRefusal(await live.api.post(its, { url: url.replace('https:', 'http:') }), refusal);
    for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
      expectRefusal(await live.api.post(its, { url: `https://${host}/` }), invalid('url'));
    }
  }
  expect((await good(live.api.get(path))).body).toMatchObject({ count: 1, data: [{ url }] });
});

describe('host names', () => {
  let server: TestServer;
  let pattern: string;
  beforeAll(async () => {
    server = await startTestServer({ settings: { TENURE_RETRY_SCHEDULE: 'none' }, overrides });
    pattern = (await pingedEndpoint(server.api, url)).id;
  });
  afterAll(() => server.stop());

  test.each([[['10.0.0.1']], [['127.0.0.1', '169.254.169.254']], [['fd00::1', '93.184.216.34']], [['0.0.0.0']]])(
    '66, 72: connects to no address, and shows none, when one of %s is forbidden',
    async (addresses) => {
      const receiver = await rawReceiverForTest((socket) => socket.write(ok));
      resolveHost = async () => addresses;
      const delivery = await deliverOnceTo(server, pattern, named(receiver.url));
      expect(delivery).toMatchObject({ attempt: { status: null, error: 'address_forbidden', response: null } });
      for (const address of addresses) expect(JSON.stringify(delivery)).not.toContain(address);
      expect(receiver.connections).toBe(0);
    },
  );

  test("67: sends nothing when a name's address has become forbidden after it was saved", async () => {
    const receiver = await rawReceiverForTest((socket) => socket.end(ok));
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    resolveHost = async () => (answers.length > 1 ? answers.shift()! : answers[0]!);
    const endpoint = await endpointFor(server.api, named(receiver.url));
    await makeReferences(server.api, 1);
    expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'delivered' });
    await makeReferences(server.api, 1);
    await queueEmpty(server);
    const { body } = await good(server.api.get(`${path}/${endpoint.id}/deliveries`));
    expect(body.data).toMatchObject([
      { status: 'failed', attempts: [{ status: null, error: 'address_forbidden' }] },
      { status: 'delivered', attempts: [{ status: 200, error: null }] },
    ]);
    expect(receiver.connections).toBe(1);
  });

  test('67: connects to the address that was checked when a name resolves differently each time', async () => {
    const receiver = await rawReceiverForTest((socket) => socket.end(ok));
    let asked = 0;
    resolveHost = async () => [++asked % 2 === 1 ? '127.0.0.1' : '10.0.0.1'];
    const errors: (string | null)[] = [];
    const endpointId = await copiedEndpoint(server, pattern, named(receiver.url));
    for (let round = 0; round < 10; round++) errors.push((await deliver(server, endpointId)).attempts[0].error);
    expect(errors).toEqual(Array.from({ length: 10 }, (_, round) => (round % 2 === 0 ? null : 'address_forbidden')));
    expect([asked, receiver.connections]).toEqual([10, 5]);
  });

  test.each<[string, () => Promise<string[]>]>([
    ['fails', () => Promise.reject(Object.assign(new Error('query refused by 10.9.8.7'), { code: 'ESERVFAIL' }))],
    ['knows no address', async () => []],
  ])('70, 72: shows the host as unresolved, and nothing of the resolver, when the resolver %s', async (_, answer) => {
    resolveHost = answer;
    const delivery = await deliverOnceTo(server, pattern, url);
    expect(delivery).toMatchObject({ attempt: { status: null, error: 'host_unresolved', response: null } });
    expect(JSON.stringify(delivery)).not.toMatch(/10\.9\.8\.7|ESERVFAIL/);
  });

  test('70: ends the attempt in time when the resolver never responds', async () => {
    resolveHost = () => new Promise(() => {});
    const hurried = await serverForTest({
      settings: { TENURE_RETRY_SCHEDULE: 'none' },
      overrides: { ...overrides, dispatcherLimits: { pollMs: 20, attemptTimeoutMs: 1_000, leaseMs: 5_000 } },
    });
    const { id } = await pingedEndpoint(hurried.api, url);
    const { attempt } = await deliverOnceTo(hurried, id, url);
    expect(attempt).toMatchObject({ status: null, error: 'timeout' });
  });

  test('70: delays no other attempt when the resolver does not respond', async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<string[]>();
    resolveHost = () => {
      asked.resolve();
      return answered.promise;
    };
    await ping(server.api, pattern);
    await asked.promise;
    const receiver = await receiverForTest();
    expect(await deliverOnceTo(server, pattern, receiver.url)).toMatchObject({ status: 'delivered' });
    answered.resolve([]);
    await queueEmpty(server);
  });
});

function named(address: string): string {
  return address.replace('127.0.0.1', 'hooks.example.com');
}

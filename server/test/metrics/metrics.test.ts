import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConfigError, readConfig } from '../../src/server/config.ts';
import { errorCatalogue } from '../../src/core/errors.ts';
import { withClient } from '../../src/db/pools.ts';
import { buildApp } from '../../src/http/app.ts';
import { startDuties } from '../../src/maintenance/scheduler.ts';
import { Scrape } from '../support/prometheus.ts';
import { converse, exchange, rawRequest } from '../support/raw-http.ts';
import { receiverForTest, startReceiver } from '../support/receiver.ts';
import { serverForTest, startTestServer, type TestServer } from '../support/server.ts';
import { makeReferences, pingedEndpoint, ping, queueEmpty, role, soon } from '../webhooks/scenario.ts';

const token = 'a-token-of-some-length';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('metrics output', () => {
  test('returns Prometheus text whose label values no client can add to when metrics are scraped', async () => {
    const before = new Scrape(await text(server));
    for (let round = 0; round < 3; round++) {
      const id = randomUUID().replaceAll('-', '');
      await server.api.get(`/v1/references/ref_${id}`);
      await server.api.get(`/v1/${id}`);
      await server.api.get(`/${id}`);
      await server.api.post('/v1/references', { application: `app_${id}` }, { 'idempotency-key': id });
      await rawRequest(server, `PROPFIND /${id}`);
      await rawRequest(server, `MKCOL /v1/references/%zz${id}`);
      await exchange(server, `${id}\r\n\r\n`);
    }
    const first = new Scrape(await text(server));
    expect(first.samples().length).toBeGreaterThan(before.samples().length);
    for (let round = 0; round < 3; round++) {
      const id = randomUUID().replaceAll('-', '');
      await server.api.get(`/v1/references/ref_${id}`);
      await server.api.get(`/v1/${id}`);
      await server.api.get(`/${id}`);
      await rawRequest(server, `COPY /${id}`);
      await exchange(server, `${id}\r\n\r\n`);
    }
    const told = await text(server);
    expect(new Scrape(told).samples().toSorted()).toEqual(first.samples().toSorted());
    expect(told).not.toMatch(/[a-z]+_[0-9A-Za-z]{22}/);
  });

  test("prefixes each metric with the product's name and gives its unit when metrics are scraped", async () => {
    const { types } = new Scrape(await text(server));
    expect(types.size).toBeGreaterThan(25);
    for (const [name, type] of types) {
      expect(name).toMatch(/^tenure_[a-z_]+$/);
      if (type === 'counter') expect(name).toMatch(/_total$/);
      else expect(name).not.toMatch(/_total$|_ms$|_milliseconds$/);
    }
  });

  test("sends the format's content type and forbids caching when metrics are scraped", async () => {
    const answer = await fetch(`${server.url}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

describe('the metrics guide', () => {
  const guide = readFileSync(new URL('../../../docs/guides/operations.md', import.meta.url), 'utf8');

  test('explains exactly the existing metrics when it is compared with a scrape', async () => {
    const names = [...new Scrape(await text(server)).types.keys()].toSorted();
    const explained = guide
      .split('\n')
      .flatMap((line) =>
        [...(/^\| ((?:`tenure_\w+`(?:, )?)+) \|/.exec(line)?.[1]?.matchAll(/tenure_\w+/g) ?? [])].flat(),
      );
    expect(explained.toSorted()).toEqual(names);
  });

  test('uses only existing metrics and labels when it defines alerts', async () => {
    const own = await serverForTest();
    const { types } = new Scrape(await text(own));
    const alarms = guide.split('\n').filter((line) => /^\| `[^`]+` \| \d+ min \|/.test(line));
    expect(alarms.length).toBeGreaterThan(10);
    for (const mentioned of guide.match(/tenure_[a-z_]+/g)!) {
      const name = types.has(mentioned) ? mentioned : mentioned.replace(/_(bucket|sum|count)$/, '');
      expect([...types.keys()], mentioned).toContain(name);
    }
    for (const [, code = ''] of guide.matchAll(/code=~?"([^"]+)"/g))
      for (const each of code.split('\\|')) expect(Object.keys(errorCatalogue)).toContain(each);
    const duties = readFileSync(new URL('../../src/maintenance/scheduler.ts', import.meta.url), 'utf8');
    for (const [, duty = ''] of guide.matchAll(/duty="([^"]+)"/g)) expect(duties).toContain(`'${duty}'`);
  });

  test('contains valid SQL when its statements run', async () => {
    const statements = [...guide.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(([, statement]) => statement!);
    const queries = statements.filter((statement) => statement.startsWith('select'));
    expect(queries.length).toBeGreaterThan(1);
    for (const query of queries) {
      expect((await server.context.database.listers.query(query)).rows.length).toBeGreaterThan(0);
    }
    // Statements that change data do not run on this database, but the data they would change must exist.
    for (const change of statements.filter((statement) => statement.startsWith('update'))) {
      await server.context.database.listers.query(`explain ${change}`);
    }
  });
});

describe('access to metrics', () => {
  test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])(
    'serves metrics without a token when the address is the machine itself: %s',
    async (address) => {
      const ask = asking(await guardedServer());
      expect((await ask(address)).status).toBe(200);
      // An API key gives no access to metrics.
      expect((await ask(address, { authorization: 'Bearer x' })).status).toBe(200);
    },
  );

  test.each(['203.0.113.7', '10.0.0.1', '2001:db8::7', '::ffff:192.168.0.1', '128.0.0.1', 'fe80::1'])(
    'serves metrics only with the token when the address is another: %s',
    async (address) => {
      const guarded = await guardedServer();
      const ask = asking(guarded);
      for (const authorization of [`Bearer ${token}`, `bearer  ${token} `])
        expect((await ask(address, { authorization })).status).toBe(200);
      const wrong = [undefined, '', 'Bearer', token, `Basic ${token}`, `Bearer ${token}x`, `Bearer ${token.slice(1)}`];
      for (const authorization of [...wrong, `Bearer ${guarded.secretKey}`]) {
        const answer = await ask(address, authorization === undefined ? {} : { authorization });
        expect([answer.status, answer.headers['www-authenticate']], authorization).toEqual([401, 'Bearer']);
        expect(answer.body).not.toMatch(/tenure_|a-token/);
      }
    },
  );

  test('refuses other addresses, with any header, when no token is set', async () => {
    const ask = asking(server);
    for (const authorization of ['', 'Bearer ', 'Bearer null', `Bearer ${server.secretKey}`]) {
      const answer = await ask('203.0.113.7', { authorization });
      expect([answer.status, answer.body]).toEqual([
        403,
        'Metrics are not available to this address. Ask the operator to set a token.\n',
      ]);
    }
  });

  test.each(['X-Forwarded-For', 'Forwarded', 'Via', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Real-IP'])(
    'treats a request as remote when a proxy on the machine has added %s',
    async (header) => {
      const guarded = await guardedServer();
      for (const value of ['203.0.113.7', '127.0.0.1', '']) {
        expect(
          (await rawRequest(guarded, 'GET /metrics', { key: null, headers: [`${header}: ${value}`] })).status,
        ).toBe(401);
        expect((await rawRequest(server, 'GET /metrics', { key: null, headers: [`${header}: ${value}`] })).status).toBe(
          403,
        );
        expect(
          (await rawRequest(guarded, 'GET /metrics', { key: token, headers: [`${header}: ${value}`] })).status,
        ).toBe(200);
      }
    },
  );

  test('throttles an address when it tries tokens, and still accepts the right one', async () => {
    const ask = asking(await guardedServer());
    const statuses: number[] = [];
    for (let sent = 0; sent < 80 && statuses.at(-1) !== 429; sent++)
      statuses.push((await ask('203.0.113.9', { authorization: `Bearer ${sent}` })).status);
    expect(statuses.at(-1)).toBe(429);
    expect(statuses.length).toBeGreaterThan(20);
    expect((await ask('203.0.113.9', { authorization: `Bearer ${token}` })).status).toBe(200);
  });

  test("serves a worker's own metrics with the same rules when a worker is scraped", async () => {
    const worker = await serverForTest({ settings: role('worker') });
    expect(new Scrape(await text(worker)).sum('tenure_build_info', { role: 'worker' })).toBe(1);
    expect((await asking(worker)('203.0.113.7')).status).toBe(403);
  });

  test.each(['short', 'fifteen-letters', 'with a space in it, and long'])(
    'stops the start when the metrics token is invalid: %s',
    (value) => {
      const start = (): unknown => readConfig({ TENURE_METRICS_TOKEN: value, PORT: 'x' });
      expect(start).toThrow(ConfigError);
      expect(start).toThrow(/^TENURE_METRICS_TOKEN must be at least 16 printable ASCII characters/m);
      expect(start).toThrow(/^PORT is /m);
      expect(start).not.toThrow(value);
      expect(readConfig({ TENURE_METRICS_TOKEN: ' ' }).metricsToken).toBeNull();
    },
  );
});

describe('metrics that change', () => {
  test('counts requests by method, route and class, refusals by code, and broken-off ones apart when they end', async () => {
    const before = new Scrape(await text(server));
    const since = async (name: string, labels: Record<string, string>): Promise<number> =>
      new Scrape(await text(server)).sum(name, labels) - before.sum(name, labels);
    await makeReferences(server.api, 5);
    await server.api.get('/v1/references/ref_1');
    await server.api.post('/v1/references/ref_1', { metadata: {} }, { 'idempotency-key': 'a' });
    await server.api.post('/v1/references/ref_1', { metadata: {} }, { 'idempotency-key': 'a' });
    await server.api.post('/v1/references', { application: 'app_1', nothing: 1 });
    await fetch(`${server.url}/v1/references`);
    const requests = 'tenure_http_request_duration_seconds_count';
    const create = { method: 'POST', route: '/v1/references' };
    expect(await since(requests, { ...create, status: '2xx' })).toBe(5);
    expect(await since(requests, { ...create, status: '4xx' })).toBe(1);
    expect(await since(requests, { method: 'GET', route: '/v1/references/:id', status: '4xx' })).toBe(1);
    expect(await since(requests, { method: 'POST', route: '/v1/references/:id', status: '4xx' })).toBe(2);
    expect(await since('tenure_http_errors_total', { code: 'resource_missing' })).toBe(3);
    expect(await since('tenure_http_errors_total', { code: 'parameter_unknown' })).toBe(1);
    expect(await since('tenure_http_errors_total', { code: 'api_key_missing' })).toBe(1);
    // The scrape itself is being served.
    expect(new Scrape(await text(server)).value('tenure_http_requests_in_flight')).toBe(1);
  });

  test('writes the metrics once when many scrapes come at once', async () => {
    const { metrics } = server.context;
    const write = metrics.text.bind(metrics);
    const inFlight = async (): Promise<number> => new Scrape(await write()).value('tenure_http_requests_in_flight')!;
    // The first scrape is written when all of them are there.
    const writing = vi.spyOn(metrics, 'text').mockImplementationOnce(async () => {
      await expect.poll(inFlight).toBe(60);
      return write();
    });
    onTestFinished(() => writing.mockRestore());
    const scrape = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const scrapes = await Promise.all(Array.from({ length: 60 }, () => converse(server, scrape)));
    for (const scraped of scrapes) expect(scraped).toContain('tenure_build_info{');
    expect(writing).toHaveBeenCalledTimes(1);
  });

  test('are refused to the machine itself when the host is a name of another site', async () => {
    const own = await serverForTest({ settings: { TENURE_PUBLIC_URL: 'https://tenure.example.com' } });
    const statusFor = async (host: string): Promise<string> => {
      const scraped = await converse(own, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      return scraped.slice(9, 12);
    };
    for (const host of ['localhost', 'LOCALHOST:4000', '127.0.0.1:9', '[::1]:4000', 'tenure.example.com'])
      expect([host, await statusFor(host)]).toEqual([host, '200']);
    for (const host of [
      'rebound.example',
      'rebound.example:4000',
      'localhost.rebound.example',
      '127.0.0.1.rebound.example',
    ])
      expect([host, await statusFor(host)]).toEqual([host, '403']);
  });

  test('counts a request when its client went away', async () => {
    const { context, url, secretKey } = server;
    await withClient(server.connection, async (client) => {
      await client.query('begin');
      await client.query('lock table count_deltas in access exclusive mode');
      const before = new Scrape(await text(server));
      const leaving = new AbortController();
      const asked = fetch(`${url}/v1/references`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
        body: '{"application": "app_1"}',
        signal: leaving.signal,
      }).catch(() => null);
      const pending = async () => new Scrape(await text(server)).value('tenure_committer_pending_mutations');
      await expect.poll(pending, soon).toBe(1);
      leaving.abort();
      await asked;
      const aborted = async (): Promise<number> =>
        new Scrape(await text(server)).sum('tenure_http_request_duration_seconds_count', { status: 'aborted' }) -
        before.sum('tenure_http_request_duration_seconds_count', { status: 'aborted' });
      await expect.poll(aborted, soon).toBe(1);
      await client.query('rollback');
    });
    await expect
      .poll(async () => new Scrape(await text(server)).value('tenure_committer_pending_mutations'), soon)
      .toBe(0);
    expect(context.config.role).toBe('all');
  });

  test('counts changes and their batches when they are committed', async () => {
    const before = new Scrape(await text(server));
    // All connections for changes are taken, so that changes collect.
    const { writers } = server.context.database;
    const held = await Promise.all(Array.from({ length: writers.options.max }, () => writers.connect()));
    const made = makeReferences(server.api, 100);
    const pending = async () => new Scrape(await text(server)).value('tenure_committer_pending_mutations');
    await expect.poll(pending, soon).toBe(100);
    for (const client of held) client.release();
    await made;
    const after = new Scrape(await text(server));
    const grown = (name: string, labels = {}): number => after.sum(name, labels) - before.sum(name, labels);
    expect(grown('tenure_committed_changes_total')).toBe(100);
    expect(grown('tenure_commit_batch_mutations_sum')).toBe(100);
    const batches = grown('tenure_commit_batch_mutations_count');
    expect(batches).toBeLessThan(50);
    expect(grown('tenure_commit_duration_seconds_count', { result: 'committed' })).toBe(batches);
  });

  test("counts a failed delivery by the receiver's fault, and returns gauges to zero when it ends", async () => {
    const own = await serverForTest({ settings: { TENURE_RETRY_SCHEDULE: 'none' } });
    const receiver = await startReceiver(200, 500);
    const endpoint = await pingedEndpoint(own.api, receiver.url);
    const attempts = async (outcome: string): Promise<number> =>
      new Scrape(await text(own)).sum('tenure_delivery_attempt_duration_seconds_count', { outcome });
    await ping(own.api, endpoint.id);
    await expect.poll(() => attempts('2xx'), soon).toBe(1);
    expect(new Scrape(await text(own)).value('tenure_delivery_connections')).toBe(1);
    await ping(own.api, endpoint.id);
    await expect.poll(() => attempts('5xx'), soon).toBe(1);
    await receiver.stop();
    await ping(own.api, endpoint.id);
    await expect.poll(() => attempts('connection_refused'), soon).toBe(1);
    await queueEmpty(own);
    const quiet = async () => {
      const scrape = new Scrape(await text(own));
      return ['tenure_deliveries_held', 'tenure_deliveries_in_flight', 'tenure_delivery_connections'].map((name) =>
        scrape.value(name),
      );
    };
    await expect.poll(quiet, soon).toEqual([0, 0, 0]);
  });

  test('shows a delivery as in flight and held when its attempt is running', async () => {
    const own = await serverForTest();
    const receiver = await receiverForTest(() => {});
    const endpoint = await pingedEndpoint(own.api, receiver.url);
    await ping(own.api, endpoint.id);
    await expect
      .poll(async () => {
        const scrape = new Scrape(await text(own));
        return [scrape.value('tenure_deliveries_held'), scrape.value('tenure_deliveries_in_flight')];
      }, soon)
      .toEqual([1, 1]);
  });

  test('shows the last success and the failures of each duty when duties run', async () => {
    const own = await serverForTest();
    let failing = true;
    const duties = startDuties({
      ...own.context,
      writeUses: async () => {
        if (failing) throw new Error('not today');
      },
    });
    onTestFinished(() => duties.stop());
    const lastSuccess = async (duty: string): Promise<number> =>
      new Scrape(await text(own)).sum('tenure_duty_last_success_timestamp_seconds', { duty });
    const startedSeconds = Math.floor(own.context.clock.nowMs() / 1000);
    await expect.poll(() => lastSuccess('fold counts'), soon).toBeGreaterThanOrEqual(startedSeconds);
    await expect
      .poll(async () => new Scrape(await text(own)).sum('tenure_duty_failures_total', { duty: 'write key uses' }), soon)
      .toBe(1);
    expect(await lastSuccess('write key uses')).toBe(0);
    failing = false;
  });
});

async function text({ url }: TestServer): Promise<string> {
  const answer = await fetch(`${url}/metrics`);
  expect(answer.status).toBe(200);
  return answer.text();
}

/** Scrapes as if from another address: in a test, no real connection comes from elsewhere. */
function asking(own: TestServer) {
  const app = buildApp(own.context);
  onTestFinished(() => app.close());
  return async (remoteAddress: string, headers: Record<string, string> = {}) => {
    const {
      statusCode: status,
      headers: answered,
      body,
    } = await app.inject({ method: 'GET', url: '/metrics', remoteAddress, headers });
    return { status, headers: answered, body };
  };
}

/** Starts another process of the deployment, with its own token and limits. */
function guardedServer(): Promise<TestServer> {
  return serverForTest({
    settings: { TENURE_METRICS_TOKEN: token },
    connection: server.connection,
    secretKey: server.secretKey,
  });
}

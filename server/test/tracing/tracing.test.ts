import { writeFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pino from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { OverloadedError } from '../../src/commit/write-request.ts';
import type { Tracing } from '../../src/core/tracing.ts';
import { openTracing } from '../../src/tracing/open.ts';
import { freePort } from '../support/free-port.ts';
import { processesForTest } from '../support/processes.ts';
import { mcpKey } from '../support/mcp.ts';
import { Scrape } from '../support/prometheus.ts';
import { receiverForTest } from '../support/receiver.ts';
import { apiClient, good, serverForTest, startTestServer, type TestServer } from '../support/server.ts';
import { traceCollectorForTest, type CollectedSpan, type TraceCollector } from '../support/trace-collector.ts';
import { endpointFor, queueEmpty } from '../webhooks/scenario.ts';

const product = { version: '1.2.3', role: 'all', mode: 'sandbox' };
const silent = pino({ level: 'silent' });

describe('the trace of a write', () => {
  test('leads from the request to its batch and each statement when a request is alone in the batch', async () => {
    const { server, collected } = await tracedServer();
    const made = await good(server.api.post('/v1/customers', { name: 'Ada Example', email: 'ada@example.com' }));
    const accountId = (await good(server.api.get('/v1/account'))).body.id;
    const spans = await collected();
    const request = only(spans, 'POST /v1/customers');
    expect(request).toMatchObject({ kind: 'server', parentId: '', isError: false });
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'url.scheme': 'http',
      'http.route': '/v1/customers',
      'http.response.status_code': 200,
      'tenure.request.id': made.headers.get('request-id'),
      'tenure.account.id': accountId,
    });
    const batch = only(childrenOf(spans, request), 'commit batch');
    expect(batch.attributes).toEqual({ 'tenure.batch.mutations': 1, 'tenure.commit.result': 'committed' });
    const statements = childrenOf(spans, batch);
    expect(statements.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'begin',
        'insert events',
        'insert logs',
        // Without a claim if the process has no room for more deliveries.
        expect.stringMatching(/^insert (claimed )?deliveries traced$/),
        'commit',
      ]),
    );
    for (const { name, kind, attributes } of statements) {
      expect(kind).toBe('client');
      expect(attributes).toEqual({ 'db.system.name': 'postgresql', 'db.query.summary': name });
    }
    const event = only(childrenOf(spans, request), 'customer.created');
    expect(event).toMatchObject({ kind: 'producer' });
    expect(event.attributes['tenure.event.id']).toMatch(/^evt_/);
    expect(new Set([request, batch, event, ...statements].map(({ traceId }) => traceId)).size).toBe(1);
    expect(request.resource).toMatchObject({
      'service.name': 'tenure',
      'service.version': '1.2.3',
      'tenure.role': 'all',
      'tenure.mode': 'sandbox',
    });
  });

  test('links requests and their batch in both directions when several share it', async () => {
    const { server, collected } = await tracedServer();
    const posts = Array.from({ length: 60 }, () => good(server.api.post('/v1/references', { application: 'app_1' })));
    await Promise.all(posts);
    const spans = await collected();
    const shared = spans.filter(({ name, links }) => name === 'commit batch' && links.length > 1);
    expect(shared.length).toBeGreaterThan(0);
    for (const batch of shared) {
      expect(batch.parentId).toBe('');
      expect(batch.attributes['tenure.batch.mutations']).toBe(batch.links.length);
      for (const link of batch.links) {
        const request = spans.find(({ id }) => id === link.id)!;
        expect(request).toMatchObject({ name: 'POST /v1/references', traceId: link.traceId });
        expect(request.links).toContainEqual({ traceId: batch.traceId, id: batch.id });
      }
      expect(childrenOf(spans, batch).map(({ name }) => name)).toContain('insert events');
    }
  });

  test('is an error of the server, without a batch, when the committer is overloaded', async () => {
    const { server, collected } = await tracedServer();
    const overloaded = new OverloadedError('The queue of changes is full.');
    vi.spyOn(server.context.committer, 'commit').mockRejectedValueOnce(overloaded);
    const refused = await server.api.post('/v1/customers', { name: 'Ada' });
    expect([refused.status, refused.body.error.code]).toEqual([503, 'overloaded']);
    const spans = await collected();
    const request = only(spans, 'POST /v1/customers');
    expect(request.isError).toBe(true);
    expect(request.attributes).toMatchObject({
      'http.response.status_code': 503,
      'error.type': '503',
      'tenure.request.id': refused.headers.get('request-id'),
    });
    expect(childrenOf(spans, request)).toEqual([]);
  });

  test('is no error of the server when the response is 404', async () => {
    const { server, collected } = await tracedServer();
    expect((await server.api.get('/v1/customers/cus_none')).status).toBe(404);
    expect((await server.api.get('/v1/nothing')).status).toBe(404);
    const spans = await collected();
    expect(only(spans, 'GET /v1/customers/:id')).toMatchObject({ isError: false });
    const unknown = only(spans, 'GET');
    expect(unknown.isError).toBe(false);
    expect(unknown.attributes).toMatchObject({ 'http.response.status_code': 404 });
  });
});

describe('the header traceparent', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';

  test('makes the request a part of the client’s trace when it is valid', async () => {
    const { server, collected } = await tracedServer();
    await good(server.api.get('/v1/customers', { traceparent: `00-${traceId}-b7ad6b7169203331-01` }));
    expect(only(await collected(), 'GET /v1/customers')).toMatchObject({ traceId, parentId: 'b7ad6b7169203331' });
  });

  test('keeps the request, its batch and its deliveries out of the traces when its flag says so', async () => {
    const receiver = await receiverForTest();
    const { server, collected } = await tracedServer();
    await endpointFor(server.api, receiver.url);
    const traceparent = `00-${traceId}-b7ad6b7169203331-00`;
    await good(server.api.post('/v1/references', { application: 'app_1' }, { traceparent }));
    await receiver.count(1);
    await queueEmpty(server);
    const spans = await collected();
    expect(spans.map(({ name }) => name)).not.toContain('POST /v1/references');
    expect(spans.map(({ name }) => name)).not.toContain('deliver');
    expect(spans.map(({ name }) => name)).not.toContain('reference.created');
    // That of the endpoint. The first account has one without a request.
    const ofRequests = spans.filter(({ parentId }) => parentId !== '');
    expect(only(ofRequests, 'commit batch').parentId).toBe(only(spans, 'POST /v1/webhook_endpoints').id);
  });

  test.each([
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `ff-${traceId}-b7ad6b7169203331-01`,
    `00-${traceId}-b7ad6b7169203331-01-more`,
    'nonsense',
  ])('begins a new trace when it is invalid: %s', async (traceparent) => {
    const { server, collected } = await tracedServer();
    await good(server.api.get('/v1/customers', { traceparent }));
    const request = only(await collected(), 'GET /v1/customers');
    expect(request.parentId).toBe('');
    expect(request.traceId).not.toBe(traceId);
  });
});

describe('the trace of a delivery', () => {
  test('leads from the event to each attempt, and shows the receiver nothing of it, when the event is delivered', async () => {
    const receiver = await receiverForTest(500, 200);
    const { server, collected } = await tracedServer({ settings: { TENURE_RETRY_SCHEDULE: '0.05' } });
    const endpoint = await endpointFor(server.api, receiver.url);
    const headers = { baggage: 'user=Ada%20Example', tracestate: 'vendor=1' };
    await good(server.api.post('/v1/references', { application: 'app_1' }, headers));
    const [first] = await receiver.count(2);
    await queueEmpty(server);
    const spans = await collected();
    const event = only(spans, 'reference.created');
    expect(event.parentId).toBe(only(spans, 'POST /v1/references').id);
    // The second delivery is claimed from the database.
    const deliveries = childrenOf(spans, event);
    expect(deliveries.map(({ name, kind }) => [name, kind])).toEqual([
      ['deliver', 'consumer'],
      ['deliver', 'consumer'],
    ]);
    for (const [index, delivery] of deliveries.entries()) {
      expect(delivery.attributes).toMatchObject({
        'tenure.delivery.id': first!.headers['service-delivery-id'],
        'tenure.delivery.attempt': index + 1,
        'tenure.webhook_endpoint.id': endpoint.id,
        'tenure.event.id': event.attributes['tenure.event.id'],
      });
    }
    const attempts = deliveries.map((delivery) => only(childrenOf(spans, delivery), 'POST'));
    expect(attempts.map(({ kind, attributes, isError }) => [kind, attributes, isError])).toEqual([
      ['client', { 'http.request.method': 'POST', 'http.response.status_code': 500, 'error.type': '500' }, true],
      [
        'client',
        { 'http.request.method': 'POST', 'http.request.resend_count': 1, 'http.response.status_code': 200 },
        false,
      ],
    ]);
    for (const { headers: sent } of receiver.received) {
      expect(Object.keys(sent)).not.toEqual(expect.arrayContaining(['traceparent']));
      expect(JSON.stringify(sent)).not.toMatch(/traceparent|tracestate|baggage|Ada%20Example/);
    }
  });

  test('continues in another process when a worker delivers', async () => {
    const receiver = await receiverForTest();
    const collector = await traceCollectorForTest();
    const processes = await processesForTest();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const api = await processes.start({ ...settings, TENURE_ROLE: 'api', OTEL_SERVICE_NAME: 'tenure-api' });
    const worker = await processes.start({ ...settings, TENURE_ROLE: 'worker' });
    const headers = { authorization: `Bearer ${processes.secretKey}`, 'content-type': 'application/json' };
    const post = async (path: string, body: object): Promise<void> => {
      const response = await fetch(`${api.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(response.status, await response.text()).toBe(200);
    };
    await post('/v1/webhook_endpoints', { url: receiver.url, enabled_events: ['reference.created'] });
    await post('/v1/references', { application: 'app_1' });
    await receiver.count(1);
    // A stop exports what is left.
    await Promise.all([api.stop(), worker.stop()]);
    const event = only(collector.spans, 'reference.created');
    const [delivery] = childrenOf(collector.spans, event);
    expect(event.resource['service.name']).toBe('tenure-api');
    expect(delivery).toMatchObject({ name: 'deliver', traceId: event.traceId });
    expect(delivery!.resource).toMatchObject({ 'service.name': 'tenure', 'tenure.role': 'worker' });
  });
});

test('exports no personal data, no keys and nothing that clients wrote when requests have them', async () => {
  const receiver = await receiverForTest();
  const { server, collector, collected } = await tracedServer();
  const marker = 'Zanzibar';
  await endpointFor(server.api, `${receiver.url}/${marker}?token=${marker}`, {
    enabled_events: ['*'],
    description: marker,
  });
  const headers = {
    'idempotency-key': `key-${marker}`,
    'user-agent': `Agent ${marker}`,
    baggage: `user=${marker}`,
    tracestate: `vendor=${marker.toLowerCase()}`,
    'x-forwarded-for': '203.0.113.77',
  };
  const person = { name: `${marker} Smith`, email: `${marker}@example.com`, metadata: { note: marker } };
  await good(server.api.post('/v1/customers', person, headers));
  await server.api.post('/v1/customers', { [marker]: marker, name: marker }, headers);
  await server.api.get(`/v1/customers?email=${marker}%40example.com&${marker}=1`);
  await server.api.get(`/v1/customers/${marker}`);
  await server.api.get(`/${marker}`);
  await fetch(`${server.url}/v1/customers`, { headers: { authorization: `Bearer sk_test_${marker}` } });
  await receiver.count(1);
  await queueEmpty(server);
  const spans = await collected();
  expect(spans.length).toBeGreaterThan(10);
  const everything = Buffer.concat(collector.bodies).toString('latin1');
  expect(everything).toContain('customer.created');
  for (const secret of [marker, server.secretKey, receiver.url, '127.0.0.1', '203.0.113.77', 'example.com', 'whsec_'])
    expect(everything.toLowerCase()).not.toContain(secret.toLowerCase());
});

test('shows no health checks and no scrapes of metrics when it records all requests', async () => {
  const { server, collected } = await tracedServer();
  for (const page of ['/healthz', '/readyz', '/metrics']) await fetch(server.url + page);
  await good(server.api.get('/v1/customers'));
  expect((await collected()).filter(({ kind }) => kind === 'server').map(({ name }) => name)).toEqual([
    'GET /v1/customers',
  ]);
});

test('joins the request of a tool with the message of the agent when both are traced', async () => {
  const { server, collected } = await tracedServer();
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list', arguments: { resource: 'customers' } },
  };
  const agent = apiClient(server.url, await mcpKey(server));
  await good(agent.post('/mcp', call, { accept: 'application/json, text/event-stream' }));
  const spans = await collected();
  const message = only(spans, 'POST /mcp');
  expect(childrenOf(spans, message).map(({ name }) => name)).toEqual(['GET /v1/customers']);
});

describe('the sampler', () => {
  test('records a batch exactly when one of its requests is recorded', async () => {
    const { server, collected } = await tracedServer({ variables: { OTEL_TRACES_SAMPLER: 'parentbased_always_off' } });
    const post = (headers: Record<string, string>) =>
      good(server.api.post('/v1/references', { application: 'app_1' }, headers));
    await Promise.all(Array.from({ length: 30 }, (_, index) => post(index % 10 === 0 ? parentWith('01') : {})));
    await post(parentWith('00'));
    const spans = await collected();
    const requests = spans.filter(({ name }) => name === 'POST /v1/references');
    expect(requests).toHaveLength(3);
    const batches = spans.filter(({ name }) => name === 'commit batch');
    // Each recorded request leads to its batch, and each batch to a recorded request.
    const known = new Set(requests.map(({ id }) => id));
    for (const { parentId, links } of batches)
      expect([parentId, ...links.map(({ id }) => id)].some((id) => known.has(id))).toBe(true);
    for (const request of requests) {
      const batch = batches.find(
        ({ parentId, id }) => parentId === request.id || request.links.some((link) => link.id === id),
      );
      expect(childrenOf(spans, batch!).length).toBeGreaterThan(2);
    }
  });

  test('ignores the flag of clients when it is not based on the parent', async () => {
    const { server, collected } = await tracedServer({ variables: { OTEL_TRACES_SAMPLER: 'always_off' } });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await good(server.api.post('/v1/references', { application: 'app_1' }, { traceparent }));
    expect(await collected()).toEqual([]);
  });
});

describe('a collector that fails', () => {
  test('fails no request before and after a stop when it is away', async () => {
    const { server, tracing } = await tracedServer({ endpoint: `http://127.0.0.1:${await freePort()}` });
    for (let made = 0; made < 5; made++) await good(server.api.post('/v1/references', { application: 'app_1' }));
    await tracing.stop();
    await good(server.api.post('/v1/references', { application: 'app_1' }));
  });

  test('counts the spans that were not taken when it refuses them', async () => {
    const collector = await traceCollectorForTest((response) => response.writeHead(400).end());
    const { server, tracing } = await tracedServer({ endpoint: collector.url });
    await good(server.api.post('/v1/references', { application: 'app_1' }));
    await expect.poll(() => tracing.counts.failed).toBeGreaterThan(0);
    const scrape = new Scrape(await (await fetch(`${server.url}/metrics`)).text());
    expect(scrape.sum('tenure_trace_spans_total', { result: 'failed' })).toBe(tracing.counts.failed);
    expect(scrape.sum('tenure_trace_spans_total', { result: 'exported' })).toBe(0);
  });

  test('holds 4,096 spans at most, counts the others, and holds up no stop, when it hangs', async () => {
    const collector = await traceCollectorForTest(() => {});
    const tracing = (await openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, product, silent))!;
    for (let span = 0; span < 5_000; span++) {
      const request = tracing.beginRequest({ method: 'GET', traceParent: undefined });
      request.end({ id: undefined, accountId: undefined, route: '/v1/customers', status: 200 });
    }
    expect(tracing.counts).toEqual({ exported: 0, failed: 0, dropped: 904 });
    await tracing.stop();
    // The stop has ended before the exports, which time out.
    expect(tracing.counts).toEqual({ exported: 0, failed: 0, dropped: 904 });
  });
});

describe('a process without an address for traces', () => {
  const variables: [string, Record<string, string>][] = [
    ['no variable is set', {}],
    ['OTEL_SDK_DISABLED is true', { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }],
    ['there are other variables only', { OTEL_SERVICE_NAME: 'tenure', OTEL_TRACES_SAMPLER: 'always_on' }],
  ];

  // The client of Prometheus always loads the package of the interface.
  test('loads no SDK and no exporter of OpenTelemetry when it serves requests', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenure-modules-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const watcher = join(folder, 'watcher.mjs');
    writeFileSync(
      watcher,
      `import { registerHooks } from 'node:module';
       registerHooks({
         resolve(specifier, context, next) {
           const found = next(specifier, context);
           if (/opentelemetry\\/(?!api\\/)|otlp-tracing|bounded-export/.test(found.url)) process.stderr.write('loaded ' + found.url + '\\n');
           return found;
         },
       });`,
    );
    const processes = await processesForTest();
    const loaded = async (settings: Record<string, string>): Promise<boolean> => {
      const server = await processes.start({ ...settings, NODE_OPTIONS: `--import=${pathToFileURL(watcher).href}` });
      const headers = { authorization: `Bearer ${processes.secretKey}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ application: 'app_1' });
      expect((await fetch(`${server.url}/v1/references`, { method: 'POST', headers, body })).status).toBe(200);
      await server.stop();
      return readFileSync(server.logFile, 'utf8').includes('loaded ');
    };
    for (const [, settings] of variables) expect(await loaded(settings)).toBe(false);
    // The watcher sees modules.
    expect(await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).toBe(true);
  });

  test('has no tracing in its context when it is built for tests', async () => {
    expect((await serverForTest()).context.tracing).toBeNull();
  });
});

/** A server whose spans go to a collector. `collected` stops both sides, and returns all spans. */
async function tracedServer(
  options: { endpoint?: string; variables?: Record<string, string>; settings?: Record<string, string> } = {},
): Promise<{
  server: TestServer;
  tracing: Tracing;
  collector: TraceCollector;
  collected: () => Promise<CollectedSpan[]>;
}> {
  const collector = await traceCollectorForTest();
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: options.endpoint ?? collector.url, ...options.variables };
  const tracing = (await openTracing(variables, product, silent))!;
  const { settings = {} } = options;
  const server = await startTestServer({ overrides: { tracing }, settings });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await server.stop();
    await tracing.stop();
  };
  onTestFinished(stop);
  return {
    server,
    tracing,
    collector,
    async collected() {
      await stop();
      // The first account, before any request.
      return collector.spans.filter(({ name }) => !name.startsWith('api_key.') && !name.startsWith('account.'));
    },
  };
}

function parentWith(flag: '00' | '01'): { traceparent: string } {
  return { traceparent: `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flag}` };
}

function only(spans: CollectedSpan[], name: string): CollectedSpan {
  const found = spans.filter((span) => span.name === name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0]!;
}

function childrenOf(spans: CollectedSpan[], parent: CollectedSpan): CollectedSpan[] {
  return spans.filter(({ traceId, parentId }) => traceId === parent.traceId && parentId === parent.id);
}

import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { pdfOf } from '../../server/test/support/files.ts';
import { startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { latestVersion } from '../../server/test/support/versions.ts';
import { constructEvent } from '../src/webhooks.ts';
import { isTenureError, Tenure, TenurePromise, type ResponseInfo } from '../src/index.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { httpServer } from './scripted.ts';

let server: TestServer;
let tenure: Tenure;
beforeAll(async () => {
  server = await startTestServer();
  tenure = new Tenure({ apiKey: server.secretKey, baseUrl: server.url });
});
afterAll(() => server.stop());

/** Leaves out the random part of pauses in one test. */
function withoutPauses(): void {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
}

test('makes one record for each POST when 100 connections are cut after the commit', async () => {
  withoutPauses();
  const seen = new Set<string>();
  // The cuts move through the headers and the body of the response, and one comes before its first byte.
  const proxy = await startCuttingProxy(server.url, (request) => {
    const key = /^idempotency-key: (.*)\r$/im.exec(request)?.[1];
    if (key === undefined || seen.has(key)) return key === undefined ? null : Number.POSITIVE_INFINITY;
    seen.add(key);
    return (seen.size - 1) * 5;
  });
  const cut = new Tenure({ apiKey: server.secretKey, baseUrl: proxy.url });
  const answers = [];
  for (let round = 0; round < 10; round++) {
    const calls = Array.from({ length: 10 }, (_, index) =>
      cut.references
        .create({ application: 'app_cut', metadata: { number: String(round * 10 + index) } })
        .withResponse(),
    );
    answers.push(...(await Promise.all(calls)));
  }
  expect(proxy.cuts).toBe(100);
  expect(answers.map(({ replayed, originalRequest }) => [replayed, originalRequest !== null])).toEqual(
    Array.from({ length: 100 }, () => [true, true]),
  );
  const made = await tenure.references.list({ application: 'app_cut' }).toArray({ limit: 200 });
  expect(made.map(({ id }) => id).sort()).toEqual(answers.map(({ data }) => data.id).sort());
  expect(new Set(made.map(({ metadata }) => metadata.number)).size).toBe(100);
});

test('tells about the response beside the data', async () => {
  const idempotencyKey = crypto.randomUUID();
  const first = tenure.references.create({ application: 'app_1' }, { idempotencyKey });
  expect(first).toBeInstanceOf(TenurePromise);
  const made = await first.withResponse();
  expect(await first).toBe(made.data);
  expect(made).toMatchObject({ apiVersion: latestVersion, replayed: false, originalRequest: null });
  expect(made.requestId).toMatch(/^req_/);
  expect(made.response.status).toBe(200);
  const again = await tenure.references.create({ application: 'app_1' }, { idempotencyKey }).withResponse();
  expect(again).toMatchObject({ data: made.data, replayed: true, originalRequest: made.requestId });
});

test('behaves as a promise does', async () => {
  const account = tenure.account.retrieve();
  expect(Object.prototype.toString.call(account)).toBe('[object Promise]');
  expect((await Promise.all([account, account])).map(({ object }) => object)).toEqual(['account', 'account']);
  expect(await account.then(({ object }) => object)).toBe('account');
  expect(account.then(() => null)).not.toBeInstanceOf(TenurePromise);
  let ended = 0;
  expect(await account.finally(() => void ended++)).toMatchObject({ object: 'account' });
  const missing = tenure.references.retrieve('ref_none');
  expect(await missing.catch((error: unknown) => isTenureError(error, 'resource_missing'))).toBe(true);
  await expect(missing.finally(() => void ended++)).rejects.toThrow('ref_none');
  expect(ended).toBe(2);
});

test('updates, cancels, deletes and expands records', async () => {
  const customer = await tenure.customers.create({ name: 'Ada Lovelace', email: 'ada@example.com' });
  const made = await tenure.references.create({ application: 'app_1', customer: customer.id, expand: ['customer'] });
  expect(made.customer).toEqual(customer);
  expect((await tenure.references.update(made.id, { metadata: { a: '1' } })).metadata).toEqual({ a: '1' });
  const found = await tenure.references.list({ customer: customer.id, expand: ['data.customer'], created: { gte: 1 } });
  expect(found.data.map((reference) => reference.customer)).toEqual([customer]);
  const canceled = await tenure.references.cancel(made.id, { expand: ['customer'] });
  expect([canceled.status, canceled.customer]).toEqual(['canceled', customer]);
  expect(await tenure.customers.delete(customer.id)).toMatchObject({ id: customer.id, deleted: true });
});

test('searches by a method of the client itself', async () => {
  const made = await tenure.customers.create({ name: 'Ada Lovelace' });
  const { data, has_more } = await tenure.search({ query: 'LOVELACE', types: 'customer' });
  expect([data.map(({ id, record }) => [id, record]), has_more]).toEqual([[[made.id, made]], false]);
});

test('acts in the version and on the account that are chosen', async () => {
  const connected = await tenure.accounts.create({ name: 'Harbour Lettings' });
  const old = new Tenure({
    apiKey: server.secretKey,
    baseUrl: server.url,
    apiVersion: '2025-09-01',
    account: connected.id,
  });
  const { data, apiVersion } = await old.references.create({ application: 'app_1' }).withResponse();
  expect(apiVersion).toBe('2025-09-01');
  expect(data).toMatchObject({ account: connected.id, pdf: null });
  expect(await tenure.references.retrieve(data.id, {}, { account: connected.id })).toHaveProperty(
    'reference_pdf',
    null,
  );
  await expect(tenure.references.retrieve(data.id)).rejects.toMatchObject({ code: 'resource_missing' });
  await expect(tenure.account.retrieve({}, { apiVersion: '1999-01-01' })).rejects.toMatchObject({
    code: 'api_version_invalid',
  });
});

test('reaches every operation that needs no id and no body', async () => {
  for (const [name, resource] of Object.entries(tenure)) {
    // Only persons use these.
    if (['users', 'invitations'].includes(name)) continue;
    if (typeof resource === 'object' && 'list' in resource && typeof resource.list === 'function') {
      expect(await resource.list(), name).toHaveProperty('has_more');
    }
  }
  expect(await tenure.request('GET', '/v1/references', { limit: 1 })).toMatchObject({ object: 'list' });
  expect(await tenure.testHelpers.clock.advance({ seconds: 1 })).toMatchObject({ advanced_by: 1 });
});

test('uploads a file once, and downloads the same bytes, when its connection is cut', async () => {
  withoutPauses();
  let isFirst = true;
  const proxy = await startCuttingProxy(server.url, (request) => {
    if (!request.startsWith('POST ')) return null;
    const allowed = isFirst ? 100 : Number.POSITIVE_INFINITY;
    isFirst = false;
    return allowed;
  });
  const bytes = pdfOf(new Uint8Array(200_000).fill(65));
  const file = new File([Uint8Array.from(bytes)], 'report.pdf');
  const cut = new Tenure({ apiKey: server.secretKey, baseUrl: proxy.url });
  const uploaded = await cut.files
    .create({ file, purpose: 'reference_report', metadata: { order: '17' } })
    .withResponse();
  expect(uploaded.replayed).toBe(true);
  expect(uploaded.data).toMatchObject({ filename: 'report.pdf', size: bytes.length, metadata: { order: '17' } });
  expect((await tenure.files.list()).data).toHaveLength(1);
  const response = await tenure.files.contents(uploaded.data.id);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  await expect(tenure.files.contents('file_none')).rejects.toMatchObject({ code: 'resource_missing' });
});

test('returns a statement as an object or as a file, by the method', async () => {
  const address = { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };
  const building = await tenure.buildings.create({ name: 'Coppergate', address });
  const unit = await tenure.units.create({ building: building.id, name: 'Flat 2' });
  const rent = { amount: 95_000, currency: 'gbp', interval: 'month' as const };
  const tenancy = await tenure.tenancies.create({
    unit: unit.id,
    customers: ['crm_1'],
    start_date: '2090-02-01',
    rent,
  });
  const statement = await tenure.tenancies.retrieveStatement(tenancy.id, { to: '2027-02-28' });
  expect(statement).toMatchObject({ object: 'statement', to: '2027-02-28', entries: [] });
  const response = await tenure.tenancies.retrieveStatementPdf(tenancy.id, { from: '2027-02-01', to: '2027-02-28' });
  expect(response.headers.get('content-disposition')).toContain(`statement-${tenancy.id}-2027-02.pdf`);
  expect((await response.text()).slice(0, 5)).toBe('%PDF-');
  const lines = [{ type: 'utility' as const, description: 'Water', amount: 4_000 }];
  const invoice = await tenure.invoices.create({ tenancy: tenancy.id, lines, due_on: '2090-02-01' });
  expect((await (await tenure.invoices.pdf(invoice.id)).text()).slice(0, 5)).toBe('%PDF-');
  await expect(tenure.invoices.pdf('in_none')).rejects.toMatchObject({ code: 'resource_missing' });
});

test('downloads for longer than its limit for a response, until the signal is aborted', async () => {
  const { url } = await httpServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf' }).write('%PDF');
    setTimeout(() => response.write('-1.7'), 6_000);
  });
  const ending = new AbortController();
  const slow = new Tenure({ apiKey: server.secretKey, baseUrl: url, timeoutMs: 5_000 });
  const response = await slow.files.contents('file_1', { signal: ending.signal });
  const reader = response.body!.getReader();
  let text = '';
  while (text.length < 8) text += new TextDecoder().decode((await reader.read()).value);
  expect(text).toBe('%PDF-1.7');
  ending.abort(new Error('enough'));
  await expect(reader.read()).rejects.toThrow('enough');
});

test('verifies the webhooks that the server sends', async () => {
  const received = Promise.withResolvers<{ header: string; body: Buffer }>();
  const { url } = await httpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.resolve({ header: String(request.headers['service-signature']), body: Buffer.concat(chunks) });
      response.writeHead(204).end();
    });
  });
  const endpoint = await tenure.webhookEndpoints.create({ url, enabled_events: ['webhook_endpoint.pinged'] });
  await tenure.webhookEndpoints.ping(endpoint.id);
  const { header, body } = await received.promise;
  const secret = endpoint.signing_secret;
  const event = await constructEvent(body, header, secret);
  expect(event.type).toBe('webhook_endpoint.pinged');
  expect(await tenure.webhooks.constructEvent(body.toString(), header, secret)).toEqual(event);
  await expect(tenure.webhooks.constructEvent(`${body.toString()} `, header, secret)).rejects.toMatchObject({
    name: 'SignatureVerificationError',
  });
  await tenure.webhookEndpoints.delete(endpoint.id);
});

test('retries as the server asks when a request is throttled', async () => {
  const told: ResponseInfo[] = [];
  let refusals = 0;
  const patient = new Tenure({
    apiKey: server.secretKey,
    baseUrl: server.url,
    onResponse: (response) => told.push(response),
    fetch: async (url, init) => {
      // The real answer of a server that has too much to do.
      if (refusals++ > 0) return fetch(url, init);
      const headers = { 'retry-after': '0', 'service-should-retry': 'true' };
      return Response.json(
        { error: { type: 'api_error', code: 'overloaded', message: 'Busy.' } },
        { status: 503, headers },
      );
    },
  });
  await patient.references.create({ application: 'app_1' });
  expect(told.map(({ status, retryInMs }) => [status, retryInMs])).toEqual([
    [503, 0],
    [200, null],
  ]);
});

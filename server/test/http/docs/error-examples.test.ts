import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../../../src/core/secrets/api-keys.ts';
import { errorCatalogue, type ErrorCode } from '../../../src/core/errors.ts';
import { curlOf, dashboardErrors, errorExamples, type ExampleRequest } from '../../../src/http/docs/error-examples.ts';
import { Agency, lettingClock } from '../../letting/agency.ts';
import { TestClock } from '../../support/clock.ts';
import { rawRequest } from '../../support/raw-http.ts';
import { inParallel } from '../../support/routes.ts';
import {
  apiClient,
  good,
  serverForTest,
  startTestServer,
  type ApiResponse,
  type TestServer,
} from '../../support/server.ts';
import { firstAccountId } from '../../support/tenants.ts';
import { latestVersion } from '../../support/versions.ts';

/* The examples on the pages of errors. A server gives each wrong request the shown error, and answers each right request. */

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** No request of a client provokes these alone: they need a fault, a full server, or a certain time. Other tests provoke them. */
const needsMoreThanRequests = new Set<ErrorCode>([
  'idempotency_key_in_use',
  'internal',
  'overloaded',
  'rate_limit',
  'request_timeout',
  'unavailable',
]);

/** What an example stands on: the server, and what its placeholders stand for. */
interface Scene {
  on: TestServer;
  placeholders: Record<string, string>;
  /** Other values that the response shows by these names. */
  others?: Record<string, string>;
}

type Prepare = () => Promise<Partial<Scene>>;

/** Prepares the records that an example is about. The other examples need nothing. */
const preparations: Partial<Record<ErrorCode, Prepare>> = {
  amount_exceeded: async () => {
    const { server: own, agency } = await agencyForTest();
    const tenancy = await agency.signed((await agency.unit()).id);
    const lines = [{ type: 'rent', description: 'Rent', amount: 90_000 }];
    const { id } = await agency.make('invoices', { tenancy: tenancy.id, lines, due_on: '2027-02-01', finalize: true });
    return { on: own, placeholders: { 'in_…': id } };
  },
  api_key_expired: async () => {
    const key = await restrictedKey(['references.read']);
    await good(server.api.delete(`/v1/api_keys/${key.id}`));
    return { placeholders: { 'rk_test_…': key.secret } };
  },
  approval_rejected: () => heldForTest('reject'),
  approval_required: () => heldForTest(),
  callback_signature_invalid: async () => {
    const { id } = (await good(server.api.get('/v1/account'))).body;
    return { placeholders: { 'acct_…': id } };
  },
  check_failed: async () => {
    const { server: own, agency } = await agencyForTest();
    const { id } = await agency.signed((await agency.unit()).id);
    return { on: own, placeholders: { 'ten_…': id } };
  },
  email_unconfigured: async () => {
    const own = await serverForTest({ settings: { TENURE_MODE: 'live' } });
    const step = { id: 'welcome', action: 'email', to: '{{event.data.object.id}}', subject: 'Welcome', text: 'Hello.' };
    const { id } = (
      await good(
        own.api.post('/v1/workflows', {
          name: 'Welcome',
          trigger: { type: 'customer.created' },
          steps: [step],
          permissions: ['customers.read'],
        }),
      )
    ).body;
    return { on: own, placeholders: { 'wf_…': id } };
  },
  event_cursor_expired: async () => {
    const own = await serverForTest();
    await newReference(own);
    const { data } = (await good(own.api.get('/v1/events'))).body;
    await own.context.database.readers.query('delete from events');
    return { on: own, placeholders: { 'evt_…': data[0].id } };
  },
  headers_too_large: async () => ({ placeholders: { 'session=…': `session=${'x'.repeat(17_000)}` } }),
  idempotency_key_reused: async () => {
    const { headers, body } = errorExamples.idempotency_key_in_use.wrong;
    const own = await serverForTest();
    await good(own.api.post('/v1/references', body, { 'idempotency-key': headers!['Idempotency-Key']! }));
    return { on: own };
  },
  limit_reached: async () => {
    const own = await serverForTest();
    const ids: string[] = [];
    // One after the other, they take minutes on a busy machine.
    await inParallel(Array.from({ length: 100 }), 10, async () => {
      ids.push((await good(own.api.post('/v1/webhook_endpoints', { url: 'https://example.com/tenure' }))).body.id);
    });
    return { on: own, placeholders: { 'we_…': ids[0]! } };
  },
  method_not_allowed: async () => ({ placeholders: { 'ref_…': await newReference() } }),
  mode_mismatch: async () => ({
    placeholders: { 'sk_live_…': makeKey('secret', 'live', server.context.randomBytes) },
  }),
  parameters_exclusive: async () => ({ placeholders: { 'ref_…': await newReference() } }),
  permission_denied: async () => ({
    placeholders: { 'rk_test_…': (await restrictedKey(['references.read'])).secret },
  }),
  record_in_use: async () => {
    const { server: own, agency } = await agencyForTest();
    return { on: own, placeholders: { 'bld_…': (await agency.unit()).building } };
  },
  request_invalid: async () => ({ placeholders: { 'ref_…': await newReference() } }),
  resource_missing: async () => ({ placeholders: { 'ref_…': await newReference() } }),
  rollback_expired: async () => {
    const clock = new TestClock();
    const own = await serverForTest({ settings: { TENURE_LATEST_VERSION: '2025-09-01' }, overrides: { clock } });
    const account = (await good(own.api.post('/v1/account/api_version', { api_version: latestVersion }))).body;
    clock.advanceSeconds(73 * 3600);
    return { on: own, placeholders: { '1795493227': String(account.rollback_until) } };
  },
  status_transition_invalid: async () => {
    const id = await newReference();
    await good(server.api.post(`/v1/references/${id}`, { outcome: 'accept' }));
    return { placeholders: { 'ref_…': id } };
  },
  unit_occupied: async () => {
    const { server: own, agency } = await agencyForTest();
    const { id: unit } = await agency.unit();
    const days = { start_date: '2027-01-15', end_date: '2027-02-28' };
    const other = await agency.signed(unit, { ...days, type: 'company' });
    const { id } = await agency.draft(unit, { start_date: '2027-02-01' });
    return { on: own, placeholders: { 'ten_…': id }, others: { 'unit_…': unit, 'ten_…': other.id } };
  },
};

/** Lets an agent send a request that waits for a person, or that a person has rejected. */
async function heldForTest(decision?: 'reject'): Promise<Partial<Scene>> {
  const permissions = ['references.write', 'approval_requests.read'];
  const { secret } = (await good(server.api.post('/v1/api_keys', { type: 'agent', name: 'Assistant', permissions })))
    .body;
  const reference = await newReference();
  const held = await apiClient(server.url, secret).post(`/v1/references/${reference}/cancel`);
  const { approval_request: id } = held.body.error;
  const reason = 'The applicant still waits for it.';
  if (decision) await good(server.api.post(`/v1/test_helpers/approval_requests/${id}/${decision}`, { reason }));
  return { placeholders: { 'ak_test_…': secret, 'ref_…': reference, 'apr_…': id } };
}

/** Starts a server on the last day of the examples, with an account of homes. */
async function agencyForTest(): Promise<{ server: TestServer; agency: Agency }> {
  const own = await serverForTest({ overrides: { clock: lettingClock('2027-01-10') } });
  return { server: own, agency: new Agency(await firstAccountId(own), own.api) };
}

describe('examples of errors', () => {
  const codes = (Object.keys(errorExamples) as ErrorCode[]).filter((code) => errorExamples[code] !== undefined);

  test('has an example of every error that a program can get', () => {
    const others: readonly ErrorCode[] = dashboardErrors;
    expect([...codes, ...others].toSorted()).toEqual(Object.keys(errorCatalogue).toSorted());
  });

  test.each(codes.filter((code) => !needsMoreThanRequests.has(code)))(
    'returns the shown error, and answers the mended request, when the code is %s',
    async (code) => {
      const scene: Scene = { on: server, placeholders: {}, ...(await preparations[code]?.()) };
      const { wrong, error, right } = errorExamples[code]!;
      const response = await send(scene, wrong);
      const { status, type } = errorCatalogue[code];
      const {
        doc_url: _,
        request_id: __,
        request_log_url: ___,
        approval_request,
        approval_url,
        ...shown
      } = response.body.error;
      expect(approval_url?.split('/').at(-1)).toBe(approval_request);
      expect({ status: response.status, error: withPlaceholders(scene, shown) }).toEqual({
        status,
        error: { type, code, ...error },
      });
      const mended = await sendAsClient(scene, right);
      expect(mended.status, mended.text).toBe(200);
    },
  );

  test.each([...needsMoreThanRequests])('answers the mended request when the code is %s', async (code) => {
    const mended = await sendAsClient({ on: await serverForTest(), placeholders: {} }, errorExamples[code]!.right);
    expect(mended.status, mended.text).toBe(200);
  });

  test.each(codes)('shows the requests and the error on the page when the code is %s', async (code) => {
    const page = await (await fetch(`${server.url}/docs/errors/${code}`)).text();
    const text = textOf(page);
    const { wrong, right, error } = errorExamples[code]!;
    const { publicUrl } = server.context.config;
    for (const request of [wrong, right]) expect(text).toContain(curlOf(request, publicUrl));
    expect(text).toContain(JSON.stringify(error.message));
    const [shown] = /^\{\n[\s\S]*?^\}$/m.exec(text)!;
    expect(JSON.parse(shown)).toEqual({
      error: {
        type: errorCatalogue[code].type,
        code,
        ...error,
        doc_url: `${publicUrl}/docs/errors/${code}`,
        request_id: 'req_…',
      },
    });
  });
});

/** Returns the text that a reader sees. */
function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}

async function newReference(on: TestServer = server): Promise<string> {
  return (await good(on.api.post('/v1/references', { application: 'app_1' }))).body.id;
}

async function restrictedKey(permissions: string[]): Promise<{ id: string; secret: string }> {
  return (await good(server.api.post('/v1/api_keys', { type: 'restricted', name: 'Report', permissions }))).body;
}

/** Sends a request exactly as the page shows it, with what its placeholders stand for. */
async function send(
  scene: Scene,
  { method, path, key, headers = {}, ...content }: ExampleRequest,
): Promise<ApiResponse> {
  const body = bodyOf(content);
  const lines = Object.entries({ ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers });
  return rawRequest(scene.on, filled(scene, `${method} ${path}`), {
    key: key === undefined ? scene.on.secretKey : key && filled(scene, key),
    headers: lines.map(([name, value]) => filled(scene, `${name}: ${value}`)),
    ...(body !== undefined && { body }),
  });
}

/** Does the same with a usual client, which can leave a stream. */
async function sendAsClient(
  scene: Scene,
  { method, path, headers = {}, ...content }: ExampleRequest,
): Promise<ApiResponse> {
  const api = apiClient(scene.on.url, scene.on.secretKey);
  const at = filled(scene, path);
  if (method === 'GET') return api.get(at, headers);
  return method === 'DELETE' ? api.delete(at, headers) : api.post(at, bodyOf(content), headers);
}

function bodyOf({ body, bodyFile }: Pick<ExampleRequest, 'body' | 'bodyFile'>): string | undefined {
  if (bodyFile) return JSON.stringify({ application: 'x'.repeat(bodyFile.bytes) });
  return typeof body === 'object' ? JSON.stringify(body) : body;
}

function filled({ placeholders }: Scene, text: string): string {
  return Object.entries(placeholders).reduce((sum, [name, value]) => sum.replaceAll(name, value), text);
}

/** Returns the error with placeholders again. Of a key, a message shows only the last four characters. */
function withPlaceholders({ placeholders, others = {} }: Scene, error: object): unknown {
  const text = [...Object.entries(placeholders), ...Object.entries(others)].reduce(
    (sum, [name, value]) => sum.replaceAll(value, name).replaceAll(isKey(name) ? value.slice(-4) : value, '…'),
    JSON.stringify(error),
  );
  return JSON.parse(text);
}

function isKey(name: string): boolean {
  return /^[sra]k_/.test(name);
}

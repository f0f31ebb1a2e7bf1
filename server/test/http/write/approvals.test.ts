import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Id } from '../../../src/core/ids.ts';
import {
  approvalRequest,
  endStepApproval,
  requestStepApproval,
} from '../../../src/resources/workflows/approval-request.ts';
import { letOn } from '../../gateway-payments/collection.ts';
import { Agency, rent as monthly } from '../../letting/agency.ts';
import { signedIn, type Browser } from '../../support/browser.ts';
import { formOf } from '../../support/files.ts';
import { TestClock } from '../../support/clock.ts';
import {
  apiClient,
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../../support/server.ts';
import { firstAccountId } from '../../support/tenants.ts';

/* Sensitive requests of agents wait for a person. One approval lets exactly one such request pass. */

let server: TestServer;
let owner: Browser;

beforeAll(async () => {
  server = await startTestServer();
  owner = (await signedIn(server, 'owner')).browser;
});
afterAll(() => server.stop());

interface AgentKey {
  id: string;
  secret: string;
  api: Api;
}

/** Makes a key of an agent. A person makes it, because only a person may send `none`. */
async function agentKey(
  { approvals, on = server, by = owner }: { approvals?: string; on?: TestServer; by?: Browser } = {},
  permissions = [
    'references.write',
    'webhook_endpoints.write',
    'events.read',
    'approval_requests.read',
    'customers.write',
  ],
): Promise<AgentKey> {
  const body = { type: 'agent', name: 'Letting assistant', permissions, ...(approvals && { approvals }) };
  const { id, secret } = (await good(by.post('/v1/api_keys', body))).body;
  return { id, secret, api: apiClient(on.url, secret) };
}

async function newReference(body: object = {}, on = server): Promise<string> {
  return (await good(on.api.post('/v1/references', { application: 'app_1', ...body }))).body.id;
}

function expectHeld(answer: ApiResponse): string {
  expect(answer.status, answer.text).toBe(403);
  expect(answer.body.error).toMatchObject({ type: 'permission_error', code: 'approval_required' });
  const id = answer.body.error.approval_request as string;
  expect(answer.body.error.approval_url).toMatch(new RegExp(`/dashboard/approvals/${id}$`));
  return id;
}

async function approve(id: string, by = owner): Promise<void> {
  await good(by.post(`/v1/approval_requests/${id}/approve`));
}

async function statusOf(id: string, on = server): Promise<string> {
  return (await good(on.api.get(`/v1/approval_requests/${id}`))).body.status;
}

async function referenceStatus(id: string, on = server): Promise<string> {
  return (await good(on.api.get(`/v1/references/${id}`))).body.status;
}

async function eventsAbout(id: string, on = server): Promise<{ type: string; request: { actor: object } }[]> {
  return (await good(on.api.get(`/v1/events?object_id=${id}&limit=50`))).body.data.reverse();
}

/** Returns the logs whose bodies have a text. */
async function logsWith(text: string): Promise<object[]> {
  const { rows } = await server.context.database.readers.query(
    `select method, path, request_body, response_body
     from request_logs
     where request_body like '%' || $1 || '%' or response_body like '%' || $1 || '%'`,
    [text],
  );
  return rows;
}

describe('a sensitive request', () => {
  test('waits with an approval request, and is executed once when it is sent again after the approval', async () => {
    const agent = await agentKey();
    const reference = await newReference();
    const cancel = (): Promise<ApiResponse> =>
      agent.api.post(`/v1/references/${reference}/cancel`, undefined, {
        'service-reason': 'The applicant has withdrawn.',
      });
    const id = expectHeld(await cancel());
    expect((await good(server.api.get(`/v1/approval_requests/${id}`))).body).toEqual({
      id,
      object: 'approval_request',
      created: expect.any(Number),
      type: 'agent_request',
      status: 'pending',
      title: 'Cancel a reference',
      workflow_run: null,
      api_key: agent.id,
      customer: null,
      operation: 'references_cancel',
      method: 'POST',
      path: `/v1/references/${reference}/cancel`,
      request_body: null,
      reason: 'The applicant has withdrawn.',
      expires_at: expect.any(Number),
      decided_by: null,
      decided_at: null,
      decision_reason: null,
      executed_request: null,
    });
    expect(expectHeld(await cancel())).toBe(id);
    expect(await referenceStatus(reference)).toBe('pending');

    await approve(id);
    const executed = await good(cancel());
    expect(executed.body.status).toBe('canceled');
    const after = (await good(server.api.get(`/v1/approval_requests/${id}`))).body;
    expect(after).toMatchObject({ status: 'executed', executed_request: executed.headers.get('request-id') });
    expect((await eventsAbout(id)).map(({ type }) => type.replace('approval_request.', ''))).toEqual([
      'created',
      'updated',
      'approved',
      'updated',
      'executed',
    ]);
    const canceled = (await eventsAbout(reference)).at(-1);
    expect(canceled).toMatchObject({
      type: 'reference.canceled',
      request: { id: executed.headers.get('request-id'), actor: { type: 'agent', key_id: agent.id } },
    });
  });

  test('is not stored as the response of its Idempotency-Key, which the execution uses later', async () => {
    const agent = await agentKey();
    const reference = await newReference();
    const headers = { 'idempotency-key': 'cancel-once' };
    const cancel = (): Promise<ApiResponse> => agent.api.post(`/v1/references/${reference}/cancel`, undefined, headers);
    const id = expectHeld(await cancel());
    expect((await cancel()).headers.get('idempotent-replayed')).toBeNull();
    await approve(id);
    const executed = await good(cancel());
    const replayed = await good(cancel());
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.text).toBe(executed.text);
    expect(await statusOf(id)).toBe('executed');
  });

  test('is refused at once, without an approval request, when it could not be executed anyway', async () => {
    const agent = await agentKey();
    const reference = await newReference();
    await good(server.api.post(`/v1/references/${reference}/cancel`));
    const before = (await good(server.api.get('/v1/approval_requests'))).body.count;
    const complete = await agent.api.post(`/v1/references/${reference}`, { outcome: 'accept' });
    expect(complete.body.error.code).toBe('status_transition_invalid');
    const missing = await agent.api.post('/v1/references/ref_0000000000000000000000/cancel');
    expect(missing.body.error.code).toBe('resource_missing');
    expect((await good(server.api.get('/v1/approval_requests'))).body.count).toBe(before);
  });

  test('needs a new approval when its body, its key or its version differs', async () => {
    const agent = await agentKey();
    const other = await agentKey();
    const reference = await newReference();
    const path = `/v1/references/${reference}`;
    const id = expectHeld(await agent.api.post(path, { outcome: 'accept', metadata: { a: '1', b: '2' } }));
    expect(expectHeld(await agent.api.post(path, { metadata: { b: '2', a: '1' }, outcome: 'accept' }))).toBe(id);
    await approve(id);
    const different = [
      await agent.api.post(path, { outcome: 'accept', metadata: { a: '1', b: '3' } }),
      await agent.api.post(`${path}?expand[]=customer`, { outcome: 'accept', metadata: { a: '1', b: '2' } }),
      await agent.api.post(
        path,
        { outcome: 'accept', metadata: { a: '1', b: '2' } },
        { 'service-version': '2025-09-01' },
      ),
      await other.api.post(path, { outcome: 'accept', metadata: { a: '1', b: '2' } }),
    ].map(expectHeld);
    expect(new Set([id, ...different]).size).toBe(5);
    expect(await referenceStatus(reference)).toBe('pending');
    await good(agent.api.post(path, { outcome: 'accept', metadata: { a: '1', b: '2' } }));
  });

  test('is executed once when fifty arrive at once on one approval, with and without keys', async () => {
    const agent = await agentKey();
    const reference = await newReference();
    const second = await startTestServer({ connection: server.connection, secretKey: server.secretKey });
    try {
      const body = { outcome: 'consider' };
      const path = `/v1/references/${reference}`;
      const id = expectHeld(await agent.api.post(path, body));
      await approve(id);
      const elsewhere = apiClient(second.url, agent.secret);
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 === 0 ? agent.api : elsewhere).post(
            path,
            body,
            index % 3 === 0 ? { 'idempotency-key': `key-${index}` } : {},
          ),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const next = new Set(answers.filter(({ status }) => status !== 200).map(expectHeld));
      expect(next.size).toBe(1);
      expect(next.has(id)).toBe(false);
      const completed = (await eventsAbout(reference)).filter(({ type }) => type === 'reference.completed');
      expect(completed).toHaveLength(1);
      expect((await eventsAbout(id)).filter(({ type }) => type === 'approval_request.executed')).toHaveLength(1);
    } finally {
      await second.stop();
    }
  });

  test('gets one approval request when fifty arrive at once at two processes', async () => {
    const agent = await agentKey();
    const reference = await newReference();
    const second = await startTestServer({ connection: server.connection, secretKey: server.secretKey });
    try {
      const elsewhere = apiClient(second.url, agent.secret);
      const held = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 === 0 ? agent.api : elsewhere).post(`/v1/references/${reference}/cancel`),
        ),
      );
      expect(new Set(held.map(expectHeld)).size).toBe(1);
    } finally {
      await second.stop();
    }
  });

  test.each([
    ['cancels', (api: Api, id: string) => api.post(`/v1/references/${id}/cancel`)],
    ['sets an outcome', (api: Api, id: string) => api.post(`/v1/references/${id}`, { outcome: 'accept' })],
    [
      'moves a check',
      (api: Api, id: string) => api.post(`/v1/references/${id}`, { automatic_reference: { enabled: false } }),
    ],
    [
      'orders a check',
      (api: Api) => api.post('/v1/references', { application: 'app_1', customer: 'cus_1', automatic_reference: {} }),
    ],
    ['makes an endpoint', (api: Api) => api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/hook' })],
  ])('waits when it %s', async (_, send) => {
    const agent = await agentKey();
    const reference = await newReference();
    const answer = await send(agent.api, reference);
    if (answer.status !== 400) expectHeld(answer);
    else expect(answer.body.error.code, answer.text).not.toBe('parameter_unknown');
  });

  test('waits when it changes, rolls, recovers or deletes an endpoint, or deletes a customer', async () => {
    const agent = await agentKey();
    const { id } = (await good(server.api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/hook' }))).body;
    const path = `/v1/webhook_endpoints/${id}`;
    expectHeld(await agent.api.post(path, { description: 'New' }));
    expectHeld(await agent.api.post(`${path}/roll_secret`));
    expectHeld(await agent.api.post(`${path}/recover`, { since: Math.floor(Date.now() / 1000) - 60 }));
    expectHeld(await agent.api.delete(path));
    await good(agent.api.post(`${path}/ping`));
    await good(server.api.delete(path));
  });

  test('is executed at once for a key with none, a restricted key, and when it is not sensitive', async () => {
    const free = await agentKey({ approvals: 'none' });
    await good(free.api.post(`/v1/references/${await newReference()}/cancel`));
    const agent = await agentKey();
    const reference = await newReference();
    await good(agent.api.post(`/v1/references/${reference}`, { metadata: { note: 'x' } }));
    await good(agent.api.post('/v1/references', { application: 'app_1', automatic_reference: null }));
    await good(agent.api.post('/v1/customers', { name: 'Ada Lovelace' }));
  });

  test('waits when a gateway collects the payment, or when a payment is refunded', async () => {
    const { agency, tenancy } = await letOn(server);
    const key = { type: 'agent', name: 'Rent assistant', permissions: ['payments.write'] };
    const agent = apiClient(server.url, (await good(agency.api.post('/v1/api_keys', key))).body.secret);
    const rent = { tenancy: tenancy.id, amount: 95_000, method: 'direct_debit' };
    expectHeld(await agent.post('/v1/payments', { ...rent, provider: 'simulator' }));
    // The gateway of the account is the default.
    await good(agency.api.post('/v1/account', { payment_provider: 'simulator' }));
    expectHeld(await agent.post('/v1/payments', rent));
    await good(agent.post('/v1/payments', { ...rent, status: 'pending' }));
    const { id } = (await good(agent.post('/v1/payments', { ...rent, provider: null }))).body;
    expectHeld(await agent.post(`/v1/payments/${id}/refund`, { amount: 95_000 }));
    const { amount_refunded: refunded } = (await good(agency.api.get(`/v1/payments/${id}`))).body;
    expect(refunded).toBe(0);
  });

  test('waits whatever it does when the key has all_writes, but for cancelling its own approval request', async () => {
    const agent = await agentKey({ approvals: 'all_writes' });
    const body = { name: 'Ada Lovelace', email: 'ada@example.com' };
    const id = expectHeld(await agent.api.post('/v1/customers', body));
    const held = (await good(agent.api.get(`/v1/approval_requests/${id}`))).body;
    expect(held).toMatchObject({ request_body: body, customer: null });
    await approve(id);
    const { id: customer } = (await good(agent.api.post('/v1/customers', body))).body;
    expect((await good(agent.api.get(`/v1/approval_requests/${id}`))).body.customer).toBe(customer);
    const second = expectHeld(await agent.api.post('/v1/customers', body));
    expect((await good(agent.api.post(`/v1/approval_requests/${second}/cancel`))).body.status).toBe('canceled');
    expect(expectHeld(await agent.api.post('/v1/customers', body))).not.toBe(second);
  });
});

test('decides an application without being automated when a person has approved the decision', async () => {
  const { api } = await agentKey({ approvals: 'all_writes' }, ['applications.write']);
  const { id } = (await good(server.api.post('/v1/applications', { customers: ['cus_1'] }))).body;
  const held = expectHeld(await api.post(`/v1/applications/${id}/approve`));
  await approve(held);
  const { decision } = (await good(api.post(`/v1/applications/${id}/approve`))).body;
  expect(decision).toMatchObject({ outcome: 'approved', automated: false });
});

describe('a request to a connected account', () => {
  test('waits there, and is approved by a person of the platform', async () => {
    const { id: connected } = (await good(server.api.post('/v1/accounts', { name: 'Ouse Lettings' }))).body;
    const there = { 'service-context': connected };
    const reference = (await good(server.api.post('/v1/references', { application: 'app_1' }, there))).body.id;
    const agent = await agentKey();
    const cancel = (): Promise<ApiResponse> => agent.api.post(`/v1/references/${reference}/cancel`, undefined, there);
    const id = expectHeld(await cancel());
    expect((await server.api.get(`/v1/approval_requests/${id}`)).status).toBe(404);
    await good(owner.post(`/v1/approval_requests/${id}/approve`, {}, there));
    await good(cancel());
    expect((await good(server.api.get(`/v1/approval_requests/${id}`, there))).body.status).toBe('executed');
  });
});

describe('an upload', () => {
  test('waits for the approval of exactly these bytes', async () => {
    const agent = await agentKey({ approvals: 'all_writes' }, ['files.write']);
    const id = expectHeld(await agent.api.post('/v1/files', formOf()));
    expect(expectHeld(await agent.api.post('/v1/files', formOf()))).toBe(id);
    await approve(id);
    expect(expectHeld(await agent.api.post('/v1/files', formOf({ purpose: 'other' })))).not.toBe(id);
    await good(agent.api.post('/v1/files', formOf()));
    expect(await statusOf(id)).toBe('executed');
  });
});

describe('a decision', () => {
  test('is made by persons with the permission only, and never by a key', async () => {
    const agent = await agentKey();
    const id = expectHeld(await agent.api.post(`/v1/references/${await newReference()}/cancel`));
    for (const action of ['approve', 'reject']) {
      for (const api of [server.api, agent.api])
        expect((await api.post(`/v1/approval_requests/${id}/${action}`)).body.error.code).toBe('person_required');
      for (const role of ['operator', 'viewer'] as const) {
        const { browser } = await signedIn(server, role);
        expect((await browser.post(`/v1/approval_requests/${id}/${action}`)).body.error.code).toBe('permission_denied');
      }
    }
    expect(await statusOf(id)).toBe('pending');
    await approve(id, (await signedIn(server, 'admin')).browser);
    const again = await owner.post(`/v1/approval_requests/${id}/reject`);
    expect(again.body.error.code).toBe('status_transition_invalid');
    expect(again.body.error.message).toMatch(/ is approved\. .* Choose another one\.$/);
  });

  test('needs a fresh confirmation of the identity', async () => {
    const agent = await agentKey();
    const id = expectHeld(await agent.api.post(`/v1/references/${await newReference()}/cancel`));
    const { browser, id: user } = await signedIn(server, 'owner');
    await server.context.database.readers.query('update sessions set confirmed_at = 0 where user_id = $1', [user]);
    await expect
      .poll(async () => (await browser.post(`/v1/approval_requests/${id}/approve`)).body.error?.code)
      .toBe('reauthentication_required');
    expect(await statusOf(id)).toBe('pending');
  });

  test('that rejects refuses the same request with the reason for an hour', async () => {
    const clock = new TestClock();
    const own = await serverForTest({ overrides: { clock } });
    const by = (await signedIn(own, 'owner')).browser;
    const agent = await agentKey({ on: own, by });
    const reference = await newReference({}, own);
    const cancel = (): Promise<ApiResponse> => agent.api.post(`/v1/references/${reference}/cancel`);
    const id = expectHeld(await cancel());
    await good(by.post(`/v1/approval_requests/${id}/reject`, { reason: 'She still waits for it.' }));
    const refused = await cancel();
    expect(refused.status).toBe(403);
    expect(refused.body.error).toMatchObject({ code: 'approval_rejected', approval_request: id });
    expect(refused.body.error.message).toContain('She still waits for it.');
    clock.advanceSeconds(3601);
    expect(expectHeld(await cancel())).not.toBe(id);
    expect(await statusOf(id, own)).toBe('rejected');
  });

  test('that approves is void when its person is lowered, disabled or deleted before the execution', async () => {
    const agent = await agentKey();
    for (const change of [{ role: 'viewer' }, { status: 'disabled' }, null]) {
      const reference = await newReference();
      const cancel = (): Promise<ApiResponse> => agent.api.post(`/v1/references/${reference}/cancel`);
      const id = expectHeld(await cancel());
      const approver = await signedIn(server, 'admin');
      await approve(id, approver.browser);
      await good(change ? owner.post(`/v1/users/${approver.id}`, change) : owner.delete(`/v1/users/${approver.id}`));
      const next = expectHeld(await cancel());
      expect(next).not.toBe(id);
      expect(await statusOf(id)).toBe('expired');
      expect(await referenceStatus(reference)).toBe('pending');
      await approve(next);
      await good(cancel());
    }
  });

  test('that approves helps no revoked key', async () => {
    const agent = await agentKey();
    const reference = await newReference();
    const id = expectHeld(await agent.api.post(`/v1/references/${reference}/cancel`));
    await approve(id);
    await good(owner.delete(`/v1/api_keys/${agent.id}`));
    expect((await agent.api.post(`/v1/references/${reference}/cancel`)).status).toBe(401);
    expect(await referenceStatus(reference)).toBe('pending');
    expect(await statusOf(id)).toBe('approved');
  });
});

describe('the time', () => {
  test('ends a pending request after a day and an approved one after an hour, also before the duty has run', async () => {
    const clock = new TestClock();
    const own = await serverForTest({ overrides: { clock } });
    const by = (await signedIn(own, 'owner')).browser;
    const agent = await agentKey({ on: own, by });
    const reference = await newReference({}, own);
    const cancel = (): Promise<ApiResponse> => agent.api.post(`/v1/references/${reference}/cancel`);
    const first = expectHeld(await cancel());
    // The clock runs on meanwhile, so a busy machine gets an hour for these requests.
    clock.advanceSeconds(23 * 3600);
    expect(expectHeld(await cancel())).toBe(first);
    clock.advanceSeconds(3601);
    const late = await own.api.post(`/v1/test_helpers/approval_requests/${first}/approve`);
    expect(late.body.error.code).toBe('status_transition_invalid');
    expect(late.body.error.message).toMatch(/ is expired\. .* The agent can send its request again\.$/);
    const second = expectHeld(await cancel());
    expect(second).not.toBe(first);
    expect(await statusOf(first, own)).toBe('expired');
    await good(own.api.post(`/v1/test_helpers/approval_requests/${second}/approve`));
    clock.advanceSeconds(3601);
    const third = expectHeld(await cancel());
    expect(third).not.toBe(second);
    expect(await referenceStatus(reference, own)).toBe('pending');
    expect((await eventsAbout(second, own)).at(-1)!.type).toBe('approval_request.expired');
  });

  test('is that of a moved sandbox clock: when the move is answered, the requests have expired', async () => {
    const own = await serverForTest();
    const by = (await signedIn(own, 'owner')).browser;
    const agent = await agentKey({ on: own, by });
    const id = expectHeld(await agent.api.post(`/v1/references/${await newReference({}, own)}/cancel`));
    await good(own.api.post('/v1/test_helpers/clock/advance', { seconds: 86_400 }));
    expect(await statusOf(id, own)).toBe('expired');
    expect((await eventsAbout(id, own)).at(-1)).toMatchObject({
      type: 'approval_request.expired',
      request: { actor: { type: 'system' } },
    });
  });
});

describe('the test helpers', () => {
  test('decide in the place of a person, for keys that may move the clock', async () => {
    const agent = await agentKey();
    const reference = await newReference();
    const cancel = (): Promise<ApiResponse> => agent.api.post(`/v1/references/${reference}/cancel`);
    const id = expectHeld(await cancel());
    const helper = `/v1/test_helpers/approval_requests/${id}`;
    expect((await agent.api.post(`${helper}/approve`)).body.error.code).toBe('permission_denied');
    await good(server.api.post(`${helper}/reject`, { reason: 'No.' }));
    expect((await cancel()).body.error.code).toBe('approval_rejected');
    const other = await newReference();
    const second = expectHeld(await agent.api.post(`/v1/references/${other}/cancel`));
    const approved = await good(server.api.post(`/v1/test_helpers/approval_requests/${second}/approve`));
    expect(approved.body).toMatchObject({ status: 'approved', decided_by: null, decided_at: expect.any(Number) });
    await good(agent.api.post(`/v1/references/${other}/cancel`));
  });

  test('do not exist in live mode', async () => {
    const live = await serverForTest({ settings: { TENURE_MODE: 'live' } });
    const answer = await live.api.post('/v1/test_helpers/approval_requests/apr_0000000000000000000000/approve');
    expect(answer.body.error.code).toBe('route_unknown');
  });
});

describe('the policy of a key', () => {
  test('is sensitive for a new agent, null for other keys, and none only if a person sends it', async () => {
    const permissions = ['references.write'];
    const made = (await good(server.api.post('/v1/api_keys', { type: 'agent', name: 'A', permissions }))).body;
    expect(made.approvals).toBe('sensitive');
    const strict = await server.api.post('/v1/api_keys', {
      type: 'agent',
      name: 'A',
      permissions,
      approvals: 'all_writes',
    });
    expect((await good(Promise.resolve(strict))).body.approvals).toBe('all_writes');
    expect(
      (await good(server.api.post('/v1/api_keys', { type: 'restricted', permissions }))).body.approvals,
    ).toBeNull();
    const free = await server.api.post('/v1/api_keys', { type: 'agent', name: 'A', permissions, approvals: 'none' });
    expect(free.body.error.code).toBe('person_required');
    const wrong = await server.api.post('/v1/api_keys', { type: 'restricted', permissions, approvals: 'sensitive' });
    expect(wrong.body.error).toMatchObject({ code: 'parameter_invalid', param: 'approvals' });
    const rolled = (await good(server.api.post(`/v1/api_keys/${strict.body.id}/roll`))).body;
    expect(rolled.approvals).toBe('all_writes');
  });

  test('is none for a key that another release has made', async () => {
    const agent = await agentKey();
    await server.context.database.readers.query('update api_keys set approvals = null where id = $1', [agent.id]);
    const reference = await newReference();
    await expect.poll(async () => (await agent.api.post(`/v1/references/${reference}/cancel`)).status).toBe(200);
  });

  test('lets no agent get approval_requests.write', async () => {
    const answer = await owner.post('/v1/api_keys', {
      type: 'agent',
      name: 'A',
      permissions: ['approval_requests.write'],
    });
    expect(answer.body.error.code).toBe('parameter_invalid');
  });
});

/** Returns a text as a header carries it: fetch writes Latin-1. */
function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

describe('the reason', () => {
  test('is UTF-8 of up to 500 characters', async () => {
    const agent = await agentKey();
    const reference = await newReference();
    const send = (reason: string): Promise<ApiResponse> =>
      agent.api.post(`/v1/references/${reference}/cancel`, undefined, { 'service-reason': asBytes(reason) });
    expect((await send('é'.repeat(501))).body.error.code).toBe('request_invalid');
    const id = expectHeld(await send(`Zoë’s request: ${'é'.repeat(400)}`));
    expect((await good(server.api.get(`/v1/approval_requests/${id}`))).body.reason).toBe(
      `Zoë’s request: ${'é'.repeat(400)}`,
    );
  });
});

describe('a step of a workflow', () => {
  test('gets its approval request in the mutation of its run, and hears of the decision by an event', async () => {
    const { context } = server;
    const accountId = await firstAccountId(server);
    const ids = ['approve', 'reject', 'end'].map(() => context.ids.make('apr'));
    const nowSeconds = Math.floor(context.clock.nowMs() / 1000);
    const step = { workflowRun: 'wfr_0VbZq7hM00eR5tBvNx1Zs9', title: 'Let the flat to Ada?', timeoutSeconds: 600 };
    await context.committer.commitAsSystem({
      accountId,
      locks: [],
      decide: async () => ({ changes: ids.map((id) => requestStepApproval({ id, accountId, nowSeconds }, step)) }),
    });
    const [approved, rejected, ended] = ids as [Id<'apr'>, Id<'apr'>, Id<'apr'>];
    const list = (await good(server.api.get(`/v1/approval_requests?workflow_run=${step.workflowRun}`))).body;
    expect(list.count).toBe(3);
    expect(list.data[2]).toMatchObject({
      type: 'workflow_step',
      title: step.title,
      status: 'pending',
      api_key: null,
      expires_at: nowSeconds + 600,
    });
    await approve(approved);
    await good(owner.post(`/v1/approval_requests/${rejected}/reject`, { reason: 'Ask Grace first.' }));
    const event = (await eventsAbout(rejected)).at(-1) as unknown as { type: string; data: object };
    expect(event.type).toBe('approval_request.rejected');
    expect(event.data).toMatchObject({
      object: { workflow_run: step.workflowRun, decision_reason: 'Ask Grace first.' },
    });
    expect((await good(server.api.get(`/v1/approval_requests/${approved}`))).body).toMatchObject({
      status: 'approved',
      expires_at: null,
    });
    await context.committer.commitAsSystem({
      accountId,
      locks: [ended],
      async decide() {
        const record = (await context.readRecord(approvalRequest, accountId, ended))!;
        const change = endStepApproval(record, 'canceled');
        return change && { changes: [change] };
      },
    });
    expect(await statusOf(ended)).toBe('canceled');
  });
});

describe('an approval request', () => {
  test('shows its body only to a reader of the records that it is about', async () => {
    const { api } = await agentKey({ approvals: 'all_writes' });
    const body = { name: 'Ada Vane', email: 'ada.vane@example.org' };
    const id = expectHeld(await api.post('/v1/customers', body));
    const shown = async (permissions: string[]): Promise<unknown[]> => {
      const key = { type: 'restricted', name: 'Reader', permissions: ['approval_requests.read', ...permissions] };
      const reader = apiClient(server.url, (await good(owner.post('/v1/api_keys', key))).body.secret);
      const one = (await good(reader.get(`/v1/approval_requests/${id}`))).body;
      const { data } = (await good(reader.get('/v1/approval_requests?limit=50'))).body;
      const listed = data.find((each: { id: string }) => each.id === id);
      expect(one).toMatchObject({ operation: 'customers_create', path: '/v1/customers' });
      return [one.request_body, listed.request_body];
    };
    expect(await shown([])).toEqual([null, null]);
    expect(await shown(['references.write'])).toEqual([null, null]);
    expect(await shown(['customers.read'])).toEqual([body, body]);
    expect((await good(api.get(`/v1/approval_requests/${id}`))).body.request_body).toEqual(body);
    expect((await good(owner.get(`/v1/approval_requests/${id}`))).body.request_body).toEqual(body);
  });

  test('is taken back only by the key that made it', async () => {
    const agent = await agentKey();
    const id = expectHeld(await agent.api.post(`/v1/references/${await newReference()}/cancel`));
    const path = `/v1/approval_requests/${id}/cancel`;
    for (const other of [(await agentKey()).api, server.api])
      expect((await other.post(path)).body.error.code).toBe('status_transition_invalid');
    expect((await owner.post(path)).body.error.code).toBe('status_transition_invalid');
    const key = { 'idempotency-key': 'take-back' };
    const canceled = await good(agent.api.post(path, undefined, key));
    expect(canceled.body.status).toBe('canceled');
    expect((await good(agent.api.post(path, undefined, key))).headers.get('idempotent-replayed')).toBe('true');
    expect((await good(agent.api.post(path))).body.status).toBe('canceled');
    expect((await owner.post(`/v1/approval_requests/${id}/approve`)).body.error.code).toBe('status_transition_invalid');
  });

  test('loses its texts when its customer is erased, also in its events', async () => {
    const agent = await agentKey({ approvals: 'all_writes' });
    const { id: customer } = (await good(server.api.post('/v1/customers', { name: 'Ada Lovelace' }))).body;
    const id = expectHeld(
      await agent.api.post(
        `/v1/customers/${customer}`,
        { email: 'ada.secret@example.com' },
        { 'service-reason': 'Ada has called.' },
      ),
    );
    await approve(id);
    await good(agent.api.post(`/v1/customers/${customer}`, { email: 'ada.secret@example.com' }));
    await good(owner.delete(`/v1/customers/${customer}`));
    expect((await good(server.api.get(`/v1/approval_requests/${id}`))).body).toMatchObject({
      status: 'executed',
      request_body: null,
      reason: null,
    });
    expect(JSON.stringify(await eventsAbout(id))).not.toMatch(/ada.secret|has called/);
    // The agent that makes a customer does not know its id when it asks.
    const body = { name: 'Grace Hopper', email: 'ada.secret@example.com' };
    const made = expectHeld(await agent.api.post('/v1/customers', body));
    await approve(made);
    const { id: second } = (await good(agent.api.post('/v1/customers', body))).body;
    await good(owner.delete(`/v1/customers/${second}`));
    expect((await good(server.api.get(`/v1/approval_requests/${made}`))).body.request_body).toBeNull();
    expect(JSON.stringify(await eventsAbout(made))).not.toContain('ada.secret');
    expect(await logsWith('ada.secret')).toEqual([]);
  });

  test('loses its texts when its reference is erased, whose person another system keeps', async () => {
    const agent = await agentKey({ approvals: 'all_writes' });
    const why = { 'service-reason': 'grace.secret has called.' };
    const body = { application: 'app_1', customer: 'crm_7', metadata: { note: 'grace.secret' } };
    const made = expectHeld(await agent.api.post('/v1/references', body, why));
    await approve(made);
    const { id: reference } = (await good(agent.api.post('/v1/references', body, why))).body;
    const path = `/v1/references/${reference}`;
    const pending = expectHeld(await agent.api.post(path, { metadata: { note: 'grace.secret' } }, why));
    const rejected = expectHeld(await agent.api.post(path, { outcome: 'accept', reason: 'grace.secret' }, why));
    await good(owner.post(`/v1/approval_requests/${rejected}/reject`, { reason: 'grace.secret has moved.' }));
    const helped = expectHeld(await agent.api.post(`${path}/cancel`, undefined, why));
    await good(
      server.api.post(`/v1/test_helpers/approval_requests/${helped}/reject`, { reason: 'grace.secret has moved.' }),
    );
    // A request about another person keeps its texts.
    const other = await newReference({ customer: 'crm_8' });
    const kept = expectHeld(await agent.api.post(`/v1/references/${other}`, { metadata: { note: 'Alan' } }));
    await good(owner.post(`${path}/erase`));
    for (const id of [made, pending, rejected, helped]) {
      const { body: left } = await good(server.api.get(`/v1/approval_requests/${id}`));
      expect(left).toMatchObject({ request_body: null, reason: null, decision_reason: null });
      expect(JSON.stringify(await eventsAbout(id))).not.toContain('grace.secret');
    }
    expect((await good(server.api.get(`/v1/approval_requests/${kept}`))).body.request_body).not.toBeNull();
    expect(await logsWith('grace.secret')).toEqual([]);
  });

  test('loses its texts when the customer of its file is erased', async () => {
    const agent = await agentKey({ approvals: 'all_writes' }, ['files.write']);
    const form = formOf({ purpose: 'right_to_rent' });
    const { id: file } = (await good(server.api.post('/v1/files', form))).body;
    const { id: customer } = (
      await good(
        server.api.post('/v1/customers', {
          name: 'Ada Lovelace',
          right_to_rent: { status: 'unlimited', checked_on: '2026-11-01', files: [file] },
        }),
      )
    ).body;
    const body = { metadata: { note: 'byron.secret' } };
    const why = { 'service-reason': 'byron.secret asks for it.' };
    const id = expectHeld(await agent.api.post(`/v1/files/${file}`, body, why));
    await good(owner.post(`/v1/approval_requests/${id}/reject`, { reason: 'byron.secret is a stranger.' }));
    const preview = (await good(server.api.get(`/v1/customers/${customer}/erasure`))).body;
    expect(preview.emptied).toContainEqual({ object: 'approval_request', number: 1 });
    await good(owner.delete(`/v1/customers/${customer}`));
    expect((await good(server.api.get(`/v1/approval_requests/${id}`))).body).toMatchObject({
      request_body: null,
      reason: null,
      decision_reason: null,
    });
    expect(JSON.stringify(await eventsAbout(id))).not.toContain('byron.secret');
    expect(await logsWith('byron.secret')).toEqual([]);
  });

  test('loses its texts when a person of its application or tenancy is erased', async () => {
    const permissions = ['applications', 'deposits', 'payments', 'subscriptions', 'tenancies'].map(
      (kind) => `${kind}.write`,
    );
    const agent = await agentKey({ approvals: 'all_writes' }, permissions);
    const agency = new Agency(await firstAccountId(server), server.api);
    const start = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const today = new Date().toISOString().slice(0, 10);
    const [ada, bob, eve] = await Promise.all(['Ada', 'Bob', 'Eve'].map((name) => agency.make('customers', { name })));
    const { id: unit } = await agency.unit();
    const application = await agency.make('applications', { customers: [bob!.id, ada!.id], unit, rent: monthly });
    const { id: deposit } = await agency.make('deposits', {
      type: 'holding',
      application: application.id,
      amount: 1000,
    });
    const others = await agency.make('applications', { customers: [eve!.id], unit, rent: monthly });
    const { id: depositOfOthers } = await agency.make('deposits', {
      type: 'holding',
      application: others.id,
      amount: 1000,
    });
    const draft = { unit, customers: [ada!.id], start_date: start, statement_given_on: today, rent: monthly };
    const { id: tenancy } = await agency.make('tenancies', draft);
    await agency.move('tenancies', tenancy, 'sign', { signed_on: today });
    const { id: subscription } = await agency.make('subscriptions', { tenancy });
    const why = { 'service-reason': 'mary.secret asks for it.' };
    const ask = async (path: string, body: object): Promise<string> =>
      expectHeld(await agent.api.post(`/v1/${path}`, body, why));
    const payment = { amount: 10, method: 'cash', reference: 'mary.secret' };
    const lost = [
      await ask(`deposits/${deposit}/cancel`, {}),
      await ask('payments', { ...payment, deposit }),
      await ask(`subscriptions/${subscription}/cancel`, {}),
      // The application names another person first.
      await ask(`applications/${application.id}/approve`, { note: 'mary.secret' }),
    ];
    const kept = [
      await ask(`deposits/${depositOfOthers}/cancel`, {}),
      await ask('payments', { ...payment, deposit: depositOfOthers }),
    ];
    for (const id of [...lost, ...kept])
      await good(owner.post(`/v1/approval_requests/${id}/reject`, { reason: 'mary.secret has moved.' }));
    await agency.move('tenancies', tenancy, 'cancel');
    const preview = (await good(server.api.get(`/v1/customers/${ada!.id}/erasure`))).body;
    expect(preview.emptied).toContainEqual({ object: 'approval_request', number: lost.length });

    await good(owner.delete(`/v1/customers/${ada!.id}`));

    for (const id of lost) {
      const { body: left } = await good(server.api.get(`/v1/approval_requests/${id}`));
      expect(left).toMatchObject({ request_body: null, reason: null, decision_reason: null });
      expect(JSON.stringify(await eventsAbout(id))).not.toContain('mary.secret');
    }
    for (const id of kept)
      expect((await good(server.api.get(`/v1/approval_requests/${id}`))).body.reason).toBe(why['service-reason']);
    const logs = JSON.stringify(await logsWith('mary.secret'));
    for (const id of lost) expect(logs).not.toContain(id);
  });

  test('expires when an erasure deletes the body that a person would approve', async () => {
    const agent = await agentKey({ approvals: 'all_writes' }, ['deposits.write', 'payments.write']);
    const agency = new Agency(await firstAccountId(server), server.api);
    const { id: customer } = await agency.make('customers', { name: 'Ada' });
    const { id: unit } = await agency.unit();
    const { id: application } = await agency.make('applications', { customers: [customer], unit, rent: monthly });
    const { id: deposit } = await agency.make('deposits', { type: 'holding', application, amount: 1000 });
    const pay = (): Promise<ApiResponse> => agent.api.post('/v1/payments', { deposit, amount: 10, method: 'cash' });
    const withBody = expectHeld(await pay());
    const withoutBody = expectHeld(await agent.api.post(`/v1/deposits/${deposit}/cancel`));

    await good(owner.delete(`/v1/customers/${customer}`));

    expect(await statusOf(withBody)).toBe('expired');
    expect((await eventsAbout(withBody)).map(({ type }) => type)).toContain('approval_request.expired');
    expect((await owner.post(`/v1/approval_requests/${withBody}/approve`)).body.error.code).toBe(
      'status_transition_invalid',
    );
    expect(await statusOf(withoutBody)).toBe('pending');
    expect(expectHeld(await pay())).not.toBe(withBody);
  });

  test('loses the reason of its decision, also in the log of a test helper, when its customer is erased', async () => {
    const agent = await agentKey({ approvals: 'all_writes' });
    const { id: customer } = (await good(server.api.post('/v1/customers', { name: 'Ada Lovelace' }))).body;
    const rejected = expectHeld(await agent.api.post(`/v1/customers/${customer}`, { phone: '020 7946 0000' }));
    await good(server.api.post(`/v1/test_helpers/approval_requests/${rejected}/reject`, { reason: 'wordreason' }));
    await good(owner.delete(`/v1/customers/${customer}`));
    expect((await good(server.api.get(`/v1/approval_requests/${rejected}`))).body.decision_reason).toBeNull();
    const { rows } = await server.context.database.readers.query(
      `select method, path, request_body, response_body from request_logs where request_body like '%wordreason%' or response_body like '%wordreason%'`,
    );
    expect(rows).toEqual([]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allPermissions } from '../support/permissions.ts';
import { good, startTestServer, type TestServer } from '../support/server.ts';
import { addKey } from '../support/tenants.ts';
import { Flows } from './flows.ts';

/* Definitions of workflows, from the draft to the archive. */

let server: TestServer;
let flows: Flows;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.stop());

beforeEach(async () => {
  flows = await Flows.on(server);
});

const wait = { id: 'later', action: 'wait', seconds: 60 };
const api = {
  id: 'check',
  action: 'api',
  for_each: 'event.data.object.customers',
  path: '/v1/references',
  body: { application: '{{event.data.object.id}}', customer: '{{item}}' },
};

describe('a definition', () => {
  test('moves from draft to active, paused and archived, with an event for each move', async () => {
    const draft = (await good(flows.create({ steps: [wait] }))).body;
    expect(draft).toMatchObject({ object: 'workflow', status: 'draft', version: 1, api_version: '2026-11-01' });
    expect(draft.signing_secret).toMatch(/^whsec_/);
    const act = async (action: string) => (await good(flows.api.post(`/v1/workflows/${draft.id}/${action}`))).body;
    expect(await act('activate')).toMatchObject({ status: 'active', paused_at: null });
    expect(await act('pause')).toMatchObject({ status: 'paused', paused_reason: null });
    expect((await act('activate')).status).toBe('active');
    expect(await act('archive')).toMatchObject({ status: 'archived', paused_at: null });
    const { data } = (await good(flows.api.get(`/v1/events?object_id=${draft.id}`))).body;
    const types = data.map(({ type }: { type: string }) => type).filter((type: string) => type !== 'workflow.updated');
    expect(types).toEqual([
      'workflow.archived',
      'workflow.activated',
      'workflow.paused',
      'workflow.activated',
      'workflow.created',
    ]);
  });

  test.each([
    ['draft', [], ['pause', 'archive']],
    ['active', ['activate'], ['activate', 'DELETE']],
    ['paused', ['activate', 'pause'], ['pause', 'DELETE']],
    ['archived', ['activate', 'archive'], ['activate', 'pause', 'archive', 'DELETE', '']],
  ])('refuses a move when it is %s', async (_, before, refused) => {
    const { id } = (await good(flows.create({ steps: [wait] }))).body;
    for (const action of before) await good(flows.api.post(`/v1/workflows/${id}/${action}`));
    for (const action of refused) {
      const path = `/v1/workflows/${id}`;
      const response =
        action === 'DELETE'
          ? await flows.api.delete(path)
          : await flows.api.post(action === '' ? path : `${path}/${action}`, {});
      expect(response.body.error?.code, action).toBe('status_transition_invalid');
    }
  });

  test('is deleted when it is a draft', async () => {
    const { id } = (await good(flows.create({ steps: [wait] }))).body;
    await good(flows.api.delete(`/v1/workflows/${id}`));
    expect((await flows.api.get(`/v1/workflows/${id}`)).status).toBe(404);
  });

  test('grows its version when its definition changes, and not when its metadata changes', async () => {
    const { id } = (await good(flows.create({ steps: [wait] }))).body;
    const update = async (body: object) => (await good(flows.api.post(`/v1/workflows/${id}`, body))).body.version;
    expect(await update({ metadata: { a: 'b' } })).toBe(1);
    expect(await update({ name: 'Other' })).toBe(2);
    expect(await update({ trigger: { type: 'unit.*' } })).toBe(3);
  });

  test.each([
    ['an unknown event', { trigger: { type: 'customer.creatd' }, steps: [wait] }, 'trigger[type]', 'customer.created'],
    ['an unknown path', { steps: [{ ...api, path: '/v1/referenes' }] }, 'steps[0][path]', '/v1/references'],
    [
      'a condition on a member that the record has not',
      {
        trigger: {
          type: 'application.updated',
          filters: [{ path: 'data.object.references.reslt', op: 'eq', value: 'accept' }],
        },
        steps: [wait],
      },
      'trigger[filters][0][path]',
      'Did you mean `result`?',
    ],
    [
      'a condition with a word that the member cannot have',
      {
        trigger: {
          type: 'application.updated',
          filters: [{ path: 'data.object.references.result', op: 'eq', value: 'accepted' }],
        },
        steps: [wait],
      },
      'trigger[filters][0][value]',
      'Did you mean `accept`?',
    ],
    [
      'a template of a member that the record has not',
      { steps: [{ id: 'ask', action: 'approval', title: 'Approve {{event.data.object.idd}}?' }] },
      'steps[0][title]',
      'Did you mean `id`?',
    ],
    ['a path for people', { steps: [{ ...api, path: '/v1/api_keys', body: {} }] }, 'steps[0][path]', 'no POST'],
    [
      'a test helper',
      { steps: [{ ...api, path: '/v1/test_helpers/clock/advance', body: {} }] },
      'steps[0][path]',
      'no POST',
    ],
    [
      'a member that the body does not have',
      { steps: [{ ...api, body: { aplication: 'a' } }] },
      'steps[0][body][aplication]',
      'application',
    ],
    ['21 steps', { steps: Array.from({ length: 21 }, (_, at) => ({ ...wait, id: `s${at}` })) }, 'steps', '20'],
    [
      '11 filters',
      {
        trigger: {
          type: 'customer.created',
          filters: Array.from({ length: 11 }, () => ({ path: 'data.object.id', op: 'exists' })),
        },
        steps: [wait],
      },
      'trigger[filters]',
      '10',
    ],
    [
      'a loopback address in a private range',
      { steps: [{ id: 's', action: 'http', url: 'http://10.0.0.1/' }] },
      'steps[0][url]',
      'address',
    ],
  ])('is refused with the parameter when it has %s', async (_, written, param, says) => {
    const { body } = await flows.create({
      permissions: ['references.write'],
      trigger: { type: 'application.created' },
      ...written,
    });
    expect(body.error?.param).toBe(param);
    expect(body.error.message).toContain(says);
  });

  test('is changed only by a key that holds all of its permissions', async () => {
    const { id } = (
      await good(
        flows.create({ trigger: { type: 'application.created' }, steps: [api], permissions: ['references.write'] }),
      )
    ).body;
    const { api: weak } = await addKey(server, flows.accountId, {
      permissions: allPermissions.filter((one) => !one.startsWith('references.')),
    });
    const response = await weak.post(`/v1/workflows/${id}`, { name: 'Taken over' });
    expect(response.body.error).toMatchObject({ code: 'permission_denied', param: 'permissions[0]' });
  });

  test.each([
    ['api_key.created', 'api_keys'],
    ['webhook_endpoint.*', 'webhook_endpoints'],
    ['recovery.*', 'webhook_endpoints'],
    ['user.updated', 'users'],
    ['invitation.*', 'invitations'],
  ])('begins and resumes with %s only when its maker may read such events', async (type, path) => {
    const held = allPermissions.filter((one) => !one.startsWith(`${path}.`));
    const { api: weak } = await addKey(server, flows.accountId, { permissions: held });
    const waiting = { id: 'later', action: 'wait_for_event', type, timeout: 60 };
    for (const written of [
      { trigger: { type }, steps: [wait] },
      { trigger: { type: 'customer.created' }, steps: [waiting] },
    ]) {
      const made = await weak.post('/v1/workflows', { name: 'Test', permissions: [], ...written });
      expect(made.body.error).toMatchObject({ code: 'permission_denied' });
      expect(made.body.error.message).toContain(`\`${path}.read\``);
    }
    const { id } = (await good(flows.create({ steps: [wait] }))).body;
    const changed = await weak.post(`/v1/workflows/${id}`, { trigger: { type } });
    expect(changed.body.error).toMatchObject({ code: 'permission_denied', param: 'trigger[type]' });
  });

  test('is neither changed nor activated by a key that may not read its events', async () => {
    const { id } = (await good(flows.create({ trigger: { type: 'webhook_endpoint.*' }, steps: [wait] }))).body;
    const held = allPermissions.filter((one) => !one.startsWith('webhook_endpoints.'));
    const { api: weak } = await addKey(server, flows.accountId, { permissions: held });
    const refusals = [
      await weak.post(`/v1/workflows/${id}`, { steps: [{ ...wait, seconds: 1 }] }),
      await weak.post(`/v1/workflows/${id}/activate`),
    ];
    for (const { body } of refusals) {
      expect(body.error.code).toBe('permission_denied');
      expect(body.error.message).toContain('`webhook_endpoints.read`');
    }
    await good(flows.api.post(`/v1/workflows/${id}/activate`));
  });

  test('has room again when one of 500 others is archived', async () => {
    const { id } = await flows.active({ steps: [wait] });
    // So many drafts, without 499 requests.
    await server.context.database.readers.query(
      `insert into count_deltas (account_id, object, dimension, value, delta)
       values ($1, 'workflow', '', '', 499), ($1, 'workflow', 'status', 'draft', 499)`,
      [flows.accountId],
    );
    expect((await flows.create({ steps: [wait] })).body.error.code).toBe('limit_reached');
    await good(flows.api.post(`/v1/workflows/${id}/archive`));
    const both = await Promise.all([1, 2].map(() => flows.create({ steps: [wait] })));
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(both.filter(({ body }) => body.error?.code === 'limit_reached')).toHaveLength(1);
  });

  test('is changed and activated only by a key that may read events', async () => {
    const { id } = (await good(flows.create({ steps: [wait] }))).body;
    const { api: weak } = await addKey(server, flows.accountId, {
      permissions: allPermissions.filter((one) => one !== 'events.read'),
    });
    const send = { id: 'send', action: 'http', url: 'https://example.com/' };
    const changes: [string, object][] = [
      ['', { trigger: { type: 'customer.*' } }],
      ['', { steps: [send] }],
      ['', { name: 'Taken over' }],
      ['/activate', {}],
    ];
    for (const [path, body] of changes) {
      const { body: refusal } = await weak.post(`/v1/workflows/${id}${path}`, body);
      expect(refusal.error).toMatchObject({ code: 'permission_denied' });
      expect(refusal.error.message).toContain('`events.read`');
    }
    await good(weak.post(`/v1/workflows/${id}`, { metadata: { a: '1' } }));
  });

  test.each(['https://other.example.com/hook', 'http://example.com/hook', 'https://example.com:444/hook'])(
    'is refused when a header keeps its value for another server: %s',
    async (url) => {
      const send = {
        id: 'send',
        action: 'http',
        url: 'https://example.com/a',
        headers: { Authorization: 'Bearer hush' },
      };
      const { id } = (await good(flows.create({ steps: [send] }))).body;
      const kept = { ...send, headers: { Authorization: null } };
      const { body } = await flows.api.post(`/v1/workflows/${id}`, { steps: [{ ...kept, url }] });
      expect(body.error).toMatchObject({ code: 'parameter_invalid', param: 'steps[0][headers][Authorization]' });
      expect(body.error.message).toContain('another server');
      await good(
        flows.api.post(`/v1/workflows/${id}`, { steps: [{ ...kept, url: 'https://example.com/b/{{event.id}}' }] }),
      );
      await good(flows.api.post(`/v1/workflows/${id}`, { steps: [{ ...send, url }] }));
    },
  );

  test.each([
    ['a header twice', { 'X-Key': 'a', 'x-key': 'b' }, 'x-key', 'same header'],
    ['a header without a value that objects inherit', { name: null }, 'name', 'no value yet'],
  ])('is refused when a step has %s', async (_, headers, name, says) => {
    const send = { id: 'constructor', action: 'http', url: 'https://example.com/', headers };
    const { body } = await flows.create({ steps: [send] });
    expect(body.error).toMatchObject({ code: 'parameter_invalid', param: `steps[0][headers][${name}]` });
    expect(body.error.message).toContain(says);
  });

  test('is activated only by a key that holds all of its permissions', async () => {
    const { id } = (
      await good(
        flows.create({ trigger: { type: 'application.created' }, steps: [api], permissions: ['references.write'] }),
      )
    ).body;
    const { api: weak } = await addKey(server, flows.accountId, {
      permissions: allPermissions.filter((one) => !one.startsWith('references.')),
    });
    const refused = await weak.post(`/v1/workflows/${id}/activate`);
    expect(refused.body.error).toMatchObject({ code: 'permission_denied' });
    expect(refused.body.error.message).toContain('`references.write`');
    await good(flows.api.post(`/v1/workflows/${id}/activate`));
    await good(weak.post(`/v1/workflows/${id}/pause`));
  });
});

describe('a test of a workflow', () => {
  test('shows what each step would send, without an effect, when the event matches', async () => {
    const steps = [
      api,
      { ...api, id: 'after', for_each: undefined, body: { application: '{{steps.check.output.0.id}}' } },
    ];
    const { id } = (
      await good(flows.create({ trigger: { type: 'application.created' }, steps, permissions: ['references.write'] }))
    ).body;
    const wish = await flows.make('applications', { customers: ['cus_1', 'cus_2'] });
    const [event] = (await good(flows.api.get('/v1/events?type=application.created'))).body.data;
    const { body } = await good(flows.api.post(`/v1/workflows/${id}/test`, { event: event.id }));
    const request = (customer: string) => ({
      method: 'POST',
      path: '/v1/references',
      body: { application: wish.id, customer },
    });
    expect(body).toEqual({
      object: 'workflow_test',
      workflow: id,
      event: event.id,
      matches: true,
      steps: [
        { id: 'check', item: 0, would: 'run', request: request('cus_1'), error: null },
        { id: 'check', item: 1, would: 'run', request: request('cus_2'), error: null },
        { id: 'after', item: null, would: 'unknown', request: null, error: null },
      ],
    });
    expect((await good(flows.api.get('/v1/references'))).body.count).toBe(0);
    expect(await flows.runs()).toEqual([]);
  });

  test('says that an event does not match, and refuses one that is not there', async () => {
    const { id } = (await good(flows.create({ steps: [wait] }))).body;
    await flows.make('applications', { customers: ['cus_1'] });
    const [event] = (await good(flows.api.get('/v1/events?type=application.created'))).body.data;
    const { body } = await good(flows.api.post(`/v1/workflows/${id}/test`, { event: event.id }));
    expect(body).toMatchObject({ matches: false, steps: [] });
    const missing = await flows.api.post(`/v1/workflows/${id}/test`, { event: 'evt_0VbZr1fe01cR5gYkZs3Me7' });
    expect(missing.body.error).toMatchObject({ code: 'resource_missing', param: 'event' });
  });

  test('fails a step, and shows a megabyte at most, when the templates fill in too much', async () => {
    const large = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`name_${at}`, 'é'.repeat(500)]));
    const send = { action: 'http', url: 'https://example.com/' };
    const steps = [
      { ...send, id: 'often', body: { list: Array.from({ length: 100 }, () => '{{event}}') } },
      ...Array.from({ length: 3 }, (_, at) => ({ ...send, id: `each_${at}`, for_each: 'event.data.object.customers' })),
    ];
    const { id } = (await good(flows.create({ trigger: { type: 'application.created' }, steps }))).body;
    const customers = Array.from({ length: 20 }, (_, at) => `cus_${at}`);
    await flows.make('applications', { customers, metadata: large });
    const [event] = (await good(flows.api.get('/v1/events?type=application.created'))).body.data;
    const { body } = await good(flows.api.post(`/v1/workflows/${id}/test`, { event: event.id }));
    expect(body.steps[0]).toMatchObject({ id: 'often', would: 'fail', request: null });
    expect(body.steps[0].error).toContain('more than 262144 characters');
    expect(
      body.steps.map(({ would }: { would: string }) => would).filter((would: string) => would === 'run').length,
    ).toBe(Math.floor((1024 * 1024) / JSON.stringify(body.steps[1].request).length));
    expect(body.steps.at(-1)).toMatchObject({ id: 'each_2', would: 'unknown', request: null });
  });

  test('leaves no personal data in its log, nor for its key, when the customer of the event is erased', async () => {
    const body = { text: 'Dear {{event.data.object.name}}' };
    const { id } = (
      await good(flows.create({ steps: [{ id: 'send', action: 'http', url: 'https://example.com/', body }] }))
    ).body;
    const customer = await flows.make('customers', { name: 'Zebedee Wordname' });
    const [event] = (await good(flows.api.get('/v1/events?type=customer.created'))).body.data;
    const tested = () =>
      flows.api.post(`/v1/workflows/${id}/test`, { event: event.id }, { 'idempotency-key': 'test once' });
    const { body: shown } = await good(tested());
    expect(shown.steps[0].request.body).toEqual({ text: 'Dear Zebedee Wordname' });
    await good(flows.api.delete(`/v1/customers/${customer.id}`));
    const { rows } = await server.context.database.readers.query(
      `select response_body from request_logs where account_id = $1 and path = $2`,
      [flows.accountId, `/v1/workflows/${id}/test`],
    );
    expect(rows.length).toBe(1);
    expect(JSON.parse(rows[0].response_body).steps).toEqual([{ ...shown.steps[0], request: null }]);
    expect((await good(tested())).text).not.toContain('Wordname');
  });
});

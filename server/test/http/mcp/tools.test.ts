import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentPermissions, connectMcp, mcpKey, type Mcp } from '../../support/mcp.ts';
import { apiClient, good, serverForTest, startTestServer, type TestServer } from '../../support/server.ts';
import { addAccount } from '../../support/tenants.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ works: true });
});
afterAll(() => server.stop());

/** Every tool of a sandbox, with the permissions that it needs. Written by hand, so that it judges the server. */
const needed: Record<string, string[]> = {
  whoami: [],
  docs_search: [],
  docs_read: [],
  retrieve: ['references.read'],
  list: ['references.read'],
  activity: ['logs.read'],
  references_create: ['references.write'],
  references_update: ['references.write'],
  references_cancel: ['references.write'],
  applications_create: ['applications.write'],
  applications_update: ['applications.write'],
  customers_create: ['customers.write'],
  customers_update: ['customers.write'],
  events_resend: ['events.read', 'webhook_endpoints.write'],
  webhook_endpoints_ping: ['webhook_endpoints.write'],
  webhook_endpoints_recover: ['webhook_endpoints.write'],
  test_helpers_references_advance: ['references.write'],
  test_helpers_references_complete: ['references.write'],
  test_helpers_references_fail: ['references.write'],
};

/** Tools that follow from permissions to read, besides those in `needed`. */
const always = ['whoami', 'docs_search', 'docs_read'];

async function agent(permissions?: string[], query = ''): Promise<Mcp> {
  return connectMcp(server, await mcpKey(server, permissions), { query });
}

async function namesOf(mcp: Mcp): Promise<string[]> {
  return (await mcp.tools()).map(({ name }) => name);
}

describe('the list of tools', () => {
  test('lists each tool and no other when the key has all permissions of an agent', async () => {
    const names = await namesOf(await agent());
    // Another kind of record adds its tool by itself.
    expect(names.filter((name) => name !== 'approval_requests_cancel').sort()).toEqual(Object.keys(needed).sort());
  });

  test('lists tools in at most 24 kB when the key may use all of them', async () => {
    const tools = await (await agent()).tools();
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(24_000);
  });

  test('marks the tools that only read when they are listed', async () => {
    const tools = await (await agent()).tools();
    const reading = tools.filter(({ annotations }) => (annotations as { readOnlyHint: boolean }).readOnlyHint);
    expect(reading.map(({ name }) => name).sort()).toEqual([...always, 'retrieve', 'list', 'activity'].sort());
  });

  test('returns closed schemas in the version of the request when it names one', async () => {
    const key = await mcpKey(server);
    const bodyOf = async (version: string): Promise<string> => {
      const response = await fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'service-version': version,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
      const { result } = (await response.json()) as { result: { tools: { name: string; inputSchema: object }[] } };
      for (const { inputSchema } of result.tools)
        expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      return JSON.stringify(result.tools.find(({ name }) => name === 'references_update'));
    };
    const [newest, oldest] = [await bodyOf('2026-11-01'), await bodyOf('2025-09-01')];
    expect(newest).toContain('"reference_pdf"');
    expect(newest).not.toBe(oldest);
  });

  test.each(Object.entries(needed).filter(([, permissions]) => permissions.length > 0))(
    'lists %s only when the key has its permissions',
    async (name, permissions) => {
      expect(await namesOf(await agent(permissions))).toContain(name);
      for (const missing of permissions) {
        const [kind] = missing.split('.');
        const others = agentPermissions(server).filter(
          (permission) => !permission.startsWith(`${kind}.`) && permission !== missing,
        );
        // A key with other permissions still reads other kinds.
        if (name === 'retrieve' || name === 'list') continue;
        expect(await namesOf(await agent(others))).not.toContain(name);
      }
    },
  );

  test('names only kinds of record that the key may read when it lists tools', async () => {
    const tools = await (await agent(['customers.read'])).tools();
    const text = JSON.stringify(tools);
    expect(tools.map(({ name }) => name).sort()).toEqual([...always, 'retrieve', 'list'].sort());
    expect(text).toContain('cus_');
    expect(text).not.toContain('in_ (invoice)');
  });

  test('lists fewer tools when the address asks for some kinds, or for reading', async () => {
    expect((await namesOf(await agent(undefined, '?read_only=true'))).sort()).toEqual(
      [...always, 'retrieve', 'list', 'activity'].sort(),
    );
    const narrowed = await agent(undefined, '?tools=references,events');
    expect((await namesOf(narrowed)).sort()).toEqual(
      [
        ...always,
        'retrieve',
        'list',
        'references_create',
        'references_update',
        'references_cancel',
        'events_resend',
        'test_helpers_references_advance',
        'test_helpers_references_complete',
        'test_helpers_references_fail',
      ].sort(),
    );
    const refused = await narrowed.call('list', { resource: 'customers' });
    expect(refused).toMatchObject({ isError: true, object: { error: { param: 'resource' } } });
    await expect(narrowed.call('customers_create', { name: 'A' })).rejects.toThrow('Unknown tool');
    expect(await namesOf(await agent(undefined, '?tools=references_create'))).toEqual([
      'whoami',
      'docs_search',
      'docs_read',
      'references_create',
    ]);
  });

  test('refuses a message when its address names no tool', async () => {
    for (const tools of ['refrences', '', ',', '%20'])
      await expect(agent(undefined, `?tools=${tools}`), tools).rejects.toThrow(/tools/);
    await expect(agent(undefined, '?read_only=yes')).rejects.toThrow(/read_only/);
    await expect(agent(undefined, '?readonly=true')).rejects.toThrow(/readonly/);
  });
});

describe.each(['agent', 'restricted'] as const)('a call with a key of the type %s', (type) => {
  test.each(
    Object.entries(needed).filter(([name]) => /^[a-z_]+_(?:create|update|cancel|resend|ping|recover)$/.test(name)),
  )('returns the refusal of the API when %s is called without its permission', async (name) => {
    const mcp = await connectMcp(server, await mcpKey(server, ['units.read'], type));
    const { isError, object } = await mcp.call(name, { id: `ref_${'0'.repeat(22)}` });
    expect(isError).toBe(true);
    expect(object.error.code).toBe('permission_denied');
  });

  test('returns the refusal of the API when a kind of record is read without its permission', async () => {
    const mcp = await connectMcp(server, await mcpKey(server, ['units.read'], type));
    const { object: made } = await (await agent()).call('references_create', { application: 'app_1' });
    for (const [name, input] of [
      ['retrieve', { id: made.id }],
      ['list', { resource: 'references' }],
      ['activity', {}],
    ] as const) {
      const { isError, object } = await mcp.call(name, input);
      expect([isError, object.error.code]).toEqual([true, 'permission_denied']);
    }
  });
});

describe('write tools', () => {
  test('makes, changes and cancels a reference as the agent when tools are called', async () => {
    const mcp = await agent();
    const { object: key } = await mcp.call('whoami');
    const made = await mcp.call('references_create', { application: 'app_1', metadata: { branch: 'york' } });
    expect(made.meta).toMatchObject({ 'tenure/replayed': false, 'tenure/request': expect.stringMatching(/^req_/) });
    const changed = await mcp.call('references_update', { id: made.object.id, metadata: { branch: 'leeds' } });
    expect(changed.object.metadata).toEqual({ branch: 'leeds' });
    const canceled = await mcp.call('references_cancel', { id: made.object.id });
    expect(canceled.object.status).toBe('canceled');
    const { body: events } = await good(server.api.get(`/v1/events?object_id=${made.object.id}`));
    expect(events.data.length).toBeGreaterThanOrEqual(3);
    for (const event of events.data)
      expect(event.request).toMatchObject({ actor: { type: 'agent', name: 'Test agent' } });
    const { body: log } = await good(server.api.get(`/v1/logs/${made.meta['tenure/request']}`));
    expect(log).toMatchObject({ method: 'POST', status: 200, key_id: key.key.id, ip_address: '127.0.0.1' });
    expect(log.request_body).toContain('york');
  });

  test('makes and changes applications and customers when tools are called', async () => {
    const mcp = await agent();
    const { object: person } = await mcp.call('customers_create', { name: 'Ada Lovelace' });
    expect((await mcp.call('customers_update', { id: person.id, phone: '0113 496 0000' })).object.phone).toBe(
      '0113 496 0000',
    );
    const { object: application, isError } = await mcp.call('applications_create', { customers: [person.id] });
    expect(isError, JSON.stringify(application)).toBe(false);
    expect(
      (await mcp.call('applications_update', { id: application.id, metadata: { seen: 'yes' } })).object.metadata,
    ).toEqual({ seen: 'yes' });
  });

  test('pings an endpoint, resends an event and recovers when tools are called', async () => {
    const { body: endpoint } = await good(
      server.api.post('/v1/webhook_endpoints', {
        url: 'https://example.com/hooks',
        enabled_events: ['customer.created'],
      }),
    );
    const mcp = await agent();
    const ping = await mcp.call('webhook_endpoints_ping', { id: endpoint.id });
    expect(ping.isError, JSON.stringify(ping.object)).toBe(false);
    const { object: person } = await mcp.call('customers_create', { name: 'Ada' });
    const { object: events } = await mcp.call('list', { resource: 'events', filters: { object_id: person.id } });
    const resent = await mcp.call('events_resend', { id: events.data[0].id, webhook_endpoint: endpoint.id });
    expect(resent.object).toMatchObject({ object: 'delivery', event: events.data[0].id });
    const { object: deliveries } = await mcp.call('list', { resource: 'deliveries', of: endpoint.id });
    expect(deliveries.data.map(({ id }: { id: string }) => id)).toContain(resent.object.id);
    const recovery = await mcp.call('webhook_endpoints_recover', { id: endpoint.id, since: person.created - 60 });
    expect(recovery.object, JSON.stringify(recovery.object)).toMatchObject({ object: 'recovery' });
  });

  test('moves the check of a simulated provider when a test helper is called', async () => {
    const mcp = await agent();
    const { object: person } = await mcp.call('customers_create', { name: 'Ada', email: 'ada@example.com' });
    const { object: made } = await mcp.call('references_create', {
      application: 'app_1',
      customer: person.id,
      automatic_reference: { provider: 'provider_a' },
    });
    expect((await mcp.call('test_helpers_references_advance', { id: made.id })).isError).toBe(false);
    const done = await mcp.call('test_helpers_references_complete', { id: made.id });
    expect(done.object, JSON.stringify(done.object)).toMatchObject({ id: made.id, status: 'complete' });
  });

  test('executes a call once when it is repeated with its key', async () => {
    const mcp = await agent();
    const input = { application: 'app_7', idempotency_key: `once-${Date.now()}` };
    const first = await mcp.call('references_create', input);
    const second = await mcp.call('references_create', input);
    expect(second.object).toEqual(first.object);
    expect([first.meta['tenure/replayed'], second.meta['tenure/replayed']]).toEqual([false, true]);
    const other = await mcp.call('references_create', { ...input, application: 'app_8' });
    expect(other.object.error.code).toBe('idempotency_key_reused');
  });

  test('executes two calls when they have no keys', async () => {
    const mcp = await agent();
    const [one, other] = await Promise.all([
      mcp.call('references_create', { application: 'app_1' }),
      mcp.call('references_create', { application: 'app_1' }),
    ]);
    expect(one.object.id).not.toBe(other.object.id);
  });

  test.each([
    ['another type', { application: 5 }, 'parameter_invalid', 'application'],
    ['an unknown member', { application: 'app_1', secret_plan: 'x' }, 'parameter_unknown', 'secret_plan'],
    ['an id where there is none', { application: 'app_1', id: 'ref_1' }, 'parameter_unknown', 'id'],
    ['a number as its key', { application: 'app_1', idempotency_key: 5 }, 'parameter_invalid', 'idempotency_key'],
    [
      'a key with a line break',
      { application: 'app_1', idempotency_key: 'a\r\nx: y' },
      'idempotency_key_invalid',
      undefined,
    ],
    [
      'a key that is too long',
      { application: 'app_1', idempotency_key: 'a'.repeat(300) },
      'idempotency_key_invalid',
      undefined,
    ],
    ['nothing', {}, 'parameter_missing', 'application'],
  ])('returns the refusal of the API when a call has %s', async (_, input, code, param) => {
    const { isError, object } = await (await agent()).call('references_create', input);
    expect([isError, object.error.code, object.error.param]).toEqual([true, code, param]);
  });

  test.each([
    '..',
    '.',
    '../customers',
    'ref_1/cancel',
    'ref_1?expand=customer',
    '',
    'ref_%2e%2e',
    5,
    null,
    ['ref_1'],
    {},
  ])('refuses a call when its id is %j', async (id) => {
    const mcp = await agent();
    for (const name of ['references_update', 'references_cancel']) {
      const { isError, object } = await mcp.call(name, { id });
      expect([isError, object.error.code, object.error.param]).toEqual([true, 'parameter_invalid', 'id']);
    }
    expect((await mcp.call('retrieve', { id })).object.error.param).toBe('id');
  });
});

describe('any input', () => {
  const values = [null, 5, -1, '', 'x'.repeat(5_000), '__proto__', 'a\r\nb', '../..', [], [[]], {}, { $ne: 1 }, true];

  test.each(Object.keys(needed))('never fails %s when a member has any value', async (name) => {
    const mcp = await agent();
    const tool = (await mcp.tools()).find((each) => each.name === name)!;
    const { properties } = tool.inputSchema as { properties: object };
    const inputs = Object.keys({ ...properties, constructor: 0 }).flatMap((member) =>
      values.map((value) => Object.fromEntries([[member, value]])),
    );
    for (const input of inputs) {
      const { object } = await mcp.call(name, input);
      expect(object.error?.code, JSON.stringify(input).slice(0, 200)).not.toBe('internal');
    }
  });
});

describe('a live deployment', () => {
  test('lists no test helper when the mode is live', async () => {
    const live = await serverForTest({ settings: { TENURE_MODE: 'live' } });
    const mcp = await connectMcp(live, await mcpKey(live));
    const names = await namesOf(mcp);
    expect(names).toContain('references_create');
    expect(names.filter((name) => name.startsWith('test_helpers'))).toEqual([]);
    expect((await mcp.call('whoami')).object.mode).toBe('live');
  });
});

describe('foreign ids', () => {
  test('answers as for an unknown id when the id is of another account', async () => {
    const stranger = await addAccount(server);
    const { body: foreign } = await good(stranger.api.post('/v1/references', { application: 'app_1' }));
    const unknownId = `ref_${'0'.repeat(22)}`;
    const mcp = await agent();
    for (const [name, more] of [
      ['retrieve', {}],
      ['references_update', { metadata: {} }],
      ['references_cancel', {}],
    ] as const) {
      const answers = await Promise.all(
        [foreign.id, unknownId].map(async (id) => {
          const { isError, object } = await mcp.call(name, { id, ...more });
          expect(isError).toBe(true);
          const { request_id: _, request_log_url: __, ...error } = object.error;
          return JSON.stringify(error).replaceAll(id, '<id>');
        }),
      );
      expect(answers[0]).toBe(answers[1]);
    }
    const { object: list } = await mcp.call('list', { resource: 'references', filters: { application: 'app_1' } });
    expect(list.data.map(({ id }: { id: string }) => id)).not.toContain(foreign.id);
  });
});

describe('read tools', () => {
  test('describes the key when `whoami` is called', async () => {
    const { object } = await (await agent(['references.write'])).call('whoami');
    expect(object).toMatchObject({
      key: { type: 'agent', name: 'Test agent', permissions: ['references.read', 'references.write'] },
      account: { name: 'My account' },
      mode: 'sandbox',
      api_version: server.context.latestVersion.known,
      now: expect.any(Number),
    });
    expect(object.key.expires_at).toBeGreaterThan(object.now);
    expect(JSON.stringify(object)).not.toContain('ak_test_');
  });

  test('lists ten records of a page when no limit is sent', async () => {
    const mcp = await agent();
    const application = `app_${Date.now()}`;
    for (let made = 0; made < 12; made++) await mcp.call('references_create', { application });
    const first = await mcp.call('list', { resource: 'references', filters: { application, status: 'pending' } });
    expect(first.object).toMatchObject({ object: 'list', count: 12, has_more: true });
    expect(first.object.data).toHaveLength(10);
    const after = first.object.data.at(-1).id;
    const rest = await mcp.call('list', { resource: 'references', filters: { application }, starting_after: after });
    expect(rest.object.data).toHaveLength(2);
  });

  test.each([
    [{ resource: 'refrences' }, 'resource', 'references'],
    [{ resource: 'api_keys' }, 'resource', ''],
    [{ resource: 'users' }, 'resource', ''],
    [{ resource: 'references', filters: { stauts: 'pending' } }, 'stauts', 'status'],
    [{ resource: 'references', filters: { status: 'lost' } }, 'status', ''],
    [{ resource: 'references', filters: 'pending' }, 'filters', ''],
    [{ resource: 'references', filters: { status: { a: 1 } } }, 'filters[status]', ''],
    [{ resource: 'references', limit: 1_000 }, 'limit', ''],
    [{ resource: 'references', limit: '10' }, 'limit', ''],
    [{ resource: 'references', of: 'evt_1' }, 'of', ''],
    [{ resource: 'deliveries' }, 'of', 'we_…'],
    [{ resource: 'deliveries', of: 'ref_1' }, 'of', 'we_…'],
    [{ resource: '__proto__' }, 'resource', ''],
    [{}, 'resource', ''],
  ])('refuses a list when its input is %j', async (input, param, says) => {
    const { isError, object } = await (await agent()).call('list', input);
    expect([isError, object.error.param]).toEqual([true, param]);
    expect(object.error.message).toContain(says);
  });

  test.each(['api_keys', 'users', 'invitations'])('shows no %s when their ids are known', async (path) => {
    const { body } = await good(server.api.get(`/v1/${path}`)).catch(() => ({ body: { data: [] } }));
    const resource = server.context.resources.find((kind) => kind.path === path)!;
    const id = body.data[0]?.id ?? `${resource.prefix}_${'0'.repeat(22)}`;
    const restricted = await connectMcp(server, await mcpKey(server, ['api_keys.read'], 'restricted'));
    for (const mcp of [await agent(), restricted]) {
      const { isError, object } = await mcp.call('retrieve', { id });
      expect([isError, object.error.code]).toEqual([true, 'resource_missing']);
    }
  });

  test('shows no secret of an endpoint when the key may change it', async () => {
    const { body: endpoint } = await good(
      server.api.post('/v1/webhook_endpoints', { url: 'https://example.com/secret', enabled_events: ['*'] }),
    );
    const mcp = await agent();
    const answers = [
      await mcp.call('retrieve', { id: endpoint.id }),
      await mcp.call('list', { resource: 'webhook_endpoints' }),
    ];
    for (const { isError, object } of answers) {
      expect(isError).toBe(false);
      expect(JSON.stringify(object)).not.toContain('whsec_');
    }
  });

  test('counts by time when `activity` is called', async () => {
    const mcp = await agent();
    const { object } = await mcp.call('activity', { interval: 'hour' });
    expect(object).toMatchObject({ object: 'activity', interval: 'hour' });
    expect((await mcp.call('activity', { interval: 'week' })).object.error.param).toBe('interval');
  });

  test('finds and reads the docs when their tools are called', async () => {
    const mcp = await agent(['references.read']);
    const { object: found } = await mcp.call('docs_search', { query: 'roll back version' });
    expect(found.data.length).toBeGreaterThan(0);
    const { guide, section } = found.data[0];
    const { object: read } = await mcp.call('docs_read', { guide, ...(section && { section }) });
    expect(read.markdown).toMatch(/^#/);
    const { object: error } = await mcp.call('docs_read', { guide: 'errors', section: 'rate_limit' });
    expect(error.markdown).toContain('429');
    const { object: long } = await mcp.call('docs_read', { guide: 'operations' });
    expect(Buffer.byteLength(JSON.stringify(long))).toBeLessThanOrEqual(40_000);
    expect(long.sections.length).toBeGreaterThan(5);
    for (const one of long.sections) {
      const { object: part } = await mcp.call('docs_read', { guide: 'operations', section: one.section });
      expect(part.markdown).toMatch(/^#+ /);
    }
    expect((await mcp.call('docs_read', { guide: 'webhoks' })).object.error.message).toContain('webhooks');
    expect((await mcp.call('docs_read', { guide: '../../etc/passwd' })).object.error.param).toBe('guide');
  });
});

describe('an account in Service-Context', () => {
  test('acts on a connected account when `Service-Context` names it', async () => {
    const { body: connected } = await good(server.api.post('/v1/accounts', { name: 'Branch' }));
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const client = new Client({ name: 'test', version: '1' });
    const headers = { authorization: `Bearer ${await mcpKey(server)}`, 'service-context': connected.id };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }));
    const { structuredContent } = await client.callTool({
      name: 'references_create',
      arguments: { application: 'app_1' },
    });
    expect(structuredContent).toMatchObject({ account: connected.id });
    const { structuredContent: told } = await client.callTool({ name: 'whoami' });
    expect(told).toMatchObject({ account: { id: connected.id, name: 'Branch' } });
    await client.close();
  });

  test.each([
    ['unknown', `acct_${'0'.repeat(22)}`],
    ['no id', 'branch'],
  ])('refuses `whoami` when the account is %s', async (_, account) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } };
    const headers = { accept: 'application/json, text/event-stream', 'service-context': account };
    const { body } = await apiClient(server.url, await mcpKey(server)).post('/mcp', message, headers);
    expect(body.result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'account_invalid' } },
    });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dropOldHistory } from '../../src/maintenance/drop-old-history.ts';
import { signatureHeader } from '../../src/webhooks/sign.ts';
import { receiverForTest } from '../support/receiver.ts';
import { good, serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { Flows, type Made } from './flows.ts';

/* The actions of steps besides `api`. */

let server: TestServer;
let flows: Flows;

beforeAll(async () => {
  server = await startTestServer({ works: true, overrides: { workflowLimits: { pausesSeconds: [0, 0, 0, 0] } } });
});

afterAll(() => server.stop());

beforeEach(async () => {
  flows = await Flows.on(server);
});

describe('an http step', () => {
  test('posts the event, signed with the secret of the workflow, when the workflow names no body', async () => {
    const receiver = await receiverForTest();
    const workflow = await flows.active({
      steps: [
        { id: 'send', action: 'http', url: `${receiver.url}?id={{event.data.object.id}}`, headers: { 'X-Key': 'a b' } },
      ],
    });
    const { id } = await flows.make('customers', { name: 'Ada' });
    const [run] = await flows.ended(workflow);
    expect(run.steps).toMatchObject([{ status: 'succeeded', attempts: 1, output: { status: 200 } }]);
    const [received] = receiver.received;
    const { signing_secret: secret } = (await good(flows.api.get(`/v1/workflows/${workflow.id}`))).body;
    const [, time] = /^t=(\d+)/.exec(String(received!.headers['service-signature'])) ?? [];
    expect(received!.headers['service-signature']).toBe(signatureHeader(secret, Number(time), received!.raw));
    expect(received!.headers['idempotency-key']).toBe(`${run.id}/send/0`);
    expect(received!.headers['x-key']).toBe('a b');
    expect(received!.path).toBe(`/hook?id=${id}`);
    expect(received!.body).toMatchObject({ object: 'event', type: 'customer.created', data: { object: { id } } });
  });

  test('is tried five times with one idempotency key, and then fails, when the server fails', async () => {
    const receiver = await receiverForTest(500);
    const workflow = await flows.active({
      steps: [{ id: 'send', action: 'http', url: receiver.url, body: { a: '{{event.type}}' } }],
    });
    await flows.make('customers', { name: 'Ada' });
    const [run] = await flows.ended(workflow);
    expect(run).toMatchObject({
      status: 'failed',
      steps: [{ status: 'failed', attempts: 5, error: { code: 'response_status' } }],
    });
    expect(receiver.received.map(({ body }) => body)).toEqual(
      Array.from({ length: 5 }, () => ({ a: 'customer.created' })),
    );
    expect(new Set(receiver.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  test('succeeds when a later attempt succeeds', async () => {
    const receiver = await receiverForTest(500, 200);
    const workflow = await flows.active({ steps: [{ id: 'send', action: 'http', url: receiver.url }] });
    await flows.make('customers', { name: 'Ada' });
    const [run] = await flows.ended(workflow);
    expect(run).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2, error: null }] });
  });

  test('shows no value of a header, and keeps it when an update sends null', async () => {
    const receiver = await receiverForTest();
    const step = { id: 'send', action: 'http', url: receiver.url, headers: { Authorization: 'Bearer hush' } };
    const workflow = await flows.active({ steps: [step] });
    expect(workflow.steps[0].headers).toEqual({ Authorization: null });
    await good(flows.api.post(`/v1/workflows/${workflow.id}`, { name: 'New', steps: workflow.steps }));
    await flows.make('customers', { name: 'Ada' });
    await flows.ended(workflow);
    expect(receiver.received[0]!.headers.authorization).toBe('Bearer hush');
    const { rows } = await server.context.database.readers.query(
      `select request_body as text from request_logs where account_id = $1
       union all select data from events where account_id = $1
       union all select sealed_headers from workflows where account_id = $1`,
      [flows.accountId],
    );
    expect(JSON.stringify(rows)).not.toContain('Bearer hush');
    const other = await flows.api.post(`/v1/workflows/${workflow.id}`, {
      steps: [{ ...step, headers: { 'X-Other': null } }],
    });
    expect(other.body.error).toMatchObject({ code: 'parameter_invalid', param: 'steps[0][headers][X-Other]' });
  });
});

describe('an email step', () => {
  const email = {
    id: 'welcome',
    action: 'email',
    to: '{{event.data.object.id}}',
    subject: 'Welcome, {{event.data.object.name}}',
    text: 'Dear {{event.data.object.name}},\n\nwelcome.',
  };

  test('keeps the e-mail for the list of a sandbox', async () => {
    const workflow = await flows.active({ steps: [email], permissions: ['customers.read'] });
    await flows.make('customers', { name: 'Ada', email: 'ada@example.org' });
    const [run] = await flows.ended(workflow);
    expect(run.status).toBe('succeeded');
    const { data } = (await good(flows.api.get('/v1/test_helpers/emails'))).body;
    expect(data).toMatchObject([
      { kind: 'workflow', about: run.id, to: 'ada@example.org', subject: 'Welcome, Ada', link: null },
    ]);
    expect(data[0].text).toBe('Dear Ada,\n\nwelcome.\n\n-- \nAnother\n');
    expect(JSON.stringify(run)).not.toContain('ada@');
  });

  test('fails when the customer has no address', async () => {
    const workflow = await flows.active({ steps: [email], permissions: ['customers.read'] });
    await flows.make('customers', { name: 'Ada' });
    const [run] = await flows.ended(workflow);
    expect(run.steps[0].error.code).toBe('email_missing');
  });
});

function decide(id: string, verb: 'approve' | 'reject', body: object = {}): Promise<ApiResponse> {
  return good(flows.api.post(`/v1/test_helpers/approval_requests/${id}/${verb}`, body));
}

describe('an approval step', () => {
  const asking = [
    { id: 'ask', action: 'approval', title: 'Welcome {{event.data.object.id}}?' },
    { id: 'then', action: 'wait', seconds: 1 },
  ];

  /** Starts a run, and waits until it has asked. */
  async function asked(steps: object[] = asking): Promise<{ workflow: Made; run: Made; request: Made }> {
    const workflow = await flows.active({ steps });
    const { id } = await flows.make('customers', { name: 'Ada' });
    const [run] = await flows.until(workflow, ([first]) => Boolean(first?.approval_request));
    const request = (await good(flows.api.get(`/v1/approval_requests/${run.approval_request}`))).body;
    expect(run).toMatchObject({ status: 'waiting', steps: [{ id: 'ask', status: 'waiting' }] });
    expect(request).toMatchObject({
      type: 'workflow_step',
      status: 'pending',
      title: `Welcome ${id}?`,
      workflow_run: run.id,
      api_key: null,
    });
    return { workflow, run, request };
  }

  test('waits for a person, and goes on when it is approved', async () => {
    const { workflow, request } = await asked();
    await decide(request.id, 'approve');
    const [run] = await flows.ended(workflow);
    expect(run).toMatchObject({
      status: 'succeeded',
      approval_request: null,
      steps: [
        { id: 'ask', status: 'succeeded', attempts: 1, output: { approval_request: request.id } },
        { id: 'then' },
      ],
    });
  });

  test('fails the run when a person rejects it, and keeps the reason out of the run', async () => {
    const { workflow, request } = await asked();
    await decide(request.id, 'reject', { reason: 'Ada has moved away.' });
    const [run] = await flows.ended(workflow);
    expect(run).toMatchObject({ status: 'failed', steps: [{ error: { code: 'approval_rejected' } }] });
    expect(JSON.stringify(run)).not.toContain('moved away');
  });

  test('fails the run when no person decides in time', async () => {
    const workflow = await flows.active({
      steps: [{ id: 'ask', action: 'approval', title: 'Welcome {{event.data.object.id}}?', timeout: 1 }],
    });
    await flows.make('customers', { name: 'Ada' });
    const [run] = await flows.ended(workflow);
    expect(run).toMatchObject({ status: 'failed', steps: [{ error: { code: 'approval_expired' } }] });
    const { data: requests } = (await good(flows.api.get('/v1/approval_requests'))).body;
    expect(requests).toMatchObject([{ workflow_run: run.id, status: 'expired' }]);
  });

  test('loses the reason of its decision when the customer of the event is erased', async () => {
    const { workflow, request } = await asked();
    expect(request.customer).toBe(request.title.slice('Welcome '.length, -1));
    await decide(request.id, 'reject', { reason: 'Ada has moved away.' });
    await flows.ended(workflow);
    await good(flows.api.delete(`/v1/customers/${request.customer}`));
    expect((await good(flows.api.get(`/v1/approval_requests/${request.id}`))).body.decision_reason).toBeNull();
    const { rows } = await server.context.database.readers.query(
      `select request_body as text from request_logs where account_id = $1
       union all select data from events where account_id = $1`,
      [flows.accountId],
    );
    expect(JSON.stringify(rows)).not.toContain('has moved away');
  });

  test('takes the question back when the run is canceled', async () => {
    const { run, request } = await asked();
    await good(flows.api.post(`/v1/workflow_runs/${run.id}/cancel`));
    expect((await good(flows.api.get(`/v1/approval_requests/${request.id}`))).body.status).toBe('canceled');
    expect((await flows.api.post(`/v1/test_helpers/approval_requests/${request.id}/approve`)).status).toBe(400);
  });

  test.each(['Ada Lovelace', 'Lovelace'])('fails when its title would keep the name of a person: %s', async (name) => {
    const workflow = await flows.active({
      steps: [{ id: 'ask', action: 'approval', title: 'Welcome {{event.data.object.name}}?' }],
    });
    await flows.make('customers', { name });
    const [run] = await flows.ended(workflow);
    expect(run).toMatchObject({ status: 'failed', steps: [{ error: { code: 'template_invalid' } }] });
    expect(JSON.stringify(run)).not.toContain('Lovelace');
  });

  test.each([
    ['a day of birth', 'event.data.object.date_of_birth'],
    ['an earlier day of birth', 'event.data.previous_attributes.date_of_birth'],
    ['metadata of a person', 'event.data.object.metadata.number'],
    ['a day of an address', 'item.from', 'event.data.object.addresses'],
  ])('fails when its title would keep %s', async (_, path, list?: string) => {
    const step = { id: 'ask', action: 'approval', title: `Welcome {{${path}}}?`, ...(list && { for_each: list }) };
    const workflow = await flows.active({ trigger: { type: 'customer.updated' }, steps: [step] });
    const address = {
      line1: '1 High Street',
      city: 'Leeds',
      postal_code: 'LS1 1AA',
      country: 'GB',
      from: '1915-12-10',
    };
    const before = {
      name: 'Ada',
      date_of_birth: '1915-12-09',
      metadata: { number: '1915-12-10' },
      addresses: [address],
    };
    const { id } = await flows.make('customers', before);
    await flows.make(`customers/${id}`, { date_of_birth: '1915-12-10' });
    const [run] = await flows.ended(workflow);
    expect(run).toMatchObject({ status: 'failed', steps: [{ error: { code: 'template_invalid' } }] });
    expect(JSON.stringify(run)).not.toContain('1915-12');
  });

  test('names days and numbers of a let in its title', async () => {
    const title = 'Let from {{event.data.object.move_in_date}} for {{event.data.object.rent.amount}}?';
    const steps = [{ id: 'ask', action: 'approval', title }];
    const workflow = await flows.active({ trigger: { type: 'application.created' }, steps });
    const rent = { amount: 95_000, currency: 'gbp', interval: 'month' };
    await flows.make('applications', { customers: ['cus_1'], move_in_date: '2027-01-04', rent });
    const [run] = await flows.until(workflow, ([first]) => Boolean(first?.approval_request));
    const request = (await good(flows.api.get(`/v1/approval_requests/${run.approval_request}`))).body;
    expect(request.title).toBe('Let from 2027-01-04 for 95000?');
  });
});

test.each([
  ['the path of a request', { action: 'api', path: '/v1/references/{{event.data.object.name}}', body: {} }],
  [
    'the body of a request',
    { action: 'api', path: '/v1/references', body: { application: '{{event.data.object.name}}' } },
  ],
  ['the receiver of an e-mail', { action: 'email', to: '{{event.data.object.name}}', subject: 'Hi', text: 'Hi' }],
])('quotes no name in the error of a run when it is %s', async (_, step) => {
  await good(flows.api.post('/v1/account', { linked_records: 'strict' }));
  const workflow = await flows.active({
    steps: [{ id: 'step', ...step }],
    permissions: ['references.write', 'customers.read'],
  });
  await flows.make('customers', { name: 'Lovelace' });
  const [run] = await flows.ended(workflow);
  expect(run.steps[0].error.code).toMatch(/^(template_invalid|resource_missing)$/);
  expect(JSON.stringify(run)).not.toContain('Lovelace');
});

test('pauses a workflow when it has started too many runs within an hour', async () => {
  const own = await Flows.on(await serverForTest({ works: true, overrides: { workflowLimits: { runsAnHour: 3 } } }));
  const workflow = await own.active({ steps: [{ id: 'later', action: 'wait', seconds: 1 }] });
  for (let made = 0; made < 5; made++) await own.make('customers', { name: 'Ada' });
  await expect.poll(async () => (await good(own.api.get(`/v1/workflows/${workflow.id}`))).body.status).toBe('paused');
  expect((await own.runs()).length).toBe(3);
  const { paused_reason: reason } = (await good(own.api.get(`/v1/workflows/${workflow.id}`))).body;
  expect(reason).toContain('3 runs within an hour');
});

/** Returns the condition that a run waits at a step. */
const waits = (id: string) => (runs: { status: string; steps: { id: string; status: string }[] }[]) =>
  runs[0]?.status === 'waiting' && runs[0].steps.at(-1)?.id === id;

test('ends waits for days when the clock of the sandbox leaps', async () => {
  const own = await Flows.on(await serverForTest({ works: true }));
  const workflow = await own.active({
    steps: [
      { id: 'days', action: 'wait', seconds: 3 * 86_400 },
      { id: 'until', action: 'wait', until: 'event.data.object.metadata.day' },
      { id: 'never', action: 'wait_for_event', type: 'unit.created', timeout: 86_400 },
    ],
  });
  const day = new Date(own.server.context.clock.nowMs() + 10 * 86_400_000).toISOString().slice(0, 10);
  await own.make('customers', { name: 'Ada', metadata: { day } });
  const leap = (days: number) => own.api.post('/v1/test_helpers/clock/advance', { seconds: days * 86_400 });
  await own.until(workflow, waits('days'));
  await good(leap(4));
  await own.until(workflow, waits('until'));
  await good(leap(7));
  await own.until(workflow, waits('never'));
  await good(leap(2));
  const [run] = await own.ended(workflow);
  expect(run.status).toBe('succeeded');
  expect(run.steps[2].output).toEqual({ timed_out: true });
});

test('fails a run clearly when its event is older than the history that is kept', async () => {
  const own = await Flows.on(await serverForTest({ works: true }));
  const workflow = await own.active({
    steps: [
      { id: 'weeks', action: 'wait', seconds: 60 * 86_400 },
      {
        id: 'check',
        action: 'api',
        path: '/v1/references',
        body: { application: 'app_1', customer: '{{event.data.object.id}}' },
      },
    ],
    permissions: ['references.write'],
  });
  await own.make('customers', { name: 'Ada' });
  const [waiting] = await own.until(workflow, waits('weeks'));
  const leap = (days: number) => own.api.post('/v1/test_helpers/clock/advance', { seconds: days * 86_400 });
  await good(leap(50));
  const { connection, database, clock, config, resources } = own.server.context;
  const retention = { nowMs: clock.nowMs(), retentionDays: config.retentionDays, resources };
  await dropOldHistory({ connection, readers: database.readers }, retention, new AbortController().signal);
  expect((await own.api.get(`/v1/events/${waiting.event}`)).status).toBe(404);
  await good(leap(11));
  const [run] = await own.ended(workflow);
  expect([run.status, run.steps.at(-1).error.code]).toEqual(['failed', 'event_removed']);
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { allPermissions } from '../support/permissions.ts';
import { Scrape } from '../support/prometheus.ts';
import { receiverForTest } from '../support/receiver.ts';
import { apiClient, good, serverForTest, startTestServer, type TestServer } from '../support/server.ts';
import { addKey } from '../support/tenants.ts';
import { Flows, type Made } from './flows.ts';

/* Runs of workflows, from the event to the last step. */

let server: TestServer;
let flows: Flows;

beforeAll(async () => {
  server = await startTestServer({ works: true });
});

afterAll(() => server.stop());

beforeEach(async () => {
  flows = await Flows.on(server);
});

test('starts a run when the process that made the event has a clock behind that of the activation', async () => {
  const aheadMs = 20_000;
  const ahead = await serverForTest({
    connection: server.connection,
    overrides: { clock: { nowMs: () => Date.now() + aheadMs } },
  });
  const { id } = (await good(flows.create({ steps: [{ id: 'pause', action: 'wait', seconds: 1 }] }))).body;
  const earlier = await flows.make('customers', { name: 'George' });
  await good(apiClient(ahead.url, flows.key).post(`/v1/workflows/${id}/activate`));
  const customer = await flows.make('customers', { name: 'Ada' });
  const [run, ...others] = await flows.until({ id }, (runs) => runs.length > 0);
  const { data } = (await good(flows.api.get(`/v1/events/${run.event}`))).body;
  expect([data.object.id, others]).toEqual([customer.id, []]);
  expect(data.object.id).not.toBe(earlier.id);
});

test('leaves places to other trees when the servers of many accounts of one tree hang', async () => {
  const parent = await addKey(server, flows.accountId, { permissions: allPermissions });
  const accounts: Flows[] = [];
  while (accounts.length < 5) {
    const { id } = (await good(parent.api.post('/v1/accounts', { name: 'Connected' }))).body;
    const { api, key } = await addKey(server, id, { permissions: allPermissions });
    accounts.push(new Flows(server, id, api, key));
  }
  expect(await hangingBesideOther(accounts)).toBeLessThan(24);
});

test('leaves places to another tree when the servers of three trees hang', async () => {
  const accounts = [await Flows.on(server), await Flows.on(server), await Flows.on(server)];
  expect(await hangingBesideOther(accounts)).toBeLessThan(24);
});

/**
 * Starts eight runs of each of these accounts, whose server hangs, until sixteen have begun. Then the run of another tree succeeds.
 *
 * @returns the most runs that hung at once. A process has 24 places. The server can see the end of a request later than the start of the next.
 */
async function hangingBesideOther(accounts: readonly Flows[]): Promise<number> {
  const open = { now: 0, most: 0 };
  const silent = await receiverForTest((response) => {
    open.most = Math.max(open.most, ++open.now);
    response.on('close', () => open.now--);
  });
  const healthy = await receiverForTest();
  const hanging: [Flows, Made][] = [];
  for (const account of accounts)
    hanging.push([account, await account.active({ steps: [{ id: 'send', action: 'http', url: silent.url }] })]);
  await Promise.all(hanging.map(startEight));
  await silent.count(16);
  const other = await Flows.on(server);
  const workflow = await other.active({ steps: [{ id: 'send', action: 'http', url: healthy.url }] });
  await other.make('customers', { name: 'George' });
  const [run] = await other.ended(workflow);
  // oxlint-disable-next-line vitest/no-standalone-expect -- Tests call this function.
  expect(run.status).toBe('succeeded');
  return open.most;
}

test('takes fewer large steps at once when an account starts many of them', async () => {
  const open = { now: 0, most: 0 };
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const receiver = await receiverForTest((response) => {
    open.most = Math.max(open.most, ++open.now);
    void released.then(() => response.end());
    response.on('close', () => open.now--);
  });
  const body = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`text_${index}`, 'x'.repeat(2_000)]));
  const workflow = await flows.active({ steps: [{ id: 'send', action: 'http', url: receiver.url, body }] });
  await startEight([flows, workflow]);
  // Each takes 0.8 MB of the 4 MB of an account.
  await expect.poll(bytesOfSteps).toBeGreaterThan(4 * 800_000);
  release();
  await flows.until(workflow, (runs) => runs.length === 8 && runs.every(({ status }) => status === 'succeeded'));
  // The receiver can see the end of a request later than the start of the next one.
  expect(open.most).toBeLessThan(8);
  await expect.poll(bytesOfSteps).toBe(0);
});

test('waits until its time when many jobs of an account come early', async () => {
  const workflow = await flows.active({ steps: [{ id: 'pause', action: 'wait', seconds: 3_600 }] });
  await Promise.all(Array.from({ length: 24 }, () => flows.make('customers', { name: 'Ada' })));
  await flows.until(workflow, (runs) => runs.length === 24 && runs.every(({ status }) => status === 'waiting'));
  await withClient(server.connection, async (client) => {
    await client.query(`update graphile_worker._private_jobs set run_at = now() where payload ->> 'account' = $1`, [
      flows.accountId,
    ]);
    // The server notices a new job at once.
    await flows.make('customers', { name: 'George' });
    const early = `
      select from graphile_worker._private_jobs
      where payload ->> 'account' = $1 and run_at < now() + interval '30 minutes'`;
    const countEarly = async () => (await client.query(early, [flows.accountId])).rowCount;
    await expect.poll(countEarly, { interval: 50 }).toBe(0);
  });
  await flows.until(workflow, (runs) => runs.length === 25 && runs.every(({ status }) => status !== 'running'));
  expect((await flows.runs()).filter(({ status }) => status === 'succeeded')).toEqual([]);
});

async function bytesOfSteps(): Promise<number> {
  return new Scrape(await server.context.metrics.text()).value('tenure_held_bytes{kind="steps"}')!;
}

/** Makes eight customers, and waits until each has started a run of the workflow. */
async function startEight([connected, workflow]: [Flows, Made]): Promise<void> {
  await Promise.all(Array.from({ length: 8 }, () => connected.make('customers', { name: 'Ada' })));
  await connected.until(workflow, (runs) => runs.length === 8);
}

const succeeded = (runs: Made[]) => runs.filter(({ status }) => status === 'succeeded');

const reference = { id: 'check', action: 'api', path: '/v1/references' };

/** Makes an application of two customers, and returns them in its order. */
async function applyTogether(): Promise<[Made, Made]> {
  const customers: [Made, Made] = [
    await flows.make('customers', { name: 'Ada' }),
    await flows.make('customers', { name: 'George' }),
  ];
  await flows.make('applications', { customers: customers.map(({ id }) => id) });
  return customers;
}

describe('an api step', () => {
  test('sends the request with values of the event when an event matches', async () => {
    const workflow = await flows.active({
      trigger: {
        type: 'application.created',
        filters: [{ path: 'data.object.metadata.check', op: 'eq', value: 'yes' }],
      },
      steps: [
        {
          ...reference,
          for_each: 'event.data.object.customers',
          body: { application: '{{event.data.object.id}}', customer: '{{item}}' },
        },
      ],
      permissions: ['references.write'],
    });
    const [ada, george] = await Promise.all([
      flows.make('customers', { name: 'Ada' }),
      flows.make('customers', { name: 'George' }),
    ]);
    await flows.make('applications', { customers: [ada.id], metadata: { check: 'no' } });
    const wish = await flows.make('applications', { customers: [ada.id, george.id], metadata: { check: 'yes' } });
    const [run] = await flows.ended(workflow);
    expect(run.status).toBe('succeeded');
    const { data } = (await good(flows.api.get(`/v1/references?application=${wish.id}`))).body;
    expect(data.map(({ customer }: { customer: string }) => customer).toSorted()).toEqual(
      ([ada.id, george.id] as string[]).toSorted(),
    );
    expect(run.steps.map(({ output }: { output: { id: string } }) => output.id).toSorted()).toEqual(
      data.map(({ id }: { id: string }) => id).toSorted(),
    );
    expect((await flows.runs()).length).toBe(1);
  });

  test('shows the run as the actor, without a request, when its effect has events', async () => {
    const workflow = await flows.active({
      name: 'Check new people',
      steps: [{ ...reference, body: { application: 'app_1', customer: '{{event.data.object.id}}' } }],
      permissions: ['references.write'],
    });
    await flows.make('customers', { name: 'Ada' });
    const [run] = await flows.ended(workflow);
    const { data } = (await good(flows.api.get(`/v1/events?object_id=${run.steps[0].output.id}`))).body;
    expect(data[0].request).toEqual({
      id: null,
      idempotency_key: null,
      from_dashboard: false,
      customer_portal: false,
      actor: { type: 'system', id: run.id, name: 'Check new people', key_id: null, key_type: null },
    });
  });
});

test('decides an application automatically when no person has approved an earlier step', async () => {
  const workflow = await flows.active({
    trigger: { type: 'application.created' },
    steps: [{ id: 'approve', action: 'api', path: '/v1/applications/{{event.data.object.id}}/approve', body: {} }],
    permissions: ['applications.write'],
  });
  const { id } = await flows.make('applications', { customers: ['cus_1'] });
  await flows.ended(workflow);
  const { body } = await good(flows.api.get(`/v1/applications/${id}`));
  expect(body.decision).toMatchObject({ outcome: 'approved', automated: true });
});

test('decides an application automatically when a person has rejected one of two questions', async () => {
  const workflow = await flows.active({
    trigger: { type: 'application.created' },
    steps: [
      {
        id: 'ask',
        action: 'approval',
        for_each: 'event.data.object.customers',
        title: 'Approve {{item}}?',
        on_error: 'continue',
      },
      { id: 'approve', action: 'api', path: '/v1/applications/{{event.data.object.id}}/approve', body: {} },
    ],
    permissions: ['applications.write'],
  });
  const { id } = await flows.make('applications', { customers: ['cus_1', 'cus_2'] });
  for (const answer of ['reject', 'approve']) {
    const question = async (): Promise<Made> =>
      (await good(flows.api.get('/v1/approval_requests?status=pending'))).body.data[0];
    await expect.poll(question, { interval: 20 }).toBeDefined();
    await good(flows.api.post(`/v1/test_helpers/approval_requests/${(await question()).id}/${answer}`));
  }
  await flows.ended(workflow);
  const { body } = await good(flows.api.get(`/v1/applications/${id}`));
  expect(body.decision).toMatchObject({ outcome: 'approved', automated: true });
});

describe('a refused api step', () => {
  const refused = { id: 'cancel', action: 'api', path: '/v1/references/{{event.data.object.metadata.ref}}/cancel' };
  const permissions = ['references.write'];

  test('fails the run with the error of the request when on_error is stop', async () => {
    const workflow = await flows.active({ steps: [refused, { id: 'later', action: 'wait', seconds: 1 }], permissions });
    await flows.make('customers', { name: 'Ada', metadata: { ref: 'ref_0VbZr1fe00bQ4fXjXr9Ld5' } });
    const [run] = await flows.ended(workflow);
    expect(run).toMatchObject({ status: 'failed', steps: [{ status: 'failed', error: { code: 'resource_missing' } }] });
    expect(run.failed_at).toBeGreaterThan(0);
    const types = (await good(flows.api.get(`/v1/events?object_id=${run.id}`))).body.data.map(
      ({ type }: { type: string }) => type,
    );
    expect(types).toEqual(['workflow_run.failed', 'workflow_run.updated', 'workflow_run.created']);
  });

  test('goes on with the next step when on_error is continue', async () => {
    const workflow = await flows.active({
      steps: [
        { ...refused, on_error: 'continue' },
        {
          ...reference,
          if: [{ path: 'steps.cancel.output.id', op: 'exists', value: false }],
          body: { application: 'app_1' },
        },
        {
          ...reference,
          id: 'never',
          if: [{ path: 'steps.cancel.output.id', op: 'exists' }],
          body: { application: 'app_1' },
        },
      ],
      permissions,
    });
    await flows.make('customers', { name: 'Ada', metadata: { ref: 'ref_0VbZr1fe00bQ4fXjXr9Ld5' } });
    const [run] = await flows.ended(workflow);
    expect(run.status).toBe('succeeded');
    expect(run.steps.map(({ status }: { status: string }) => status)).toEqual(['failed', 'succeeded', 'skipped']);
  });

  test('is taken again, with the steps after it alone, when the run is retried', async () => {
    const workflow = await flows.active({
      steps: [
        { ...reference, body: { application: 'app_1' } },
        { id: 'stop', action: 'api', path: '/v1/references/{{steps.check.output.metadata.target}}/cancel' },
      ],
      permissions,
    });
    await flows.make('customers', { name: 'Ada' });
    const [failed] = await flows.ended(workflow);
    expect(failed.steps.map(({ status }: { status: string }) => status)).toEqual(['succeeded', 'failed']);
    expect(failed.steps[1].error).toEqual({
      code: 'template_invalid',
      message: 'There is no `steps.check.output.metadata.target`.',
    });
    const { id } = failed.steps[0].output;
    await good(flows.api.post(`/v1/references/${id}`, { metadata: { target: id } }));
    await good(flows.api.post(`/v1/workflow_runs/${failed.id}/retry`));
    const [run] = await flows.ended(workflow);
    expect(run).toMatchObject({ status: 'succeeded', failed_at: null });
    expect((await good(flows.api.get(`/v1/references/${id}`))).body.status).toBe('canceled');
    expect((await good(flows.api.get('/v1/references'))).body.count).toBe(1);
    const again = await flows.api.post(`/v1/workflow_runs/${run.id}/retry`);
    expect(again.body.error.code).toBe('status_transition_invalid');
  });
});

describe('a trigger', () => {
  test('starts no run when the event came before the activation, or while the workflow is paused', async () => {
    const { id } = (await good(flows.create({ steps: [{ id: 'later', action: 'wait', seconds: 1 }] }))).body;
    await flows.make('customers', { name: 'Before' });
    await good(flows.api.post(`/v1/workflows/${id}/activate`));
    const first = await flows.make('customers', { name: 'First' });
    await flows.until({ id }, (runs) => runs.length === 1);
    await good(flows.api.post(`/v1/workflows/${id}/pause`));
    await flows.make('customers', { name: 'Paused' });
    await good(flows.api.post(`/v1/workflows/${id}/activate`));
    const second = await flows.make('customers', { name: 'Second' });
    const runs = await flows.until({ id }, (all) => all.length > 1);
    const events = await Promise.all(runs.map(({ event }) => flows.api.get(`/v1/events/${event}`)));
    expect(events.map(({ body }) => body.data.object.id)).toEqual([second.id, first.id]);
  });

  test('leaves a run on its copy when the workflow is changed', async () => {
    const workflow = await flows.active({
      steps: [
        { id: 'later', action: 'wait_for_event', type: 'application.created', timeout: 1000 },
        { ...reference, body: { application: 'old' } },
      ],
      permissions: ['references.write'],
    });
    await flows.make('customers', { name: 'Ada' });
    await flows.until(workflow, (runs) => runs[0]?.status === 'waiting');
    const changed = await good(
      flows.api.post(`/v1/workflows/${workflow.id}`, { steps: [{ ...reference, body: { application: 'new' } }] }),
    );
    expect(changed.body.version).toBe(2);
    await flows.make('applications', { customers: ['cus_1'] });
    const [run] = await flows.ended(workflow);
    expect(run).toMatchObject({ status: 'succeeded', version: 1 });
    const made = (await good(flows.api.get(`/v1/references/${run.steps[1].output.id}`))).body;
    expect(made.application).toBe('old');
  });

  test('stops a loop when runs start runs at the depth of 5', async () => {
    const workflow = await flows.active({
      trigger: { type: 'reference.created' },
      steps: [{ ...reference, body: { application: 'app_1' } }],
      permissions: ['references.write'],
    });
    await flows.make('references', { application: 'app_1' });
    const runs = await flows.ended(workflow, 6);
    expect(runs.map(({ depth, status }) => [depth, status])).toEqual([
      [6, 'canceled'],
      ...[5, 4, 3, 2, 1].map((depth) => [depth, 'succeeded']),
    ]);
    expect((await good(flows.api.get('/v1/references'))).body.count).toBe(6);
  });
});

describe('a wait', () => {
  test('goes on when the awaited event comes, and gives the event to later steps', async () => {
    const workflow = await flows.active({
      steps: [
        {
          id: 'wish',
          action: 'wait_for_event',
          type: 'application.created',
          filters: [{ path: 'data.object.customers.0', op: 'eq', value: '{{event.data.object.id}}' }],
          timeout: 1000,
        },
        { ...reference, body: { application: '{{steps.wish.output.event.data.object.id}}' } },
      ],
      permissions: ['references.write'],
    });
    const { id } = await flows.make('customers', { name: 'Ada' });
    await flows.until(workflow, (runs) => runs[0]?.status === 'waiting');
    await flows.make('applications', { customers: ['cus_other'] });
    const wish = await flows.make('applications', { customers: [id] });
    const [run] = await flows.ended(workflow);
    const { data } = (await good(flows.api.get(`/v1/references?application=${wish.id}`))).body;
    expect(data.map((each: { id: string }) => each.id)).toEqual([run.steps[1].output.id]);
  });

  test('finds the awaited event when it comes just after that of the trigger', async () => {
    const workflow = await flows.active({
      trigger: { type: 'application.created' },
      steps: [{ id: 'made', action: 'wait_for_event', type: 'unit.*', timeout: 1000 }],
    });
    const address = { line1: '1 A', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };
    const building = await flows.make('buildings', { name: 'A', address });
    // Depending on the moment, the run finds the event, or the follower does.
    for (let round = 0; round < 20; round++) {
      await flows.make('applications', { customers: ['cus_1'] });
      await flows.make('units', { building: building.id, name: `Flat ${round}` });
    }
    const runs = await flows.ended(workflow, 20);
    expect(runs.every(({ steps }) => steps[0].output.event.startsWith('evt_'))).toBe(true);
  });

  test('ends for each item when the events of the items come in another order', async () => {
    const workflow = await flows.active({
      trigger: { type: 'application.created' },
      steps: [
        {
          id: 'answers',
          action: 'wait_for_event',
          for_each: 'event.data.object.customers',
          type: 'customer.updated',
          filters: [{ path: 'data.object.id', op: 'eq', value: '{{item}}' }],
          timeout: 1000,
        },
      ],
    });
    const [ada, george] = await applyTogether();
    await flows.until(workflow, ([run]) => run?.status === 'waiting');
    for (const { id } of [george, ada])
      await good(flows.api.post(`/v1/customers/${id}`, { phone: '+44 1904 555 0123' }));
    const [run] = await flows.ended(workflow);
    expect(run.status).toBe('succeeded');
    const events = await Promise.all(
      run.steps.map(
        async ({ output }: { output: { event: string } }) =>
          (await good(flows.api.get(`/v1/events/${output.event}`))).body.data.object.id,
      ),
    );
    expect(events).toEqual([ada.id, george.id]);
  });

  test('takes an event of its own for each item when one filter fits them all', async () => {
    const workflow = await flows.active({
      trigger: { type: 'application.created' },
      steps: [
        {
          id: 'answers',
          action: 'wait_for_event',
          for_each: 'event.data.object.customers',
          type: 'unit.created',
          timeout: 1000,
        },
      ],
    });
    await applyTogether();
    const address = { line1: '1 A', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };
    const building = await flows.make('buildings', { name: 'A', address });
    for (const name of ['1', '2']) await flows.make('units', { building: building.id, name });
    const [run] = await flows.ended(workflow);
    const taken = run.steps.map(({ output }: { output: { event: string } }) => output.event);
    expect([run.status, new Set(taken).size]).toEqual(['succeeded', 2]);
  });

  test('ends only the wait for its own record when many runs wait for events of one type', async () => {
    const workflow = await flows.active({
      steps: [
        {
          id: 'check',
          action: 'wait_for_event',
          type: 'reference.*',
          filters: [{ path: 'data.object.customer', op: 'eq', value: '{{event.data.object.id}}' }],
          timeout: 1000,
        },
      ],
    });
    const customers = await Promise.all(Array.from({ length: 12 }, () => flows.make('customers', { name: 'Ada' })));
    await flows.until(workflow, (runs) => runs.filter(({ status }) => status === 'waiting').length === 12);
    const mine = customers.slice(0, 5);
    const made = await Promise.all(
      mine.map(({ id }) => flows.make('references', { application: 'app_1', customer: id })),
    );
    const runs = await flows.until(workflow, (all) => succeeded(all).length === mine.length);
    const ends = await Promise.all(
      succeeded(runs).map(async ({ steps }) => (await flows.api.get(`/v1/events/${steps[0].output.event}`)).body),
    );
    expect(new Set(ends.map(({ data }) => data.object.id))).toEqual(new Set(made.map(({ id }) => id)));
    expect(runs.filter(({ status }) => status === 'waiting')).toHaveLength(7);
  });

  test('follows the value of its filter when a record changes it during the wait', async () => {
    const [ada, george] = await Promise.all([
      flows.make('customers', { name: 'Ada' }),
      flows.make('customers', { name: 'George' }),
    ]);
    const workflow = await flows.active({
      trigger: { type: 'unit.created' },
      steps: [
        { ...reference, body: { application: 'app_1', metadata: { other: ada.id } } },
        {
          id: 'other',
          action: 'wait_for_event',
          type: 'customer.updated',
          filters: [{ path: 'data.object.id', op: 'eq', value: '{{steps.check.output.metadata.other}}' }],
          timeout: 1000,
        },
      ],
      permissions: ['references.write'],
    });
    const building = await flows.make('buildings', {
      name: 'Mill',
      address: { line1: '1 Mill Lane', city: 'York', postal_code: 'YO1 9NR', country: 'GB' },
    });
    await flows.make('units', { building: building.id, name: 'Flat 1' });
    const [waiting] = await flows.until(workflow, (runs) => runs[0]?.status === 'waiting');
    await flows.make(`references/${waiting.steps[0].output.id}`, { metadata: { other: george.id } });
    await flows.make(`customers/${george.id}`, { name: 'Georgina' });
    expect((await flows.ended(workflow))[0].steps[1].output.event).toMatch(/^evt_/);
  });

  test('ends as canceled when the run is canceled', async () => {
    const workflow = await flows.active({ steps: [{ id: 'later', action: 'wait', seconds: 1000 }] });
    await flows.make('customers', { name: 'Ada' });
    const [waiting] = await flows.until(workflow, (runs) => runs[0]?.status === 'waiting');
    await good(flows.api.post(`/v1/workflow_runs/${waiting.id}/cancel`));
    const [run] = await flows.ended(workflow);
    expect(run).toMatchObject({ status: 'canceled', steps: [{ status: 'canceled' }] });
    expect((await flows.api.post(`/v1/workflow_runs/${run.id}/cancel`)).body.error.code).toBe(
      'status_transition_invalid',
    );
  });

  test('fails alone when the value that its filter names is gone, and other workflows go on', async () => {
    const workflow = await flows.active({
      steps: [
        { ...reference, body: { application: 'app_1', metadata: { branch: 'york' } } },
        {
          id: 'wish',
          action: 'wait_for_event',
          type: 'application.created',
          filters: [{ path: 'data.object.metadata.branch', op: 'eq', value: '{{steps.check.output.metadata.branch}}' }],
          timeout: 1000,
        },
      ],
      permissions: ['references.write'],
    });
    const other = await flows.active({
      trigger: { type: 'application.created' },
      steps: [{ id: 'pause', action: 'wait', seconds: 1 }],
    });
    await flows.make('customers', { name: 'Ada' });
    const [waiting] = await flows.until(workflow, (runs) => runs[0]?.status === 'waiting');
    await flows.make(`references/${waiting.steps[0].output.id}`, { metadata: { branch: '' } });
    await flows.make('applications', { customers: ['cus_1'] });
    const [run] = await flows.ended(workflow);
    expect([run.status, run.steps.at(-1).error.code]).toEqual(['failed', 'template_invalid']);
    expect((await flows.ended(other))[0].status).toBe('succeeded');
  });

  test('fails clearly when the person of its event is erased meanwhile', async () => {
    const workflow = await flows.active({
      steps: [
        { id: 'wish', action: 'wait_for_event', type: 'application.created', timeout: 1000 },
        { ...reference, body: { application: 'app_1', customer: '{{event.data.object.id}}' } },
      ],
      permissions: ['references.write'],
    });
    const { id } = await flows.make('customers', { name: 'Ada Lovelace' });
    await flows.until(workflow, (runs) => runs[0]?.status === 'waiting');
    await good(flows.api.delete(`/v1/customers/${id}`));
    const [waiting] = await flows.runs(`&workflow=${workflow.id}`);
    expect(waiting.status).toBe('waiting');
    await flows.make('applications', { customers: ['cus_1'] });
    const [run] = await flows.ended(workflow);
    expect([run.status, run.steps.at(-1).error.code]).toEqual(['failed', 'event_erased']);
    const stored = await flows.server.context.database.readers.query(
      'select definition, steps, progress from workflow_runs where account_id = $1',
      [flows.accountId],
    );
    expect(JSON.stringify(stored.rows)).not.toContain('Ada Lovelace');
  });
});

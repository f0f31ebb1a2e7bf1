import { expect, onTestFinished, test } from 'vitest';
import type { QueryConfig, QueryResult } from 'pg';
import { UnavailableError, type PoolClient } from '../../src/db/pools.ts';
import type { RecordReader } from '../../src/db/record-reader.ts';
import { eventTypesOf } from '../../src/http/openapi/event-types.ts';
import { WorkflowFollower, workflowLimits } from '../../src/workflows/follower.ts';
import { untilSettled } from '../events/scenario.ts';
import { heapBytes } from '../support/heap.ts';
import { copyNewestEvent, makeLargeCustomer } from '../support/large-records.ts';
import { good, serverForTest, type TestServer } from '../support/server.ts';
import { waitMs } from '../support/wait.ts';
import { Flows, type Made } from './flows.ts';

/*
 * The follower reads the workflows of an account, and then its events. Here, something happens between the two. The server has no
 * follower of its own. It could read all events first, so that the one of the test would find nothing.
 */

const megabyte = 1024 * 1024;

const steps = [{ id: 'pause', action: 'wait', seconds: 1000 }];

/**
 * Starts a follower. Once, before a query, this happens. By default, the follower has read which workflows are active, and has read no
 * events yet. Waits for the end of that. Transactions of other tests can hold back the events.
 */
async function followUntil(
  server: TestServer,
  happens: () => Promise<void>,
  before = 'read_events_for_workflows',
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isFirst = true;
  follow(server, {
    async beforeQuery({ name }) {
      if (!isFirst || name !== before) return;
      isFirst = false;
      await happens().then(resolve, reject);
    },
  });
  await promise;
}

interface Follows {
  readRecord?: RecordReader;
  beforeQuery?: (query: { name?: string | undefined }) => Promise<void>;
  afterQuery?: (query: { name?: string | undefined }, rows: unknown[]) => void;
}

/** Follows events until the end of the test. */
function follow({ context }: TestServer, { readRecord = context.readRecord, ...hooks }: Follows): void {
  const eventTypes = context.resources.flatMap(eventTypesOf).map(({ type }) => type);
  const { followers } = context.database;
  const database = {
    followers: Object.assign(Object.create(followers) as typeof followers, {
      connect: async () => withHooks(await followers.connect(), hooks),
    }),
  };
  const follower = new WorkflowFollower(
    { ...context, database, isAlone: false, readRecord, eventTypes },
    workflowLimits,
  );
  follower.start();
  onTestFinished(() => follower.stop());
}

/** Returns a connection that calls these before and after its queries. */
function withHooks(client: PoolClient, { beforeQuery, afterQuery }: Follows): PoolClient {
  const query = async (sent: QueryConfig, values?: unknown[]): Promise<QueryResult> => {
    await beforeQuery?.(sent);
    const result = await client.query(sent, values);
    afterQuery?.(sent, result.rows);
    return result;
  };
  return new Proxy(client, {
    get(target, name) {
      if (name === 'query') return query;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

test('starts a run when a workflow is activated, and its event comes, while the events of the account are read', async () => {
  const server = await serverForTest({ followsNothing: true });
  const flows = await Flows.on(server);
  await flows.active({ trigger: { type: 'application.created' }, steps });
  const { id } = (await good(flows.create({ steps }))).body;
  let customer = '';
  await followUntil(server, async () => {
    await good(flows.api.post(`/v1/workflows/${id}/activate`));
    customer = (await flows.make('customers', { name: 'Ada' })).id;
    await untilSettled(flows, server);
  });
  const [run] = await flows.until({ id }, (runs) => runs.length > 0);
  const { data } = (await good(flows.api.get(`/v1/events/${run.event}`))).body;
  expect(data.object.id).toBe(customer);
});

test('starts a run by the new trigger when the workflow is changed while the events of the account are read', async () => {
  const server = await serverForTest({ followsNothing: true });
  const flows = await Flows.on(server);
  const workflow = await flows.active({ trigger: { type: 'application.created' }, steps });
  await followUntil(server, async () => {
    await good(flows.api.post(`/v1/workflows/${workflow.id}`, { trigger: { type: 'customer.created' } }));
    await flows.make('customers', { name: 'Ada' });
    await untilSettled(flows, server);
  });
  const [run] = await flows.until(workflow, (runs) => runs.length > 0);
  expect(run.version).toBe(2);
});

test('starts no run for an event that the workflow does not want any more when it is changed before the run begins', async () => {
  const server = await serverForTest({ followsNothing: true });
  const flows = await Flows.on(server);
  const workflow = await flows.active({ trigger: { type: 'customer.created' }, steps });
  await flows.make('customers', { name: 'Ada' });
  await untilSettled(flows, server);
  const filters = [{ path: 'data.object.name', op: 'eq', value: 'Grace' }];
  const change = async (): Promise<void> => {
    await good(flows.api.post(`/v1/workflows/${workflow.id}`, { trigger: { type: 'customer.created', filters } }));
  };
  // The follower has found by then that the event passes the filters.
  await followUntil(server, change, 'read_started_runs');
  const { id } = await flows.make('customers', { name: 'Grace' });
  const runs = await flows.until(workflow, (all) => all.length > 0);
  const events = await Promise.all(
    runs.map(async ({ event }) => (await good(flows.api.get(`/v1/events/${event}`))).body),
  );
  expect(events.map(({ data }) => data.object.id)).toEqual([id]);
});

test('starts the runs of two workflows later, and does not end the process, when the database is away for one', async () => {
  const server = await serverForTest({ followsNothing: true });
  const flows = await Flows.on(server);
  const both = [
    await flows.active({ trigger: { type: 'customer.created' }, steps }),
    await flows.active({ trigger: { type: 'customer.created' }, steps }),
  ];
  await flows.make('customers', { name: 'Ada' });
  await untilSettled(flows, server);
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  let reads = 0;
  const readRecord: RecordReader = async (resource, accountId, id) => {
    // The decision of each run reads its workflow.
    if (resource.object === 'workflow' && ++reads === 1) throw new UnavailableError(false, null);
    return server.context.readRecord(resource, accountId, id);
  };
  follow(server, { readRecord });
  for (const workflow of both) expect(await flows.until(workflow, (runs) => runs.length > 0)).toHaveLength(1);
  expect(reads).toBeGreaterThan(both.length);
  expect(unhandled).toEqual([]);
});

test('starts the run of another account before it has ended all waits when many runs wait for one event', async () => {
  const count = 30;
  const server = await serverForTest({ works: true, overrides: { workflowLimits: { turnMs: 0 } } });
  const [busy, other] = [await Flows.on(server), await Flows.on(server)];
  const waiting = [{ id: 'later', action: 'wait_for_event', type: 'application.created', timeout: 1000 }];
  // Fifty waits end in one turn at least.
  const slow = [await busy.active({ steps: waiting }), await busy.active({ steps: waiting })];
  const customers: string[] = [];
  while (customers.length < count) customers.push((await busy.make('customers', { name: 'Ada' })).id);
  for (const each of slow)
    await busy.until(each, (runs) => runs.length === count && runs.every(({ status }) => status === 'waiting'));
  const quick = await other.active({ steps });
  const { readers } = server.context.database;
  // The follower waits, so that it meets both events.
  const blocker = await readers.connect();
  onTestFinished(() => blocker.release(true));
  await blocker.query('begin');
  await blocker.query('lock table workflow_positions in access exclusive mode');
  await busy.make('applications', { customers });
  await other.make('customers', { name: 'Grace' });
  await blocker.query('rollback');
  for (const each of slow)
    expect((await busy.ended(each, count)).map(({ status }) => status)).toEqual(Array(count).fill('succeeded'));
  await other.until(quick, (runs) => runs.length === 1);
  const { rows } = await readers.query<{ account_id: string; type: string }>(`
    select account_id, type from events
    where type in ('workflow_run.created', 'workflow_run.succeeded')
    order by epoch, transaction_id, ordinal`);
  const started = rows.findIndex((row) => row.account_id === other.accountId && row.type === 'workflow_run.created');
  const ended = rows.findLastIndex((row) => row.account_id === busy.accountId && row.type === 'workflow_run.succeeded');
  expect(started).toBeGreaterThan(0);
  expect(started).toBeLessThan(ended);
});

test('starts the run of another account before most of a tree when an event comes in each of ten accounts', async () => {
  const server = await serverForTest({ works: true });
  const platform = await Flows.on(server);
  const branches: Record<string, string>[] = [];
  const written = { name: 'Test', trigger: { type: 'customer.created' }, steps, permissions: [] };
  while (branches.length < 10) {
    const { id } = await platform.make('accounts', { name: 'Branch' });
    branches.push({ 'service-context': id });
  }
  for (const branch of branches) {
    const { id } = (await good(platform.api.post('/v1/workflows', written, branch))).body;
    await good(platform.api.post(`/v1/workflows/${id}/activate`, {}, branch));
  }
  const other = await Flows.on(server);
  const workflow = await other.active(written);
  const { readers } = server.context.database;
  // The follower waits, so that it meets all events.
  const blocker = await readers.connect();
  onTestFinished(() => blocker.release(true));
  await blocker.query('begin');
  await blocker.query('lock table workflow_positions in access exclusive mode');
  for (const branch of branches) await good(platform.api.post('/v1/customers', { name: 'Ada' }, branch));
  await other.make('customers', { name: 'Grace' });
  await blocker.query('rollback');
  await other.until(workflow, (runs) => runs.length === 1);
  const startedIn = async (): Promise<string[]> => {
    const { rows } = await readers.query<{ account_id: string }>(`
      select account_id from events where type = 'workflow_run.created' order by epoch, transaction_id, ordinal`);
    return rows.map(({ account_id: id }) => id);
  };
  await expect.poll(async () => (await startedIn()).length, { timeout: waitMs }).toBe(11);
  // Each had a turn before, when its workflow became active.
  expect((await startedIn()).indexOf(other.accountId)).toBeLessThan(4);
});

test('starts one run for each event when a page takes many turns', async () => {
  const server = await serverForTest({ works: true, overrides: { workflowLimits: { turnMs: 0 } } });
  const flows = await Flows.on(server);
  const workflows: Made[] = [];
  while (workflows.length < 30) workflows.push(await flows.active({ steps }));
  const blocker = await server.context.database.readers.connect();
  onTestFinished(() => blocker.release(true));
  await blocker.query('begin');
  await blocker.query('lock table workflow_positions in access exclusive mode');
  await Promise.all(Array.from({ length: 20 }, () => flows.make('customers', { name: 'Ada' })));
  await blocker.query('rollback');
  for (const workflow of workflows)
    expect(new Set((await flows.until(workflow, (runs) => runs.length >= 20)).map(({ event }) => event)).size).toBe(20);
});

test('holds none of the parsed events, and few workflows, when large events start many runs', async () => {
  const server = await serverForTest({ followsNothing: true });
  const flows = await Flows.on(server);
  const workflows: Made[] = [];
  for (let number = 0; number < 40; number++)
    workflows.push(await flows.active({ trigger: { type: 'customer.updated' }, steps }));
  await makeLargeCustomer(flows.api);
  await copyNewestEvent(server.connection, flows.accountId, 12);
  await untilSettled(flows, server);
  const before = heapBytes();
  const held: number[] = [];
  let readingAtOnce = 0;
  let readAtOnceMax = 0;
  const readRecord: RecordReader = async (resource, accountId, id) => {
    if (resource.object !== 'workflow') return server.context.readRecord(resource, accountId, id);
    // Only decisions read a workflow whole.
    if (held.length === 0) held.push(heapBytes() - before);
    readAtOnceMax = Math.max(readAtOnceMax, ++readingAtOnce);
    const read = await server.context.readRecord(resource, accountId, id);
    readingAtOnce--;
    return read;
  };
  follow(server, { readRecord });
  const [first, last] = [workflows[0], workflows.at(-1)];
  for (const workflow of [first, last])
    expect(await flows.until(workflow, (runs) => runs.length === 13)).toHaveLength(13);
  // The page itself has eight megabytes of text.
  expect(held[0]).toBeLessThan(60 * megabyte);
  expect(readAtOnceMax).toBeLessThanOrEqual(256);
});

test('holds the filters of few workflows, and starts all runs, when filters are long', async () => {
  const server = await serverForTest({ followsNothing: true });
  const flows = await Flows.on(server);
  const filters = ['Ada', 'Bob', 'Cem', 'Dev'].map((name) => ({
    path: 'data.object.name',
    op: 'in',
    value: [name, ...Array.from({ length: 99 }, () => 'x'.repeat(490))],
  }));
  // None matches, because a name is one only. The last workflow has another filter.
  const long: Made[] = [];
  for (let number = 0; number < 30; number++)
    long.push(await flows.active({ trigger: { type: 'customer.created', filters }, steps }));
  const last = await flows.active({ trigger: { type: 'customer.created', filters: [filters[0]!] }, steps });
  await flows.make('customers', { name: 'Ada' });
  await untilSettled(flows, server);
  const read: number[] = [];
  follow(server, {
    afterQuery({ name }, rows) {
      if (name === 'read_triggers')
        read.push((rows as { trigger: string }[]).reduce((sum, { trigger }) => sum + trigger.length, 0));
    },
  });
  expect(await flows.until(last, (runs) => runs.length > 0)).toHaveLength(1);
  expect(await flows.runs(`&workflow=${long[0].id}`)).toEqual([]);
  expect(Math.max(...read)).toBeGreaterThan(megabyte / 2);
  expect(Math.max(...read)).toBeLessThan(1.5 * megabyte);
});

test('makes few runs at once when the workflows have long steps', async () => {
  const server = await serverForTest({ followsNothing: true });
  const flows = await Flows.on(server);
  const count = 40;
  const long = [{ id: 'send', action: 'http', url: 'https://example.com/', body: { text: 'x'.repeat(200_000) } }];
  const workflows: Made[] = [];
  while (workflows.length < count) workflows.push(await flows.active({ steps: long }));
  await flows.make('customers', { name: 'Ada' });
  await untilSettled(flows, server);
  let readingAtOnce = 0;
  let readAtOnceMax = 0;
  follow(server, {
    readRecord: async (resource, accountId, id) => {
      if (resource.object === 'workflow') readAtOnceMax = Math.max(readAtOnceMax, ++readingAtOnce);
      const read = await server.context.readRecord(resource, accountId, id);
      if (resource.object === 'workflow') readingAtOnce--;
      return read;
    },
  });
  for (const workflow of workflows) expect(await flows.until(workflow, (runs) => runs.length > 0)).toHaveLength(1);
  // Four megabytes of steps, and the one that exceeds them.
  expect(readAtOnceMax).toBeLessThanOrEqual(21);
});

import { expect, onTestFinished, test } from 'vitest';
import { UnavailableError } from '../../src/db/pools.ts';
import type { RecordReader } from '../../src/db/record-reader.ts';
import { eventTypesOf } from '../../src/http/openapi/event-types.ts';
import { WorkflowFollower, workflowLimits } from '../../src/workflows/follower.ts';
import { untilSettled } from '../events/scenario.ts';
import { heapBytes } from '../support/heap.ts';
import { copyNewestEvent, makeLargeCustomer } from '../support/large-records.ts';
import { good, serverForTest, type TestServer } from '../support/server.ts';
import { Flows, type Made } from './flows.ts';

/*
 * The follower reads the workflows of an account, and then its events. Here, something happens between the two. The server has no
 * follower of its own. It could read all events first, so that the one of the test would find nothing.
 */

const megabyte = 1024 * 1024;

const steps = [{ id: 'pause', action: 'wait', seconds: 1000 }];

/**
 * Starts a follower. Once, after it has read which workflows are active and before it reads events, this happens. Waits for the end of
 * that. Transactions of other tests can hold back the events.
 */
async function followUntil(server: TestServer, happens: () => Promise<void>): Promise<void> {
  const { context } = server;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isFirst = true;
  const readRecord: RecordReader = async (resource, accountId, id) => {
    const record = await context.readRecord(resource, accountId, id);
    if (isFirst && resource.object === 'workflow') {
      isFirst = false;
      await happens().then(resolve, reject);
    }
    return record;
  };
  follow(server, readRecord);
  await promise;
}

/** Follows events until the end of the test, with this reader of records. */
function follow({ context }: TestServer, readRecord: RecordReader): void {
  const eventTypes = context.resources.flatMap(eventTypesOf).map(({ type }) => type);
  const follower = new WorkflowFollower({ ...context, isAlone: false, readRecord, eventTypes }, workflowLimits);
  follower.start();
  onTestFinished(() => follower.stop());
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
  await followUntil(server, async () => {
    await good(flows.api.post(`/v1/workflows/${workflow.id}`, { trigger: { type: 'customer.created', filters } }));
  });
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
  follow(server, async (resource, accountId, id) => {
    // The page reads both workflows. Then the decision of the first run reads its workflow again.
    if (resource.object === 'workflow' && ++reads === both.length + 1) throw new UnavailableError(false, null);
    return server.context.readRecord(resource, accountId, id);
  });
  for (const workflow of both) expect(await flows.until(workflow, (runs) => runs.length > 0)).toHaveLength(1);
  expect(reads).toBeGreaterThan(both.length + 1);
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
  let reads = 0;
  let readingAtOnce = 0;
  let readAtOnceMax = 0;
  let ofPageAtOnceMax = 0;
  follow(server, async (resource, accountId, id) => {
    if (resource.object !== 'workflow') return server.context.readRecord(resource, accountId, id);
    // The page reads all workflows. Then the first decision reads one of them again.
    if (++reads === workflows.length + 1) held.push(heapBytes() - before);
    readAtOnceMax = Math.max(readAtOnceMax, ++readingAtOnce);
    if (reads <= workflows.length) ofPageAtOnceMax = Math.max(ofPageAtOnceMax, readingAtOnce);
    const read = await server.context.readRecord(resource, accountId, id);
    readingAtOnce--;
    return read;
  });
  const [first, last] = [workflows[0], workflows.at(-1)];
  for (const workflow of [first, last])
    expect(await flows.until(workflow, (runs) => runs.length === 13)).toHaveLength(13);
  // The page itself has eight megabytes of text.
  expect(held[0]).toBeLessThan(60 * megabyte);
  expect(readAtOnceMax).toBeLessThanOrEqual(256);
  expect(ofPageAtOnceMax).toBe(32);
});

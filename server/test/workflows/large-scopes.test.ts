import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Reader } from '../../src/db/reader.ts';
import { heapBytes } from '../support/heap.ts';
import { makeLarge, makeLargeCustomer, query } from '../support/large-records.ts';
import { receiverForTest } from '../support/receiver.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { Flows, type Made } from './flows.ts';

const megabyte = 1024 * 1024;

/** Changes each person of a new application. Later steps can name these persons. */
const changeAll = {
  id: 'change',
  action: 'api',
  for_each: 'event.data.object.customers',
  path: '/v1/customers/{{item}}',
  body: { metadata: { seen: 'yes' } },
};

const trigger = { type: 'application.created' };
const permissions = ['customers.write'];

let server: TestServer;
let flows: Flows;

beforeAll(async () => {
  server = await startTestServer({ works: true });
});
afterAll(() => server.stop());
beforeEach(async () => {
  flows = await Flows.on(server);
});

/** Makes persons of a quarter of a megabyte each. */
async function largePersons(count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await makeLargeCustomer(flows.api));
  return ids;
}

test('holds no records while other servers hang when steps have named large ones', async () => {
  const receiver = await receiverForTest(() => {});
  const body = { name: '{{steps.change.output.0.name}}' };
  const send = { id: 'send', action: 'http', url: receiver.url, body };
  const customers = await largePersons(16);
  await flows.active({ trigger, permissions, steps: [changeAll, send] });
  const before = heapBytes();
  for (let made = 0; made < 4; made++) await flows.make('applications', { customers });
  await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(4);
  expect(receiver.received[0]!.body).toEqual({ name: 'Ada' });
  // Each step has read four megabytes.
  expect(heapBytes() - before).toBeLessThan(7 * megabyte);
});

test('fails a step when the records that it names have more than eight megabytes', async () => {
  const body = { metadata: { name: '{{steps.change.output.0.name}}' } };
  const name = { id: 'name', action: 'api', path: '/v1/customers/{{event.data.object.customers.0}}', body };
  const customers = await largePersons(35);
  const workflow: Made = await flows.active({ trigger, permissions, steps: [changeAll, name] });
  await flows.make('applications', { customers });
  const [run] = await flows.ended(workflow);
  expect(run.status).toBe('failed');
  expect(run.steps.at(-1).error).toMatchObject({ code: 'records_too_large' });
  expect(run.steps).toHaveLength(customers.length + 1);
});

test('parses a large event once when many runs wait for one of its type', async () => {
  const filters = [{ path: 'data.object.name', op: 'ne', value: 'Ada' }];
  const wait = { id: 'wait', action: 'wait_for_event', type: 'customer.updated', timeout: 1000, filters };
  const customer = await makeLargeCustomer(flows.api);
  const workflows: Made[] = [];
  while (workflows.length < 20) workflows.push(await flows.active({ steps: [wait] }));
  await flows.make('customers', { name: 'Bob' });
  const haveLooked = async (): Promise<number> => {
    const text = `select from workflow_runs where account_id = $1 and progress::jsonb ->> 'searched' = 'true'`;
    return (await query(server.connection, text, [flows.accountId])).length;
  };
  await expect.poll(haveLooked, { timeout: 60_000 }).toBe(workflows.length);
  const parsing = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parsing.mockRestore());
  await flows.make(`customers/${customer}`, { addresses: [] });
  await flows.make(`customers/${customer}`, { name: 'Eve' });
  for (const workflow of workflows) {
    const [run] = await flows.ended(workflow);
    expect(run.status).toBe('succeeded');
  }
  // The person had 80,000 characters of addresses, which the first event has.
  const large = parsing.mock.calls.filter(([text]) => text.length > 60_000 && text.includes('previous_attributes'));
  expect(large).toHaveLength(1);
});

test('reads a record once when the filters of a waiting run name it many times', async () => {
  const customer = (await flows.make('customers', { name: 'Ada' })).id;
  const change = { ...changeAll, path: `/v1/customers/${customer}` };
  const filters = [{ path: 'data.object.email', op: 'eq', value: '{{steps.change.output.0.name}}@example.com' }];
  const wait = { id: 'wait', action: 'wait_for_event', type: 'customer.updated', timeout: 1000, filters };
  const workflow = await flows.active({ trigger, permissions, steps: [change, wait] });
  await flows.make('applications', { customers: Array.from({ length: 40 }, (_, number) => `person_${number}`) });
  await flows.until(workflow, ([run]) => run?.status === 'waiting');
  const parsing = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parsing.mockRestore());
  await makeLarge(flows.api, customer);
  await flows.make(`customers/${customer}`, { email: 'Ada@example.com' });
  const [run] = await flows.ended(workflow);
  expect(run.status).toBe('succeeded');
  const large = parsing.mock.calls.filter(([text]) => text.length > 60_000);
  // One look at the run parsed the person forty times.
  expect(large.length).toBeLessThan(40);
});

test('fails a waiting run when the records that its filters name grow beyond eight megabytes', async () => {
  const customers: string[] = [];
  while (customers.length < 35) customers.push((await flows.make('customers', { name: 'Ada' })).id);
  const filters = [{ path: 'data.object.name', op: 'eq', value: '{{steps.change.output.0.id}}' }];
  const wait = { id: 'wait', action: 'wait_for_event', type: 'customer.updated', timeout: 1000, filters };
  const workflow = await flows.active({ trigger, permissions, steps: [changeAll, wait] });
  await flows.make('applications', { customers });
  await flows.until(workflow, ([run]) => run?.status === 'waiting');
  for (const customer of customers) await makeLarge(flows.api, customer);
  const [run] = await flows.ended(workflow);
  expect(run.steps.at(-1).error).toMatchObject({ code: 'records_too_large' });
});

test('looks for the earlier events of two runs at once when many begin to wait', async () => {
  const wait = { id: 'wait', action: 'wait_for_event', type: 'customer.updated', timeout: 1000 };
  const workflows: Made[] = [];
  while (workflows.length < 8) workflows.push(await flows.active({ steps: [wait] }));
  const ask = Reader.prototype.query;
  let looks = 0;
  let underWay = 0;
  let most = 0;
  const asking = vi.spyOn(Reader.prototype, 'query').mockImplementation(async function (this: Reader, statement) {
    if (statement.name !== 'read_events_since_step') return ask.call(this, statement);
    looks++;
    most = Math.max(most, ++underWay);
    // Every run of the account can begin to look within this time.
    await delay(100);
    underWay--;
    return ask.call(this, statement);
  });
  onTestFinished(() => asking.mockRestore());
  await flows.make('customers', { name: 'Ada' });
  await expect.poll(() => looks, { timeout: 60_000 }).toBe(workflows.length);
  expect(most).toBeLessThanOrEqual(2);
});

/** Returns metadata that PostgreSQL cannot compress. */
function incompressible(): object {
  return Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`note ${at}`, randomBytes(240).toString('hex')]));
}

/** Returns the bytes of all runs on the disk. */
async function sizeOfRuns(): Promise<number> {
  const rows = await query(server.connection, `select pg_table_size('workflow_runs') as bytes`, []);
  return Number((rows as { bytes: string }[])[0]!.bytes);
}

test('writes and lists no copy of the workflow again when the steps of a run change it', async () => {
  const steps = Array.from({ length: 16 }, (_, at) => ({
    id: `make_${at}`,
    action: 'api',
    path: '/v1/customers',
    body: { name: 'Ada', metadata: incompressible() },
  }));
  const workflow = await flows.active({ trigger, permissions, steps });
  const before = await sizeOfRuns();
  await flows.make('applications', { customers: [] });
  const [run] = await flows.ended(workflow);
  expect(run.status).toBe('succeeded');
  // The copy has a quarter of a megabyte.
  expect((await sizeOfRuns()) - before).toBeLessThan(megabyte);

  const ask = Reader.prototype.query;
  let bytes = 0;
  const asking = vi.spyOn(Reader.prototype, 'query').mockImplementation(async function (this: Reader, statement) {
    const rows = await ask.call(this, statement);
    if (statement.text.includes('from workflow_runs')) bytes += JSON.stringify(rows).length;
    return rows;
  });
  onTestFinished(() => asking.mockRestore());
  expect(await flows.runs(`&workflow=${workflow.id}`)).toHaveLength(1);
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThan(16_000);
});

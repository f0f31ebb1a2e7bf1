import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { changeAsSystem } from '../../src/commit/change-as-system.ts';
import { KeyedMutex } from '../../src/commit/keyed-mutex.ts';
import type { Id } from '../../src/core/ids.ts';
import { Reader } from '../../src/db/reader.ts';
import { application } from '../../src/resources/letting/application/index.ts';
import { Agency, startLetting } from '../letting/agency.ts';
import { refusals } from '../support/refusals.ts';
import { good, type TestServer } from '../support/server.ts';
import { waitMs } from '../support/wait.ts';

let server: TestServer;
let agency: Agency;
const customers: string[] = [];

beforeAll(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
  const text = 'ā'.repeat(480);
  const address = { line1: text, line2: text, city: text, postal_code: text, country: 'GB' };
  const addresses = Array.from({ length: 50 }, () => address);
  for (let number = 1; number <= 17; number++)
    customers.push((await agency.make('customers', { name: `Ada ${number}`, addresses })).id);
});
afterAll(() => server.stop());

/** Does some work, and returns the most bytes that changes held meanwhile. */
async function heldDuring(work: Promise<unknown>): Promise<number> {
  const { bytes } = server.context.committer;
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, bytes.held)), 1);
  await work.finally(() => clearInterval(timer));
  return most;
}

test('counts the persons that a decision reads when they are large', async () => {
  expect(await heldDuring(agency.make('applications', { customers }))).toBeGreaterThan(2_000_000);
  expect(server.context.committer.bytes.held).toBe(0);
});

test('counts the persons that a change of the server reads when they are large', async () => {
  const { id } = await agency.make('applications', { customers });
  const { context } = server;
  let held = 0;
  await changeAsSystem(
    context,
    application,
    { account_id: agency.accountId, id: id as Id },
    { reads: ['customers'] },
    (_, related) => {
      expect(related.all('customers')).toHaveLength(customers.length);
      held = context.committer.bytes.held;
      return null;
    },
  );
  expect(held).toBeGreaterThan(2_000_000);
  expect(context.committer.bytes.held).toBe(0);
});

test('makes a decision again, and executes each request, when many read more than there is room for', async () => {
  const made = Promise.all(Array.from({ length: 8 }, () => agency.make('applications', { customers })));
  const most = await heldDuring(made);
  expect(most).toBeLessThan(2 * server.context.committer.bytes.maxPerAccount);
  expect(new Set((await made).map(({ id }) => id)).size).toBe(8);
  expect(server.context.committer.bytes.held).toBe(0);
});

test('writes a change of the server when it waited long for room', async () => {
  const { id } = await agency.make('applications', { customers });
  const { context } = server;
  const { bytes } = context.committer;
  const most = bytes.add('others', 48 * 1024 * 1024);
  onTestFinished(() => most.release());
  const ref = { account_id: agency.accountId, id: id as Id };
  let decisions = 0;
  const written = changeAsSystem(context, application, ref, { reads: ['customers'] }, () => {
    decisions++;
    return null;
  });
  await vi.waitFor(() => expect(bytes.waiting).toBe(1), { timeout: waitMs });
  const nowMs = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => nowMs() + 60_000);
  onTestFinished(() => later.mockRestore());
  // This much admits the decision, but not the persons that it reads.
  expect(most.resize(48 * 1024 * 1024 - 300_000)).toBe(true);
  await vi.waitFor(() => expect(bytes.waiting).toBe(1), { timeout: waitMs });
  most.release();
  await written;
  expect(decisions).toBe(1);
});

test('refuses an update when earlier ones of its record took half a minute', async () => {
  const { bytes } = server.context.committer;
  const path = `/v1/customers/${customers[0]!}`;
  const most = bytes.add('others', 48 * 1024 * 1024);
  onTestFinished(() => most.release());
  const queue = vi.spyOn(KeyedMutex.prototype, 'run');
  onTestFinished(() => queue.mockRestore());
  const first = agency.api.post(path, { name: 'Ada First' });
  await vi.waitFor(() => expect(bytes.waiting).toBe(1), { timeout: waitMs });
  const second = agency.api.post(path, { name: 'Ada Second' });
  await vi.waitFor(() => expect(queue).toHaveBeenCalledTimes(2), { timeout: waitMs });
  const nowMs = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => nowMs() + 30_001);
  onTestFinished(() => later.mockRestore());
  most.release();
  await good(first);
  const refused = await second;
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limit' } } });
  expect(refused.body.error.message).toContain('changes of the same record');
  expect((await agency.get('customers', customers[0]!)).name).toBe('Ada First');
});

test('reads many records in a few queries when they are small', async () => {
  const payment = { tenancy: await owingTenancy(120), amount: 1, method: 'cash' };
  const queries = vi.spyOn(Reader.prototype, 'query');
  onTestFinished(() => queries.mockRestore());
  await good(agency.api.post('/v1/payments', payment));
  const reads = queries.mock.calls.filter(([{ name }]) => name === 'read_invoices' || name === 'read_sized_invoices');
  expect(reads.flatMap(([{ values }]) => values[1]).length).toBeGreaterThanOrEqual(120);
  expect(reads.length).toBeLessThan(15);
});

test('reads nothing more when a read fails', async () => {
  const payment = { tenancy: await owingTenancy(40), amount: 1, method: 'cash' };
  const blocker = await server.context.database.readers.connect();
  onTestFinished(() => blocker.release(true));
  await blocker.query('begin');
  await blocker.query('lock table invoices in access exclusive mode');
  const queries = vi.spyOn(Reader.prototype, 'query');
  onTestFinished(() => queries.mockRestore());
  const open = new Set<unknown>();
  const sent = agency.api.post('/v1/payments', payment).finally(() => open.clear());
  open.add(sent);
  while (open.size > 0)
    await blocker.query(
      'select pg_cancel_backend(pid) from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())',
    );
  expect((await sent).body.error.code).toBe('unavailable');
  expect((await sent).status).toBe(refusals.unavailable.status);
  expect(queries.mock.calls.filter(([{ name }]) => name === 'read_invoices')).toHaveLength(1);
  await blocker.query('rollback');
  await good(agency.api.post('/v1/payments', payment));
  expect(server.context.committer.bytes.held).toBe(0);
});

/** Returns the id of a tenancy with so many open invoices. */
async function owingTenancy(count: number): Promise<string> {
  const { id: tenancy } = await agency.signed((await agency.unit()).id);
  const lines = [{ type: 'rent', amount: 10_000, description: 'Rent' }];
  const invoice = { tenancy, lines, due_on: '2027-06-01', finalize: true };
  for (let made = 0; made < count; made++) await agency.make('invoices', invoice);
  return tenancy;
}

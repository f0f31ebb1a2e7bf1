import { expect, onTestFinished, test } from 'vitest';
import { providers } from '../../src/core/vocabulary/providers.ts';
import { startWork } from '../../src/server/worker.ts';
import { good, serverForTest, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { tablesWith } from '../support/tables.ts';
import { quickServerForTest, refer, referenceNow, untilReference } from './scenario.ts';
import { giveCredentials, vendorForTest, type TestVendor } from './vendor.ts';

/*
 * Deletes customers during a check of a provider. The tests search for words that occur nowhere else. A printed report is compressed, so no
 * byte of a report may be left.
 */

const words = ['Zebedee', 'zebedee@', '07700900123', '1988-07-06', 'Quokka'];

const person = {
  name: 'Zebedee Brown',
  email: 'zebedee@example.com',
  phone: '07700900123',
  date_of_birth: '1988-07-06',
  addresses: [{ line1: '1 Quokka Street', city: 'Leeds', postal_code: 'LS1 4AP', country: 'GB' }],
};

async function personBy(api: Api): Promise<string> {
  return (await good(api.post('/v1/customers', person))).body.id;
}

/** Checks that no table has a word about the person or a byte of their report. */
async function expectErased(server: TestServer): Promise<void> {
  for (const word of words) expect(await tablesWith(server, word), word).toEqual([]);
  for (const table of ['files', 'file_parts', 'file_uploads']) {
    // A report that arrives after the erasure is removed a moment later, so poll.
    const rowsIn = () => server.context.database.readers.query(`select from ${table}`);
    await expect.poll(async () => (await rowsIn()).rowCount, { message: table }).toBe(0);
  }
}

const erased = { status: 'canceled', deleted: true, outcome: null, reference_pdf: null };

test.each(providers)(
  'cancels the reference, stops the service and erases everything when a customer is deleted while %s checks them',
  async (provider) => {
    const server = await quickServerForTest();
    const { api } = server;
    const customer = await personBy(api);
    const { id } = await refer(api, { provider, customer, simulate: 'stuck' });
    await untilReference(api, id, { status: 'processing' });
    // A test helper's body has personal data too.
    await good(api.post(`/v1/test_helpers/references/${id}/note`, { message: 'Wombat' }));
    expect((await tablesWith(server, 'Zebedee')).length).toBeGreaterThan(0);
    await good(api.delete(`/v1/customers/${customer}`));
    expect(await referenceNow(api, id)).toMatchObject(erased);
    await expect.poll(() => isStoppedAtService(server, id)).toBe(true);
    await expectErased(server);
    expect(await tablesWith(server, 'Wombat')).not.toContain('request_logs');
  },
);

test('issues no report, and keeps no reason, when a customer is deleted before the report about a decision', async () => {
  const server = await serverForTest();
  const { api } = server;
  const customer = await personBy(api);
  const { id } = await refer(api, { automatic_reference: null, customer });
  await good(api.post(`/v1/references/${id}`, { outcome: 'accept', reason: 'Zebedee earns enough.' }));
  await good(api.delete(`/v1/customers/${customer}`));
  const work = await startWork(server.context);
  onTestFinished(() => work.stop());
  const jobs = () => server.context.database.readers.query('select from graphile_worker._private_jobs');
  await expect.poll(async () => (await jobs()).rowCount).toBe(0);
  expect(await referenceNow(api, id)).toMatchObject({ deleted: true, outcome: 'accept', reference_pdf: null });
  await expectErased(server);
});

test('orders nothing when a customer is deleted before the order', async () => {
  const { server, api, vendor } = await withVendor();
  // A busy machine may take longer than the pause before the next call.
  vendor.answers.push(...Array.from({ length: 9 }, () => ({ status: 503 })));
  const customer = await personBy(api);
  const { id } = await refer(api, { customer });
  await untilReference(api, id, { automatic_reference: { last_error: expect.any(String) } });
  await good(api.delete(`/v1/customers/${customer}`));
  vendor.answers.length = 0;
  await good(api.post('/v1/test_helpers/clock/advance', { seconds: 60 }));
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  expect(vendor.orders.size).toBe(0);
  expect(await referenceNow(api, id)).toMatchObject(erased);
  await expectErased(server);
});

test('stops the order as soon as it is known when a customer is deleted while it is being made', async () => {
  const { server, api, vendor } = await withVendor();
  vendor.hold('order');
  const customer = await personBy(api);
  const { id } = await refer(api, { customer });
  await expect.poll(() => vendor.held).toBe(1);
  await good(api.delete(`/v1/customers/${customer}`));
  vendor.release();
  await expect.poll(() => isToldToStop(vendor, id)).toBe(true);
  expect(await referenceNow(api, id)).toMatchObject(erased);
  await expectErased(server);
});

test('stores no report when a customer is deleted while the findings are fetched', async () => {
  const { server, api, vendor } = await withVendor();
  vendor.stage = 'DONE';
  vendor.hold('report');
  const customer = await personBy(api);
  const { id } = await refer(api, { customer });
  await expect.poll(() => vendor.held).toBe(1);
  await good(api.delete(`/v1/customers/${customer}`));
  vendor.release();
  await expect.poll(() => isToldToStop(vendor, id)).toBe(true);
  expect(await referenceNow(api, id)).toMatchObject(erased);
  await expectErased(server);
});

test('stores no report when a customer is deleted while the report is being stored', async () => {
  let erase: (() => Promise<void>) | null = null;
  const vendor = await vendorForTest();
  const server = await serverForTest({
    settings: { TENURE_PROVIDER_A_URL: vendor.url },
    works: true,
    changeContext(context) {
      const addPart = context.fileStore.addPart.bind(context.fileStore);
      const fileStore = Object.assign(context.fileStore, {
        async addPart(...part: Parameters<typeof addPart>) {
          await addPart(...part);
          await erase?.();
        },
      });
      return { ...context, fileStore };
    },
  });
  const { api } = server;
  await giveCredentials(api);
  vendor.stage = 'DONE';
  const customer = await personBy(api);
  let deleted: ApiResponse | null = null;
  erase = async () => {
    deleted ??= await api.delete(`/v1/customers/${customer}`);
  };
  const { id } = await refer(api, { customer });
  await expect.poll(() => isToldToStop(vendor, id)).toBe(true);
  expect(deleted!.status).toBe(200);
  expect(await referenceNow(api, id)).toMatchObject(erased);
  await expectErased(server);
});

test('erases the report and asks the service no more when a customer is deleted after the check', async () => {
  const { server, api, vendor } = await withVendor();
  vendor.stage = 'DONE';
  const customer = await personBy(api);
  const { id } = await refer(api, { customer });
  const ended = await untilReference(api, id, { status: 'complete' });
  const calls = vendor.calls.length;
  await good(api.delete(`/v1/customers/${customer}`));
  expect((await api.get(`/v1/files/${ended.reference_pdf}`)).status).toBe(404);
  // The outcome concerns the application, and stays.
  expect(await referenceNow(api, id)).toMatchObject({ status: 'complete', deleted: true, outcome: 'accept' });
  await expectErased(server);
  expect(vendor.calls).toHaveLength(calls);
});

async function withVendor(): Promise<{ server: TestServer; api: Api; vendor: TestVendor }> {
  const vendor = await vendorForTest();
  const server = await quickServerForTest({ TENURE_PROVIDER_A_URL: vendor.url });
  await giveCredentials(server.api);
  // Release the responses that the vendor still holds back.
  onTestFinished(() => vendor.release());
  return { server, api: server.api, vendor };
}

function isToldToStop(vendor: TestVendor, id: string): boolean {
  return vendor.calls.some(({ kind, reference }) => kind === 'cancel' && reference === id);
}

async function isStoppedAtService({ context }: TestServer, reference: string): Promise<boolean> {
  const { rows } = await context.database.readers.query<{ canceled_at_ms: number | null }>(
    'select canceled_at_ms from simulated_orders where reference = $1',
    [reference],
  );
  return rows[0]!.canceled_at_ms !== null;
}

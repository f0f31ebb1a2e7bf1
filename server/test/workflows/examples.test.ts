import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Agency, lettingClock } from '../letting/agency.ts';
import { receiverForTest, type Receiver } from '../support/receiver.ts';
import { good, startTestServer, type TestServer } from '../support/server.ts';
import { Flows, type Made, type Written } from './flows.ts';

/* Each ready workflow of `examples/workflows/` is created, and plays one run. */

const folder = join(import.meta.dirname, '../../../examples/workflows');
const files = globSync('*.json', { cwd: folder }).toSorted();

let server: TestServer;
let flows: Flows;
let agency: Agency;
let receiver: Receiver;

beforeAll(async () => {
  server = await startTestServer({ works: true, overrides: { clock: lettingClock() } });
});

afterAll(() => server.stop());

beforeEach(async () => {
  flows = await Flows.on(server);
  agency = new Agency(flows.accountId, flows.api);
  receiver = await receiverForTest();
});

/** Begins a run of each workflow, and checks its effect. */
const plays: Record<string, { begin: () => Promise<unknown>; check: (run: Made) => Promise<void> }> = {
  'check-applicants.json': {
    begin: () => flows.make('applications', { customers: ['cus_1', 'cus_2'] }),
    check: async () => expect((await good(flows.api.get('/v1/references'))).body.count).toBe(2),
  },
  'ask-for-decision.json': {
    async begin() {
      const { id: application } = await flows.make('applications', { customers: ['cus_1'] });
      const { id } = await flows.make('references', { application });
      await good(flows.api.post(`/v1/references/${id}`, { outcome: 'accept' }));
      const request = async (): Promise<Made> =>
        (await good(flows.api.get('/v1/approval_requests?status=pending'))).body.data[0];
      await expect.poll(request, { interval: 20 }).toBeDefined();
      await good(flows.api.post(`/v1/test_helpers/approval_requests/${(await request()).id}/approve`));
    },
    async check(run) {
      const { body } = await good(flows.api.get(`/v1/applications/${run.steps[0].output.id}`));
      expect(body).toMatchObject({ status: 'approved', decision: { automated: false } });
    },
  },
  'remind-applicants.json': {
    async begin() {
      const { id: customer } = await flows.make('customers', { name: 'Ada', email: 'ada@example.org' });
      const { id: application } = await flows.make('applications', { customers: [customer] });
      await flows.make('references', { application, customer });
      await expect.poll(async () => (await flows.runs('&status=waiting')).length, { interval: 20 }).toBe(1);
      await good(flows.api.post('/v1/test_helpers/clock/advance', { seconds: 4 * 86_400 }));
    },
    check: async () => expect((await emails())[0]).toMatchObject({ subject: 'Your check is not complete yet' }),
  },
  'report-checks.json': {
    async begin() {
      const { id } = await flows.make('references', { application: 'app_1' });
      await good(flows.api.post(`/v1/references/${id}`, { outcome: 'high_risk' }));
    },
    check: async () => expect(receiver.received[0]!.body.text).toContain('has the outcome high_risk'),
  },
  'welcome-tenants.json': {
    begin: signTenancy,
    check: async () => expect((await emails())[0]).toMatchObject({ subject: 'Your new home' }),
  },
  'begin-rent.json': {
    begin: signTenancy,
    async check(run) {
      const made = await good(flows.api.get(`/v1/subscriptions/${run.steps[0].output.id}`));
      expect(made.body).toMatchObject({ type: 'rent', amount: 95_000 });
    },
  },
  'announce-invoices.json': {
    async begin() {
      const tenancy = await signTenancy();
      const lines = [{ type: 'rent', description: 'Rent', amount: 90_000 }];
      await flows.make('invoices', { tenancy: tenancy.id, lines, due_on: '2027-02-01', finalize: true });
    },
    check: async () => expect((await emails())[0]).toMatchObject({ subject: 'Invoice INV-000001' }),
  },
  'remind-of-decisions.json': {
    async begin() {
      await flows.make('applications', { customers: ['cus_1'] });
      await expect.poll(async () => (await flows.runs('&status=waiting')).length, { interval: 20 }).toBe(1);
      await good(flows.api.post('/v1/test_helpers/clock/advance', { seconds: 4 * 86_400 }));
    },
    check: async () => expect(receiver.received[0]!.body.text).toContain('has waited for three days'),
  },
};

async function signTenancy(): Promise<Made> {
  const tenant = await flows.make('customers', { name: 'Ada', email: 'ada@example.org' });
  return agency.signed((await agency.unit()).id, { customers: [tenant.id] });
}

async function emails(): Promise<Made[]> {
  return (await good(flows.api.get('/v1/test_helpers/emails'))).body.data;
}

test('has a play for each ready workflow', () => {
  expect(Object.keys(plays).toSorted()).toEqual(files);
});

test.each(files)('plays one run when the workflow is that of %s', async (file) => {
  const text = readFileSync(join(folder, basename(file)), 'utf8');
  const written = JSON.parse(text.replaceAll('https://example.com/hooks/chat', receiver.url)) as Written;
  const workflow = await flows.active(written);
  const { begin, check } = plays[file]!;
  await begin();
  const [run] = await flows.ended(workflow);
  expect(run, JSON.stringify(run)).toMatchObject({ status: 'succeeded' });
  await check(run);
});

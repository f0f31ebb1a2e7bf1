import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compactCounts } from '../../src/maintenance/compact-counts.ts';
import { dutiesLockKey } from '../../src/db/advisory-locks.ts';
import { withClient } from '../../src/db/pools.ts';
import { allOf } from '../support/paging.ts';
import { apiClient, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount, type Tenant } from '../support/tenants.ts';

/** Two processes of one deployment, as the database sees them. */
let one: TestServer;
let two: TestServer;

beforeAll(async () => {
  one = await startTestServer();
  two = await startTestServer({ connection: one.connection, secretKey: one.secretKey });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

describe('simultaneous updates of one reference', () => {
  test.each([
    ['on one server', 50, () => [one]],
    ['on two servers', 240, () => [one, two]],
  ])(
    'loses no update, and begins each where another ended, when many arrive at once: %s',
    async (_case, count, servers) => {
      const id = await createReference(one.api);
      const answers = await Promise.all(
        range(count).map((index) => {
          const { api } = servers()[index % servers().length]!;
          return api.post(`/v1/references/${id}`, { metadata: { [`key${index % 50}`]: String(index) } });
        }),
      );

      expect(tally(answers)).toEqual({ 200: count });
      answers.forEach(({ body }, index) => expect(body.metadata[`key${index % 50}`]).toBe(String(index)));
      const chain = await historyOf(id);
      expectLinked(chain);
      expect(chain.map(({ type }) => type)).toEqual([
        'reference.created',
        ...range(count).map(() => 'reference.updated'),
      ]);
      const causes = chain.slice(1).map(({ request }) => request.id);
      expect(new Set(causes)).toEqual(new Set(answers.map(({ headers }) => headers.get('request-id'))));
      expect(chain.at(-1).data.object).toStrictEqual((await one.api.get(`/v1/references/${id}`)).body);
      expect(await revisionOf(id)).toBe(count + 1);
    },
  );

  test('returns the record after each update when many arrive at once', async () => {
    const id = await createReference(one.api);
    const answers = await Promise.all(
      range(40).map((index) =>
        [one, two][index % 2]!.api.post(`/v1/references/${id}`, { reference_pdf: `file_${index}` }),
      ),
    );
    const objects = new Map((await historyOf(id)).map(({ request, data }) => [request.id, data.object]));
    for (const { headers, body } of answers) expect(body).toStrictEqual(objects.get(headers.get('request-id')));
  });

  test('completes a reference once when equal outcomes arrive at once', async () => {
    const id = await createReference(one.api);
    const answers = await Promise.all(
      range(20).map((index) => [one, two][index % 2]!.api.post(`/v1/references/${id}`, { outcome: 'accept' })),
    );
    expect(tally(answers)).toEqual({ 200: 20 });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await historyOf(id)).map(({ type }) => type)).toEqual([
      'reference.created',
      'reference.updated',
      'reference.completed',
    ]);
  });
});

describe('simultaneous outcome and cancellation', () => {
  test.each([
    ['on one server', () => [one, one]],
    ['on two servers', () => [one, two]],
  ])(
    'executes the first of an outcome and a cancellation and refuses the second when both arrive at once: %s',
    async (_case, servers) => {
      const [left, right] = servers() as [TestServer, TestServer];
      for (const round of range(20)) {
        const id = await createReference(one.api);
        const finish = () => left.api.post(`/v1/references/${id}`, { outcome: 'accept' });
        const cancel = () => right.api.post(`/v1/references/${id}/cancel`);
        // The first request sent has a small head start.
        const [finished, canceled] =
          round % 2 === 0
            ? await Promise.all([finish(), cancel()])
            : (await Promise.all([cancel(), finish()])).toReversed();

        const completed = finished!.status === 200;
        expect([finished!.status, canceled!.status]).toEqual(completed ? [200, 400] : [400, 200]);
        expect((completed ? canceled : finished)!.body.error.code).toBe('status_transition_invalid');
        const { body } = await right.api.get(`/v1/references/${id}`);
        expect(body).toStrictEqual((completed ? finished : canceled)!.body);
        expect(body.status).toBe(completed ? 'complete' : 'canceled');
        const history = await historyOf(id);
        expectLinked(history);
        expect(history.map(({ type }) => type)).toEqual([
          'reference.created',
          'reference.updated',
          completed ? 'reference.completed' : 'reference.canceled',
        ]);
      }
    },
  );
});

describe('counts of records', () => {
  test('counts exactly when many servers create records at once', async () => {
    const { tenant, apis } = await tenantOnBoth();
    const answers = await Promise.all(
      range(100).map((index) => apis[index % 2]!.post('/v1/references', { application: 'app_1' })),
    );
    expect(tally(answers)).toEqual({ 200: 100 });
    for (const api of apis) {
      expect((await api.get('/v1/references')).body.count).toBe(100);
      expect((await api.get('/v1/references?status=pending')).body.count).toBe(100);
      expect((await api.get('/v1/references?status=complete')).body.count).toBe(0);
      expect((await api.get('/v1/events?type=reference.created')).body.count).toBe(100);
    }
    expect(new Set((await allOf(tenant.api, '/v1/references')).map(({ id }) => id)).size).toBe(100);
  });

  test("counts records of the page's own moment when a second server writes and a third folds counts", async () => {
    const { tenant, apis } = await tenantOnBoth();
    const [reading, writing] = apis as [Api, Api];
    const untilWritten = whileRunning(writeBriskly(writing));
    const pages = untilWritten(async () => {
      // At most one page matches, so the page itself shows the number.
      for (const path of [
        '/v1/references',
        '/v1/references?status=pending',
        '/v1/references?status=complete',
        '/v1/references?outcome=accept',
      ]) {
        const { body } = await reading.get(`${path}${path.includes('?') ? '&' : '?'}limit=50`);
        expect([path, body.count]).toEqual([path, body.data.length]);
      }
    });
    const folds = untilWritten(
      async () => void (await compactCounts(two.context.database.readers, [tenant.accountId])),
    );
    const rounds = await pages;
    await folds;
    expect(rounds).toBeGreaterThan(0);
    expect((await reading.get('/v1/references?status=complete')).body.count).toBe(20);
  });

  test('keeps every count when several processes fold counts at once', async () => {
    const { tenant, apis } = await tenantOnBoth();
    await writeBriskly(apis[0]!);
    const before = await countsOf(tenant.api);
    expect(before).toEqual({
      '/v1/references': 40,
      '/v1/references?status=pending': 20,
      '/v1/references?status=complete': 20,
      '/v1/references?outcome=accept': 20,
      '/v1/references?outcome=consider': 0,
      '/v1/references?type=customer': 40,
      '/v1/events': 80,
      '/v1/events?type=reference.*': 80,
      '/v1/events?type=reference.completed': 20,
    });
    const rowsBefore = await countRows(tenant);
    await Promise.all(
      range(6).map((index) => compactCounts([one, two][index % 2]!.context.database.readers, [tenant.accountId])),
    );
    expect(await countsOf(tenant.api)).toEqual(before);
    const rowsAfter = await countRows(tenant);
    expect(rowsBefore.rows).toBeGreaterThan(rowsAfter.rows);
    expect(rowsAfter).toEqual({ rows: rowsBefore.values, values: rowsBefore.values });
  });

  test('folds counts in one process only when a second tries meanwhile, which reports that it did nothing', async () => {
    const { accountId, api } = await addAccount(one);
    for (const _ of range(3)) await createReference(api);
    const rowsBefore = await countRows({ accountId });
    await withClient(one.connection, async (client) => {
      await client.query('select pg_advisory_lock($1)', [dutiesLockKey]);
      expect(await compactCounts(one.context.database.readers, [accountId])).toBe(false);
      expect(await countRows({ accountId })).toEqual(rowsBefore);
    });
    await expect.poll(() => compactCounts(one.context.database.readers, [accountId])).toBe(true);
    expect((await countRows({ accountId })).rows).toBe(rowsBefore.values);
  });

  test("leaves other accounts' counts unchanged when an account's are folded", async () => {
    const [folded, other] = [await addAccount(one), await addAccount(one)];
    for (const { api } of [folded, other]) for (const _ of range(3)) await createReference(api);
    const rowsBefore = await countRows(other);
    expect(await compactCounts(one.context.database.readers, [folded.accountId])).toBe(true);
    expect(await countRows(other)).toEqual(rowsBefore);
    expect((await folded.api.get('/v1/references')).body.count).toBe(3);
  });
});

/** Makes 40 references and completes 20. They pass through more than one status, so counts go down as well as up. */
async function writeBriskly(api: Api): Promise<void> {
  for (const _ of range(10)) {
    const ids = await Promise.all(range(4).map(() => createReference(api)));
    await Promise.all(ids.slice(0, 2).map((id) => api.post(`/v1/references/${id}`, { outcome: 'accept' })));
  }
}

/** Returns a function that repeats an action until `work` is done, and returns how often it did. */
function whileRunning(work: Promise<void>): (repeat: () => Promise<void>) => Promise<number> {
  const state = { running: true };
  const done = work.finally(() => (state.running = false));
  return async (repeat) => {
    let times = 0;
    for (; state.running; times++) await repeat();
    await done;
    return times;
  };
}

async function countsOf(api: Api): Promise<Record<string, number>> {
  const paths = [
    ...['', '?status=pending', '?status=complete', '?outcome=accept', '?outcome=consider', '?type=customer'].map(
      (query) => `/v1/references${query}`,
    ),
    ...['', '?type=reference.*', '?type=reference.completed'].map((query) => `/v1/events${query}`),
  ];
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, (await api.get(path)).body.count] as const)),
  );
}

/** Returns the number of rows that hold an account's counts, and the number of counts. */
async function countRows({ accountId }: Pick<Tenant, 'accountId'>): Promise<{ rows: number; values: number }> {
  const { rows } = await one.context.database.readers.query<{ rows: number; values: number }>(
    'select count(*) as rows, count(distinct (object, dimension, value)) as values from count_deltas where account_id = $1',
    [accountId],
  );
  return rows[0]!;
}

/** Creates an account, with a client for each server. */
async function tenantOnBoth(): Promise<{ tenant: Tenant; apis: Api[] }> {
  const tenant = await addAccount(one);
  return { tenant, apis: [tenant.api, apiClient(two.url, tenant.key)] };
}

async function createReference(api: Api): Promise<string> {
  const { status, body, text } = await api.post('/v1/references', { application: 'app_1' });
  expect(status, text).toBe(200);
  return body.id;
}

/** Returns the events of one reference in stream order: the later of two changes comes later. */
async function historyOf(id: string): Promise<ApiResponse['body'][]> {
  const { rows } = await one.context.database.readers.query<{ type: string; data: string; request: string }>(
    'select type, data, request from events where object_id = $1 order by epoch, transaction_id, ordinal',
    [id],
  );
  return rows.map(({ type, data, request }) => ({ type, data: JSON.parse(data), request: JSON.parse(request) }));
}

/** Checks that each `updated` event, reverted, gives the record of the event before it. */
function expectLinked(history: ApiResponse['body'][]): void {
  history.forEach(({ type, data }, index) => {
    const before = history[index - 1]?.data.object;
    if (type === 'reference.created') expect(index).toBe(0);
    else if (type === 'reference.updated')
      expect(takenBack(data.object, data.previous_attributes)).toStrictEqual(before);
    else expect(data.object).toStrictEqual(before);
  });
}

function takenBack(object: Record<string, unknown>, previous: Record<string, unknown>): object {
  const { metadata, ...others } = previous;
  const pairs = { ...(object.metadata as object), ...(metadata as object | undefined) };
  // A pair that did not exist before is shown as null.
  return {
    ...object,
    ...others,
    metadata: Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== null)),
  };
}

async function revisionOf(id: string): Promise<number> {
  const { rows } = await one.context.database.readers.query<{ revision: number }>(
    'select revision from tenant_references where id = $1',
    [id],
  );
  return rows[0]!.revision;
}

/** Counts the responses by status. */
function tally(answers: ApiResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

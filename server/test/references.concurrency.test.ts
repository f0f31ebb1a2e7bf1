import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compactCounts } from '../src/maintenance/compact-counts.ts';
import { dutiesLockKey } from '../src/db/advisory-locks.ts';
import { withClient } from '../src/db/pools.ts';
import { allOf } from './support/paging.ts';
import { apiClient, startTestServer, type Api, type ApiResponse, type TestServer } from './support/server.ts';
import { addAccount, type Tenant } from './support/tenants.ts';

/** Two processes of one deployment, as far as the database can tell. */
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

describe('many updates of one reference at once', () => {
  test.each([
    ['on one server', 50, () => [one]],
    ['on two servers', 240, () => [one, two]],
  ])('are none of them lost, and each begins where another ended: %s', async (_case, count, servers) => {
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
  });

  test('answer each with the record as it was after it', async () => {
    const id = await createReference(one.api);
    const answers = await Promise.all(
      range(40).map((index) =>
        [one, two][index % 2]!.api.post(`/v1/references/${id}`, { reference_pdf: `file_${index}` }),
      ),
    );
    const objects = new Map((await historyOf(id)).map(({ request, data }) => [request.id, data.object]));
    for (const { headers, body } of answers) expect(body).toStrictEqual(objects.get(headers.get('request-id')));
  });

  test('to the same outcome complete it once', async () => {
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

describe('an outcome and a cancellation at once', () => {
  test.each([
    ['on one server', () => [one, one]],
    ['on two servers', () => [one, two]],
  ])('have one order: the first is carried out, the second is told so: %s', async (_case, servers) => {
    const [left, right] = servers() as [TestServer, TestServer];
    for (const round of range(20)) {
      const id = await createReference(one.api);
      const finish = () => left.api.post(`/v1/references/${id}`, { outcome: 'accept' });
      const cancel = () => right.api.post(`/v1/references/${id}/cancel`);
      // Whoever is sent first has a small start.
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
  });
});

describe('counts', () => {
  test('are exact after many servers have created at once', async () => {
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

  test('are of the same moment as the page, while another server writes and a third folds', async () => {
    const { tenant, apis } = await tenantOnBoth();
    const [reading, writing] = apis as [Api, Api];
    const untilWritten = whileRunning(writeBriskly(writing));
    const pages = untilWritten(async () => {
      // No more than one page ever matches, so the page itself tells how many there are.
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
    expect(rounds).toBeGreaterThan(3);
    expect((await reading.get('/v1/references?status=complete')).body.count).toBe(20);
  });

  test('do not change when they are folded, by however many at once', async () => {
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

  test('are folded by one at a time: who comes meanwhile does nothing, and says so', async () => {
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

  test('of other accounts are left alone by a fold', async () => {
    const [folded, other] = [await addAccount(one), await addAccount(one)];
    for (const { api } of [folded, other]) for (const _ of range(3)) await createReference(api);
    const rowsBefore = await countRows(other);
    expect(await compactCounts(one.context.database.readers, [folded.accountId])).toBe(true);
    expect(await countRows(other)).toEqual(rowsBefore);
    expect((await folded.api.get('/v1/references')).body.count).toBe(3);
  });
});

/** 40 references, of which 20 are completed: more than one step each, so that counts go down as well as up. */
async function writeBriskly(api: Api): Promise<void> {
  for (const _ of range(10)) {
    const ids = await Promise.all(range(4).map(() => createReference(api)));
    await Promise.all(ids.slice(0, 2).map((id) => api.post(`/v1/references/${id}`, { outcome: 'accept' })));
  }
}

/** Lets others repeat something until `work` is done; each is told how often. */
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

/** How many rows keep an account's counts, and how many counts there are. */
async function countRows({ accountId }: Pick<Tenant, 'accountId'>): Promise<{ rows: number; values: number }> {
  const { rows } = await one.context.database.readers.query<{ rows: number; values: number }>(
    'select count(*) as rows, count(distinct (object, dimension, value)) as values from count_deltas where account_id = $1',
    [accountId],
  );
  return rows[0]!;
}

/** A new account, by way of each server. */
async function tenantOnBoth(): Promise<{ tenant: Tenant; apis: Api[] }> {
  const tenant = await addAccount(one);
  return { tenant, apis: [tenant.api, apiClient(two.url, tenant.key)] };
}

async function createReference(api: Api): Promise<string> {
  const { status, body, text } = await api.post('/v1/references', { application: 'app_1' });
  expect(status, text).toBe(200);
  return body.id;
}

/** The events of one reference in the order of the event stream: of two changes, the later comes later. */
async function historyOf(id: string): Promise<ApiResponse['body'][]> {
  const { rows } = await one.context.database.readers.query<{ type: string; data: string; request: string }>(
    'select type, data, request from events where object_id = $1 order by epoch, transaction_id, ordinal',
    [id],
  );
  return rows.map(({ type, data, request }) => ({ type, data: JSON.parse(data), request: JSON.parse(request) }));
}

/** Each `updated` event, taken back, gives the record that the event before it left. */
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
  // A pair that was not there before is told as null.
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

/** How many answers have which status. */
function tally(answers: ApiResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { withTraits } from '../../src/model/resource.ts';
import { limited } from '../../src/model/traits/limited.ts';
import { DatabaseError } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Committer } from '../../src/commit/committer.ts';
import type { WriteRequest, Outcome, RequestFacts } from '../../src/commit/write-request.ts';
import { decideCreate, decideUpdate, newRecord } from '../../src/model/change.ts';
import { IdMaker } from '../../src/core/ids.ts';
import { pooledRandomBytes } from '../../src/core/random.ts';
import { openDatabase, withClient } from '../../src/db/pools.ts';
import { readCount } from '../../src/db/list-query.ts';
import { customer, type CustomerRecord } from '../../src/resources/customer.ts';
import { begun, workflowRun, type WorkflowRunRecord } from '../../src/resources/workflows/run.ts';
import { callerAt } from '../support/caller.ts';
import { serverForTest, type TestServer } from '../support/server.ts';

/*
 * Tests the committer by itself, because chance decides about the batches of HTTP requests. A test holds the connections, so that all that
 * it commits meanwhile forms one batch.
 */

const caller = callerAt(1);

describe('batches', () => {
  test('sends a single mutation at once when nothing else waits', async () => {
    const { committer, writers } = await committerForTest();
    let turnOver = false;
    setImmediate(() => (turnOver = true));
    const outcome = committer.commit(create('alone'));
    // Only promises lie between the call and the database: no timer, no turn of the event loop.
    for (let step = 0; step < 50 && writers.totalCount === 0; step++) await Promise.resolve();
    expect(writers.totalCount).toBe(1);
    expect(turnOver).toBe(false);
    expect(await outcome).toMatchObject({ kind: 'committed' });
  });

  test('executes one mutation and reports the other when one batch has the same idempotency key twice', async () => {
    const { committer, together, server } = await committerForTest();
    const outcomes = await together(() => [
      committer.commit(create('first', { key: 'same' })),
      committer.commit(create('second', { key: 'same' })),
      committer.commit(create('third', { key: 'other' })),
    ]);
    const [first, second, third] = outcomes.map(({ kind }) => kind);
    expect(third).toBe('committed');
    // The two go in separate batches at the same time. In most runs the first one arrives first.
    const winner = first === 'committed' ? 'first' : 'second';
    const [won, told] = winner === 'first' ? [first, second] : [second, first];
    expect(won).toBe('committed');
    expect(told).toMatch(/^key_(locked|completed)$/);
    expect(await customerNames(server)).toEqual([winner, 'third']);
  });

  test('refuses a stored key alone and writes the others once when a batch has one', async () => {
    const { committer, together, server } = await committerForTest();
    await committer.commit(create('before', { key: 'stored' }));
    const outcomes = await together(() => [
      committer.commit(create('again', { key: 'stored' })),
      ...['a', 'b', 'c'].map((name) => committer.commit(create(name, { key: name }))),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['key_completed', 'committed', 'committed', 'committed']);
    expect(await customerNames(server)).toEqual(['a', 'b', 'before', 'c']);
    expect(await eventCount(server, 'customer.created')).toBe(4);
  });

  test('reports a key as locked without a wait when another process is committing it', async () => {
    const { committer, server } = await committerForTest();
    await withClient(server.connection, async (other) => {
      await other.query('begin');
      await other.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', ['acct_a acct_a busy']);
      expect(await committer.commit(create('twin', { key: 'busy' }))).toEqual({ kind: 'key_locked' });
      await other.query('rollback');
    });
    expect(await committer.commit(create('later', { key: 'busy' }))).toMatchObject({ kind: 'committed' });
    expect(await customerNames(server)).toEqual(['later']);
  });

  test('fails one mutation alone when its row is invalid', async () => {
    const { committer, together, server } = await committerForTest();
    const outcomes = await together(() =>
      ['a', 'bad\0', 'c', 'd'].map((name) => committer.commit(create(name, { key: JSON.stringify(name) }))),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'refused', 'committed', 'committed']);
    expect(await customerNames(server)).toEqual(['a', 'c', 'd']);
    const keys = await rows(server, 'select key from idempotency_keys order by key');
    expect(keys.map(({ key }) => key)).toEqual(['"a"', '"c"', '"d"']);
  });

  test('decides the second change on the result of the first when both change one record', async () => {
    const { committer, together, server } = await committerForTest();
    const id = await created(committer, 'Ada');
    const outcomes = await together(() => [
      committer.commit(update(server, id, (name) => `${name} 1`, { locks: [] })),
      committer.commit(update(server, id, (name) => `${name} 2`, { locks: [] })),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'committed']);
    // The change whose read returns first is decided first.
    expect(['Ada 1 2', 'Ada 2 1']).toContain((await customerNames(server)).join());
    expect(await eventCount(server, 'customer.updated')).toBe(2);
  });

  test('decides a mutation again, and not its neighbors, when its record has changed since the read', async () => {
    const { committer, together, server } = await committerForTest();
    const id = await created(committer, 'Ada');
    const decided: string[] = [];
    const outcomes = await together(
      () => [
        committer.commit(update(server, id, (name) => (decided.push(name), `${name}!`))),
        committer.commit(create('neighbour')),
      ],
      () => rows(server, `update customers set name = 'Moved', revision = revision + 1 where id = '${id}'`),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'committed']);
    expect(decided).toEqual(['Ada', 'Moved']);
    expect(await customerNames(server)).toEqual(['Moved!', 'neighbour']);
  });

  test('sends mutations together when they come while a batch is under way', async () => {
    const sizes: number[] = [];
    const observer = {
      pendingIs: () => {},
      sent: (_: string, { entries }: { entries: number }) => void sizes.push(entries),
    };
    const { committer, writers } = await committerForTest({ observer });
    const held = await Promise.all([writers.connect(), writers.connect()]);
    const first = committer.commit(create('a'));
    await expect.poll(() => writers.waitingCount, { interval: 1 }).toBeGreaterThanOrEqual(1);
    // The first of them may be sent alone: on a busy machine, its time to gather is over. Then both connections are taken.
    const others = ['b', 'c', 'd'].map((name) => committer.commit(create(name)));
    await expect.poll(() => writers.waitingCount, { interval: 1 }).toBeGreaterThanOrEqual(2);
    for (const client of held) client.release();
    await Promise.all([first, ...others]);
    // On a busy machine, the first batch may still have gathered one of the others.
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeGreaterThan(1);
  });

  test('writes a limited kind up to its limit when one batch has more', async () => {
    const { committer, together, server } = await committerForTest();
    await committer.commit(create('there already'));
    const outcomes = await together(() => [
      ...['a', 'b', 'c'].map((name) => committer.commit(createLimited(server, name, 3))),
      committer.commit(create('neighbour')),
      committer.commit({ ...createLimited(server, 'another account', 3), accountId: 'acct_b' }),
    ]);
    const statuses = outcomes.map(statusOf);
    // The first decision is the first in the batch.
    expect([countsOf(statuses.slice(0, 3)), statuses.slice(3)]).toEqual([{ 200: 2, 400: 1 }, [200, 200]]);
    const names = ['a', 'b', 'c'].filter((_, index) => statuses[index] === 200);
    expect(await customerNames(server)).toEqual([...names, 'another account', 'neighbour', 'there already'].toSorted());
  });

  test('writes a limited kind up to its limit when several processes write at once', async () => {
    const { committer, server } = await committerForTest();
    const committers = [committer, secondCommitter(server), secondCommitter(server)];
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        committers[index % 3]!.commit(createLimited(server, `customer ${index}`, 20)),
      ),
    );
    expect(countsOf(outcomes.map(statusOf))).toEqual({ 200: 20, 400: 40 });
    expect(await customerNames(server)).toHaveLength(20);
  });

  test('writes only the log when a decision changes nothing', async () => {
    const { committer, server } = await committerForTest();
    const id = await created(committer, 'Ada');
    await committer.commit(update(server, id, (name) => name));
    expect(await rows(server, `select revision from customers where id = '${id}'`)).toEqual([{ revision: 1 }]);
    expect(await eventCount(server, 'customer.updated')).toBe(0);
    expect(await rows(server, 'select count(*) as logs from request_logs')).toEqual([{ logs: 2 }]);
  });
});

describe('repeated log ids', () => {
  test('refuses a mutation alone and writes the rest when its log id exists before the first send', async () => {
    const { committer, together, server } = await committerForTest();
    const first = create('first');
    await committer.commit(first);
    const outcomes = await together(() => [
      committer.commit(create('a')),
      committer.commit({ ...create('repeats'), request: first.request }),
      committer.commit(create('c')),
      committer.commit(create('d')),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'refused', 'committed', 'committed']);
    expect(await customerNames(server)).toEqual(['a', 'c', 'd', 'first']);
  });

  test('does not take an existing log id for a commit when the batch was lost before its commit', async () => {
    const { committer, together, server, writers } = await committerForTest();
    const request = facts();
    const outcomes = await together(
      () => [
        committer.commit(create('a')),
        committer.commit({ ...create('b'), request }),
        committer.commit({ ...create('c'), request }),
      ],
      async () => loseNextBatch(writers),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'committed', 'refused']);
    expect(await customerNames(server)).toEqual(['a', 'b']);
  });
});

test('refuses a decision when it changes one record twice', async () => {
  const { committer, server } = await committerForTest();
  const id = await created(committer, 'Ada');
  const twice = committer.commit({
    ...update(server, id, (name) => name),
    decide: async () => ({
      changes: [await changeOf(server, id, () => 'One'), await changeOf(server, id, () => 'Two')],
      response: answer(),
    }),
  });
  await expect(twice).rejects.toThrow(`Bug! A decision changes ${id} twice.`);
  expect(await customerNames(server)).toEqual(['Ada']);
});

test('refuses a decision when it changes a field that never changes', async () => {
  const { committer } = await committerForTest();
  const before = runOf(0, 2000);
  const after = { ...before, definition: { ...before.definition, name: 'another' } };
  const changing = committer.commit({
    ...create(''),
    decide: async () => ({ changes: [{ resource: workflowRun, before, after }], response: answer() }),
  });
  await expect(changing).rejects.toThrow('Bug!');
});

test('decides again when a guard is older than the change of the same record', async () => {
  const server = await serverForTest();
  const { committer } = server.context;
  const id = await created(committer, 'Ada');
  let decisions = 0;
  await committer.commit({
    ...update(server, id, () => ''),
    async decide() {
      const record = (await server.context.readRecord(customer, 'acct_a', id))!;
      // The other change comes between the read of the decision and that of its sum.
      if (++decisions === 1) await committer.commit(update(server, id, () => 'Grace', { locks: [] }));
      const change = await changeOf(server, id, (name) => `${name} Hopper`);
      return { changes: [change], guards: [{ resource: customer, record }], response: answer() };
    },
  });
  expect(decisions).toBe(2);
  expect(await customerNames(server)).toEqual(['Grace Hopper']);
});

test('retries a batch when PostgreSQL ends a deadlock', async () => {
  const { committer, server } = await committerForTest();
  const [left, right] = [await created(committer, 'left'), await created(committer, 'right')];
  await withClient(server.connection, async (other) => {
    await other.query('begin');
    // The batch locks in order of ids. The test locks the second and then waits for the first, so one of the two must be ended.
    await other.query(`select from customers where id = '${right}' for update`);
    const both = committer.commit({
      ...create('unused'),
      decide: async () => {
        const changes = await Promise.all([left, right].map((id) => changeOf(server, id, (name) => `${name}!`)));
        return { changes, response: answer() };
      },
    });
    await expect.poll(() => waitingForLocks(server)).toBe(1);
    const mine = await other
      .query(`select from customers where id = '${left}' for update`)
      .catch((error: unknown) => error);
    await other.query('rollback');
    expect(await both).toMatchObject({ kind: 'committed' });
    // In either case the batch was written once.
    if (mine instanceof DatabaseError) expect(mine.code).toBe('40P01');
  });
  expect(await customerNames(server)).toEqual(['left!', 'right!']);
  expect(await eventCount(server, 'customer.updated')).toBe(2);
});

test('never fails when two committers change the same records in any order', async () => {
  const { committer, server } = await committerForTest();
  const other = secondCommitter(server);
  const ids = await Promise.all(['a', 'b', 'c', 'd'].map((name) => created(committer, name)));
  const work = [committer, other].flatMap((each, index) =>
    Array.from({ length: 60 }, (_, round) => {
      const id = ids[(round * (index + 1)) % ids.length]!;
      return each.commit(update(server, id, (name) => `${name}.`));
    }),
  );
  const outcomes = await Promise.all(work);
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['committed']));
  const names = await customerNames(server);
  expect(names.join('').replace(/[^.]/g, '')).toHaveLength(120);
});

describe('memory of mutations', () => {
  const megabyte = 1024 * 1024;
  const large = (size = megabyte) => ({ answer: { status: 200, body: 'x'.repeat(size) } });

  test('cuts a batch by its bytes when its mutations are large', async () => {
    const batches: number[] = [];
    const { committer, together } = await committerForTest({
      bytes: { max: 100 * megabyte, maxPerAccount: 100 * megabyte },
      observer: { pendingIs() {}, sent: (_, { entries }) => batches.push(entries) },
    });
    const outcomes = await together(() => [
      ...Array.from({ length: 8 }, (_, index) => committer.commit(create(`large ${index}`, large()))),
      committer.commit(create('larger than a batch', large(5 * megabyte))),
      ...Array.from({ length: 8 }, (_, index) => committer.commit(create(`small ${index}`))),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => 'committed'));
    expect(batches.toSorted((left, right) => left - right)).toEqual([1, 1, 1, 2, 3, 3, 8]);
  });

  test('cuts a batch by its bytes when its records have large hidden fields', async () => {
    const batches: number[] = [];
    const { committer, together } = await committerForTest({
      observer: { pendingIs() {}, sent: (_, { entries }) => batches.push(entries) },
    });
    const outcomes = await together(() =>
      Array.from({ length: 8 }, (_, index) => committer.commit(createRun(index, megabyte / 4))),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => 'committed'));
    // Each counts twice: as an object, and as the text that is written.
    expect(batches).toEqual([1, 1, 7, 1]);
  });

  test('writes small mutations apart from large ones when both wait', async () => {
    const batches: number[] = [];
    const { committer, together } = await committerForTest({
      observer: { pendingIs() {}, sent: (_, { entries }) => batches.push(entries) },
    });
    await together(() =>
      Array.from({ length: 16 }, (_, index) =>
        committer.commit(create(`${index}`, index % 2 === 0 ? large() : { key: null })),
      ),
    );
    expect(batches.toSorted((left, right) => left - right)).toEqual([1, 1, 2, 3, 3, 8]);
  });

  test('lets others commit when one account has used up its share', async () => {
    const { committer, together, server } = await committerForTest({
      bytes: { max: 20 * megabyte, maxPerAccount: 3 * megabyte },
    });
    const held: number[] = [];
    const outcomes = await together(
      () => [
        ...Array.from({ length: 12 }, (_, index) => committer.commit(create(`large ${index}`, large()))),
        committer.commit({ ...create('of another'), payer: { accountId: 'acct_b', rootId: 'acct_b' } }),
      ],
      async () => held.push(committer.bytes.heldBy('acct_a'), committer.bytes.heldBy('acct_b')),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => 'committed'));
    expect(held[0]).toBeGreaterThan(megabyte);
    expect(held[0]).toBeLessThanOrEqual(3 * megabyte);
    expect(held[1]).toBeGreaterThan(0);
    expect(held[1]).toBeLessThan(10_000);
    expect(await customerNames(server)).toHaveLength(13);
    expect(committer.bytes.held).toBe(0);
  });

  test('decides few mutations at once when their size is unknown', async () => {
    const { committer } = await committerForTest({ bytes: { max: 20 * megabyte, maxPerAccount: 2 * megabyte } });
    let [deciding, decidingMax] = [0, 0];
    const slowly = (name: string): WriteRequest => {
      const mutation = create(name, large());
      const decide: WriteRequest['decide'] = async (room) => {
        decidingMax = Math.max(decidingMax, ++deciding);
        await new Promise((resolve) => setTimeout(resolve, 5));
        deciding--;
        return mutation.decide(room);
      };
      return { ...mutation, decide };
    };
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) => committer.commit(slowly(String(index)))),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => 'committed'));
    expect(decidingMax).toBe(8);
  });

  test("commits the server's own mutation when requests of the same account fill its share", async () => {
    const { committer, together } = await committerForTest({
      bytes: { max: 20 * megabyte, maxPerAccount: 2 * megabyte },
    });
    const held: number[] = [];
    await together<unknown>(
      () => [
        ...Array.from({ length: 6 }, (_, index) => committer.commit(create(`large ${index}`, large()))),
        committer.commitAsSystem({
          accountId: 'acct_a',
          locks: [],
          decide: async (room) => ({ changes: (await create('own').decide(room)).changes }),
        }),
      ],
      async () => held.push(committer.bytes.heldBy('server acct_a')),
    );
    expect(held[0]).toBeGreaterThan(0);
    expect(committer.bytes.held).toBe(0);
  });

  test('releases all memory when a decision fails or is refused', async () => {
    const { committer } = await committerForTest();
    await expect(
      committer.commit({ ...create('failing'), decide: () => Promise.reject(new Error('no decision')) }),
    ).rejects.toThrow('no decision');
    expect(await committer.commit(create('bad\0'))).toMatchObject({ kind: 'refused' });
    expect(committer.bytes.held).toBe(0);
  });
});

interface Parts {
  committer: Committer;
  writers: ReturnType<typeof openDatabase>['writers'];
  server: TestServer;
  /** Starts all mutations while both connections are held, so that they form one batch. `meanwhile` runs before the release. */
  together<Outcome>(start: () => Promise<Outcome>[], meanwhile?: () => Promise<unknown>): Promise<Outcome[]>;
}

/** @param more options of another committer, which takes the place of the server's own. */
async function committerForTest(more?: Partial<ConstructorParameters<typeof Committer>[0]>): Promise<Parts> {
  const server = await serverForTest();
  const { writers } = server.context.database;
  const committer = more ? new Committer({ ...server.context, writers, epoch: 1, ...more }) : server.context.committer;
  return {
    committer,
    writers,
    server,
    async together(start, meanwhile) {
      const held = await Promise.all([writers.connect(), writers.connect()]);
      // The first two mutations go as batches of one and wait for a connection. All others collect behind them.
      const placeholders: Promise<unknown>[] = [];
      for (const waiting of [1, 2]) {
        placeholders.push(
          committer.commit({
            accountId: 'acct_z',
            payer: { accountId: 'acct_z', rootId: 'acct_z' },
            request: facts(),
            claim: null,
            locks: [],
            decide: async () => ({ changes: [], response: answer() }),
          }),
        );
        await expect.poll(() => writers.waitingCount, { interval: 1 }).toBeGreaterThanOrEqual(waiting);
      }
      const commit = vi.spyOn(committer, 'commit');
      const deciding = new Set<object>();
      commit.mockImplementation((writeRequest) => {
        const decide: WriteRequest['decide'] = async (room) => {
          const decision = await writeRequest.decide(room);
          deciding.delete(writeRequest);
          return decision;
        };
        deciding.add(writeRequest);
        return Committer.prototype.commit.call(committer, { ...writeRequest, decide });
      });
      const outcomes = start();
      commit.mockRestore();
      // Those that wait for a lock or for memory are decided later.
      for (const untilMs = performance.now() + 200; deciding.size > 0 && performance.now() < untilMs;) await delay(5);
      await nextTurn();
      await meanwhile?.();
      for (const client of held) client.release();
      await Promise.all(placeholders);
      return Promise.all(outcomes);
    },
  };
}

/** Breaks the next connection after its transaction has begun and before it writes anything. */
function loseNextBatch(writers: Parts['writers']): void {
  const connect = writers.connect.bind(writers);
  writers.connect = (async () => {
    writers.connect = connect;
    const client = await connect();
    const query = client.query.bind(client);
    const losing = async (statement: { text: string }): Promise<unknown> => {
      if (statement.text === 'begin') return query(statement);
      throw Object.assign(new Error('The connection was lost.'), { code: 'ECONNRESET' });
    };
    return Object.assign(client, { query: losing });
  }) as typeof connect;
}

function secondCommitter(server: TestServer): Committer {
  const { context } = server;
  const database = openDatabase(server.connection, context.log);
  onTestFinished(() => database.end());
  return new Committer({ ...context, writers: database.writers, epoch: 1 });
}

const ids = new IdMaker({ nowMs: Date.now }, pooledRandomBytes());

let requests = 0;
function facts(key: string | null = null): RequestFacts {
  return {
    id: `req_${String(++requests).padStart(22, '0')}`,
    startedMs: Date.now(),
    method: 'POST',
    url: '/v1/customers',
    path: '/v1/customers',
    ipAddress: null,
    userAgent: null,
    actor: { type: 'api_key', id: 'key_a', name: null, key: { id: 'key_a', type: 'secret' }, source: 'api' },
    apiVersion: '2026-11-01',
    idempotencyKey: key,
    body: null,
    originalRequest: null,
  };
}

const answer = () => ({ status: 200, body: '{}' });

function create(name: string, { key = null as string | null, answer: answered = answer() } = {}): WriteRequest {
  return {
    accountId: 'acct_a',
    payer: { accountId: 'acct_a', rootId: 'acct_a' },
    request: facts(key),
    claim: key === null ? null : { name: `acct_a acct_a ${key}`, keyAccountId: 'acct_a', key, fingerprint: name },
    locks: [],
    decide: async () => ({
      changes: decideCreate(customer, ids.make('cus'), 'acct_a', { name }, caller).changes,
      response: answered,
    }),
  };
}

/** Returns a run of a workflow. Its definition has so many bytes, and is in no event. */
function runOf(index: number, bytes: number): WorkflowRunRecord {
  const definition = {
    name: 'x'.repeat(bytes - 1000),
    steps: [],
    permissions: [],
    sealed_headers: {},
    api_version: '',
  };
  return { ...newRecord(ids.make('wfr'), 'acct_a'), ...emptyRun, event: `evt_${index}`, definition };
}

function createRun(index: number, bytes: number): WriteRequest {
  const after = runOf(index, bytes);
  return {
    ...create(''),
    decide: async () => ({ changes: [{ resource: workflowRun, before: null, after }], response: answer() }),
  };
}

const emptyRun = {
  workflow: 'wf_a',
  version: 1,
  depth: 1,
  status: 'running' as const,
  steps: [],
  approval_request: null,
  canceled_reason: null,
  succeeded_at: null,
  failed_at: null,
  canceled_at: null,
  progress: { at: 0, item: 0, due_at_ms: null, ...begun('evt_a') },
  awaits: null,
  awaits_record: null,
};

/** Creates a record with this code, of a kind with a limit for each account. Returns 400 if the decision finds the limit reached. */
function createLimited(server: TestServer, name: string, maximum: number): WriteRequest {
  const resource = withTraits(customer, limited(maximum));
  const mutation = create(name);
  return {
    ...mutation,
    async decide() {
      const count = await readCount(server.context.reader, resource, this.accountId);
      if (count >= maximum) return { changes: [], response: { status: 400, body: '{}' } };
      const [change] = decideCreate(resource, ids.make('cus'), this.accountId, { name }, caller).changes;
      return { changes: [change], response: answer() };
    },
  };
}

function statusOf(outcome: Outcome): number | string | undefined {
  return outcome.kind === 'committed' ? outcome.response?.status : outcome.kind;
}

function countsOf(statuses: readonly (number | string | undefined)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
  return counts;
}

function update(server: TestServer, id: string, rename: (name: string) => string, { locks = [id] } = {}): WriteRequest {
  return {
    accountId: 'acct_a',
    payer: { accountId: 'acct_a', rootId: 'acct_a' },
    request: facts(),
    claim: null,
    locks,
    decide: async () => ({ changes: [await changeOf(server, id, rename)], response: answer() }),
  };
}

async function changeOf(server: TestServer, id: string, rename: (name: string) => string) {
  const before = (await server.context.readRecord(customer, 'acct_a', id)) as CustomerRecord;
  return decideUpdate(customer, before, { name: rename(before.name) }, caller).changes[0];
}

async function created(committer: Committer, name: string): Promise<string> {
  const mutation = create(name);
  let id = '';
  await committer.commit({
    ...mutation,
    decide: async (room) => {
      const decision = await mutation.decide(room);
      id = decision.changes[0]!.after!.id;
      return decision;
    },
  });
  return id;
}

async function customerNames(server: TestServer): Promise<string[]> {
  const found = await rows(server, 'select name from customers order by name');
  return found.map(({ name }) => String(name));
}

async function eventCount(server: TestServer, type: string): Promise<number> {
  const [row] = await rows(server, `select count(*) as count from events where type = '${type}'`);
  return Number(row!.count);
}

async function waitingForLocks(server: TestServer): Promise<number> {
  const [row] = await rows(
    server,
    `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return Number(row!.count);
}

function rows(server: TestServer, sql: string): Promise<Record<string, unknown>[]> {
  return withClient(server.connection, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);
}

import { withTraits } from '../../src/model/resource.ts';
import { limited } from '../../src/model/traits/limited.ts';
import { DatabaseError } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Committer } from '../../src/commit/committer.ts';
import type { WriteRequest, Outcome, RequestFacts } from '../../src/commit/write-request.ts';
import { decideCreate, decideUpdate } from '../../src/model/change.ts';
import { IdMaker } from '../../src/core/ids.ts';
import { pooledRandomBytes } from '../../src/core/random.ts';
import { openDatabase, withClient } from '../../src/db/pools.ts';
import { readCount } from '../../src/db/list-query.ts';
import { customer, type CustomerRecord } from '../../src/resources/customer.ts';
import { callerAt } from '../support/caller.ts';
import { serverForTest, type TestServer } from '../support/server.ts';

/*
 * The committer by itself, where HTTP cannot bring about the moment: what is in one batch is up to chance there. A test holds
 * the connections, so that all it commits meanwhile is gathered in one batch.
 */

const caller = callerAt(1);

describe('one batch', () => {
  test('a lone mutation is sent at once', async () => {
    const { committer, writers } = await committerForTest();
    let turnOver = false;
    setImmediate(() => (turnOver = true));
    const outcome = committer.commit(create('alone'));
    // Promises alone bring it to the database: no timer, no turn of the event loop.
    for (let step = 0; step < 50 && writers.totalCount === 0; step++) await Promise.resolve();
    expect(writers.totalCount).toBe(1);
    expect(turnOver).toBe(false);
    expect(await outcome).toMatchObject({ kind: 'committed' });
  });

  test('the same idempotency key twice has one effect, and the other one is told', async () => {
    const { committer, together, server } = await committerForTest();
    const outcomes = await together(() => [
      committer.commit(create('first', { key: 'same' })),
      committer.commit(create('second', { key: 'same' })),
      committer.commit(create('third', { key: 'other' })),
    ]);
    const [first, second, third] = outcomes.map(({ kind }) => kind);
    expect(third).toBe('committed');
    // They go in two batches, which are on their way at the same time: mostly the first one is there first.
    const winner = first === 'committed' ? 'first' : 'second';
    const [won, told] = winner === 'first' ? [first, second] : [second, first];
    expect(won).toBe('committed');
    expect(told).toMatch(/^key_(in_use|stored)$/);
    expect(await customerNames(server)).toEqual([winner, 'third']);
  });

  test('a key that another process has stored is refused alone; the others of its batch are written once', async () => {
    const { committer, together, server } = await committerForTest();
    await committer.commit(create('before', { key: 'stored' }));
    const outcomes = await together(() => [
      committer.commit(create('again', { key: 'stored' })),
      ...['a', 'b', 'c'].map((name) => committer.commit(create(name, { key: name }))),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['key_stored', 'committed', 'committed', 'committed']);
    expect(await customerNames(server)).toEqual(['a', 'b', 'before', 'c']);
    expect(await eventCount(server, 'customer.created')).toBe(4);
  });

  test('a key that another process is committing is in use: no wait, no second execution', async () => {
    const { committer, server } = await committerForTest();
    await withClient(server.connection, async (other) => {
      await other.query('begin');
      await other.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', ['acct_a acct_a busy']);
      expect(await committer.commit(create('twin', { key: 'busy' }))).toEqual({ kind: 'key_in_use' });
      await other.query('rollback');
    });
    expect(await committer.commit(create('later', { key: 'busy' }))).toMatchObject({ kind: 'committed' });
    expect(await customerNames(server)).toEqual(['later']);
  });

  test('one bad row fails alone', async () => {
    const { committer, together, server } = await committerForTest();
    const outcomes = await together(() =>
      ['a', 'bad\0', 'c', 'd'].map((name) => committer.commit(create(name, { key: JSON.stringify(name) }))),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'refused', 'committed', 'committed']);
    expect(await customerNames(server)).toEqual(['a', 'c', 'd']);
    const keys = await rows(server, 'select key from idempotency_keys order by key');
    expect(keys.map(({ key }) => key)).toEqual(['"a"', '"c"', '"d"']);
  });

  test('two changes of one record are two batches, and the second is decided on what the first wrote', async () => {
    const { committer, together, server } = await committerForTest();
    const id = await created(committer, 'Ada');
    const outcomes = await together(() => [
      committer.commit(update(server, id, (name) => `${name} 1`, { touches: [] })),
      committer.commit(update(server, id, (name) => `${name} 2`, { touches: [] })),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'committed']);
    // Whose read comes back first is decided first.
    expect(['Ada 1 2', 'Ada 2 1']).toContain((await customerNames(server)).join());
    expect(await eventCount(server, 'customer.updated')).toBe(2);
  });

  test('a record that moved since it was read is decided again; its neighbours are not', async () => {
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

  test('writes as many of a limited kind as there may be when more are in one batch', async () => {
    const { committer, together, server } = await committerForTest();
    await committer.commit(create('there already'));
    const outcomes = await together(() => [
      ...['a', 'b', 'c'].map((name) => committer.commit(createLimited(server, name, 3))),
      committer.commit(create('neighbour')),
      committer.commit({ ...createLimited(server, 'another account', 3), accountId: 'acct_b' }),
    ]);
    const statuses = outcomes.map(statusOf);
    // Whose decision is made first is first in the batch.
    expect([countsOf(statuses.slice(0, 3)), statuses.slice(3)]).toEqual([{ 200: 2, 400: 1 }, [200, 200]]);
    const names = ['a', 'b', 'c'].filter((_, index) => statuses[index] === 200);
    expect(await customerNames(server)).toEqual([...names, 'another account', 'neighbour', 'there already'].toSorted());
  });

  test('writes as many of a limited kind as there may be when several processes write at once', async () => {
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

  test('a decision that changes nothing writes nothing but the log', async () => {
    const { committer, server } = await committerForTest();
    const id = await created(committer, 'Ada');
    await committer.commit(update(server, id, (name) => name));
    expect(await rows(server, `select revision from customers where id = '${id}'`)).toEqual([{ revision: 1 }]);
    expect(await eventCount(server, 'customer.updated')).toBe(0);
    expect(await rows(server, 'select count(*) as logs from request_logs')).toEqual([{ logs: 2 }]);
  });
});

describe('a repeated log id', () => {
  test('is refused alone and the rest is written when the batch is sent for the first time', async () => {
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

  test('is no proof of a commit when the batch was lost before it was committed', async () => {
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
      answer: answer(),
    }),
  });
  await expect(twice).rejects.toThrow(`Bug! A decision changes ${id} twice.`);
  expect(await customerNames(server)).toEqual(['Ada']);
});

test('a deadlock, which PostgreSQL ends by an error, is tried again', async () => {
  const { committer, server } = await committerForTest();
  const [left, right] = [await created(committer, 'left'), await created(committer, 'right')];
  await withClient(server.connection, async (other) => {
    await other.query('begin');
    // The batch locks in the order of ids. We hold the second and then want the first: one of the two must be ended.
    await other.query(`select from customers where id = '${right}' for update`);
    const both = committer.commit({
      ...create('unused'),
      decide: async () => {
        const changes = await Promise.all([left, right].map((id) => changeOf(server, id, (name) => `${name}!`)));
        return { changes, answer: answer() };
      },
    });
    await expect.poll(() => waitingForLocks(server)).toBe(1);
    const mine = await other
      .query(`select from customers where id = '${left}' for update`)
      .catch((error: unknown) => error);
    await other.query('rollback');
    expect(await both).toMatchObject({ kind: 'committed' });
    // Whichever was chosen, ours was written once.
    if (mine instanceof DatabaseError) expect(mine.code).toBe('40P01');
  });
  expect(await customerNames(server)).toEqual(['left!', 'right!']);
  expect(await eventCount(server, 'customer.updated')).toBe(2);
});

test('two committers that change the same records in any order never fail for it', async () => {
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

describe('what mutations hold in memory', () => {
  const megabyte = 1024 * 1024;
  const large = (size = megabyte) => ({ answer: { status: 200, body: 'x'.repeat(size) } });

  test('cuts a batch by its bytes when its mutations are large', async () => {
    const batches: number[] = [];
    const { committer, together } = await committerForTest({
      bytes: { max: 100 * megabyte, maxPerAccount: 100 * megabyte },
      observer: { pendingIs() {}, sent: (_, { mutations }) => batches.push(mutations) },
    });
    const outcomes = await together(() => [
      ...Array.from({ length: 8 }, (_, index) => committer.commit(create(`large ${index}`, large()))),
      committer.commit(create('larger than a batch', large(5 * megabyte))),
      ...Array.from({ length: 8 }, (_, index) => committer.commit(create(`small ${index}`))),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => 'committed'));
    expect(batches.toSorted((left, right) => left - right)).toEqual([1, 1, 1, 2, 3, 3, 8]);
  });

  test('writes small mutations apart from large ones when both wait', async () => {
    const batches: number[] = [];
    const { committer, together } = await committerForTest({
      observer: { pendingIs() {}, sent: (_, { mutations }) => batches.push(mutations) },
    });
    await together(() =>
      Array.from({ length: 16 }, (_, index) =>
        committer.commit(create(`${index}`, index % 2 === 0 ? large() : { key: null })),
      ),
    );
    expect(batches.toSorted((left, right) => left - right)).toEqual([1, 1, 2, 3, 3, 8]);
  });

  test('lets others commit when one account has its share under way', async () => {
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

  test('decides few at once when it does not know how large they become', async () => {
    const { committer } = await committerForTest({ bytes: { max: 20 * megabyte, maxPerAccount: 2 * megabyte } });
    let [deciding, decidingMax] = [0, 0];
    const slowly = (name: string): WriteRequest => {
      const mutation = create(name, large());
      const decide = async () => {
        decidingMax = Math.max(decidingMax, ++deciding);
        await new Promise((resolve) => setTimeout(resolve, 5));
        deciding--;
        return mutation.decide();
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
          touches: [],
          decide: async () => ({ changes: (await create('own').decide()).changes }),
        }),
      ],
      async () => held.push(committer.bytes.heldBy('server acct_a')),
    );
    expect(held[0]).toBeGreaterThan(0);
    expect(committer.bytes.held).toBe(0);
  });

  test('releases everything when a decision fails or is refused', async () => {
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
  /** Starts all while both connections are held, so that they are gathered; `meanwhile` happens before they are let go. */
  together<Outcome>(start: () => Promise<Outcome>[], meanwhile?: () => Promise<unknown>): Promise<Outcome[]>;
}

/** @param more another committer than the server's own, with these. */
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
      // The first two leave as batches of one, and wait for a connection; all others are gathered behind them.
      const placeholders = ['x', 'y'].map(() =>
        committer.commit({
          accountId: 'acct_z',
          payer: { accountId: 'acct_z', rootId: 'acct_z' },
          request: facts(),
          claim: null,
          touches: [],
          decide: async () => ({ changes: [], answer: answer() }),
        }),
      );
      await new Promise((resolve) => setImmediate(resolve));
      const outcomes = start();
      await new Promise((resolve) => setTimeout(resolve, 50));
      await meanwhile?.();
      for (const client of held) client.release();
      await Promise.all(placeholders);
      return Promise.all(outcomes);
    },
  };
}

/** Breaks the next connection that is taken, after its transaction has begun and before it writes anything. */
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
  const id = `req_${String(++requests).padStart(22, '0')}`;
  return {
    id,
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
    touches: [],
    decide: async () => ({
      changes: [decideCreate(customer, ids.make('cus'), 'acct_a', { name }, caller)],
      answer: answered,
    }),
  };
}

/** As `create`, of a kind that an account may have only so many of; answers 400 where the decision sees that there are as many. */
function createLimited(server: TestServer, name: string, maximum: number): WriteRequest {
  const resource = withTraits(customer, limited(maximum));
  const mutation = create(name);
  return {
    ...mutation,
    async decide() {
      const count = await readCount(server.context.reader, resource, this.accountId);
      if (count >= maximum) return { changes: [], answer: { status: 400, body: '{}' } };
      const change = decideCreate(resource, ids.make('cus'), this.accountId, { name }, caller);
      return { changes: [change], answer: answer() };
    },
  };
}

function statusOf(outcome: Outcome): number | string | undefined {
  return outcome.kind === 'committed' ? outcome.answer?.status : outcome.kind;
}

function countsOf(statuses: readonly (number | string | undefined)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
  return counts;
}

function update(
  server: TestServer,
  id: string,
  rename: (name: string) => string,
  { touches = [id] } = {},
): WriteRequest {
  return {
    accountId: 'acct_a',
    payer: { accountId: 'acct_a', rootId: 'acct_a' },
    request: facts(),
    claim: null,
    touches,
    decide: async () => ({ changes: [await changeOf(server, id, rename)], answer: answer() }),
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
    decide: async () => {
      const decision = await mutation.decide();
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

import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { Encryption } from '../../src/core/secrets/encryption.ts';
import { raiseEpoch } from '../../src/db/deployment.ts';
import { withClient } from '../../src/db/pools.ts';
import { receiverForTest } from '../support/receiver.ts';
import { apiClient, good, serverForTest, type TestServer } from '../support/server.ts';
import { addAccount, type Tenant } from '../support/tenants.ts';
import { between, move, twoCells, type TwoCells } from './cells.ts';
import { moveTree, rollBack } from '../../src/move-account/move.ts';
import { body, guardsIn, newTree, post, rowsOf } from './tree.ts';

describe('deliveries', () => {
  test('are sent once when an attempt is under way at the beginning of the move', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    const held: ServerResponse[] = [];
    const receiver = await receiverForTest((response) => void held.push(response), 200);
    await good(tree.root.api.post('/v1/webhook_endpoints', { url: receiver.url, enabled_events: ['reference.*'] }));
    await post(tree.root.api, 'first');
    await receiver.count(1);
    let opened = false;
    const moving = move(cells, tree.root.accountId, (step) => {
      if (step === 'open the target') opened = true;
    });
    // The move waits for the attempt.
    await expect.poll(() => stateOf(cells.source, tree.root.accountId)).toBe('draining');
    await post(tree.root.api, 'while draining');
    expect(opened).toBe(false);
    held[0]!.writeHead(200).end();
    await moving;
    await receiver.count(2);
    await post(apiClient(cells.target.url, tree.root.key), 'second');
    await receiver.count(3);
    expect(new Set(receiver.received.map((delivery) => delivery.body.id)).size).toBe(3);
  });

  test('are retried by the target when they failed at the source', async () => {
    const cells = await twoCells({ settings: { TENURE_RETRY_SCHEDULE: '6,6,6' } });
    const tree = await newTree(cells);
    const receiver = await receiverForTest(500, 200);
    await good(tree.root.api.post('/v1/webhook_endpoints', { url: receiver.url, enabled_events: ['reference.*'] }));
    await post(tree.root.api, 'first');
    await receiver.count(1);
    const { deliveries } = await move(cells, tree.root.accountId);
    expect(deliveries).toBe(1);
    await receiver.count(2);
    const [first, second] = receiver.received;
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(await rowsOf(cells.source, tree.root.accountId)).not.toHaveProperty('webhook_queue');
  });
});

describe('jobs', () => {
  test('wait in the queue of the target alone, at the same time, when the tree has moved', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    const other = await addAccount(cells.source);
    for (const { accountId } of [tree.child, other]) {
      await cells.source.context.database.jobs.query(
        `select graphile_worker.add_job('of_a_test', json_build_object('account', $1::text, 'id', 'one'), null,
           '2031-01-01 12:00:00.5+00', 7, 'key ' || $1::text, 0, array['a', 'b'])`,
        [accountId],
      );
    }
    const before = await jobsIn(cells.source);
    expect((await move(cells, tree.root.accountId)).jobs).toBe(1);
    expect(await jobsIn(cells.source)).toEqual(before.filter(({ account }) => account === other.accountId));
    expect(await jobsIn(cells.target)).toEqual(before.filter(({ account }) => account === tree.child.accountId));
  });

  test('keep their time when the move is given up while the tree drains', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    await cells.source.context.database.jobs.query(
      `select graphile_worker.add_job('of_a_test', json_build_object('account', $1::text, 'id', 'one'), null, '2031-01-01')`,
      [tree.root.accountId],
    );
    const before = await jobsIn(cells.source);
    await expect(
      move(cells, tree.root.accountId, (step) => {
        if (step === 'close the source') throw new Error('planted');
      }),
    ).rejects.toThrow('planted');
    expect(await jobsIn(cells.source)).toEqual(before);
  });
});

describe('the search index of the source', () => {
  test('follows other accounts, and leaves the tree out, when the tree has moved with events that have no entries', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    const other = await addAccount(cells.source);
    const { searchIndex, database } = cells.source.context;
    for (const { api } of [tree.root, other]) await good(api.post('/v1/customers', { name: 'Ada Lovelace' }));
    await move(cells, tree.root.accountId);
    searchIndex.wake([tree.root.accountId, other.accountId]);
    await searchIndex.advance(new AbortController().signal);
    const { rows } = await database.readers.query(`select account_id from search_entries where words ~ 'lovelace'`);
    expect(rows).toEqual([{ account_id: other.accountId }]);
  });
});

describe('an account that is connected during a move', () => {
  test.each(['guard the source', 'catch up'])('moves with the tree when the next step is "%s"', async (next) => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    let made = '';
    const { accountIds } = await move(cells, tree.root.accountId, async (step) => {
      if (step !== next) return;
      made = (await good(tree.root.api.post('/v1/accounts', { name: 'A branch' }))).body.id;
      await good(tree.root.api.post('/v1/references', body, { 'Service-Context': made }));
    });
    expect(accountIds).toContain(made);
    const api = apiClient(cells.target.url, tree.root.key);
    expect((await good(api.get('/v1/references', { 'Service-Context': made }))).body.data).toHaveLength(1);
    expect((await guardsIn(cells))[1]).toBe(0);
  });
});

/** Counts the notes that each statement takes. */
const countingTakes = `
  create table takes (notes integer not null);
  create function count_take() returns trigger language plpgsql as $$
    begin
      insert into takes select count(*) from taken;
      return null;
    end
  $$;
  create trigger count_take after delete on account_move_changes referencing old table as taken
    for each statement execute function count_take()`;

describe('the noted keys of changed rows', () => {
  test('are taken in one round when a row has a unique value that a row of a later round has left', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    const { readers } = cells.source.context.database;
    const [former, later] = await Promise.all([
      userIn(cells.source, tree.root.accountId, 'ada'),
      userIn(cells.source, tree.root.accountId, 'bea'),
    ]);
    await move(cells, tree.root.accountId, async (step) => {
      if (step !== 'catch up') return;
      await readers.query(`update users set email = 'former@example.com' where id = $1`, [former]);
      await readers.query(`update users set email = 'ada@example.com' where id = $1`, [later]);
      // The note of the former owner of the address comes last, after those of a whole round.
      const { rows: left } = await readers.query(
        `delete from account_move_changes where relation = 'users' and key[2] = $1 returning account_id, relation, key`,
        [former],
      );
      expect(left).toHaveLength(1);
      const note = 'insert into account_move_changes (account_id, relation, key)';
      await readers.query(
        `${note} select $1, 'tenant_references', array[$1, 'ref_none'] from generate_series(1, 100000)`,
        [tree.root.accountId],
      );
      await readers.query(`${note} values ($1, 'users', array[$1, $2])`, [tree.root.accountId, former]);
    });
    const { rows } = await cells.target.context.database.readers.query(
      'select email from users where id = any($1) order by email',
      [[former, later]],
    );
    expect(rows).toEqual([{ email: 'ada@example.com' }, { email: 'former@example.com' }]);
  });

  test('are taken in several rounds when there are more than a round may hold', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    const notes = 100_001;
    let last = '';
    await move(cells, tree.root.accountId, async (step) => {
      if (step !== 'catch up') return;
      await cells.source.context.database.readers.query(
        `insert into account_move_changes (account_id, relation, key)
         select $1, 'tenant_references', array[$1, 'ref_' || note % 10] from generate_series(1, $2::integer) as note`,
        [tree.root.accountId, notes],
      );
      await cells.source.context.database.readers.query(countingTakes);
      last = (await post(tree.root.api, 'last')).body.id;
    });
    const { rows: takes } = await cells.source.context.database.readers.query<{ notes: number }>(
      'select notes from takes order by notes desc limit 2',
    );
    expect(takes[0]!.notes).toBe(notes - 1);
    expect(takes[1]!.notes).toBeGreaterThan(0);
    expect((await good(apiClient(cells.target.url, tree.root.key).get(`/v1/references/${last}`))).body.id).toBe(last);
    const { rows: left } = await cells.source.context.database.readers.query('select from account_move_changes');
    expect(left).toHaveLength(0);
  });
});

describe('a move is refused, and changes nothing,', () => {
  test("when the target's epoch is not greater", async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    await cells.source.context.database.readers.query('update deployment set event_epoch = 2');
    await expectRefusal(cells, tree.root, 'event epoch is 2, and must be greater');
  });

  test('when the target has another master key', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    const other = new Encryption(Buffer.alloc(32, 1), (length) => Buffer.alloc(length, 1));
    await cells.target.context.database.readers.query('update deployment set master_key_check = $1', [
      other.encrypt('tenure'),
    ]);
    await expectRefusal(cells, tree.root, 'another master key');
  });

  test('when source and target are the same database', async () => {
    const { source } = await twoCells();
    const tree = await addAccount(source);
    await expectRefusal({ source, target: source }, tree, 'the same database');
  });

  test('when the account is connected to another one', async () => {
    const cells = await twoCells();
    const { root, child } = await newTree(cells);
    await expectRefusal(cells, child, `is connected to ${root.accountId}`);
  });

  test('when an e-mail address of its people has a user in the target', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    for (const [{ context }, accountId] of [
      [cells.source, tree.root.accountId],
      [cells.target, (await addAccount(cells.target)).accountId],
    ] as const) {
      await context.database.readers.query(
        `insert into users (account_id, id, created, revision, email, role, status, recovery_codes, passkeys, credentials_revision)
         values ($1, $2, 0, 1, 'Ada@example.com', 'owner', 'active', '{}', '[]', 1)`,
        [accountId, context.ids.make('user')],
      );
    }
    await expectRefusal(cells, tree.root, 'users_by_email');
  });

  test('when references wait for simulated services', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    await cells.source.context.database.readers.query(
      `insert into tenant_references (account_id, id, created, revision, application, status, type, metadata, provider_order)
       values ($1, 'ref_1', 0, 1, 'app_1', 'pending', 'customer', '{}', '{}')`,
      [tree.root.accountId],
    );
    await expectRefusal(cells, tree.root, '1 references and 0 payments of the tree wait for simulated services');
  });

  test('when the target has rows of the tree', async () => {
    const cells = await twoCells();
    const tree = await newTree(cells);
    await cells.target.context.database.readers.query(
      `insert into counters (account_id, id, created, revision, last) values ($1, 'one', 0, 1, 1)`,
      [tree.root.accountId],
    );
    await expectRefusal(cells, tree.root, 'The target already has rows of the tree, in counters');
  });
});

test('goes on with no other database than the one with which it began', async () => {
  const cells = await twoCells();
  const tree = await newTree(cells);
  await expect(
    move(cells, tree.root.accountId, (step) => {
      if (step === 'copy') throw new Error('planted');
    }),
  ).rejects.toThrow('planted');
  const other = { source: cells.source, target: await serverForTest() };
  await withClient(other.target.connection, (client) => client.query('update deployment set event_epoch = 2'));
  await expect(move(other, tree.root.accountId)).rejects.toThrow('began with another database');
  await expect(
    between(other, cells.source.context.encryption, (clients) => rollBack(clients, tree.root.accountId)),
  ).rejects.toThrow('began with another database');
  await move(cells, tree.root.accountId);
});

describe('the epoch', () => {
  test('cannot be raised while processes run', async () => {
    const server = await serverForTest();
    await good(server.api.get('/v1/account'));
    await expect(withClient(server.connection, (client) => raiseEpoch(client, 3))).rejects.toThrow(
      'Stop all processes',
    );
  });
});

async function expectRefusal(cells: TwoCells, { accountId }: Tenant, reason: string): Promise<void> {
  const attempt = between(cells, cells.source.context.encryption, (clients) =>
    moveTree(clients, { root: accountId, cell: 'eu2', moveId: 'of_a_test' }, () => {}),
  );
  await expect(attempt).rejects.toThrow(reason);
  for (const { context } of [cells.source, cells.target]) {
    expect((await context.database.readers.query('select account_id from account_moves')).rows).toEqual([]);
  }
  expect(await guardsIn(cells)).toEqual([0, 0]);
}

async function stateOf({ context }: TwoCells['source'], accountId: string): Promise<string | undefined> {
  const { rows } = await context.database.readers.query<{ state: string }>(
    'select state from account_moves where account_id = $1',
    [accountId],
  );
  return rows[0]?.state;
}

async function jobsIn({ context }: TwoCells['source']) {
  const { rows } = await context.database.jobs.query<{ account: string }>(
    `select task.identifier, payload ->> 'account' as account, payload ->> 'id' as id, run_at, max_attempts, key, priority, flags
     from graphile_worker._private_jobs job
     join graphile_worker._private_tasks task on task.id = task_id
     order by job.id`,
  );
  return rows;
}

/** Adds a user, and returns its id. */
async function userIn({ context }: TestServer, accountId: string, name: string): Promise<string> {
  const id = context.ids.make('usr');
  await context.database.readers.query(
    `insert into users
       (account_id, id, created, revision, email, role, status, recovery_codes, passkeys, credentials_revision)
     values ($1, $2, 0, 1, $3, 'viewer', 'active', '{}', '[]', 1)`,
    [accountId, id, `${name}@example.com`],
  );
  return id;
}

import { moveGateLockKey } from '../db/advisory-locks.ts';
import { awayCode } from '../db/away.ts';
import type { Client } from '../db/pools.ts';
import { withTableLock, type TableWait } from '../db/table-lock.ts';
import { deliveryQueue, type TreeTable } from './tables.ts';

/*
 * Triggers guard the rows of accounts that move, in both cells and only during moves. PostgreSQL itself keeps the gate, so no process with
 * an old cache can write through it. At the source they also note the keys of changed rows while the tree is copied.
 */

/** Milliseconds. Deliveries of a tree that drains become due so much later, so that nothing claims them. */
export const postponedMs = 1_000_000_000_000_000;

/** A move waits for two minutes for the other users of a table. */
const wait: TableWait = { timeoutMs: 500, pauseMs: 500, triesMax: 120 };

/** The setting that marks the statements of a move itself. */
export const asMove = `set local tenure.account_move = 'on'`;

/** Jobs of a tree that drains run so many days later, so that no worker takes them. */
export const postponedDays = 1_000_000;

/** Installs the guards. Those that are there already are replaced. */
export async function installGuards(client: Client, tables: readonly TreeTable[]): Promise<void> {
  await withLockOfMove(client, async () => {
    await client.query(jobsFunction);
    await client.query(
      'create or replace trigger account_move_guard before insert on graphile_worker._private_jobs for each row execute function account_move_guard_jobs()',
    );
  });
  for (const table of tables) {
    await withLockOfMove(client, async () => {
      await client.query(guardFunction(table));
      await client.query(
        `create or replace trigger account_move_guard before insert or update or delete on ${table.name} for each row execute function ${guardOf(table)}()`,
      );
    });
  }
}

/** Removes the guards, unless another tree moves in this cell. */
export async function removeGuards(client: Client, tables: readonly TreeTable[]): Promise<void> {
  const { rows } = await client.query('select account_id from account_moves limit 1');
  if (rows.length > 0) return;
  await withLockOfMove(client, async () => {
    await client.query('drop trigger if exists account_move_guard on graphile_worker._private_jobs');
    await client.query('drop function if exists account_move_guard_jobs()');
  });
  for (const table of tables) {
    await withLockOfMove(client, async () => {
      await client.query(`drop trigger if exists account_move_guard on ${table.name}`);
      await client.query(`drop function if exists ${guardOf(table)}()`);
    });
  }
}

/** Postpones the new jobs of a tree that drains. `postpone` finds those that failed. */
const jobsFunction = `
    create or replace function account_move_guard_jobs() returns trigger language plpgsql as $guard$
    begin
      perform from account_moves move where move.account_id = new.payload ->> 'account' and move.state = 'draining';
      if found then
        new.run_at := new.run_at + interval '${postponedDays} days';
      end if;
      return new;
    end
    $guard$`;

/** Runs `work` of a move in a transaction that locks a table. */
export async function withLockOfMove(client: Client, work: () => Promise<void>): Promise<void> {
  await withTableLock(client, 'The move needs a table and could not continue', wait, work);
}

function guardOf({ name }: TreeTable): string {
  return `account_move_guard_${name}`;
}

/**
 * Returns the function of a table's guard.
 *
 * An account without a move passes, and so does the move itself. While the tree is copied, its writes pass. The keys of their rows are noted
 * in the same transaction.
 *
 * While the tree is closed, moved or arriving, inserts and new revisions fail. They are what the committer writes. Other updates and deletes
 * do nothing. They are housekeeping statements over all accounts, and must not fail for one of them.
 *
 * Each write holds a shared lock until its transaction ends. The gate takes the lock alone, and so waits for the writes that have passed.
 */
function guardFunction(table: TreeTable): string {
  const hasRevision = table.columns.some(({ name }) => name === 'revision');
  return `
    create or replace function ${guardOf(table)}() returns trigger language plpgsql as $guard$
    declare
      guarded account_moves%rowtype;
    begin
      ${table.name === 'accounts' ? joiningAccount : ''}
      select * into guarded
      from account_moves move
      where move.account_id = case when tg_op = 'DELETE' then old.account_id else new.account_id end;
      if not found or current_setting('tenure.account_move', true) = 'on' then
        ${pass}
      end if;
      perform pg_advisory_xact_lock_shared(${moveGateLockKey}, hashtext(guarded.root));
      -- The gate may have closed while this write waited.
      select * into guarded from account_moves move where move.account_id = guarded.account_id;
      if not found or guarded.state = 'arrived' then
        ${pass}
      end if;
      if guarded.state in ('copying', 'draining') then
        ${table.name === deliveryQueue ? postponing : noting(table)}
        ${pass}
      end if;
      if tg_op = 'INSERT'${hasRevision ? ` or tg_op = 'UPDATE' and new.revision is distinct from old.revision` : ''} then
        ${refusing('guarded.account_id')}
      end if;
      return null;
    end
    $guard$`;
}

/** A row of a delete has no new one. */
const pass = "if tg_op = 'DELETE' then return old; end if; return new;";

/** Refuses the write. The hint is the cell of a tree that has moved, for the message of the response. */
function refusing(accountId: string): string {
  return `raise exception using errcode = '${awayCode}', message = format('the account %s is not in this cell', ${accountId}),
          hint = case when guarded.state = 'moved' then guarded.cell else '' end;`;
}

/** Notes the key of the changed row. A table without a key is copied as a whole. */
function noting({ name, key }: TreeTable): string {
  if (key.length === 0) return '';
  const keyIn = (row: string): string => `array[${key.map((column) => `${row}."${column.name}"::text`).join(', ')}]`;
  const note = (row: string): string =>
    `insert into account_move_changes (account_id, relation, key) values (guarded.account_id, '${name}', ${keyIn(row)});`;
  return `
        if tg_op <> 'DELETE' then
          ${note('new')}
        end if;
        if tg_op = 'DELETE' or tg_op = 'UPDATE' and ${keyIn('old')} <> ${keyIn('new')} then
          ${note('old')}
        end if;`;
}

/** Lets no process claim further deliveries of a tree that drains. */
const postponing = `
        if guarded.state = 'draining' and tg_op <> 'DELETE' then
          if tg_op = 'UPDATE' and old.claim_token is null and new.claim_token is not null then
            return null;
          end if;
          if tg_op = 'INSERT' then
            new.claim_token := null;
            new.claimed_until_ms := 0;
          end if;
          if new.due_at_ms < ${postponedMs} then
            new.due_at_ms := new.due_at_ms + ${postponedMs};
          end if;
        end if;`;

/** A new connected account joins the move of its tree. */
const joiningAccount = `
      if tg_op = 'INSERT' and current_setting('tenure.account_move', true) is distinct from 'on' then
        select * into guarded from account_moves move where move.account_id = new.parent;
        if found then
          perform pg_advisory_xact_lock_shared(${moveGateLockKey}, hashtext(guarded.root));
          select * into guarded from account_moves move where move.account_id = new.parent;
          if guarded.state in ('copying', 'draining') then
            insert into account_moves (account_id, root, move, state, cell, target)
            values (new.account_id, guarded.root, guarded.move, guarded.state, guarded.cell, guarded.target)
            on conflict do nothing;
          elsif found and guarded.state <> 'arrived' then
            ${refusing('new.parent')}
          end if;
        end if;
      end if;`;

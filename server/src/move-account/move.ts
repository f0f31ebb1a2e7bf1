import { setTimeout as delay } from 'node:timers/promises';
import { retentionLockKey, moveGateLockKey, moveLockKey } from '../db/advisory-locks.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import { errorMessage } from '../core/errors.ts';
import { readPartitions } from '../db/partitions.ts';
import { onlyRow } from '../db/only-row.ts';
import { DatabaseError, type Client } from '../db/pools.ts';
import {
  MoveRefusedError,
  readIdentity,
  readTree,
  requireFittingCells,
  requireNoSimulation,
  requireRoom,
  requireTwoCells,
} from './checks.ts';
import {
  asOne,
  copyAll,
  copyChanged,
  deleteAll,
  digestOf,
  digestOfKeys,
  insertRows,
  isSame,
  readWhole,
  sameTexts,
  takeChanges,
  type ChangedKeys,
} from './copy.ts';
import { asMove, installGuards, removeGuards, withLockOfMove } from './guards.ts';
import { copyDeliveries, copyJobs, deleteJobs, drain, resume } from './queues.ts';
import { deliveryQueue, readTreeTables, type TreeTable } from './tables.ts';

/*
 * Moves a tree of accounts to another cell. Each step can be repeated: a command that was killed is run again, and goes on or begins anew.
 * The target opens in one transaction. Before it, the source has the tree, and a move can be rolled back. After it, the target has it.
 */

/** Catch up while clients write, until a round has few rows. Then the gate is short. */
const rowsOfLastRound = 1_500;
const roundsMax = 50;

/** A round takes at most so many noted keys, which are held in memory: some 50 MB. After a long copy, several rounds are full. */
const notesOfRound = 100_000;
const fullRoundsMax = 1_000;

/** Processes cache accounts for a second. The target opens later, so that no process shows what is old by then. In milliseconds. */
const cachesEndMs = 1_100;

/** Milliseconds that the tree drains at most. A claim of a delivery lasts 30 s. In the gate, only a job that has just begun is left. */
const drainMsMax = 40_000;
const drainInGateMsMax = 1_500;

/** Installations of the guards. A second one is needed if an account joined the tree during the first. */
const joinsMax = 5;

/** Milliseconds until a lock of an earlier command counts as that of a running one. */
const lockWaitMsMax = 10_000;
const lockPauseMs = 200;

/** Milliseconds that the gate waits for transactions that have passed it. Others of the tree wait behind it. */
const gateLockMs = 2_000;

/** Both cells, and what the steps need to know of them. */
export interface Cells {
  source: Client;
  target: Client;
  encryption: Encryption;
}

export interface Moved {
  accountIds: string[];
  rows: number;
  deliveries: number;
  jobs: number;
  /** The time in which the tree could be used in neither cell, in milliseconds. Null if an earlier run has opened the target. */
  closedMs: number | null;
  /** The hashes of the keys, for the router. */
  keyHashes: string[];
}

/** The steps that a move has begun, in their order. */
export const steps = [
  'check',
  'register at the source',
  'register at the target',
  'guard the target',
  'guard the source',
  'copy',
  'catch up',
  'compare',
  'drain',
  'close the source',
  'last round',
  'open the target',
  'finish the source',
  'finish the target',
] as const;
export type Step = (typeof steps)[number];

/** Gets each step before it begins. */
export type OnStep = (step: Step) => void | Promise<void>;

/** The source may be closed, or the target open. Only a further run of the command can tell, and ends the move. */
export class UnfinishedError extends Error {
  constructor(cause: unknown) {
    super(
      `The move was interrupted while the tree changed cells: ${errorMessage(cause)} Run the command again now: the tree may be closed.`,
      {
        cause,
      },
    );
  }
}

interface MoveRow {
  account_id: string;
  root: string;
  move: string;
  state: string;
  cell: string | null;
  target: string | null;
  is_copied: boolean;
}

/**
 * Moves the tree, or goes on with its move.
 *
 * @param wish.cell the name of the target, as routers know it.
 * @throws {MoveRefusedError} if the move cannot begin. Nothing was changed. Any other error leaves the source open, unless the target is.
 */
export async function moveTree(
  cells: Cells,
  wish: { root: string; cell: string; moveId: string },
  onStep: OnStep,
): Promise<Moved> {
  const { source, target } = cells;
  await prepare(cells);
  return withMoveLocks(cells, async () => {
    await onStep('check');
    const tables = await readTreeTables(source);
    let known = await readMove(source, wish.root);
    // Earlier releases left such rows if an account joined the tree while its move was rolled back.
    if (known.length > 0 && known[0]!.account_id !== wish.root) {
      await withGate(source, wish.root, () => unregister(source, wish.root));
      known = [];
    }
    if (known.length === 0) {
      await requireStart(cells, tables, wish.root);
      await onStep('register at the source');
      await registerSource(source, { ...wish, target: await readIdentity(target) });
    } else if (known[0]!.cell !== wish.cell) {
      throw new MoveRefusedError(
        `The tree is moving to the cell ${known[0]!.cell}. Go on with that one, or roll it back.`,
      );
    }
    const move = onlyRootRow(await readMove(source, wish.root), wish.root);
    await requireSameTarget(target, move);
    const arrived = await readMove(target, wish.root);
    if (arrived.some((row) => row.move !== move.move))
      throw new MoveRefusedError('The target has another move of this tree. Roll that one back first.');
    let opened: Pick<Moved, 'rows' | 'deliveries' | 'jobs' | 'closedMs'> | null = null;
    if (move.state !== 'moved' && !arrived.some(({ state }) => state === 'arrived')) {
      if (known.length > 0) await requireFittingCells(source, target, cells.encryption);
      opened = await bring(cells, tables, move, onStep);
    }
    const accountIds = (await readMove(source, wish.root)).map((row) => row.account_id);
    await onStep('finish the source');
    await finishSource(source, accountIds);
    const keyHashes = await readKeyHashes(source, accountIds);
    await onStep('finish the target');
    await finishTarget(target, accountIds, tables);
    return { accountIds, keyHashes, ...(opened ?? { rows: 0, deliveries: 0, jobs: 0, closedMs: null }) };
  });
}

/**
 * Gives a move up before the target is open: the target forgets the tree, and the source goes on.
 *
 * @throws {MoveRefusedError} if the target is open.
 */
export async function rollBack({ source, target }: Pick<Cells, 'source' | 'target'>, root: string): Promise<string[]> {
  await prepare({ source, target });
  return withMoveLocks({ source, target }, async () => {
    const here = await readMove(source, root);
    if (here.length === 0) throw new MoveRefusedError('The tree does not move.');
    await requireSameTarget(target, onlyRootRow(here, root));
    const there = (await readMove(target, root)).filter(({ move }) => move === here[0]!.move);
    if (here[0]!.state === 'moved' || there.some(({ state }) => state === 'arrived'))
      throw new MoveRefusedError('The target is open, so the move cannot be rolled back. Move the tree back instead.');
    const tables = await readTreeTables(source);
    const accountIds = there.map((row) => row.account_id);
    if (there.length > 0) {
      await target.query('update account_moves set is_copied = false where account_id = any($1)', [accountIds]);
      for (const table of tables) await asOne(target, () => deleteAll(target, table, accountIds));
      await target.query('delete from account_moves where account_id = any($1)', [accountIds]);
    }
    await removeGuards(target, tables);
    await reopen(source, root);
    const stayIds = await withGate(source, root, () => unregister(source, root));
    await removeGuards(source, tables);
    return stayIds;
  });
}

/** Ends the registration of a tree at the source, also of the accounts that have joined since the roll-back began. */
async function unregister(source: Client, root: string): Promise<string[]> {
  const { rows } = await source.query<{ account_id: string }>(
    'delete from account_moves where root = $1 returning account_id',
    [root],
  );
  const accountIds = rows.map((row) => row.account_id);
  await source.query('delete from account_move_changes where account_id = any($1)', [accountIds]);
  return accountIds;
}

/**
 * Deletes a tree that has moved away, and ends its move.
 *
 * @throws {MoveRefusedError} if it has not moved.
 */
export async function forget(source: Client, root: string): Promise<string[]> {
  await source.query(sameTexts);
  return withLock(source, async () => {
    const rows = await readMove(source, root);
    if (rows.length === 0 || rows.some(({ state }) => state !== 'moved'))
      throw new MoveRefusedError(`The account ${root} is no root of a tree that has moved away. Nothing was deleted.`);
    const tables = await readTreeTables(source);
    const accountIds = rows.map((row) => row.account_id);
    for (const table of tables) await asOne(source, () => deleteAll(source, table, accountIds));
    await deleteJobs(source, accountIds);
    await source.query('delete from account_move_changes where account_id = any($1)', [accountIds]);
    await source.query('delete from account_moves where account_id = any($1)', [accountIds]);
    await removeGuards(source, tables);
    return accountIds;
  });
}

async function prepare({ source, target }: Pick<Cells, 'source' | 'target'>): Promise<void> {
  for (const client of [source, target]) {
    await client.query(`${sameTexts}; set jit = off; set idle_in_transaction_session_timeout = 0`);
  }
  // Before the locks, because each connection would wait for the other's.
  await requireTwoCells(source, target);
}

/** Takes the locks of a move in both cells. Meanwhile no process drops old history, because that would make the cells differ. */
async function withMoveLocks<Result>(
  { source, target }: Pick<Cells, 'source' | 'target'>,
  work: () => Promise<Result>,
): Promise<Result> {
  return withLock(source, () => withLock(target, work));
}

async function withLock<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  // PostgreSQL ends the session of a killed command only when it notices that.
  for (const startedMs = performance.now(); !(await tryLock(client)); await delay(lockPauseMs)) {
    if (performance.now() - startedMs >= lockWaitMsMax)
      throw new MoveRefusedError('Another move is running in one of the cells. Wait until it ends.');
  }
  try {
    await client.query('select pg_advisory_lock($1)', [retentionLockKey]);
    return await work();
  } finally {
    // A connection that is gone has given its locks back.
    await client.query('select pg_advisory_unlock_all()').catch(() => {});
  }
}

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ ours: boolean }>('select pg_try_advisory_lock($1) as ours', [moveLockKey]);
  return onlyRow(rows).ours;
}

async function readMove(client: Client, root: string): Promise<MoveRow[]> {
  const { rows } = await client.query<MoveRow>(
    `select account_id, root, move, state, cell, target, is_copied from account_moves
     where root = $1
     order by account_id <> root, account_id`,
    [root],
  );
  return rows;
}

function onlyRootRow(rows: readonly MoveRow[], root: string): MoveRow {
  const row = rows.find((each) => each.account_id === root);
  if (!row) throw new Error(`Bug! The move of ${root} is not there.`);
  return row;
}

/** Refuses another database than the one with which the move began. That one may be open already. */
async function requireSameTarget(target: Client, move: MoveRow): Promise<void> {
  if (move.target === (await readIdentity(target))) return;
  throw new MoveRefusedError('The move began with another database. Set --to to that one.');
}

async function requireStart(cells: Cells, tables: readonly TreeTable[], root: string): Promise<void> {
  const { source, target, encryption } = cells;
  await requireFittingCells(source, target, encryption);
  const accountIds = await readTree(source, root);
  const { rows } = await source.query<{ parent: string | null }>(
    'select parent from accounts where account_id = $1 and id = $1',
    [root],
  );
  if (rows.length === 0) throw new MoveRefusedError(`There is no account ${root} here.`);
  const { parent } = onlyRow(rows);
  if (parent !== null)
    throw new MoveRefusedError(
      `The account ${root} is connected to ${parent}. Only whole trees move: name their root.`,
    );
  await requireNoSimulation(source, accountIds);
  await requireRoom(source, target, { tables, targetTables: await readTreeTables(target), accountIds });
}

async function registerSource(
  source: Client,
  wish: { root: string; cell: string; moveId: string; target: string },
): Promise<void> {
  await source.query(
    `with recursive tree as (
       select account_id as id from accounts where account_id = $1
       union all
       select below.account_id from tree join accounts below on below.parent = tree.id
     )
     insert into account_moves (account_id, root, move, state, cell, target)
     select id, $1, $2, 'copying', $3, $4 from tree`,
    [wish.root, wish.moveId, wish.cell, wish.target],
  );
}

/** Copies the tree and opens the target. Until it is open, an error opens the source again. */
async function bring(
  cells: Cells,
  tables: readonly TreeTable[],
  { root, move, state }: MoveRow,
  onStep: OnStep,
): Promise<Pick<Moved, 'rows' | 'deliveries' | 'jobs' | 'closedMs'>> {
  const { source, target } = cells;
  if (state !== 'copying') await reopen(source, root);
  await onStep('register at the target');
  await registerTarget(source, target, { root, move });
  await onStep('guard the target');
  await installGuards(target, tables);
  await onStep('guard the source');
  await guardSource(source, tables, { root, move });
  await registerTarget(source, target, { root, move });
  await makePartitions(source, target);
  const open = tables.filter(({ moves }) => moves === 'while_open');
  let rows = await copyOnce(cells, tables, open, root, onStep);
  await onStep('catch up');
  rows += await catchUp(cells, open, { root, move });
  await onStep('compare');
  rows += (await round(cells, open, { root, move }, { comparesAll: true })).rows;
  rows += await catchUp(cells, open, { root, move });
  try {
    await onStep('drain');
    await setState(source, root, 'draining');
    await drain(source, () => readMembers(source, root), { msMax: drainMsMax, postpones: true });
    const touched: ChangedKeys = new Map();
    rows += await catchUp(cells, open, { root, move }, touched);
    await onStep('close the source');
    const closedAtMs = await close(source, root);
    await onStep('last round');
    const opened = await lastRound(cells, tables, { root, move }, { touched, closedAtMs, onStep });
    return { ...opened, rows: rows + opened.rows, closedMs: performance.now() - closedAtMs };
  } catch (error) {
    // The target may be open although its answer was lost. Then only a further run may end the move.
    const there = await readMove(target, root).catch(() => null);
    const isOpen = there?.some(({ state: stateThere }) => stateThere === 'arrived') ?? true;
    if (isOpen) throw new UnfinishedError(error);
    await reopen(source, root).catch(() => {
      throw new UnfinishedError(error);
    });
    throw error;
  }
}

async function registerTarget(
  source: Client,
  target: Client,
  { root, move }: { root: string; move: string },
): Promise<void> {
  await target.query(
    `insert into account_moves (account_id, root, move, state)
     select account_id, $1, $2, 'arriving' from unnest($3::text[]) as input (account_id)
     on conflict do nothing`,
    [root, move, await readMembers(source, root)],
  );
}

/** Guards the source. An account that joined the tree before its guard was there joins the move now. */
async function guardSource(
  source: Client,
  tables: readonly TreeTable[],
  { root, move }: { root: string; move: string },
): Promise<void> {
  for (let tries = 1; tries <= joinsMax; tries++) {
    // Each installation waits for the open transactions of a table. So later writes to accounts that have joined are noted.
    await installGuards(source, tables);
    if (!(await addMembers(source, root, move))) return;
  }
  throw new Error('Accounts join the tree too often. Run the command again when fewer accounts are connected to it.');
}

/** Registers the accounts of the tree that are not in its move. Returns whether there were any. */
async function addMembers(source: Client, root: string, move: string): Promise<boolean> {
  const { rowCount } = await source.query(
    `insert into account_moves (account_id, root, move, state, cell, target)
     select joined.account_id, known.root, known.move, known.state, known.cell, known.target
     from unnest($3::text[]) as joined (account_id)
     join account_moves known on known.account_id = $1 and known.move = $2
     on conflict do nothing`,
    [root, move, await readTree(source, root)],
  );
  return rowCount !== 0;
}

async function readMembers(client: Client, root: string): Promise<string[]> {
  return (await readMove(client, root)).map((row) => row.account_id);
}

/** Makes the weekly partitions that only the source has. Otherwise their rows would come into the default one, which is never dropped. */
async function makePartitions(source: Client, target: Client): Promise<void> {
  const there = new Set((await readPartitions(target)).map(({ name }) => name));
  for (const { table, name, from, to } of await readPartitions(source)) {
    if (there.has(name)) continue;
    try {
      await withLockOfMove(target, async () => {
        await target.query(`create table ${name} partition of ${table} for values from ('${from}') to ('${to}')`);
      });
    } catch (error) {
      // The default partition of the target already has rows of that week, and continues to hold them.
      const isHeld = error instanceof DatabaseError && error.code === '23514';
      if (!isHeld) throw error;
    }
  }
}

/** Copies the tree, unless an earlier run has. A copy that was not completed begins anew. Returns the number of rows. */
async function copyOnce(
  { source, target }: Cells,
  tables: readonly TreeTable[],
  open: readonly TreeTable[],
  root: string,
  onStep: OnStep,
): Promise<number> {
  if (onlyRootRow(await readMove(target, root), root).is_copied) return 0;
  const accountIds = await readMembers(target, root);
  for (const table of tables) await asOne(target, () => deleteAll(target, table, accountIds));
  await onStep('copy');
  await source.query('begin isolation level repeatable read');
  let rows: number;
  try {
    rows = await copyAll(source, target, open, accountIds);
  } finally {
    await source.query('rollback').catch(() => {});
  }
  await target.query('update account_moves set is_copied = true where account_id = $1', [root]);
  // Fresh statistics, so that the queries of the gate use indexes.
  for (const table of open) await target.query(`analyze ${table.name}`);
  return rows;
}

/** Copies changed rows until a round has few. Returns the number of rows. */
async function catchUp(
  cells: Cells,
  open: readonly TreeTable[],
  move: { root: string; move: string },
  touched?: ChangedKeys,
): Promise<number> {
  let rows = 0;
  for (let count = 0, full = 0; count < roundsMax && full < fullRoundsMax;) {
    const { rows: ofRound, hasMore } = await round(cells, open, move, { notesMax: notesOfRound, touched }).catch(
      (error: unknown) => {
        // A row has a unique value that another one has left. The note of that one may come in a later round.
        const isTaken = error instanceof DatabaseError && error.code === '23505';
        return isTaken ? round(cells, open, move, { touched }) : Promise.reject(error);
      },
    );
    rows += ofRound;
    if (hasMore) full++;
    else if (ofRound <= rowsOfLastRound) return rows;
    else count++;
  }
  throw new Error(
    'The copy does not catch up with the writes of the tree. Run the command again when the tree has less to do.',
  );
}

/** Copies the rows that have changed since the last round, in one transaction of the target. If it is repeated, it copies them once more. */
async function round(
  { source, target }: Cells,
  open: readonly TreeTable[],
  { root, move }: { root: string; move: string },
  options: { comparesAll?: boolean; notesMax?: number; touched?: ChangedKeys | undefined },
): Promise<{ rows: number; hasMore: boolean }> {
  await source.query('begin isolation level repeatable read');
  try {
    const accountIds = await readMembers(source, root);
    const { changed, hasMore } = await takeChanges(source, accountIds, options.notesMax ?? null);
    await registerTarget(source, target, { root, move });
    await asOne(target, () => copyChanged(source, target, open, changed));
    if (options.comparesAll) await requireSame({ source, target }, open, accountIds);
    await source.query('commit');
    if (options.touched) addKeys(options.touched, changed);
    return { rows: countOf(changed), hasMore };
  } catch (error) {
    await source.query('rollback').catch(() => {});
    throw error;
  }
}

function countOf(changed: ChangedKeys): number {
  return [...changed.values()].reduce((sum, keys) => sum + keys.length, 0);
}

function addKeys(touched: ChangedKeys, changed: ChangedKeys): void {
  for (const [table, keys] of changed) touched.set(table, [...(touched.get(table) ?? []), ...keys]);
}

/** Compares all rows. The source's transaction has the snapshot up to which the target has the changes. */
async function requireSame(
  { source, target }: Pick<Cells, 'source' | 'target'>,
  tables: readonly TreeTable[],
  accountIds: readonly string[],
): Promise<void> {
  for (const table of tables) {
    const [here, there] = await Promise.all([digestOf(source, table, accountIds), digestOf(target, table, accountIds)]);
    if (!isSame(here, there)) throw differing(table, here.rows, there.rows);
  }
}

function differing({ name }: TreeTable, here: string, there: string): Error {
  return new Error(
    `The cells differ in ${name}: the source has ${here} rows, and the target ${there}. Roll the move back, and begin anew. Please report this.`,
  );
}

async function setState(client: Client, root: string, state: string): Promise<void> {
  await client.query('update account_moves set state = $2 where root = $1', [root, state]);
}

/** Closes the source: from now on, no process can write to the tree. Returns the time. */
async function close(source: Client, root: string): Promise<number> {
  return withGate(source, root, async (closedAtMs) => {
    await setState(source, root, 'closed');
    return closedAtMs;
  });
}

/** Runs `work` in a transaction while no other one writes to the tree. It gets the time since which the tree waits. */
async function withGate<Result>(
  source: Client,
  root: string,
  work: (sinceMs: number) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    const sinceMs = performance.now();
    await source.query('begin');
    try {
      await source.query(`set local lock_timeout = ${gateLockMs}`);
      await source.query('select pg_advisory_xact_lock($1, hashtext($2))', [moveGateLockKey, root]);
      const result = await work(sinceMs);
      await source.query('commit');
      return result;
    } catch (error) {
      await source.query('rollback').catch(() => {});
      const isBusy = error instanceof DatabaseError && error.code === '55P03';
      if (!isBusy || tries === 5) throw error;
    }
  }
}

/** Opens the source again, as if its gate had never closed. */
async function reopen(source: Client, root: string): Promise<void> {
  await source.query('begin');
  try {
    await source.query(asMove);
    await resume(source, await readMembers(source, root));
    await setState(source, root, 'copying');
    await source.query('commit');
  } catch (error) {
    await source.query('rollback').catch(() => {});
    throw error;
  }
}

/** Copies what is left, compares it, and opens the target with all of it. */
async function lastRound(
  { source, target, encryption }: Cells,
  tables: readonly TreeTable[],
  { root, move }: { root: string; move: string },
  { touched, closedAtMs, onStep }: { touched: ChangedKeys; closedAtMs: number; onStep: OnStep },
): Promise<{ rows: number; deliveries: number; jobs: number }> {
  const accountIds = await readMembers(source, root);
  // A job that was under way has lost its last write, and puts itself back.
  await drain(source, async () => accountIds, { msMax: drainInGateMsMax, postpones: false });
  await registerTarget(source, target, { root, move });
  await source.query('begin isolation level repeatable read');
  try {
    const { changed } = await takeChanges(source, accountIds, null);
    addKeys(touched, changed);
    let rows = countOf(changed);
    let deliveries = 0;
    let jobs = 0;
    await asOne(target, async () => {
      const open = tables.filter(({ moves }) => moves === 'while_open');
      await copyChanged(source, target, open, changed);
      for (const table of tables.filter(({ moves }) => moves === 'in_gate')) {
        if (table.name === deliveryQueue) {
          const columns = table.columns.map(({ name }) => name);
          deliveries = await copyDeliveries(source, target, columns, accountIds);
        } else {
          const whole = await readWhole(source, table, accountIds);
          await insertRows(target, table, whole);
          rows += whole.length;
          const [here, there] = await Promise.all([
            digestOf(source, table, accountIds),
            digestOf(target, table, accountIds),
          ]);
          if (!isSame(here, there)) throw differing(table, here.rows, there.rows);
        }
      }
      for (const table of open) {
        const keys = distinct(touched.get(table.name) ?? []);
        const [here, there] = await Promise.all([digestOfKeys(source, table, keys), digestOfKeys(target, table, keys)]);
        if (!isSame(here, there)) throw differing(table, here.rows, there.rows);
      }
      const { rows: queued } = await target.query<{ count: number }>(
        'select count(*)::integer as count from webhook_queue where account_id = any($1)',
        [accountIds],
      );
      if (onlyRow(queued).count !== deliveries) throw new Error('Bug! The target has another number of deliveries.');
      jobs = await copyJobs(source, target, accountIds);
      await requireFittingCells(source, target, encryption);
      await requireEpoch(target, accountIds);
      await requireNoSimulation(source, accountIds);
      await delay(Math.max(0, closedAtMs + cachesEndMs - performance.now()));
      await onStep('open the target');
      const opened = await target.query(
        `update account_moves set state = 'arrived' where root = $1 and move = $2 and state = 'arriving'`,
        [root, move],
      );
      if (opened.rowCount !== accountIds.length)
        throw new Error('Bug! The target does not expect all accounts of the tree.');
    });
    await source.query('commit');
    return { rows, deliveries, jobs };
  } catch (error) {
    await source.query('rollback').catch(() => {});
    throw error;
  }
}

function distinct(keys: readonly string[][]): string[][] {
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}

/** Checks that all events of the tree come before the events that the target makes. */
async function requireEpoch(target: Client, accountIds: readonly string[]): Promise<void> {
  const { rows } = await target.query<{ is_behind: boolean }>(
    `select exists (
       select from events where account_id = any($1) and epoch >= (select event_epoch from deployment)
     ) as is_behind`,
    [accountIds],
  );
  if (onlyRow(rows).is_behind)
    throw new MoveRefusedError(
      "The tree has events of the target's epoch. Raise the epoch of the target with --raise-epoch.",
    );
}

/** From now on, the source names the cell to which the tree has moved. */
async function finishSource(source: Client, accountIds: readonly string[]): Promise<void> {
  await asOne(source, async () => {
    await source.query(`update account_moves set state = 'moved' where account_id = any($1)`, [accountIds]);
    await source.query('delete from webhook_queue where account_id = any($1)', [accountIds]);
    await deleteJobs(source, accountIds);
  });
}

async function finishTarget(
  target: Client,
  accountIds: readonly string[],
  tables: readonly TreeTable[],
): Promise<void> {
  await target.query(`delete from account_moves where account_id = any($1) and state = 'arrived'`, [accountIds]);
  await target.query('delete from account_move_changes where account_id = any($1)', [accountIds]);
  await removeGuards(target, tables);
}

async function readKeyHashes(source: Client, accountIds: readonly string[]): Promise<string[]> {
  const { rows } = await source.query<{ hash: string }>(
    'select hash from api_keys where account_id = any($1) and revoked_at is null order by account_id, id',
    [accountIds],
  );
  return rows.map(({ hash }) => hash);
}

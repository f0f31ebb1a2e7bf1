import { isHere } from '../db/away.ts';
import { onlyRow } from '../db/only-row.ts';
import { query, type Pool, type PoolClient } from '../db/pools.ts';
import { beginning, isSettled, type Position } from '../events/event-order.ts';

/**
 * Returns the last record with a first entry, or null if all records of the account have one. The first call for an account stores that it
 * begins now.
 */
export async function beginOrReadBuilt(client: PoolClient, accountId: string): Promise<string | null> {
  const { rows } = await client.query<{ built_until: string | null }>({
    name: 'read_search_position',
    text: `
      with made as (
        insert into search_positions (account_id, epoch, transaction_id, ordinal, built_until)
        select $1, event_epoch, pg_snapshot_xmin(pg_current_snapshot()), -1, ''
        from deployment
        on conflict (account_id) do nothing
        returning built_until
      )
      select built_until from made
      union all
      select built_until from search_positions where account_id = $1`,
    values: [accountId],
  });
  return onlyRow(rows).built_until;
}

export async function storeBuilt(client: PoolClient, accountId: string, builtUntil: string | null): Promise<void> {
  await client.query({
    name: 'store_search_built',
    text: 'update search_positions set built_until = $2 where account_id = $1',
    values: [accountId, builtUntil],
  });
}

/** The record of an event, and the place of the event. */
interface Changed {
  object_id: string;
  type: string;
  epoch: number;
  transaction_id: string;
  ordinal: number;
}

/** Reads the next events of an account. Those that an earlier transaction can still precede come later. */
export async function readNextEvents(client: PoolClient, accountId: string, limit: number): Promise<Changed[]> {
  const { rows } = await client.query<Changed>({
    name: 'read_events_to_search',
    text: `
      select object_id, type, epoch, transaction_id, ordinal
      from events
      where account_id = $1
        and (epoch, transaction_id, ordinal) > (
          select epoch, transaction_id, ordinal from search_positions where account_id = $1
        )
        and ${isSettled}
      order by epoch, transaction_id, ordinal
      limit $2`,
    values: [accountId, limit],
  });
  return rows;
}

/** Stores that the entries follow the events up to this one. */
export async function storePosition(client: PoolClient, accountId: string, last: Changed): Promise<void> {
  await client.query({
    name: 'store_search_position',
    text: 'update search_positions set epoch = $2, transaction_id = $3, ordinal = $4 where account_id = $1',
    values: [accountId, last.epoch, last.transaction_id, last.ordinal],
  });
}

interface Distance {
  /** The last indexed event. Null while the first entries are being made. */
  position: Position | null;
  /** The last event of the account. */
  newest: Position;
  /** When the first event without entries was made, in seconds. Null if there is none. */
  nextCreated: number | null;
}

/** Reads how far the entries of an account are behind. */
export async function readDistance(pool: Pool, accountId: string): Promise<Distance> {
  const { rows } = await query<
    Record<'epoch' | 'ordinal' | 'newest_epoch' | 'newest_ordinal' | 'next_created', number | null> &
      Record<'transaction_id' | 'newest_transaction_id', string | null>
  >(pool, {
    name: 'read_search_distance',
    text: `
      select position.epoch, position.transaction_id, position.ordinal, next.created as next_created,
        newest.epoch as newest_epoch, newest.transaction_id as newest_transaction_id, newest.ordinal as newest_ordinal
      from (select) always
      left join search_positions position on position.account_id = $1 and position.built_until is null
      left join lateral (
        select epoch, transaction_id, ordinal
        from events
        where events.account_id = $1
        order by epoch desc, transaction_id desc, ordinal desc
        limit 1
      ) newest on true
      left join lateral (
        select created
        from events
        where events.account_id = $1
          and (events.epoch, events.transaction_id, events.ordinal)
            > (position.epoch, position.transaction_id, position.ordinal)
        order by epoch, transaction_id, ordinal
        limit 1
      ) next on true`,
    values: [accountId],
  });
  const row = onlyRow(rows);
  return {
    position: placeOf(row.epoch, row.transaction_id, row.ordinal),
    newest: placeOf(row.newest_epoch, row.newest_transaction_id, row.newest_ordinal) ?? beginning,
    nextCreated: row.next_created,
  };
}

/** Returns the accounts whose entries are behind their events. */
export async function readBehind(pool: Pool): Promise<string[]> {
  const { rows } = await query<{ id: string }>(pool, {
    name: 'read_behind_in_search',
    text: `
      select account.id
      from accounts account
      left join search_positions position on position.account_id = account.id
      where ${isHere('account.account_id')} and (
        position.account_id is null
        or position.built_until is not null
        or exists (
          select
          from events
          where events.account_id = account.id
            and (events.epoch, events.transaction_id, events.ordinal)
              > (position.epoch, position.transaction_id, position.ordinal)
        )
      )
      order by account.id`,
  });
  return rows.map(({ id }) => id);
}

function placeOf(epoch: number | null, transactionId: string | null, ordinal: number | null): Position | null {
  return transactionId === null ? null : { epoch: epoch!, transactionId: BigInt(transactionId), ordinal: ordinal! };
}

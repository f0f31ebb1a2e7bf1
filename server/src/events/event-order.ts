import type { Id } from '../core/ids.ts';
import type { Resource } from '../model/resource.ts';
import { columnsOf, type StoredRow } from '../db/record-reader.ts';
import type { Reader } from '../db/reader.ts';
import { onlyRow } from '../db/only-row.ts';

/**
 * A position in the order of an account's events. They sort by transaction, and within a transaction by decision. Changes of one record
 * stay in order, because a transaction begins after the decisions that it writes.
 */
export interface Position {
  /** Rises after a restore to an earlier transaction id. */
  epoch: number;
  transactionId: bigint;
  ordinal: number;
}

/** A stored event, with its position. */
export interface PlacedEvent {
  id: string;
  position: Position;
  row: StoredRow;
  /** Its size in memory: its texts, and an estimate for the rest. */
  bytes: number;
}

/** A page of events in their order. */
export interface EventPage {
  events: PlacedEvent[];
  /** Tells whether the event before them still exists. If it does not, events after it may be gone too. */
  isAnchored: boolean;
  /** Tells whether more events can be read now. */
  hasMore: boolean;
  /** Tells whether further events must wait for an earlier transaction that is still running. */
  isHeldBack: boolean;
}

/** A slow reader has been overtaken by retention: the events at its position were removed. */
export class PositionRemovedError extends Error {}

/** A snapshot of the committed events. */
export interface Moment {
  /** All events that are not committed yet will come after this position. Some committed events may come after it too. */
  position: Position;
  /** Returns whether the event at this position was committed. */
  has(position: Position): boolean;
  /** The id of the account's last event before the position, or null if there is none. All later events come after it. */
  settledId: Id | null;
}

/** The position before all events of an account. */
export const beginning: Position = { epoch: 0, transactionId: 0n, ordinal: -1 };

export function isAfter(left: Position, right: Position): boolean {
  if (left.epoch !== right.epoch) return left.epoch > right.epoch;
  if (left.transactionId !== right.transactionId) return left.transactionId > right.transactionId;
  return left.ordinal > right.ordinal;
}

/**
 * The condition, in SQL, that an event is settled: no event can be added before it. Then every transaction with a smaller id has ended.
 * Transaction ids are in the order of their assignment, not of commits.
 */
export const isSettled =
  '(epoch, transaction_id) < ((select event_epoch from deployment), pg_snapshot_xmin(pg_current_snapshot()))';

/** The memory of an event besides its texts, in bytes: its other columns, and the objects around them. */
const eventOverheadBytes = 1_000;

/**
 * Reads settled events after a position: at most `limit` events, of at most `bytesMax` together or one that is larger.
 *
 * @param wanted.id the id of the event at the position, or null if the reader does not know it. After a failover that lost commits, another
 * event can have the same position.
 */
export async function readEventsAfter(
  reader: Reader,
  resource: Resource,
  wanted: { accountId: string; position: Position; id: Id | null; limit: number; bytesMax: number },
): Promise<EventPage> {
  const { epoch, transactionId, ordinal } = wanted.position;
  const rows = await reader.query<
    PlacedRow & { bytes: number; found: number; is_anchored: boolean; is_held_back: boolean }
  >({
    name: 'read_events_after',
    text: `
      select is_anchored, is_held_back, page.*
      from (
        select
          exists (
            select from events
            where account_id = $1 and epoch = $2 and transaction_id = $3 and ordinal = $4 and ($7::text is null or id = $7)
          ) as is_anchored,
          exists (
            select from events
            where account_id = $1 and not ${isSettled}
          ) as is_held_back
      ) around
      left join (
        -- The size of a text is known without reading it.
        select found.*, count(*) over () as found, sum(bytes) over in_order as bytes_so_far
        from (
          select ${[...columnsOf(resource), 'object_id', 'mentions', 'actor_type', 'actor_id', 'epoch', 'transaction_id', 'ordinal'].join(', ')},
            octet_length(data) + octet_length(request) + ${eventOverheadBytes} as bytes
          from events
          where account_id = $1
            and (epoch, transaction_id, ordinal) > ($2, $3, $4)
            and ${isSettled}
          order by epoch, transaction_id, ordinal
          limit $5
        ) found
        window in_order as (order by epoch, transaction_id, ordinal rows unbounded preceding)
      ) page on bytes_so_far <= $6 or bytes_so_far = bytes
      order by epoch, transaction_id, ordinal`,
    values: [wanted.accountId, epoch, String(transactionId), ordinal, wanted.limit, wanted.bytesMax, wanted.id],
  });
  const events = rows
    .filter(({ id }) => id !== null)
    .map((row) => ({ id: row.id, position: positionOf(row), row, bytes: row.bytes }));
  const { is_anchored: isAnchored, is_held_back: isHeldBack, found } = onlyRow(rows);
  return { events, isAnchored, isHeldBack, hasMore: events.length < found || found === wanted.limit };
}

/** What has happened since the events that the feeds have read. */
export interface News {
  /** The accounts that have events after their positions, settled or not. */
  accountIds: string[];
  /** The id of the next transaction. It goes back only if PostgreSQL has lost transactions, in a failover or a crash. */
  nextTransactionId: bigint;
}

/** Reads what has happened since these positions of accounts. */
export async function readNews(reader: Reader, places: ReadonlyMap<string, Position>): Promise<News> {
  const positions = [...places.values()];
  const rows = await reader.query<{ account_ids: string[]; next_transaction_id: string }>({
    name: 'read_news_of_events',
    text: `
      select pg_snapshot_xmax(pg_current_snapshot())::text as next_transaction_id, array(
        select seen.account_id
        from unnest($1::text[], $2::integer[], $3::xid8[], $4::integer[])
          as seen (account_id, epoch, transaction_id, ordinal)
        cross join lateral (
          select
          from events
          where events.account_id = seen.account_id
            and (events.epoch, events.transaction_id, events.ordinal) > (seen.epoch, seen.transaction_id, seen.ordinal)
          limit 1
        ) newer
      ) as account_ids`,
    values: [
      [...places.keys()],
      positions.map(({ epoch }) => epoch),
      positions.map(({ transactionId }) => String(transactionId)),
      positions.map(({ ordinal }) => ordinal),
    ],
  });
  const { account_ids: accountIds, next_transaction_id } = onlyRow(rows);
  return { accountIds, nextTransactionId: BigInt(next_transaction_id) };
}

/** Reads the position of an event. Returns null if the account has no such event. */
export async function readPosition(reader: Reader, accountId: string, id: string): Promise<Position | null> {
  const [row] = await reader.query<PlacedRow>({
    name: 'read_event_position',
    text: 'select epoch, transaction_id, ordinal from events where account_id = $1 and id = $2',
    values: [accountId, id],
  });
  return row ? positionOf(row) : null;
}

/** Returns the id of the newest event before a position. Leaves out types with one of these beginnings. Null if there is none. */
export async function readNewestBefore(
  reader: Reader,
  accountId: string,
  { epoch, transactionId, ordinal }: Position,
  beginnings: readonly string[],
): Promise<Id | null> {
  const [row] = await reader.query<{ id: Id }>({
    name: 'read_newest_event_before',
    text: `
      select id
      from events
      where account_id = $1
        and (epoch, transaction_id, ordinal) < ($2, $3, $4)
        and not exists (select from unnest($5::text[]) as beginning where starts_with(type, beginning))
      order by epoch desc, transaction_id desc, ordinal desc
      limit 1`,
    values: [accountId, epoch, String(transactionId), ordinal, beginnings],
  });
  return row?.id ?? null;
}

/** Returns the id of the account's oldest stored event since the last restore, or null if there is none. A restore may have lost earlier ones. */
export async function readOldestEvent(reader: Reader, accountId: string): Promise<string | null> {
  const [row] = await reader.query<{ id: string }>({
    name: 'read_oldest_event',
    text: `
      select id
      from events
      where account_id = $1 and epoch = (select event_epoch from deployment)
      order by transaction_id, ordinal
      limit 1`,
    values: [accountId],
  });
  return row?.id ?? null;
}

/** Reads the snapshot of now. */
export async function readMoment(reader: Reader, accountId: string): Promise<Moment> {
  const rows = await reader.query<{ epoch: number; snapshot: string; settled_id: Id | null }>({
    name: 'read_moment',
    text: `
      select event_epoch as epoch, pg_current_snapshot()::text as snapshot, settled.id as settled_id
      from deployment
      left join lateral (
        select id
        from events
        where account_id = $1 and ${isSettled}
        order by epoch desc, transaction_id desc, ordinal desc
        limit 1
      ) settled on true`,
    values: [accountId],
  });
  const { epoch, snapshot, settled_id: settledId } = onlyRow(rows);
  // The format is `xmin:xmax:` and the running transactions between the two (PostgreSQL, 9.27.9).
  const [oldest = '', next = '', running = ''] = snapshot.split(':');
  const stillRunning = new Set(running.split(','));
  return {
    settledId,
    position: { epoch, transactionId: BigInt(oldest), ordinal: -1 },
    has: (place) =>
      place.epoch <= epoch && place.transactionId < BigInt(next) && !stillRunning.has(String(place.transactionId)),
  };
}

type PlacedRow = StoredRow & { epoch: number; transaction_id: string; ordinal: number };

function positionOf({ epoch, transaction_id, ordinal }: PlacedRow): Position {
  return { epoch, transactionId: BigInt(transaction_id), ordinal };
}

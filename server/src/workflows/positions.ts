import { parseJson } from '../core/json.ts';
import { isHere } from '../db/away.ts';
import type { Client } from '../db/pools.ts';
import type { Reader } from '../db/reader.ts';
import { onlyRow } from '../db/only-row.ts';
import type { Position } from '../events/event-order.ts';
import { familiesOf } from '../model/event-names.ts';
import type { WorkflowRecord } from '../resources/workflows/workflow.ts';
import type { EventRow } from './event-rows.ts';
import type { Trigger } from './rules/definition.ts';

type Runs = Pick<Client, 'query'>;

/** Returns the accounts with active workflows, or with runs that await an event. It looks at one of these runs for each account. */
export async function readFollowed(reader: Reader): Promise<string[]> {
  const rows = await reader.query<{ account_id: string }>({
    name: 'read_accounts_with_workflows',
    text: `
      with recursive awaiting as (
        (select account_id from workflow_runs where awaits is not null order by account_id limit 1)
        union all
        select (
          select account_id
          from workflow_runs
          where awaits is not null and account_id > awaiting.account_id
          order by account_id
          limit 1
        )
        from awaiting
        where awaiting.account_id is not null
      )
      select account_id from workflows where status = 'active' and ${isHere('workflows.account_id')}
      union
      select account_id from awaiting where account_id is not null and ${isHere('awaiting.account_id')}`,
    values: [],
  });
  return rows.map(({ account_id }) => account_id);
}

/** Returns the accounts among these that have events after their positions, settled or not, or that have no position yet. */
export async function readMoved(reader: Reader, accountIds: readonly string[]): Promise<string[]> {
  const rows = await reader.query<{ account_id: string }>({
    name: 'read_accounts_with_events_for_workflows',
    text: `
      select followed.account_id
      from unnest($1::text[]) as followed (account_id)
      left join workflow_positions seen on seen.account_id = followed.account_id
      where seen.account_id is null or exists (
        select
        from events
        where events.account_id = followed.account_id
          and (events.epoch, events.transaction_id, events.ordinal) > (seen.epoch, seen.transaction_id, seen.ordinal)
      )`,
    values: [accountIds],
  });
  return rows.map(({ account_id }) => account_id);
}

/** Returns the position of an account, or null if it has none. */
export async function readPosition(client: Runs, accountId: string): Promise<Position | null> {
  const { rows } = await client.query<{ epoch: number; transaction_id: string; ordinal: number }>({
    name: 'read_workflow_position',
    text: 'select epoch, transaction_id, ordinal from workflow_positions where account_id = $1',
    values: [accountId],
  });
  const [row] = rows;
  return row ? { epoch: row.epoch, transactionId: BigInt(row.transaction_id), ordinal: row.ordinal } : null;
}

/** Returns the position before the first event from an id on. Null if there is no such event yet. */
export async function readPositionBefore(client: Runs, accountId: string, id: string): Promise<Position | null> {
  const { rows } = await client.query<{ epoch: number; transaction_id: string; ordinal: number }>({
    name: 'read_workflow_position_before',
    text: `
      select epoch, transaction_id, ordinal - 1 as ordinal
      from events
      where account_id = $1 and id >= $2
      order by epoch, transaction_id, ordinal
      limit 1`,
    values: [accountId, id],
  });
  const [row] = rows;
  return row ? { epoch: row.epoch, transactionId: BigInt(row.transaction_id), ordinal: row.ordinal } : null;
}

/**
 * Returns the positions at which workflows were last activated. Without one, the event of the activation is no longer stored: then every
 * stored event came after it.
 */
export async function readActivations(
  client: Runs,
  accountId: string,
  workflowIds: readonly string[],
): Promise<Map<string, Position>> {
  const { rows } = await client.query<{ id: string; epoch: number; transaction_id: string; ordinal: number }>({
    name: 'read_activations_of_workflows',
    text: `
      select distinct on (object_id) object_id as id, epoch, transaction_id, ordinal
      from events
      where account_id = $1 and object_id = any($2) and type = 'workflow.activated'
      order by object_id, epoch desc, transaction_id desc, ordinal desc`,
    values: [accountId, workflowIds],
  });
  return new Map(
    rows.map(({ id, epoch, transaction_id: transactionId, ordinal }) => [
      id,
      { epoch, transactionId: BigInt(transactionId), ordinal },
    ]),
  );
}

/** A bound of transactions: each earlier one has ended. So no event can be added before it. */
export interface Horizon {
  epoch: number;
  transactionId: string;
}

/**
 * Reads the present horizon. It comes before the reading of workflows and of waits. So each event below it is compared with all that were
 * committed before the event.
 */
export async function readHorizon(client: Runs): Promise<Horizon> {
  const { rows } = await client.query<{ epoch: number; transaction_id: string }>({
    name: 'read_workflow_horizon',
    text: 'select event_epoch as epoch, pg_snapshot_xmin(pg_current_snapshot()) as transaction_id from deployment',
    values: [],
  });
  const { epoch, transaction_id: transactionId } = onlyRow(rows);
  return { epoch, transactionId };
}

/** A settled event. It has `data` only if it is wanted: by its type, or because runs await it. */
export type FollowedEvent = EventRow & {
  is_wanted: boolean;
  epoch: number;
  transaction_id: string;
  ordinal: number;
};

export function positionOf({ epoch, transaction_id: transactionId, ordinal }: FollowedEvent): Position {
  return { epoch, transactionId: BigInt(transactionId), ordinal };
}

export interface FollowedPage {
  events: FollowedEvent[];
  /** Whether there may be more settled events. */
  hasMore: boolean;
  /** Whether there are further events beyond the horizon. */
  isHeldBack: boolean;
}

/** What a page reads. */
export interface WantedPage {
  horizon: Horizon;
  types: readonly string[];
  limit: number;
}

const isBelowHorizon = '(epoch, transaction_id) < ($7::integer, $8::xid8)';

/** Bytes of data after which a page ends. Its last event can have half a megabyte more. */
const pageBytesMax = 8 * 1024 * 1024;

/** Reads the next events of an account below a horizon. Only those of these types, and those that runs await, are read whole. */
export async function readPage(
  client: Runs,
  accountId: string,
  { epoch, transactionId, ordinal }: Position,
  { horizon, types, limit }: WantedPage,
): Promise<FollowedPage> {
  const { rows } = await client.query<FollowedEvent & { is_held_back: boolean; found: string }>({
    name: 'read_events_for_workflows',
    text: `
      select is_held_back, page.*
      from (
        select exists (
          select from events
          where account_id = $1 and (epoch, transaction_id, ordinal) > ($2, $3, $4) and not ${isBelowHorizon}
        ) as is_held_back
      ) around
      left join (
        select id, created, type, is_wanted, data, request, shape_version, epoch, transaction_id, ordinal, found
        from (
          select *, count(*) over () as found, sum(bytes) over (order by epoch, transaction_id, ordinal) - bytes as bytes_before
          from (
            select id, created, type, is_wanted,
              case when is_wanted then data end as data,
              case when is_wanted then request end as request,
              case when is_wanted then octet_length(data) else 0 end as bytes,
              shape_version, epoch, transaction_id, ordinal
            from (
              select *, type = any($5) or exists (
                select from workflow_runs
                where account_id = $1 and awaits in (events.type, split_part(events.type, '.', 1) || '.*')
              ) as is_wanted
              from events
              where account_id = $1 and (epoch, transaction_id, ordinal) > ($2, $3, $4) and ${isBelowHorizon}
              order by epoch, transaction_id, ordinal
              limit $6
            ) next
          ) settled
        ) measured
        where bytes_before < ${pageBytesMax}
      ) page on true
      order by epoch, transaction_id, ordinal`,
    values: [accountId, epoch, String(transactionId), ordinal, types, limit, horizon.epoch, horizon.transactionId],
  });
  const events = rows.filter(({ id }) => id !== null);
  const found = Number(events[0]?.found ?? 0);
  return { events, hasMore: found === limit || events.length < found, isHeldBack: rows[0]?.is_held_back ?? false };
}

/** Stores that the events up to this position have started their runs. */
export async function storePosition(client: Runs, accountId: string, position: Position): Promise<void> {
  await client.query({
    name: 'store_workflow_position',
    text: `
      insert into workflow_positions (account_id, epoch, transaction_id, ordinal)
      values ($1, $2, $3, $4)
      on conflict (account_id) do update
      set epoch = excluded.epoch, transaction_id = excluded.transaction_id, ordinal = excluded.ordinal`,
    values: [accountId, position.epoch, String(position.transactionId), position.ordinal],
  });
}

/** Forgets the position of an account that starts no runs. The next activation begins at its own events. */
export async function forgetPosition(client: Runs, accountId: string): Promise<void> {
  await client.query({
    name: 'forget_workflow_position',
    text: 'delete from workflow_positions where account_id = $1',
    values: [accountId],
  });
}

/** An active workflow, without its filters and steps: it can have a quarter of a megabyte of them. */
export interface ActiveWorkflow {
  id: string;
  /** The event of its activation. */
  active_from: string;
  /** The type of its trigger. */
  type: string;
  /** The bytes of its trigger. */
  bytes: number;
}

/** Returns the active workflows of an account. The type is at the beginning of a trigger, so PostgreSQL reads only that of a long one. */
export async function readActive(client: Runs, accountId: string): Promise<ActiveWorkflow[]> {
  const { rows } = await client.query<ActiveWorkflow & Record<string, unknown>>({
    name: 'read_active_workflows',
    text: `
      select id, active_from, octet_length(trigger) as bytes,
        coalesce(substring(substring(trigger for 200) from '^\\{"type":"([a-z_.*]+)"'), trigger::jsonb ->> 'type') as type
      from workflows
      where account_id = $1 and status = 'active' and active_from is not null
      order by id`,
    values: [accountId],
  });
  return rows;
}

/** What decides on the runs of a workflow. Its steps are not among it. */
export type Triggering = Pick<
  WorkflowRecord,
  'id' | 'account_id' | 'name' | 'trigger' | 'api_version' | 'version' | 'active_from'
> & {
  /** The bytes of its steps, which a run copies. */
  step_bytes: number;
};

/** Reads what decides on the runs of these workflows, if they are still active. */
export async function readTriggering(client: Runs, accountId: string, ids: readonly string[]): Promise<Triggering[]> {
  const { rows } = await client.query<Omit<Triggering, 'trigger'> & { trigger: string }>({
    name: 'read_triggers',
    text: `
      select id, account_id, name, trigger, api_version, version, active_from, octet_length(steps) as step_bytes
      from workflows
      where account_id = $1 and id = any($2) and status = 'active' and active_from is not null
      order by id`,
    values: [accountId, ids],
  });
  return rows.map((row) => ({ ...row, trigger: parseJson(row.trigger) as unknown as Trigger }));
}

/** Returns the id from which events count for the earliest wait of an account. Null if no run awaits an event. */
export async function readEarliestWait(client: Runs, accountId: string): Promise<string | null> {
  const { rows } = await client.query<{ earliest: string | null }>({
    name: 'read_earliest_wait',
    text: `
      select min((progress::jsonb ->> 'from') collate "C") as earliest
      from workflow_runs
      where account_id = $1 and awaits is not null`,
    values: [accountId],
  });
  return rows[0]?.earliest ?? null;
}

/** Returns whether a run of an account awaits an event. */
export async function awaitsAny(client: Runs, accountId: string): Promise<boolean> {
  const { rows } = await client.query<{ is_any: boolean }>({
    name: 'read_whether_runs_await',
    text: 'select exists (select from workflow_runs where account_id = $1 and awaits is not null) as is_any',
    values: [accountId],
  });
  return rows[0]?.is_any ?? false;
}

/** Returns the runs after one that await an event of these types. A run that awaits one with an id needs the id to be among `ids`. */
export async function readAwaiting(
  client: Runs,
  accountId: string,
  { types, ids, after, limit }: { types: readonly string[]; ids: readonly string[]; after: string; limit: number },
): Promise<{ id: string; awaits: string; awaits_record: string | null }[]> {
  const { rows } = await client.query<{ id: string; awaits: string; awaits_record: string | null }>({
    name: 'read_awaiting_runs',
    // The index by what runs await finds them. By id, all runs that have ended would be looked at, too.
    text: `
      with found as materialized (
        select id, awaits, awaits_record
        from workflow_runs
        where account_id = $1 and awaits = any($2) and coalesce(awaits_record, '') = any($3)
      )
      select id, awaits, awaits_record from found where id > $4 order by id limit $5`,
    values: [accountId, [...types, ...familiesOf(types)], ['', ...ids], after, limit],
  });
  return rows;
}

/** Returns the pairs of workflow and event among these events that have a run. */
export async function readStarted(client: Runs, accountId: string, eventIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await client.query<{ workflow: string; event: string }>({
    name: 'read_started_runs',
    text: 'select workflow, event from workflow_runs where account_id = $1 and event = any($2)',
    values: [accountId, eventIds],
  });
  return new Set(rows.map(({ workflow, event }) => `${workflow} ${event}`));
}

/** Counts the runs of a workflow from an id on, up to a limit. */
export async function countRuns(
  client: Runs,
  accountId: string,
  workflowId: string,
  { fromId, most }: { fromId: string; most: number },
): Promise<number> {
  const { rows } = await client.query<{ count: number }>({
    name: 'count_runs_of_workflow',
    text: `
      select count(*)::integer as count
      from (
        select from workflow_runs where account_id = $1 and workflow = $2 and id >= $3 limit $4
      ) counted`,
    values: [accountId, workflowId, fromId, most],
  });
  return rows[0]?.count ?? 0;
}

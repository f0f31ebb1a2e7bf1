import { toSeconds } from '../../core/clock.ts';
import { timeOfId } from '../../core/ids.ts';
import type { ColumnType, Resource } from '../../model/resource.ts';
import { arrayLiteral } from '../../db/array-literal.ts';
import { columnsOf } from '../../db/record-reader.ts';
import type { Member, RecordWrite } from '../batch-entry.ts';

/** One multi-row statement of a batch: prepared by name, its rows as one array for each column. */
export interface Statement {
  name: string;
  text: string;
  values: string[];
}

type Cell = string | number | boolean | null;

/**
 * The statements that write a batch, in the order that finds a conflict early: claims and moved records first.
 * With `again`, for a batch whose fate is not known, the rows that only it can have written come first: see `provesCommit`.
 */
export function statementsOf(batch: readonly Member[], options: BatchOptions): Statement[] {
  const witnesses = [insertLogs(batch), insertEvents(batch, options.epoch)];
  const others = [
    claimKeys(batch, options.nowMs),
    ...updateRecords(batch),
    ...deleteRecords(batch),
    ...holdLimits(batch),
    ...insertRecords(batch),
    appendCounts(batch),
    ...advanceClock(batch),
  ];
  const inOrder = options.again ? [...witnesses, ...others] : [...others, ...witnesses];
  // Last, because endpoints are taken as the batch leaves them.
  const statements = [
    ...inOrder,
    addJobs(batch, options.nowMs),
    cancelDeliveries(batch),
    insertDeliveries(batch, options.nowMs),
  ];
  return statements.filter((statement) => statement !== null);
}

export interface BatchOptions {
  epoch: number;
  nowMs: number;
  /** Whether the batch may have been committed by an earlier trip. */
  again: boolean;
}

/**
 * Tells the statements whose rows bear ids of this batch alone. A row that is already there shows that the batch may have been committed;
 * `countWitnesses` tells whether it was.
 */
export function provesCommit(statement: Statement): boolean {
  return statement.name === 'insert_logs' || statement.name === 'insert_events';
}

/** Asks whether all logs and events of a batch are there: `are_there`. No two members share one, unless there is a fault. */
export function countWitnesses(batch: readonly Member[]): Statement {
  const logs = batch.flatMap(({ accountId, log }) => (log ? [{ accountId, id: log.facts.id }] : []));
  const events = batch.flatMap(({ accountId, events: own }) => own.map(({ id }) => ({ accountId, id })));
  return {
    name: 'count_witnesses',
    text: `
      select
        (
          select count(*)
          from unnest($1::text[], $2::text[]) as input (account_id, id)
          join request_logs log on log.account_id = input.account_id and log.id = input.id
        ) = cardinality($2::text[])
        and (
          select count(*)
          from unnest($3::text[], $4::text[]) as input (account_id, id)
          join events event on event.account_id = input.account_id and event.id = input.id
        ) = cardinality($4::text[]) as are_there`,
    values: [logs, events].flatMap((rows) => [
      arrayLiteral(rows.map(({ accountId }) => accountId)),
      arrayLiteral(rows.map(({ id }) => id)),
    ]),
  };
}

/** A stored answer is repeated for a day; then the key counts as new (spec, limits). */
export const keyLifetimeMs = 24 * 3600 * 1000;

/**
 * A request that has taken so long claims no key any more. None takes so long but one whose machine slept or whose clock was set
 * forward meanwhile; the key may have stood for another by then, and been deleted.
 */
export const claimedWithinMs = 2 * 60_000;

/** The reasons `refuse_batch_members` gives, and its SQLSTATE. */
export type RefusalReason = 'key_in_use' | 'key_stored' | 'record_moved';
export const refusalCode = 'TN001';

/** Of a row of `claimKeys`. It never waits, and is held to the end of the transaction. */
const tryLockOnKey = `pg_try_advisory_xact_lock(hashtextextended(account_id || ' ' || key_account_id || ' ' || key, 0))`;

/**
 * Claims idempotency keys. A transaction lock on the key tells a request that is being committed elsewhere from one that was:
 * it never waits, so the client gets its 409 at once, as does whoever comes too late. A claim that has expired counts as none.
 */
function claimKeys(batch: readonly Member[], nowMs: number): Statement | null {
  const rows: Cell[][] = [];
  batch.forEach(({ accountId, claim, log }, member) => {
    if (!claim || !log) return;
    const sealedBody = log.answer.secret?.sealedBody.toString('hex') ?? null;
    const { keyAccountId, key, fingerprint } = claim;
    const { id, startedMs } = log.facts;
    const isLate = nowMs - startedMs > claimedWithinMs;
    rows.push([member, accountId, keyAccountId, key, fingerprint, id, startedMs, sealedBody, isLate]);
  });
  return statementOf(
    'claim_keys',
    `
    with input as materialized (
      select *
      from unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::boolean[])
        as input (member, account_id, key_account_id, key, fingerprint, request_id, claimed_at_ms, sealed_body, is_late)
    ),
    claimed as (
      insert into idempotency_keys as stored
        (account_id, key_account_id, key, fingerprint, request_id, claimed_at_ms, sealed_body)
      select account_id, key_account_id, key, fingerprint, request_id, claimed_at_ms, decode(sealed_body, 'hex')
      from input
      where not is_late and ${tryLockOnKey}
      on conflict (account_id, key_account_id, key) do update
        set fingerprint = excluded.fingerprint,
            request_id = excluded.request_id,
            claimed_at_ms = excluded.claimed_at_ms,
            sealed_body = excluded.sealed_body
        where stored.claimed_at_ms + ${keyLifetimeMs} <= excluded.claimed_at_ms
      returning request_id
    ),
    refused as materialized (
      select *
      from input
      where request_id not in (select request_id from claimed)
    )
    -- A lock that is ours is given once more: what is refused with it is stored, or was another's until this moment.
    select
      refuse_batch_members('key_in_use', array(select member from refused where is_late or not ${tryLockOnKey})),
      refuse_batch_members('key_stored', array(select member from refused))`,
    rows,
  );
}

/** Changes records that are still as they were when they were read; rows are locked in one order, whatever the batch's. */
function updateRecords(batch: readonly Member[]): (Statement | null)[] {
  return byResource(batch, ({ updates }) => updates).map(([resource, changes]) => {
    const columns = writtenColumnsOf(resource);
    const fields = columns.filter((name) => name in resource.fields);
    const types = ['integer', 'bigint', ...columns.map((name) => arrayTypeOf(resource, name))];
    return statementOf(
      `update_${resource.table}`,
      `
      with input as materialized (
        select * from unnest(${parameters(types)}) as input (member, expected_revision, ${columns.join(', ')})
      ),
      held as materialized (
        select record.account_id, record.id
        from input
        join ${resource.table} record
          on record.account_id = input.account_id
          and record.id = input.id
          and record.revision = input.expected_revision
        order by record.account_id, record.id
        for update of record
      ),
      changed as (
        update ${resource.table} record
        set revision = input.revision, ${fields.map((name) => `${name} = ${fromInput(resource, name)}`).join(', ')}
        from input
        join held using (account_id, id)
        where record.account_id = held.account_id and record.id = held.id
      )
      select refuse_batch_members('record_moved', array(
        select distinct member
        from input
        left join held using (account_id, id)
        where held.id is null
      ))`,
      changes.map(({ member, write }) => [member, write.before!.revision, ...cellsOf(resource, write)]),
    );
  });
}

/** Deletes records that are still as they were when they were read. */
function deleteRecords(batch: readonly Member[]): (Statement | null)[] {
  return byResource(batch, ({ deletes }) => deletes).map(([resource, deletions]) =>
    statementOf(
      `delete_${resource.table}`,
      `
      with input as materialized (
        select * from unnest($1::integer[], $2::bigint[], $3::text[], $4::text[])
          as input (member, expected_revision, account_id, id)
      ),
      gone as (
        delete from ${resource.table} record
        using input
        where record.account_id = input.account_id
          and record.id = input.id
          and record.revision = input.expected_revision
        returning record.account_id, record.id
      )${resource.contents ? deletionOfParts : ''}
      select refuse_batch_members('record_moved', array(
        select member
        from input
        left join gone using (account_id, id)
        where gone.id is null
      ))`,
      deletions.map(({ member, write }) => [member, write.before!.revision, write.record.account_id, write.record.id]),
    ),
  );
}

/** A file's bytes go with it. */
const deletionOfParts = `,
      parts as (
        delete from file_parts part
        using gone
        where part.account_id = gone.account_id and part.file = gone.id
      )`;

/** Its bytes are a file's from now on, and no upload's. */
const endOfUploads = `,
      uploaded as (
        delete from file_uploads upload
        using input
        where upload.account_id = input.account_id and upload.file = input.id
      )`;

/**
 * Leaves out the members that would give an account more of a kind than it may have; they decide again. Batches that add to one count,
 * in whatever process, go one after the other: a transaction lock on account and kind comes before the count, in a statement of its
 * own, because a statement sees what was committed before it began. Locks are taken in one order, so that two batches never wait for
 * each other. A batch without such a kind pays nothing.
 */
function holdLimits(batch: readonly Member[]): (Statement | null)[] {
  const created = new Map<string, number>();
  const rows: Cell[][] = [];
  batch.forEach(({ accountId, inserts }, member) => {
    for (const { resource } of inserts) {
      const { object, mostOfAnAccount: most } = resource;
      if (most === undefined) continue;
      const kind = `${accountId} ${object}`;
      const ordinal = (created.get(kind) ?? 0) + 1;
      created.set(kind, ordinal);
      rows.push([member, accountId, object, ordinal, most]);
    }
  });
  const lockOnCounts = statementOf(
    'lock_counts',
    `
    select pg_advisory_xact_lock(lock)
    from (
      select distinct hashtextextended('count ' || kind, 0) as lock
      from unnest($1::text[]) as input (kind)
      order by lock
    ) locks`,
    [...created.keys()].map((kind) => [kind]),
  );
  const verifyCounts = statementOf(
    'verify_counts',
    `
    with input as materialized (
      select *
      from unnest($1::integer[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
        as input (member, account_id, object, ordinal, most)
    ),
    counted as materialized (
      select account_id, object, sum(delta) as count
      from count_deltas
      where (account_id, object) in (select account_id, object from input) and dimension = ''
      group by account_id, object
    )
    select refuse_batch_members('record_moved', array(
      select distinct member
      from input
      left join counted using (account_id, object)
      where coalesce(counted.count, 0) + ordinal > most
    ))`,
    rows,
  );
  return [lockOnCounts, verifyCounts];
}

function insertRecords(batch: readonly Member[]): (Statement | null)[] {
  return byResource(batch, ({ inserts }) => inserts).map(([resource, changes]) => {
    const columns = writtenColumnsOf(resource);
    return statementOf(
      `insert_${resource.table}`,
      `
      with input as (
        select * from unnest(${parameters(columns.map((name) => arrayTypeOf(resource, name)))}) as input (${columns.join(', ')})
      )${resource.contents ? endOfUploads : ''}
      insert into ${resource.table} (${columns.join(', ')})
      select ${columns.map((name) => fromInput(resource, name)).join(', ')}
      from input`,
      changes.map(({ write }) => cellsOf(resource, write)),
    );
  });
}

function insertEvents(batch: readonly Member[], epoch: number): Statement | null {
  const rows: Cell[][] = [];
  for (const { accountId, events } of batch) {
    for (const event of events) {
      const { id, created, type, objectId, mentions, data, request, shapeVersion } = event;
      const place = [epoch, rows.length];
      rows.push([
        accountId,
        id,
        created,
        type,
        objectId,
        arrayLiteral(mentions),
        data,
        request,
        shapeVersion,
        ...place,
      ]);
    }
  }
  return statementOf(
    'insert_events',
    `
    insert into events
      (account_id, id, created, type, object_id, mentions, data, request, shape_version, epoch, transaction_id, ordinal)
    select account_id, id, created, type, object_id, mentions::text[], data, request, shape_version, epoch, pg_current_xact_id(),
      ordinal
    from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
        $9::text[], $10::integer[], $11::integer[])
      as input (account_id, id, created, type, object_id, mentions, data, request, shape_version, epoch, ordinal)`,
    rows,
  );
}

function insertLogs(batch: readonly Member[]): Statement | null {
  const rows: Cell[][] = [];
  for (const { accountId, log } of batch) {
    if (!log) continue;
    const { facts, answer } = log;
    rows.push([
      accountId,
      facts.id,
      toSeconds(log.requestedMs),
      facts.method,
      facts.url,
      facts.path,
      answer.status,
      log.durationMs,
      facts.ipAddress,
      facts.userAgent,
      facts.actor.key?.id ?? null,
      facts.actor.key?.type ?? null,
      facts.actor.source,
      facts.apiVersion,
      facts.idempotencyKey,
      facts.originalRequest,
      facts.originalRequest !== null,
      facts.body,
      answer.secret?.redactedBody ?? answer.body,
      answer.error ? JSON.stringify(answer.error) : null,
      arrayLiteral(log.events),
      arrayLiteral(log.mentions),
      arrayLiteral(log.alsoMentions),
    ]);
  }
  return statementOf(
    'insert_logs',
    `
    insert into request_logs
      (account_id, id, created, method, url, path, status, duration_ms, ip_address, user_agent, key_id, key_type, source,
       api_version, idempotency_key, original_request, replayed, request_body, response_body, error, events, mentions, also_mentions)
    select account_id, id, created, method, url, path, status, duration_ms, ip_address, user_agent, key_id, key_type, source,
      api_version, idempotency_key, original_request, replayed, request_body, response_body, error, events::text[], mentions::text[],
      also_mentions::text[]
    from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::smallint[], $8::integer[],
        $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::boolean[],
        $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[])
      as input (account_id, id, created, method, url, path, status, duration_ms, ip_address, user_agent, key_id, key_type, source,
        api_version, idempotency_key, original_request, replayed, request_body, response_body, error, events, mentions, also_mentions)`,
    rows,
  );
}

/**
 * A delivery for each endpoint that subscribed to an event, from the endpoints as this very transaction sees them, and those that
 * were asked for one by one. Each gets a place in the queue.
 */
function insertDeliveries(batch: readonly Member[], nowMs: number): Statement | null {
  const rows: Cell[][] = [];
  for (const { accountId, events, deliveries } of batch) {
    for (const { id, created, type, isForSubscribers } of events) {
      if (isForSubscribers) rows.push([accountId, id, created, type, nowMs, null, null, null, null, false]);
    }
    for (const { eventAccountId, eventId, type, id, ...to } of deliveries) {
      const requested = [id, to.accountId, to.endpointId, to.enablement, to.isResend];
      rows.push([eventAccountId, eventId, toSeconds(timeOfId(id)), type, nowMs, ...requested]);
    }
  }
  return statementOf(
    'insert_deliveries',
    `
    with input as materialized (
      select *
      from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[],
          $9::bigint[], $10::boolean[])
        as input (account_id, event, created, type, due_at_ms, requested_delivery, requested_account, requested_endpoint,
          requested_enablement, resend)
    ),
    -- Many events of a batch are of one kind, and endpoints are looked for once for all of them.
    kind as materialized (
      select distinct account_id, type, array['*', type, split_part(type, '.', 1) || '.*'] as names
      from input
      where requested_delivery is null
    ),
    subscribed as materialized (
      select kind.account_id as event_account, kind.type, endpoint.account_id, endpoint.id as webhook_endpoint,
        endpoint.enablement
      from kind
      join webhook_endpoints endpoint on endpoint.account_id = kind.account_id and not endpoint.connected
      where endpoint.status = 'enabled' and endpoint.enabled_events && kind.names
      union all
      -- A parent's endpoints for the events of its connected accounts.
      select kind.account_id, kind.type, endpoint.account_id, endpoint.id, endpoint.enablement
      from kind
      join accounts account on account.account_id = kind.account_id and account.id = kind.account_id
      join webhook_endpoints endpoint on endpoint.account_id = account.parent and endpoint.connected
      where endpoint.status = 'enabled' and endpoint.enabled_events && kind.names
    ),
    wanted as materialized (
      select
        subscribed.account_id,
        -- As old as its event; the rest is made of event and endpoint, so that a batch that is sent again makes the same.
        'dlv_' || substr(input.event, 5, 10)
          || left(encode(sha256(convert_to(input.event || subscribed.webhook_endpoint, 'UTF8')), 'hex'), 12) as id,
        input.created,
        input.event,
        nullif(input.account_id, subscribed.account_id) as event_account,
        subscribed.webhook_endpoint,
        subscribed.enablement,
        input.type,
        input.due_at_ms,
        input.resend
      from subscribed
      join input on input.account_id = subscribed.event_account and input.type = subscribed.type
      where input.requested_delivery is null
      union all
      select requested_account, requested_delivery, created, event, nullif(account_id, requested_account), requested_endpoint,
        requested_enablement, type, due_at_ms, resend
      from input
      where requested_delivery is not null
    ),
    recorded as (
      insert into webhook_deliveries (account_id, id, created, event, event_account, webhook_endpoint, type)
      select account_id, id, created, event, event_account, webhook_endpoint, type
      from wanted
    )
    insert into webhook_queue (account_id, id, event, event_account, webhook_endpoint, enablement, due_at_ms, resend)
    select account_id, id, event, event_account, webhook_endpoint, enablement, due_at_ms, resend
    from wanted`,
    rows,
  );
}

/**
 * Puts jobs into the queue, each in the place of one that waits for the same record. The queue goes by the database's clock, and is told
 * how long to wait.
 */
function addJobs(batch: readonly Member[], nowMs: number): Statement | null {
  return statementOf(
    'add_jobs',
    `
    select from graphile_worker.add_jobs(array(
      select (
        job,
        json_build_object('account', account_id, 'id', id),
        null,
        statement_timestamp() + wait_ms * interval '1 ms',
        ${jobAttemptsMax},
        id,
        0,
        array[lane]
      )::graphile_worker.job_spec
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) as input (job, lane, account_id, id, wait_ms)
    ))`,
    batch.flatMap(({ accountId, jobs }) =>
      jobs.map(({ job, lane, id, dueAtMs }) => [job, lane, accountId, id, Math.max(0, dueAtMs - nowMs)]),
    ),
  );
}

/** Only our own faults use them up, and the database's: days, with the pauses that the queue makes. */
const jobAttemptsMax = 100;

const canceledAtOnceMax = 20_000;

/**
 * What is pending to an endpoint that was disabled or deleted leaves the queue; that makes it canceled. Of a huge backlog the rest
 * leaves when it is due: the dispatcher sends nothing to such an endpoint. That it failed is forgotten.
 */
function cancelDeliveries(batch: readonly Member[]): Statement | null {
  return statementOf(
    'cancel_deliveries',
    `
    with input as materialized (
      select * from unnest($1::text[], $2::text[]) as input (account_id, webhook_endpoint)
    ),
    forgotten as (
      delete from webhook_failures failing
      using input
      where failing.account_id = input.account_id and failing.webhook_endpoint = input.webhook_endpoint
    )
    delete from webhook_queue
    where (account_id, id) in (
      select queue.account_id, queue.id
      from input
      join webhook_queue queue using (account_id, webhook_endpoint)
      limit ${canceledAtOnceMax}
    )`,
    batch.flatMap(({ accountId, silencedEndpoints }) => silencedEndpoints.map((endpoint) => [accountId, endpoint])),
  );
}

/** One row for each value that the batch changes the count of, however many members did. */
function appendCounts(batch: readonly Member[]): Statement | null {
  const sums = new Map<string, { row: string[]; delta: number }>();
  for (const { accountId, counts } of batch) {
    for (const { object, dimension, value, delta } of counts) {
      const row = [accountId, object, dimension, value];
      const key = row.join(' ');
      const sum = sums.get(key);
      if (sum) sum.delta += delta;
      else sums.set(key, { row, delta });
    }
  }
  return statementOf(
    'append_counts',
    `
    insert into count_deltas (account_id, object, dimension, value, delta)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])`,
    [...sums.values()].filter(({ delta }) => delta !== 0).map(({ row, delta }) => [...row, delta]),
  );
}

/** Moves the deployment's clock, and with it what goes by a time of its own. */
function advanceClock(batch: readonly Member[]): (Statement | null)[] {
  return [moveClock(batch), moveOwnKeys(batch), moveJobs(batch)];
}

/** A clock that another request has moved meanwhile is a record that has moved: it is decided again. */
function moveClock(batch: readonly Member[]): Statement | null {
  return statementOf(
    'move_clock',
    `
    with input as materialized (
      select * from unnest($1::integer[], $2::bigint[], $3::bigint[]) as input (member, from_ms, to_ms)
    ),
    moved as (
      update deployment
      set clock_ahead_ms = input.to_ms
      from input
      where clock_ahead_ms = input.from_ms
      returning input.member
    )
    select refuse_batch_members('record_moved', array(
      select member from input where member not in (select member from moved)
    ))`,
    batch.flatMap(({ clockAdvance }, member) =>
      clockAdvance ? [[member, clockAdvance.fromMs, clockAdvance.toMs]] : [],
    ),
  );
}

/** Jobs that wait go by the database's clock, which does not move: they wait for so much less. */
function moveJobs(batch: readonly Member[]): Statement | null {
  return statementOf(
    'move_jobs',
    `
    update graphile_worker._private_jobs
    set run_at = run_at - (select sum(ms) from unnest($1::bigint[]) as input (ms)) * interval '1 ms'
    where is_available and run_at > clock_timestamp()`,
    batch.flatMap(({ clockAdvance }) => (clockAdvance ? [[clockAdvance.toMs - clockAdvance.fromMs]] : [])),
  );
}

/** The day of its own key begins in the new time: else it could be over with the advance, and a repeat would be one more. */
function moveOwnKeys(batch: readonly Member[]): Statement | null {
  return statementOf(
    'move_own_keys',
    `
    update idempotency_keys stored
    set claimed_at_ms = claimed_at_ms + input.ms
    from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as input (account_id, key_account_id, key, ms)
    where stored.account_id = input.account_id
      and stored.key_account_id = input.key_account_id
      and stored.key = input.key`,
    batch.flatMap(({ accountId, claim, clockAdvance }) =>
      claim && clockAdvance
        ? [[accountId, claim.keyAccountId, claim.key, clockAdvance.toMs - clockAdvance.fromMs]]
        : [],
    ),
  );
}

function byResource(
  batch: readonly Member[],
  writesOf: (member: Member) => RecordWrite[],
): [Resource, { member: number; write: RecordWrite }[]][] {
  const grouped = new Map<Resource, { member: number; write: RecordWrite }[]>();
  batch.forEach((candidate, member) => {
    for (const write of writesOf(candidate)) {
      const group = grouped.get(write.resource);
      if (group) group.push({ member, write });
      else grouped.set(write.resource, [{ member, write }]);
    }
  });
  // Every batch writes its tables in the same order, so that two batches never wait for each other in a circle.
  return [...grouped].sort(([left], [right]) => (left.table < right.table ? -1 : 1));
}

/** What the committer writes; what a duty keeps is left as it is. */
function writtenColumnsOf(resource: Resource): string[] {
  return columnsOf(resource).filter((name) => !resource.fields[name]?.keptBy);
}

function cellsOf(resource: Resource, { record }: RecordWrite): Cell[] {
  const values = record as unknown as Record<string, unknown>;
  return writtenColumnsOf(resource).map((name) => cellOf(resource.fields[name]?.column, values[name]));
}

function cellOf(type: ColumnType | null | undefined, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (type === 'json') return JSON.stringify(value);
  if (type === 'text[]') return arrayLiteral(value as string[]);
  if (type === 'sealed') return (value as Buffer).toString('hex');
  return value as Cell;
}

function arrayTypeOf(resource: Resource, column: string): string {
  if (column === 'created' || column === 'revision') return 'bigint';
  const type = resource.fields[column]?.column;
  return type === 'bigint' || type === 'integer' || type === 'boolean' ? type : 'text';
}

/** An array within an array travels as text, because `unnest` would flatten it; so do bytes, in hex. */
function fromInput(resource: Resource, column: string): string {
  switch (resource.fields[column]?.column) {
    case 'text[]':
      return `input.${column}::text[]`;
    case 'sealed':
      return `decode(input.${column}, 'hex')`;
    default:
      return `input.${column}`;
  }
}

function parameters(types: string[]): string {
  return types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
}

function statementOf(name: string, text: string, rows: Cell[][]): Statement | null {
  if (rows.length === 0) return null;
  const values = rows[0]!.map((_, column) => arrayLiteral(rows.map((row) => row[column]!)));
  return { name, text, values };
}

import { toSeconds } from '../../core/clock.ts';
import { arrayLiteral } from '../../db/array-literal.ts';
import { shownActor, userOf } from '../../model/callers/principal.ts';
import type { BatchEntry } from '../batch-entry.ts';
import { type Statement, type Cell, statementOf } from './statement.ts';

export function insertEvents(batch: readonly BatchEntry[], epoch: number): Statement | null {
  const rows: Cell[][] = [];
  for (const { accountId, events } of batch) {
    for (const event of events) {
      const { id, created, type, objectId, mentions, data, request, actor, shapeVersion } = event;
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
        shownActor(actor)?.type ?? null,
        shownActor(actor)?.id ?? null,
        shapeVersion,
        ...place,
      ]);
    }
  }
  return statementOf(
    'insert_events',
    `
    insert into events
      (account_id, id, created, type, object_id, mentions, data, request, actor_type, actor_id, shape_version, epoch,
       transaction_id, ordinal)
    select account_id, id, created, type, object_id, mentions::text[], data, request, actor_type, actor_id, shape_version, epoch,
      pg_current_xact_id(), ordinal
    from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
        $9::text[], $10::text[], $11::text[], $12::integer[], $13::integer[])
      as input (account_id, id, created, type, object_id, mentions, data, request, actor_type, actor_id, shape_version, epoch,
        ordinal)`,
    rows,
  );
}

export function insertLogs(batch: readonly BatchEntry[]): Statement | null {
  const rows: Cell[][] = [];
  for (const { accountId, log } of batch) {
    if (!log) continue;
    const { facts, response } = log;
    rows.push([
      accountId,
      facts.id,
      toSeconds(log.requestedMs),
      facts.method,
      facts.url,
      facts.path,
      response.status,
      log.durationMs,
      facts.ipAddress,
      facts.userAgent,
      userOf(facts.actor)?.email ?? null,
      userOf(facts.actor)?.id ?? null,
      facts.actor.key?.id ?? null,
      facts.actor.key?.type ?? null,
      facts.actor.source,
      facts.actor.type === 'portal_session' ? facts.actor.id : null,
      facts.apiVersion,
      facts.idempotencyKey,
      facts.originalRequest,
      facts.originalRequest !== null,
      facts.body,
      response.isUnlogged ? null : (response.secret?.redactedBody ?? response.body),
      response.error ? JSON.stringify(response.error) : null,
      response.error?.code ?? null,
      arrayLiteral(log.events),
      arrayLiteral(log.mentions),
      arrayLiteral(log.alsoMentions),
    ]);
  }
  return statementOf(
    'insert_logs',
    `
    insert into request_logs
      (account_id, id, created, method, url, path, status, duration_ms, ip_address, user_agent, user_email, user_id, key_id, key_type,
       source, portal_session, api_version, idempotency_key, original_request, replayed, request_body, response_body, error, error_code,
       events, mentions, also_mentions)
    select account_id, id, created, method, url, path, status, duration_ms, ip_address, user_agent, user_email, user_id, key_id, key_type,
      source, portal_session, api_version, idempotency_key, original_request, replayed, request_body, response_body, error, error_code, events::text[],
      mentions::text[], also_mentions::text[]
    from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::smallint[], $8::integer[],
        $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[],
        $19::text[], $20::boolean[], $21::text[], $22::text[], $23::text[], $24::text[], $25::text[], $26::text[], $27::text[])
      as input (account_id, id, created, method, url, path, status, duration_ms, ip_address, user_agent, user_email, user_id, key_id,
        key_type, source, portal_session, api_version, idempotency_key, original_request, replayed, request_body, response_body, error, error_code,
        events, mentions, also_mentions)`,
    rows,
  );
}

/**
 * Tells whether a statement's rows have ids that only this batch uses. If such a row exists, the batch may have been committed;
 * `countWitnesses` finds out.
 */
export function provesCommit(statement: Statement): boolean {
  return statement.name === 'insert_logs' || statement.name === 'insert_events';
}

/** Asks whether all logs and events of a batch exist: `are_there`. Two members share a row only after a fault. */
export function countRows(batch: readonly BatchEntry[]): Statement {
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

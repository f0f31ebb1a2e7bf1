import type { JsonObject } from '../core/diff.ts';
import { parseJson } from '../core/json.ts';
import type { Pool } from '../db/database.ts';

/*
 * What was written is never changed, but for one reason: it tells of a person who was erased. No row goes, so ids and times stay, and
 * what a request or an event was about.
 */

/** An event or an answer of this version without the person; null if it tells nothing of them. */
export type Rewriting = (object: JsonObject, version: string) => JsonObject | null;

const rowsAtOnce = 200;

/**
 * Empties the events that mention one of these records.
 *
 * @returns their ids, and the requests that caused them: `about` the records themselves, or `besides` about others that link to them.
 */
export async function eraseEvents(
  pool: Pool,
  accountId: string,
  ids: readonly string[],
  rewritten: Rewriting,
): Promise<{ events: string[]; requests: { about: string[]; besides: string[] } }> {
  const events: string[] = [];
  const about = new Set<string>();
  const besides = new Set<string>();
  for (let after = ''; ; after = events.at(-1)!) {
    const { rows } = await pool.query<{
      id: string;
      object_id: string;
      data: string;
      request: string;
      shape_version: string;
    }>({
      name: 'events_to_erase',
      text: `
        select id, object_id, data, request, shape_version
        from events
        where account_id = $1 and mentions && $2::text[] and id > $3
        order by id
        limit ${rowsAtOnce}`,
      values: [accountId, ids, after],
    });
    const changed: { id: string; data: string }[] = [];
    for (const { id, object_id, data, request, shape_version } of rows) {
      events.push(id);
      const cause = parseJson(request) as JsonObject | string | null;
      const requestId = typeof cause === 'string' ? cause : cause?.id;
      if (typeof requestId === 'string') (ids.includes(object_id) ? about : besides).add(requestId);
      const event = rewritten({ object: 'event', data: parseJson(data) }, shape_version);
      if (event) changed.push({ id, data: JSON.stringify(event.data) });
    }
    if (changed.length > 0) {
      await pool.query({
        name: 'erase_events',
        text: `
          update events event
          set data = input.data
          from unnest($2::text[], $3::text[]) as input (id, data)
          where event.account_id = $1 and event.id = input.id`,
        values: [accountId, changed.map(({ id }) => id), changed.map(({ data }) => data)],
      });
    }
    if (rows.length < rowsAtOnce) {
      return { events, requests: { about: [...about], besides: [...besides].filter((id) => !about.has(id)) } };
    }
  }
}

/**
 * Empties the logs of these requests and of those that repeated them, and of all requests to these paths and below. What was
 * answered, and is repeated for its Idempotency-Key, is told without the person; what was sent is told no more, but by requests
 * `besides`, which were about other records.
 */
export async function eraseLogs(
  pool: Pool,
  accountId: string,
  { about, besides, paths }: { about: readonly string[]; besides: readonly string[]; paths: readonly string[] },
  rewritten: Rewriting,
): Promise<void> {
  const keepBodies = new Set(besides);
  for (let after = '', more = true; more;) {
    const { rows } = await pool.query<{
      id: string;
      original_request: string | null;
      api_version: string;
      response_body: string | null;
    }>({
      name: 'logs_to_erase',
      text: `
        select id, original_request, api_version, response_body
        from (
          select id from request_logs where account_id = $1 and id = any($2::text[])
          union
          select id from request_logs where account_id = $1 and original_request = any($2::text[])
          union
          select log.id
          from unnest($3::text[]) as wanted (path)
          -- The character after a slash is a zero.
          join request_logs log
            on log.account_id = $1
            and (log.path = wanted.path or (log.path >= wanted.path || '/' and log.path < wanted.path || '0'))
        ) found
        join request_logs using (id)
        where account_id = $1 and id > $4
        order by id
        limit ${rowsAtOnce}`,
      values: [accountId, [...about, ...besides], paths, after],
    });
    const bodies = rows.map(({ api_version, response_body }) => {
      const answer = response_body === null ? null : answerIn(response_body);
      const emptied = answer && rewritten(answer, api_version);
      return emptied ? JSON.stringify(emptied) : response_body;
    });
    if (rows.length > 0) {
      await pool.query({
        name: 'erase_logs',
        text: `
          update request_logs log
          set request_body = case when keeps_body then log.request_body end, response_body = input.response_body
          from unnest($2::text[], $3::text[], $4::boolean[]) as input (id, response_body, keeps_body)
          where log.account_id = $1
            and log.id = input.id
            and (not keeps_body or log.response_body is distinct from input.response_body)`,
        values: [
          accountId,
          rows.map(({ id }) => id),
          bodies,
          rows.map(({ id, original_request: original }) => keepBodies.has(original ?? id)),
        ],
      });
    }
    after = rows.at(-1)?.id ?? '';
    more = rows.length === rowsAtOnce;
  }
}

/** Empties what receivers answered to these events: they may have sent back what they got. */
export async function eraseAttempts(pool: Pool, accountId: string, events: readonly string[]): Promise<void> {
  for (let at = 0; at < events.length; at += rowsAtOnce) {
    await pool.query({
      name: 'erase_attempts',
      text: `
        update webhook_attempts attempt
        set response = null
        from webhook_deliveries delivery
        where delivery.account_id in (
            select $1
            union all
            select parent from accounts where account_id = $1 and id = $1 and parent is not null
          )
          and delivery.event = any($2::text[])
          and attempt.account_id = delivery.account_id
          and attempt.delivery_id = delivery.id
          and attempt.response is not null`,
      values: [accountId, events.slice(at, at + rowsAtOnce)],
    });
  }
}

/** Null for what is no object: there is no person in it. */
function answerIn(text: string): JsonObject | null {
  try {
    return parseJson(text) as JsonObject;
  } catch {
    return null;
  }
}

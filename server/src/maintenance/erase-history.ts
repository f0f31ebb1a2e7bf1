import type { HeldBytes } from '../core/limits/byte-budget.ts';
import { isObject, sameJson, type Json, type JsonObject } from '../core/json-diff.ts';
import { parseJson } from '../core/json.ts';
import { query, type Pool } from '../db/pools.ts';

/*
 * Erases persons from history, the only change of written history. No row is deleted: ids, times and the objects of requests and events
 * stay. The statements have no names, so PostgreSQL plans them for their values. It then finds a person's few rows among an account's
 * millions by indexes that a generic plan would not use.
 */

/** Returns an event or a response of this version without the person, or null if it does not mention them. */
export type Rewriting = (object: JsonObject, version: string) => JsonObject | null;

/** Returns the body of a successful request without texts about the person. `recordId` is the record of the request. */
export type BodyRewriting = (body: JsonObject, recordId: string) => JsonObject;

/** Rows and bytes of a page. A row can have a megabyte. A larger row is a page of its own. */
const rowsAtOnce = 200;
const pageBytesMax = 4 * 1024 * 1024;

/** The bytes that a page holds in memory: as it was read, and as it is written. */
export const erasedAtOnceBytes = 2 * pageBytesMax;

/** Ids that are found at once. To find few takes as long as to find all. */
const foundAtOnce = 10_000;

/** Waits for room in memory for a page. */
export type HoldPage = () => Promise<HeldBytes>;

/**
 * Returns SQL of the account's events that mention one of the ids in this parameter. An event that mentions several comes several times.
 *
 * Looks each id up in the index. For `mentions && …`, PostgreSQL prefers to compare every event with every id.
 */
export function eventsMentioning(ids: string): string {
  return `unnest(${ids}::text[]) as wanted (id)
     join events event on event.account_id = $1 and event.mentions @> array[wanted.id collate "C"]`;
}

/** Returns every id in the events that mention one of these records: the records they are or were linked to. */
export async function readMentioned(pool: Pool, accountId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await query<{ id: string }>(
    pool,
    `select distinct mentioned.id
     from ${eventsMentioning('$2')}, unnest(event.mentions) as mentioned (id)`,
    [accountId, ids],
  );
  return rows.map(({ id }) => id);
}

/**
 * Erases the person from the events that mention one of these records.
 *
 * @param ownIds those of them that are about this person alone. The others stay, with others' data.
 * @returns their ids, and the requests that caused them: `about` the records themselves, or `besides` about others that link to them.
 */
export async function eraseEvents(
  pool: Pool,
  accountId: string,
  ids: readonly string[],
  ownIds: ReadonlySet<string>,
  rewritten: Rewriting,
  holdPage: HoldPage,
): Promise<{ events: string[]; requests: { about: string[]; besides: string[] } }> {
  const events: string[] = [];
  const about = new Set<string>();
  const besides = new Set<string>();
  const find = async (after: string): Promise<string[]> => {
    const { rows } = await query<{ id: string }>(
      pool,
      `select distinct event.id from ${eventsMentioning('$2')} where event.id > $3 order by event.id limit ${foundAtOnce}`,
      [accountId, ids, after],
    );
    return rows.map(({ id }) => id);
  };
  const erasePage = async (page: readonly string[]): Promise<ErasedRow[]> => {
    const { rows } = await query<{
      id: string;
      object_id: string;
      data: string;
      request: string;
      shape_version: string;
      found: number;
    }>(
      pool,
      `select id, object_id, data, request, shape_version, found
       from (
         select *, count(*) over () as found, sum(bytes) over (order by id rows unbounded preceding) as bytes_so_far
         from (
           select id, object_id, data, request, shape_version, octet_length(data) as bytes
           from events
           where account_id = $1 and id = any($2::text[])
         ) wanted
       ) page
       where bytes_so_far <= ${pageBytesMax} or bytes_so_far = bytes
       order by id`,
      [accountId, page],
    );
    const changed: { id: string; data: string }[] = [];
    for (const { id, object_id, data, request, shape_version } of rows) {
      events.push(id);
      const cause = parseJson(request);
      const requestId = isObject(cause) ? cause.id : cause;
      if (typeof requestId === 'string') (ownIds.has(object_id) ? about : besides).add(requestId);
      const event = rewritten({ object: 'event', data: parseJson(data) }, shape_version);
      if (event) changed.push({ id, data: JSON.stringify(event.data) });
    }
    if (changed.length > 0) {
      await query(
        pool,
        `update events event
         set data = input.data
         from unnest($2::text[], $3::text[]) as input (id, data)
         where event.account_id = $1 and event.id = input.id`,
        [accountId, changed.map(({ id }) => id), changed.map(({ data }) => data)],
      );
    }
    return rows;
  };
  await eraseFound(find, erasePage, holdPage);
  return { events, requests: { about: [...about], besides: [...besides].filter((id) => !about.has(id)) } };
}

/** A row of an erased page, and the number of rows that were found for the page. Those without room in it come in the next. */
interface ErasedRow {
  id: string;
  found: number;
}

/**
 * Erases the found rows page by page, each when there is room for it.
 *
 * @param find returns the ids after one, in order, `foundAtOnce` at most.
 * @param erasePage erases as many of these rows as have room, in order. Some may be gone.
 */
async function eraseFound(
  find: (after: string) => Promise<string[]>,
  erasePage: (ids: readonly string[]) => Promise<ErasedRow[]>,
  holdPage: HoldPage,
): Promise<void> {
  for (let after = '', more = true; more;) {
    const found = await find(after);
    for (let at = 0; at < found.length;) {
      const page = found.slice(at, at + rowsAtOnce);
      const bytes = await holdPage();
      try {
        const erased = await erasePage(page);
        const isWhole = erased.length === (erased[0]?.found ?? 0);
        at += isWhole ? page.length : page.indexOf(erased.at(-1)!.id) + 1;
      } finally {
        bytes.release();
      }
    }
    more = found.length === foundAtOnce;
    after = found.at(-1) ?? '';
  }
}

/** Identifies the logs that may contain a person's data. */
export interface LogsToErase {
  /** `about`: requests about the records themselves. `besides`: requests about others that link to them. */
  about: readonly string[];
  besides: readonly string[];
  /** Paths of the records, for requests to them and below. */
  paths: readonly string[];
  /** Paths of records that stay, and have texts about the person. */
  pathsWithTexts: readonly string[];
  /** Ids of the records: bodies of requests that caused no event may contain them. */
  ids: readonly string[];
}

interface LogRow extends ErasedRow {
  original_request: string | null;
  idempotency_key: string | null;
  api_version: string;
  status: number;
  url: string;
  path: string;
  request_body: string | null;
  response_body: string | null;
  error: string | null;
}

/**
 * Erases a person from the logs of requests that mention them, and from the logs of their repeats. The stored response of an
 * Idempotency-Key is replayed without the person. The request body is removed, unless the request succeeded and was about another record.
 */
export async function eraseLogs(
  pool: Pool,
  accountId: string,
  { about, besides, paths, pathsWithTexts, ids }: LogsToErase,
  rewritten: Rewriting,
  bodyRewritten: BodyRewriting,
  holdPage: HoldPage,
): Promise<void> {
  const ofOthers = new Set(besides);
  const find = async (after: string): Promise<string[]> => {
    const { rows } = await query<{ id: string }>(
      pool,
      `with found as materialized (
         select id from request_logs where account_id = $1 and id = any($2::text[])
         union
         select id from request_logs where account_id = $1 and original_request = any($2::text[])
         union
         select id from request_logs where account_id = $1 and path = any($3::text[])
         union
         -- In ASCII, the zero follows the slash.
         select log.id
         from unnest($3::text[]) as wanted (path)
         join request_logs log
           on log.account_id = $1 and log.path >= wanted.path || '/' and log.path < wanted.path || '0'
         union
         select log.id
         from unnest($4::text[]) as wanted (id)
         join request_logs log
           on log.account_id = $1 and log.also_mentions <> '{}' and log.also_mentions @> array[wanted.id collate "C"]
       )
       select id from found where id > $5 order by id limit ${foundAtOnce}`,
      [accountId, [...about, ...besides], [...paths, ...pathsWithTexts], ids, after],
    );
    return rows.map(({ id }) => id);
  };
  const erasePage = async (page: readonly string[]): Promise<ErasedRow[]> => {
    const { rows } = await query<LogRow>(
      pool,
      `select id, original_request, idempotency_key, api_version, status, url, path, request_body, response_body, error,
         found
       from (
         select *, count(*) over () as found, sum(bytes) over (order by id rows unbounded preceding) as bytes_so_far
         from (
           select id, original_request, idempotency_key, api_version, status, url, path, request_body, response_body, error,
             coalesce(octet_length(request_body), 0) + coalesce(octet_length(response_body), 0) as bytes
           from request_logs
           where account_id = $1 and id = any($2::text[])
         ) wanted
       ) page
       where bytes_so_far <= ${pageBytesMax} or bytes_so_far = bytes
       order by id`,
      [accountId, page],
    );
    const keys: string[] = [];
    const changed = rows.flatMap((row) => {
      // A request that waits for a person has an event about that, and its body is about the erased person.
      const isTheirs =
        row.status === 200 && (ofOthers.has(row.original_request ?? row.id) || isOfAnother(row, about, paths));
      const erased = withoutPerson(row, isTheirs, rewritten, bodyRewritten);
      if (row.idempotency_key !== null && erased.response_body !== row.response_body) keys.push(row.idempotency_key);
      return isSame(row, erased) ? [] : [erased];
    });
    await dropEncrypted(pool, accountId, keys);
    if (changed.length > 0) {
      await query(
        pool,
        `update request_logs log
         set url = input.url, request_body = input.request_body, response_body = input.response_body, error = input.error
         from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
           as input (id, url, request_body, response_body, error)
         where log.account_id = $1 and log.id = input.id`,
        [
          accountId,
          changed.map(({ id }) => id),
          changed.map(({ url }) => url),
          changed.map(({ request_body: body }) => body),
          changed.map(({ response_body: body }) => body),
          changed.map(({ error }) => error),
        ],
      );
    }
    return rows;
  };
  await eraseFound(find, erasePage, holdPage);
}

/**
 * Drops the encrypted copies of responses that showed the person. An encrypted copy has the secrets that the log hides, and is replayed in
 * its place. Without it, the response is replayed from the log.
 */
async function dropEncrypted(pool: Pool, accountId: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await query(
    pool,
    `update idempotency_keys
     set sealed_body = null
     where account_id = $1
       and key_account_id in (
         select $1
         union all
         select parent from accounts where account_id = $1 and id = $1 and parent is not null
       )
       and key = any($2::text[])
       and sealed_body is not null`,
    [accountId, keys],
  );
}

/**
 * Returns the other accounts of the same platform whose requests named one of these records. They were refused, because a record belongs to
 * one account. Most were sent without `Service-Context`, or with a wrong one. Their logs have the bodies.
 */
export async function readAccountsThatNamed(pool: Pool, accountId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await query<{ id: string }>(
    pool,
    `with recursive named as materialized (
       select distinct log.account_id
       from unnest($2::text[]) as wanted (id)
       join request_logs log
         on log.account_id <> $1 and log.also_mentions <> '{}' and log.also_mentions @> array[wanted.id collate "C"]
     ),
     above as (
       select account_id as of, account_id, parent
       from accounts
       where account_id = $1 or account_id in (select account_id from named)
       union all
       select above.of, account.account_id, account.parent
       from above
       join accounts account on account.account_id = above.parent
     )
     select other.of as id
     from above own
     join above other on other.account_id = own.account_id and other.of <> own.of
     where own.of = $1 and own.parent is null
     order by id`,
    [accountId, ids],
  );
  return rows.map(({ id }) => id);
}

/** Tells whether a successful request was about another record, and its response showed the person. */
function isOfAnother(row: LogRow, about: readonly string[], paths: readonly string[]): boolean {
  if (about.includes(row.original_request ?? row.id)) return false;
  return !paths.some((path) => row.path === path || row.path.startsWith(`${path}/`));
}

function withoutPerson(
  row: LogRow,
  isOfAnotherRecord: boolean,
  rewritten: Rewriting,
  bodyRewritten: BodyRewriting,
): LogRow {
  const body = row.response_body === null ? null : parseBody(row.response_body);
  const emptied = body && rewritten(body, row.api_version);
  const responseBody = emptied ? JSON.stringify(emptied) : row.response_body;
  // A body from the portal is what a person has written, and its path does not name that person.
  if (isOfAnotherRecord && row.path.startsWith('/v1/portal/'))
    return { ...row, request_body: null, response_body: responseBody };
  if (isOfAnotherRecord)
    return { ...row, request_body: requestWithoutTexts(row, body, bodyRewritten), response_body: responseBody };
  const [url = ''] = row.url.split('?', 1);
  return {
    ...row,
    url,
    request_body: null,
    // An error quotes the wrong input.
    response_body: isObject(body?.error) ? JSON.stringify({ error: withoutWords(body.error) }) : responseBody,
    error: row.error === null ? null : JSON.stringify(withoutWords(parseJson(row.error))),
  };
}

/** Returns the body of a successful request about a record that stays. */
function requestWithoutTexts(
  { path, original_request: original, request_body: text }: LogRow,
  response: JsonObject | null,
  bodyRewritten: BodyRewriting,
): string | null {
  const body = text === null ? null : parseBody(text);
  const [, , first, ...rest] = path.split('/');
  // A path that has no id makes a record, and the response names it.
  const recordId = rest[first === 'test_helpers' ? 1 : 0] ?? response?.id;
  if (!body) return text;
  // A repeated request may not say which record it made.
  if (typeof recordId !== 'string') return original === null ? text : null;
  const left = bodyRewritten(body, recordId);
  return sameJson(left, body) ? text : JSON.stringify(left);
}

function withoutWords(error: Json): Json {
  if (!isObject(error)) return error;
  const { param: _, errors: __, ...rest } = error;
  return 'message' in rest ? { ...rest, message: '[erased]' } : rest;
}

function isSame(before: LogRow, after: LogRow): boolean {
  return (['url', 'request_body', 'response_body', 'error'] as const).every((name) => before[name] === after[name]);
}

/** Removes the responses of receivers to these events: they may echo the events. */
export async function eraseAttempts(pool: Pool, accountId: string, events: readonly string[]): Promise<void> {
  for (let at = 0; at < events.length; at += rowsAtOnce) {
    await query(
      pool,
      `update webhook_attempts attempt
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
      [accountId, events.slice(at, at + rowsAtOnce)],
    );
  }
}

/** Removes the addresses and browsers of a person from the logs of their requests in the portal. The logs still name the session. */
export async function eraseClients(pool: Pool, accountId: string, personId: string): Promise<void> {
  await query(
    pool,
    `update request_logs
     set ip_address = null, user_agent = null
     where account_id = $1
       and portal_session in (select id from portal_sessions where account_id = $1 and customer = $2)
       and (ip_address is not null or user_agent is not null)`,
    [accountId, personId],
  );
}

/** Parses a response, or returns null if it is no object: then it holds no person. */
function parseBody(text: string): JsonObject | null {
  try {
    const body = parseJson(text);
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}

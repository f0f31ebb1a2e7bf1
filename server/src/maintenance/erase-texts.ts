import { withRollUps } from '../commit/roll-ups.ts';
import { toSeconds } from '../core/clock.ts';
import { isId } from '../core/ids.ts';
import { isObject, sameJson, type JsonObject } from '../core/json-diff.ts';
import { parseJson } from '../core/json.ts';
import { query } from '../db/pools.ts';
import type { Reader } from '../db/reader.ts';
import { decideEmptying } from '../model/change.ts';
import { withoutPerson } from '../model/erase.ts';
import { fieldOf } from '../model/record.ts';
import type { RecordChange, Resource } from '../model/resource.ts';
import { approvesRequests } from '../model/traits/approves-requests.ts';
import { linksHere } from '../model/traits/links-here.ts';
import { personalTexts, type PersonalTexts } from '../model/traits/personal-texts.ts';
import { eventsMentioning } from './erase-history.ts';
import { pagesOf, type ErasureContext } from './erasure-context.ts';

/**
 * Empties the texts about a person in the records that stay.
 *
 * @returns the ids of these records.
 */
export async function eraseTexts(context: ErasureContext, accountId: string, personId: string): Promise<string[]> {
  const found = await readIdsWithTexts(context, accountId, personId);
  return emptyTexts(context, accountId, found, new Set([personId]));
}

/**
 * Empties the texts that were copied from an erased record.
 *
 * @returns the ids of the records with the copies.
 */
export async function eraseCopies(
  context: ErasureContext,
  accountId: string,
  { path, table }: Resource,
  erasedId: string,
): Promise<string[]> {
  const { resources, reader } = context;
  const found = new Map<Resource, string[]>();
  for (const resource of resources) {
    const link = personalTexts.of(resource)?.copiedFrom;
    if (link === undefined || resource.links?.[link] !== path) continue;
    const rows = await reader.query<{ id: string }>({
      name: `read_${resource.table}_copied_from_${table}`,
      text: `select id from ${resource.table} where account_id = $1 and ${link} = $2 order by id`,
      values: [accountId, erasedId],
    });
    found.set(
      resource,
      rows.map(({ id }) => id),
    );
  }
  return emptyTexts(context, accountId, found, new Set([erasedId]));
}

/**
 * Empties the texts of records that ask a person about these records.
 *
 * @param personId null if another system keeps the person.
 * @returns the ids of the records that ask.
 */
export async function eraseQuestions(
  context: ErasureContext,
  accountId: string,
  askedAbout: AskedAbout,
  personId: string | null,
): Promise<string[]> {
  const found = await readIdsAsking(context, accountId, askedAbout, personId);
  return emptyTexts(context, accountId, found, new Set(askedAbout.erased));
}

async function emptyTexts(
  context: ErasureContext,
  accountId: string,
  found: ReadonlyMap<Resource, string[]>,
  erasedIds: ReadonlySet<string>,
): Promise<string[]> {
  const { committer } = context;
  for (const [resource, ids] of found) {
    for (const page of pagesOf(ids)) {
      await committer.commitAsSystem({
        accountId,
        locks: page,
        decide: async (room) => {
          const readRecord = room.readerOf(context.readRecord);
          const records = await Promise.all(page.map((id) => readRecord(resource, accountId, id)));
          const changes = records.flatMap((record) => {
            const change = record && decideEmptying(resource, record, erasedIds);
            return change ? [withoutBlindQuestion(change, toSeconds(context.clock.nowMs()))] : [];
          });
          return { changes: await withRollUps(context, accountId, changes) };
        },
      });
    }
  }
  return [...found.values()].flat();
}

/** Ends a pending question that has lost the body of its request. Otherwise, a person could approve a request without seeing it. */
function withoutBlindQuestion(change: RecordChange, nowSeconds: number): RecordChange {
  const { resource, before, after } = change;
  const asks = personalTexts.of(resource)?.asks;
  const approvals = approvesRequests.of(resource);
  if (!asks || !approvals || !before || !after) return change;
  const hadBody = fieldOf(before, asks.body) !== null;
  if (!hadBody || approvals.stateOf(before, nowSeconds) !== 'pending') return change;
  const end = approvals.end(after);
  return end
    ? { ...change, after: { ...end.after, revision: after.revision }, ...(end.verbs && { verbs: end.verbs }) }
    : change;
}

/**
 * Finds the records that stay when a person is erased, but have texts about the person. One leads to another: a tenancy to its deposit, and
 * the deposit to its payments. Records that were deleted, and those that no longer link to the person, are found by their events.
 *
 * @returns their ids, by resource.
 */
export async function readIdsWithTexts(
  context: ErasureContext,
  accountId: string,
  personId: string,
): Promise<Map<Resource, string[]>> {
  const kinds = context.resources.filter((resource) => personalTexts.has(resource));
  const found = new Map(kinds.map((resource) => [resource, new Set<string>()]));
  const known = new Set([personId]);
  // Each round follows only what the round before has found. A person can have thousands of payments.
  for (let latest = [personId]; latest.length > 0;) {
    const fresh = new Set<string>();
    const note = (resource: Resource, id: string): void => {
      found.get(resource)!.add(id);
      if (!known.has(id)) fresh.add(id);
      known.add(id);
    };
    for (const resource of kinds) {
      const texts = personalTexts.of(resource)!;
      for (const id of await readLinking(context.reader, resource, texts, accountId, { personId, ids: latest }))
        note(resource, id);
    }
    const earlier = await readEarlier(context, kinds, accountId, { personId, ids: latest, known: [...known] });
    for (const [resource, id] of earlier) note(resource, id);
    latest = [...fresh];
  }
  return new Map([...found].map(([resource, ids]) => [resource, [...ids].toSorted()]));
}

/** Records that a person can be asked about. */
export interface AskedAbout {
  /** A person, the records about it and their files. */
  erased: readonly string[];
  /** Records that stay, and lose their texts about the person. */
  emptied: readonly string[];
}

/**
 * Finds the records that ask a person about a request to one of these records, or about its event. Leaves out those that name another
 * person. A request to a record that loses its texts counts in any case.
 *
 * @returns their ids, by resource.
 */
export async function readIdsAsking(
  { resources, reader }: ErasureContext,
  accountId: string,
  { erased, emptied }: AskedAbout,
  personId: string | null,
): Promise<Map<Resource, string[]>> {
  const found = new Map<Resource, string[]>();
  const kinds = resources.filter((resource) => personalTexts.of(resource)?.asks);
  if (kinds.length === 0) return found;
  const ids = [...erased, ...emptied];
  for (const id of await readIdsBelonging(reader, resources, accountId, emptied)) ids.push(id);
  for (const resource of kinds) {
    const { asks, person } = personalTexts.of(resource)!;
    const asked = `split_part(${asks!.path}, '/', 4)`;
    const runs = resources.find(({ path }) => path === resource.links?.[asks!.run])!;
    const rows = await reader.query<{ id: string }>({
      name: `read_${resource.table}_asking`,
      // A person can have many events, so they stay in the database.
      text: `
        with about as materialized (
          select distinct
            event.id,
            case json_typeof(event.request::json)
              when 'object' then event.request::json ->> 'id'
              else event.request::json #>> '{}'
            end as request
          from ${eventsMentioning('$2')}
          where event.object_id = any($2::text[])
        ),
        -- A request that creates a record has the ids of others in its body only.
        naming as materialized (
          select asking.id
          from ${resource.table} asking
          cross join lateral jsonb_path_query(asking.${asks!.body}::jsonb, 'strict $.**') as part (value)
          join unnest($2::text[]) as wanted (id) on wanted.id = part.value #>> '{}'
          where asking.account_id = $1 and (asking.${person} is null or asking.${person} = $3)
        )
        select id
        from ${resource.table}
        where account_id = $1
          and (
            ${asked} in (select unnest($4::text[]))
            or (
              (${person} is null or ${person} = $3)
              and (
                ${asked} in (select unnest($2::text[]))
                or ${asks!.executed} in (select request from about where request is not null)
                or ${asks!.run} in (
                  select id from ${runs.table} where account_id = $1 and event in (select id from about)
                )
                or id in (select id from naming)
              )
            )
          )
        order by id`,
      values: [accountId, ids, personId, emptied],
    });
    found.set(
      resource,
      rows.map(({ id }) => id),
    );
  }
  return found;
}

/**
 * Returns the ids of the records that belong to one of these records, such as the subscriptions of a tenancy. Leaves out kinds with texts.
 */
async function readIdsBelonging(
  reader: Reader,
  resources: readonly Resource[],
  accountId: string,
  ids: readonly string[],
): Promise<string[]> {
  const holders = new Set(resources.filter((resource) => personalTexts.has(resource)).map(({ path }) => path));
  const found: string[] = [];
  for (const resource of resources.filter((candidate) => !personalTexts.has(candidate))) {
    const links = (linksHere.of(resource) ?? []).filter((link) => holders.has(resource.links?.[link] ?? ''));
    if (links.length === 0 || ids.length === 0) continue;
    const rows = await reader.query<{ id: string }>({
      name: `read_${resource.table}_belonging`,
      text: `
        select id
        from ${resource.table}
        where account_id = $1 and (${links.map((link) => `${link} = any($2::text[])`).join(' or ')})`,
      values: [accountId, ids],
    });
    for (const { id } of rows) found.push(id);
  }
  return found;
}

/** Events of a page, and their bytes. An event can have half a megabyte. A larger one is a page of its own. */
const eventsAtOnce = 200;
const pageBytesMax = 4 * 1024 * 1024;

/**
 * Finds records by events that mention one of these records and show a text. A text that came after the last link is about others, so it
 * finds nothing. Leaves out the events of known records, and those of kinds without such texts: references can have thousands.
 */
async function readEarlier(
  { database, versions }: ErasureContext,
  kinds: readonly Resource[],
  accountId: string,
  { personId, ids, known }: { personId: string; ids: readonly string[]; known: readonly string[] },
): Promise<[Resource, string][]> {
  const earlier: [Resource, string][] = [];
  for (let after = '', more = true; more;) {
    const { rows } = await query<{
      id: string;
      object_id: string;
      data: string;
      shape_version: string;
      found: number;
    }>(
      database.listers,
      `with found as materialized (
         select distinct event.id
         from ${eventsMentioning('$2')}
         where event.object_id <> all($4::text[]) and split_part(event.object_id, '_', 1) = any($5::text[])
       )
       select id, object_id, data, shape_version, found
       from (
         select *, count(*) over () as found, sum(bytes) over (order by id rows unbounded preceding) as bytes_so_far
         from (
           select id, object_id, data, shape_version, octet_length(data) as bytes
           from events
           where account_id = $1 and id in (select id from found where id > $3 order by id limit ${eventsAtOnce})
         ) wanted
       ) page
       where bytes_so_far <= ${pageBytesMax} or bytes_so_far = bytes
       order by id`,
      [accountId, ids, after, known, kinds.map(({ prefix }) => prefix)],
    );
    for (const { object_id: objectId, data, shape_version: shape } of rows) {
      const resource = kinds.find(({ prefix }) => isId(prefix, objectId));
      if (!resource) continue;
      const event = versions.convert({ object: 'event', data: parseJson(data) }, shape, versions.newest);
      const shown = isObject(event.data) ? event.data.object : null;
      if (isObject(shown) && hasTextsAbout(personId, resource, shown)) earlier.push([resource, objectId]);
    }
    after = rows.at(-1)?.id ?? '';
    const found = rows[0]?.found ?? 0;
    more = rows.length < found || found === eventsAtOnce;
  }
  return earlier;
}

function hasTextsAbout(personId: string, resource: Resource, shown: JsonObject): boolean {
  const { person } = personalTexts.of(resource)!;
  const named = person === undefined ? null : (shown[person] ?? null);
  if (named !== null && named !== personId) return false;
  return !sameJson(withoutPerson(resource, shown, new Set([personId])), shown);
}

/** Returns the ids of the records that link to one of these records, unless their texts are about another person. */
async function readLinking(
  reader: Reader,
  { table, fields }: Resource,
  { links, person }: PersonalTexts,
  accountId: string,
  { personId, ids }: { personId: string; ids: readonly string[] },
): Promise<string[]> {
  const conditions = links.map((link) =>
    fields[link]?.column === 'text[]' ? `${link} && $2::text[]` : `${link} = any($2::text[])`,
  );
  const rows = await reader.query<{ id: string }>({
    name: `read_${table}_with_texts`,
    text: `
      select id
      from ${table}
      where account_id = $1
        and (${conditions.join(' or ')})
        ${person === undefined ? '' : `and (${person} is null or ${person} = $3)`}
      order by id`,
    values: person === undefined ? [accountId, ids] : [accountId, ids, personId],
  });
  return rows.map(({ id }) => id);
}

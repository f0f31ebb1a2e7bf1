import { setImmediate as nextRound } from 'node:timers/promises';
import type { RecordReader } from '../db/record-reader.ts';
import type { Reader } from '../db/reader.ts';
import type { Resource } from '../model/resource.ts';
import type { WorkflowRunRecord } from '../resources/workflows/run.ts';
import type { ApiVersions } from '../versions/apply.ts';
import { filtersOn, parsedAtOnceBytes } from './event-filters.ts';
import { isObject, type Json } from '../core/json-diff.ts';
import { stepAt } from './advance.ts';
import type { Step } from './rules/definition.ts';
import type { Filter } from './rules/filters.ts';
import { pathsIn } from './rules/templates.ts';
import type { EventRow } from './event-rows.ts';

interface AwaitedContext {
  reader: Reader;
  readRecord: RecordReader;
  resources: readonly Resource[];
  versions: ApiVersions;
}

/**
 * Returns an id that each awaited event has in its data, or null if the filters name none. Only an id counts that stays the same during
 * the wait, so no value of another step's record. Ids are the same in all versions.
 */
export function awaitedRecord({ filters = [], for_each: list }: Step, filled: readonly Filter[]): string | null {
  const isFixed = (value: Json | undefined): boolean =>
    typeof value === 'string' &&
    pathsIn(value).every(
      (path) =>
        path.startsWith('event.') ||
        /^steps\.\w+\.output\.id$/.test(path) ||
        (path === 'item' && list?.startsWith('event.')),
    );
  const ids = filled
    .filter(({ path, op }, at) => op === 'eq' && path.startsWith('data.') && isFixed(filters[at]?.value))
    .map(({ value }) => value);
  return ids.find((id): id is string => typeof id === 'string' && isWholeId.test(id)) ?? null;
}

const isWholeId = /^[a-z]+_[0-9A-Za-z]{22}$/;

/** Returns all ids of this API in the data of events. */
export function idsIn(events: readonly { data: string }[]): string[] {
  return [...new Set(events.flatMap(({ data }) => data.match(/\b[a-z]+_[0-9A-Za-z]{22}\b/g) ?? []))];
}

/** Events of a page. Few come between two steps of a run. */
const eventsAtOnce = 20;

/** Bytes of data after which a page ends. Its last event can have half a megabyte more. */
const pageBytesMax = 512 * 1024;

/** Returns the ids of the events that earlier items of the run's step have taken. Each item takes one of its own. */
export function takenEvents(run: WorkflowRunRecord): Set<string> {
  const { id } = stepAt(run);
  const outputs = run.steps.filter((entry) => entry.id === id).map(({ output }) => output);
  return new Set(
    outputs.flatMap((output) => (isObject(output) && typeof output.event === 'string' ? [output.event] : [])),
  );
}

/** Runs a piece of work when it is its turn. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Returns the id of the first awaited event since the step before, or null.
 *
 * @param inTurn runs few looks at a page at once: many runs can look through many megabytes.
 */
export async function findAwaited(
  context: AwaitedContext,
  run: WorkflowRunRecord,
  types: readonly string[],
  filters: readonly Filter[],
  inTurn: InTurn,
): Promise<string | null> {
  const taken = takenEvents(run);
  for (let after = run.progress.from; ;) {
    const look = await inTurn(async () => {
      const rows = await readEventsAfter(context.reader, run.account_id, after, types);
      const free = rows.filter(({ id }) => !taken.has(id));
      const found = await firstMatch(context, free, run.definition.api_version, filters);
      const hasMore = rows.length > 0 && (rows.length === eventsAtOnce || rows.length < Number(rows[0]!.found));
      return { found: found?.id ?? null, next: hasMore ? rows.at(-1)!.id : null };
    });
    if (look.found !== null || look.next === null) return look.found;
    after = look.next;
  }
}

/** Reads a page of events after an id. `found` also counts events without room in the page. */
function readEventsAfter(
  reader: Reader,
  accountId: string,
  after: string,
  types: readonly string[],
): Promise<(EventRow & { found: string })[]> {
  return reader.query({
    name: 'read_events_since_step',
    text: `
      select id, created, type, data, request, shape_version, found
      from (
        select *, count(*) over () as found, sum(octet_length(data)) over (order by id) - octet_length(data) as bytes_before
        from (
          select id, created, type, data, request, shape_version
          from events
          where account_id = $1 and id > $2 and type = any($3)
          order by id
          limit ${eventsAtOnce}
        ) next
      ) measured
      where bytes_before < ${pageBytesMax}
      order by id`,
    values: [accountId, after, types],
  });
}

/** Returns the first event that has all of these values, in the version of the workflow. Other work has its turn meanwhile. */
async function firstMatch(
  context: Pick<AwaitedContext, 'versions'>,
  rows: readonly EventRow[],
  version: string,
  filters: readonly Filter[],
): Promise<EventRow | null> {
  let bytes = 0;
  for (const row of rows) {
    if (filtersOn(context, row)(filters, version)) return row;
    bytes += row.data.length;
    if (bytes < parsedAtOnceBytes) continue;
    bytes = 0;
    await nextRound();
  }
  return null;
}

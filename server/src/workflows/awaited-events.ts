import type { RecordReader } from '../db/record-reader.ts';
import type { Reader } from '../db/reader.ts';
import type { Resource } from '../model/resource.ts';
import type { WorkflowRunRecord } from '../resources/workflows/run.ts';
import type { ApiVersions } from '../versions/apply.ts';
import { eventIn, type StoredEvent } from './events.ts';
import { isObject, type Json } from '../core/json-diff.ts';
import { stepAt } from './advance.ts';
import type { Step } from './rules/definition.ts';
import { lookInEvent, matchesAll, type Filter } from './rules/filters.ts';
import { pathsIn } from './rules/templates.ts';
import { rowToEvent, type EventRow } from './event-rows.ts';

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

/** Events of a page. Each can have half a megabyte, and few come between two steps of a run. */
const eventsAtOnce = 20;

/** Returns the ids of the events that earlier items of the run's step have taken. Each item takes one of its own. */
export function takenEvents(run: WorkflowRunRecord): Set<string> {
  const { id } = stepAt(run);
  const outputs = run.steps.filter((entry) => entry.id === id).map(({ output }) => output);
  return new Set(
    outputs.flatMap((output) => (isObject(output) && typeof output.event === 'string' ? [output.event] : [])),
  );
}

/** Returns the id of the first awaited event since the step before, or null. */
export async function findAwaited(
  context: AwaitedContext,
  run: WorkflowRunRecord,
  types: readonly string[],
  filters: readonly Filter[],
): Promise<string | null> {
  const { account_id: accountId, progress, definition } = run;
  const taken = takenEvents(run);
  for (let after = progress.from; ;) {
    const rows: EventRow[] = await context.reader.query<EventRow>({
      name: 'read_events_since_step',
      text: `
        select id, created, type, data, request, shape_version
        from events
        where account_id = $1 and id > $2 and type = any($3)
        order by id
        limit $4`,
      values: [accountId, after, types, eventsAtOnce],
    });
    const found = rows.find(
      (row) => !taken.has(row.id) && isMatch(context, rowToEvent(row), definition.api_version, filters),
    );
    if (found) return found.id;
    if (rows.length < eventsAtOnce) return null;
    after = rows.at(-1)!.id;
  }
}

/** Returns whether an event has all of these values, in the version of the workflow. */
export function isMatch(
  context: Pick<AwaitedContext, 'versions'>,
  stored: StoredEvent,
  version: string,
  filters: readonly Filter[],
): boolean {
  const event = eventIn(context, stored, version);
  return matchesAll(filters, (path) => lookInEvent(event, path));
}

import type { RecordReader } from '../db/record-reader.ts';
import type { Reader } from '../db/reader.ts';
import type { Resource } from '../model/resource.ts';
import type { WorkflowRunRecord } from '../resources/workflows/run.ts';
import type { ApiVersions } from '../versions/apply.ts';
import { eventIn, type StoredEvent } from './events.ts';
import { lookInEvent, matchesAll, type Filter } from './rules/filters.ts';
import { rowToEvent, type EventRow } from './event-rows.ts';

interface AwaitedContext {
  reader: Reader;
  readRecord: RecordReader;
  resources: readonly Resource[];
  versions: ApiVersions;
}

/** Events of a page. Each can have half a megabyte, and few come between two steps of a run. */
const eventsAtOnce = 20;

/** Returns the id of the first awaited event since the step before, or null. */
export async function findAwaited(
  context: AwaitedContext,
  { account_id: accountId, progress, definition }: WorkflowRunRecord,
  types: readonly string[],
  filters: readonly Filter[],
): Promise<string | null> {
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
    const found = rows.find((row) => isMatch(context, rowToEvent(row), definition.api_version, filters));
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

import type { JsonObject } from '../core/json-diff.ts';
import { rowToEvent, type EventRow } from './event-rows.ts';
import { eventIn, type EventContext, type StoredEvent } from './events.ts';
import { lookInEvent, matchesAll, mayMatch, type Filter } from './rules/filters.ts';

/** Bytes of data that are parsed before other work has its turn. They take the processor for some milliseconds. */
export const parsedAtOnceBytes = 256 * 1024;

/**
 * Returns whether an event passes filters in a version. Many workflows and waits can hear of one event, so it is parsed once. The caller
 * keeps this function no longer than it looks at the event: a parsed event can take megabytes.
 */
export function filtersOn(
  context: Pick<EventContext, 'versions'>,
  row: EventRow,
): (filters: readonly Filter[], version: string) => boolean {
  let stored: StoredEvent | undefined;
  const shown = new Map<string, JsonObject>();
  const shownIn = (version: string): JsonObject => {
    stored ??= rowToEvent(row);
    const known = shown.get(version) ?? eventIn(context, stored, version);
    shown.set(version, known);
    return known;
  };
  return (filters, version) =>
    (row.shape_version !== version || mayMatch(filters, row.data)) &&
    matchesAll(filters, (path) => lookInEvent(shownIn(version), path));
}

import { familiesOf, unknownEvent } from '../../model/event-names.ts';
import type { Caller } from '../../model/callers/caller.ts';

/**
 * Refuses names that no event of this release has, because no event would ever match them.
 *
 * @throws {ApiError} `parameter_invalid`, with the nearest name.
 */
export function requireKnownEvents(names: readonly string[], { knownEventTypes }: Caller): string[] {
  const families = familiesOf(knownEventTypes);
  for (const [index, name] of names.entries()) {
    if (['*', ...families, ...knownEventTypes].includes(name)) continue;
    throw unknownEvent(`enabled_events[${index}]`, name, knownEventTypes);
  }
  return [...names];
}

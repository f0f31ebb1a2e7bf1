import { invalidParameter } from '../../core/errors.ts';
import { nearestName } from '../../core/nearest.ts';
import type { Caller } from '../../model/caller.ts';

/**
 * Refuses names that no event of this release has, because no event would ever match them.
 *
 * @throws {ApiError} `parameter_invalid`, with the nearest name.
 */
export function requireKnownEvents(names: readonly string[], { knownEventTypes }: Caller): string[] {
  const families = [...new Set(knownEventTypes.map((type) => type.replace(/\..*/, '.*')))];
  const known = ['*', ...families, ...knownEventTypes];
  for (const [index, name] of names.entries()) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known);
    const advice =
      nearest !== null
        ? `Did you mean \`${nearest}\`?`
        : `Send \`*\`, one of ${families.join(', ')}, or a single type such as \`${knownEventTypes[0]}\`.`;
    throw invalidParameter(`enabled_events[${index}]`, `There is no event \`${name}\`. ${advice}`);
  }
  return [...names];
}

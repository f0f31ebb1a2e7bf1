import { invalidParameter, type ApiError } from '../core/errors.ts';
import { nearestName } from '../core/nearest.ts';
import type { Filter } from './resource.ts';

/** Returns the names that stand for all events of a kind: `reference.*`. */
export function familiesOf(types: readonly string[]): string[] {
  return [...new Set(types.map((type) => type.replace(/\..*/, '.*')))];
}

/** Returns the refusal of a name that no event of this release has, with the nearest one. */
export function unknownEvent(param: string, name: string, knownEventTypes: readonly string[]): ApiError {
  const families = familiesOf(knownEventTypes);
  const nearest = nearestName(name, ['*', ...families, ...knownEventTypes]);
  const advice =
    nearest !== null
      ? `Did you mean \`${nearest}\`?`
      : `Send \`*\`, one of ${families.join(', ')}, or a single type such as \`${knownEventTypes[0]}\`.`;
  return invalidParameter(param, `There is no event \`${name}\`. ${advice}`);
}

/**
 * Refuses a filter by event types that no event of this release has. Otherwise a typo would find nothing, and a stream would wait for ever.
 *
 * @throws {ApiError} `parameter_invalid`.
 */
export function requireKnownEvents(
  filters: Readonly<Record<string, Filter>>,
  query: Readonly<Record<string, unknown>>,
  known: readonly string[],
): void {
  for (const [param, { namesEvents }] of Object.entries(filters)) {
    const name = query[param];
    if (!namesEvents || typeof name !== 'string' || known.some((type) => isPrefixMatch(type, name))) continue;
    throw unknownEvent(param, name, known);
  }
}

/** Returns whether a text equals a value, or begins with the text before its final `*`. */
export function isPrefixMatch(text: string, value: string): boolean {
  return value.endsWith('*') ? text.startsWith(value.slice(0, -1)) : text === value;
}

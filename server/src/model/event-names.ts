import { invalidParameter, type ApiError } from '../core/errors.ts';
import { nearestName } from '../core/nearest.ts';

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

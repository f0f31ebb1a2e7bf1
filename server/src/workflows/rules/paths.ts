import type { Json } from '../../core/json-diff.ts';

/** The names and positions of a path, such as `data.object.id` or `customers.0`. */
export const pathPattern = '^[A-Za-z0-9_]+(\\.[A-Za-z0-9_]+)*$';
export const pathLengthMax = 200;

/** Returns the value at a path. Undefined if there is none. A number is a position in a list. */
export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    // `length` is a member of a list, too.
    if (Array.isArray(found) && !/^\d+$/.test(name)) return undefined;
    found = (found as Record<string, Json>)[name];
  }
  return found;
}

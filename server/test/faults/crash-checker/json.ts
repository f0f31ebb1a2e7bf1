import { isDeepStrictEqual } from 'node:util';

/** What the API speaks. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Whether two values mean the same; the order of members does not count. */
export function sameJson(left: Json | undefined, right: Json | undefined): boolean {
  return isDeepStrictEqual(left, right);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member that has to be a string, or '' where it is none: that shows in the comparison that follows. */
export function textOf(object: Json | undefined, ...path: string[]): string {
  let value: Json | undefined = object;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** A text that should be a JSON object; null if it is none. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * What an event must tell of a change: the previous values of what changed, nested objects member by member, null for
 * a member that was not there. Written anew here rather than taken from the server, whose own is under test.
 */
export function previousValues(before: JsonObject, after: JsonObject): JsonObject {
  const previous: JsonObject = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const was = before[name] ?? null;
    const is = after[name] ?? null;
    if (sameJson(was, is)) continue;
    previous[name] = isObject(was) && isObject(is) ? previousValues(was, is) : was;
  }
  return previous;
}

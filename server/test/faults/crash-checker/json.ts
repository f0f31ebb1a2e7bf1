import { isDeepStrictEqual } from 'node:util';

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Whether two values mean the same. The order of members does not count. */
export function sameJson(left: Json | undefined, right: Json | undefined): boolean {
  return isDeepStrictEqual(left, right);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a member that must be a string, or '' if it is not one. The comparison that follows shows the difference. */
export function textOf(object: Json | undefined, ...path: string[]): string {
  let value: Json | undefined = object;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Parses a text that should be a JSON object; null if it is not one. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Returns the previous values that an event must show for a change. Nested objects are compared member by member, and a new member had
 * null. Written anew here, because the server's own code is under test.
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

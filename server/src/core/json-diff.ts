/** A value as clients see it: plain JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/**
 * Returns the previous values of changed keys only, or null if nothing changed. Nested objects are compared member by member, arrays as a
 * whole. A key that did not exist has null.
 */
export function previousAttributes(before: JsonObject, after: JsonObject): JsonObject | null {
  const previous: JsonObject = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const was = member(before, key);
    const is = member(after, key);
    if (isObject(was) && isObject(is)) {
      const inner = previousAttributes(was, is);
      if (inner) setMember(previous, key, inner);
    } else if (!sameJson(was, is)) {
      setMember(previous, key, was);
    }
  }
  return Object.keys(previous).length > 0 ? previous : null;
}

/** A member that differs between two objects. A side without the member is left out. */
export type Difference = { path: string; before?: Json; after?: Json };

/** Returns all members that differ: nested objects member by member, arrays as a whole. Paths are joined by dots. */
export function differencesOf(before: JsonObject, after: JsonObject, within = ''): Difference[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key): Difference[] => {
    const path = within + key;
    const [was, is] = [before, after].map((object) => (Object.hasOwn(object, key) ? object[key] : undefined));
    if (was !== undefined && is !== undefined) {
      if (isObject(was) && isObject(is)) return differencesOf(was, is, `${path}.`);
      if (sameJson(was, is)) return [];
    }
    return [{ path, ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) }];
  });
}

/** Returns whether two JSON values are equal, in any order of keys. */
export function sameJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
    );
  }
  return false;
}

/** Defines a member. An assignment to a client's `__proto__` would set the prototype and lose the member. */
export function setMember(target: JsonObject, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

/** Returns an own member by name, or null. Inherited members (`__proto__`, `toString`) do not count. */
function member(object: JsonObject, key: string): Json {
  return Object.hasOwn(object, key) ? (object[key] ?? null) : null;
}

/** Returns whether a value is a JSON object: neither an array nor null. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a record looks like to the outside: plain JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/**
 * The previous values of all that changed, or null if nothing did: changed keys only, nested objects member by member,
 * arrays whole, and null for a key that was not there.
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

/** A member that is different in two objects. What is left out was not there. */
export type Difference = { path: string; before?: Json; after?: Json };

/** All members that are different, nested objects member by member and arrays whole. Paths are joined by dots. */
export function differencesOf(before: JsonObject, after: JsonObject, within = ''): Difference[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key): Difference[] => {
    const path = within + key;
    const [was, is] = [before, after].map((object) => (Object.hasOwn(object, key) ? object[key]! : undefined));
    if (was !== undefined && is !== undefined) {
      if (isObject(was) && isObject(is)) return differencesOf(was, is, `${path}.`);
      if (sameJson(was, is)) return [];
    }
    return [{ path, ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) }];
  });
}

/** Whether two JSON values are equal; the order of keys does not count. */
export function sameJson(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]!));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key]!, right[key]!))
    );
  }
  return false;
}

/** Sets a member by definition: assigning a client's `__proto__` would set the prototype and lose the member. */
export function setMember(target: JsonObject, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

/** A member by name; what every object inherits (`__proto__`, `toString`) is none. */
function member(object: JsonObject, key: string): Json {
  return Object.hasOwn(object, key) ? object[key]! : null;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

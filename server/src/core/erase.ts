import { setMember, type Json, type JsonObject } from './diff.ts';
import type { Resource } from './resource.ts';

/** The members that tell of a person, each with what is left of it; those that are not there are not added. */
export function withoutPerson<Shape extends object>(resource: Resource, members: Shape): Shape {
  const left = { ...members } as Record<string, Json>;
  for (const [name, { erased }] of Object.entries(resource.fields)) {
    if (erased && Object.hasOwn(left, name)) left[name] = erased(left[name]!);
  }
  return left as Shape;
}

/**
 * An answer or an event without what it tells of persons who were erased, wherever it does: in lists, expanded records, snapshots and
 * their `previous_attributes`. The very same value if it tells nothing of them.
 *
 * @param value in the newest shape.
 * @param kinds by their `object`.
 * @param ids the records to be emptied.
 */
export function eraseWithin(value: Json, kinds: ReadonlyMap<string, Resource>, ids: ReadonlySet<string>): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => eraseWithin(item, kinds, ids));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const inner: JsonObject = {};
  let changed = false;
  for (const name of Object.keys(value)) {
    const member = eraseWithin(value[name]!, kinds, ids);
    changed ||= member !== value[name];
    setMember(inner, name, member);
  }
  const kind = isErased(value, ids) ? kinds.get(value.object) : undefined;
  if (kind) return withoutPerson(kind, inner);
  const snapshot = value.object;
  const previous = value.previous_attributes;
  if (isObject(snapshot) && isErased(snapshot, ids) && isObject(previous)) {
    const snapshotKind = kinds.get(snapshot.object);
    if (snapshotKind) return { ...inner, previous_attributes: withoutPerson(snapshotKind, previous) };
  }
  return changed ? inner : value;
}

function isErased(value: JsonObject, ids: ReadonlySet<string>): value is JsonObject & { object: string } {
  return typeof value.object === 'string' && typeof value.id === 'string' && ids.has(value.id);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

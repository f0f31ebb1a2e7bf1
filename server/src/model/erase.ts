import { isObject, sameJson, setMember, type Json, type JsonObject } from '../core/json-diff.ts';
import type { Resource } from './resource.ts';
import { erasable } from './traits/erasable.ts';
import { personalTexts } from './traits/personal-texts.ts';
import { storesFile } from './traits/stores-file.ts';

/**
 * Empties the personal members of an object. Returns the same object if they are empty already.
 *
 * @param ids the erased persons, for a kind that has texts about several.
 */
export function withoutPerson<Shape extends object>(
  resource: Resource,
  members: Shape,
  ids: ReadonlySet<string> = new Set(),
): Shape {
  let left = members as Record<string, Json>;
  const texts = personalTexts.of(resource)?.texts;
  for (const [name, field] of Object.entries(resource.fields)) {
    const erased = texts ? texts[name] : field.erased;
    const known = Object.hasOwn(left, name) ? left[name] : undefined;
    if (!erased || known === undefined) continue;
    const value = erased(known, ids);
    if (!sameJson(value, known)) left = { ...left, [name]: value };
  }
  return left as Shape;
}

/**
 * Erases persons from a response or an event: in lists, expanded records, snapshots and their `previous_attributes`. Returns the same value
 * if it contains nothing about them.
 *
 * @param value a value in the newest shape.
 * @param kinds the kinds of records, by their `object`.
 * @param ids the records to empty.
 */
export function eraseWithin(
  value: JsonObject,
  kinds: ReadonlyMap<string, Resource>,
  ids: ReadonlySet<string>,
): JsonObject;
export function eraseWithin(value: Json, kinds: ReadonlyMap<string, Resource>, ids: ReadonlySet<string>): Json;
export function eraseWithin(value: Json, kinds: ReadonlyMap<string, Resource>, ids: ReadonlySet<string>): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => eraseWithin(item, kinds, ids));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const inner: JsonObject = {};
  let changed = false;
  for (const [name, known] of Object.entries(value)) {
    // Metadata belongs to the client and can look like anything.
    const member = name === 'metadata' ? known : eraseWithin(known, kinds, ids);
    changed ||= member !== known;
    setMember(inner, name, member);
  }
  const left = changed ? inner : value;
  const kind = isErased(value, ids) ? kinds.get(value.object) : undefined;
  if (kind) return withoutPerson(kind, left, ids);
  const snapshot = value.object;
  const previous = value.previous_attributes;
  if (isObject(snapshot) && isErased(snapshot, ids) && isObject(previous)) {
    const snapshotKind = kinds.get(snapshot.object);
    const leftBefore = snapshotKind ? withoutPerson(snapshotKind, previous, ids) : previous;
    if (leftBefore !== previous) return { ...inner, previous_attributes: leftBefore };
  }
  return left;
}

/** Returns a pattern for ids of records with personal data: persons, records about them, and files. */
export function personalDataIdsOf(resources: readonly Resource[]): RegExp {
  const kinds = resources.filter(
    (resource) => resource.delete === 'erases' || erasable.has(resource) || storesFile.has(resource),
  );
  return new RegExp(`\\b(?:${kinds.map(({ prefix }) => prefix).join('|')})_[0-9A-Za-z]{22}\\b`, 'g');
}

function isErased(value: JsonObject, ids: ReadonlySet<string>): value is JsonObject & { object: string } {
  return typeof value.object === 'string' && typeof value.id === 'string' && ids.has(value.id);
}

import { previousAttributes, sameJson, type Json, type JsonObject } from '../core/json-diff.ts';
import { withoutPerson } from './erase.ts';
import { timeOfId, type Id } from '../core/ids.ts';
import { toSeconds } from '../core/clock.ts';
import { mergeMetadata, metadataOf } from './metadata.ts';
import type { StoredRecord } from './record.ts';
import type { Caller } from './caller.ts';
import type { Action, Change, RecordChange, RequestedDelivery, Resource } from './resource.ts';
import { erasable } from './traits/erasable.ts';
import { ownAccount } from './traits/own-account.ts';

/** What an event tells of a change; who caused it is added by the committer. */
export interface EventFacts {
  /** `<resource>.<verb>`. */
  type: string;
  objectId: string;
  object: JsonObject;
  previousAttributes: JsonObject | null;
}

/** Makes a new record of this kind from a valid body. */
export function decideCreate(
  resource: Resource,
  id: Id,
  accountId: string,
  input: object,
  caller: Caller,
): RecordChange {
  if (!resource.create) throw new Error(`Bug! ${resource.object} cannot be created.`);
  const fields = resource.create.decide(input, caller);
  const own = ownAccount.of(resource);
  const after: StoredRecord = { ...fields, ...newRecord(id, own ? id : accountId) };
  if (own) Object.assign(after, { [own.column]: accountId });
  if ('deleted_at' in resource.fields) after.deleted_at = null;
  if ('metadata' in resource.fields) after.metadata = mergeMetadata({}, metadataOf(input));
  return { resource, before: null, after };
}

/** What every record has from its beginning. */
export function newRecord(id: Id, accountId: string): Pick<StoredRecord, 'id' | 'account_id' | 'created' | 'revision'> {
  return { id, account_id: accountId, created: toSeconds(timeOfId(id)), revision: 1 };
}

/** Changes a record by a valid body. */
export function decideUpdate(resource: Resource, before: StoredRecord, input: object, caller: Caller): Decision {
  if (!resource.update) throw new Error(`Bug! ${resource.object} cannot be updated.`);
  const decided = resource.update.decide(before, input, caller);
  const metadata = before.metadata && mergeMetadata(before.metadata, metadataOf(input));
  return toDecision(resource, before, { ...decided, after: { ...decided.after, ...(metadata && { metadata }) } });
}

/** Empties a record of all that tells of a person who is erased; the id stays, and what is no business of theirs. */
export function decideErasure(resource: Resource, before: StoredRecord, nowSeconds: number): RecordChange {
  const { after, verb } = erasable.of(resource)?.decide(before, nowSeconds) ?? { after: before };
  const erased = { ...withoutPerson(resource, after), deleted_at: nowSeconds };
  return toDecision(resource, before, { after: erased, ...(verb && { verb }) }).changes[0];
}

/** Carries out one of the record's actions, such as `cancel`. */
export function decideAction(
  resource: Resource,
  action: Action,
  before: StoredRecord,
  input: object,
  caller: Caller,
  named: Readonly<Record<string, StoredRecord>> = {},
): Decision {
  return toDecision(resource, before, action.decide(before, caller, input, named));
}

/** What shall change, the record that was asked for first, and what is answered where that is not this record. */
export interface Decision {
  changes: [RecordChange, ...RecordChange[]];
  /** What is sent to one endpoint because somebody asked for it. */
  deliveries?: RequestedDelivery[];
  answer?: StoredRecord;
}

/** A decision as what is to be written: the next revision, unless nothing is different. */
export function toDecision(
  resource: Resource,
  before: StoredRecord,
  { after, verb, eventId, deliveries = [], also = [], answer }: Change<StoredRecord>,
): Decision {
  // What a decision returns as it got it is not written.
  const changed = after === before ? before : { ...after, revision: before.revision + 1 };
  const change = { resource, before, after: changed, ...(verb && { verb }), ...(eventId && { eventId }) };
  return { changes: [change, ...also], deliveries, ...(answer && { answer }) };
}

/** The record as the newest version of the API shows it at this time. */
export function renderRecord(resource: Resource, record: StoredRecord, nowSeconds: number): JsonObject {
  if (isGone(resource, record)) return { id: record.id, object: resource.object, deleted: true };
  const object: JsonObject = { id: record.id, object: resource.object, created: record.created };
  const values = record as unknown as JsonObject;
  for (const name in resource.fields) {
    const { shown, derive } = resource.fields[name]!;
    if (!shown) object[name] = derive ? derive(record, nowSeconds) : (values[name] ?? null);
  }
  if (isErased(record)) object.deleted = true;
  return object;
}

/** Whether nothing is left of the record but its id: it is a person who was erased. */
export function isGone({ delete: how }: Resource, record: StoredRecord): boolean {
  return how === 'erases' && isErased(record);
}

/** Whether the person that the record is, or tells of, was erased. */
export function isErased({ deleted_at }: StoredRecord): boolean {
  return deleted_at !== undefined && deleted_at !== null;
}

/**
 * The events of a change, in their order: `created`; `updated` and then the specific one; the specific one alone if nothing
 * that is shown has changed; `deleted`, which an erasure ends with. An erasure tells what else it changes, such as a status, and nothing
 * of what there was of the person. None if nothing happened: then there is nothing to write either.
 */
export function eventsOf(change: RecordChange, nowSeconds: number): EventFacts[] {
  const { resource, before, after } = change;
  const object = renderRecord(resource, after ?? before, nowSeconds);
  const event = (verb: string, previous: JsonObject | null): EventFacts => ({
    type: `${resource.object}.${verb}`,
    objectId: (after ?? before).id,
    object,
    previousAttributes: previous,
  });
  if (!before) return [event('created', null)];
  if (!after) return [event('deleted', null)];
  const isErasure = isErased(after) && !isErased(before);
  if (isErasure && isGone(resource, after)) return [event('deleted', null)];
  // What the person's own members were is not told: they are emptied before they are compared.
  const known = isErasure ? withoutPerson(resource, before) : before;
  const changed = previousAttributes(renderRecord(resource, known, nowSeconds), object);
  const verbs = [...(change.verb ? [change.verb] : []), ...(isErasure ? ['deleted'] : [])];
  // That it is deleted is what `deleted` tells.
  const isUpdated = changed !== null && Object.keys(changed).some((name) => !isErasure || name !== 'deleted');
  return [...(isUpdated ? [event('updated', changed)] : []), ...verbs.map((verb) => event(verb, null))];
}

/**
 * Whether it changes what the record keeps for itself and is shown to nobody, such as when it is looked at next. That is written, too, and
 * has no event.
 */
export function changesUnseen({ resource, before, after }: RecordChange): boolean {
  if (!before || !after || before === after) return false;
  const [was, is] = [before, after] as unknown as [JsonObject, JsonObject];
  return Object.entries(resource.fields).some(
    ([name, { shown, column }]) =>
      shown === 'never' && column === 'json' && !sameJson(was[name] ?? null, is[name] ?? null),
  );
}

/** Every id an event speaks of: the record's own, and those it links to now or linked to before. */
export function mentionedIds(resource: Resource, event: EventFacts): string[] {
  const ids = new Set([event.objectId]);
  for (const link of Object.keys(resource.links ?? {})) {
    addIds(ids, event.object[link]);
    addIds(ids, event.previousAttributes?.[link]);
  }
  return [...ids];
}

function addIds(ids: Set<string>, value: Json | undefined): void {
  if (typeof value === 'string') ids.add(value);
  else if (Array.isArray(value)) for (const item of value) addIds(ids, item);
}

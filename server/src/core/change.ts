import { previousAttributes, type Json, type JsonObject } from './diff.ts';
import { timeOfId, type Id } from './ids.ts';
import { toSeconds } from './clock.ts';
import { mergeMetadata, type Metadata } from './metadata.ts';
import type { Caller, Resource, StoredRecord } from './resource.ts';

/**
 * What happens to one record: the one idea of this server. A decision returns it, the committer writes it, and events, counts,
 * the request's log and its stored answer follow from it; nothing else writes.
 */
export interface RecordChange {
  resource: Resource;
  /** The record as it was read, or null if it is new. */
  before: StoredRecord | null;
  after: StoredRecord;
  /** The event that follows `<resource>.updated`, such as `completed`. */
  verb?: string;
}

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
  const after: StoredRecord = {
    ...resource.create.decide(input, caller),
    id,
    account_id: accountId,
    created: toSeconds(timeOfId(id)),
    revision: 1,
  };
  if ('metadata' in resource.fields) after.metadata = mergeMetadata({}, metadataOf(input));
  return { resource, before: null, after };
}

/** Changes a record by a valid body. */
export function decideUpdate(resource: Resource, before: StoredRecord, input: object, caller: Caller): RecordChange {
  if (!resource.update) throw new Error(`Bug! ${resource.object} cannot be updated.`);
  const { after, verb } = resource.update.decide(before, input, caller);
  const changed = { ...after, revision: before.revision + 1 };
  if (before.metadata) changed.metadata = mergeMetadata(before.metadata, metadataOf(input));
  return { resource, before, after: changed, ...(verb && { verb }) };
}

/** Carries out one of the record's actions, such as `cancel`. */
export function decideAction(resource: Resource, name: string, before: StoredRecord, caller: Caller): RecordChange {
  const action = resource.actions?.[name];
  if (!action) throw new Error(`Bug! ${resource.object} has no action ${name}.`);
  const { after, verb } = action.decide(before, caller);
  return { resource, before, after: { ...after, revision: before.revision + 1 }, ...(verb && { verb }) };
}

/** The record as the newest version of the API shows it. */
export function renderRecord(resource: Resource, record: StoredRecord): JsonObject {
  const object: JsonObject = { id: record.id, object: resource.object, created: record.created };
  const values = record as unknown as JsonObject;
  for (const name in resource.fields) {
    if (!resource.fields[name]!.hidden) object[name] = values[name] ?? null;
  }
  return object;
}

/**
 * The events of a change, in their order: `created`, or `updated` and then the specific one. None if nothing that can be
 * seen has changed: then there is nothing to write either.
 */
export function eventsOf(change: RecordChange): EventFacts[] {
  const { resource, before, after, verb } = change;
  const object = renderRecord(resource, after);
  if (!before) return [{ type: `${resource.object}.created`, objectId: after.id, object, previousAttributes: null }];
  const previous = previousAttributes(renderRecord(resource, before), object);
  if (!previous) return [];
  const updated = { type: `${resource.object}.updated`, objectId: after.id, object, previousAttributes: previous };
  return verb ? [updated, { ...updated, type: `${resource.object}.${verb}`, previousAttributes: null }] : [updated];
}

/** Every id an event speaks of: the record's own, and those it links to now or linked to before. */
export function mentionedIds(resource: Resource, event: EventFacts): string[] {
  const ids = new Set([event.objectId]);
  for (const link of resource.links ?? []) {
    addIds(ids, event.object[link]);
    addIds(ids, event.previousAttributes?.[link]);
  }
  return [...ids];
}

function addIds(ids: Set<string>, value: Json | undefined): void {
  if (typeof value === 'string') ids.add(value);
  else if (Array.isArray(value)) for (const item of value) addIds(ids, item);
}

function metadataOf(input: object): Metadata | null | undefined {
  return (input as { metadata?: Metadata | null }).metadata;
}

import type { Moment } from '../core/clock.ts';
import { previousAttributes, sameJson, type JsonObject } from '../core/json-diff.ts';
import { withoutPerson } from './erase.ts';
import { timeOfId, type Id } from '../core/ids.ts';
import { toSeconds } from '../core/clock.ts';
import { idsAt } from './links.ts';
import { mergeMetadata, metadataOf } from './schemas/metadata.ts';
import type { StoredRecord } from './record.ts';
import { Related } from './related.ts';
import type { Caller } from './callers/caller.ts';
import type { EmailToSend } from './email.ts';
import type { Action, Change, RecordChange, RequestedDelivery, Resource } from './resource.ts';
import { erasable } from './traits/erasable.ts';
import { opensData } from './traits/opens-data.ts';
import { madeInBulk } from './traits/made-in-bulk.ts';
import { ownAccount } from './traits/own-account.ts';

/** The contents of an event about a change. The committer adds the actor. */
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
  input: JsonObject,
  caller: Caller,
  related = new Related(),
): Decision {
  if (!resource.create) throw new Error(`Bug! ${resource.object} cannot be created.`);
  const fields = resource.create.decide(input, caller, related);
  const own = ownAccount.of(resource);
  const after: StoredRecord = { ...fields, ...newRecord(id, own ? id : accountId) };
  if (own) Object.assign(after, { [own.column]: accountId });
  if ('deleted_at' in resource.fields) after.deleted_at = null;
  if ('metadata' in resource.fields) after.metadata = mergeMetadata({}, metadataOf(input));
  const {
    after: moved = after,
    also = [],
    emails = [],
    verbs = [],
  } = resource.create.besides?.(after, caller, related) ?? {};
  return { changes: [{ resource, before: null, after: moved, ...(verbs.length > 0 && { verbs }) }, ...also], emails };
}

/** Returns the members that every new record has. */
export function newRecord(id: Id, accountId: string): Pick<StoredRecord, 'id' | 'account_id' | 'created' | 'revision'> {
  return { id, account_id: accountId, created: toSeconds(timeOfId(id)), revision: 1 };
}

/** Changes a record by a valid body. */
export function decideUpdate(
  resource: Resource,
  before: StoredRecord,
  input: JsonObject,
  caller: Caller,
  related = new Related(),
): Decision {
  if (!resource.update) throw new Error(`Bug! ${resource.object} cannot be updated.`);
  const decided = resource.update.decide(before, input, caller, related);
  const metadata = before.metadata && mergeMetadata(before.metadata, metadataOf(input));
  return toDecision(resource, before, { ...decided, after: { ...decided.after, ...(metadata && { metadata }) } });
}

/** Erases the person from a record. The id and all other data stay. */
export function decideErasure(resource: Resource, before: StoredRecord, nowSeconds: number): RecordChange {
  const { after, verbs } = erasable.of(resource)?.decide(before, nowSeconds) ?? { after: before };
  const erased = { ...withoutPerson(resource, after), deleted_at: nowSeconds };
  return toDecision(resource, before, { after: erased, ...(verbs && { verbs }) }).changes[0];
}

/** Empties the texts about erased persons in a record that stays. Returns null if they are empty. */
export function decideEmptying(
  resource: Resource,
  before: StoredRecord,
  erasedIds: ReadonlySet<string>,
): RecordChange | null {
  const after = withoutPerson(resource, before, erasedIds);
  if (after === before) return null;
  return { resource, before, after: { ...after, revision: before.revision + 1 }, erasedIds };
}

/**
 * Ends a record that opens an erased file or person, and empties its personal fields. Returns null if that was done before.
 *
 * @param nowSeconds Unix seconds.
 */
export function decideEnd(resource: Resource, before: StoredRecord, nowSeconds: number): RecordChange | null {
  const { after: ended, verbs } = opensData.of(resource)?.end(before, nowSeconds) ?? { after: before };
  const after = withoutPerson(resource, ended);
  if (after === before) return null;
  const erasedIds = new Set([before.id]);
  return { resource, before, after: { ...after, revision: before.revision + 1 }, erasedIds, ...(verbs && { verbs }) };
}

/** Decides one of the record's actions, such as `cancel`. */
export function decideAction(
  resource: Resource,
  action: Action,
  before: StoredRecord,
  input: JsonObject,
  caller: Caller,
  named: Readonly<Record<string, StoredRecord>> = {},
  related = new Related(),
): Decision {
  return toDecision(resource, before, action.decide(before, caller, input, named, related));
}

/** The changes, with the requested record first, and the response if it is another record. */
export interface Decision {
  changes: [RecordChange, ...RecordChange[]];
  /** Deliveries that the client requested. */
  deliveries?: RequestedDelivery[];
  /** E-mails that go out with the changes. */
  emails?: readonly EmailToSend[];
  response?: StoredRecord;
}

/** Converts a kind's decision to changes. A changed record gets the next revision. */
export function toDecision(
  resource: Resource,
  before: StoredRecord,
  { after, verbs, eventId, deliveries = [], emails = [], also = [], response }: Change<StoredRecord>,
): Decision {
  // The committer does not write a record that the decision returned unchanged.
  const changed = after === before ? before : { ...after, revision: before.revision + 1 };
  const change = { resource, before, after: changed, ...(verbs && { verbs }), ...(eventId && { eventId }) };
  return { changes: [change, ...also], deliveries, emails, ...(response && { response }) };
}

/** Returns the record as the newest API version shows it at this time. */
export function renderRecord(resource: Resource, record: StoredRecord, moment: Moment): JsonObject {
  if (isGone(resource, record)) return { id: record.id, object: resource.object, deleted: true };
  const object: JsonObject = { id: record.id, object: resource.object, created: record.created };
  const values: JsonObject = record;
  for (const name in resource.fields) {
    const field = resource.fields[name];
    if (!field || field.shown) continue;
    object[name] = field.derive ? field.derive(record, moment) : (values[name] ?? null);
  }
  if (isErased(record)) object.deleted = true;
  return object;
}

/** Returns whether the record is an erased person, so that only its id is left. */
export function isGone({ delete: how }: Resource, record: StoredRecord): boolean {
  return how === 'erases' && isErased(record);
}

/** Returns whether the record's person was erased. */
export function isErased({ deleted_at }: StoredRecord): boolean {
  return deleted_at !== undefined && deleted_at !== null;
}

/**
 * Returns the events of a change, in their order. A creation has `created`, unless many are made at once. A deletion has `deleted`. An update has `updated`, if a visible
 * field has changed, and then the specific events of its verbs. An erasure ends with `deleted`. It shows its other changes, such as a status,
 * but no earlier personal data. A change without an effect has no events, and is not written.
 */
export function eventsOf(change: RecordChange, moment: Moment): EventFacts[] {
  const { resource, before, after } = change;
  const object = renderRecord(resource, after ?? before, moment);
  const event = (verb: string, previous: JsonObject | null): EventFacts => ({
    type: `${resource.object}.${verb}`,
    objectId: (after ?? before).id,
    object,
    previousAttributes: previous,
  });
  if (!before) {
    const verbs = [...(madeInBulk.has(resource) ? [] : ['created']), ...(change.verbs ?? [])];
    return verbs.map((verb) => event(verb, null));
  }
  if (!after) return [event('deleted', null)];
  const isErasure = isErased(after) && !isErased(before);
  if (isErasure && isGone(resource, after)) return [event('deleted', null)];
  // Empty the personal members before the comparison, so that no event shows them.
  const known = isErasure ? withoutPerson(resource, before) : before;
  const differing = previousAttributes(renderRecord(resource, known, moment), object);
  const changed = differing && change.erasedIds ? withoutPerson(resource, differing, change.erasedIds) : differing;
  const verbs = [...(change.verbs ?? []), ...(isErasure ? ['deleted'] : [])];
  // The event `deleted` tells that it is deleted.
  const isUpdated = changed !== null && Object.keys(changed).some((name) => !isErasure || name !== 'deleted');
  return [...(isUpdated ? [event('updated', changed)] : []), ...verbs.map((verb) => event(verb, null))];
}

/**
 * Returns whether a change affects stored values that no event shows, such as the time of the next poll. Such a change is written, but has
 * no event. So is one of many records that are made at once.
 */
export function changesUnseen({ resource, before, after }: RecordChange): boolean {
  if (!before && after) return madeInBulk.has(resource);
  if (!before || !after || before === after) return false;
  const [was, is]: [JsonObject, JsonObject] = [before, after];
  return Object.entries(resource.fields).some(([name, field]) => {
    const isUnseen = field.shown !== undefined || field.derive !== undefined;
    const isWritten = field.column !== null && !field.maintainedBy;
    return isUnseen && isWritten && !sameJson(was[name] ?? null, is[name] ?? null);
  });
}

/** Returns every id in an event: the record's own, and its links now and before. */
export function mentionedIds(resource: Resource, event: EventFacts): string[] {
  const ids = new Set([event.objectId]);
  for (const link of Object.keys(resource.links ?? {})) {
    for (const object of [event.object, event.previousAttributes])
      for (const { id } of idsAt(object, link)) ids.add(id);
  }
  return [...ids];
}

import type { Json, JsonObject } from '../core/json-diff.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { isErased } from '../model/change.ts';
import type { Resource } from '../model/resource.ts';
import { event } from '../resources/event.ts';
import type { ApiVersions } from '../versions/apply.ts';
import { StepFault } from './step-fault.ts';

export interface EventContext {
  readRecord: RecordReader;
  resources: readonly Resource[];
  versions: ApiVersions;
}

/** A stored event, in the shape of its time. */
export interface StoredEvent {
  id: string;
  created: number;
  type: string;
  data: Json;
  request: Json;
  shape_version: string;
}

/** Returns an event as a client of this version sees it. */
export function eventIn(
  { versions }: Pick<EventContext, 'versions'>,
  { id, created, type, data, request, shape_version: shape }: StoredEvent,
  version: string,
): JsonObject {
  const shown: JsonObject = { id, object: 'event', created, type, data, request };
  return shape === version ? shown : versions.convert(shown, shape, version);
}

/**
 * Reads the event of a run.
 *
 * @throws {StepFault} if its history was removed, or if its person was erased.
 */
export async function readEvent(
  context: EventContext,
  accountId: string,
  id: string,
  version: string,
): Promise<JsonObject> {
  const stored = (await context.readRecord(event, accountId, id)) as unknown as StoredEvent | null;
  if (!stored) throw new StepFault('event_removed', `The event ${id} is no longer stored.`);
  const { object: kind, id: recordId } = (stored.data as unknown as { object: { object: string; id: string } }).object;
  const resource = context.resources.find(({ object }) => object === kind);
  const record = resource && (await context.readRecord(resource, accountId, recordId));
  if (record && isErased(record))
    throw new StepFault('event_erased', `The personal data in the event ${id} was erased, so no step can use it.`);
  return eventIn(context, stored, version);
}

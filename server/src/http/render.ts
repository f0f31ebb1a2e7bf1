import { renderRecord } from '../core/change.ts';
import type { JsonObject } from '../core/diff.ts';
import type { Resource, StoredRecord } from '../core/resource.ts';
import type { Call } from './call.ts';

/** A record as this request gets it: with its account if the request named one, and an event with the version it is in. */
export function render(
  resource: Resource,
  record: StoredRecord,
  call: Pick<Call, 'withContext' | 'version'>,
): JsonObject {
  const object = renderRecord(resource, record);
  if (resource.object === 'event') return { ...object, api_version: call.version };
  if (call.withContext) object.account = record.account_id;
  return object;
}

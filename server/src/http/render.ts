import { renderRecord } from '../core/change.ts';
import type { JsonObject } from '../core/diff.ts';
import type { Resource, StoredRecord } from '../core/resource.ts';
import type { Vault } from '../core/vault.ts';
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

/** The record's secrets, opened; null if its kind has none. */
export function openSecrets(resource: Resource, record: StoredRecord, vault: Vault): Record<string, string> | null {
  const names = Object.keys(resource.fields).filter((name) => resource.fields[name]!.shown === 'as_secret');
  if (names.length === 0) return null;
  const values = record as unknown as Record<string, Buffer>;
  return Object.fromEntries(names.map((name) => [name, vault.open(values[name]!)]));
}

/** The same secrets as logs show them. */
export function redact(secrets: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(secrets).map((name) => [name, '[redacted]']));
}

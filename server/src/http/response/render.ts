import { renderRecord } from '../../model/change.ts';
import { toSeconds } from '../../core/clock.ts';
import { parseJson } from '../../core/json.ts';
import type { JsonObject } from '../../core/json-diff.ts';
import { fieldOf, type StoredRecord } from '../../model/record.ts';
import type { Resource } from '../../model/resource.ts';
import { aboutAccount } from '../../model/traits/about-account.ts';
import { snapshot } from '../../model/traits/snapshot.ts';
import type { Encryption } from '../../core/secrets/encryption.ts';
import type { ApiVersions } from '../../versions/apply.ts';
import type { ApiRequest } from '../request.ts';

/**
 * Renders a record for a request, in the newest shape. It has its account if the request named one, or the account that it is about. An
 * event was stored in the newest shape of its time. It gets the version of the response.
 */
export function render(
  versions: ApiVersions,
  resource: Resource,
  record: StoredRecord,
  request: Pick<ApiRequest, 'hasServiceContext' | 'accountId' | 'version' | 'startedMs' | 'realStartedMs'>,
): JsonObject {
  const object = renderRecord(resource, record, {
    nowSeconds: toSeconds(request.startedMs),
    realSeconds: toSeconds(request.realStartedMs),
  });
  const kept = snapshot.of(resource);
  if (kept) {
    const keptVersion = String(fieldOf(record, kept.versionColumn));
    return versions.convert({ ...object, api_version: request.version }, keptVersion, versions.newest);
  }
  const aboutOther = aboutAccount.of(resource);
  const about = aboutOther && fieldOf(record, aboutOther.column);
  if (typeof about === 'string') object.account = about;
  else if (request.hasServiceContext) object.account = request.accountId;
  return object;
}

/** Decrypts the record's secrets. A secret that is an object was encrypted as JSON. Returns null if it has none. */
export function openSecrets(resource: Resource, record: StoredRecord, encryption: Encryption): JsonObject | null {
  const secrets: JsonObject = {};
  for (const name in resource.fields) {
    const field = resource.fields[name];
    if (field?.shown !== 'as_secret') continue;
    const encrypted = fieldOf(record, name);
    if (!Buffer.isBuffer(encrypted)) continue;
    const text = encryption.decrypt(encrypted);
    secrets[name] = 'properties' in field.schema ? parseJson(text) : text;
  }
  return Object.keys(secrets).length === 0 ? null : secrets;
}

/** Redacts secrets for logs. */
export function redact(secrets: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.keys(secrets).map((name) => [name, '[redacted]']));
}

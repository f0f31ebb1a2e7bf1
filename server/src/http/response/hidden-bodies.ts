import type { JsonObject } from '../../core/json-diff.ts';
import { includesPermission } from '../../model/callers/permissions.ts';
import type { Principal } from '../../model/callers/principal.ts';
import { fieldOf, type StoredRecord } from '../../model/record.ts';
import type { Resource } from '../../model/resource.ts';
import { approvesRequests } from '../../model/traits/approves-requests.ts';

/**
 * Hides the body of a held request from a principal that may not read its kind of record. The body of `POST /v1/customers` is a
 * customer.
 *
 * @param object the rendered record, which is changed.
 */
export function hideBody(
  object: JsonObject,
  resource: Resource,
  record: StoredRecord,
  { permissions }: Pick<Principal, 'permissions'>,
): void {
  const approvals = approvesRequests.of(resource);
  if (!approvals) return;
  const { path, body } = approvals.asks;
  const kind = /^\/v1\/([a-z_]+)/.exec(String(fieldOf(record, path)))?.[1];
  if (kind === undefined || !includesPermission(permissions, `${kind}.read`)) object[body] = null;
}

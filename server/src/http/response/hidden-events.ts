import { includesPermission } from '../../model/callers/permissions.ts';
import type { Principal } from '../../model/callers/principal.ts';
import { fieldOf, type StoredRecord } from '../../model/record.ts';
import type { Resource } from '../../model/resource.ts';
import { isOfOffice } from '../../model/callers/roles.ts';
import { nestedUnder } from '../../model/traits/nested-under.ts';
import { snapshot } from '../../model/traits/snapshot.ts';
import type { Without } from '../../db/list-query.ts';
import type { HttpContext } from '../context.ts';

/**
 * Returns the events that a principal may not see, or null if it sees every record of this kind. An event shows its record. So events
 * about the team, API keys and webhook endpoints also need the permission to read that kind. So do events about what is listed below them,
 * such as the recoveries of an endpoint.
 */
export function hiddenFrom(
  { resources }: Pick<HttpContext, 'resources'>,
  resource: Resource,
  { permissions }: Pick<Principal, 'permissions'>,
): Without | null {
  const events = snapshot.of(resource);
  if (!events) return null;
  const beginnings = resources
    .filter((kind) => lackingToRead(kind, permissions) !== null)
    .map(({ object }) => `${object}.`);
  return beginnings.length === 0 ? null : { column: events.typeColumn, beginnings };
}

/**
 * Returns the permission that a principal lacks to see events of a type, such as `user.created` or `user.*`. Null if it sees them with
 * `events.read` alone.
 */
export function lackingForEvents(
  { resources }: Pick<HttpContext, 'resources'>,
  type: string,
  { permissions }: Pick<Principal, 'permissions'>,
): string | null {
  const kind = resources.find(({ object }) => type.startsWith(`${object}.`));
  return kind ? lackingToRead(kind, permissions) : null;
}

/** Returns the permission that is lacking to see events of a kind. Null if there is none. */
function lackingToRead(kind: Resource, permissions: ReadonlySet<string>): string | null {
  const needed = pathsToRead(kind)
    .filter((path) => !isOfOffice(path))
    .map((path) => `${path}.read`);
  return needed.find((permission) => !includesPermission(permissions, permission)) ?? null;
}

/** Returns the kinds whose permissions a reader of this kind needs: itself, or those that it is listed below. */
function pathsToRead(kind: Resource): string[] {
  const nesting = nestedUnder.of(kind);
  return nesting ? Object.keys(nesting.columns) : [kind.path];
}

/** Returns whether a principal may not see a record: an event of a kind that it may not read. */
export function isHidden(
  context: Pick<HttpContext, 'resources'>,
  resource: Resource,
  record: StoredRecord,
  principal: Pick<Principal, 'permissions'>,
): boolean {
  const hidden = hiddenFrom(context, resource, principal);
  return (
    hidden !== null &&
    hidden.beginnings.some((beginning) => String(fieldOf(record, hidden.column)).startsWith(beginning))
  );
}

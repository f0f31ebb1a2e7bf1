import { ApiError } from '../../core/errors.ts';
import type { NonEmpty } from '../../core/arrays.ts';
import type { Principal } from './principal.ts';
import type { Resource } from '../resource.ts';
import { decidedByPersons } from '../traits/decided-by-persons.ts';
import { forPersonsOnly } from '../traits/for-persons-only.ts';
import { nestedUnder } from '../traits/nested-under.ts';
import { storesFile } from '../traits/stores-file.ts';

/** Returns every permission that a key can have if these kinds of record are served. */
export function permissionsOf(resources: readonly Resource[]): string[] {
  const ofPersons = new Set(
    resources.filter((resource) => decidedByPersons.has(resource)).map(({ path }) => `${path}.write`),
  );
  return permissionsOfPersons(resources.filter((resource) => !forPersonsOnly.has(resource))).filter(
    (permission) => !ofPersons.has(permission),
  );
}

/** Returns every permission that a person can have if these kinds of record are served. */
export function permissionsOfPersons(resources: readonly Resource[]): string[] {
  return resources.flatMap((resource) => {
    if (nestedUnder.has(resource)) return [];
    return [
      `${resource.path}.read`,
      ...(isWritten(resource) ? [`${resource.path}.write`] : []),
      ...(storesFile.has(resource) ? [`${resource.object}_contents.read`] : []),
    ];
  });
}

/** Returns the smallest set that includes all these permissions. A secret key has it unless it was narrowed. */
export function fewestOf(permissions: readonly string[]): string[] {
  return permissions.filter((permission) => {
    const [path, verb] = permission.split('.');
    return verb === 'write' || !permissions.includes(`${path}.write`);
  });
}

function isWritten({ create, update, delete: deletion, actions }: Resource): boolean {
  return Boolean(create ?? update ?? deletion ?? actions);
}

/** Returns whether the held permissions include the needed one. `<resource>.write` includes reading. */
export function includesPermission(held: ReadonlySet<string>, needed: string): boolean {
  if (held.has(needed)) return true;
  const [path, verb] = needed.split('.');
  return verb === 'read' && held.has(`${path}.write`);
}

/** Returns a permission with the one that it includes, so that each check is a single look-up. */
export function withReading(permission: string): string[] {
  return permission.endsWith('.write') ? [permission, permission.replace(/write$/, 'read')] : [permission];
}

/**
 * Checks a permission.
 *
 * @param isForPersons no key can have it.
 * @throws {ApiError} 403, with the missing permission.
 */
export function requirePermission(
  needed: string | null,
  { permissions, person }: { permissions: ReadonlySet<string>; person: { role: string } | null },
  isForPersons = false,
): void {
  if (needed === null || includesPermission(permissions, needed)) return;
  if (isForPersons && !person)
    throw new ApiError(
      'person_required',
      'No API key may do this. A person who is signed in to the dashboard does it there.',
    );
  const advice = person ? askOwner : 'Give it that permission, or use another key.';
  throw new ApiError('permission_denied', `${lackOf(person, needed)}. ${advice}`);
}

/**
 * Checks that one of these permissions is held.
 *
 * @throws {ApiError} 403, with the permissions.
 */
export function requireOneOf(
  permissions: NonEmpty<string>,
  { permissions: held, person }: Pick<Principal, 'permissions' | 'person'>,
): void {
  if (permissions.some((needed) => includesPermission(held, needed))) return;
  const [first, ...others] = permissions;
  const rest = others.map((needed) => `\`${needed}\``).join(', ');
  const advice = person ? askOwner : 'Give it one of these permissions, or use another key.';
  throw new ApiError(
    'permission_denied',
    `${lackOf(person, first)}${rest === '' ? '' : `, and each of ${rest}`}. One of them is enough. ${advice}`,
  );
}

/** Tells a person without a permission what to do, in an error. */
export const askOwner = 'Ask an owner or an admin of the account.';

/** Begins an error about a permission that a caller lacks. A person has permissions by their role. */
export function lackOf(person: { role: string } | null, permission: string): string {
  return `${person ? `Your role, ${person.role},` : 'This key'} lacks the permission \`${permission}\``;
}

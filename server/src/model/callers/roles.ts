import type { Mode } from '../../core/secrets/api-keys.ts';
import { named, oneOf } from '../schemas/make.ts';

/** The roles of persons, the highest first. */
export const roles = ['owner', 'admin', 'developer', 'operator', 'viewer'] as const;

export type Role = (typeof roles)[number];

export const RoleName = named('UserRole', 'The role of a team member.', oneOf(...roles));

/** The paths of the kinds of record that only developers need. */
const developerPaths: ReadonlySet<string> = new Set(['logs', 'webhook_endpoints', 'workflows', 'api_keys']);

/** The paths of the kinds of record with what legal duties keep of erased persons. */
const sealedPaths: ReadonlySet<string> = new Set(['retention_holds']);

/** The paths of the kinds of record by which persons decide what agents and workflows do. */
const approvalPaths: ReadonlySet<string> = new Set(['approval_requests']);

/** The paths of the kinds of record about the team. */
const teamPaths: ReadonlySet<string> = new Set(['users', 'invitations']);

/** Returns whether a kind of record is the office's work. The other kinds are about the team, or only developers need them. */
export function isOfOffice(path: string): boolean {
  return !developerPaths.has(path) && !teamPaths.has(path) && !approvalPaths.has(path);
}

/**
 * Returns the permissions of a role. The office's records, such as references, are the default: a new kind of record is one of them.
 *
 * @param known every permission that there is.
 */
export function permissionsOfRole(role: Role, mode: Mode, known: readonly string[]): string[] {
  return known.filter((permission) => {
    const [path = '', verb = ''] = permission.split('.');
    if (role === 'owner' || role === 'admin') return true;
    if (teamPaths.has(path)) return role === 'developer' && verb === 'read';
    if (developerPaths.has(path)) return role === 'developer';
    if (approvalPaths.has(path)) return role === 'developer' && (verb === 'read' || mode === 'sandbox');
    // A developer of a sandbox makes keys with every permission.
    if (sealedPaths.has(path)) return verb === 'read' || (role === 'developer' && mode === 'sandbox');
    if (path === 'accounts') return verb === 'read' || (role === 'developer' && mode === 'sandbox');
    // What a file contains is more sensitive than its record.
    if (path.endsWith('_contents')) return role !== 'viewer';
    return verb === 'read' || role !== 'viewer';
  });
}

/** Returns whether a person of one role may give, take or change another role. Only owners handle owners. */
export function mayHandle(own: Role, other: Role): boolean {
  return own === 'owner' || (own === 'admin' && other !== 'owner');
}

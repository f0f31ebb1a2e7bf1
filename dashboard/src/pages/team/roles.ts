import type { Choice } from '@tenure/ui';
import type { User } from '../../api/session.ts';

type Role = User['role'];

/** What each role may do, the highest first. */
export const roleTexts: Record<Role, string> = {
  owner: 'May do everything, and handles other owners.',
  admin: 'May do everything, but does not handle owners.',
  developer: 'Works with records, webhooks, keys and logs.',
  operator: 'Works with records: decides on references.',
  viewer: 'Reads records, and changes nothing.',
};

/** Returns the roles that a person may give. */
export function rolesToGive(own: Role): Choice[] {
  return (Object.keys(roleTexts) as Role[])
    .filter((role) => refusalToHandle(own, role) === null)
    .map((role) => ({ id: role, name: role[0]!.toUpperCase() + role.slice(1) }));
}

/** Returns why a person may not change members of another role, or null if they may. The server decides. */
export function refusalToHandle(own: Role, other: string): string | null {
  if (own === 'owner') return null;
  if (own !== 'admin') return 'Owners and admins only';
  return other === 'owner' ? 'Owners only' : null;
}

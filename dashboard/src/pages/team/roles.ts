import type { Choice } from '@tenure/ui';
import type { User } from '../../api/session.ts';
import { capital } from '../../office/words.ts';

type Role = User['role'];

/** What each role may do, the highest first. */
export const roleTexts: Record<Role, string> = {
  owner: 'May do everything, and handles other owners.',
  admin: 'May do everything, but does not handle owners.',
  developer: 'Works with records, webhooks, keys and logs.',
  operator: 'Works in the office: takes applications, orders checks and decides.',
  viewer: 'May look, but decides and changes nothing.',
};

/** The same in a few words, for the list of choices. */
const shortTexts: Record<Role, string> = {
  owner: 'everything',
  admin: 'everything except owners',
  developer: 'records, keys and logs',
  operator: 'the office, with decisions',
  viewer: 'may look, not decide',
};

/** Returns the roles that a person may give. */
export function rolesToGive(own: Role): Choice[] {
  return (Object.keys(roleTexts) as Role[])
    .filter((role) => refusalToHandle(own, role) === null)
    .map((role) => ({ id: role, name: `${capital(role)} – ${shortTexts[role]}` }));
}

/** Returns why a person may not change members of another role, or null if they may. The server decides. */
export function refusalToHandle(own: Role, other: string): string | null {
  if (own === 'owner') return null;
  if (own !== 'admin') return 'Owners and admins only';
  return other === 'owner' ? 'Owners only' : null;
}

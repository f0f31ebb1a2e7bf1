import { useMemo } from 'react';
import { membersRead } from '../api/reads.ts';
import { useRead } from '../api/requests.ts';
import { useUser } from '../api/session.ts';
import type { TeamNames } from './event-sentences.ts';

/** A member of the team, as the API names an actor: by the e-mail address. Programs have names of their own. */
interface Party {
  type: string;
  name: string | null;
}

/** Returns the names of members by their e-mail addresses: the person's own, and with `users.read` those of all parties. */
export function useTeamNames(parties: readonly (Party | null)[]): TeamNames {
  const { email, name, permissions } = useUser();
  const hasOthers = parties.some((party) => party?.type === 'user' && party.name !== null && party.name !== email);
  const { data } = useRead(membersRead, {}, { isOn: hasOthers && permissions.includes('users.read') });
  return useMemo(() => {
    const all = [{ email, name }, ...(data ?? [])];
    return new Map(all.flatMap((each) => (each.name === null ? [] : [[each.email, each.name] as const])));
  }, [data, email, name]);
}

import { useMemo } from 'react';
import { membersRead } from '../api/reads.ts';
import { useRead } from '../api/requests.ts';
import { useUser } from '../api/session.ts';
import type { TeamNames } from './happened.ts';

/** Returns the names of the members whose names the person may know: their own, and with `users.read` all. */
export function useTeamNames(): TeamNames {
  const { email, name, permissions } = useUser();
  const { data } = useRead(membersRead, {}, { isOn: permissions.includes('users.read') });
  return useMemo(() => {
    const all = [{ email, name }, ...(data ?? [])];
    return new Map(all.flatMap((each) => (each.name === null ? [] : [[each.email, each.name] as const])));
  }, [data, email, name]);
}

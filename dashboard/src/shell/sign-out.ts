import { toast } from '@tenure/ui';
import { shownError } from '../api/requests.ts';
import { useSessionChange } from '../api/session.ts';

/** Returns what ends the session of this browser. */
export function useSignOut(): () => void {
  const change = useSessionChange();
  return () => {
    change('/auth/sign_out', {}).catch((error: Error) => toast(shownError(error).message));
  };
}

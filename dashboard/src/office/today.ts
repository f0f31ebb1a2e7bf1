import { useNow } from '../shell/now.ts';
import { useTimeZone } from './account-time.tsx';

/** Returns the day of the deployment's clock in the time zone of the account, as YYYY-MM-DD. */
export function useToday(): string {
  const now = useNow(60_000);
  const timeZone = useTimeZone();
  // The form of Sweden is that of ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(now * 1000);
}

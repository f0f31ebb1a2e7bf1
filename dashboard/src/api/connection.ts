import { useSyncExternalStore } from 'react';

/* Whether the server can be reached. Each request tells, so that no request is made only to find out while all is well. */

let isLost = false;
const listeners = new Set<() => void>();

/** Notes the outcome of a request. */
export function noteConnection(isReached: boolean): void {
  if (isLost === !isReached) return;
  isLost = !isReached;
  for (const listener of listeners) listener();
}

/** Returns whether the last request got no response. */
export function useIsConnectionLost(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isLost,
  );
}

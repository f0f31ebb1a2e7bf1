import { store } from './store.ts';

/* Whether the server can be reached. Each request tells. */

const lost = store(false);

/** Notes the outcome of a request. */
export function noteConnection(isReached: boolean): void {
  lost.set(!isReached);
}

/** Returns whether the last request got no response. */
export const useIsOffline = lost.use;

import { AsyncLocalStorage } from 'node:async_hooks';

/** The site of the client whose request without a key is being handled. */
export const currentSite = new AsyncLocalStorage<string>();

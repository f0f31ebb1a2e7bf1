import { defineTrait } from '../trait.ts';

/**
 * Records let requests in: API keys. A decision about them judges the acting key as it is at that moment. What a process has cached of it
 * may be a second old.
 */
export const grantsRights = defineTrait();

import { defineTrait } from '../trait.ts';

/**
 * The record authenticates requests: an API key. A decision about such a record reads the acting key again, because a cached one may be a
 * second old.
 */
export const grantsRights = defineTrait();

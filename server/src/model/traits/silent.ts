import { defineTrait } from '../trait.ts';

/**
 * The record is for the server itself: it has no routes, permissions, counts or events. The committer writes it like any other. A list of
 * kinds that the API serves does not have it.
 */
export const silent = defineTrait();

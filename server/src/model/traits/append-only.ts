import { defineTrait } from '../trait.ts';

/** Rows are written once and never changed, so they have no revision. Only the committer makes them. */
export const appendOnly = defineTrait();

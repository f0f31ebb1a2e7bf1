import { defineTrait } from '../trait.ts';

/** Rows are written once and never changed, so they have no revision. Only the committer writes them. */
export const appendOnly = defineTrait();

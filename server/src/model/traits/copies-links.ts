import { defineTrait } from '../trait.ts';

/** Links that a decision copies from another record. No client sends them, so they are not checked: an invoice names its tenants as they are. */
export const copiesLinks = defineTrait<readonly string[]>();

import { defineTrait } from '../trait.ts';

/** Links that must name records of the account. Other links may have the ids of another system. */
export const linksHere = defineTrait<readonly string[]>();

import { defineTrait } from '../trait.ts';

/** Links, hidden ones too, that must name records of the account. Other links may have the ids of another system. */
export const linksHere = defineTrait<readonly string[]>();

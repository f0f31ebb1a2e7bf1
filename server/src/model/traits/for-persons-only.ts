import { defineTrait } from '../trait.ts';

/** Only persons have the permissions of this kind of record. No API key can get them. */
export const forPersonsOnly = defineTrait();

import { defineTrait } from '../trait.ts';

/**
 * Only persons have the permission to write this kind of record, and no API key can get it. Keys can read the records. An action with
 * `permissions` of its own is for keys, too.
 */
export const decidedByPersons = defineTrait();

import { join } from 'node:path';

/** The generated file. It is JSON, because that loads in a tenth of the time of a module. */
export const catalogueFile = join(import.meta.dirname, '../src/generated/catalogue.json');

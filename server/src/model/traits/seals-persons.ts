import { defineTrait } from '../trait.ts';

/**
 * Records of this kind keep what a legal duty needs of an erased person. They have the columns `kind`, `basis`, `until`, `sealed` and
 * `file_key`.
 */
export interface Sealing {
  /** The link to the person. */
  link: string;
  /** The column with the ids of the sealed files. */
  files: string;
}

export const sealsPersons = defineTrait<Sealing>();

import { defineTrait } from '../trait.ts';

/**
 * Links to files about persons, in records that stay when a person is erased. A file goes with the last of its persons. The link then names
 * a file that is gone.
 */
export interface PersonalFiles {
  links: readonly string[];
  /** The column with the ids of the persons. */
  persons: string;
  /** The link to the record that has this column. Left out if the record itself has it. */
  through?: string;
}

export const personalFiles = defineTrait<PersonalFiles>();

import { defineTrait } from '../trait.ts';

/**
 * One mutation makes many records, such as the lines of a bank file. The event of another record of that mutation announces them. So their
 * creation has no event. Their later changes have events like any other.
 */
export interface MadeInBulk {
  /** The link to the record whose event `created` announces them. */
  announcedBy: string;
}

export const madeInBulk = defineTrait<MadeInBulk>();

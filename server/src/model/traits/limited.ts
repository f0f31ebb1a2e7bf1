import { defineTrait } from '../trait.ts';

/** Limits the number of such records in an account. The committer enforces it, even for concurrent requests. */
export const limited = defineTrait<number>();

/** Leaves records with one value of a counted column out of this limit, such as archived ones. They cannot be deleted. */
export const outsideLimit = defineTrait<{ column: string; value: string }>();

/** Limits the number of such records with one value of a link, such as the files of a person. The committer enforces it, too. */
export const limitedByLink = defineTrait<{ link: string; most: number }>();

import { defineTrait } from '../trait.ts';

/** Limits the number of such records in an account. The committer enforces it, even for concurrent requests. */
export const limited = defineTrait<number>();

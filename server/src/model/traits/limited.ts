import { defineTrait } from '../trait.ts';

/** An account has at most so many of these records. The committer enforces it, however many are made at once. */
export const limited = defineTrait<number>();

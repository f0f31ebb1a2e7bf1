import { defineTrait } from '../trait.ts';

/**
 * The time in milliseconds for which other processes may use an outdated record from their cache. The response to a change waits for this
 * time, so that it is true in every process.
 */
export const cached = defineTrait<number>();

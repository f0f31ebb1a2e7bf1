import { defineTrait } from '../trait.ts';

/**
 * How long, in milliseconds, another process may use what it has cached of a record that was changed. The response to a change waits for
 * that long, so that what it tells is true in every process.
 */
export const cached = defineTrait<number>();

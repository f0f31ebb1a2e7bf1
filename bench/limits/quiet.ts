import { Logger } from 'graphile-worker';

/** Its lines, one for each job, would cost it time that the measurement is about. */
export const quiet = new Logger(() => () => {});

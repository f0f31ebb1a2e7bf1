import { runServer } from '../../../src/run.ts';
import type { DispatcherLimits } from '../../../src/webhooks/dispatcher.ts';

/*
 * The server as a process to be killed and paused, but for the limits of its dispatcher, which its environment tells in JSON. The
 * server's own lease of half a minute would make of fifty kills an afternoon.
 */

const dispatcherLimits = JSON.parse(process.env.TEST_DISPATCHER_LIMITS!) as Partial<DispatcherLimits>;

await runServer({ dispatcherLimits });

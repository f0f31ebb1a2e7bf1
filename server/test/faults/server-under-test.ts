import { readFileSync } from 'node:fs';
import { openDatabase } from '../../src/db/pools.ts';
import { runServer } from '../../src/server/start.ts';
import { Failpoints, type Arming } from './failpoints.ts';
import { plantedFaults, type PlantedFault } from './planted.ts';

/*
 * The server as it is, but for three things that its environment tells. TEST_DISPATCHER_LIMITS, in JSON: its own lease of half a minute
 * would make of fifty kills an afternoon. TEST_FAILPOINT_FILE: at SIGUSR2 it reads there at which point of its work it is to die.
 * TEST_PLANTED_FAULT: a fault that must be found.
 */

const limits = process.env.TEST_DISPATCHER_LIMITS;
const failpointFile = process.env.TEST_FAILPOINT_FILE;
const failpoints = new Failpoints(() => process.kill(process.pid, 'SIGKILL'));
if (failpointFile) {
  process.on('SIGUSR2', () => failpoints.arm(JSON.parse(readFileSync(failpointFile, 'utf8')) as Arming));
}

const planted = process.env.TEST_PLANTED_FAULT as PlantedFault | undefined;

await runServer({
  ...(limits && { dispatcherLimits: JSON.parse(limits) as object }),
  openDatabase(...parts: Parameters<typeof openDatabase>) {
    const database = openDatabase(...parts);
    if (failpointFile) failpoints.watch(database);
    if (planted) plantedFaults[planted](database);
    return database;
  },
});

import { readFileSync, rmSync } from 'node:fs';
import { openDatabase } from '../../src/db/pools.ts';
import { runServer } from '../../src/server/start.ts';
import { Failpoints, type Arming } from './failpoints.ts';
import { plantedFaults, type PlantedFault } from './planted.ts';

/*
 * The server with three settings from its environment. TEST_DISPATCHER_LIMITS, in JSON, shortens the lease: with half a minute, fifty kills
 * would take an afternoon. At SIGUSR2 the server reads from TEST_FAILPOINT_FILE at which failpoint it must die, and removes the file.
 * TEST_PLANTED_FAULT names a fault that must be found.
 */

const limits = process.env.TEST_DISPATCHER_LIMITS;
const failpointFile = process.env.TEST_FAILPOINT_FILE;
const failpoints = new Failpoints(() => process.kill(process.pid, 'SIGKILL'));
if (failpointFile) {
  process.on('SIGUSR2', () => {
    failpoints.arm(JSON.parse(readFileSync(failpointFile, 'utf8')) as Arming);
    rmSync(failpointFile);
  });
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

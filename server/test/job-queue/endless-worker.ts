import pino from 'pino';
import { openDatabase } from '../../src/db/pools.ts';
import { JobWorker } from '../../src/job-queue/queue.ts';

/* A worker in its own process, to be killed. It takes jobs, prints their ids and never ends one. */

const connection = { connectionString: process.argv[2]! };
const log = pino({ level: 'silent' });
const worker = new JobWorker({
  connection,
  pool: openDatabase(connection, log).jobs,
  tasks: {
    work: {
      atOnceMax: 32,
      async run({ id }) {
        process.stdout.write(`${id}\n`);
        await new Promise(() => {});
      },
      crowdedGroups: () => [],
    },
  },
  isPassing: () => false,
  log,
});
worker.start();

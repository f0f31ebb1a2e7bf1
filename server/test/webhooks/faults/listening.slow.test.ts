import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { delivererLockKey } from '../../../src/db/advisory-locks.ts';
import { withClient } from '../../../src/db/pools.ts';
import { startDatabaseProxy } from '../../support/database-proxy.ts';
import { processesForTest, urlOf, type Processes } from '../../support/processes.ts';
import { receiverForTest } from '../../support/receiver.ts';
import { apiClient } from '../../support/server.ts';
import { endpointFor } from '../scenario.ts';
import { Load, print, tallyOf, type Tally } from './load.ts';

/*
 * A delivering process without reliable notifications finds everything by polling once a second.
 */

/** Changes a test at least, however slow the machine is. */
const changesMin = 30;

/** Far above the second of a poll interval, so that no busy machine reaches it, and far below a minute. In milliseconds. */
const pollingMsMax = 30_000;

test('56: delivers every event once by polling when the listening connection is cut again and again', async () => {
  const deployment = await processesForTest();
  await deployment.start({ TENURE_ROLE: 'worker' });
  let cuts = 0;
  const tally = await underLoad(deployment, async (load) => {
    await withClient(deployment.connection, async (client) => {
      const endsAtMs = performance.now() + 10_000;
      const isOver = () => performance.now() > endsAtMs && cuts >= 5 && load.answeredAtMs.size > changesMin;
      for (; !isOver(); await sleep(50)) {
        const { rowCount } = await client.query(
          `select pg_terminate_backend(pid) from pg_locks
           where locktype = 'advisory' and classid = $1
             and database = (select oid from pg_database where datname = current_database())`,
          [delivererLockKey],
        );
        cuts += rowCount!;
      }
    });
  });
  print(`listening cut: ${cuts} rounds, ${told(tally)}`);
  expectEachOnce(tally);
});

test('56: delivers every event once by polling when a pooler passes no notification on', async () => {
  const deployment = await processesForTest();
  const pooler = await startDatabaseProxy(deployment.connection, { dropsNotifications: true });
  onTestFinished(() => pooler.stop());
  await deployment.start({ TENURE_ROLE: 'worker', DATABASE_URL: urlOf(pooler.connection) });
  const tally = await underLoad(deployment, async (load) => {
    await expect.poll(() => load.answeredAtMs.size).toBeGreaterThan(changesMin);
  });
  print(`notifications dropped: 1 round, ${pooler.droppedNotifications} of them, ${told(tally)}`);
  expect(pooler.droppedNotifications).toBeGreaterThan(0);
  expectEachOnce(tally);
});

async function underLoad(deployment: Processes, fault: (load: Load) => Promise<void>): Promise<Tally> {
  const receiver = await receiverForTest();
  const answering = await deployment.start({ TENURE_ROLE: 'api' });
  const api = apiClient(answering.url, deployment.secretKey);
  const endpoint = await endpointFor(api, receiver.url);
  const load = new Load(api, { clients: 1, pauseMs: 50 });
  await fault(load);
  await load.stop();
  return tallyOf(api, endpoint.id, { receiver, load });
}

function expectEachOnce(tally: Tally): void {
  expect(tally).toMatchObject({ duplicates: 0, lost: 0, needless: 0 });
  expect(tally.deliveries).toBeGreaterThan(changesMin);
  expect(tally.longestMs).toBeLessThan(pollingMsMax);
}

function told({ deliveries, duplicates, lost, longestMs }: Tally): string {
  return `${deliveries} deliveries, ${duplicates} duplicates, ${lost} lost, the longest took ${longestMs} ms`;
}

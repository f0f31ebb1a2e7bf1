import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ownClusterForTest } from '../../support/own-cluster.ts';
import { processesForTest } from '../../support/processes.ts';
import { receiverForTest } from '../../support/receiver.ts';
import { apiClient } from '../../support/server.ts';
import { endpointFor } from '../scenario.ts';
import { Load, print, startImpatient, tallyOf } from './load.ts';
import { rounds } from '../../support/rounds.ts';

const restarts = rounds(8, 20);

/** Crash PostgreSQL in one of this many rounds. In the others it is stopped in order, which also cuts its connections. */
const crashEvery = 5;

/** Each round waits for so many responses. */
const answeredEachRound = 20;

/** A restart on a busy machine can take seconds, and so can a receiver's answer. Neither may end an attempt or a lease. */
const limits = { attemptTimeoutMs: 15_000, leaseMs: 25_000, pollMs: 200 };

test(`55: recovers, loses nothing and sends nothing twice when PostgreSQL is restarted ${restarts} times under load`, async () => {
  const cluster = await ownClusterForTest();
  const deployment = await processesForTest(cluster.connection);
  const answering = await deployment.start({ TENURE_ROLE: 'api' });
  const api = apiClient(answering.url, deployment.secretKey);
  const receiver = await receiverForTest((response) => void setTimeout(() => response.writeHead(200).end(), 20));
  const endpoint = await endpointFor(api, receiver.url);
  for (let number = 0; number < 2; number++) await startImpatient(deployment, limits);
  const startedMs = performance.now();
  const load = new Load(api, { clients: 8, pauseMs: 20 });
  for (let round = 1; round <= restarts; round++) {
    await sleep(300 + 400 * Math.random());
    const answered = load.answeredAtMs.size;
    if (round % crashEvery === 0) cluster.crash();
    else await cluster.restart();
    await expect.poll(() => load.answeredAtMs.size).toBeGreaterThan(answered + answeredEachRound);
  }
  await load.stop();
  const tally = await tallyOf(api, endpoint.id, { receiver, load });
  print(
    `database restarts: ${restarts} rounds (${Math.floor(restarts / crashEvery)} crashes), ${tally.deliveries} deliveries, ` +
      `${tally.duplicates} duplicates, ${tally.lost} lost, the longest took ${tally.longestMs} ms, ` +
      `${Math.round((performance.now() - startedMs) / 1000)} s`,
  );
  // PostgreSQL is back long before a lease ends, so each process can write the outcomes that it knows.
  expect(tally, JSON.stringify(tally)).toMatchObject({ duplicates: 0, lost: 0, needless: 0 });
  expect(tally.deliveries).toBeGreaterThan(answeredEachRound * restarts);
  // Deliveries with a lost response to their claim wait for the end of their lease.
  expect(tally.longestMs).toBeLessThan(2 * (limits.leaseMs + limits.pollMs) + 60_000);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { processesForTest } from '../../support/processes.ts';
import { receiverForTest } from '../../support/receiver.ts';
import { apiClient } from '../../support/server.ts';
import { endpointFor } from '../scenario.ts';
import { Load, print, startImpatient, tallyOf } from './load.ts';
import { rounds } from '../../support/rounds.ts';
import { waitMs } from '../../support/wait.ts';

const kills = rounds(12, 50);
// A busy machine needs seconds for an attempt.
const limits = { attemptTimeoutMs: 10_000, leaseMs: 15_000, pollMs: 200 };
const deliveriesEachRound = 20;

test(`50: loses nothing and repeats only deliveries of unknown outcome when a delivering process is killed ${kills} times under load`, async () => {
  const receiver = await receiverForTest(
    (response) => void setTimeout(() => response.writeHead(200).end(), 5 + 45 * Math.random()),
  );
  const deployment = await processesForTest();
  const answering = await deployment.start({ TENURE_ROLE: 'api' });
  const api = apiClient(answering.url, deployment.secretKey);
  const endpoint = await endpointFor(api, receiver.url);
  const workers = [];
  for (let number = 0; number < 3; number++) workers.push(await startImpatient(deployment, limits));
  const ready = workers.map(() => Promise.resolve<unknown>(null));
  const startedMs = performance.now();
  const load = new Load(api, { clients: 4, pauseMs: 40 });
  for (let round = 0; round < kills; round++) {
    const answered = load.answeredAtMs.size;
    await sleep(1_200 + 400 * Math.random());
    await expect.poll(() => load.answeredAtMs.size).toBeGreaterThan(answered + deliveriesEachRound);
    const which = round % workers.length;
    // On a busy machine a start takes longer than a round. The other processes must be there to take over.
    await Promise.all(ready);
    await workers[which]!.kill();
    ready[which] = workers[which]!.start();
  }
  await Promise.all(ready);
  await load.stop();
  const tally = await tallyOf(api, endpoint.id, { receiver, load });
  print(
    `kills: ${kills} rounds, ${tally.deliveries} deliveries, ${tally.duplicates} duplicates, ${tally.lost} lost, ` +
      `the longest took ${tally.longestMs} ms, ${Math.round((performance.now() - startedMs) / 1000)} s`,
  );
  expect(tally).toMatchObject({ lost: 0, needless: 0 });
  expect(tally.deliveries).toBeGreaterThan(deliveriesEachRound * kills);
  // At most 32 attempts to one endpoint are running at the time of a kill.
  expect(tally.duplicates).toBeLessThanOrEqual(32 * kills);
  // Some kills interrupted an attempt.
  expect(tally.duplicates).toBeGreaterThan(0);
  // A delivery whose process is killed twice in a row waits for two leases. A busy machine may need minutes besides.
  expect(tally.longestMs).toBeLessThan(2 * (limits.leaseMs + limits.pollMs) + waitMs);
});

import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { withClient } from '../../../src/db/pools.ts';
import { processesForTest } from '../../support/processes.ts';
import { receiverForTest } from '../../support/receiver.ts';
import { apiClient } from '../../support/server.ts';
import { deliveriesOf, deliveryIdOf, endpointFor, Gate, makeReferences, patientLimits, soon } from '../scenario.ts';
import { print, startImpatient } from './load.ts';

const rounds = 5;
const together = 20;
const limits = { ...patientLimits, pollMs: 100 };

test("51: refuses late outcomes and keeps the new owner's when a process was paused beyond its lease", async () => {
  const deployment = await processesForTest();
  const answering = await deployment.start({ TENURE_ROLE: 'api' });
  const api = apiClient(answering.url, deployment.secretKey);
  const [paused, other] = [await startImpatient(deployment, limits), await startImpatient(deployment, limits)];
  let [arrivals, delivered] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const [late, takenOver] = [new Gate(), new Gate()];
    const receiver = await receiverForTest(
      ...Array.from({ length: together }, () => (response: ServerResponse) => answer(response, late, 500)),
      (response) => answer(response, takenOver, 200),
    );
    other.signal('SIGSTOP');
    const endpoint = await endpointFor(api, receiver.url);
    await makeReferences(api, together);
    await receiver.count(together);
    paused.signal('SIGSTOP');
    // As if the lease were over. Short ones would end before the pause on a busy machine.
    await withClient(deployment.connection, (client) => client.query('update webhook_queue set claimed_until_ms = 0'));
    other.signal('SIGCONT');
    await receiver.count(2 * together);
    // It finds the responses that it missed, or attempts that have timed out.
    late.open();
    paused.signal('SIGCONT');
    const attempts = async () => (await deliveriesOf(api, endpoint.id)).flatMap((one) => one.attempts);
    await expect.poll(async () => (await attempts()).length, soon).toBe(together);
    // Its late outcomes changed nothing: the deliveries are as the new owner has them.
    for (const delivery of await deliveriesOf(api, endpoint.id)) expect(delivery).toMatchObject({ status: 'pending' });
    takenOver.open();
    const statuses = async () => (await deliveriesOf(api, endpoint.id)).map(({ status }) => status);
    await expect.poll(statuses, soon).toEqual(Array.from({ length: together }, () => 'delivered'));
    const counts = Map.groupBy(receiver.received, deliveryIdOf);
    expect([...counts.values()].map(({ length }) => length)).toEqual(Array.from({ length: together }, () => 2));
    arrivals += receiver.received.length;
    delivered += counts.size;
    await api.delete(`/v1/webhook_endpoints/${endpoint.id}`);
  }
  const deliveries = rounds * together;
  print(
    `pauses: ${rounds} rounds, ${deliveries} deliveries, ${arrivals - delivered} duplicates, ${deliveries - delivered} lost`,
  );
});

function answer(response: ServerResponse, gate: Gate, status: number): void {
  void gate.pass().then(() => response.writeHead(status).end());
}

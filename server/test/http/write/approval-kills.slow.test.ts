import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { Killer, startTwo } from '../../letting/killer.ts';
import { armFailpoint } from '../../faults/arm-failpoint.ts';
import type { Failpoint } from '../../faults/failpoints.ts';
import { processesForTest } from '../../support/processes.ts';
import { apiClient, good, type Api, type ApiResponse } from '../../support/server.ts';

/*
 * Processes die by kill -9 while agents send approved requests. Then each request was executed once, and its approval
 * is used up. Or the request was not executed, and is still approved.
 */

const points: Failpoint[] = ['before commit', 'at commit', 'after commit'];

const armingFile = join(tmpdir(), `tenure-approval-kills-${process.pid}.json`);

/** Makes a key of an agent. */
async function agentOf(api: Api): Promise<string> {
  const key = { type: 'agent', name: 'Letting assistant', permissions: ['references.write', 'approval_requests.read'] };
  return (await good(api.post('/v1/api_keys', key))).body.secret;
}

/** Lets an agent ask to cancel a new reference, and approves that. */
async function approved(api: Api, agent: Api): Promise<{ reference: string; id: string }> {
  const reference = (await good(api.post('/v1/references', { application: 'app_1' }))).body.id;
  const held = await agent.post(`/v1/references/${reference}/cancel`);
  expect(held.status, held.text).toBe(403);
  const id = held.body.error.approval_request;
  await good(api.post(`/v1/test_helpers/approval_requests/${id}/approve`));
  return { reference, id };
}

/** Returns what was done: the states of both records, and the number of cancellations. */
async function stateOf(api: Api, { reference, id }: { reference: string; id: string }): Promise<unknown[]> {
  const { data } = (await good(api.get(`/v1/events?object_id=${reference}&type=reference.canceled`))).body;
  const { status: ofReference } = (await good(api.get(`/v1/references/${reference}`))).body;
  const { status } = (await good(api.get(`/v1/approval_requests/${id}`))).body;
  return [status, ofReference, data.length];
}

const done = ['executed', 'canceled', 1];
const waiting = ['approved', 'pending', 0];

test.each(points)(
  'uses an approval up exactly with its request when the process is killed with -9: %s',
  async (point) => {
    onTestFinished(() => rmSync(armingFile, { force: true }));
    const processes = await processesForTest();
    const deployment = await processes.start(
      { TEST_FAILPOINT_FILE: armingFile },
      'server/test/faults/server-under-test.ts',
    );
    const apiNow = (): Api => apiClient(deployment.url, processes.secretKey);
    const secret = await agentOf(apiNow());
    const agentNow = (): Api => apiClient(deployment.url, secret);
    const grant = await approved(apiNow(), agentNow());
    await armFailpoint(deployment, armingFile, point);
    const send = (): Promise<ApiResponse> =>
      agentNow().post(`/v1/references/${grant.reference}/cancel`, undefined, { 'idempotency-key': 'once' });
    const answer = await send().catch(() => null);
    await expect.poll(() => deployment.isRunning).toBe(false);
    await deployment.start();
    const after = await stateOf(apiNow(), grant);
    if (answer) expect([answer.status, after]).toEqual([200, done]);
    if (point === 'before commit') expect(after).toEqual(waiting);
    if (point === 'after commit') expect(after).toEqual(done);
    expect([done, waiting]).toContainEqual(after);
    // The same request is executed now, or replayed.
    await good(send());
    expect(await stateOf(apiNow(), grant)).toEqual(done);
  },
);

test('executes each approved request once when many agents send them to two processes that are killed', async () => {
  const processes = await processesForTest();
  const both = await startTwo(processes);
  const apis = (): [Api, Api] => both.map(({ url }) => apiClient(url, processes.secretKey)) as [Api, Api];
  const secret = await agentOf(apis()[0]);
  const agent = (index: number): Api => apiClient(both[index % 2]!.url, secret);
  const grants: { reference: string; id: string }[] = [];
  for (let count = 0; count < 60; count++) grants.push(await approved(apis()[count % 2]!, agent(count)));
  const killer = new Killer(25, both);
  const answers = new Map<string, number>();
  const client = async (grant: { reference: string; id: string }, index: number): Promise<void> => {
    for (let attempt = 0; attempt < 4; attempt++) {
      await killer.step();
      const path = `/v1/references/${grant.reference}/cancel`;
      const answer = await agent(index + attempt)
        .post(path)
        .catch(() => null);
      if (answer?.status === 200) answers.set(grant.id, (answers.get(grant.id) ?? 0) + 1);
    }
  };
  await killer.during(Promise.all(grants.map(client)));
  expect(killer.kills).toBeGreaterThanOrEqual(3);
  let executed = 0;
  for (const grant of grants) {
    const state = await stateOf(apis()[0], grant);
    expect([done, waiting]).toContainEqual(state);
    if (answers.has(grant.id)) expect(state).toEqual(done);
    if (state[0] === 'executed') executed++;
  }
  expect(executed).toBeGreaterThan(grants.length / 2);
  process.stdout.write(`approvals: ${executed} of ${grants.length} executed, ${killer.kills} kills\n`);
});

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import type { Deployment } from '../faults/crash-checker/deployment.ts';
import { armFailpoint } from '../faults/arm-failpoint.ts';
import type { Failpoint } from '../faults/failpoints.ts';
import { Browser, goodPassword, tokenOf } from '../support/browser.ts';
import { processesForTest, type Processes } from '../support/processes.ts';
import { apiClient, good, type ApiResponse } from '../support/server.ts';
import { versions } from '../support/versions.ts';

/*
 * A process dies by kill -9 during a sign-up, an accepted invitation, or an upgrade of the API version. Then each is done completely or not
 * at all, and the same request can be sent again.
 */

const points: Failpoint[] = ['before commit', 'at commit', 'after commit'];

/** Rounds of each action: at the three points of its commit, and at a moment before. */
const rounds: (Failpoint | 'early')[] = ['early', ...points];

/** Milliseconds after the request at which the early kill comes. The hash of the password takes longer. */
const earlyMs = 10;

const armingFile = join(tmpdir(), `tenure-sign-in-kills-${process.pid}.json`);
const [newest, , oldest] = versions as [string, string, string];

interface Scene {
  processes: Processes;
  deployment: Deployment;
}

/** Something that must happen as a whole. */
interface Action {
  name: string;
  /** Prepares the action. Returns what sends its request. */
  prepare(scene: Scene): Promise<() => Promise<ApiResponse>>;
  /** Returns the parts of the action as the database has them. Each is 0 or 1. */
  parts: string;
  /** The status and the error when the request comes after the action was done. */
  repeated: [number, string | undefined];
}

const email = 'grace@example.com';
let upgrades = 0;

const actions: Action[] = [
  {
    name: 'a sign-up',
    async prepare({ deployment }) {
      const token = await linkIn(deployment);
      const body = { token, email: 'ada@example.com', password: goodPassword };
      return () => new Browser(deployment).post('/auth/links/use', body);
    },
    parts: `
      select (select count(*) from users where role = 'owner') as users,
        (select count(*) from sessions) as sessions,
        (select count(*) from events where type = 'user.created') as events,
        (select count(*) from request_logs where path = '/auth/links/use' and status = 200) as logs,
        (select count(*) from (select from one_time_links having bool_and(used_at is not null)) used) as used_links`,
    repeated: [400, 'link_invalid'],
  },
  {
    name: 'an accepted invitation',
    async prepare({ deployment, processes }) {
      const owner = new Browser(deployment);
      await good(owner.post('/auth/sign_in', { email: 'ada@example.com', password: goodPassword }));
      const { url } = (await good(owner.post('/v1/invitations', { email, role: 'developer' }))).body;
      await run(processes, `delete from sessions`);
      const body = { token: tokenOf(url), password: goodPassword };
      return () => new Browser(deployment).post('/auth/links/use', body);
    },
    parts: `
      select (select count(*) from users where role = 'developer') as users,
        (select count(*) from sessions) as sessions,
        (select count(*) from events where type = 'invitation.accepted') as acceptances,
        (select count(*) from events where type = 'user.created') - 1 as events,
        (select count(*) from request_logs where path = '/auth/links/use' and status = 200) - 1 as logs,
        (select count(*) from invitations where accepted_at is not null) as used_links`,
    repeated: [400, 'link_invalid'],
  },
  {
    name: 'an upgrade',
    async prepare({ deployment, processes }) {
      await run(processes, `update accounts set api_version = '${oldest}'`);
      await deployment.kill();
      await deployment.start();
      const { api, headers } = {
        api: apiClient(deployment.url, processes.secretKey),
        headers: { 'idempotency-key': `upgrade-${++upgrades}` },
      };
      return () => api.post('/v1/account/api_version', { api_version: newest }, headers);
    },
    parts: `
      select (select count(*) from accounts where api_version = '${newest}') as versions,
        (select count(*) from accounts where api_version_previous = '${oldest}' and rollback_until is not null) as rollbacks,
        (select count(*) from events where type like 'account.%' and data like '%${oldest}%') as events,
        (select count(*) from request_logs where path = '/v1/account/api_version' and not replayed) as logs,
        (select count(*) from idempotency_keys where key like 'upgrade-%') as keys`,
    repeated: [200, undefined],
  },
];

test.each(rounds)('leaves nothing half done when a process is killed with -9: %s', async (moment) => {
  onTestFinished(() => rmSync(armingFile, { force: true }));
  const processes = await processesForTest();
  const deployment = await processes.start(
    { TEST_FAILPOINT_FILE: armingFile },
    'server/test/faults/server-under-test.ts',
  );
  const done: string[] = [];
  for (const { name, prepare, parts, repeated } of actions) {
    const send = await prepare({ processes, deployment });
    expect([name, await partsOf(processes, parts)]).toEqual([name, 'none']);
    const answer = await sendAndKill(deployment, moment, send);
    await deployment.start();
    const after = await partsOf(processes, parts);
    // A response is a promise. Nothing is sent of a commit that has not begun.
    if (answer) expect([name, answer.status, after]).toEqual([name, 200, 'all']);
    if (moment === 'before commit') expect([name, after]).toEqual([name, 'none']);
    if (moment === 'after commit') expect([name, after]).toEqual([name, 'all']);
    const { status, body } = await send();
    expect([name, status, body.error?.code]).toEqual([name, ...(after === 'all' ? repeated : [200, undefined])]);
    expect([name, await partsOf(processes, parts)]).toEqual([name, 'all']);
    done.push(after);
  }
  for (const [one, role] of [
    ['ada@example.com', 'owner'],
    [email, 'developer'],
  ] as const) {
    const { body } = await good(new Browser(deployment).post('/auth/sign_in', { email: one, password: goodPassword }));
    expect(body.user.role).toBe(role);
  }
  process.stdout.write(`kills ${moment}: ${done.join(', ')}\n`);
});

/** Sends a request, and kills the process meanwhile. Returns the response, or null without one. */
async function sendAndKill(
  deployment: Deployment,
  moment: Failpoint | 'early',
  send: () => Promise<ApiResponse>,
): Promise<ApiResponse | null> {
  if (moment !== 'early') await armFailpoint(deployment, armingFile, moment);
  const answering = send().catch(() => null);
  if (moment === 'early') {
    await delay(earlyMs);
    await deployment.kill();
  }
  const answer = await answering;
  await expect.poll(() => deployment.isRunning).toBe(false);
  return answer;
}

/** Returns whether all parts of an action are there, or none, or which. */
async function partsOf(processes: Processes, query: string): Promise<string> {
  const [row = {}] = await run(processes, query);
  const counts = Object.values(row).map(Number);
  if (counts.every((count) => count === 1)) return 'all';
  return counts.every((count) => count === 0) ? 'none' : JSON.stringify(row);
}

async function run({ connection }: Processes, query: string): Promise<Record<string, unknown>[]> {
  return withClient(connection, async (client) => (await client.query<Record<string, unknown>>(query)).rows);
}

/** Returns the token of the link to the first owner, which the start prints when the server is ready. */
async function linkIn({ logFile }: Deployment): Promise<string> {
  const find = (): string | undefined => /\/dashboard\/link#(\w+)/.exec(readFileSync(logFile, 'utf8'))?.[1];
  await expect.poll(find).toBeDefined();
  return find()!;
}

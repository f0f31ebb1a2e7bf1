import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { makeKey } from '../../src/core/secrets/api-keys.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts';
import { urlOf } from '../support/processes.ts';
import { Cluster } from '../support/standby.ts';
import { Api } from './crash-checker/api.ts';
import { newSeed } from './crash-checker/checker.ts';
import { Deployment } from './crash-checker/deployment.ts';
import { errorCodeOf, recordIdIn, type Answered } from './crash-checker/history.ts';
import { Random } from './crash-checker/random.ts';
import { expectNone, newRun, playRound, print, type Run } from './failover-rounds.ts';
import { rounds } from '../support/rounds.ts';

/*
 * A real primary and a real streaming standby that it waits for. The server finds its database by an address. The address moves to the
 * promoted standby, like a host name or a virtual address. Here the address is a proxy that does nothing else.
 */

const failovers = rounds(2, 10);
const seed = Number(process.env.STANDBY_SEED ?? newSeed());

/** How long one of two standbys receives nothing before the primary dies, in milliseconds. */
const lagMs = 1_000;

/** Killing a primary needs Linux's list of processes. */
const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)(
  `loses and repeats no confirmed request when the primary dies ${failovers} times under load and the standby is promoted`,
  async () => {
    print(`seed ${seed}`);
    const { proxy, server, api, ...begun } = await startOnPrimary();
    let { primary } = begun;
    const run = newRun(api, seed);
    for (let round = 1; round <= failovers; round++) {
      const standby = await primary.standbyForTest();
      // A surviving server learns the outcome of its commits. If it dies too, the clients learn it by their keys.
      const serverDies = round % 2 === 0;
      const violations = await playRound(run, round, async () => {
        await primary.kill();
        await standby.promote();
        proxy.moveTo(standby.connection());
        if (!serverDies) return;
        await server.kill();
        await server.start();
      });
      print(`server ${serverDies ? 'killed too' : 'survived'}`);
      expectNone(violations, `STANDBY_SEED=${seed}`);
      primary = standby;
    }
  },
);

describe.skipIf(!isLinux)('two standbys, one of them lagging when the primary dies', () => {
  test('loses no confirmed request when the most advanced standby is promoted and the other follows it', async () => {
    const { primary, standbys, proxy, api } = await startWithTwoStandbys();
    const run = newRun(api, seed);
    const violations = await playRound(run, 1, async () => {
      await letOneLag(standbys, run);
      await primary.kill();
      const [furthest, other] = await byWhatTheyHave(standbys);
      await furthest.promote();
      await other.follow(furthest);
      await furthest.waitFor('ANY 1 (standby_1, standby_2)');
      proxy.moveTo(furthest.connection());
      await furthest.awaitStandby();
    });
    expectNone(violations, `STANDBY_SEED=${seed}`);
  });

  test('loses confirmed requests and reports them when the lagging standby is promoted', async () => {
    const { primary, standbys, proxy, api } = await startWithTwoStandbys();
    const run = newRun(api, seed);
    const violations = await playRound(run, 1, async () => {
      await letOneLag(standbys, run);
      await primary.kill();
      const [, lagging] = await byWhatTheyHave(standbys);
      await lagging.promote();
      proxy.moveTo(lagging.connection());
    });
    const lost = violations.filter(({ rule }) => rule === 'lost_record');
    print(`${lost.length} confirmed records are lost`);
    expect(lost.length, `STANDBY_SEED=${seed}`).toBeGreaterThan(0);
  });
});

describe.skipIf(!isLinux)('primary without its standby', () => {
  test('confirms and shows nothing until the standby is back, and then replays the response by its key', async () => {
    const { primary, standby, api } = await startWithoutStandby();
    const startedMs = performance.now();
    const inDoubt = await create(api, 'while it is gone');
    print(
      `without its standby the primary delayed a response by ${Math.round((performance.now() - startedMs) / 1000)} s`,
    );
    expectInDoubt(inDoubt);
    expect((await api.read('/v1/references')).count).toBe(1);
    const again = await create(api, 'while it is gone');
    expect([again.status, errorCodeOf(again)]).toEqual([409, 'idempotency_key_in_use']);
    const waiting = await primary.ask(`select count(*)::integer from pg_stat_activity where wait_event = 'SyncRep'`);
    print(`${JSON.stringify(waiting)} after ${Math.round((performance.now() - startedMs) / 1000)} s`);
    await expectAnswerWithStandby({ primary, standby, api });
  });

  test('confirms nothing when the primary restarts and has forgotten that it waited', async () => {
    const { primary, standby, api } = await startWithoutStandby();
    const asked = create(api, 'while it is gone');
    // Its commit waits for the standby.
    await expect.poll(() => primary.ask(`select from pg_stat_activity where wait_event = 'SyncRep'`)).not.toEqual([]);
    await sleep(1_000);
    await primary.kill();
    await primary.start();
    expectInDoubt(await asked);
    await expectAnswerWithStandby({ primary, standby, api });
  });
});

async function startWithTwoStandbys(): Promise<Started & { standbys: Cluster[] }> {
  const started = await startOnPrimary();
  const { primary } = started;
  const standbys = [await primary.copyForTest('standby_1'), await primary.copyForTest('standby_2')];
  await primary.waitFor('ANY 1 (standby_1, standby_2)');
  await primary.awaitStandby(2);
  return { ...started, standbys };
}

/** Stops one of the standbys, chosen at random, from receiving. Commits continue with the other one, and create a record at least. */
async function letOneLag(standbys: Cluster[], { history }: Run): Promise<void> {
  await new Random(`seed ${seed}`).pick(standbys)!.stopReceiving();
  const sinceMs = performance.now();
  await sleep(lagMs);
  const isCreated = (): boolean =>
    history.operations.some(
      ({ method, path, calls }) =>
        method === 'POST' &&
        recordIdIn(path) === '' &&
        calls.some(({ sentMs, result }) => sentMs > sinceMs && result.kind === 'answered' && result.status === 200),
    );
  await expect.poll(isCreated).toBe(true);
}

/** Returns the most advanced standby first, as an operator can find out. */
async function byWhatTheyHave(standbys: Cluster[]): Promise<[Cluster, Cluster]> {
  const asked = await Promise.all(standbys.map(async (standby) => ({ standby, bytes: await standby.receivedBytes() })));
  const [furthest, other] = asked.sort((left, right) => right.bytes - left.bytes);
  print(`one standby is ${furthest!.bytes - other!.bytes} bytes ahead of the other`);
  expect(furthest!.bytes).toBeGreaterThan(other!.bytes);
  return [furthest!.standby, other!.standby];
}

async function startWithoutStandby(): Promise<{ primary: Cluster; standby: Cluster; api: Api }> {
  const { primary, api } = await startOnPrimary();
  const standby = await primary.standbyForTest();
  expect((await create(api, 'before')).status).toBe(200);
  await standby.kill();
  return { primary, standby, api };
}

function expectInDoubt(answer: Answered): void {
  expect([answer.status, errorCodeOf(answer)]).toEqual([503, 'unavailable']);
  expect(answer.text).not.toContain('Nothing was changed');
}

async function expectAnswerWithStandby(parts: { primary: Cluster; standby: Cluster; api: Api }): Promise<void> {
  await parts.standby.start();
  await parts.primary.awaitStandby();
  await expect
    .poll(() => create(parts.api, 'while it is gone'), { interval: 500 })
    .toMatchObject({ status: 200, replayed: true });
  expect((await parts.api.read('/v1/references')).count).toBe(2);
}

interface Started {
  primary: Cluster;
  proxy: DatabaseProxy;
  server: Deployment;
  api: Api;
}

async function startOnPrimary(): Promise<Started> {
  const primary = await Cluster.primaryForTest();
  const proxy = await startDatabaseProxy(primary.connection());
  onTestFinished(() => proxy.stop());
  const secretKey = makeKey('secret', 'sandbox', randomBytes);
  const { host, port, user, database } = proxy.connection;
  const settings = {
    DATABASE_URL: urlOf({ connectionString: `postgres://${user}@${host}:${port}/${database}` }),
    TENURE_MASTER_KEY: newMasterKey(),
  };
  const server = await Deployment.create({ secretKey, settings });
  onTestFinished(() => server.remove());
  await server.start();
  const api = new Api([server.url], secretKey);
  onTestFinished(() => api.close());
  return { primary, proxy, server, api };
}

async function create(api: Api, key: string): Promise<Answered> {
  const result = await api.send({ method: 'POST', path: '/v1/references', body: { application: 'app_1' }, key });
  expect(result.kind).toBe('answered');
  return result as Answered;
}

import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';
import { buildArchive, projectDir } from '../../../scripts/release-archive.ts';
import { newMasterKey } from '../../src/server/config.ts';
import { makeKey } from '../../src/core/secrets/api-keys.ts';
import { withClient, type Connection } from '../../src/db/pools.ts';
import { Deployment } from '../faults/crash-checker/deployment.ts';
import { databaseIn } from '../support/global-setup.ts';
import { allOf } from '../support/paging.ts';
import { urlOf } from '../support/processes.ts';
import { receiverForTest } from '../support/receiver.ts';
import { apiClient, good, type Api } from '../support/server.ts';

/*
 * Replaces the processes of a deployment one at a time, as an operator upgrades. The older side is the archive that this tree builds, so
 * only the replacement itself is tested. TENURE_TEST_OLD_ARCHIVE names another one, such as that of the last release. If it lacks
 * migrations of this tree, no process goes back: an older server refuses a newer database.
 */

/** The program of the working tree, the newer side. */
const newProgram = 'server/src/main.ts';

/** Fewer connections than by default, so that four processes fit into one PostgreSQL. */
const roles = {
  api: { TENURE_ROLE: 'api', TENURE_DATABASE_CONNECTIONS: '11', TENURE_STOP_DELAY_SECONDS: '1' },
  worker: { TENURE_ROLE: 'worker', TENURE_DATABASE_CONNECTIONS: '15' },
};

/** Milliseconds between the requests of a client. */
const pauseMs = 40;

test('fails no request and loses no event when two API processes and two workers are replaced one at a time, and one goes back', async () => {
  const oldProgram = unpack(process.env.TENURE_TEST_OLD_ARCHIVE);
  const site = await siteForTest();
  // An API process makes the first account, for which workers wait.
  let apis = [await site.start('api', oldProgram), await site.start('api', oldProgram)];
  let workers = [await site.start('worker', oldProgram), await site.start('worker', oldProgram)];
  await site.seed(oldProgram, apis[0]!);
  const receiver = await receiverForTest();
  const first = apiClient(apis[0]!.url, site.secretKey);
  await good(first.post('/v1/webhook_endpoints', { url: receiver.url, enabled_events: ['reference.*'] }));

  const load = new Load(apis, site.secretKey);
  const replace = async (old: Deployment, role: keyof typeof roles, program: string): Promise<Deployment> => {
    // A load balancer sends nothing more to a process that stops. Requests in progress go on.
    load.leave(old);
    expect(await old.stop()).toBe(0);
    const next = await site.start(role, program);
    if (role === 'api') load.join(next);
    // Each mix of old and new processes serves some requests.
    await load.afterMore(10);
    return next;
  };
  await load.afterMore(10);
  workers = [await replace(workers[0]!, 'worker', newProgram), await replace(workers[1]!, 'worker', newProgram)];
  apis = [await replace(apis[0]!, 'api', newProgram), await replace(apis[1]!, 'api', newProgram)];
  let last = apis[0]!;
  if (hasAllMigrations(oldProgram)) {
    await replace(workers[0]!, 'worker', oldProgram);
    last = await replace(last, 'api', oldProgram);
  }
  await load.stop();

  expect(load.failures).toEqual([]);
  const api = apiClient(last.url, site.secretKey);
  for (const type of ['reference.created', 'reference.completed']) {
    const events = (await allOf(api, '/v1/events', { type })).map(({ data }) => data.object.id as string);
    // `seed` made references, too.
    expect(events.filter((id) => load.references.includes(id)).toSorted()).toEqual(load.references.toSorted());
    await expect.poll(() => load.references.filter((id) => !received(type).includes(id))).toEqual([]);
  }

  function received(type: string): string[] {
    return receiver.received.filter(({ body }) => body.type === type).map(({ body }) => body.data.object.id as string);
  }
});

/** Returns whether an unpacked archive has all migrations of this tree. */
function hasAllMigrations(program: string): boolean {
  const old = new Set(readdirSync(join(dirname(program), '../sql')));
  return readdirSync(join(projectDir, 'server/sql')).every((file) => old.has(file));
}

/** Some clients that make and complete references, each by its next process in turn. */
class Load {
  /** Ids of references that were completed. */
  readonly references: string[] = [];
  /** What went wrong. */
  readonly failures: string[] = [];
  readonly #secretKey: string;
  readonly #clients: Promise<void>[];
  #apis: Deployment[];
  #turn = 0;
  #isStopped = false;

  constructor(apis: Deployment[], secretKey: string) {
    this.#apis = [...apis];
    this.#secretKey = secretKey;
    this.#clients = [this.#run(), this.#run()];
  }

  join(api: Deployment): void {
    this.#apis.push(api);
  }

  leave(api: Deployment): void {
    this.#apis = this.#apis.filter((one) => one !== api);
  }

  /** Waits for so many more references, or for a failure. */
  async afterMore(count: number): Promise<void> {
    const wanted = this.references.length + count;
    while (this.references.length < wanted && this.failures.length === 0) await delay(20);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped && this.failures.length === 0) {
      try {
        const headers = { 'idempotency-key': randomBytes(12).toString('hex') };
        const { body } = await good(
          this.#next().post('/v1/references', { application: 'app_1', customer: 'cus_1' }, headers),
        );
        await good(this.#next().get(`/v1/references/${body.id}`));
        await good(this.#next().post(`/v1/references/${body.id}`, { outcome: 'accept' }));
        await good(this.#next().get('/v1/invoices?limit=5'));
        this.references.push(body.id);
      } catch (error) {
        this.failures.push(String(error));
      }
      await delay(pauseMs);
    }
  }

  #next(): Api {
    const api = this.#apis[this.#turn++ % this.#apis.length]!;
    return apiClient(api.url, this.#secretKey);
  }
}

/** Unpacks an archive below the project, so that it finds the packages of the repository. Returns its program. */
function unpack(archive: string | undefined): string {
  mkdirSync(join(projectDir, 'artifacts'), { recursive: true });
  const folder = mkdtempSync(join(projectDir, 'artifacts/upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('tar', ['xf', archive ?? buildArchive(folder), '-C', folder, '--strip-components=1']);
  return join(folder, 'server/src/main.js');
}

/** A deployment with an empty database of its own. Ends with the test. */
async function siteForTest() {
  const connection = await emptyDatabase();
  const secretKey = makeKey('secret', 'sandbox', randomBytes);
  const settings = { DATABASE_URL: urlOf(connection), TENURE_MASTER_KEY: newMasterKey() };
  const started: Deployment[] = [];
  onTestFinished(async () => {
    await Promise.all(started.map((one) => one.remove()));
  });
  return {
    secretKey,
    async start(role: keyof typeof roles, program: string): Promise<Deployment> {
      const one = await Deployment.create({ secretKey, program, settings: { ...settings, ...roles[role] } });
      started.push(one);
      await one.start();
      return one;
    },
    /** Makes records of many kinds. */
    async seed(program: string, { url }: Deployment): Promise<void> {
      const { hostname: HOST, port: PORT } = new URL(url);
      const env = { ...settings, HOST, PORT };
      await promisify(execFile)(process.execPath, [join(program, '../commands/seed.js')], { env });
    },
  };
}

async function emptyDatabase(): Promise<Connection> {
  const cluster = inject('cluster');
  const name = `upgrade_${randomBytes(8).toString('hex')}`;
  await withClient(cluster, (client) => client.query(`create database ${name}`));
  // This runs last: the test's hooks run in reverse order.
  onTestFinished(() =>
    withClient(cluster, async (client) => void (await client.query(`drop database ${name} with (force)`))),
  );
  return databaseIn(cluster, name);
}

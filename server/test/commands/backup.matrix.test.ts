import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { findRunningDatabase } from '../../src/embedded-postgres/index.ts';
import { newMasterKey } from '../../src/server/config.ts';
import { makeKey } from '../../src/core/secrets/api-keys.ts';
import { Api } from '../faults/crash-checker/api.ts';
import { Deployment } from '../faults/crash-checker/deployment.ts';
import type { Answered } from '../faults/crash-checker/history.ts';
import { textOf, type JsonObject } from '../faults/crash-checker/json.ts';
import { processesIn } from '../faults/crash-checker/processes.ts';
import { backUp, heldAt, newKey, restore, runCommand } from '../support/backups.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { waitMs } from '../support/wait.ts';

/*
 * The real commands, on a real server with its embedded database. The program npm runs the first of each and the interrupted ones.
 */

/** Retry for 200 s, longer than a backup takes. */
const settings = { TENURE_RETRY_SCHEDULE: Array<string>(50).fill('4').join(',') };

let scratch: string;
let original: Deployment;
let api: Api;
let receiver: Receiver;
let isReceiverWell = false;
let backup: string;
/** The responses before the backup. The one of `key` was sent with an Idempotency-Key of that name. */
let created: Answered;
let eventsBefore: JsonObject;
let endpoint: JsonObject;
let said: string;

beforeAll(async () => {
  // If the tests run as root, PostgreSQL runs as another user, which must be able to enter the folder.
  scratch = fs.mkdtempSync(join(tmpdir(), 'tenure-backup-'));
  fs.chmodSync(scratch, 0o755);
  backup = join(scratch, 'backup');
  receiver = await startReceiver((response) => response.writeHead(isReceiverWell ? 200 : 500).end());
  original = await Deployment.create({ settings });
  await original.start();
  api = new Api([original.url], original.secretKey);
  endpoint = parsed(await post(api, '/v1/webhook_endpoints', { url: receiver.url, enabled_events: ['reference.*'] }));
  created = await post(api, '/v1/references', { application: 'app_1', metadata: { made: 'before' } }, 'before');
  await post(api, '/v1/customers', { name: 'Ann Archer' });
  eventsBefore = await api.read('/v1/events?limit=50');
  const { code, output } = await runCommand('backup', [backup], { DATA_DIR: original.dataDir });
  if (code !== 0) throw new Error(output);
  said = output;
});

afterAll(async () => {
  api.close();
  await original.remove();
  await receiver.stop();
  fs.rmSync(scratch, { recursive: true, force: true });
});

describe('restored deployments', () => {
  test('keeps every response, sends pending deliveries and reuses no event position when a backup is restored', async () => {
    const late = await post(api, '/v1/references', { application: 'app_1' }, 'late');
    const restored = await Deployment.create({ settings, secretKey: original.secretKey });
    onTestFinished(() => restored.remove());
    const { code, output } = await runCommand('restore', [backup], { DATA_DIR: restored.dataDir });
    expect(code, output).toBe(0);
    expect(output).toContain(`Restored ${restored.dataDir}: all that was answered before 20`);
    isReceiverWell = true;
    await restored.start();
    const again = new Api([restored.url], restored.secretKey);
    onTestFinished(() => again.close());

    const reference = parsed(created);
    expect(await again.read(`/v1/references/${textOf(reference, 'id')}`)).toEqual(reference);
    expect(await again.read('/v1/events?limit=50')).toEqual(eventsBefore);
    expect((await again.read('/v1/customers')).count).toBe(1);
    const replay = await post(
      again,
      '/v1/references',
      { application: 'app_1', metadata: { made: 'before' } },
      'before',
    );
    expect(replay).toMatchObject({ text: created.text, replayed: true, originalRequest: created.requestId });
    // The master key is the same, so its ciphertext can be decrypted.
    expect(await again.read(`/v1/webhook_endpoints/${textOf(endpoint, 'id')}`)).toEqual(endpoint);

    expect((await get(again, `/v1/references/${textOf(parsed(late), 'id')}`)).status).toBe(404);
    const anew = await post(again, '/v1/references', { application: 'app_1' }, 'late');
    expect(anew).toMatchObject({ status: 200, replayed: false });
    // New events sort after the lost ones, which a client may have seen.
    expect(await epochs(restored)).toEqual([2, 1]);

    const ofCreation = (eventsBefore.data as JsonObject[]).find(({ type }) => type === 'reference.created')!;
    const path = `/v1/webhook_endpoints/${textOf(endpoint, 'id')}/deliveries`;
    await expect
      .poll(async () => ((await again.read(path)).data as JsonObject[]).map(({ event, status }) => [event, status]))
      .toContainEqual([ofCreation.id, 'delivered']);
  });

  test('keeps every response from before the time that the backup printed when it is restored', async () => {
    const answers: { id: string; answeredAtMs: number }[] = [];
    const over = new AbortController();
    const write = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const reference = parsed(await post(api, '/v1/references', { application: 'app_1' }));
        answers.push({ id: textOf(reference, 'id'), answeredAtMs: Date.now() });
      }
    };
    const copy = join(scratch, 'while-written-to');
    const goOn = join(scratch, 'written');
    const ended = backUp(original.dataDir, copy, heldAt('the copy', goOn));
    await appearance(() => fs.existsSync(join(copy, 'postgres/base')));
    const writers = Promise.all([write(), write(), write(), write()]);
    await appearance(() => answers.length > 0);
    fs.writeFileSync(goOn, '');
    const { code, output } = await ended;
    over.abort();
    await writers;
    expect(code, output).toBe(0);
    const toldMs = Date.parse(/ answered before (\S+) is in it/.exec(output)![1]!);

    const restored = await Deployment.create({ settings, secretKey: original.secretKey });
    onTestFinished(() => restored.remove());
    expect(await restore(copy, restored.dataDir)).toMatchObject({ code: 0 });
    await restored.start();
    const connection = await findRunningDatabase(restored.dataDir);
    const { rows } = await withClient({ ...connection!, ssl: false }, (database) =>
      database.query<{ id: string }>('select id from tenant_references'),
    );
    const found = new Set(rows.map(({ id }) => id));
    const before = answers.filter(({ answeredAtMs }) => answeredAtMs < toldMs);
    expect(before.length).toBeGreaterThan(0);
    expect(before.filter(({ id }) => !found.has(id))).toEqual([]);
  });

  test('restores a deployment when the backup was taken while the server was stopped', async () => {
    const stopped = await Deployment.create({ secretKey: original.secretKey });
    onTestFinished(() => stopped.remove());
    expect(await restore(backup, stopped.dataDir)).toMatchObject({ code: 0 });
    const second = join(scratch, 'second');
    expect(await backUp(stopped.dataDir, second)).toMatchObject({ code: 0 });
    expect(stopped.databasePid()).toBeNull();
    fs.rmSync(stopped.dataDir, { recursive: true });
    expect(await restore(second, stopped.dataDir)).toMatchObject({ code: 0 });
    await stopped.start();
    const again = new Api([stopped.url], stopped.secretKey);
    onTestFinished(() => again.close());
    expect((await again.read('/v1/references')).count).toBe(1);
  });
});

describe('backups', () => {
  test('prints its size and that it holds the key, and is readable by its owner alone, when a backup is made', () => {
    expect(said).toMatch(
      /^Backed up \S+ to \S+: \d+ MB in \d+ files\. All that was answered before \S+Z is in it\.\nThe master key is in it: .*\n$/,
    );
    const open = fs
      .readdirSync(backup, { recursive: true, encoding: 'utf8' })
      .filter((path) => (fs.statSync(join(backup, path)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
    expect(fs.readFileSync(join(backup, 'master.key'), 'utf8')).toBe(
      fs.readFileSync(join(original.dataDir, 'master.key'), 'utf8'),
    );
  });

  test.each([
    ['without a folder', () => [original.dataDir, null] as const, 'Say where to: npm run backup -- <folder>'],
    ['into a folder that is not empty', () => [original.dataDir, backup] as const, 'backup is not empty.'],
    [
      'into the data itself',
      () => [original.dataDir, join(original.dataDir, 'backup')] as const,
      'The backup cannot be in ',
    ],
    [
      'below a file',
      () => [original.dataDir, join(backup, 'manifest.json', 'deeper')] as const,
      'cannot be written (ENOTDIR)',
    ],
    [
      'of nothing',
      () => [join(scratch, 'nothing'), join(scratch, 'of-nothing')] as const,
      'There is no deployment in ',
    ],
  ])('refuses a backup %s with one line that gives the reason', async (_, call, message) => {
    const [dataDir, folder] = call();
    const { code, output } = await backUp(dataDir, folder);
    expect(code).toBe(1);
    expect(output).toContain(message);
    expect(output.trimEnd().split('\n')).toHaveLength(1);
  });

  test("refuses to back up an operator's own database with advice when one is configured", async () => {
    const settingsOfOwn = { DATABASE_URL: 'postgres://db.internal/tenure', TENURE_MASTER_KEY: `${'A'.repeat(43)}=` };
    for (const ended of [
      backUp(scratch, join(scratch, 'own'), settingsOfOwn),
      restore(backup, scratch, settingsOfOwn),
    ]) {
      expect(await ended).toMatchObject({ code: 1, output: expect.stringContaining('such as pg_basebackup') });
    }
  });
});

describe('refused restores', () => {
  let spoiled: string;

  beforeAll(() => {
    spoiled = join(scratch, 'spoiled');
    fs.cpSync(backup, spoiled, { recursive: true });
  });

  test.each<[string, string, (file: string) => void, string]>([
    ['one bit of a file differs', 'postgres/global/pg_control', flipBit, 'The backup is damaged: postgres/global/'],
    [
      'a file is shorter',
      'postgres/global/pg_filenode.map',
      (file) => fs.truncateSync(file, 10),
      'The backup is damaged: ',
    ],
    [
      'a file is missing',
      'postgres/PG_VERSION',
      (file) => fs.rmSync(file),
      'The backup is damaged: postgres/PG_VERSION is missing.',
    ],
    ['the key differs', 'master.key', flipBit, 'The backup is damaged: master.key is not'],
    [
      'the manifest is cut off',
      'manifest.json',
      (file) => fs.truncateSync(file, 1_000),
      'manifest.json cannot be read',
    ],
    ['the backup was interrupted', 'manifest.json', (file) => fs.rmSync(file), 'holds no complete backup'],
  ])('refuses a restore with one line and leaves nothing behind when %s', async (_, path, spoil, message) => {
    const file = join(spoiled, path);
    const dataDir = join(scratch, 'refused');
    fs.rmSync(dataDir, { recursive: true, force: true });
    spoil(file);
    const { code, output } = await restore(spoiled, dataDir);
    fs.copyFileSync(join(backup, path), file);
    expect(code).toBe(1);
    expect(output).toContain(message);
    expect(output.trimEnd().split('\n')).toHaveLength(1);
    expect(fs.existsSync(dataDir) ? fs.readdirSync(dataDir) : []).toEqual([]);
  });

  test('refuses a restore with one line and leaves nothing behind when there is no such folder', async () => {
    const { code, output } = await restore(join(scratch, 'nowhere'), join(scratch, 'of-nowhere'));
    expect({ code, output }).toEqual({
      code: 1,
      output: `There is no ${join(scratch, 'nowhere')}: name the folder of a backup.\n`,
    });
    expect(fs.existsSync(join(scratch, 'of-nowhere'))).toBe(false);
  });

  test('refuses a restore with one line and changes nothing when the target is not empty', async () => {
    const { code, output } = await restore(backup, original.dataDir);
    expect(code).toBe(1);
    expect(output).toMatch(/ is not empty, and nothing is ever overwritten: .*\n$/);
    expect((await api.read('/v1/customers')).count).toBe(1);
  });
});

describe('deployments with the master key in their settings', () => {
  const masterKey = newMasterKey();
  const keyed = { ...settings, TENURE_MASTER_KEY: masterKey };

  test('keeps the configured master key when a backup is made, and restores the backup with that key only', async () => {
    const deployment = await Deployment.create({ settings: keyed });
    onTestFinished(() => deployment.remove());
    await deployment.start();
    const copy = join(scratch, 'keyless');
    const whileItRuns = await backUp(deployment.dataDir, copy);
    expect(whileItRuns.output).toContain(
      '\nThe master key is not in it, and neither beside the data nor in TENURE_MASTER_KEY',
    );
    await deployment.stop();
    const keyFile = join(deployment.dataDir, 'master.key');
    expect(await backUp(deployment.dataDir, join(scratch, 'keyless-stopped'))).toMatchObject({ code: 0 });
    expect(fs.existsSync(keyFile)).toBe(false);

    // A key file left there by accident decrypts nothing, and must not be used as the deployment's key.
    fs.writeFileSync(keyFile, `${newMasterKey()}\n`);
    const withStray = await backUp(deployment.dataDir, join(scratch, 'keyless-stray'), {
      TENURE_MASTER_KEY: masterKey,
    });
    expect(withStray.output).toContain('\nThe master key is not in it, but in TENURE_MASTER_KEY: keep that too');
    for (const name of ['keyless', 'keyless-stopped', 'keyless-stray']) {
      expect(fs.readdirSync(join(scratch, name)).sort()).toEqual(['manifest.json', 'postgres']);
    }

    const restored = await Deployment.create({ settings, secretKey: deployment.secretKey });
    onTestFinished(() => restored.remove());
    const { output } = await restore(copy, restored.dataDir);
    expect(output).toContain('\nIts master key is not in the backup: npm start needs it in TENURE_MASTER_KEY.\n');
    await expect(restored.start()).rejects.toThrow(
      /\nThe deployment in \S+ needs the master key that it was made with: set TENURE_MASTER_KEY to it, or put it back as \S+master\.key\.$/,
    );
    expect(fs.existsSync(join(restored.dataDir, 'master.key'))).toBe(false);
    // The operator has found the key, and puts it back.
    fs.writeFileSync(join(restored.dataDir, 'master.key'), `${masterKey}\n`);
    await restored.start();
    expect(await backUp(restored.dataDir, join(scratch, 'found'))).toMatchObject({
      code: 0,
      output: expect.stringContaining('\nThe master key is in it: '),
    });
  });
});

describe('live deployments', () => {
  const live = { TENURE_MODE: 'live', TENURE_SECRET_KEY: makeKey('secret', 'live', randomBytes) };

  test('refuses to start a restored live deployment, or to create a key for it, when TENURE_MODE is missing', async () => {
    const deployment = await Deployment.create({ settings: live });
    onTestFinished(() => deployment.remove());
    await deployment.start();
    const copy = join(scratch, 'live');
    expect(await backUp(deployment.dataDir, copy)).toMatchObject({ code: 0 });
    await deployment.stop();

    const restored = await Deployment.create();
    onTestFinished(() => restored.remove());
    expect(await restore(copy, restored.dataDir)).toMatchObject({ code: 0 });
    const refusal =
      /^(The server did not start:\n)?This database is of a live deployment, .* Set TENURE_MODE=live\. .*\n?$/;
    await expect(restored.start()).rejects.toThrow(refusal);
    expect(restored.databasePid()).toBeNull();
    expect(await newKey(restored.dataDir)).toMatchObject({ code: 1, output: expect.stringMatching(refusal) });

    const served = await Deployment.create({ settings: live, dataDir: restored.dataDir });
    onTestFinished(() => served.remove());
    await served.start();
    const made = await newKey(restored.dataDir, { TENURE_MODE: 'live' });
    expect(made).toMatchObject({ code: 0, output: expect.stringMatching(/^sk_live_\w+\n$/) });
    const again = new Api([served.url], made.output.trim());
    onTestFinished(() => again.close());
    expect((await again.read('/v1/references')).count).toBe(0);
  });
});

describe('interrupted commands', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'leaves an empty folder when a backup is interrupted by %s',
    async (signal) => {
      const folder = join(scratch, `interrupted-${signal}`);
      const when = appearance(() => fs.existsSync(join(folder, 'postgres/base')));
      const { code, output } = await backUp(original.dataDir, folder, heldAt('the copy'), { when, signal });
      expect({ code, output }).toMatchObject({
        output: expect.stringContaining('Interrupted: nothing was backed up.\n'),
      });
      expect(code).not.toBe(0);
      expect(fs.readdirSync(folder)).toEqual([]);
      expect((await api.read('/v1/customers')).count).toBe(1);
    },
  );

  test('leaves an empty folder when a backup is interrupted by SIGTERM to npm alone', async () => {
    const folder = join(scratch, 'interrupted-npm');
    const when = appearance(() => fs.existsSync(join(folder, 'postgres/base')));
    const interruption = { when, signal: 'SIGTERM', toNpmAlone: true } as const;
    const { output } = await backUp(original.dataDir, folder, heldAt('the copy'), interruption);
    expect(output).toContain('Interrupted: nothing was backed up.\n');
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['while it copies', 'SIGINT', 'postgres/base', 'the copy'],
    ['while it tests the copy', 'SIGTERM', 'postgres/postmaster.pid', 'the start'],
  ] as const)(
    'leaves an empty folder and no PostgreSQL when a restore is interrupted %s by %s',
    async (_, signal, path, step) => {
      const dataDir = join(scratch, `interrupted-${signal}-restore`);
      let place = '';
      const when = appearance(() => {
        place = unfinishedIn(dataDir) ?? '';
        return place !== '' && fs.existsSync(join(place, path));
      });
      const { output } = await restore(backup, dataDir, heldAt(step), { when, signal });
      expect(output).toContain('Interrupted: nothing was restored.\n');
      expect(fs.readdirSync(dataDir)).toEqual([]);
      // A process that outlives its folder works in a deleted one.
      expect(['postgres', 'postgres (deleted)'].flatMap((name) => processesIn(join(place, name)))).toEqual([]);
    },
  );

  test('blocks a server and another restore until the remains are removed when a restore is killed with -9', async () => {
    const deployment = await Deployment.create({ settings, secretKey: original.secretKey });
    onTestFinished(() => deployment.remove());
    const when = appearance(() => unfinishedIn(deployment.dataDir) !== null);
    await restore(backup, deployment.dataDir, heldAt('the copy'), { when, signal: 'SIGKILL' });
    const unfinished = unfinishedIn(deployment.dataDir)!;
    const whatToDo = `if there is none, remove ${fs.realpathSync(unfinished)} and restore again.`;
    await expect(deployment.start()).rejects.toThrow(whatToDo);
    const again = await restore(backup, deployment.dataDir);
    expect(again).toMatchObject({ code: 1, output: expect.stringContaining(whatToDo) });
    expect(fs.readdirSync(deployment.dataDir).map((name) => join(deployment.dataDir, name))).toEqual([unfinished]);
    fs.rmSync(unfinished, { recursive: true });
    expect(await restore(backup, deployment.dataDir)).toMatchObject({ code: 0 });
    await deployment.start();
    expect(fs.readdirSync(deployment.dataDir).sort()).toEqual(['master.key', 'postgres', 'postgres.log', 'socket']);
  });
});

describe('restores beside other processes', () => {
  test.each(['postgres', 'master.key'])(
    "leaves another process's %s unchanged when it appears during a restore",
    async (name) => {
      const dataDir = join(scratch, `contested-${name}`);
      const goOn = join(scratch, `made-${name}`);
      const ended = restore(backup, dataDir, heldAt('the copy', goOn));
      await appearance(() => unfinishedIn(dataDir) !== null);
      const others = join(dataDir, name);
      fs.mkdirSync(others);
      fs.writeFileSync(goOn, '');
      const { code, output } = await ended;
      expect(code).toBe(1);
      expect(output).toMatch(/^\S+ was made by another process meanwhile, .*: nothing was restored\. .*\n$/);
      expect(output).toContain(others);
      expect(fs.readdirSync(dataDir)).toEqual([name]);
    },
  );

  test('succeeds exactly once when several restores run into one folder', async () => {
    const dataDir = join(scratch, 'at-once');
    const ends = await Promise.all([1, 2, 3].map(() => restore(backup, dataDir)));
    const succeeded = ends.filter(({ code }) => code === 0);
    expect(succeeded, ends.map(({ output }) => output).join('')).toHaveLength(1);
    expect(fs.readdirSync(dataDir).sort()).toEqual(['master.key', 'postgres']);
    expect(await backUp(dataDir, join(scratch, 'of-at-once'))).toMatchObject({ code: 0 });
  });
});

/** The folder in which a restore assembles its files. */
function unfinishedIn(dataDir: string): string | null {
  const names = fs.existsSync(dataDir) ? fs.readdirSync(dataDir) : [];
  const name = names.find((entry) => entry.startsWith('restore.unfinished-'));
  return name === undefined ? null : join(dataDir, name);
}

async function appearance(shows: () => boolean): Promise<void> {
  const giveUpAtMs = performance.now() + waitMs;
  while (!shows()) {
    if (performance.now() > giveUpAtMs) throw new Error('It never showed.');
    await sleep(10);
  }
}

function flipBit(file: string): void {
  const bytes = fs.readFileSync(file);
  bytes[20]! ^= 1;
  fs.writeFileSync(file, bytes);
}

async function post(to: Api, path: string, body: JsonObject, key: string | null = null): Promise<Answered> {
  return answered(await to.send({ method: 'POST', path, body, key }));
}

async function get(from: Api, path: string): Promise<Answered> {
  return answered(await from.send({ method: 'GET', path, body: null, key: null }));
}

function answered(result: Awaited<ReturnType<Api['send']>>): Answered {
  expect(result.kind).toBe('answered');
  return result as Answered;
}

function parsed({ text }: Answered): JsonObject {
  return JSON.parse(text) as JsonObject;
}

/** Returns the epochs of the newest and of the oldest event, which the API does not show. */
async function epochs({ dataDir }: Deployment): Promise<number[]> {
  const connection = await findRunningDatabase(dataDir);
  return withClient({ ...connection!, ssl: false }, async (client) => {
    const { rows } = await client.query<{ epoch: number }>('select epoch from events order by id desc');
    return [rows[0]!.epoch, rows.at(-1)!.epoch];
  });
}

import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { withClient } from '../src/db/database.ts';
import { findRunningDatabase } from '../src/db/embedded/index.ts';
import { Api } from './faults/crash-checker/api.ts';
import { Deployment } from './faults/crash-checker/deployment.ts';
import type { Answered } from './faults/crash-checker/history.ts';
import { textOf, type JsonObject } from './faults/crash-checker/json.ts';
import { backUp, restore } from './support/backups.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';

/*
 * The real commands, on a real server with its embedded database.
 */

/** Longer than it takes to back up, restore and start. */
const settings = { TENURE_RETRY_SCHEDULE: '2,2,2,2,2,2,2,2,2,2,2,2,2,2,2' };

let scratch: string;
let original: Deployment;
let api: Api;
let receiver: Receiver;
let isReceiverWell = false;
let backup: string;
/** What was answered before the backup: `key` was sent with an Idempotency-Key of that name. */
let created: Answered;
let eventsBefore: JsonObject;
let endpoint: JsonObject;
let said: string;

beforeAll(async () => {
  // As root, PostgreSQL runs as another user, who must be able to pass through.
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
  const { code, output } = await backUp(original.dataDir, backup);
  if (code !== 0) throw new Error(output);
  said = output;
}, 60_000);

afterAll(async () => {
  api.close();
  await original.remove();
  await receiver.stop();
  fs.rmSync(scratch, { recursive: true, force: true });
}, 60_000);

describe('a deployment that is restored from its backup', { timeout: 60_000 }, () => {
  test('has all that was answered before, sends what was pending, and reuses no place in the order of events', async () => {
    const late = await post(api, '/v1/references', { application: 'app_1' }, 'late');
    const restored = await Deployment.create({ settings, secretKey: original.secretKey });
    onTestFinished(() => restored.remove());
    const { code, output } = await restore(backup, restored.dataDir);
    expect(code, output).toBe(0);
    expect(output).toContain(`Restored ${restored.dataDir} as it was at 20`);
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
    // The master key is the same: what it encrypted can be read.
    expect(await again.read(`/v1/webhook_endpoints/${textOf(endpoint, 'id')}`)).toEqual(endpoint);

    expect((await get(again, `/v1/references/${textOf(parsed(late), 'id')}`)).status).toBe(404);
    const anew = await post(again, '/v1/references', { application: 'app_1' }, 'late');
    expect(anew).toMatchObject({ status: 200, replayed: false });
    // What is lost is before what is written now, for whoever had seen it.
    expect(await epochs(restored)).toEqual([2, 1]);

    const ofCreation = (eventsBefore.data as JsonObject[]).find(({ type }) => type === 'reference.created')!;
    const path = `/v1/webhook_endpoints/${textOf(endpoint, 'id')}/deliveries`;
    await expect
      .poll(async () => ((await again.read(path)).data as JsonObject[]).map(({ event, status }) => [event, status]), {
        timeout: 20_000,
      })
      .toContainEqual([ofCreation.id, 'delivered']);
  });

  test('can be made of a backup that was taken while the server was stopped', async () => {
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

describe('a backup', () => {
  test('says how large it is, that the key is in it, and is closed to all but its owner', () => {
    expect(said).toMatch(
      /^Backed up \S+ to \S+: \d+ MB in \d+ files, as it was at \S+Z\.\nThe master key is in it: .*\n$/,
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
  ])('%s is refused in one line', async (_, call, message) => {
    const [dataDir, folder] = call();
    const { code, output } = await backUp(dataDir, folder);
    expect(code).toBe(1);
    expect(output).toContain(message);
    expect(output.trimEnd().split('\n')).toHaveLength(1);
  });

  test('of a database of the operator’s own is refused with what to use', async () => {
    const settingsOfOwn = { DATABASE_URL: 'postgres://db.internal/tenure', TENURE_MASTER_KEY: `${'A'.repeat(43)}=` };
    for (const ended of [
      backUp(scratch, join(scratch, 'own'), settingsOfOwn),
      restore(backup, scratch, settingsOfOwn),
    ]) {
      expect(await ended).toMatchObject({ code: 1, output: expect.stringContaining('such as pg_basebackup') });
    }
  });
});

describe('a restore is refused in one line, and leaves nothing behind:', { timeout: 60_000 }, () => {
  let spoiled: string;

  beforeAll(() => {
    spoiled = join(scratch, 'spoiled');
    fs.cpSync(backup, spoiled, { recursive: true });
  });

  test.each<[string, string, (file: string) => void, string]>([
    [
      'a bit of a file is another one',
      'postgres/global/pg_control',
      flipBit,
      'The backup is damaged: postgres/global/',
    ],
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
    ['the key is another one', 'master.key', flipBit, 'The backup is damaged: master.key is not'],
    [
      'the manifest is cut off',
      'manifest.json',
      (file) => fs.truncateSync(file, 1_000),
      'manifest.json cannot be read',
    ],
    ['it was broken off', 'manifest.json', (file) => fs.rmSync(file), 'holds no complete backup'],
  ])('%s', async (_, path, spoil, message) => {
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

  test('there is something already', async () => {
    const { code, output } = await restore(backup, original.dataDir);
    expect(code).toBe(1);
    expect(output).toMatch(/ is not empty, and nothing is ever overwritten: .*\n$/);
    expect((await api.read('/v1/customers')).count).toBe(1);
  });
});

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

/** Of the newest event and of the oldest: the API tells nobody. */
async function epochs({ dataDir }: Deployment): Promise<number[]> {
  const connection = await findRunningDatabase(dataDir);
  return withClient({ ...connection!, ssl: false }, async (client) => {
    const { rows } = await client.query<{ epoch: number }>('select epoch from events order by id desc');
    return [rows[0]!.epoch, rows.at(-1)!.epoch];
  });
}

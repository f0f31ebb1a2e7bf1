import pino from 'pino';
import { expect, test } from 'vitest';
import { openDatabase, withClient } from '../../src/db/pools.ts';
import { DiskWatch, isDiskFull } from '../../src/db/disk-watch.ts';
import { Scrape } from '../support/prometheus.ts';
import { good, serverForTest, type TestServer } from '../support/server.ts';

/* PostgreSQL reports the error of a full disk here, and fills none. The faults of `disk full` fill one. */

const metric = 'tenure_database_disk_full_errors_total';

test('rejects writes, serves reads, and tells the operator when the disk of the database is full', async () => {
  const server = await serverForTest();
  const { id } = (await good(server.api.post('/v1/references', { application: 'app_1' }))).body;
  expect(await stateOf(server)).toEqual({ readyz: [200, { status: 'ready' }], errors: 0 });
  await withClient(server.connection, (client) =>
    client.query(`
      create function refuse_row() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file "base/1/2": No space left on device' using errcode = '53100'; end $$;
      create trigger refuse_row before insert on tenant_references for each row execute function refuse_row()`),
  );
  const refused = await server.api.post('/v1/references', { application: 'app_1' });
  expect([refused.status, refused.body.error.code]).toEqual([503, 'unavailable']);
  expect((await good(server.api.get(`/v1/references/${id}`))).body.id).toBe(id);
  const full = await stateOf(server);
  expect(full).toEqual({ readyz: [200, { status: 'disk_full' }], errors: expect.any(Number) });
  expect(full.errors).toBeGreaterThan(0);
});

test('logs the remedy once a minute, with the words of PostgreSQL, when many statements find the disk full', async () => {
  const { connection } = await serverForTest();
  const lines: string[] = [];
  const disk = new DiskWatch(pino({ base: null }, { write: (line) => lines.push(line) }));
  const database = openDatabase(connection, pino({ level: 'silent' }), { disk });
  const raise = (code: string): Promise<unknown> =>
    database.readers.query(`do $$ begin raise exception 'no room' using errcode = '${code}'; end $$`);
  await expect(raise('53200')).rejects.toThrow('no room');
  expect([disk.isFull, disk.errors, lines]).toEqual([false, 0, []]);
  for (let round = 0; round < 5; round++) await expect(raise('53100')).rejects.toThrow('no room');
  await database.end();
  expect([disk.isFull, disk.errors]).toEqual([true, 5]);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 50,
      code: '53100',
      message: 'no room',
      msg: expect.stringContaining('Make room'),
    }),
  ]);
});

test('knows a full disk by the error of the system and by the text of PostgreSQL when no code comes with it', () => {
  expect(isDiskFull(Object.assign(new Error('write'), { code: 'ENOSPC' }))).toBe(true);
  expect(isDiskFull('PostgreSQL did not start: FATAL: could not write lock file: No space left on device')).toBe(true);
  expect(isDiskFull(new Error('The database cannot be reached.'))).toBe(false);
});

async function stateOf(server: TestServer): Promise<{ readyz: [number, unknown]; errors: number | undefined }> {
  const ready = await fetch(`${server.url}/readyz`);
  const metrics = new Scrape(await (await fetch(`${server.url}/metrics`)).text());
  return { readyz: [ready.status, await ready.json()], errors: metrics.value(metric) };
}

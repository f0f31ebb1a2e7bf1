import { describe, expect, onTestFinished, test } from 'vitest';
import type { Mode } from '../../src/core/secrets/api-keys.ts';
import { withClient, type Connection } from '../../src/db/pools.ts';
import { ModeError } from '../../src/db/deployment.ts';
import { createTestDatabase, good, serverForTest, startTestServer, type TestServer } from '../support/server.ts';

/*
 * A sandbox decides about persons by chance and deletes them after a month. In live mode they are real. The database stores its mode,
 * because an operator can forget a setting. Tests of the real commands are in `backup.matrix.test.ts`.
 */

const modes: [mode: Mode, other: Mode][] = [
  ['sandbox', 'live'],
  ['live', 'sandbox'],
];

describe.each(modes)('a database of the mode %s', (mode, other) => {
  test(`refuses to start in the mode ${other}, writes nothing and names the setting when the database has another mode`, async () => {
    const connection = await emptyDatabase();
    const first = await start(connection, mode);
    await good(first.api.post('/v1/references', { application: 'app_1' }));
    await first.stop();
    // As in a dump restored into a new cluster: a start would have something to write.
    await sql(connection, `update events set transaction_id = '1000000000'`);
    const before = await sql(connection, 'select xmin, * from deployment');

    const refused = serverForTest({ connection, settings: { TENURE_MODE: other } });
    await expect(refused).rejects.toThrow(ModeError);
    await expect(refused).rejects.toThrow(`Set TENURE_MODE=${mode}.`);
    expect(await sql(connection, 'select xmin, * from deployment')).toEqual(before);

    const again = await start(connection, mode, first.secretKey);
    expect((await good(again.api.get('/v1/references'))).body.count).toBe(1);
    await again.stop();
    expect(await sql(connection, 'select event_epoch from deployment')).toEqual([{ event_epoch: 2 }]);
  });

  test(`takes the mode of its next start, here ${other}, when its release did not store one`, async () => {
    const connection = await emptyDatabase();
    await (await start(connection, mode)).stop();
    await sql(connection, 'update deployment set mode = null');
    await (await start(connection, other)).stop();
    await expect(start(connection, mode)).rejects.toThrow(ModeError);
    expect(await sql(connection, 'select mode from deployment')).toEqual([{ mode: other }]);
  });
});

describe('two first starts in different modes', () => {
  test.each(['empty', 'from a release that stored no mode'])(
    'refuses exactly one of two processes when they start at once on a database that is %s',
    async (kind) => {
      for (let round = 0; round < 3; round++) {
        const connection = await emptyDatabase();
        if (kind !== 'empty') {
          await (await start(connection, 'sandbox')).stop();
          await sql(connection, 'update deployment set mode = null');
        }
        const starts = await Promise.allSettled([start(connection, 'sandbox'), start(connection, 'live')]);
        const started = starts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
        const refusals = starts.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
        await Promise.all(started.map((server) => server.stop()));
        expect(refusals).toEqual([expect.any(ModeError)]);
        expect(await sql(connection, 'select mode from deployment')).toEqual([
          { mode: started[0]!.context.config.mode },
        ]);
      }
    },
  );
});

async function emptyDatabase(): Promise<Connection> {
  const { connection, drop } = await createTestDatabase();
  onTestFinished(drop);
  return connection;
}

function start(connection: Connection, mode: Mode, secretKey = ''): Promise<TestServer> {
  return startTestServer({ connection, secretKey, settings: { TENURE_MODE: mode } });
}

function sql(connection: Connection, text: string): Promise<unknown[]> {
  return withClient(connection, async (client) => (await client.query(text)).rows);
}

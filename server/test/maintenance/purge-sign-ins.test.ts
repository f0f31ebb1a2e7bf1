import { expect, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { purgeSignIns } from '../../src/maintenance/purge-sign-ins.ts';
import { installGuards } from '../../src/move-account/guards.ts';
import { readTreeTables } from '../../src/move-account/tables.ts';
import { Browser, goodPassword, makeLink, signedIn } from '../support/browser.ts';
import { Authenticator } from '../support/authenticator.ts';
import { good, serverForTest } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';

const day = 24 * 3600;

test('deletes sessions, links, counters and used challenges a day after their end, and no others', async () => {
  const server = await serverForTest();
  const { readers } = server.context.database;
  const owner = await signedIn(server, 'owner');
  const left = await signedIn(server, 'viewer');
  const changed = await signedIn(server, 'viewer');
  await good(owner.browser.delete(`/v1/users/${left.id}`));
  await good(owner.browser.post(`/v1/users/${changed.id}`, { role: 'operator' }));
  await makeLink(server, 'sign_in', owner.id);
  await new Browser(server).post('/auth/sign_in', { email: owner.email, password: `${goodPassword}!` });
  await new Authenticator().register(owner.browser.atLocalhost());
  const nowSeconds = Math.floor(Date.now() / 1000);

  const rowsOf = async (table: string): Promise<number> =>
    (await readers.query<{ count: number }>(`select count(*)::integer as count from ${table}`)).rows[0]!.count;
  const counts = async (): Promise<number[]> =>
    Promise.all(['sessions', 'one_time_links', 'sign_in_attempts', 'used_challenges'].map(rowsOf));

  expect(await counts()).toEqual([3, 1, 2, 1]);
  expect(await purgeSignIns(readers, nowSeconds)).toBe(false);
  expect(await counts()).toEqual([3, 1, 2, 1]);
  // The sessions of the two others have ended with their rights.
  await purgeSignIns(readers, nowSeconds + day + 60);
  expect(await counts()).toEqual([1, 1, 0, 1]);
  await good(owner.browser.get('/v1/account'));
  await purgeSignIns(readers, nowSeconds + day + 3700);
  expect(await counts()).toEqual([1, 0, 0, 0]);
  await purgeSignIns(readers, nowSeconds + 32 * day);
  expect(await counts()).toEqual([0, 0, 0, 0]);
});

test('deletes those of the other accounts when an account with many of them is away', async () => {
  const server = await serverForTest();
  const { readers } = server.context.database;
  const owner = await signedIn(server, 'owner');
  const { accountId: away } = await addAccount(server);
  await withClient(server.connection, async (client) => {
    await client.query(
      `insert into sign_in_attempts (account_id, id, created, revision, failures, since)
       select $1, 'away_' || number, 1, 1, 1, 1 from generate_series(1, 2000) as number`,
      [away],
    );
    await client.query(
      "insert into account_moves (account_id, root, move, state, cell) values ($1, $1, 'one', 'moved', 'eu2')",
      [away],
    );
    await installGuards(client, await readTreeTables(client));
  });
  await new Browser(server).post('/auth/sign_in', { email: owner.email, password: `${goodPassword}!` });
  const { rows: before } = await readers.query('select id from sign_in_attempts where account_id <> $1', [away]);
  expect(before).not.toEqual([]);
  await purgeSignIns(readers, Math.floor(Date.now() / 1000) + day + 60);
  const { rows } = await readers.query('select id from sign_in_attempts where account_id <> $1', [away]);
  expect(rows).toEqual([]);
});

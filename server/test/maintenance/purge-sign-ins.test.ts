import { expect, test } from 'vitest';
import { purgeSignIns } from '../../src/maintenance/purge-sign-ins.ts';
import { Browser, goodPassword, makeLink, signedIn } from '../support/browser.ts';
import { Authenticator } from '../support/authenticator.ts';
import { good, serverForTest } from '../support/server.ts';

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

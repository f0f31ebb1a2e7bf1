import { expect, test } from 'vitest';
import { newMasterKey } from '../../../src/server/config.ts';
import { expectRefusal, refusals, unknown } from '../../support/refusals.ts';
import { createTestDatabase, good, serverForTest } from '../../support/server.ts';
import { addAccount, addKey } from '../../support/tenants.ts';
import { laterThanNow } from '../../support/later-than-now.ts';

const path = '/v1/test_helpers/clock';
const daySeconds = 24 * 3600;

test('returns the time and the lead of the clock in each process before and after an advance', async () => {
  const { connection } = await createTestDatabase();
  const settings = { DATABASE_URL: 'postgres://given.by.the.test/', TENURE_MASTER_KEY: newMasterKey() };
  const first = await serverForTest({ connection, settings });
  const second = await serverForTest({ connection, settings, secretKey: first.secretKey });
  const now = laterThanNow();
  const still = (await good(first.api.get(path))).body;
  expect(still).toEqual({ object: 'clock', now, advanced_by: 0 });
  const moved = (await good(first.api.post(`${path}/advance`, { seconds: 3 * daySeconds }))).body;
  for (const { api } of [first, second]) {
    const { body } = await good(api.get(path));
    expect(body).toEqual({ object: 'clock', now: expect.any(Number), advanced_by: 3 * daySeconds });
    expect(body.now - moved.now).toBeGreaterThanOrEqual(0);
    expect(body.now - 3 * daySeconds).toEqual(now);
  }
});

test('shows the account of the clock only when the request names it', async () => {
  const server = await serverForTest();
  const { body } = await good(server.api.get('/v1/account'));
  expect((await good(server.api.get(path, { 'service-context': body.id }))).body.account).toBe(body.id);
  expectRefusal(await server.api.get(`${path}?at=1`), unknown('at'));
});

test('requires accounts.read, and a sandbox, when the clock is retrieved', async () => {
  const server = await serverForTest();
  const { accountId } = await addAccount(server);
  const denied = await addKey(server, accountId, { permissions: ['references.write'] });
  expectRefusal(await denied.api.get(path), { ...refusals.permission, says: 'accounts.read' });
  const allowed = await addKey(server, accountId, { permissions: ['accounts.read'] });
  await good(allowed.api.get(path));
  const live = await serverForTest({ settings: { TENURE_MODE: 'live' } });
  expectRefusal(await live.api.get(path), refusals.routeUnknown);
});

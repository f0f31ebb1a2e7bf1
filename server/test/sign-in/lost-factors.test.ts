import { expect, test } from 'vitest';
import { makeLoginLink } from '../../src/server/first-account.ts';
import { Authenticator } from '../support/authenticator.ts';
import { Browser, signedIn, tokenOf } from '../support/browser.ts';
import { good, serverForTest } from '../support/server.ts';
import { setUpTotp } from '../support/session-ends.ts';

test('removes the app, the recovery codes and all passkeys only when the operator asks for it', async () => {
  const server = await serverForTest();
  const { browser, email } = await signedIn(server, 'admin');
  const device = new Authenticator();
  await device.register(browser.atLocalhost());
  const { codes } = await setUpTotp(browser);
  const link = async (resetsSecondFactor: boolean): Promise<string> =>
    tokenOf(await makeLoginLink(server.context, { accountId: null, email, resetsSecondFactor }));

  const token = await link(false);
  const refused = await new Browser(server).post('/auth/links/use', { token });
  expect([refused.status, refused.body.error.code]).toEqual([401, 'second_factor_required']);
  await good(browser.get('/v1/account'));

  const reset = await link(true);
  // The sessions and the earlier link end with the factors.
  await expect.poll(async () => (await browser.get('/v1/account')).status).toBe(401);
  expect((await new Browser(server).post('/auth/links/use', { token, code: codes[0] })).body.error.code).toBe(
    'link_invalid',
  );
  const found = new Browser(server);
  const { body } = await good(found.post('/auth/links/use', { token: reset }));
  expect(body.user).toMatchObject({ email, second_factor: 'none', recovery_codes_left: 0, passkeys: 0 });
  expect((await device.signIn(new Browser(server).atLocalhost())).status).toBe(401);
});

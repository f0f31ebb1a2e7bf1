import { expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
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

test('lets a person choose a password by the link when only an identity of an earlier provider is left', async () => {
  const server = await serverForTest({
    settings: {
      TENURE_MODE: 'live',
      TENURE_ROLE: 'api',
      DATABASE_URL: 'postgres://given.by.the.test/',
      TENURE_MASTER_KEY: newMasterKey(),
      TENURE_OIDC_ISSUER: 'https://login.example.com',
      TENURE_OIDC_CLIENT_ID: 'tenure',
      TENURE_OIDC_CLIENT_SECRET: 'a secret',
    },
  });
  let persons = 0;
  const required = async (issuer: string, password_hash?: null): Promise<boolean> => {
    const identity = { identity_issuer: issuer, identity_subject: `person ${++persons}`, identity_linked_at: 1 };
    const { email } = await signedIn(server, 'admin', {
      changed: { ...identity, ...(password_hash === null && { password_hash }) },
    });
    const token = tokenOf(await makeLoginLink(server.context, { accountId: null, email, resetsSecondFactor: false }));
    const { body } = await good(new Browser(server).post('/auth/links/read', { token }));
    return body.password_required;
  };
  expect(await required('https://earlier.example.com', null)).toBe(true);
  expect(await required('https://login.example.com', null)).toBe(false);
  expect(await required('https://earlier.example.com')).toBe(false);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser, goodPassword, signedIn, tokenOf } from '../support/browser.ts';
import { TestClock } from '../support/clock.ts';
import { good, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';

/** The addresses that a person can try in a quarter of an hour. */
const triesMax = 10;

let server: TestServer;
const clock = new TestClock();

beforeAll(async () => {
  server = await startTestServer({ overrides: { clock } });
});
afterAll(() => server.stop());

function faultOf({ status, body }: ApiResponse): unknown[] {
  return [status, body.error?.code, body.error?.param, body.error?.message];
}

describe('a new e-mail address of a member', () => {
  test('is refused in the same words when it belongs to a user, or to an invitation of the account', async () => {
    const { browser: viewer } = await signedIn(server, 'viewer');
    const { browser: owner, email } = await signedIn(server, 'owner');
    const invited = (await good(owner.post('/v1/invitations', { email: 'Grace@Example.net', role: 'admin' }))).body;
    const taken = await viewer.post('/auth/me', { email });
    expect(faultOf(taken)).toEqual([400, 'parameter_invalid', 'email', expect.stringContaining('an invitation')]);
    expect(faultOf(await viewer.post('/auth/me', { email: 'grace@example.net' }))).toEqual(faultOf(taken));
    // So the link of the invited person still works.
    await good(viewer.copy().post('/auth/links/use', { token: tokenOf(invited.url), password: goodPassword }));
  });

  test('is accepted when its invitation was revoked, or is another account’s', async () => {
    const { browser: viewer } = await signedIn(server, 'viewer');
    const { browser: owner } = await signedIn(server, 'owner');
    const { id } = (await good(owner.post('/v1/invitations', { email: 'alan@example.net', role: 'viewer' }))).body;
    await good(owner.delete(`/v1/invitations/${id}`));
    await good(viewer.post('/auth/me', { email: 'alan@example.net' }));
    const { browser: other } = await signedIn(server, 'owner', { accountId: (await addAccount(server)).accountId });
    await good(other.post('/v1/invitations', { email: 'edsger@example.net', role: 'viewer' }));
    await good(viewer.post('/auth/me', { email: 'edsger@example.net' }));
  });

  test('is refused after ten tries in a quarter of an hour, also when some have succeeded', async () => {
    const { browser: viewer, id } = await signedIn(server, 'viewer');
    const { email } = await signedIn(server, 'owner');
    for (let number = 0; number < triesMax; number++) {
      const free = number % 2 === 0;
      const { status } = await viewer.post('/auth/me', { email: free ? `${number}.${id}@example.org` : email });
      expect(status).toBe(free ? 200 : 400);
    }
    for (const tried of [email, `free.${id}@example.org`]) {
      const refused = await viewer.post('/auth/me', { email: tried });
      expect([refused.status, refused.body.error.code]).toEqual([429, 'too_many_attempts']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    // Neither the own name nor another person is concerned.
    await good(viewer.post('/auth/me', { name: 'Ada' }));
    await good((await signedIn(server, 'viewer')).browser.post('/auth/me', { email: `other.${id}@example.org` }));
    clock.advanceSeconds(15 * 60);
    await good(viewer.post('/auth/confirm', { password: goodPassword }));
    await good(viewer.post('/auth/me', { email: `free.${id}@example.org` }));
  });

  test('ends the other sessions, and the links that went to the earlier address', async () => {
    const { browser: owner } = await signedIn(server, 'owner');
    const { browser: member, id, email } = await signedIn(server, 'viewer');
    const elsewhere = new Browser(server);
    await good(elsewhere.post('/auth/sign_in', { email, password: goodPassword }));
    const { body: link } = await good(owner.post('/auth/users/reset_link', { user: id }));
    await good(member.post('/auth/me', { email: `new.${id}@example.net` }));
    const used = await member.copy().post('/auth/links/use', { token: tokenOf(link.url), password: goodPassword });
    expect([used.status, used.body.error.code]).toEqual([400, 'link_invalid']);
    await good(member.get('/v1/account'));
    expect((await elsewhere.get('/v1/account')).status).toBe(401);
    // The same address in other letters ends nothing.
    const { body: kept } = await good(owner.post('/auth/users/reset_link', { user: id }));
    await good(member.post('/auth/me', { email: `New.${id}@example.net` }));
    await good(member.copy().post('/auth/links/use', { token: tokenOf(kept.url), password: 'battery horse correct' }));
  });
});

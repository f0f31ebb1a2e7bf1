import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { good, startTestServer, type TestServer } from '../support/server.ts';
import { Browser, goodPassword, signedIn, type SignedIn } from '../support/browser.ts';
import { sessionEnds } from '../support/session-ends.ts';

/** How long a process may use a cached session, in milliseconds. */
const ageMaxMs = 1_000;

let server: TestServer;
/** A second process of the same deployment. It caches sessions as long as in production. */
let second: TestServer;
let owner: SignedIn;

beforeAll(async () => {
  server = await startTestServer({ realFreshness: true });
  second = await startTestServer({ realFreshness: true, connection: server.connection });
  owner = await signedIn(server, 'owner');
});
afterAll(async () => {
  await second.stop();
  await server.stop();
});

test.each(sessionEnds)('ends the old token in a second process within a second when its person $name', async (end) => {
  const person = await signedIn(server, 'developer');
  const other = new Browser(server);
  await good(other.post('/auth/sign_in', { email: person.email, password: goodPassword }));
  const ended = [person.browser.copy(), person.browser.copy(second)];
  const others = end.endsOthers ? [other.copy(), other.copy(second)] : [];
  // Both processes have the sessions in their caches.
  const warm = (): Promise<unknown> => Promise.all([...ended, ...others].map((one) => good(one.get('/v1/account'))));
  await warm();
  await end.act(server, person, owner);
  // The response to the end of other sessions comes when no process accepts them any more.
  for (const one of others) await expectEnded(one);
  await delay(ageMaxMs);
  for (const one of ended) await expectEnded(one);
});

async function expectEnded(browser: Browser): Promise<void> {
  const { status, body } = await browser.get('/v1/account');
  expect([status, body.error?.code]).toEqual([401, 'session_expired']);
}

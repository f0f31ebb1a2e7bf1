import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import type { Passkey } from '../../src/resources/people/user.ts';
import { Browser, goodPassword, signedIn } from '../support/browser.ts';
import { TestClock } from '../support/clock.ts';
import { good, serverForTest, type TestServer } from '../support/server.ts';

const hour = 3600;
const day = 24 * hour;

const live = {
  TENURE_MODE: 'live',
  TENURE_ROLE: 'api',
  DATABASE_URL: 'postgres://given.by.the.test/',
  TENURE_MASTER_KEY: newMasterKey(),
};

/** The times of a session in each mode, in seconds. */
const modes = [
  { mode: 'live', settings: live, idle: 12 * hour, total: 7 * day },
  { mode: 'sandbox', settings: {}, idle: 7 * day, total: 30 * day },
];

/** Live mode requires a second factor. */
const changed = { passkeys: [{ id: 'a' } as Passkey] };

async function statusOf(browser: Browser): Promise<number> {
  return (await browser.get('/v1/account')).status;
}

/** Writes the use of a session, as a duty does each second. Its cached copy is of the time before. */
async function writeUse({ context }: TestServer, { token }: Browser): Promise<void> {
  await context.sessionUses.write(context.database.readers);
  await context.sessionRing.getAnew(token!);
}

test.each(modes)('ends a session when it was not used for $idle seconds in $mode mode', async ({ settings, idle }) => {
  const clock = new TestClock();
  const server = await serverForTest({ settings, overrides: { clock } });
  clock.stop();
  const { browser } = await signedIn(server, 'viewer', { changed });
  clock.advanceSeconds(idle - 60);
  expect(await statusOf(browser)).toBe(200);
  await writeUse(server, browser);
  // The use counts to the minute.
  clock.advanceSeconds(idle - 120);
  expect(await statusOf(browser)).toBe(200);
  await writeUse(server, browser);
  clock.advanceSeconds(idle);
  expect(await statusOf(browser)).toBe(401);
});

test.each(modes)('ends a session $total seconds after its begin in $mode mode', async ({ settings, idle, total }) => {
  const clock = new TestClock();
  const server = await serverForTest({ settings, overrides: { clock } });
  const { browser } = await signedIn(server, 'viewer', { changed });
  const step = 0.9 * idle;
  for (let age = step; age < total; age += step) {
    clock.advanceSeconds(step);
    expect([age, await statusOf(browser)]).toEqual([age, 200]);
    await writeUse(server, browser);
    // A session has a limit of requests a second.
    await delay(100);
  }
  clock.advanceSeconds(step);
  expect(await statusOf(browser)).toBe(401);
});

test('ends the oldest session when a user begins the eleventh', async () => {
  const server = await serverForTest();
  const { email, browser: first } = await signedIn(server, 'viewer');
  const browsers = [first];
  for (let count = 2; count <= 11; count++) {
    const browser = new Browser(server);
    await good(browser.post('/auth/sign_in', { email, password: goodPassword }));
    browsers.push(browser);
    if (count === 10) expect(await Promise.all(browsers.map(statusOf))).toEqual(Array<number>(10).fill(200));
  }
  // The process may use the first session from its cache for a moment.
  await expect.poll(() => statusOf(first)).toBe(401);
  expect(await Promise.all(browsers.slice(1).map(statusOf))).toEqual(Array<number>(10).fill(200));
  expect((await good(browsers[1]!.get('/auth/sessions'))).body.count).toBe(10);
});

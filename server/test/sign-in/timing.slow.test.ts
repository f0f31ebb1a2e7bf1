import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UserRecord } from '../../src/resources/people/user.ts';
import { Browser, goodPassword, signedIn } from '../support/browser.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/*
 * The time of a response must not tell whether an address is known. Pairs of a known and an unknown address follow each other, so that other
 * work on the machine slows both. Without the equal work, the unknown address would take less than half the time.
 */

const pairs = 60;

/** The median of the pairs' ratios may be this far from one. A password hash alone is more than nine tenths of the time. */
const tolerance = 0.25;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

let addresses = 256;

/** Returns the duration of a failed sign-in, in milliseconds. Each has its own address, because ten failures end the attempts. */
async function durationOf(email: string, password: string): Promise<number> {
  const browser = new Browser(server, { address: `127.${++addresses >> 8}.5.${addresses & 255}` });
  // The connection is open before the clock runs.
  await browser.get('/auth/session');
  const startedMs = performance.now();
  const { status } = await browser.post('/auth/sign_in', { email, password });
  const durationMs = performance.now() - startedMs;
  expect(status).toBe(401);
  return durationMs;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

test.each<[string, Partial<UserRecord>]>([
  ['known', {}],
  ['disabled', { status: 'disabled' }],
  ['without a password', { password_hash: null }],
])('takes as long for an unknown address as for one that is %s', async (_, changed) => {
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    // Each user has ten attempts, too.
    const { email } = await signedIn(server, 'viewer', { changed });
    const isFirst = pair % 2 === 0;
    const known = (): Promise<number> => durationOf(email, `${goodPassword} not`);
    const unknown = (): Promise<number> => durationOf(`unknown${pair}@example.com`, `${goodPassword} not`);
    const [one, other] = [await (isFirst ? known() : unknown()), await (isFirst ? unknown() : known())];
    ratios.push(isFirst ? one / other : other / one);
  }
  const median = medianOf(ratios);
  process.stdout.write(`timing: the median of ${pairs} ratios is ${median.toFixed(3)}\n`);
  expect(Math.abs(median - 1)).toBeLessThan(tolerance);
});

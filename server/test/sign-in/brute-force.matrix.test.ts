import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { good, serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { Browser, goodPassword, makeLink, signedIn, type SignedIn } from '../support/browser.ts';
import { TestClock } from '../support/clock.ts';
import { codeOf, setUpTotp } from '../support/session-ends.ts';

const failuresMax = 10;
const windowSeconds = 15 * 60;

let server: TestServer;
/** A second process of the same deployment. */
let second: TestServer;
const clock = new TestClock();
let address = 1;

beforeAll(async () => {
  server = await startTestServer({ overrides: { clock } });
  second = await startTestServer({ overrides: { clock }, connection: server.connection });
});
afterAll(async () => {
  await second.stop();
  await server.stop();
});

/** Returns a browser at an address that no other test uses. */
function stranger(at: TestServer = server): Browser {
  return new Browser(at, { address: `127.0.1.${++address}` });
}

/** Signs in with a wrong password, so many times. Returns the codes of the errors. */
async function fail(browser: () => Browser, email: string, times: number): Promise<string[]> {
  const codes: string[] = [];
  for (let time = 0; time < times; time++) codes.push(codeIn(await attempt(browser(), email, `wrong ${time}`)));
  return codes;
}

function attempt(browser: Browser, email: string, password = goodPassword): Promise<ApiResponse> {
  return browser.post('/auth/sign_in', { email, password });
}

function codeIn({ status, body }: ApiResponse): string {
  return status === 200 ? 'signed in' : body.error.code;
}

const failed = Array.from({ length: failuresMax }, () => 'sign_in_failed');

describe('an address', () => {
  test('is refused for the window when ten attempts on any users have failed', async () => {
    clock.stop();
    const { email } = await signedIn(server, 'viewer');
    const browser = stranger();
    let person = 0;
    const codes: string[] = [];
    for (let time = 0; time <= failuresMax; time++)
      codes.push(codeIn(await attempt(browser, `person${++person}@example.com`, 'wrong')));
    expect(codes).toEqual([...failed, 'too_many_attempts']);
    const refused = await attempt(browser, email);
    expect([refused.status, codeIn(refused)]).toEqual([429, 'too_many_attempts']);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBe(windowSeconds);
    // Another person at another address is not locked out.
    expect(codeIn(await attempt(stranger(), email))).toBe('signed in');
    clock.advanceSeconds(windowSeconds + 1);
    expect(codeIn(await attempt(browser, email))).toBe('signed in');
  });

  test('keeps its failures when one of its users signs in between them', async () => {
    const { email } = await signedIn(server, 'viewer');
    const browser = stranger();
    for (let time = 0; time < failuresMax; time++) {
      expect(codeIn(await attempt(browser, `other${time}@example.com`, 'wrong'))).toBe('sign_in_failed');
      if (time < failuresMax - 1) {
        browser.cookies.clear();
        expect(codeIn(await attempt(browser, email))).toBe('signed in');
      }
    }
    browser.cookies.clear();
    expect(codeIn(await attempt(browser, email))).toBe('too_many_attempts');
  });
});

describe('a user', () => {
  let owner: Browser;
  let email: string;

  async function userWithBrowser(): Promise<void> {
    ({ email } = await signedIn(server, 'viewer'));
    owner = stranger();
    expect(codeIn(await attempt(owner, email))).toBe('signed in');
  }

  test('can be attacked ten times from many addresses, and still signs in where the user was before', async () => {
    await userWithBrowser();
    expect(await fail(stranger, email, failuresMax + 1)).toEqual([...failed, 'too_many_attempts']);
    expect(await fail(stranger, email.toUpperCase(), 1)).toEqual(['too_many_attempts']);
    expect(codeIn(await attempt(stranger(), email))).toBe('too_many_attempts');
    expect(codeIn(await attempt(owner, email))).toBe('signed in');
    // The success does not forgive the attacker.
    expect(codeIn(await attempt(stranger(), email))).toBe('too_many_attempts');
  });

  test('signs in where the user was before when neighbors have used up the attempts of the address', async () => {
    await userWithBrowser();
    const shared = stranger();
    expect(codeIn(await attempt(shared, email))).toBe('signed in');
    const kept = new Map(shared.cookies);
    shared.cookies.clear();
    await fail(() => shared, 'stranger@example.com', failuresMax);
    expect(codeIn(await attempt(shared, email))).toBe('too_many_attempts');
    for (const [name, value] of kept) shared.cookies.set(name, value);
    expect(codeIn(await attempt(shared, email))).toBe('signed in');
  });

  test('has ten attempts in a known browser, too', async () => {
    await userWithBrowser();
    expect(await fail(() => owner, email, failuresMax + 1)).toEqual([...failed, 'too_many_attempts']);
  });

  test('is not known by a cookie that is forged, altered or of another user', async () => {
    await userWithBrowser();
    await fail(stranger, email, failuresMax);
    const [name, value] = [...owner.cookies].find(([each]) => each.endsWith('_browser'))!;
    const [id = '', mac = ''] = value.split('.');
    const other = await signedIn(server, 'viewer');
    const others = stranger();
    await good(attempt(others, other.email));
    const forged = [
      others.cookies.get(name)!,
      `${id}.`,
      id,
      `${id}.${'A'.repeat(mac.length)}`,
      `${id.slice(1)}A.${mac}`,
      `${id}.${mac}A`,
      `.${mac}`,
      `${mac}.${id}`,
    ];
    for (const text of forged) {
      const browser = stranger();
      browser.cookies.set(name, text);
      expect([text, codeIn(await attempt(browser, email))]).toEqual([text, 'too_many_attempts']);
    }
  });

  test('is checked ten times at most when a hundred attempts come at once to two processes', async () => {
    await userWithBrowser();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => attempt(stranger(index % 2 === 0 ? server : second), email, 'wrong')),
    );
    const codes = answers.map(codeIn);
    // An overloaded process checks nothing.
    expect([...new Set(codes)].filter((code) => !['overloaded', 'unavailable'].includes(code)).toSorted()).toEqual([
      'sign_in_failed',
      'too_many_attempts',
    ]);
    expect(codes.filter((code) => code === 'sign_in_failed').length).toBeLessThanOrEqual(failuresMax);
    expect(codes.filter((code) => code === 'unavailable')).toEqual([]);
  });

  test('uses a link when attackers have used up the attempts', async () => {
    const person = await signedIn(server, 'viewer');
    await fail(stranger, person.email, failuresMax);
    const token = await makeLink(server, 'sign_in', person.id);
    expect(codeIn(await stranger().post('/auth/links/use', { token }))).toBe('signed in');
  });
});

describe('a code', () => {
  let person: SignedIn;
  let secret: string;

  beforeAll(async () => {
    person = await signedIn(server, 'viewer');
    ({ secret } = await setUpTotp(person.browser, clock));
  });

  const withCode = (browser: Browser, code?: string): Promise<ApiResponse> =>
    browser.post('/auth/sign_in', { email: person.email, password: goodPassword, ...(code && { code }) });

  test('is guessed ten times at most, though the password is right and is sent without a code between', async () => {
    const codes: string[] = [];
    for (let time = 0; time < failuresMax + 1; time++) {
      codes.push(codeIn(await withCode(stranger(), wrongCode())));
      if (time < failuresMax - 1) expect(codeIn(await withCode(stranger()))).toBe('second_factor_required');
    }
    expect(codes).toEqual([...failed, 'too_many_attempts']);
    expect(codeIn(await withCode(stranger()))).toBe('too_many_attempts');
    clock.advanceSeconds(windowSeconds + 1);
    expect(codeIn(await withCode(stranger(), codeOf(secret, clock.nowMs())))).toBe('signed in');
  });

  test('is guessed ten times at most when a link signs in', async () => {
    const token = await makeLink(server, 'sign_in', person.id);
    const codes: string[] = [];
    for (let time = 0; time < failuresMax + 1; time++) {
      codes.push(codeIn(await stranger().post('/auth/links/use', { token, code: wrongCode() })));
      if (time < failuresMax - 1)
        expect(codeIn(await stranger().post('/auth/links/use', { token }))).toBe('second_factor_required');
    }
    expect(codes).toEqual([...failed, 'too_many_attempts']);
    clock.advanceSeconds(windowSeconds + 1);
    const code = codeOf(secret, clock.nowMs());
    expect(codeIn(await stranger().post('/auth/links/use', { token, code }))).toBe('signed in');
  });

  test('is guessed ten times at most when links for a new password are made again and again', async () => {
    const codes: string[] = [];
    let token = '';
    for (let time = 0; time < failuresMax + 1; time++) {
      if (time % 4 === 0) token = await makeLink(server, 'password_reset', person.id);
      codes.push(
        codeIn(await stranger().post('/auth/links/use', { token, password: goodPassword, code: wrongCode() })),
      );
    }
    expect(codes).toEqual([...failed, 'too_many_attempts']);
    // The operator's link is not locked out.
    const link = await makeLink(server, 'sign_in', person.id);
    expect(codeIn(await stranger().post('/auth/links/use', { token: link, code: wrongCode() }))).toBe('sign_in_failed');
    clock.advanceSeconds(windowSeconds + 1);
  });

  test('is guessed ten times at most when a session is confirmed', async () => {
    const { browser } = await signedIn(server, 'viewer');
    const codes: string[] = [];
    for (let time = 0; time < failuresMax + 1; time++)
      codes.push(codeIn(await browser.post('/auth/confirm', time % 2 ? { code: '123456' } : { password: 'wrong' })));
    expect(codes).toEqual([...failed, 'too_many_attempts']);
  });

  function wrongCode(): string {
    const right = new Set([-2, -1, 0, 1, 2].map((steps) => codeOf(secret, clock.nowMs() + steps * 30_000)));
    return ['123456', '234567', '345678', '456789', '567890', '678901'].find((code) => !right.has(code))!;
  }
});

test('counts no attempt against a user when the deployment has none', async () => {
  const empty = await serverForTest();
  expect(codeIn(await attempt(new Browser(empty), 'ada@example.com'))).toBe('sign_in_failed');
});

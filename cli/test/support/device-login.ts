import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Browser } from '../../../server/test/support/browser.ts';
import { good, type ApiResponse } from '../../../server/test/support/server.ts';
import type { Running, User } from './command.ts';

/** A sign-in that waits for a person. */
interface Waiting {
  running: Running;
  userCode: string;
}

/** Gives a user a browser of the system, which only notes what it opens. */
export function addBrowser(user: User): { opened(): string | null } {
  const bin = join(user.home, 'bin');
  const note = join(user.home, 'opened');
  mkdirSync(bin);
  for (const name of ['open', 'xdg-open']) {
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf %s "$1" > ${note}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  user.env.PATH = `${bin}:${process.env.PATH}`;
  return { opened: () => (existsSync(note) ? readFileSync(note, 'utf8') : null) };
}

/** Starts `tenure login`, and returns the code that it shows. */
export async function startLogin(user: User, url: string, args: string[] = []): Promise<Waiting> {
  const running = user.start(['login', '--base-url', url, ...args]);
  await running.says(/Waiting for up to 10 minutes/);
  expect(running.stdout).toBe('');
  const userCode = /Your code: ([A-Z]{4}-[A-Z]{4})\n/.exec(running.stderr)![1]!;
  expect(running.stderr).toContain(`/dashboard/cli#${userCode}`);
  return { running, userCode };
}

/** Decides in the dashboard. */
export function decide(browser: Browser, userCode: string, decision: object): Promise<ApiResponse> {
  return good(browser.post('/auth/device/decide', { user_code: userCode, ...decision }));
}

/** Returns the stored settings. Fails if others can read them. */
export function storedBy(user: User): { profile: string; profiles: Record<string, { api_key: string }> } {
  const folder = join(user.home, 'config/tenure');
  const path = join(folder, 'config.json');
  expect([statSync(folder).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
  return JSON.parse(readFileSync(path, 'utf8'));
}

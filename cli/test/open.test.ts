import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { pages } from '../src/commands/open.ts';
import { User } from './support/command.ts';
import { waitMs } from '../../server/test/support/wait.ts';

test.each([
  [[], 'http://127.0.0.1:4000/dashboard/'],
  [['api_keys'], 'http://127.0.0.1:4000/dashboard/api-keys'],
  [['profile'], 'http://127.0.0.1:4000/dashboard/settings/me'],
  [['evt_0VZJw4', '--base-url', 'https://api.example.com/'], 'https://api.example.com/dashboard/go/evt_0VZJw4'],
  [['logs', '--account', 'acct_1'], 'http://127.0.0.1:4000/dashboard/logs?account=acct_1'],
])('prints the URL without a key when it is asked to open %j', async (args, url) => {
  expect(await new User().run(['open', ...args, '--print'])).toMatchObject({ code: 0, stdout: `${url}\n` });
});

test('names the nearest page when there is no such page', async () => {
  const { code, stderr } = await new User().run(['open', 'evnts', '--print']);
  expect(code).toBe(2);
  expect(stderr).toContain('Did you mean "events"?');
});

test('hands the URL to the browser of the system', async () => {
  const user = new User();
  const bin = join(user.home, 'bin');
  mkdirSync(bin);
  for (const name of ['open', 'xdg-open']) {
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf %s "$1" > ${join(user.home, 'opened')}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const { code, stdout } = await user.run(['open', 'team'], { env: { PATH: `${bin}:${process.env.PATH}` } });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  const url = 'http://127.0.0.1:4000/dashboard/team';
  await vi.waitFor(() => expect(readFileSync(join(user.home, 'opened'), 'utf8')).toBe(url), waitMs);
});

test('prints the URL when there is no browser', async () => {
  const { code, stdout } = await new User().run(['open'], { env: { PATH: '/nowhere' } });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'http://127.0.0.1:4000/dashboard/\n' });
});

test('knows each page of the navigation', () => {
  const source = readFileSync(join(import.meta.dirname, '../../dashboard/src/shell/navigation.ts'), 'utf8');
  const paths = [...source.matchAll(/href: '\/([^']*)'/g)].map(([, path]) => path);
  expect(paths).toContain('team');
  expect(Object.values(pages)).toEqual(expect.arrayContaining(paths));
});

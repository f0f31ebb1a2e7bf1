import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildArchive, projectDir } from '../../../scripts/release-archive.ts';
import { freePort } from '../support/free-port.ts';
import { jpegOf } from '../support/pictures.ts';

/*
 * Carries out the commands of docs/guides/install.md as they stand there. It replaces only the folders, the address and the version. The
 * service runs by the commands and the settings of its unit.
 */

const guide = readFileSync(join(projectDir, 'docs/guides/install.md'), 'utf8');

/** The version of an upgrade. Its archive is the same. */
const nextVersion = '999.0.0';

/** An ordinary user, if the tests run as root. A service does not run as root either. */
const user: { uid?: number; gid?: number } = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const folder = mkdtempSync(join(tmpdir(), 'tenure-guide-'));
const downloads = join(folder, 'downloads');
const programs = join(folder, 'programs');
const running = new Set<ChildProcess>();
let port = 0;

beforeAll(() => {
  const archive = buildArchive(downloads);
  const nextArchive = join(downloads, `tenure-server-${nextVersion}.tgz`);
  copyFileSync(archive, nextArchive);
  mkdirSync(programs);
  // The tests have no systemd. The command only says what it was asked to do.
  writeFileSync(join(programs, 'systemctl'), '#!/bin/sh\necho "systemctl $*"\n');
  chmodSync(join(programs, 'systemctl'), 0o755);
  for (const each of [folder, downloads, archive, nextArchive]) giveAway(each);
});

beforeEach(async () => {
  port = await freePort();
});

afterAll(() => {
  for (const child of running) process.kill(-child.pid!, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('serves a sandbox when the commands of "Try it" have run in an empty folder', async () => {
  const [start, check] = blocksOf('Try it', 'console', 'sh');
  const [answer] = blocksOf('Try it', 'json');
  const child = startForTest(start!);
  const key = await keyPrintedBy(child);
  expect(JSON.parse(runCommands(check!))).toEqual(JSON.parse(answer!));
  expect(existsSync(join(downloads, '.tenure'))).toBe(true);
  expect(await statusOf('/v1/references', key)).toBe(200);
  const [, newKey] = /`(npx [^`]+ new-key)`/.exec(guide)!;
  expect(runCommands(newKey!)).toMatch(/^sk_test_\w{38}\n$/);
  await interrupt(child);
});

test('serves requests by the command of its unit, before, during and after an upgrade, when the commands of "Install a service" have run', async () => {
  const [install] = blocksOf('Install a service', 'console');
  runCommands(install!);
  let child = await startUnit();
  // The guide leads to the page about keys, whose command needs systemd.
  const newKey = 'cd /opt/tenure && DATA_DIR=/var/lib/tenure/data node server/bin/tenure-server.js new-key';
  const key = runCommands(newKey).trim();
  expect(key).toMatch(/^sk_test_\w{38}$/);
  // Other guides, and pages of the dashboard, name commands of npm.
  expect(runCommands('cd /opt/tenure && DATA_DIR=/var/lib/tenure/data npm run --silent login-link')).toMatch(
    /\/dashboard\/link#\w{32}\n$/,
  );
  expect(await statusOf('/v1/references', key)).toBe(200);
  runCommands(commandOf('tenure-backup.service'));
  expect(spawnSync('ls', [join(folder, 'backups')], { encoding: 'utf8' }).stdout).toMatch(/^tenure-[\d-]+\n$/);

  // Another process of the deployment still runs. It reads the files of its checker only now.
  const [unpack, upgrade] = blocksOf('Upgrade', 'console');
  runCommands(unpack!);
  expect(runCommands(upgrade!)).toBe(
    'systemctl stop tenure@all\nsystemctl start tenure-backup\nsystemctl start tenure@all\n',
  );
  expect(await statusOfUpload(key)).toBe(200);
  await stop(child);
  child = await startUnit();
  expect(realpathSync(join(folder, 'opt/tenure'))).toBe(join(realpathSync(folder), `opt/tenure-${nextVersion}`));
  expect(await statusOf('/v1/references', key)).toBe(200);
  await stop(child);
});

/** Returns the code blocks of a section of the guide, in the languages that are asked for. */
function blocksOf(title: string, ...languages: string[]): string[] {
  const [, section = ''] = guide.split(new RegExp(`^## ${title}\n`, 'm'));
  const [own = ''] = section.split(/^## /m);
  const blocks = [...own.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].filter(([, language]) => languages.includes(language!));
  expect(blocks, title).not.toEqual([]);
  return blocks.map(([, , text]) => text!);
}

/** Puts the folders, the address and the version of this test into a text. */
function placed(text: string): string {
  return text
    .replaceAll('/opt/tenure', join(folder, 'opt/tenure'))
    .replaceAll('/var/lib/tenure', join(folder, 'state'))
    .replaceAll('/backups/', `${join(folder, 'backups')}/`)
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`)
    .replaceAll('<version>', nextVersion)
    .replaceAll('/usr/bin/node', process.execPath);
}

/** Runs commands of the guide in a shell, in the folder of the archive, and returns what they print. */
function runCommands(commands: string): string {
  return execFileSync('sh', ['-e', '-c', placed(commands)], { ...options(downloads), encoding: 'utf8' });
}

/** Starts a command of the guide that lasts until it is stopped. */
function startForTest(commands: string): ChildProcess {
  return track(
    spawn('sh', ['-e', '-c', `exec ${placed(commands)}`], {
      ...options(downloads),
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
}

/** Starts the service by the command of its unit, and resolves when it is ready. */
async function startUnit(): Promise<ChildProcess> {
  const [program, ...args] = placed(unitSetting('tenure@.service', 'ExecStart')).split(' ');
  const cwd = placed(unitSetting('tenure@.service', 'WorkingDirectory'));
  const env = { ...options(cwd).env, ...unitEnvironment('tenure@.service') };
  const child = track(
    spawn(program!, args, { ...options(cwd), env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  child.stdout!.resume();
  await expect
    .poll(() => (child.exitCode === null ? statusOf('/readyz').catch(() => 0) : 'ended'))
    .toBeOneOf([200, 'ended']);
  expect(child.exitCode).toBe(null);
  return child;
}

/** Returns a unit's command as one for a shell, with the unit's folder and settings. */
function commandOf(unit: string): string {
  // systemd reads $$ as $ and %% as %.
  const command = unitSetting(unit, 'ExecStart').replaceAll('$$', '$').replaceAll('%%', '%');
  return `cd ${unitSetting(unit, 'WorkingDirectory')} && exec env ${unitSetting(unit, 'Environment')} ${command}`;
}

function unitSetting(unit: string, name: string): string {
  const text = readFileSync(join(folder, 'opt/tenure/deploy/systemd', unit), 'utf8');
  return new RegExp(`^${name}=(.*)$`, 'm').exec(text)![1]!;
}

function unitEnvironment(unit: string): Record<string, string> {
  const pairs = unitSetting(unit, 'Environment').replaceAll('%i', 'all').split(' ');
  return Object.fromEntries(pairs.map((pair) => placed(pair).split('=') as [string, string]));
}

/** The programs of the ordinary user: those of the system, Node 26, and the imitation of systemctl. */
function options(cwd: string) {
  const path = [programs, join(process.execPath, '..'), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  const env = { ...networkSettings(), PATH: path, HOME: folder, PORT: String(port) };
  return { cwd, env, ...user };
}

/** Returns what programs of this machine need to reach the registry. */
function networkSettings(): NodeJS.ProcessEnv {
  const names = /^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|(https?|no)_proxy|npm_config_(registry|cafile))$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.test(name)));
}

/** Resolves to the first secret key that a start prints. */
async function keyPrintedBy(child: ChildProcess): Promise<string> {
  let output = '';
  for await (const piece of child.stdout!) {
    output += String(piece);
    if (/^Data .*\n/m.test(output)) break;
  }
  return /sk_test_\w+/.exec(output)![0];
}

function track(child: ChildProcess): ChildProcess {
  running.add(child);
  return child;
}

/** Stops a process as systemd does, and expects that it ends in good order. */
async function stop(child: ChildProcess): Promise<void> {
  running.delete(child);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
}

/** Stops a program as Ctrl-C does. The processes that npx has started get the signal, too. */
async function interrupt(child: ChildProcess): Promise<void> {
  running.delete(child);
  const exited = once(child, 'exit');
  process.kill(-child.pid!, 'SIGINT');
  await exited;
  await expect.poll(() => statusOf('/readyz').catch(() => 0)).toBe(0);
}

async function statusOf(path: string, key = ''): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: key === '' ? {} : { authorization: `Bearer ${key}` },
  });
  await response.body?.cancel();
  return response.status;
}

/** Uploads a picture, which a process of its own checks. */
async function statusOfUpload(key: string): Promise<number> {
  const form = new FormData();
  form.append('purpose', 'identity_document');
  form.append('file', new Blob([Uint8Array.from(await jpegOf())], { type: 'image/jpeg' }), 'passport.jpg');
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`http://127.0.0.1:${port}/v1/files`, { method: 'POST', headers, body: form });
  await response.body?.cancel();
  return response.status;
}

/** Gives a file to the ordinary user. */
function giveAway(path: string): void {
  if (user.uid !== undefined) chownSync(path, user.uid, user.gid!);
}

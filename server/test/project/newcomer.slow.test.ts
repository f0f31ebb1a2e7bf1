import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';

/*
 * Runs the README's commands on a clean clone with nothing installed. One run is by root, below a folder closed to other users. The other
 * is by an ordinary user.
 */

const projectDir = join(import.meta.dirname, '../../..');
const isRoot = process.getuid?.() === 0;
/** Any unprivileged user id works. */
const ordinary = { uid: 65_534, gid: 65_534 };

describe.each([
  { who: 'as the user of the test run, below a 0700 folder', user: undefined },
  { who: 'as an ordinary user', user: ordinary },
])('$who', ({ user }) => {
  const skipped = user !== undefined && !isRoot;
  const folder = mkdtempSync(join(tmpdir(), 'tenure-newcomer-'));
  const clone = join(folder, 'home', 'tenure');
  const running = new Set<ChildProcess>();
  let port = 0;
  let key = '';
  let referenceId = '';
  let dataPlace = '';

  afterAll(async () => {
    for (const child of running) await stop(child);
    rmSync(folder, { recursive: true, force: true });
    // As root the data is elsewhere, because the database's user cannot enter the folder.
    if (dataPlace.startsWith('/var/lib/tenure/')) rmSync(dataPlace, { recursive: true, force: true });
  });

  // Only root can switch to another user.
  test.skipIf(skipped)(
    'prints a key and a working curl command when a newcomer runs git clone and npm start',
    async () => {
      const home = join(folder, 'home');
      mkdirSync(home);
      chmodSync(folder, 0o755);
      chmodSync(home, 0o700);
      execFileSync('git', ['clone', '-q', projectDir, clone]);
      if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, home]);
      port = await freePort();
      const { output } = await start();
      expect(output).toContain(`http://127.0.0.1:${port}/v1`);
      key = /sk_test_\w+/.exec(output)![0];
      const curl = /curl [\s\S]*?\n\n/.exec(output)![0];
      const created = JSON.parse(run('sh', ['-c', `${curl.trim()} -sS`])) as { id: string; status: string };
      expect(created.status).toBe('pending');
      referenceId = created.id;
      expect(await eventTypes()).toEqual([
        'reference.created',
        'account.updated',
        'api_key.created',
        'account.created',
      ]);
    },
  );

  test.skipIf(skipped)(
    "verifies an outcome's event with the README's receiver moments after the response when both run",
    async () => {
      const receiverPort = await freePort();
      const endpoint = await post('/v1/webhook_endpoints', {
        url: `http://127.0.0.1:${receiverPort}/`,
        enabled_events: ['reference.*'],
      });
      const receiver = spawn('node', [join(clone, 'examples/receivers/node.mjs')], {
        env: { ...environment(), PORT: String(receiverPort), SIGNING_SECRET: endpoint.signing_secret! },
        ...user,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      running.add(receiver);
      let output = '';
      receiver.stdout.on('data', (bytes) => (output += bytes));
      await until(() => fetch(`http://127.0.0.1:${receiverPort}/`).then(() => true));
      await post(`/v1/references/${referenceId}`, { outcome: 'accept' });
      // The report of the decision comes last.
      await until(async () => output.split('\n').length > 3);
      expect(
        output
          .replaceAll(/evt_\w+/g, 'evt')
          .split('\n')
          .sort(),
      ).toEqual([
        '',
        `verified evt reference.completed ${referenceId}`,
        `verified evt reference.updated ${referenceId}`,
        `verified evt reference.updated ${referenceId}`,
      ]);
      await stop(receiver);
      running.delete(receiver);
    },
  );

  test.skipIf(skipped)('refuses a second start with one line when the data or the port is in use', async () => {
    expect(await refusedStart({ PORT: String(await freePort()) })).toMatch(
      /^Another Tenure is already running on .*\n$/,
    );
    const elsewhere = join(user ? join(folder, 'home') : folder, 'elsewhere');
    expect(await refusedStart({ DATA_DIR: elsewhere })).toMatch(/^Port \d+ on 127\.0\.0\.1 is already in use\..*\n$/);
  });

  test.skipIf(skipped)(
    'keeps all data for the next start when server, or server and database, are killed with -9',
    async () => {
      for (const victims of [['server'], ['server', 'database']] as const) {
        const [npm] = running;
        const exited = new Promise((resolve) => npm!.once('exit', resolve));
        killAll(victims);
        // On a busy machine, a killed server can keep its port for a while. The program npm ends after it.
        await exited;
        running.clear();
        const { output } = await start();
        expect(output).not.toMatch(/sk_test_\w/);
        expect((await get(`/v1/references/${referenceId}`)).status).toBe(200);
      }
    },
  );

  test.skipIf(skipped)('creates another key when npm run new-key runs beside the server', async () => {
    key = run('npm', ['run', '--silent', 'new-key']).trim();
    expect(key).toMatch(/^sk_test_\w{38}$/);
    expect((await get(`/v1/references/${referenceId}`)).status).toBe(200);
  });

  test.skipIf(skipped).each([
    ['SIGTERM to the server', () => process.kill(serverPid(), 'SIGTERM')],
    ['SIGTERM to npm', () => process.kill(npmPid(), 'SIGTERM')],
    // A terminal signals all of them, and npm passes its signal on.
    ['Ctrl-C', () => process.kill(-npmPid(), 'SIGINT')],
  ])('stops in good order when it gets %s', async (_, stopIt) => {
    if (running.size === 0) await start();
    const [child] = running;
    const exited = new Promise((resolve) => child!.once('exit', resolve));
    stopIt();
    expect(await exited).toBe(0);
    running.clear();
    await expect(get('/healthz')).rejects.toThrow('fetch failed');
    expect(existsSync(join(dataPlace, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  // The guide's commands are the same for all users, and each installs everything again.
  test.skipIf(skipped || (isRoot && !user))(
    'has the bundled Node for a service when npm ci has run as operations.md says',
    () => {
      const guide = readFileSync(join(clone, 'docs/guides/operations.md'), 'utf8');
      const program = join(clone, /its\s+own\s+Node\s+26\s+at\s+`(\S+)`/.exec(guide)![1]!);
      const steps = [...guide.matchAll(/npm ci\b(?: && (node \S+?\.mjs))?/g)];
      expect(steps.length).toBeGreaterThan(1);
      for (const [, step] of steps) {
        // As npm 10 leaves the script.
        rmSync(program, { force: true });
        run('sh', ['-c', `cd ${clone} && ${step ?? 'true'}`]);
        expect(run(program, ['--version'])).toMatch(/^v26\./);
      }
    },
  );

  function environment(): NodeJS.ProcessEnv {
    // A newcomer's environment, without the test runner's variables.
    return {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: join(folder, 'home'),
      PORT: String(port),
    };
  }

  function run(command: string, args: string[]): string {
    const cwd = command === 'npm' ? clone : folder;
    return execFileSync(command, args, {
      cwd,
      env: environment(),
      ...user,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  async function start(): Promise<{ output: string }> {
    const child = spawn('npm', ['start'], {
      cwd: clone,
      env: environment(),
      ...user,
      stdio: ['ignore', 'pipe', 'inherit'],
      // In a process group of its own, as in a terminal.
      detached: true,
    });
    running.add(child);
    let output = '';
    child.stdout.on('data', (bytes) => (output += bytes));
    const giveUpAtMs = performance.now() + 600_000;
    while (!/^Data .*\n/m.test(output)) {
      if (child.exitCode !== null || performance.now() > giveUpAtMs)
        throw new Error(`npm start did not come up: ${output}`);
      await delay(50);
    }
    dataPlace = /^Data\s+(.*)$/m.exec(output)![1]!;
    return { output };
  }

  async function refusedStart(settings: NodeJS.ProcessEnv): Promise<string> {
    const child = spawn('npm', ['--silent', 'start'], { cwd: clone, env: { ...environment(), ...settings }, ...user });
    let errors = '';
    child.stderr.on('data', (bytes) => (errors += bytes));
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).toBe(1);
    return errors;
  }

  function get(path: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
  }

  async function post(path: string, body: object): Promise<Record<string, string>> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${port}${path}`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.status).toBe(200);
    return (await response.json()) as Record<string, string>;
  }

  async function eventTypes(): Promise<string[]> {
    const list = (await (await get('/v1/events')).json()) as { data: { type: string }[] };
    return list.data.map(({ type }) => type);
  }

  /** Returns the id of the server's process, and not of the npm that started it. */
  function serverPid(): number {
    const found = execFileSync('pgrep', ['-f', 'server/src/main.ts'], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
    return found.find((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`PORT=${port}\0`) && isNode(pid))!;
  }

  function npmPid(): number {
    const [npm] = running;
    return npm!.pid!;
  }

  function killAll(victims: readonly ('server' | 'database')[]): void {
    const postmaster = Number(readFileSync(join(dataPlace, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
    for (const victim of victims) process.kill(victim === 'server' ? serverPid() : postmaster, 'SIGKILL');
  }
});

function isNode(pid: number): boolean {
  return (
    readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('node') ||
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('node\0')
  );
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
}

/** Waits until the check holds. A check that throws has not passed yet. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAtMs = performance.now() + 120_000;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > giveUpAtMs) throw new Error('It did not come about in time.');
    await delay(20);
  }
}

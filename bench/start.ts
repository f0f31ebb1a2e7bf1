import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeKey } from '../server/src/core/api-keys.ts';

/*
 * How long a person waits: from the command `npm start` to the first answered request (a list, with a key, from the database). Beside
 * it, what npm alone takes to print its version, below which nothing of ours can get.
 */

const rounds = 5;
const projectDir = join(import.meta.dirname, '..');
const key = makeKey('secret', 'sandbox', randomBytes);

const starts = ['first start', 'warm start', 'after kill -9'] as const;
const figures: Record<'npm alone' | (typeof starts)[number], number[]> = {
  'npm alone': [],
  'first start': [],
  'warm start': [],
  'after kill -9': [],
};
const idleMemoryMb: number[] = [];

for (let round = 0; round < rounds; round++) {
  const dataDir = mkdtempSync(join(tmpdir(), 'tenure-bench-'));
  // The database's user must be able to enter, also as root.
  const place = join(dataDir, 'data');
  chmodSync(dataDir, 0o755);
  figures['npm alone'].push(await npmAlone());
  for (const name of starts) {
    const { tookMs, child, port } = await start(place);
    figures[name].push(tookMs);
    if (name === 'first start') await stop(child);
    if (name === 'warm start') {
      idleMemoryMb.push(memoryMb(serverPid(port)));
      killBoth(place, port);
      await ended(child);
    }
    if (name === 'after kill -9') await stop(child);
  }
  rmSync(dataDir, { recursive: true, force: true });
}

process.stdout.write(
  `${cpus().length} × ${cpus().at(0)?.model}, Node ${process.versions.node}, ${rounds} rounds; ms, min / median / max\n`,
);
for (const [name, values] of Object.entries(figures)) {
  const sorted = values.toSorted((left, right) => left - right).map(Math.round);
  process.stdout.write(`${name.padEnd(15)} ${sorted[0]} / ${sorted[Math.floor(rounds / 2)]} / ${sorted.at(-1)}\n`);
}
process.stdout.write(`memory of the idle server, MB: ${Math.max(...idleMemoryMb)}\n`);

async function npmAlone(): Promise<number> {
  const startedMs = performance.now();
  await ended(spawn('npm', ['--version'], { cwd: projectDir, stdio: 'ignore' }));
  return performance.now() - startedMs;
}

async function start(dataDir: string): Promise<{ tookMs: number; child: ChildProcess; port: number }> {
  const port = await freePort();
  const startedMs = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: projectDir,
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, TENURE_SECRET_KEY: key, TENURE_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (performance.now() - startedMs < 60_000) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/references`, {
      headers: { authorization: `Bearer ${key}` },
    }).catch(() => null);
    if (answer?.ok) return { tookMs: performance.now() - startedMs, child, port };
    await delay(5);
  }
  throw new Error('npm start did not come up within a minute.');
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await ended(child);
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) =>
    child.exitCode === null && child.signalCode === null ? child.once('exit', () => resolve()) : resolve(),
  );
}

function killBoth(dataDir: string, port: number): void {
  const postmaster = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  for (const pid of [serverPid(port), postmaster]) process.kill(pid, 'SIGKILL');
}

/** The process that listens, found by the port in its environment (Linux). */
function serverPid(port: number): number {
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    try {
      const isServer = readFileSync(`/proc/${pid}/cmdline`, 'utf8') === 'node\0server/src/main.ts\0';
      if (isServer && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`PORT=${port}\0`)) return pid;
    } catch {
      // It ended meanwhile.
    }
  }
  throw new Error(`No server of ours on port ${port}.`);
}

function memoryMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

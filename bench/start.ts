import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeKey } from '../server/src/core/secrets/api-keys.ts';
import { projectDir } from './deployment.ts';
import type { Suite } from './suite.ts';
import { freePort } from '../server/test/support/free-port.ts';

const startTimeoutMs = 60_000;
const stopTimeoutMs = 20_000;

/** Measures from `npm start` to the first response of the API. The first start is on an empty folder and makes the database. */
export const start: Suite<'first' | 'warm'> = {
  name: 'start',
  figures: {
    first: { title: 'First start after the install', unit: 's', better: 'less', floor: 5, aim: null, needs: [] },
    warm: { title: 'Later starts', unit: 's', better: 'less', floor: 2, aim: null, needs: [] },
  },
  async round() {
    const folder = mkdtempSync(join(tmpdir(), 'tenure-bench-start-'));
    // As root, PostgreSQL runs as another user, which must be able to enter.
    chmodSync(folder, 0o711);
    const dataDir = join(folder, 'data');
    try {
      const key = makeKey('secret', 'sandbox', randomBytes);
      const first = await measure(folder, dataDir, key);
      const warm = await measure(folder, dataDir, key);
      return { first: { value: first }, warm: { value: warm } };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measure(folder: string, dataDir: string, key: string): Promise<number> {
  const port = await freePort();
  const logFile = join(folder, 'npm-start.log');
  const log = openSync(logFile, 'w');
  const startedMs = performance.now();
  // Use a process group, to end it as one. Use a file, because npm's grandchildren would hold a pipe open.
  const npm = spawn('npm', ['start'], {
    cwd: projectDir,
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), TENURE_SECRET_KEY: key, TENURE_LOG_LEVEL: 'warn' },
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const exited = new Promise<void>((resolve) => {
    npm.once('exit', () => resolve());
    npm.once('error', () => resolve());
  });
  const endGroup = (): void => {
    signalGroup(npm.pid!, 'SIGTERM');
  };
  process.once('exit', endGroup);
  try {
    while (performance.now() - startedMs < startTimeoutMs) {
      if (await isAnswered(port, key)) return (performance.now() - startedMs) / 1000;
      await delay(10);
    }
    throw new Error(`npm start did not answer in time:\n${readFileSync(logFile, 'utf8')}`);
  } finally {
    await stopGroup(npm.pid!, exited, join(dataDir, 'postgres', 'postmaster.pid'));
    process.off('exit', endGroup);
  }
}

function isAnswered(port: number, key: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(
      { host: '127.0.0.1', port, path: '/v1/references', headers: { authorization: `Bearer ${key}` }, timeout: 2_000 },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode === 200));
        response.on('error', () => resolve(false));
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.end();
  });
}

/** Ends npm and the processes it started, and waits until the database has ended too. The database has its own group. */
async function stopGroup(groupId: number, exited: Promise<void>, databaseLockFile: string): Promise<void> {
  signalGroup(groupId, 'SIGTERM');
  const giveUpAtMs = performance.now() + stopTimeoutMs;
  await Promise.race([exited, delay(stopTimeoutMs, undefined, { ref: false })]);
  while (performance.now() < giveUpAtMs && (isGroupAlive(groupId) || existsSync(databaseLockFile))) await delay(10);
  signalGroup(groupId, 'SIGKILL');
}

function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-groupId, signal);
  } catch {
    // It has ended.
    return false;
  }
}

function isGroupAlive(groupId: number): boolean {
  return signalGroup(groupId, 0);
}

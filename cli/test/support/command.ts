import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { waitMs } from '../../../server/test/support/wait.ts';

/** The command as a user starts it. */
export const commandPath = join(import.meta.dirname, '../../bin/tenure.js');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Setting {
  env?: Record<string, string>;
  input?: string;
}

/** A user of the command: a home of its own, and a server with a key. */
export class User {
  readonly home = mkdtempSync(join(tmpdir(), 'tenure-cli-'));
  readonly env: Record<string, string>;

  constructor(server?: { url: string; secretKey: string }) {
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: this.home,
      XDG_CONFIG_HOME: join(this.home, 'config'),
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(this.home, 'cache'),
      ...(server && { TENURE_BASE_URL: server.url, TENURE_API_KEY: server.secretKey }),
    };
    onTestFinished(() => rmSync(this.home, { recursive: true, force: true }));
  }

  /** Runs a command to its end. */
  async run(args: string[], setting: Setting = {}): Promise<Ended> {
    const running = this.start(args, setting);
    return running.end;
  }

  /** Runs a command that must succeed, and returns its JSON. */
  async json(args: string[], setting: Setting = {}): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await this.run(args, setting);
    if (code !== 0) throw new Error(`The command ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  start(args: string[], { env = {}, input = '' }: Setting = {}): Running {
    const child = spawn(process.execPath, [commandPath, ...args], { env: { ...this.env, ...env }, stdio: 'pipe' });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const running = new Running(child);
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await running.end;
    });
    return running;
  }
}

/** A command that runs. */
export class Running {
  readonly child: ChildProcess;
  readonly end: Promise<Ended>;
  stdout = '';
  stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.end = new Promise((resolve) => {
      child.on('close', (code) => resolve({ code, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  /** Waits until standard output or standard error has this. Fails with all of the output if the command ends without it. */
  async says(pattern: RegExp): Promise<void> {
    let ended = false;
    void this.end.then(() => (ended = true));
    const isSaid = (): boolean => pattern.test(this.stdout + this.stderr);
    await vi.waitUntil(() => isSaid() || ended, { timeout: waitMs, interval: 10 }).catch(() => {});
    if (!isSaid())
      throw new Error(
        `The command did not say ${pattern}${ended ? ', and ended' : ''}. It said:\n${this.stdout}${this.stderr}`,
      );
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }
}

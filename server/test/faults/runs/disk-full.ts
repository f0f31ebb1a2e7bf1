import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../crash-checker/api.ts';
import type { Deployment } from '../crash-checker/deployment.ts';
import { History, outageEndsLaterMs, type CallResult, type Operation } from '../crash-checker/history.ts';
import { toldBy } from '../crash-checker/judge/answer-rules.ts';
import { observe } from '../crash-checker/observe.ts';
import { Random } from '../crash-checker/random.ts';
import { settleUnknown } from '../crash-checker/settle.ts';
import { judgeIdempotency } from '../idempotency-checker/judge.ts';
import type { FaultReport, FaultRun, FaultViolation, PlayOptions } from './fault-run.ts';
import { onOneServer } from './one-server.ts';

/** Fills the disk of the embedded database for a while, under load. Only requests that cannot be written are refused. */
export const diskFull: FaultRun = {
  name: 'disk full',
  title: "the embedded database's disk is full for a while under load",
  unit: 'fillings',
  sizes: { ci: 2, gate: 4, full: 30 },
  async play(size, options) {
    const folder = mkdtempSync(join(tmpdir(), 'tenure-disk-'));
    try {
      const notRun = mount(folder);
      if (notRun !== null) return { done: 0, counts: {}, violations: [], notRun };
      try {
        // As root, PostgreSQL runs as another user, which needs access to the folder.
        chmodSync(folder, 0o711);
        return await onOneServer({ dataDir: folder }, options, (server) => fillAgain(server, size, options));
      } finally {
        execFileSync('umount', [folder]);
      }
    } finally {
      rmdirSync(folder);
    }
  },
};

/** Enough for the database and what a run writes into it. */
const diskSize = '1g';

const clients = 8;
const pauseMs = 20;
/** The time of load before the disk is full, and the time that it is full, in milliseconds. */
const beforeMs = { least: 200, most: 800 };
const fullMs = { least: 300, most: 3_000 };
/** Within this time, a change no longer fits. */
const refusalTimeoutMs = 20_000;
const recoveryTimeoutMs = 60_000;

/** Mounts a disk in memory, which needs root. Returns the reason if it fails, or null. */
function mount(folder: string): string | null {
  if (process.platform !== 'linux') return 'This run needs a file system of its own, which it can make only on Linux.';
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskSize}`, 'tmpfs', folder], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `This run needs a file system of its own: ${(error as Error).message.trim()}`;
  }
}

async function fillAgain(server: Deployment, size: number, { seed, print }: PlayOptions): Promise<FaultReport> {
  const random = new Random(`disk full, seed ${seed}`);
  const api = new Api([server.url], server.secretKey);
  const history = new History();
  const violations: FaultViolation[] = [];
  const counts: Record<string, number> = { requests: 0, 'slowest recovery, ms': 0 };
  let done = 0;
  try {
    for (let number = 1; number <= size; number++) {
      const own = random.fork(`filling ${number}`);
      const load = startLoad(api, history, number);
      await sleep(own.between(beforeMs.least, beforeMs.most));
      const fromMs = performance.now();
      await whileFull(server.dataDir, async () => {
        // The first writes fit into the space that the database has reserved.
        await untilRefused(history, number);
        await sleep(own.between(fullMs.least, fullMs.most));
      });
      const clearedMs = performance.now();
      if (!(await servesAgain(api, number, history))) {
        violations.push({ rule: 'never_answered', about: `filling ${number}`, message: server.lastLines() });
      }
      const recoveryMs = Math.round(performance.now() - clearedMs);
      history.outages.push({ fromMs, toMs: performance.now() + outageEndsLaterMs });
      counts['slowest recovery, ms'] = Math.max(counts['slowest recovery, ms']!, recoveryMs);
      await load.stop();
      // Only a filling that refused a request counts.
      if (wasNoticed(history, number)) done++;
      print(`filling ${number} of ${size}: served again after ${recoveryMs} ms`);
    }
    await settleUnknown(api, history);
    for (const { result } of history.operations.flatMap(({ calls }) => calls)) {
      counts.requests!++;
      const told = docsOf(result);
      counts[told] = (counts[told] ?? 0) + 1;
    }
    violations.push(...judgeIdempotency(history.operations, await observe(api, [], 0), history.outages));
    return { done, counts, violations };
  } finally {
    api.close();
  }
}

async function untilRefused(history: History, number: number): Promise<void> {
  const giveUpAtMs = performance.now() + refusalTimeoutMs;
  while (!wasNoticed(history, number) && performance.now() < giveUpAtMs) await sleep(10);
}

function wasNoticed({ operations }: History, number: number): boolean {
  return operations.some((operation) => operation.round === number && wasRefused(operation));
}

function wasRefused({ calls }: Operation): boolean {
  return calls.some(({ result }) => result.kind === 'answered' && result.status === 503);
}

function docsOf(result: CallResult): string {
  return result.kind === 'unanswered' ? 'unanswered' : `answered ${toldBy(result)}`;
}

/** Makes new references, with any result. */
function startLoad(api: Api, history: History, number: number): { stop(): Promise<void> } {
  const over = new AbortController();
  let made = 0;
  const runClient = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await makeReference(api, history, `filling ${number}, ${++made}`, number);
      await sleep(pauseMs);
    }
  };
  const running = Promise.all(Array.from({ length: clients }, runClient));
  return {
    async stop() {
      over.abort();
      await running;
    },
  };
}

function makeReference(api: Api, history: History, id: string, round: number): Promise<CallResult> {
  const body = { application: 'app_1', metadata: { made_by: id, note: 'ö'.repeat(400) } };
  const kind = 'create_reference';
  const operation = history.add({ id, round, kind, method: 'POST', path: '/v1/references', body, key: id });
  return history.record(operation, () => api.send(operation));
}

/** Fills the disk to the last byte until `work` is done. */
async function whileFull(disk: string, work: () => Promise<void>): Promise<void> {
  const ballast = join(disk, 'ballast');
  try {
    fill(disk, ballast);
    await work();
  } finally {
    rmSync(ballast);
  }
}

function fill(disk: string, ballast: string): void {
  const file = openSync(ballast, 'w');
  try {
    for (let piece = Buffer.alloc(1024 * 1024); statfsSync(disk).bavail > 0 && piece.length >= 1;) {
      try {
        writeSync(file, piece);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        piece = piece.subarray(0, piece.length / 2);
      }
    }
  } finally {
    closeSync(file);
  }
}

/** Whether it writes again within its time, without help. */
async function servesAgain(api: Api, number: number, history: History): Promise<boolean> {
  const giveUpAtMs = performance.now() + recoveryTimeoutMs;
  for (let attempt = 1; performance.now() < giveUpAtMs; attempt++) {
    const result = await makeReference(api, history, `after filling ${number}, ${attempt}`, number);
    if (result.kind === 'answered' && result.status === 200) return true;
    await sleep(50);
  }
  return false;
}

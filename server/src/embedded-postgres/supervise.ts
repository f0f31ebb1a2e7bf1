/** Supervises a running PostgreSQL: restarts it when it dies, until its owner stops it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ownerName, takeOver, tryLock, type Running } from './ownership.ts';
import type { DataFolder } from './data-folder.ts';
import { hasExited, shutDown } from './postmaster.ts';
import { connect, connectionIn } from './session.ts';

/** Restarts within a minute. After that many, another attempt will not help. */
const restartsPerMinuteMax = 5;

/** Keeps PostgreSQL running, with this process as its owner. Returns a function that stops PostgreSQL, and waits until it has ended. */
export function supervise(
  dataFolder: DataFolder,
  first: Running,
  onUnexpectedExit: (detail: string, givenUp: boolean) => void,
): () => Promise<void> {
  let running = first;
  const stopping = new AbortController();
  const stopRequested = new Promise((done) => stopping.signal.addEventListener('abort', done, { once: true }));
  const restartsAtMs: number[] = [];

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await Promise.race([stopRequested, running.postmaster.exited, running.owner.ended]);
      if (!stopping.signal.aborted && !(await lockedAgain())) await restart();
    }
  }

  /** Takes the lock again. PostgreSQL cuts all connections when one of its processes crashes, and recovers by itself. */
  async function lockedAgain(): Promise<boolean> {
    while (!hasExited(running.postmaster)) {
      if (stopping.signal.aborted) return true;
      const session = await connect(connectionIn(dataFolder.socketDir, 'postgres'), ownerName()).catch(() => 'absent');
      if (typeof session === 'object') {
        if (await tryLock(session.client).catch(() => false)) {
          running = { ...running, owner: session };
          return true;
        }
        await session.client.end().catch(() => {});
      }
      await sleep(20);
    }
    return false;
  }

  async function restart(): Promise<void> {
    let detail = `PostgreSQL ended unexpectedly (${await running.postmaster.exited})`;
    while (!stopping.signal.aborted) {
      tell(detail);
      const recent = restartsAtMs.filter((time) => time > performance.now() - 60_000);
      if (recent.length >= restartsPerMinuteMax) {
        const times = `it failed ${recent.length} times within a minute`;
        tell(`PostgreSQL is not started again: ${times}. Its log is ${dataFolder.logFile}.`, true);
        return stopping.abort();
      }
      // Restart at once the first time, then back off.
      await sleep(100 * recent.length ** 2, undefined, { signal: stopping.signal }).catch(() => {});
      restartsAtMs.push(performance.now());
      try {
        running = await takeOver(dataFolder, stopping.signal);
        return;
      } catch (error) {
        detail = error instanceof Error ? error.message : String(error);
      }
    }
  }

  /** Calls the listener. An error of it must not end the supervision. */
  function tell(detail: string, givenUp = false): void {
    try {
      onUnexpectedExit(detail, givenUp);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }

  const watching = watch();
  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    stopping.abort();
    await watching;
    await shutDown(running.postmaster);
    await running.owner.client.end().catch(() => {});
  }
  return () => (stopped ??= stop());
}

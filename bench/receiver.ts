import { fileURLToPath } from 'node:url';
import { startChild } from './child.ts';
import type { ReceiverOrder, ReceiverReport } from './receiver-process.ts';

/** The receiver of all deliveries of all runs: one process that responds 200 to everything and counts. */
export interface Receiver {
  origin: string;
  /**
   * Resets its counts, and records the time of each receipt if asked to. With an `idPattern`, it counts events: requests with an id that did
   * not come before.
   */
  reset(options?: { record: boolean; idPattern?: string }): Promise<void>;
  /** Waits until this many have come. With a timeout, it then returns what has come so far. */
  untilReceived(count: number, timeoutMs?: number): Promise<ReceiverReport>;
  /** Returns the counts so far. */
  report(): Promise<ReceiverReport>;
  /** Stops reading, until `resume`. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export async function startReceiver(logDir: string): Promise<Receiver> {
  const child = startChild(fileURLToPath(new URL('receiver-process.ts', import.meta.url)), {
    name: 'receiver',
    logDir,
  });
  const { port } = await child.message<{ port: number }>();
  async function ask<Answer>(order: ReceiverOrder): Promise<Answer> {
    const answer = child.message<Answer>();
    child.process.send(order);
    return answer;
  }
  const giveUp = (): void => void child.process.send({ kind: 'give_up' } satisfies ReceiverOrder);
  return {
    origin: `http://127.0.0.1:${port}`,
    reset: (options) => ask({ kind: 'reset', record: options?.record ?? false, idPattern: options?.idPattern ?? null }),
    async untilReceived(count, timeoutMs) {
      const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
      try {
        return await ask<ReceiverReport>({ kind: 'report_at', count });
      } finally {
        clearTimeout(timer);
      }
    },
    report: () => ask({ kind: 'report_at', count: 0 }),
    pause: () => void child.process.kill('SIGSTOP'),
    resume: () => void child.process.kill('SIGCONT'),
    stop: () => child.stop(),
  };
}

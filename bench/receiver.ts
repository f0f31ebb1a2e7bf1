import { fileURLToPath } from 'node:url';
import { startChild } from './child.ts';
import type { ReceiverOrder, ReceiverReport } from './receiver-process.ts';

/** The receiver of all deliveries of all runs: one process that responds 200 to everything and counts. */
export interface Receiver {
  origin: string;
  /** Resets its counts, and records the time of each receipt if asked to. */
  reset(options?: { record: boolean }): Promise<void>;
  /** Waits until this many have come. */
  untilReceived(count: number): Promise<ReceiverReport>;
  /** Returns the counts so far. */
  report(): Promise<ReceiverReport>;
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
  return {
    origin: `http://127.0.0.1:${port}`,
    reset: (options) => ask({ kind: 'reset', record: options?.record ?? false }),
    untilReceived: (count) => ask({ kind: 'report_at', count }),
    report: () => ask({ kind: 'report_at', count: 0 }),
    stop: () => child.stop(),
  };
}

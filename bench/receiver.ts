import { fileURLToPath } from 'node:url';
import { startChild } from './child.ts';
import type { ReceiverOrder, ReceiverReport } from './receiver-process.ts';

/** Where all deliveries of all runs go: one process that answers 200 to everything and counts. */
export interface Receiver {
  origin: string;
  /** Forgets what it has counted, and records the time of each receipt if asked to. */
  reset(options?: { record: boolean }): Promise<void>;
  /** Waits until so many have come. */
  untilReceived(count: number): Promise<ReceiverReport>;
  /** What has come so far. */
  report(): Promise<ReceiverReport>;
  stop(): Promise<void>;
}

export async function startReceiver(logDir: string): Promise<Receiver> {
  const child = startChild(fileURLToPath(new URL('receiver-process.ts', import.meta.url)), {
    name: 'receiver',
    logDir,
  });
  const { port } = await child.message<{ port: number }>();
  async function ask<StoredResponse>(order: ReceiverOrder): Promise<StoredResponse> {
    const answer = child.message<StoredResponse>();
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

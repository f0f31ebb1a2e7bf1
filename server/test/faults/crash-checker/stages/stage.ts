import type { Deployment } from '../deployment.ts';
import type { History } from '../history.ts';
import type { Random } from '../random.ts';
import type { Recovery } from '../recovery.ts';
import type { Webhooks } from '../webhooks.ts';

/** What the checker's rounds are played on, and what goes wrong there. */
export interface Stage {
  /** Processes of one API: one, or several of equal rank. */
  readonly servers: readonly Deployment[];
  readonly secretKey: string;
  /** Where the data and the logs of all processes are. */
  readonly places: readonly string[];
  /** Starts everything for the first time; from here on, `close` must be called. */
  start(): Promise<void>;
  /** What goes wrong in the next round, by random numbers alone. */
  next(random: Random): Trouble;
  /** Leaves no process behind, and the files only if they are wanted. */
  close(options: { keepFiles: boolean }): Promise<void>;
}

/** One thing that goes wrong while clients write. */
export interface Trouble {
  /** In a line. */
  description: string;
  /** Into the load. */
  afterMs: number;
  /**
   * Does it, tells the history what an honest judge must know of it, and returns when the API serves again.
   *
   * @returns how long that took, in milliseconds; 0 where it never ceased.
   */
  strike(scene: Scene): Promise<number>;
}

/** What is there when trouble strikes. */
export interface Scene {
  history: History;
  webhooks: Webhooks;
  /** Sees by the load's answers when the API serves again. */
  recovery: Recovery;
  /** Lets the clients end what they have begun. If nobody calls it, they go on until the trouble is over. */
  endLoad(): Promise<void>;
}

/**
 * A short lease, so that what a killed server had claimed is claimed again in 10 s and not in half a minute. No receiver here takes longer
 * than 0.3 s: the attempt's 6 s let a server answer for its attempts truly on a machine that is busy with other work.
 */
export const shortLease = { attemptTimeoutMs: 6_000, leaseMs: 10_000, pollMs: 200 };

/** The server with limits of its own, and with failpoints if it is told where. */
export const serverUnderTest = 'server/test/faults/server-under-test.ts';

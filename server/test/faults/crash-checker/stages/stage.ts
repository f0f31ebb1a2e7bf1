import type { Deployment } from '../deployment.ts';
import type { History } from '../history.ts';
import type { Random } from '../random.ts';
import type { Recovery } from '../recovery.ts';
import type { Webhooks } from '../webhooks.ts';

/** What the checker plays its rounds on, with its faults. */
export interface Stage {
  /** Processes of one API: one, or several of equal rank. */
  readonly servers: readonly Deployment[];
  readonly secretKey: string;
  /** The places of the data and logs of all processes. */
  readonly places: readonly string[];
  /** Starts everything for the first time. From here on, `close` must be called. */
  start(): Promise<void>;
  /** Returns the fault of the next round, by random numbers alone. */
  next(random: Random): Trouble;
  /** Ends every process, and removes the files unless they are wanted. */
  close(options: { keepFiles: boolean }): Promise<void>;
}

/** One fault while clients write. */
export interface Trouble {
  /** One line. */
  description: string;
  /** Milliseconds into the load. */
  afterMs: number;
  /**
   * Makes the fault, tells the history what a fair judge must know, and returns when the API serves again.
   * @returns how long that took, in milliseconds; 0 if it always served.
   */
  strike(scene: Scene): Promise<number>;
}

/** What a fault works on. */
export interface Scene {
  history: History;
  webhooks: Webhooks;
  /** Shows by the load's responses when the API serves again. */
  recovery: Recovery;
  /** Lets the clients finish and stop. Without this call, they continue until the fault is over. */
  endLoad(): Promise<void>;
}

/**
 * A short lease. The deliveries of a killed server are claimed again in 10 s, and not in half a minute. Receivers take at most 0.3 s. The
 * attempt's 6 s let a server on a busy machine record the true result of its attempts.
 */
export const shortLease = { attemptTimeoutMs: 6_000, leaseMs: 10_000, pollMs: 200 };

/** The server with limits of its own, and with failpoints if its environment asks for them. */
export const serverUnderTest = 'server/test/faults/server-under-test.ts';

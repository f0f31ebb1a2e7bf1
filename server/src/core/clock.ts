/**
 * The source of time. Code gets it as a parameter and never asks the machine. So tests can move it, and all processes on one database
 * agree about it.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
}

/** Converts to the API's unit of time: whole seconds since the Unix epoch (spec, conventions). */
export function toSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000);
}

/** A moment by both clocks, in seconds since the Unix epoch. They differ only in a sandbox whose clock was moved. */
export interface Moment {
  nowSeconds: number;
  /** The time of the world. Sessions and one-time links go by it. */
  realSeconds: number;
}

/** The machine's clock, corrected by its measured difference from the database's clock. */
export class DatabaseClock implements Clock {
  #aheadMs = 0;

  nowMs(): number {
    return Date.now() + this.#aheadMs;
  }

  /** @param aheadMs how far the database's clock runs ahead of this machine's. */
  correct(aheadMs: number): void {
    this.#aheadMs = aheadMs;
  }
}

/** Another clock's time, moved forward. It never moves back. */
export class MovedClock implements Clock {
  readonly #clock: Clock;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.#aheadMs;
  }

  /** @param aheadMs how far it is ahead of the other clock. A value below the current one is outdated, and changes nothing. */
  moveTo(aheadMs: number): void {
    this.#aheadMs = Math.max(this.#aheadMs, aheadMs);
  }
}

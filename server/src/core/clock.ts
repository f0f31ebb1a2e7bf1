/**
 * Where the time comes from. It is handed to whoever needs it and never taken from the machine, so that tests can move
 * it and every process on one database agrees about it.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
}

/** The API's times are whole seconds since the Unix epoch (spec, conventions). */
export function toSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000);
}

/** The machine's clock, corrected by what the database's clock was seen to differ from it. */
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

/** Another clock's time, moved forward. It never goes back. */
export class MovedClock implements Clock {
  readonly #clock: Clock;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.#aheadMs;
  }

  /** @param aheadMs how far it is ahead of the other clock. Less than it was is old news, and moves nothing. */
  moveTo(aheadMs: number): void {
    this.#aheadMs = Math.max(this.#aheadMs, aheadMs);
  }
}

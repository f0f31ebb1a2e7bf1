import { coalesce } from './batch-loader.ts';

/** Bounds the memory that made-up keys can take; real deployments use far fewer at once. */
const entriesMax = 10_000;

/**
 * What was read of the database and may be used for a short time: the one rule of freshness. Every process may go on with what
 * it has read for `ageMaxMs`; the call that changes a record answers only when that time has passed since its commit (a
 * resource's `propagationDelayMs`). So what a client was answered is true in every process, and no process has to hear of it.
 */
export class TtlCache<Value> {
  readonly #ageMaxMs: number;
  readonly #read: (key: string) => Promise<Value | null>;
  #entries = new Map<string, { askedAtMs: number; value: Promise<Value | null> }>();

  /** @param readAll reads many at once, each or null, in the order asked. */
  constructor(ageMaxMs: number, readAll: (keys: string[]) => Promise<(Value | null)[]>) {
    this.#ageMaxMs = ageMaxMs;
    this.#read = coalesce(readAll);
  }

  /** The value, no older than `ageMaxMs`, or null if there is none. The machine's clock cannot stretch that time. */
  get(key: string): Promise<Value | null> {
    // From before the question: what changes while it is answered may not be in the answer.
    const nowMs = performance.now();
    const known = this.#entries.get(key);
    if (known && nowMs - known.askedAtMs < this.#ageMaxMs) return known.value;
    if (this.#entries.size >= entriesMax) this.#forgetOld(nowMs);
    const value = this.#read(key);
    this.#entries.set(key, { askedAtMs: nowMs, value });
    // A failed look-up says nothing; the next one asks again.
    value.catch(() => this.#entries.delete(key));
    return value;
  }

  /** The value as it is now: for a decision that what was read before must not make. */
  getAnew(key: string): Promise<Value | null> {
    this.#entries.delete(key);
    return this.get(key);
  }

  #forgetOld(nowMs: number): void {
    for (const [key, { askedAtMs }] of this.#entries) {
      if (nowMs - askedAtMs >= this.#ageMaxMs) this.#entries.delete(key);
    }
    if (this.#entries.size >= entriesMax) this.#entries.clear();
  }
}

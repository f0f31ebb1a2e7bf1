import { coalesce } from './batch-loader.ts';

/** Bounds the memory that invented keys can take. Real deployments use far fewer at once. */
const entriesMax = 10_000;

/**
 * Caches values from the database for a short time. This is the rule of freshness: a process may use a value for `ageMaxMs`. A request that
 * changes a record is answered only when that time has passed since its commit (a resource's `propagationDelayMs`). So a response is
 * true in every process, without any notification.
 */
export class TtlCache<Value> {
  readonly #ageMaxMs: number;
  readonly #read: (key: string) => Promise<Value | null>;
  #entries = new Map<string, { askedAtMs: number; value: Promise<Value | null> }>();

  /** @param readAll reads many values at once, in the order of the keys. A missing value is null. */
  constructor(ageMaxMs: number, readAll: (keys: string[]) => Promise<(Value | null)[]>) {
    this.#ageMaxMs = ageMaxMs;
    this.#read = coalesce(readAll);
  }

  /** Returns the value, at most `ageMaxMs` old, or null if there is none. A step of the machine's clock cannot stretch that time. */
  get(key: string): Promise<Value | null> {
    // The age counts from before the query: its result may miss a change that happens meanwhile.
    const nowMs = performance.now();
    const known = this.#entries.get(key);
    if (known && nowMs - known.askedAtMs < this.#ageMaxMs) return known.value;
    if (this.#entries.size >= entriesMax) this.#forgetOld(nowMs);
    const value = this.#read(key);
    this.#entries.set(key, { askedAtMs: nowMs, value });
    // Do not cache a failed look-up.
    value.catch(() => this.#entries.delete(key));
    return value;
  }

  /** Reads the value again, for a decision that must not use a cached value. */
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

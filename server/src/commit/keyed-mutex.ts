/**
 * Lets those who want the same record go one after the other, in the order they came. Without it, two changes of one record
 * would both decide on what they read, and the second would have to decide again.
 */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` once everybody who came earlier for any of these records is done. */
  async run<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
    if (keys.length === 0) return work();
    const earlier = keys.map((key) => this.#last.get(key)).filter((promise) => promise !== undefined);
    const { promise: done, resolve: leave } = Promise.withResolvers<void>();
    for (const key of keys) this.#last.set(key, done);
    try {
      await Promise.all(earlier);
      return await work();
    } finally {
      leave();
      for (const key of keys) if (this.#last.get(key) === done) this.#last.delete(key);
    }
  }
}

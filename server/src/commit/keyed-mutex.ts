/**
 * Serializes work on the same record, in order of arrival. Without it, two concurrent changes of one record would decide on the same state.
 * The second would have to decide again.
 */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` when all earlier work on any of these keys has ended. */
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

/** Yields a value that was read before, and then the others. */
export async function* startingWith<Value>(first: Value, others: AsyncIterable<Value>): AsyncGenerator<Value> {
  yield first;
  yield* others;
}

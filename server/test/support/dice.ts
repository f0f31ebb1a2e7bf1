/** Returns deterministic numbers from 0 to below 1, so that a failure can be repeated. */
export function dice(seed: number): () => number {
  // Neighbouring seeds must differ from the first number on.
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

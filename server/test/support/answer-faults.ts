/* What `answers.ts` found wrong with the answers of a test; `hold-answers.ts` fails the test for it. */

const faults: string[] = [];
let held = 0;

/** Counts an answer, and keeps what is wrong with it. */
export function noteAnswer(faultsOfIt: readonly string[]): void {
  held++;
  faults.push(...faultsOfIt);
}

/** Returns the faults since the last call. */
export function takeAnswerFaults(): string[] {
  return faults.splice(0);
}

/** Returns how many answers were held since the last call. */
export function takeHeldCount(): number {
  const count = held;
  held = 0;
  return count;
}

/* Holds the faults that `answers.ts` found in the responses of a test. `hold-answers.ts` fails the test for them. */

const faults: string[] = [];
let held = 0;

/** Counts a response and keeps its faults. */
export function noteAnswer(faultsOfIt: readonly string[]): void {
  held++;
  faults.push(...faultsOfIt);
}

/** Returns the faults since the last call. */
export function takeAnswerFaults(): string[] {
  return faults.splice(0);
}

/** Returns how many responses were checked since the last call. */
export function takeHeldCount(): number {
  const count = held;
  held = 0;
  return count;
}

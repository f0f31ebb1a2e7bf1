import { appendFileSync } from 'node:fs';
import { afterAll, afterEach, expect, inject } from 'vitest';

/*
 * Loaded before every test file: an answer that was not as documented fails the test that got it, or the next one if it came between
 * two. `answers.ts` finds them.
 */

declare module 'vitest' {
  interface ProvidedContext {
    /** Each test file adds a line: how many answers were held against the documents. */
    answersFile: string;
  }
}

const faults: string[] = [];
let held = 0;

/** Counts an answer, and keeps what is wrong with it. */
export function noteAnswer(faultsOfIt: readonly string[]): void {
  held++;
  faults.push(...faultsOfIt);
}

/** What was not as documented since somebody last asked. */
export function takeAnswerFaults(): string[] {
  return faults.splice(0);
}

afterEach(expectAnswersAsDocumented);
afterAll(() => {
  appendFileSync(inject('answersFile'), `${held}\n`);
  expectAnswersAsDocumented();
});

function expectAnswersAsDocumented(): void {
  expect(takeAnswerFaults()).toEqual([]);
}

import { appendFileSync } from 'node:fs';
import { afterAll, afterEach, expect, inject } from 'vitest';
import { takeAnswerFaults, takeHeldCount } from './answer-faults.ts';

/*
 * Loaded before every test file. An answer that differs from its document fails the test that got it. If it came between two
 * tests, it fails the second one. `answers.ts` finds such answers.
 */

declare module 'vitest' {
  interface ProvidedContext {
    /** Each test file adds a line: how many answers were held against the documents. */
    answersFile: string;
  }
}

afterEach(expectAnswersAsDocumented);
afterAll(() => {
  appendFileSync(inject('answersFile'), `${takeHeldCount()}\n`);
  expectAnswersAsDocumented();
});

function expectAnswersAsDocumented(): void {
  expect(takeAnswerFaults()).toEqual([]);
}

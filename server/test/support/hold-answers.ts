import { appendFileSync } from 'node:fs';
import { afterAll, afterEach, expect, inject } from 'vitest';
import { takeAnswerFaults, takeHeldCount } from './answer-faults.ts';

/*
 * Runs before every test file. A response that differs from its document fails the test that got it. A response between two tests fails the
 * second one. `answers.ts` finds such responses.
 */

declare module 'vitest' {
  interface ProvidedContext {
    /** The file to which each test file adds a line: how many responses it checked against the documents. */
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

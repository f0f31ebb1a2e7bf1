import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { coalesce, noResult } from '../../src/db/batch-loader.ts';

test('answers each question once when queries leave some of them unanswered', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(1000), { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 1, max: 40 }),
      async (questions, answeredMax) => {
        let asked = 0;
        const ask = coalesce(async (batch: number[]) => {
          asked += Math.min(batch.length, answeredMax);
          return batch.map((question, index) => (index < answeredMax ? 2 * question : noResult));
        });
        expect(await Promise.all(questions.map(ask))).toEqual(questions.map((question) => 2 * question));
        expect(asked).toBe(questions.length);
      },
    ),
    { numRuns: 50 },
  );
});

test('rejects the questions of one query, and no others, when it fails', async () => {
  let fails = true;
  const ask = coalesce(async (batch: number[]) => {
    if (fails) throw new Error('The query failed.');
    return batch;
  });
  await expect(Promise.all([ask(1), ask(2)])).rejects.toThrow('The query failed.');
  fails = false;
  expect(await ask(3)).toBe(3);
});

test('answers a question about a small record soon when hundreds of large ones wait', async () => {
  let queries = 0;
  const ask = coalesce(async (batch: string[]) => {
    queries++;
    // Sixteen large records fit into a query.
    let large = 0;
    return batch.map((question) => (question === 'large' && ++large > 16 ? noResult : queries));
  });
  const all = Array.from({ length: 400 }, () => ask('large'));
  const answeredIn = await ask('small');
  expect(answeredIn).toBeLessThanOrEqual(4);
  expect(Math.max(...(await Promise.all(all)))).toBeGreaterThan(20);
});

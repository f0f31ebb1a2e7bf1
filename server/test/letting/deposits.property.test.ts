import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rounds } from '../support/rounds.ts';
import type { TestServer } from '../support/server.ts';
import { Agency, startDay, startLetting } from './agency.ts';
import {
  anyOperation,
  expectMoneyKept,
  openLet,
  playAsModeled,
  send,
  type Fault,
  type Let,
  type Operation,
} from './deposit-model.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startLetting();
});

afterAll(() => server.stop());

async function open(): Promise<Let> {
  return openLet(await Agency.on(server), { today: startDay, start: '2027-02-01' });
}

const anyOperations = fc.array(anyOperation, { minLength: 15, maxLength: 40 });

function asModeled(fault: Fault | null) {
  return fc.asyncProperty(anyOperations, async (operations) => playAsModeled(await open(), operations, fault));
}

/** A course in which each rule of the model counts. */
const course: Operation[] = (
  [
    ['pay', 'holding', 500, 0],
    ['fail', 'holding', 1, 0],
    ['pay', 'holding', 1_000, 0],
    ['apply', 'holding', 2_000, 0],
    ['apply', 'holding', 500, 500],
    ['pay', 'tenancy', 1_500, 0],
    ['release', 'tenancy', 500, 500],
  ] as const
).map(([kind, which, amount, other]) => ({ kind, which, choice: 0, amount, other }));

test('moves as the contract says when random operations follow each other', async () => {
  await fc.assert(asModeled(null), {
    numRuns: rounds(5, 60),
    examples: [[course]],
    endOnFailure: true,
  });
});

test('keeps every penny when random operations meet', async () => {
  const property = fc.asyncProperty(anyOperations, async (operations) => {
    const of = await open();
    for (let next = 0; next < operations.length; next += 5)
      await Promise.all(operations.slice(next, next + 5).map((operation) => send(of, operation)));
    await expectMoneyKept(of);
  });
  await fc.assert(property, { numRuns: rounds(5, 40), endOnFailure: true });
});

describe('the model', () => {
  test.each<Fault>([
    'keeps failed money',
    'applies more than is held',
    'forgets the rest',
    'never settles a holding deposit',
  ])('is found wrong when it %s', async (fault) => {
    const { failed } = await fc.check(asModeled(fault), { numRuns: 1, examples: [[course]] });
    expect(failed).toBe(true);
  });
});

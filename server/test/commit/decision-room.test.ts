import { afterAll, beforeAll, expect, test } from 'vitest';
import { Agency, startLetting } from '../letting/agency.ts';
import type { TestServer } from '../support/server.ts';

let server: TestServer;
let agency: Agency;
const customers: string[] = [];

beforeAll(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
  const text = 'ā'.repeat(480);
  const address = { line1: text, line2: text, city: text, postal_code: text, country: 'GB' };
  const addresses = Array.from({ length: 50 }, () => address);
  for (let number = 1; number <= 17; number++)
    customers.push((await agency.make('customers', { name: `Ada ${number}`, addresses })).id);
});
afterAll(() => server.stop());

/** Does some work, and returns the most bytes that changes held meanwhile. */
async function heldDuring(work: Promise<unknown>): Promise<number> {
  const { bytes } = server.context.committer;
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, bytes.held)), 1);
  await work.finally(() => clearInterval(timer));
  return most;
}

test('counts the persons that a decision reads when they are large', async () => {
  expect(await heldDuring(agency.make('applications', { customers }))).toBeGreaterThan(2_000_000);
  expect(server.context.committer.bytes.held).toBe(0);
});

test('makes a decision again, and executes each request, when many read more than there is room for', async () => {
  const made = Promise.all(Array.from({ length: 8 }, () => agency.make('applications', { customers })));
  const most = await heldDuring(made);
  expect(most).toBeLessThan(2 * server.context.committer.bytes.maxPerAccount);
  expect(new Set((await made).map(({ id }) => id)).size).toBe(8);
  expect(server.context.committer.bytes.held).toBe(0);
});

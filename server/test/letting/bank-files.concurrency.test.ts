import { expect, test } from 'vitest';
import { importFile, statementOf } from '../support/bank.ts';
import { deploymentForTest, newTenantOn } from '../support/deployments.ts';
import { allOf } from '../support/paging.ts';
import { good } from '../support/server.ts';
import { Agency, lettingClock } from './agency.ts';

test('makes each line and each payment once when two processes get overlapping files and confirms at once', async () => {
  const deployment = await deploymentForTest(2, { overrides: { clock: lettingClock('2026-01-10') } });
  const { accountId, first, second } = await newTenantOn(deployment);
  const agency = new Agency(accountId, first);
  const tenancy = await agency.draft((await agency.unit()).id, { type: 'company' });
  await agency.move('tenancies', tenancy.id, 'sign', { signed_on: '2026-01-10' });
  const day = (number: number) => ({ date: '2026-01-10', amount: '1.00', reference: `${tenancy.id} ${number}` });
  const lines = Array.from({ length: 30 }, (_, number) => day(number));
  const files = [lines, lines.slice(10), lines.slice(0, 20), lines].map(statementOf);
  const answers = await Promise.all(files.map((file, index) => importFile(index % 2 === 0 ? first : second, file)));
  // Two processes can lose to each other twice. Then the client sends its file again.
  for (const [index, { status }] of answers.entries()) if (status !== 200) await good(importFile(first, files[index]!));
  const made = await allOf(first, '/v1/bank_lines');
  expect(new Set(made.map(({ reference }) => reference)).size).toBe(30);
  expect(made).toHaveLength(30);

  const confirms = made.flatMap(({ id }) =>
    [first, second].map((api) => api.post(`/v1/bank_lines/${String(id)}/confirm`)),
  );
  const statuses = (await Promise.all(confirms)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(30);
  expect(new Set(statuses)).toEqual(new Set([200, 400]));
  expect(await allOf(first, '/v1/payments')).toHaveLength(30);
  expect(await agency.get('tenancies', tenancy.id)).toMatchObject({ balance: -3_000 });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { withTraits } from '../../src/model/resource.ts';
import { sumsUp } from '../../src/model/traits/sums-up.ts';
import { resources } from '../../src/resources/index.ts';
import { unit } from '../../src/resources/letting/unit.ts';
import type { TestServer } from '../support/server.ts';
import { Agency, expectCode, startDay, startLetting } from './agency.ts';

/*
 * Units know nothing of their tenancies here, so no decision and no revision stops a double let. What is left is the constraint of the
 * database.
 */

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  const blind = resources.map((resource) => (resource === unit ? withTraits(resource, sumsUp([])) : resource));
  server = await startLetting({ overrides: { resources: blind } });
  agency = await Agency.on(server);
});

afterAll(() => server.stop());

async function draftsOf(home: string, count: number): Promise<string[]> {
  const made = await Promise.all(Array.from({ length: count }, () => agency.draft(home)));
  return made.map(({ id }) => id);
}

test('refuses a second tenancy on the same days by the constraint when the unit does not know the first', async () => {
  const home = await agency.unit();
  const [first, second] = await draftsOf(home.id, 2);
  await agency.move('tenancies', first!, 'sign', { signed_on: startDay });
  const refused = await agency.api.post(`/v1/tenancies/${second}/sign`, { signed_on: startDay });
  expectCode(refused, 'unit_occupied', { param: 'unit' });
  expect(refused.body.error.message).toContain('at the same moment');
  expect(await agency.get('tenancies', second!)).toMatchObject({ status: 'draft', signed_on: null });
  expect(await agency.historyOf(second!)).toEqual(['tenancy.created']);
});

test('signs one of twenty tenancies when all are signed at once and only the constraint holds', async () => {
  const home = await agency.unit();
  const drafts = await draftsOf(home.id, 20);
  const answers = await Promise.all(
    drafts.map((id) => agency.api.post(`/v1/tenancies/${id}/sign`, { signed_on: startDay })),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(19);
  for (const answer of refused) expectCode(answer, 'unit_occupied', { param: 'unit' });
  const { rows } = await server.context.database.readers.query<{ count: number }>({
    text: `select count(*) from tenancies where account_id = $1 and unit = $2 and status = 'signed'`,
    values: [agency.accountId, home.id],
  });
  expect(rows).toEqual([{ count: 1 }]);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/core/json-diff.ts';
import type { Route } from '../../src/http/route.ts';
import { idPattern } from '../../src/core/ids.ts';
import { forPersonsOnly } from '../../src/model/traits/for-persons-only.ts';
import { storesFile } from '../../src/model/traits/stores-file.ts';
import { resources } from '../../src/resources/index.ts';
import { bodySchema, takesJson } from './json-bodies.ts';
import type { JsonSchema } from '../support/any-value.ts';
import { expectRefusal, invalid, refusals } from '../support/refusals.ts';
import {
  bodies,
  bodyToMake,
  hasId,
  kindOf,
  nameOf,
  receiveDeposit,
  routesOfKeys,
  stepsBefore,
} from '../support/routes.ts';
import { paramOf, placesOf, withValueAt, type Path, type Place } from '../support/schema-places.ts';
import { good, type ApiResponse, type TestServer } from '../support/server.ts';
import { tracesOf } from '../support/traces.ts';
import { latestVersion } from '../support/versions.ts';
import { Agency, startLetting, type Made } from '../letting/agency.ts';

/*
 * Ids and days of the right form that are wrong, in the body of each kind. `schemas.test.ts` breaks the forms.
 */

/** The kinds of which requests make records, by the path. */
const kinds: ReadonlySet<string> = new Set(
  resources
    .filter((resource) => resource.create && !forPersonsOnly.has(resource) && !storesFile.has(resource))
    .map(({ path }) => path),
);

/** Ids of the form of this API, by the path of their kind. */
const idsOfKinds: Record<string, string> = {
  buildings: 'bld_0VbZq9aK00mT3cUuP8sXw4',
  units: 'unit_0VbZq9aK00mT3cUuP8sXw4',
  customers: 'cus_0VbZq9aK00mT3cUuP8sXw4',
};

/** Members that name an applicant or a tenant. Any other id is no such person. */
const ofPeopleHere = new Set([
  'POST /v1/guarantors guarantees[0]',
  'POST /v1/guarantors/:id guarantees[0]',
  'POST /v1/tenancies/:id/request_pet customer',
]);

/** A day without a leap year, and one of a year that no calendar has. */
const unknownDays = ['2026-02-29', '0000-01-01'];
const advice = 'If a new member is right, add it here.';

let server: TestServer;
let agency: Agency;
let targets: { route: Route; path: string; schema: JsonSchema; body: JsonObject }[];

beforeAll(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
  const routes = routesOfKeys(server.context).filter((route) => kinds.has(kindOf(route)));
  targets = [];
  for (const route of routes.filter((candidate) => takesJson(candidate) && candidate.method === 'POST')) {
    const schema = bodySchema(server, route, latestVersion);
    if (!placesOf(schema).some(({ schema: part }) => isLink(part) || isDay(part))) continue;
    const kind = kindOf(route);
    const id = hasId(route) ? (await recordFor(route)).id : '';
    targets.push({
      route,
      path: route.path.replace(':id', id),
      schema,
      body: hasId(route) ? ((bodies[nameOf(route)] ?? {}) as JsonObject) : ((await bodyOf(kind)) as JsonObject),
    });
  }
});

afterAll(() => server.stop());

function isLink({ pattern }: JsonSchema): boolean {
  return pattern === idPattern;
}

function isDay({ format }: JsonSchema): boolean {
  return format === 'date';
}

async function bodyOf(kind: string): Promise<object> {
  return (await bodyToMake(kind, async (linked) => (await newRecord(linked)).id, agency.api.post)) ?? {};
}

async function newRecord(kind: string): Promise<Made> {
  return agency.make(kind, await bodyOf(kind));
}

/** Makes a record in the state that the route needs. */
async function recordFor(route: Route): Promise<Made> {
  const made = await newRecord(kindOf(route));
  await receiveDeposit(route, made.id, agency.api.post);
  for (const step of stepsBefore[nameOf(route)] ?? []) {
    const name = route.path.replace(/[^/]+$/, step);
    await good(agency.api.post(name.replace(':id', made.id), bodies[`POST ${name}`] ?? {}));
  }
  return made;
}

/** Returns the places in all bodies whose schema is like this one, each with a name. */
function placesLike(
  isLike: (schema: JsonSchema) => boolean,
): ((typeof targets)[number] & { at: Path; name: string })[] {
  return targets.flatMap((target) =>
    placesOf(target.schema)
      .filter(({ schema }: Place) => isLike(schema))
      .map(({ path: at }) => ({ ...target, at, name: `${nameOf(target.route)} ${paramOf(at)}` })),
  );
}

/** Sends a body with this value at a place. */
function sendWith(
  { path, schema, body, at }: ReturnType<typeof placesLike>[number],
  value: Json,
): Promise<ApiResponse> {
  return agency.api.post(path, withValueAt(schema, body, at, value));
}

describe('an id of another kind', () => {
  test('is refused in each link, and leaves nothing', async () => {
    const links = placesLike(isLink);
    expect(links.map(({ name }) => name).toSorted(), advice).toEqual([
      'POST /v1/accounts letterhead[logo]',
      'POST /v1/applications customers[0]',
      'POST /v1/applications unit',
      'POST /v1/applications/:id customers[0]',
      'POST /v1/applications/:id unit',
      'POST /v1/customers right_to_rent[files][0]',
      'POST /v1/customers/:id right_to_rent[files][0]',
      'POST /v1/deposits application',
      'POST /v1/deposits payer',
      'POST /v1/deposits tenancy',
      'POST /v1/deposits/:id/apply to[0][deposit]',
      'POST /v1/deposits/:id/apply to[0][tenancy]',
      'POST /v1/deposits/:id/give_information file',
      'POST /v1/deposits/:id/propose_release deductions[0][invoice]',
      'POST /v1/deposits/:id/protect certificate',
      'POST /v1/deposits/:id/release deductions[0][invoice]',
      'POST /v1/guarantors application',
      'POST /v1/guarantors customer',
      'POST /v1/guarantors file',
      'POST /v1/guarantors guarantees[0]',
      'POST /v1/guarantors/:id file',
      'POST /v1/guarantors/:id guarantees[0]',
      'POST /v1/guarantors/:id/agree file',
      'POST /v1/invoices lines[0][invoice]',
      'POST /v1/invoices tenancy',
      'POST /v1/invoices/:id lines[0][invoice]',
      'POST /v1/payments allocations[0][invoice]',
      'POST /v1/payments customer',
      'POST /v1/payments deposit',
      'POST /v1/payments tenancy',
      'POST /v1/payments/:id/allocate allocations[0][invoice]',
      'POST /v1/portal_sessions customer',
      'POST /v1/references application',
      'POST /v1/references customer',
      'POST /v1/references/:id reference_pdf',
      'POST /v1/subscriptions tenancy',
      'POST /v1/tenancies agreement',
      'POST /v1/tenancies application',
      'POST /v1/tenancies customers[0]',
      'POST /v1/tenancies replaces',
      'POST /v1/tenancies unit',
      'POST /v1/tenancies/:id agreement',
      'POST /v1/tenancies/:id/request_pet customer',
      'POST /v1/tenancies/:id/sign agreement',
      'POST /v1/units building',
    ]);
    const before = await tracesOf(server, agency.accountId);
    for (const link of links) {
      const isOfPerson = /^(customer|guarantees|payer)/.test(paramOf(link.at));
      const wrong = idsOfKinds[isOfPerson ? 'units' : 'customers']!;
      const refused = await sendWith(link, wrong);
      const param = paramOf(link.at);
      if (ofPeopleHere.has(link.name)) expectRefusal(refused, { ...invalid(param), says: wrong });
      else
        expectRefusal(refused, {
          ...refusals.idUnknown,
          status: 400,
          param,
          says: `\`${wrong}\` begins like the id of ${isOfPerson ? 'a unit' : 'a customer'}. For `,
        });
    }
    expect(await tracesOf(server, agency.accountId)).toEqual(before);
  });

  test('finds no record in the path of each kind', async () => {
    for (const kind of kinds) {
      const wrong = idsOfKinds[kind === 'buildings' ? 'units' : 'buildings']!;
      const answer = await agency.api.get(`/v1/${kind}/${wrong}`);
      expectRefusal(answer, { ...refusals.idUnknown, says: wrong });
    }
  });
});

describe('a day that does not exist', () => {
  test('is refused in each date, and leaves nothing', async () => {
    const dates = placesLike(isDay);
    expect(dates.map(({ name }) => name).toSorted(), advice).toEqual([
      'POST /v1/applications move_in_date',
      'POST /v1/applications/:id move_in_date',
      'POST /v1/customers addresses[0][from]',
      'POST /v1/customers addresses[0][to]',
      'POST /v1/customers date_of_birth',
      'POST /v1/customers right_to_rent[checked_on]',
      'POST /v1/customers right_to_rent[expires_on]',
      'POST /v1/customers/:id addresses[0][from]',
      'POST /v1/customers/:id addresses[0][to]',
      'POST /v1/customers/:id date_of_birth',
      'POST /v1/customers/:id right_to_rent[checked_on]',
      'POST /v1/customers/:id right_to_rent[expires_on]',
      'POST /v1/deposits/:id/extend decide_by',
      'POST /v1/deposits/:id/give_information given_on',
      'POST /v1/deposits/:id/protect protected_on',
      'POST /v1/deposits/:id/release returned_on',
      'POST /v1/deposits/:id/return returned_on',
      'POST /v1/guarantors/:id/agree agreed_on',
      'POST /v1/guarantors/:id/release released_on',
      'POST /v1/invoices due_on',
      'POST /v1/invoices lines[0][period][end]',
      'POST /v1/invoices lines[0][period][start]',
      'POST /v1/invoices/:id due_on',
      'POST /v1/invoices/:id lines[0][period][end]',
      'POST /v1/invoices/:id lines[0][period][start]',
      'POST /v1/payments received_on',
      'POST /v1/payments/:id/succeed received_on',
      'POST /v1/subscriptions end_date',
      'POST /v1/subscriptions start_date',
      'POST /v1/subscriptions/:id/cancel end_date',
      'POST /v1/subscriptions/:id/change_amount effective_on',
      'POST /v1/subscriptions/:id/change_amount served_on',
      'POST /v1/subscriptions/:id/pause resume_on',
      'POST /v1/tenancies end_date',
      'POST /v1/tenancies rent_increased_on',
      'POST /v1/tenancies start_date',
      'POST /v1/tenancies statement_given_on',
      'POST /v1/tenancies/:id end_date',
      'POST /v1/tenancies/:id rent_increased_on',
      'POST /v1/tenancies/:id start_date',
      'POST /v1/tenancies/:id statement_given_on',
      'POST /v1/tenancies/:id/end ended_on',
      'POST /v1/tenancies/:id/give_notice ends_on',
      'POST /v1/tenancies/:id/give_notice served_on',
      'POST /v1/tenancies/:id/sign signed_on',
    ]);
    const before = await tracesOf(server, agency.accountId);
    for (const date of dates)
      for (const day of [...unknownDays, '2024-02-30', '1900-02-29', '2026-04-31', '2026-01-00', '2026-00-10'])
        expectRefusal(await sendWith(date, day), { ...invalid(paramOf(date.at)), says: 'calendar date' });
    expect(await tracesOf(server, agency.accountId)).toEqual(before);
  });

  test('is refused in each query', async () => {
    const queries = routesOfKeys(server.context).flatMap((route) =>
      Object.entries(route.query)
        .filter(([, { format }]: [string, JsonSchema]) => format === 'date')
        .map(([name]) => ({ route, name })),
    );
    expect(queries.map(({ route, name }) => `${nameOf(route)} ${name}`)).toEqual(
      expect.arrayContaining(['GET /v1/tenancies start_date[gte]', 'GET /v1/tenancies/:id/statement from']),
    );
    const tenancy = await newRecord('tenancies');
    for (const { route, name } of queries) {
      const path = route.path.replace(':id', route.path.includes('rulesets') ? 'england' : tenancy.id);
      for (const day of unknownDays)
        expectRefusal(await agency.api.get(`${path}?${encodeURIComponent(name)}=${day}`), {
          ...invalid(name),
          says: 'calendar date',
        });
    }
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/core/json-diff.ts';
import type { Route } from '../../src/http/route.ts';
import { idPattern } from '../../src/core/ids.ts';
import { bodySchema, takesJson } from '../bad-input/json-bodies.ts';
import type { JsonSchema } from '../support/any-value.ts';
import { expectRefusal, invalid, refusals } from '../support/refusals.ts';
import { bodies, bodyToMake, hasId, kindOf, nameOf, routesOfKeys, stepsBefore } from '../support/routes.ts';
import { paramOf, placesOf, withValueAt, type Path, type Place } from '../support/schema-places.ts';
import { good, type ApiResponse, type TestServer } from '../support/server.ts';
import { tracesOf } from '../support/traces.ts';
import { latestVersion } from '../support/versions.ts';
import { Agency, startLetting, type Made } from './agency.ts';

/*
 * Ids and days of the right form that are wrong, in each body of these kinds. Other tests break the forms: `test/bad-input/schemas.test.ts`.
 */

const kinds = new Set(['buildings', 'units', 'applications', 'guarantors', 'tenancies']);

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

let server: TestServer;
let agency: Agency;
let targets: { route: Route; path: string; schema: JsonSchema; body: JsonObject }[];

beforeAll(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
  const routes = routesOfKeys(server.context).filter((route) => kinds.has(kindOf(route)));
  targets = [];
  for (const route of routes.filter((candidate) => takesJson(candidate) && candidate.method === 'POST')) {
    const kind = kindOf(route);
    const id = hasId(route) ? (await recordFor(route)).id : '';
    targets.push({
      route,
      path: route.path.replace(':id', id),
      schema: bodySchema(server, route, latestVersion),
      body: hasId(route) ? ((bodies[nameOf(route)] ?? {}) as JsonObject) : ((await bodyOf(kind)) as JsonObject),
    });
  }
});

afterAll(() => server.stop());

async function bodyOf(kind: string): Promise<object> {
  return (await bodyToMake(kind, async (linked) => (await newRecord(linked)).id, agency.api.post)) ?? {};
}

async function newRecord(kind: string): Promise<Made> {
  return agency.make(kind, await bodyOf(kind));
}

/** Makes a record in the state that the route needs. */
async function recordFor(route: Route): Promise<Made> {
  const made = await newRecord(kindOf(route));
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
    const links = placesLike(({ pattern }) => pattern === idPattern);
    expect(links.map(({ name }) => name).toSorted()).toEqual([
      'POST /v1/applications customers[0]',
      'POST /v1/applications unit',
      'POST /v1/applications/:id customers[0]',
      'POST /v1/applications/:id unit',
      'POST /v1/guarantors application',
      'POST /v1/guarantors customer',
      'POST /v1/guarantors file',
      'POST /v1/guarantors guarantees[0]',
      'POST /v1/guarantors/:id file',
      'POST /v1/guarantors/:id guarantees[0]',
      'POST /v1/guarantors/:id/agree file',
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
      const isOfPerson = /^(customer|guarantees)/.test(paramOf(link.at));
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
    const dates = placesLike(({ format }) => format === 'date');
    expect(dates.map(({ name }) => name).toSorted()).toEqual([
      'POST /v1/applications move_in_date',
      'POST /v1/applications/:id move_in_date',
      'POST /v1/guarantors/:id/agree agreed_on',
      'POST /v1/guarantors/:id/release released_on',
      'POST /v1/tenancies end_date',
      'POST /v1/tenancies start_date',
      'POST /v1/tenancies statement_given_on',
      'POST /v1/tenancies/:id end_date',
      'POST /v1/tenancies/:id start_date',
      'POST /v1/tenancies/:id statement_given_on',
      'POST /v1/tenancies/:id/end ended_on',
      'POST /v1/tenancies/:id/give_notice ends_on',
      'POST /v1/tenancies/:id/give_notice served_on',
      'POST /v1/tenancies/:id/sign signed_on',
    ]);
    const before = await tracesOf(server, agency.accountId);
    for (const date of dates)
      for (const day of ['2026-02-29', '2024-02-30', '1900-02-29', '2026-04-31', '2026-01-00', '2026-00-10'])
        expectRefusal(await sendWith(date, day), { ...invalid(paramOf(date.at)), says: 'calendar date' });
    expect(await tracesOf(server, agency.accountId)).toEqual(before);
  });
});

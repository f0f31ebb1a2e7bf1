import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import type { Json, JsonObject } from '../../src/core/json-diff.ts';
import { textOf } from '../support/answer-text.ts';
import { linksHere } from '../../src/model/traits/links-here.ts';
import { allPermissions } from '../support/permissions.ts';
import type { Route } from '../../src/http/route.ts';
import type { JsonSchema } from '../support/any-value.ts';
import { breachesOf, edgesOf, type Breach, type Edge } from '../support/breaches.ts';
import { pairwise } from '../support/pairwise.ts';
import { allOf } from '../support/paging.ts';
import { expectRefusal } from '../support/refusals.ts';
import { formOf } from '../support/files.ts';
import { rounds } from '../support/rounds.ts';
import {
  hasId,
  inParallel,
  kindOf,
  nameOf,
  routesOfKeys,
  takesForm,
  madeOtherwise,
  toldNo,
  withLinksHere,
} from '../support/routes.ts';
import { fitsForm, paramOf, placesOf } from '../support/schema-places.ts';
import { good, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount, addKey, type Tenant } from '../support/tenants.ts';
import { tracesOf } from '../support/traces.ts';
import { versions, words } from '../support/versions.ts';
import { bodyOf, bodySchema, takesJson } from './json-bodies.ts';

/*
 * Breaks every rule of every schema, one at a time. The routes list the members of their bodies and queries, so that new resources are
 * covered at once.
 */

/** An account can have so many uploads in progress. */
const atOnce = 16;

/** Parameters with rules beyond their schema, and the limits that are valid nevertheless. */
const judgedFurther: Record<string, Record<string, Json>> = {
  url: { maxLength: 'https://hooks.example.com/'.padEnd(2048, 'x') },
  return_url: { maxLength: 'https://example.com/'.padEnd(2000, 'x') },
  expires_at: { maximum: 9_999_999_999 },
  api_version: {},
  since: {},
  // A year ahead, all other requests would run at another time.
  seconds: { minimum: 1 },
  webhook_endpoint: {},
  // Only a key of an agent has them, and only a person sends `none`.
  approvals: {},
  // A payment is for a tenancy, if it is for no deposit.
  tenancy: { null: 'ten_1' },
  // It must be a picture of the account.
  'letterhead[logo]': {},
  // They must be applicants.
  guarantees: {},
  'guarantees[0]': {},
  // The law of the account limits it further.
  'rent[interval_count]': {},
  // A gateway collects by some methods only.
  provider: {},
  // They must be invoices of the tenancy, with so much due. The lines must not add up to less than 0.
  'lines[0][invoice]': {},
  'lines[0][amount]': {},
  'deductions[0][invoice]': {},
  'to[0][deposit]': {},
  'to[0][tenancy]': {},
  allocations: {},
  // A service must have one.
  amount: { minimum: 1, maximum: 9_999_999_999, null: 4_000 },
  // Its first day must be one of the tenancy, and a period must begin on the other.
  start_date: {},
  effective_on: {},
  'allocations[0][invoice]': {},
  'allocations[0][amount]': {},
  enabled_events: { minItems: ['*'] },
  'enabled_events[0]': {},
  // Only `in` takes a list.
  'trigger[filters][0][value][0]': {},
  'steps[0][if][0][value][0]': {},
  'steps[0][filters][0][value][0]': {},
  permissions: {},
  'permissions[0]': {},
  to: {},
  until: {},
  starting_after: {},
  ending_before: {},
  after: {},
};

let server: TestServer;
let agent: Agent;
let routes: Route[];
const counts = { breaches: 0, edges: 0 };
const rules = new Map<string, number>();

beforeAll(async () => {
  // Delivers nothing, so that requests make every record.
  server = await startTestServer({
    settings: { TENURE_ROLE: 'api', DATABASE_URL: 'postgres://given.by.the.test/', TENURE_MASTER_KEY: newMasterKey() },
  });
  routes = routesOfKeys(server.context);
  agent = new Agent({ connections: atOnce });
});
afterAll(async () => {
  await agent.close();
  await server.stop();
  const met = Array.from(rules, ([keyword, count]) => `${keyword} ${count}`).join(', ');
  process.stdout.write(
    `schemas: ${routes.length} routes in 2 versions: ${counts.breaches} rules broken one at a time (${met}), ${counts.edges} edges kept\n`,
  );
});

describe.each(rounds([versions[0]!], [versions[0]!, versions.at(-1)!]))('version %s', (version) => {
  // The versions differ in few schemas. So pairs of place and rule are enough for the oldest one.
  const isWhole = rounds(false, version === versions[0]);

  test('names each broken rule of a body and writes nothing', async () => {
    const tenant = await newTenant(version);
    const ids = await recordsOf(tenant);
    const all = routes.filter(takesJson).flatMap((route) =>
      breachesOf(bodySchema(server, route, version), bodyOf(route)).map((breach) => ({
        route,
        breach,
        path: pathOf(route, ids),
      })),
    );
    const asked = isWhole ? all : pairwise(all, placeAndRule);
    expect(asked.length).toBeGreaterThanOrEqual(isWhole ? 400 : 200);
    expect(all.filter(({ breach }) => breach.param === words[version]!.file).length).toBeGreaterThanOrEqual(4);
    expect(all.filter(({ breach }) => breach.param === words[version]!.notFile)).toEqual([]);

    const before = await tracesOf(server, tenant.accountId);
    const refused = new Map<string, Breach>();
    await inParallel(asked, atOnce, async ({ route, breach, path }) => {
      const answer = await send(tenant, route.method, path, breach.body);
      expectTold(answer, breach, route, version);
      refused.set(answer.headers.get('request-id')!, breach);
    });
    expect(await tracesOf(server, tenant.accountId)).toEqual(before);
    // Each refusal still has a log with the same error.
    const logs = (await allOf(tenant.api, '/v1/logs', { status: '400' })).filter(({ id }) => refused.has(id));
    expect(logs.length).toBe(refused.size);
    for (const { id, error, request_body: body } of logs) {
      const { code, param, body: sent } = refused.get(id)!;
      expect([error.code, error.param]).toEqual([code, param]);
      // A log hides secrets, even invalid ones.
      if (!/"(provider_credentials|headers)":/.test(JSON.stringify(sent))) expect(body).toBe(JSON.stringify(sent));
    }
  });

  test('names each broken rule of a query', async () => {
    const tenant = await newTenant(version);
    const ids = await recordsOf(tenant);
    const all = routes.flatMap((route) =>
      breachesOf(querySchema(route, version), neededOf(route))
        .filter(canBeSpelt(querySchema(route, version)))
        .map((breach) => ({ route, breach, path: `${pathOf(route, ids)}?${queryOf(breach.body)}` })),
    );
    const asked = isWhole ? all : pairwise(all, placeAndRule);
    expect(asked.length).toBeGreaterThanOrEqual(isWhole ? 200 : 100);
    await inParallel(asked, atOnce, async ({ route, breach, path }) => {
      const answer = await send(tenant, route.method, path, takesJson(route) ? bodyOf(route) : undefined);
      expectTold(answer, breach, route, version);
    });
  });

  test('accepts values at the limits of their rules', async () => {
    const tenant = await newTenant(version);
    const ids = await recordsOf(tenant);
    const posts = routes.filter((route) => route.method === 'POST' && takesJson(route));
    const ofBodies = posts.flatMap((route) => {
      const body = bodyOf(route);
      const plain: Edge = { keyword: 'nothing', param: '', value: null, body };
      const edges = edgesOf(bodySchema(server, route, version), body)
        .flatMap(meaningful)
        .filter(({ param, value }) => value === null || !mustBeHere(route, param))
        .map((edge) =>
          // A reason explains an outcome.
          nameOf(route) === 'POST /v1/references/:id' && edge.param === 'reason'
            ? { ...edge, body: { ...edge.body, outcome: 'accept' } }
            : edge,
        )
        // A holding deposit is of an application, and the body has a tenancy.
        .filter(({ param }) => nameOf(route) !== 'POST /v1/deposits' || !['type', 'application'].includes(param));
      return [plain, ...edges].map((edge) => ({ route, edge }));
    });
    const inBodies = isWhole ? ofBodies : pairwise(ofBodies, edgeAndRule);
    expect(inBodies.length).toBeGreaterThanOrEqual(isWhole ? 100 : 50);
    await inParallel(inBodies, atOnce, async ({ route, edge }) => {
      // Uses a new record, whose state forbids nothing.
      const own = hasId(route) ? { ...ids, [kindOf(route)]: await newRecord(tenant, kindOf(route)) } : ids;
      const answer = await send(tenant, 'POST', pathOf(route, own), await linked(tenant, route, edge.body));
      const refused = toldNo[nameOf(route)];
      const about = `${nameOf(route)} ${edge.keyword} ${edge.param} ${answer.text.slice(0, 500)}
If a rule beyond the schema refuses the value, add the parameter to \`judgedFurther\`. If a new record refuses the request, add its code to \`toldNo\`.`;
      if (answer.status !== 200) expect(answer.body.error.code, about).toBe(refused);
      counts.edges++;
    });
    const ofQueries = routes
      .filter(({ method }) => method === 'GET')
      .flatMap((route) =>
        edgesOf(querySchema(route, version), neededOf(route))
          .flatMap(meaningful)
          // A type that no event has is refused.
          .filter(({ param }) => param !== 'type' || !['event', 'webhook_delivery', 'delivery'].includes(route.object))
          .map((edge) => ({ route, edge })),
      );
    const inQueries = isWhole ? ofQueries : pairwise(ofQueries, edgeAndRule);
    expect(inQueries.length).toBeGreaterThanOrEqual(isWhole ? 80 : 40);
    // The limit of the headers also limits a URL.
    const sendable = inQueries.filter(({ edge }) => queryOf(edge.body).length < 14_000);
    expect(sendable.length).toBeGreaterThan(inQueries.length - 5);
    await inParallel(sendable, atOnce, async ({ route, edge }) => {
      const answer = await send(tenant, 'GET', `${pathOf(route, ids)}?${queryOf(edge.body)}`);
      const refused = toldNo[nameOf(route)];
      expect(answer.status, `${nameOf(route)} ${JSON.stringify(edge.body)} ${answer.text}`).toBe(refused ? 400 : 200);
      if (refused) expect(answer.body.error.code).toBe(refused);
      counts.edges++;
    });
  });
});

describe('limits of what a client may send', () => {
  test('limits every text, list, number and set of names in all bodies and queries', () => {
    const endless = routes.flatMap((route) =>
      [querySchema(route, versions[0]!), ...(route.method === 'GET' ? [] : [bodySchema(server, route, versions[0]!)])]
        .flatMap((schema) => placesOf(schema))
        .filter(({ schema }) => !hasEnd(schema))
        .map(({ path }) => `${nameOf(route)} ${paramOf(path)}`),
    );
    expect(endless).toEqual([]);
  });

  test('finds a schema without a limit', () => {
    const endless: JsonSchema[] = [
      { type: 'string' },
      { type: ['string', 'null'], pattern: '^[a-z]+$' },
      { type: 'array', items: { type: 'null' } },
      { type: 'integer', minimum: 0 },
      { type: 'object', additionalProperties: { type: 'string', maxLength: 5 } },
      { type: 'object' },
    ];
    expect(endless.map(hasEnd)).toEqual(endless.map(() => false));
  });
});

test('fails when a schema has a rule that these tests cannot break', () => {
  for (const rule of [
    { minProperties: 1 },
    { anyOf: [] },
    { const: 1 },
    { multipleOf: 2 },
    { dependentRequired: {} },
  ]) {
    const schema = { type: 'object', properties: { a: { type: 'object', ...rule } } } as JsonSchema;
    expect(() => breachesOf(schema, {})).toThrow(/No request breaks the rule/);
  }
  expect(() => fitsForm({ format: 'uri' }, 'x')).toThrow(/format uri/);
});

function expectTold(answer: ApiResponse, { keyword, code, param }: Breach, route: Route, version: string): void {
  const about = `${nameOf(route)} ${keyword} of ${param}: ${answer.text}`;
  expect([answer.status, answer.body.error?.code, answer.body.error?.param], about).toEqual([
    400,
    code,
    shortened(param),
  ]);
  expectRefusal(answer, { status: 400, type: 'invalid_request_error', code, param: shortened(param), version });
  // It breaks one rule, so there is one fault.
  expect(answer.body.error.errors, about).toHaveLength(1);
  counts.breaches++;
  rules.set(keyword, (rules.get(keyword) ?? 0) + 1);
}

/** Whether a schema limits the size of its values. Ignores their members and items. */
function hasEnd(schema: JsonSchema): boolean {
  const { type, enum: choice, pattern, format, maxLength, maxItems, minimum, maximum } = schema;
  const { additionalProperties, propertyNames, maxProperties } = schema;
  const types = new Set([type].flat());
  const isRepeating = pattern === undefined || /[*+]|\{\d+,\}/.test(pattern);
  if (choice) return true;
  if (types.has('string') && isRepeating && format === undefined && maxLength === undefined) return false;
  if (types.has('array') && maxItems === undefined) return false;
  if ((types.has('integer') || types.has('number')) && (minimum === undefined || maximum === undefined)) return false;
  if (!types.has('object') || additionalProperties === false) return true;
  return maxProperties !== undefined && propertyNames?.maxLength !== undefined;
}

function placeAndRule({ route, breach: { keyword, param } }: { route: Route; breach: Breach }): unknown[] {
  return [nameOf(route), keyword, param];
}

function edgeAndRule({ route, edge: { keyword, param } }: { route: Route; edge: Edge }): unknown[] {
  return [nameOf(route), keyword, param];
}

/** Returns the edge if it is valid by all rules of the place. */
function meaningful(edge: Edge): Edge[] {
  // The parts of a workflow must suit each other. `test/workflows/rules/` has their limits.
  if (/^(steps|trigger)\b/.test(edge.param)) return [];
  const further = judgedFurther[edge.param];
  if (!further || (edge.value === null && further.null === undefined)) return [edge];
  const value = further[edge.value === null ? 'null' : edge.keyword];
  return value === undefined ? [] : [{ ...edge, value, body: { ...edge.body, [edge.param]: value } }];
}

/** Whether a query can carry the breach. A query has only texts, and reads some of them as numbers. */
function canBeSpelt(schema: JsonSchema): (breach: Breach) => boolean {
  return ({ keyword, param, value }) =>
    keyword !== 'type' ||
    (schema.properties![param]!.type === 'integer' && (typeof value === 'string' || typeof value === 'number'));
}

function queryOf(body: JsonObject): string {
  return Object.entries(body)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value as string | number)}`)
    .join('&');
}

function querySchema({ object, query, requiredQuery = [] }: Route, version: string): JsonSchema {
  const properties = server.context.versions.propertiesIn(version, object, query) as Record<string, JsonSchema>;
  return { type: 'object', properties, required: [...requiredQuery], additionalProperties: false };
}

/** Returns a valid query of a route: what it needs, and no more. */
function neededOf({ requiredQuery = [] }: Route): JsonObject {
  return Object.fromEntries(requiredQuery.map((name) => [name, 'ada']));
}

async function newTenant(version: string): Promise<Tenant> {
  const { accountId } = await addAccount(server, version);
  return addKey(server, accountId, { permissions: [...allPermissions] });
}

/** Makes one record of each kind that a path may name. Returns ids by the path of the kind. */
async function recordsOf(tenant: Tenant): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const kind of new Set(routes.filter(hasId).map(kindOf))) ids[kind] = await newRecord(tenant, kind);
  return ids;
}

/** Makes a record. If no route makes this kind, returns the newest one that other requests left. */
async function newRecord(tenant: Tenant, kind: string): Promise<string> {
  // A ruleset is no record: its ids are words.
  if (kind === 'rulesets') return 'england';
  const create = routes.find((route) => route.method === 'POST' && route.path === `/v1/${kind}`);
  if (create)
    return (
      await good(
        tenant.api.post(create.path, takesForm(create) ? formOf() : await linked(tenant, create, bodyOf(create))),
      )
    ).body.id;
  const { get } = tenant.api;
  const imported = await madeOtherwise(kind, (other) => newRecord(tenant, other), tenant.api);
  if (imported !== null) return imported;
  const { body } = await good(get(`/v1/${kind}?limit=1`));
  return body.data[0]?.id ?? 'none_yet';
}

/** Returns the body with new records in the links of a creation that must name some. */
async function linked(tenant: Tenant, route: Route, body: JsonObject): Promise<JsonObject> {
  const resource = server.context.resources.find(({ path }) => route.path === `/v1/${path}`);
  return resource ? withLinksHere(resource, body, (kind) => newRecord(tenant, kind), tenant.api.post) : body;
}

/** Whether the value must be the id of a record of the account. */
function mustBeHere(route: Route, param: string): boolean {
  const resource = server.context.resources.find(({ path }) => path === kindOf(route));
  return resource !== undefined && linksHere.of(resource)?.includes(param) === true;
}

function pathOf(route: Route, ids: Record<string, string>): string {
  return route.path.replace(':id', ids[kindOf(route)]!);
}

/** Shortens an unknown name as a response does. */
function shortened(param: string): string {
  return param.replace(/(?<=\[)[^\]]{81,}(?=\])/, (name) => `${name.slice(0, 80)}…`);
}

async function send(tenant: Tenant, method: Route['method'], path: string, body?: JsonObject): Promise<ApiResponse> {
  const answer = await agent.request({
    origin: server.url,
    method,
    path,
    headers: { authorization: `Bearer ${tenant.key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await textOf(answer);
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
  // A file is not JSON.
  const told = text.startsWith('{') ? JSON.parse(text) : null;
  return { status: answer.statusCode, headers: new Headers(headers), text, body: told };
}

import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import type { JsonObject } from '../../src/core/json-diff.ts';
import { formats } from '../../src/core/formats.ts';
import { textOf } from '../support/answer-text.ts';
import { allPermissions } from '../support/permissions.ts';
import type { Route, WriteRoute } from '../../src/http/route.ts';
import { gitHashOf } from '../support/git-hash.ts';
import { bigListBytes, naughtyStrings } from '../support/naughty-strings.ts';
import type { JsonSchema } from '../support/any-value.ts';
import { allOf } from '../support/paging.ts';
import { rawRequest } from '../support/raw-http.ts';
import { expectRefusal, invalid, refusals, unknown } from '../support/refusals.ts';
import {
  bodies,
  bodyToMake,
  hasId,
  inParallel,
  kindOf,
  nameOf,
  neededQueries,
  routesOfKeys,
  takesForm,
} from '../support/routes.ts';
import { paramOf, placesOf, takesAnyText, valueAt, withValueAt, type Path } from '../support/schema-places.ts';
import { good, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount, addKey, type Tenant } from '../support/tenants.ts';
import { versions } from '../support/versions.ts';

/*
 * Texts that programs change, cut, choke on or execute: the Big List of Naughty Strings and our own. They are sent wherever a text can be
 * sent. Each comes back exactly, or is refused by name.
 */

/** Keeps the server busy, even while responses wait until all processes know of a change. */
const atOnce = 64;

/** Half of them are below the number of webhook endpoints that an account may have. */
const textsOfTenant = 180;

/** Places whose texts have rules beyond their schema. */
const judgedFurther = new Set(['url', 'return_url', 'api_version', 'trigger', 'steps', 'permissions']);

let server: TestServer;
let api: Api;
let agent: Agent;
let routes: Route[];
const counts = { roundTrips: 0, keys: 0, parameters: 0, ids: 0, headers: 0 };

beforeAll(async () => {
  // Delivers nothing, so that requests make every record.
  server = await startTestServer({
    settings: { TENURE_ROLE: 'api', DATABASE_URL: 'postgres://given.by.the.test/', TENURE_MASTER_KEY: newMasterKey() },
  });
  api = server.api;
  routes = routesOfKeys(server.context);
  agent = new Agent({ connections: atOnce });
});
afterAll(async () => {
  await agent.close();
  await server.stop();
  const { roundTrips, keys, parameters, ids, headers } = counts;
  process.stdout.write(
    `naughty strings: ${naughtyStrings.length} texts: ${roundTrips} bodies and ${keys} keys of metadata round-tripped; in ${parameters} parameters, ${ids} paths and ${headers} headers\n`,
  );
});

test('has the list as it was published, with texts that can be stored', () => {
  expect(gitHashOf(bigListBytes)).toBe('bfb195f844a6c662e4deb6ccd8fdae60e8e50084');
  const published = JSON.parse(bigListBytes.toString('utf8')) as string[];
  expect(published).toHaveLength(515);
  expect(published.filter((text) => !naughtyStrings.includes(text))).toEqual(['']);
  expect(naughtyStrings.length).toBeGreaterThanOrEqual(740);
  expect(naughtyStrings.filter((text) => text.includes('\0') || !text.isWellFormed())).toEqual([]);
});

describe('body', () => {
  test('returns texts exactly in responses, lists, events, logs and replays', async () => {
    const creating = textRoutes(isCreation);
    const updating = textRoutes(({ path }) => path.endsWith('/:id'));
    expect(creating.map(({ route }) => nameOf(route))).toEqual(
      expect.arrayContaining(['POST /v1/customers', 'POST /v1/webhook_endpoints', 'POST /v1/accounts']),
    );
    for (const all of inGroups(naughtyStrings, textsOfTenant)) {
      const tenant = await newTenant();
      for (const [turn, { route, places }] of creating.entries()) {
        // No kind treats texts in a way of its own. So each kind gets half of the texts.
        const texts = all
          .filter((_, index) => (index + turn) % 2 === 0)
          .filter((text) => !hasLines(route, places) || formats['single-line'](text) === null);
        const made: Sent[] = [];
        // A record that many link to may have a limit of them.
        for (const few of inGroups(texts, 80)) {
          const links = await linksOf(tenant, route);
          made.push(...(await inTurn(few, (text) => sendText(tenant, route, route.path, places, text, links))));
        }
        await expectKept(tenant, route, places, made);
        const update = updating.find((other) => other.route.path === `${route.path}/:id`);
        if (!update) continue;
        // Some get the text of another record, so that an event holds two.
        const some = made.filter((_, index) => index % 5 === 0);
        const changed = await inTurn(some, async ({ answer }, index) =>
          sendText(tenant, update.route, `${route.path}/${answer.body.id}`, update.places, texts[index * 5 + 1] ?? 'x'),
        );
        await expectChanged(tenant, update.places, some, changed);
      }
    }
    expect(counts.roundTrips).toBeGreaterThanOrEqual((naughtyStrings.length * creating.length * 0.9) / 2);
  });

  test('refuses a text by the name of its place when it must be a line and is not', async () => {
    const others = naughtyStrings.filter((text) => formats['single-line'](text) !== null);
    expect(others.length).toBeGreaterThanOrEqual(30);
    const lines = textRoutes(isCreation).flatMap(({ route, places }) =>
      places.filter((place) => hasLines(route, [place])).map((place) => ({ route, place })),
    );
    expect(lines.map(({ place }) => paramOf(place))).toEqual(
      expect.arrayContaining(['name', 'phone', 'addresses[0][city]']),
    );
    const before = await allOf(api, '/v1/customers');
    for (const { route, place } of lines) {
      await inParallel(others, atOnce, async (text) => {
        const body = withValueAt(route.body, bodies[nameOf(route)] as JsonObject, place, text);
        const answer = await ask('POST', route.path, { body: JSON.stringify(body) });
        expectRefusal(answer, { ...invalid(paramOf(place)), says: /leave (it|the member) out|visible text/ });
      });
    }
    expect(await allOf(api, '/v1/customers')).toEqual(before);
  });

  test('returns texts exactly as values of metadata, also in a replay', async () => {
    for (const some of inGroups(naughtyStrings, 50)) {
      const metadata = Object.fromEntries(some.map((text, index) => [`key ${index}`, text]));
      const key = { 'idempotency-key': randomUUID() };
      const created = await good(api.post('/v1/references', { application: 'app_1', metadata }, key));
      expect(created.body.metadata).toEqual(metadata);
      const again = await good(api.post('/v1/references', { application: 'app_1', metadata }, key));
      expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([created.text, 'true']);
      expect((await api.get(`/v1/references/${created.body.id}`)).text).toBe(created.text);
      counts.roundTrips += some.length;
    }
  });

  test('returns texts exactly as keys of metadata, also in previous attributes', async () => {
    const keys = naughtyStrings.filter(isKey);
    expect(keys.length).toBeGreaterThanOrEqual(300);
    for (const some of inGroups(keys, 50)) {
      const metadata = Object.fromEntries(some.map((key) => [key, key]));
      const created = await good(api.post('/v1/references', { application: 'app_1', metadata }));
      expect(Object.entries(created.body.metadata)).toEqual(Object.entries(metadata));
      const { id } = created.body;
      await good(api.post(`/v1/references/${id}`, { metadata: null }));
      const [update] = (await api.get(`/v1/events?object_id=${id}`)).body.data;
      expect(Object.entries(update.data.previous_attributes.metadata)).toEqual(Object.entries(metadata));
      expect(update.data.object.metadata).toEqual({});
      counts.keys += some.length;
    }
  });

  test('refuses texts that are not valid keys of metadata, by name', async () => {
    const others = naughtyStrings.filter((text) => !isKey(text));
    expect(others.length).toBeGreaterThanOrEqual(100);
    await inParallel(others, atOnce, async (text) => {
      const answer = await api.post('/v1/references', { application: 'app_1', metadata: { [text]: 'x' } });
      expectRefusal(answer, { ...invalid(`metadata[${shortened(text)}]`), says: 'Use 1 to 40 characters' });
      counts.keys++;
    });
  });

  test('refuses texts as names of body parameters', async () => {
    await inParallel(naughtyStrings, atOnce, async (text) => {
      expectRefusal(await api.post('/v1/references', { application: 'app_1', [text]: 'x' }), unknown(shortened(text)));
    });
  });
});

describe('query', () => {
  test('reads a text in any parameter exactly or refuses it by name', async () => {
    const parameters = distinctParameters();
    expect(parameters.length).toBeGreaterThanOrEqual(20);
    const found = { good: 0, refused: 0 };
    for (const [turn, { path, name, isText, isNew }] of parameters.entries()) {
      // Numbers and fixed words refuse all texts alike, and equal schemas read them alike. So a quarter of the texts is enough.
      const texts = naughtyStrings.filter((_, index) => (isText && isNew) || (index + turn) % 4 === 0);
      await inParallel(texts, atOnce, async (text) => {
        const asking = (): Promise<ApiResponse> => ask('GET', `${path}${name}=${encodeURIComponent(text)}`);
        let answer = await asking();
        // An unread stream stays open for another moment, and an account has a limit of open streams.
        for (; answer.status === 429; answer = await asking()) await delay(20);
        counts.parameters++;
        if (answer.status !== 200) {
          found.refused++;
          expectRefusal(answer, invalid(name === 'expand[]' ? 'expand' : name));
          return;
        }
        found.good++;
        // No record has this text.
        if (isFilter(name, isText) && !text.endsWith('*')) expect(answer.body.count, `${name} ${text}`).toBe(0);
      });
    }
    expect(found.good).toBeGreaterThan(500);
    expect(found.refused).toBeGreaterThan(5_000);
  });

  test('refuses texts as names of query parameters', async () => {
    await inParallel(naughtyStrings, atOnce, async (text) => {
      expectRefusal(await ask('GET', `/v1/references?${encodeURIComponent(text)}=1`), unknown(shortened(text)));
    });
  });
});

test('finds no record for a text in a path, on every route with an id', async () => {
  const withId = routes.filter(hasId);
  await inParallel([...naughtyStrings.entries()], atOnce, async ([index, text]) => {
    for (let turn = 0; turn < 6; turn++) {
      const route = withId[(index * 6 + turn) % withId.length]!;
      const body = bodies[nameOf(route)];
      const path = route.path.replace(':id', encodeURIComponent(text)) + (neededQueries[nameOf(route)] ?? '');
      const answer = await ask(route.method, path, body && { body: JSON.stringify(body) });
      expectRefusal(answer, refusals.idUnknown);
      counts.ids++;
    }
  });
  expect(counts.ids).toBeGreaterThan(withId.length * 20);
});

describe('header', () => {
  // HTTP carries bytes, and we see one character for each, without the spaces at either end (RFC 9110, section 5.5). A header cannot carry
  // a line end, because the line end would end the header.
  const headerTexts = naughtyStrings
    .filter((text) => !/[\r\n]/.test(text))
    .map((text) => {
      const bytes = Buffer.from(text).toString('latin1');
      return {
        bytes,
        value: bytes.replace(/^[ \t]+|[ \t]+$/g, ''),
        isReadable: Array.from(bytes).every((byte) => byte === '\t' || (byte >= ' ' && byte !== '\u007f')),
      };
    });
  const readable = headerTexts.filter(({ isReadable }) => isReadable);

  test('refuses a header with forbidden characters', async () => {
    const others = headerTexts.filter(({ isReadable }) => !isReadable);
    expect(others.length).toBeGreaterThanOrEqual(6);
    for (const { bytes } of others) {
      const answer = await sendWith(`User-Agent: ${bytes}`);
      expect([answer.status, answer.body.error.code], JSON.stringify(bytes)).toEqual([400, 'request_invalid']);
      counts.headers++;
    }
  });

  test('accepts or refuses texts as Idempotency-Key', async () => {
    const keys = new Set<string>();
    await inParallel(readable, atOnce, async ({ bytes, value }) => {
      const answer = await sendWith(`Idempotency-Key: ${bytes}`);
      counts.headers++;
      if (!/^[ -~]{1,255}$/.test(value)) return expectRefusal(answer, refusals.idempotencyForm);
      keys.add(value);
      // Two keys that differ only in spaces at their ends are one key, and may conflict.
      expect([200, 409], answer.text).toContain(answer.status);
    });
    expect(keys.size).toBeGreaterThanOrEqual(200);
    const events = await allOf(api, '/v1/events', { type: 'reference.created' });
    const told = events.map(({ request: { idempotency_key: key } }) => key as string | null);
    expect(new Set(told.filter((key) => key !== null && keys.has(key)))).toEqual(keys);
    await inParallel([...keys].slice(0, 50), atOnce, async (key) => {
      const { body } = await good(ask('GET', `/v1/logs?idempotency_key=${encodeURIComponent(key)}&status=200`));
      expect(body.data.map((log: { idempotency_key: string }) => log.idempotency_key)).toContain(key);
    });
  });

  test('refuses texts as Service-Context and Service-Version', async () => {
    await inParallel(readable, atOnce, async ({ bytes, value }) => {
      expectRefusal(await sendWith(`Service-Context: ${bytes}`), refusals.accountMalformed);
      if (versions.includes(value)) await good(sendWith(`Service-Version: ${bytes}`));
      else expectRefusal(await sendWith(`Service-Version: ${bytes}`), refusals.version);
      counts.headers += 2;
    });
  });

  test('logs texts in User-Agent byte by byte', async () => {
    await inParallel(readable, atOnce, async ({ bytes, value }) => {
      const answer = await good(sendWith(`User-Agent: ${bytes}`));
      const { body } = await good(api.get(`/v1/logs/${answer.headers.get('request-id')}`));
      expect(body.user_agent).toBe(value.slice(0, 500));
      counts.headers++;
    });
  });
});

/** A request and its response. */
interface Sent {
  text: string;
  body: string;
  answer: ApiResponse;
}

/** Whether the parameter selects the records with exactly this text. A search finds texts that other tests have stored. */
function isFilter(name: string, isText: boolean): boolean {
  return isText && !['starting_after', 'ending_before', 'to', 'webhook_endpoint', 'query'].includes(name);
}

/** Returns POST routes with a field for any text, and all such places in their bodies. */
function textRoutes(isWanted: (route: Route) => boolean): { route: WriteRoute; places: Path[] }[] {
  return routes
    .filter((route): route is WriteRoute => route.method === 'POST' && !takesForm(route) && isWanted(route))
    .map((route) => ({
      route,
      places: placesOf(route.body)
        .filter((place) => takesAnyText(place) && !judgedFurther.has(String(place.path[0])))
        .map(({ path }) => path),
    }))
    .filter(({ places }) => places.some(([name]) => name !== 'metadata'));
}

/** Whether a text in all these places must be a single line. */
function hasLines({ body }: WriteRoute, places: Path[]): boolean {
  const wanted = new Set(places.map(paramOf));
  return placesOf(body).some(({ path, schema }) => schema.format === 'single-line' && wanted.has(paramOf(path)));
}

/** Whether the route makes a record that the same path lists. */
function isCreation({ path }: Route): boolean {
  return !path.includes(':id') && routes.some((other) => other.method === 'GET' && other.path === `${path}/:id`);
}

async function newTenant(): Promise<Tenant> {
  const { accountId } = await addAccount(server);
  return addKey(server, accountId, { permissions: [...allPermissions] });
}

function isKey(text: string): boolean {
  return Array.from(text).length <= 40 && !/[[\]]/.test(text);
}

/** Shortens an unknown name as a response does. */
function shortened(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80).toWellFormed()}…`;
}

/** Sends a path unchanged. Other clients read `..` as the folder above. */
async function ask(
  method: Route['method'],
  path: string,
  { key = server.secretKey, body, headers: more = {} }: { key?: string; body?: string; headers?: object } = {},
): Promise<ApiResponse> {
  const answer = await agent.request({
    origin: server.url,
    method,
    path,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body !== undefined && { body }),
  });
  const text = await textOf(answer);
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return { status: answer.statusCode, headers: new Headers(headers), text, body: JSON.parse(text) };
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  await inParallel([...items.entries()], atOnce, async ([index, item]) => {
    results[index] = await work(item, index);
  });
  return results;
}

function inGroups<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

function byId<Value extends { id: string }>(records: Value[]): Map<string, Value> {
  return new Map(records.map((record) => [record.id, record]));
}

/** Sends the text in every place that takes one. */
async function sendText(
  tenant: Tenant,
  route: WriteRoute,
  path: string,
  places: Path[],
  text: string,
  links: object = {},
): Promise<Sent> {
  const quiet = route.path === '/v1/webhook_endpoints' ? { enabled_events: ['webhook_endpoint.pinged'] } : {};
  const base = { ...(bodies[nameOf(route)] as JsonObject), ...quiet, ...links };
  const body = JSON.stringify(
    places.reduce<JsonObject>((whole, place) => withValueAt(route.body, whole, place, text), base),
  );
  const headers = { 'idempotency-key': randomUUID() };
  const answer = await good(ask('POST', path, { key: tenant.key, body, headers }));
  for (const place of places) expect(valueAt(answer.body, place)).toBe(text);
  // The stored response is encrypted if it has a secret.
  if (route.path === '/v1/api_keys') {
    const again = await good(ask('POST', path, { key: tenant.key, body, headers }));
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([answer.text, 'true']);
  }
  counts.roundTrips++;
  return { text, body, answer };
}

/** Makes the records that a new record must link to. Returns a good body with these links, or nothing if it needs none. */
async function linksOf({ api: own }: Tenant, route: Route): Promise<object | undefined> {
  const make = async (kind: string): Promise<string> =>
    (await good(own.post(`/v1/${kind}`, await bodyToMake(kind, make, own.post)))).body.id;
  return bodyToMake(kindOf(route), make, own.post);
}

/** Expects the text in the record, in the list, in the event of its creation and in its log. */
async function expectKept(tenant: Tenant, { path }: Route, places: Path[], made: Sent[]): Promise<void> {
  const listed = byId(await allOf(tenant.api, path));
  const object = made[0]!.answer.body.object as string;
  const events = byId(
    (await allOf(tenant.api, '/v1/events', { type: `${object}.created` })).map((event) => event.data.object),
  );
  const logs = byId(await allOf(tenant.api, '/v1/logs', { path }));
  await inParallel(made, atOnce, async ({ text, body, answer }) => {
    const { id } = answer.body;
    const whole = await good(ask('GET', `${path}/${id}`, { key: tenant.key }));
    const log = logs.get(answer.headers.get('request-id')!)!;
    for (const place of places)
      for (const record of [whole.body, listed.get(id), events.get(id), JSON.parse(log.response_body)])
        expect(valueAt(record, place), JSON.stringify(text)).toBe(text);
    expect(log.request_body).toBe(body);
  });
}

async function expectChanged(tenant: Tenant, places: Path[], made: Sent[], changed: Sent[]): Promise<void> {
  const object = made[0]!.answer.body.object as string;
  const events = await allOf(tenant.api, '/v1/events', { type: `${object}.updated` });
  for (const [index, { text, answer }] of changed.entries()) {
    const { data } = events.find((event) => event.data.object.id === answer.body.id)!;
    for (const place of places) {
      expect(valueAt(data.object, place)).toBe(text);
      // An event shows an array as a whole.
      expect(valueAt(data.previous_attributes, place)).toBe(made[index]!.text);
    }
  }
}

interface Parameter {
  /** A path with a query, to which the parameter is added. */
  path: string;
  name: string;
  isText: boolean;
  /** Whether no parameter before it has the same schema. */
  isNew: boolean;
}

/** Returns each distinct parameter, on one of the routes that have it, and `expand`. */
function distinctParameters(): Parameter[] {
  const known = new Map([['expand', { path: '/v1/references?', name: 'expand[]', isText: true, isNew: true }]]);
  const rules = new Set<string>();
  for (const { method, path, query, requiredQuery = [] } of routes) {
    if (method !== 'GET' || path.includes(':id')) continue;
    const needed = (name: string): string =>
      requiredQuery.flatMap((other) => (other === name ? [] : [`${other}=ada&`])).join('');
    for (const [name, schema] of Object.entries(query)) {
      const { type, enum: words } = schema as JsonSchema;
      // Many kinds have the same filter, each with a description of its own.
      const rule = JSON.stringify({ ...schema, description: undefined, examples: undefined });
      const key = `${name} ${rule}`;
      if (known.has(key)) continue;
      const isText = type === 'string' && !words;
      known.set(key, { path: `${path}?${needed(name)}`, name, isText, isNew: !rules.has(rule) });
      rules.add(rule);
    }
  }
  return [...known.values()];
}

function sendWith(header: string): Promise<ApiResponse> {
  const headers = ['Content-Type: application/json', header];
  return rawRequest(server, 'POST /v1/references', { headers, body: '{"application":"app_1"}' });
}

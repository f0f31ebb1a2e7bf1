import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkedKinds } from '../../src/model/check-kinds.ts';
import type { Resource } from '../../src/model/resource.ts';
import { forPersonsOnly } from '../../src/model/traits/for-persons-only.ts';
import { nestedUnder } from '../../src/model/traits/nested-under.ts';
import { ownAccount } from '../../src/model/traits/own-account.ts';
import { storesFile } from '../../src/model/traits/stores-file.ts';
import { resources } from '../../src/resources/index.ts';
import { anyValue } from '../support/any-value.ts';
import { allOf } from '../support/paging.ts';
import { expectRefusal, invalid, refusals, unknown } from '../support/refusals.ts';
import { bodies, madeOtherwise, withLinksHere } from '../support/routes.ts';
import {
  apiClient,
  createTestDatabase,
  good,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { addKey } from '../support/tenants.ts';
import { inVersion, latestVersion, versions, words } from '../support/versions.ts';
import { viewing, viewingsTable } from './viewing.ts';

type Body = ApiResponse['body'];

/*
 * The promises of every kind of record. The suite names no kind: a new one passes by its definition alone, like the viewing of this test.
 * Events and logs, which only the server makes, have their own part.
 */

const all = checkedKinds([...resources, viewing]);
// Kinds that only persons use have tests of their own, in `sign-in/`.
const ofKeys = all.filter((resource) => !forPersonsOnly.has(resource));
const made = ofKeys.filter(({ create }) => create);
const listed = ofKeys.filter((resource) => !nestedUnder.has(resource));

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let server: TestServer;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer({ connection: database.connection, overrides: { resources: all } });
  await server.context.database.readers.query(viewingsTable);
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

test('finds several kinds of record, and one known by its definition alone, when the suite starts', () => {
  expect(made.length).toBeGreaterThanOrEqual(8);
  expect(bodies).not.toHaveProperty(['POST /v1/viewings']);
});

describe.each(made)('records of kind $object', (resource) => {
  const path = `/v1/${resource.path}`;

  test('returns the same whole record when it is created, retrieved and listed', async () => {
    const { api } = await tenant();
    const { body: record, headers } = await make(api, resource);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(record.id).toMatch(new RegExp(`^${resource.prefix}_[0-9A-Za-z]{22}$`));
    expect(record.object).toBe(resource.object);
    expect(Number.isInteger(record.created)).toBe(true);
    const shown = withoutSecrets(resource, record);
    expect(Object.keys(shown).sort()).toEqual(fieldsShown(resource));

    const read = (await good(api.get(`${path}/${record.id}`))).body;
    expect(withoutSecrets(resource, read)).toStrictEqual(shown);
    const list = (await good(api.get(`${path}?limit=1`))).body;
    expect(Object.keys(list)).toEqual(['object', 'count', 'has_more', 'data']);
    expect(list).toMatchObject({ object: 'list', data: [shown] });
    expect(list.has_more).toBe(list.count > 1);
  });

  test('returns the 404 of an unknown id when the record belongs to another account', async () => {
    const [{ api }, { api: stranger }] = [await tenant(), await tenant()];
    const { body: record } = await make(api, resource);
    const never = server.context.ids.make(resource.prefix);
    const answers = [];
    for (const id of [record.id, never, `${resource.prefix}_1`, 'x'.repeat(300)]) {
      const refused = await stranger.get(`${path}/${id}`);
      expectRefusal(refused, refusals.idUnknown);
      answers.push(refused.body.error.message.replace(id.slice(0, 80), '…'));
    }
    expect(new Set(answers).size).toBe(1);
    if (resource.update && !ownAccount.has(resource))
      expectRefusal(await stranger.post(`${path}/${record.id}`, {}), refusals.idUnknown);
    if (resource.delete) expectRefusal(await stranger.delete(`${path}/${record.id}`), refusals.idUnknown);
    for (const name of Object.keys(resource.actions ?? {}))
      expectRefusal(
        await stranger.post(`${path}/${record.id}/${name}`, bodies[`POST ${path}/:id/${name}`]),
        refusals.idUnknown,
      );
    expect(withoutSecrets(resource, (await good(api.get(`${path}/${record.id}`))).body)).toStrictEqual(
      withoutSecrets(resource, record),
    );
  });

  test('requires the read or write permission of its kind when a record is used', async () => {
    const { accountId, api } = await tenant();
    const { body: record } = await make(api, resource);
    const only = async (...permissions: string[]) => (await addKey(server, accountId, { permissions })).api;
    const elsewhere = resource.path === 'customers' ? 'references' : 'customers';
    const [blind, reader] = [await only(`${elsewhere}.write`), await only(`${resource.path}.read`)];
    const [reading, writing] = ['read', 'write'].map((verb) => ({
      ...refusals.permission,
      says: `\`${resource.path}.${verb}\``,
    }));
    expectRefusal(await blind.get(path), reading!);
    expectRefusal(await blind.get(`${path}/${record.id}`), reading!);
    expectRefusal(await reader.post(path, plainBody(resource)), writing!);
    if (resource.delete) expectRefusal(await reader.delete(`${path}/${record.id}`), writing!);
    await good(reader.get(path));
    await good(reader.get(`${path}/${record.id}`));
  });

  test('refuses an unknown field or parameter and suggests the nearest when one is sent', async () => {
    const { api } = await tenant();
    if (!storesFile.has(resource))
      expectRefusal(await api.post(path, { ...plainBody(resource), colour: 'red' }), unknown('colour'));
    expectRefusal(await api.get(`${path}?colour=red`), unknown('colour'));
    expectRefusal(await api.get(`${path}?limi=1`), { ...unknown('limi'), says: '`limit`' });
    expectRefusal(await api.get(`${path}?limit=51`), invalid('limit'));
    expectRefusal(await api.get(`${path}?starting_after=nobody`), invalid('starting_after'));
    expectRefusal(await api.delete(path), refusals.methodNotAllowed);
  });

  test.runIf(resource.fields.metadata && resource.update)(
    'merges metadata when it is updated: empty removes, null clears',
    async () => {
      const { api } = await tenant();
      const { body: record } = await make(api, resource);
      const update = async (metadata: unknown) =>
        (await good(api.post(`${path}/${record.id}`, { metadata }))).body.metadata;
      expect(await update({ a: '1', b: '2', ['__proto__']: '3' })).toEqual({ a: '1', b: '2', ['__proto__']: '3' });
      expect(await update({ a: '', b: '4' })).toEqual({ b: '4', ['__proto__']: '3' });
      expect(await update({})).toEqual({ b: '4', ['__proto__']: '3' });
      expect(await update(null)).toEqual({});
      const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v']));
      expectRefusal(await api.post(`${path}/${record.id}`, { metadata: many }), invalid('metadata'));
      expectRefusal(await api.post(`${path}/${record.id}`, { metadata: { a: 1 } }), invalid('metadata[a]'));
      expect((await good(api.get(`${path}/${record.id}`))).body.metadata).toEqual({});
    },
  );

  test('responds in every version when a request asks for it', async () => {
    const { api } = await tenant();
    const { body: record } = await make(api, resource);
    for (const version of versions) {
      const answer = await good(api.get(`${path}/${record.id}`, inVersion(version)));
      expect(answer.headers.get('service-version')).toBe(version);
      const list = (await good(api.get(`${path}?limit=1`, inVersion(version)))).body;
      expect(list).toHaveProperty(words[version]!.total);
      expect(list).not.toHaveProperty(words[version]!.notTotal);
      expect(server.context.versions.convert(answer.body, version, latestVersion)).toEqual(
        (await good(api.get(`${path}/${record.id}`))).body,
      );
    }
    expectRefusal(await api.get(path, inVersion('2026-11-02')), refusals.version);
  });

  test('creates a record once when an Idempotency-Key is repeated', async () => {
    const { api } = await tenant();
    const before = (await good(api.get(path))).body.count;
    const [key, body] = [{ 'idempotency-key': 'once' }, await bodyFor(api, resource)];
    const answers = [await good(api.post(path, body, key)), await good(api.post(path, body, key))];
    expect(answers[1]!.text).toBe(answers[0]!.text);
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect((await good(api.get(path))).body.count).toBe(before + 1);
    expectRefusal(await api.post('/v1/customers', { name: 'Somebody else' }, key), refusals.idempotencyReused);
  });

  test('writes an event and a log when a request succeeds, and no event when it is refused', async () => {
    const { api } = await tenant();
    const { body: record, headers } = await make(api, resource);
    const shown = withoutSecrets(resource, record);
    const kept = await eventsOf(api, record.id);
    expect(kept).toMatchObject([
      { type: `${resource.object}.created`, data: { object: shown, previous_attributes: null } },
    ]);
    const requestId = headers.get('request-id')!;
    expect(kept[0].request).toMatchObject({ id: requestId, actor: { type: 'api_key' } });
    const { body: log } = await good(api.get(`/v1/logs/${requestId}`));
    expect(log).toMatchObject({ method: 'POST', path, status: 200 });
    // The record that was asked for comes first, then the records that sum it up.
    const [first, ...others] = log.events;
    expect(first).toBe(kept[0].id);
    const linked = Object.keys(resource.links ?? {}).flatMap((name) => record[name]);
    for (const other of others)
      expect(linked).toContain((await good(api.get(`/v1/events/${other}`))).body.data.object.id);
    if (resource.update && !ownAccount.has(resource)) {
      await good(api.post(`${path}/${record.id}`, {}));
      expect(await eventsOf(api, record.id)).toHaveLength(1);
      if (resource.fields.metadata) {
        await good(api.post(`${path}/${record.id}`, { metadata: { a: '1' } }));
        const [updated] = await eventsOf(api, record.id);
        expect(updated).toMatchObject({
          type: `${resource.object}.updated`,
          data: { previous_attributes: { metadata: { a: null } } },
        });
      }
    }
    if (resource.delete === undefined) return;
    await good(api.delete(`${path}/${record.id}`));
    const [last] = await eventsOf(api, record.id);
    expect(last.type).toMatch(new RegExp(`^${resource.object}\\.(deleted|revoked)$`));
  });

  test('shows the account of a record, and finds it there alone, when the request names one', async () => {
    const { api } = await tenant();
    const { body: branch } = await good(api.post('/v1/accounts', { name: 'Branch' }));
    const context = { 'service-context': branch.id };
    const { body: key } = await good(api.post('/v1/api_keys', { type: 'secret' }, context));
    // An account creates its connected accounts itself.
    const [maker, headers] = ownAccount.has(resource) ? [apiClient(server.url, key.secret), {}] : [api, context];
    const { body: record } = await make(maker, resource, headers);
    expect(record.account).toBe(ownAccount.has(resource) ? undefined : branch.id);
    expect((await good(api.get(path, context))).body.data[0]).toMatchObject({ id: record.id, account: branch.id });
    expectRefusal(await api.get(`${path}/${record.id}`), refusals.idUnknown);
  });

  test('lists newest first in pages of both directions with an exact count when records are listed', async () => {
    const { api } = await tenant();
    for (let one = 0; one < 5; one++) await make(api, resource);
    const everything = (await good(api.get(path))).body;
    const ids = everything.data.map(({ id }: Body) => id);
    expect(everything).toMatchObject({ count: ids.length, has_more: false });
    expect(ids).toEqual(ids.toSorted().reverse());
    expect((await allOf(api, path, { limit: '2' })).map(({ id }) => id)).toEqual(ids);
    const before = (await good(api.get(`${path}?ending_before=${ids.at(-1)}&limit=2`))).body;
    expect(before).toMatchObject({ count: ids.length, has_more: ids.length > 3 });
    expect(before.data.map(({ id }: Body) => id)).toEqual(ids.slice(-3, -1));
    const future = Math.floor(Date.now() / 1000) + 3_600;
    expect((await good(api.get(`${path}?created[gt]=${future}`))).body).toMatchObject({ count: 0, data: [] });
  });

  test.runIf(Object.keys(resource.filters ?? {}).length > 0)(
    'finds a record by each of its filters when it is listed',
    async () => {
      const { api } = await tenant();
      const { body: record } = await make(api, resource);
      for (const [name, { column, match }] of Object.entries(resource.filters!)) {
        const value = [record[column]].flat()[0];
        if (typeof value !== 'string') continue;
        expect(match, name).toMatch(/^(exact|prefix|contains|[gl]te?)$/);
        const query = new URLSearchParams({ [name]: value });
        const { data, count } = (await good(api.get(`${path}?${query.toString()}`))).body;
        // A value is neither above nor below itself.
        const found = match === 'gt' || match === 'lt' ? [] : [record.id];
        expect([name, count, data.map(({ id }: Body) => id)]).toEqual([name, found.length, found]);
      }
    },
  );

  test.runIf(resource.delete === 'removes')('removes a record from lists and counts when it is deleted', async () => {
    const { api } = await tenant();
    const { body: record } = await make(api, resource);
    const answer = await good(api.delete(`${path}/${record.id}`));
    expect(answer.body).toStrictEqual({ id: record.id, object: resource.object, deleted: true });
    expectRefusal(await api.get(`${path}/${record.id}`), refusals.idUnknown);
    expectRefusal(await api.delete(`${path}/${record.id}`), refusals.idUnknown);
    expect((await good(api.get(path))).body).toMatchObject({ count: 0, data: [] });
  });
});

describe.each(listed.filter(({ create }) => !create))('records of kind $object, made by the server', (resource) => {
  const path = `/v1/${resource.path}`;

  test('lists and retrieves records, and offers nothing else, when the server makes them', async () => {
    const { api } = await tenant();
    await good(api.post('/v1/customers', { name: 'Ada' }));
    await madeOtherwise(resource.path, async (kind) => (await make(api, ofKind(kind))).body.id, api);
    const list = (await good(api.get(path))).body;
    expect(list.count).toBeGreaterThan(0);
    const { id } = list.data[0];
    expect((await good(api.get(`${path}/${id}`))).body).toStrictEqual(list.data[0]);
    expectRefusal(await api.post(path, {}), refusals.methodNotAllowed);
    expectRefusal(await api.post(`${path}/${id}`, {}), refusals.methodNotAllowed);
    expectRefusal(await api.delete(`${path}/${id}`), refusals.methodNotAllowed);
  });
});

/** Creates an account with a key that has all permissions of the server. */
async function tenant(): Promise<{ accountId: string; api: Api }> {
  const { body: account } = await good(server.api.post('/v1/accounts', { name: 'Agency' }));
  const { body: key } = await good(
    server.api.post('/v1/api_keys', { type: 'secret' }, { 'service-context': account.id }),
  );
  return { accountId: account.id, api: apiClient(server.url, key.secret) };
}

function ofKind(kind: string): Resource {
  return all.find(({ path }) => path === kind)!;
}

async function make(api: Api, resource: Resource, headers: { 'service-context'?: string } = {}): Promise<ApiResponse> {
  return good(api.post(`/v1/${resource.path}`, await bodyFor(api, resource, headers), headers));
}

/**
 * The known body for a record if a decision needs more than the schema. Else any body that fits the schema. First makes the records that
 * it must link to.
 */
function bodyFor(api: Api, resource: Resource, headers: { 'service-context'?: string } = {}): Promise<object> {
  return withLinksHere(
    resource,
    bodies[`POST /v1/${resource.path}`] ?? plainBody(resource),
    async (kind) => {
      return (await make(api, ofKind(kind), headers)).body.id;
    },
    (path, body) => api.post(path, body, headers),
  );
}

function plainBody({ create, path }: Resource): object {
  const known = bodies[`POST /v1/${path}`];
  if (known && !(known instanceof FormData)) return known;
  const { properties, required } = create!.body;
  const body = Object.fromEntries(
    (required as string[]).map((name) => [name, fc.sample(anyValue(properties[name]!), { numRuns: 1, seed: 7 })[0]]),
  );
  return JSON.parse(JSON.stringify(body));
}

/** Returns the members of its responses, in order. A secret is in some of them only. */
function fieldsShown(resource: Resource): string[] {
  const fields = Object.entries(resource.fields).filter(([, { shown }]) => !shown);
  return ['id', 'object', 'created', ...fields.map(([name]) => name)].sort();
}

function withoutSecrets(resource: Resource, record: Body): Body {
  return Object.fromEntries(Object.entries(record).filter(([name]) => resource.fields[name]?.shown !== 'as_secret'));
}

/** Returns the events about the record itself, newest first. */
async function eventsOf(api: Api, id: string): Promise<Body[]> {
  return (await good(api.get(`/v1/events?object_id=${id}`))).body.data;
}

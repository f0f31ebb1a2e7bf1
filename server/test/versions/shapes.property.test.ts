import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import type { TObject, TSchema } from 'typebox';
import { describe, expect, test } from 'vitest';
import { formats } from '../../src/core/formats.ts';
import type { Json, JsonObject } from '../../src/core/json-diff.ts';
import type { Resource } from '../../src/model/resource.ts';
import { closedObject } from '../../src/model/schemas/make.ts';
import type { HttpContext } from '../../src/http/context.ts';
import type { WriteRoute } from '../../src/http/route.ts';
import { routesOf } from '../../src/http/routes/resources.ts';
import { resources } from '../../src/resources/index.ts';
import { ApiVersions } from '../../src/versions/apply.ts';
import { apiVersions } from '../../src/versions/index.ts';
import { anyObject, anyValue, type JsonSchema } from '../support/any-value.ts';
import { words } from '../support/versions.ts';
import { rounds } from '../support/rounds.ts';

/*
 * Each version shows any record in the shape of its schema. A downgrade loses nothing that an upgrade could restore.
 */

const versions = new ApiVersions(apiVersions);
const { newest } = versions;
const runs = { numRuns: rounds(25, 100) };

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, ownProperties: true });
ajv.addKeyword('definition');
for (const [name, faultOf] of Object.entries(formats)) ajv.addFormat(name, (text: string) => faultOf(text) === null);

/** The kinds of record to test. Events have a shape of their own. */
const records = resources.filter(({ object }) => object !== 'event');

describe.each(versions.dates)('shapes in %s', (version) => {
  test.each(records)(
    "shows any $object in the version's shape and restores it in the newest when it is rendered",
    (resource) => {
      const isValid = ajv.compile(closed(resource, version));
      forAny(anyRecord(resource), (record) => {
        const older = down(record, version);
        expect(isValid(older), told(isValid.errors, older)).toBe(true);
        expectSame(up(older, version), record);
      });
    },
  );

  test.each(records)(
    "shows any part of a $object in the version's shape and restores it in the newest when it is rendered",
    (resource) => {
      const isValid = ajv.compile({ ...closed(resource, version), required: ['object'] });
      forAny(anyPart(resource), (part) => {
        const whole = { object: resource.object, ...part };
        const older = down(whole, version);
        expect(isValid(older), told(isValid.errors, older)).toBe(true);
        expectSame(up(older, version), whole);
      });
    },
  );

  test.each(records)("shows a list of $object objects in the version's shape when it is rendered", (resource) => {
    const list = closedObject({
      object: constant('list'),
      count: any('integer'),
      has_more: any('boolean'),
      data: any('array'),
    });
    const isValid = ajv.compile(versions.schemaIn(version, 'list', list));
    const areValid = ajv.compile({ type: 'array', items: closed(resource, version) });
    forAny(anyList(resource), (newer) => {
      const older = down(newer, version);
      expect(isValid(older), told(isValid.errors, older)).toBe(true);
      expect(areValid(older.data), told(areValid.errors, older)).toBe(true);
      expect(older[words[version]!.total]).toBe(newer.count);
      expectSame(up(older, version), newer);
    });
  });

  test.each(records)(
    "shows an event about a $object, its record and previous attributes, in the version's shape when it is rendered",
    (resource) => {
      const isValid = ajv.compile(eventSchema(resource, version));
      forAny(anyEvent(resource), (event) => {
        const older = down(event, version);
        expect(isValid(older), told(isValid.errors, older)).toBe(true);
        const { id } = event.request as JsonObject;
        // A member that the version does not show cannot be restored.
        const untold = { id: id!, idempotency_key: null, from_dashboard: false, customer_portal: false, actor: null };
        expectSame(up(older, version), words[version]!.request === 'id' ? { ...event, request: untold } : event);
      });
    },
  );

  test.each(records)("shows an expanded $object in the version's shape when it is rendered", (resource) => {
    const isValid = ajv.compile(closed(resource, version));
    forAny(anyRecord(resource), (record) => {
      const whole = { id: 'app_1', object: 'application', reference: record, references: [record, 'ref_1', null] };
      const older = down(whole, version);
      const [first, ...rest] = older.references as Json[];
      expect(isValid(older.reference), told(isValid.errors, older)).toBe(true);
      expect([first, ...rest]).toEqual([older.reference, 'ref_1', null]);
      expectSame(up(older, version), whole);
    });
  });

  const takers = routesWithBody();

  test.each(takers)(
    'upgrades a body for $method $path to a valid and equal one when it is valid in this version',
    ({ object, body }) => {
      const isGood = ajv.compile(body);
      forAny(anyValue(plain(versions.schemaIn(version, object, body))) as fc.Arbitrary<JsonObject>, (sent) => {
        const lifted = versions.convertBody(object, sent, version, newest);
        expect(isGood(lifted), told(isGood.errors, lifted)).toBe(true);
        expectSame(versions.convertBody(object, lifted, newest, version), sent);
      });
    },
  );
});

/** Checks a property with frozen values, because other code continues to use its input. */
function forAny(arbitrary: fc.Arbitrary<JsonObject>, holds: (value: JsonObject) => void): void {
  fc.assert(
    fc.property(arbitrary, (value) => holds(frozen(value))),
    runs,
  );
}

function down(object: JsonObject, version: string): JsonObject {
  return frozen(versions.convert(object, newest, version));
}

function up(object: JsonObject, version: string): JsonObject {
  return versions.convert(object, version, newest);
}

/** Compares by way of JSON, so that the order of members and a member called `__proto__` count. */
function expectSame(left: JsonObject, right: JsonObject): void {
  expect(JSON.stringify(left)).toBe(JSON.stringify(right));
}

function anyRecord(resource: Resource): fc.Arbitrary<JsonObject> {
  const { properties, required } = plain(answerSchema(resource));
  return anyObject(properties!, required!);
}

/** Generates an object with some of its fields. */
function anyPart(resource: Resource): fc.Arbitrary<JsonObject> {
  return anyObject(plain(closedObject(fieldsOf(resource))).properties!, []);
}

function anyList(resource: Resource): fc.Arbitrary<JsonObject> {
  return fc.record({
    object: fc.constant('list'),
    count: fc.nat(),
    has_more: fc.boolean(),
    data: fc.array(anyRecord(resource), { maxLength: 3 }),
  });
}

function anyEvent(resource: Resource): fc.Arbitrary<JsonObject> {
  const text = fc.string({ maxLength: 10 });
  const request = fc.record({
    id: fc.option(text),
    idempotency_key: fc.option(text),
    from_dashboard: fc.boolean(),
    customer_portal: fc.boolean(),
    actor: fc.option(fc.record({ type: fc.constant('api_key'), id: text, name: text, key_id: text, key_type: text })),
  });
  return fc.record({
    id: text,
    object: fc.constant('event'),
    created: fc.nat(),
    type: text,
    data: fc.record({ object: anyRecord(resource), previous_attributes: fc.option<JsonObject>(anyPart(resource)) }),
    request,
  });
}

/** Returns the schema of a response in the newest version, with exactly its members. */
function answerSchema(resource: Resource): TObject {
  const common = { id: any('string'), object: constant(resource.object), created: any('integer') };
  return closedObject({ ...common, ...fieldsOf(resource) });
}

/** Returns the visible members of a record. Some need a permission of their own. */
function fieldsOf({ fields }: Resource): Record<string, TSchema> {
  const seen = Object.entries(fields).filter(([, { shown }]) => shown !== 'never');
  return Object.fromEntries(seen.map(([name, { schema }]) => [name, schema]));
}

function closed(resource: Resource, version: string): TObject {
  return versions.schemaIn(version, resource.object, answerSchema(resource));
}

function eventSchema(resource: Resource, version: string): TObject {
  const part = { ...versions.schemaIn(version, resource.object, closedObject(fieldsOf(resource))), required: [] };
  const event = closedObject({
    id: any('string'),
    object: constant('event'),
    created: any('integer'),
    type: any('string'),
    data: closedObject({
      object: closed(resource, version),
      previous_attributes: { ...part, type: ['object', 'null'] },
    }),
    request: any('object'),
  });
  return versions.schemaIn(version, 'event', event);
}

/** The accepted parameters of routes come from the resources and versions. The rest of the context serves requests only. */
function routesWithBody(): WriteRoute[] {
  const routes = routesOf({ resources, versions, sandboxClock: {} } as unknown as HttpContext);
  return routes.filter((route): route is WriteRoute => route.method === 'POST');
}

function any(type: string): TSchema {
  return { type };
}

function constant(word: string): TSchema {
  return { type: 'string', enum: [word] };
}

function plain(schema: TSchema): JsonSchema {
  return schema;
}

function told(errors: unknown, value: unknown): string {
  return `${JSON.stringify(errors)} of ${JSON.stringify(value)}`;
}

function frozen<Value extends Json>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

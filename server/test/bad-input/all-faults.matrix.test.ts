import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiError } from '../../src/core/errors.ts';
import { formats } from '../../src/core/formats.ts';
import { isObject, type Json, type JsonObject } from '../../src/core/json-diff.ts';
import { validator, type Validator } from '../../src/http/body/validate.ts';
import type { WriteRoute } from '../../src/http/route.ts';
import { mutated, mutation } from '../support/any-request.ts';
import { anyValue, type JsonSchema } from '../support/any-value.ts';
import { nameOf, routesOfKeys } from '../support/routes.ts';
import { exampleOf, paramOf, type Path } from '../support/schema-places.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { versions } from '../support/versions.ts';
import { bodySchema, takesJson } from './json-bodies.ts';

/* Bodies with any faults, for every route. A second validator, with a schema of its own, says which places are faulty. */

const runs = { numRuns: 80 };

let server: TestServer;
let schemas: [name: string, schema: JsonSchema][];

beforeAll(async () => {
  server = await startTestServer();
  schemas = [versions[0]!, versions.at(-1)!].flatMap((version) =>
    routesOfKeys(server.context)
      .filter((route): route is WriteRoute => route.method === 'POST' && takesJson(route))
      .map((route): [string, JsonSchema] => [`${nameOf(route)} ${version}`, bodySchema(server, route, version)]),
  );
});
afterAll(() => server.stop());

describe('a body with any faults', () => {
  test('lists truly faulty parameters only, and all of them if there are fewer than 20', () => {
    expect(schemas.length).toBeGreaterThan(20);
    const counts = { bodies: 0, faults: 0 };
    forAnyFaulty((body, faults, { judge, name }) => {
      const params = judge.all(body);
      const listed = faults.map(({ param }) => param);
      const about = `${name} ${JSON.stringify(body)}`;
      expect(new Set(listed).size, about).toBe(listed.length);
      expect(
        listed.filter((param) => !params.has(param!)),
        about,
      ).toEqual([]);
      expect(listed.length, about).toBe(Math.min(params.size, 20));
      counts.bodies++;
      counts.faults += listed.length;
    });
    expect(counts.faults).toBeGreaterThan(counts.bodies * 1.5);
    process.stdout.write(`all faults: ${counts.bodies} faulty bodies with ${counts.faults} faults\n`);
  });

  test('names the fault first that a check which stops at the first one would name', () => {
    forAnyFaulty((body, [first], { judge, name }) => {
      const { param, keyword } = judge.first(body);
      // A misspelt name comes before the missing one.
      if (keyword === 'required' && first!.code === 'parameter_unknown') return;
      expect(first!.param, `${name} ${JSON.stringify(body)}`).toBe(param);
    });
  });

  test('becomes valid when the listed faults are mended, round by round', () => {
    forAnyFaulty((body, faults, { schema, validate, name }) => {
      const about = `${name} ${JSON.stringify(body)}`;
      const mendedParams = new Set<string>();
      let [current, open] = [body, faults];
      for (let round = 0; open.length > 0; round++) {
        expect(round, about).toBeLessThan(10);
        expect(
          open.filter(({ param }) => mendedParams.has(param!)).map(({ param }) => param),
          about,
        ).toEqual([]);
        for (const { param } of open) mendedParams.add(param!);
        current = mended(schema, current, new Set(open.map(({ param }) => param!)));
        const next = faultsOf(validate, current);
        // All faults were listed, so only mended lists can bring up new ones: their items became the same.
        if (open.length < 20)
          expect(
            next.filter(({ message }) => !message.includes('different')),
            about,
          ).toEqual([]);
        open = next;
      }
    });
  });
});

interface Judge {
  /** Returns the parameters of all faulty places. */
  all(body: Json): Set<string>;
  first(body: Json): { param: string; keyword: string };
}

interface Subject {
  name: string;
  schema: JsonSchema;
  validate: Validator;
  judge: Judge;
}

/** Calls `check` for faulty bodies of every route. */
function forAnyFaulty(check: (body: JsonObject, faults: ApiError[], subject: Subject) => void): void {
  for (const [name, schema] of schemas) {
    const subject = { name, schema, validate: validator(schema), judge: judgeOf(schema) };
    const changes = fc.array(mutation(), { minLength: 1, maxLength: 12 });
    const bodies = fc.tuple(anyValue(schema), changes).map(([body, mutations]) => mutated([body as object, mutations]));
    fc.assert(
      fc.property(bodies, (text) => {
        const body = JSON.parse(text) as JsonObject;
        const faults = faultsOf(subject.validate, body);
        if (faults.length > 0) check(body, faults, subject);
      }),
      runs,
    );
  }
}

function faultsOf(validate: Validator, body: Json): ApiError[] {
  try {
    validate(body);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [error, ...error.otherFaults!];
  }
}

function judgeOf(schema: JsonSchema): Judge {
  const [all, first] = [true, false].map((allErrors) => {
    const ajv = new Ajv2020({ allErrors, strict: true, ownProperties: true, allowUnionTypes: true });
    ajv.addKeyword('definition');
    for (const [name, faultOf] of Object.entries(formats))
      ajv.addFormat(name, (text: string) => faultOf(text) === null);
    return ajv.compile(schema);
  }) as [ReturnType<Ajv2020['compile']>, ReturnType<Ajv2020['compile']>];
  return {
    all(body) {
      void all(body);
      return new Set((all.errors ?? []).filter(({ keyword }) => keyword !== 'propertyNames').map(placeOf));
    },
    first(body) {
      void first(body);
      const [error] = first.errors!;
      return { param: placeOf(error!), keyword: error!.keyword };
    },
  };
}

function placeOf({ instancePath, params, propertyName }: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const member = params.missingProperty ?? params.additionalProperty ?? propertyName;
  return named(member === undefined ? path : [...path, String(member)]);
}

/** Returns the parameter of a place. Long names are shortened. */
function named(path: Path): string {
  return paramOf(
    path.map((step) => (String(step).length > 80 ? `${String(step).slice(0, 80).toWellFormed()}…` : step)),
  );
}

/** Returns the body with the parameters mended: unknown ones removed, missing ones added, and invalid ones replaced. */
function mended(schema: JsonSchema, body: JsonObject, params: ReadonlySet<string>): JsonObject {
  const mend = (value: Json, rules: JsonSchema, path: Path): Json => {
    if (path.length > 0 && params.has(named(path))) return exampleOf(rules);
    if (Array.isArray(value)) return value.map((item, index) => mend(item, rules.items ?? {}, [...path, index]));
    if (!isObject(value)) return value;
    const { properties = {}, required = [], additionalProperties } = rules;
    const members = new Map<string, Json>();
    for (const [name, member] of Object.entries(value)) {
      const at = [...path, name];
      if (Object.hasOwn(properties, name)) members.set(name, mend(member, properties[name]!, at));
      // An unknown member stays until it is listed: an answer lists 20 faults at most.
      else if (!params.has(named(at)))
        members.set(name, typeof additionalProperties === 'object' ? mend(member, additionalProperties, at) : member);
    }
    for (const name of required)
      if (params.has(named([...path, name]))) members.set(name, exampleOf(properties[name]!));
    return Object.fromEntries(members);
  };
  return mend(body, schema, []) as JsonObject;
}

import type { TObject, TSchema } from 'typebox';
import { isObject, type Json, type JsonObject } from '../core/json-diff.ts';
import { isNonEmpty, type NonEmpty } from '../core/arrays.ts';
import type { ApiVersion, ShapeChange } from './api-version.ts';

/**
 * Converts shapes from one version to another. Handlers and stored data use the newest shape only. Requests are upgraded to it, and
 * responses are downgraded from it.
 */
export class ApiVersions {
  /** The newest first. */
  readonly all: NonEmpty<ApiVersion>;
  /** Their dates, in the same order. */
  readonly dates: readonly string[];
  readonly newest: string;
  readonly #paths = new Map<string, MigrationPath>();

  constructor(versions: readonly ApiVersion[]) {
    if (!isNonEmpty(versions)) throw new Error('Bug! There is no version.');
    this.all = versions;
    this.dates = versions.map(({ date }) => date);
    this.newest = versions[0].date;
    const inOrder = this.dates.every((date, index) => index === 0 || date < this.dates[index - 1]!);
    if (!inOrder) throw new Error(`Bug! The versions are not in order, the newest first: ${this.dates.join(', ')}.`);
  }

  /** Returns the versions up to the latest one that is served, the newest first. Newer versions are dormant. */
  upTo(latest: string): NonEmpty<string> {
    const served = this.dates.filter((date) => date <= latest);
    if (!isNonEmpty(served)) throw new Error(`Bug! No version is as old as ${latest}.`);
    return served;
  }

  /**
   * Converts an object, and all objects in it, to another version. Does not change the object itself.
   *
   * @throws {UnknownVersionError}
   */
  convert(object: JsonObject, from: string, to: string): JsonObject {
    return from === to ? object : convertObject(object, this.#path(from, to));
  }

  /** Converts a valid body or query about objects of this kind to another version. */
  convertBody(object: string, body: JsonObject, from: string, to: string): JsonObject {
    return convertMembers(body, this.#path(from, to).get(object));
  }

  /** Converts a member's name to another version: of a parameter, a filter, a path to expand. In `name[inner]`, only `name` changes. */
  convertName(object: string, name: string, from: string, to: string): string {
    const steps = this.#path(from, to).get(object);
    if (!steps) return name;
    const bracket = name.indexOf('[');
    const [outer, inner] = bracket === -1 ? [name, ''] : [name.slice(0, bracket), name.slice(bracket)];
    return steps.reduce((known, { names }) => names.get(known) ?? known, outer) + inner;
  }

  /** Returns the schemas of an object's, a body's or a query's members in this version. */
  propertiesIn(version: string, object: string, properties: Record<string, TSchema>): Record<string, TSchema> {
    const path = this.#path(this.newest, version).get(object);
    if (!path) return properties;
    const older = ([name, schema]: [string, TSchema]): [string, TSchema] =>
      path.reduce(
        ([known, was], { names, schemas }) => [names.get(known) ?? known, schemas.get(known) ?? was],
        [name, schema],
      );
    return Object.fromEntries(Object.entries(properties).map(older));
  }

  /** Returns the schema of an object or a body in this version. It is the same object if the version changes nothing. */
  schemaIn(version: string, object: string, schema: TObject): TObject {
    const properties = this.propertiesIn(version, object, schema.properties);
    if (properties === schema.properties) return schema;
    const required = schema.required?.map((name) => this.convertName(object, name, this.newest, version));
    return { ...schema, properties, ...(required && { required }) } as TObject;
  }

  /** Returns the steps from one version to another, by the kind of object. Kinds without steps look the same in both. */
  #path(from: string, to: string): MigrationPath {
    const key = `${from} ${to}`;
    let path = this.#paths.get(key);
    if (!path) this.#paths.set(key, (path = this.#makeWay(from, to)));
    return path;
  }

  #makeWay(from: string, to: string): MigrationPath {
    for (const date of [from, to]) if (!this.dates.includes(date)) throw new UnknownVersionError(date);
    const [earlier, later] = from < to ? [from, to] : [to, from];
    const between = this.all.filter(({ date }) => date > earlier && date <= later);
    const path = new Map<string, Step[]>();
    const changes = between.flatMap((version) => version.changes);
    for (const change of from < to ? changes.toReversed() : changes) {
      const step = from < to ? upgrade(change) : downgrade(change);
      path.set(change.object, [...(path.get(change.object) ?? []), step]);
    }
    return path;
  }
}

/** This process does not know a date, because a newer release wrote it. A process of that release must answer. */
export class UnknownVersionError extends Error {
  constructor(version: string) {
    super(`This process does not know the API version ${version}: a newer release of Tenure runs beside it.`);
  }
}

type MigrationPath = ReadonlyMap<string, readonly Step[]>;

/** One change, in one direction. Names are those before the step. */
interface Step {
  names: ReadonlyMap<string, string>;
  values: ReadonlyMap<string, (value: Json) => Json>;
  schemas: ReadonlyMap<string, TSchema>;
}

function downgrade({ renamed = {}, reshaped = {} }: ShapeChange): Step {
  return {
    names: new Map(Object.entries(renamed)),
    values: new Map(Object.entries(reshaped).map(([name, { older }]) => [name, older])),
    schemas: new Map(Object.entries(reshaped).map(([name, { schema }]) => [name, schema])),
  };
}

function upgrade({ renamed = {}, reshaped = {} }: ShapeChange): Step {
  return {
    names: new Map(Object.entries(renamed).map(([name, older]) => [older, name])),
    values: new Map(Object.entries(reshaped).map(([name, { newer }]) => [renamed[name] ?? name, newer])),
    // Schemas are written in their newest form, so no caller upgrades them.
    schemas: new Map(),
  };
}

function convertObject(object: JsonObject, path: MigrationPath): JsonObject {
  const whole = object.object === 'event' ? convertEventData(object, path) : convertNested(object, path);
  return convertMembers(whole, stepsFor(object, path));
}

function stepsFor({ object }: JsonObject, path: MigrationPath): readonly Step[] | undefined {
  return typeof object === 'string' ? path.get(object) : undefined;
}

/** Applies each step in turn. The object may have only some of its members, and they keep their order. */
function convertMembers(object: JsonObject, steps: readonly Step[] = []): JsonObject {
  let converted = object;
  for (const { names, values } of steps) {
    const before = converted;
    converted = {};
    for (const name of Object.keys(before)) {
      const change = values.get(name);
      const value = before[name]!;
      converted[names.get(name) ?? name] = change ? change(value) : value;
    }
  }
  return converted;
}

/** Converts the items of a list and expanded records. `metadata` belongs to the client and can look like anything. */
function convertNested(object: JsonObject, path: MigrationPath): JsonObject {
  let converted = object;
  for (const name of Object.keys(object)) {
    const value = object[name]!;
    const nested = name === 'metadata' ? value : convertValue(value, path);
    if (nested === value) continue;
    if (converted === object) converted = { ...object };
    converted[name] = nested;
  }
  return converted;
}

function convertValue(value: Json, path: MigrationPath): Json {
  if (isApiObject(value)) return convertObject(value, path);
  if (!Array.isArray(value) || !value.some(isApiObject)) return value;
  return value.map((item) => convertValue(item, path));
}

/** Converts the record in an event, and its previous members. */
function convertEventData(event: JsonObject, path: MigrationPath): JsonObject {
  if (!isObject(event.data)) throw new Error('Bug! An event has no data.');
  const { object: record, previous_attributes: previous, ...rest } = event.data;
  if (!isObject(record)) throw new Error('Bug! An event has no record.');
  const data = {
    object: convertObject(record, path),
    previous_attributes: isObject(previous) ? convertMembers(previous, stepsFor(record, path)) : null,
    ...rest,
  };
  return { ...event, data };
}

function isApiObject(value: Json): value is JsonObject {
  return isObject(value) && typeof value.object === 'string';
}

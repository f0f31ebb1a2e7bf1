import type { TObject, TSchema } from 'typebox';
import type { Json, JsonObject } from '../core/json-diff.ts';
import type { ApiVersion, ShapeChange } from './api-version.ts';

/**
 * Turns shapes of one version into those of another. Handlers and stored data know the newest shape only: what a client sends is
 * lifted to it, and what it gets is rendered down from it.
 */
export class ApiVersions {
  /** The newest first. */
  readonly all: readonly ApiVersion[];
  /** Their dates, in the same order. */
  readonly dates: readonly string[];
  readonly newest: string;
  readonly #ways = new Map<string, Way>();

  constructor(versions: readonly ApiVersion[]) {
    this.all = versions;
    this.dates = versions.map(({ date }) => date);
    this.newest = this.dates[0]!;
    const inOrder = this.dates.every((date, index) => index === 0 || date < this.dates[index - 1]!);
    if (!inOrder) throw new Error(`Bug! The versions are not in order, the newest first: ${this.dates.join(', ')}.`);
  }

  /** Those that clients can use when this is the latest, the newest first; newer ones are dormant. */
  upTo(latest: string): readonly string[] {
    return this.dates.filter((date) => date <= latest);
  }

  /**
   * An object as another version shows it, with all the objects in it. The object itself stays as it is.
   *
   * @throws {UnknownVersionError}
   */
  convert(object: JsonObject, from: string, to: string): JsonObject {
    return from === to ? object : convertObject(object, this.#way(from, to));
  }

  /** A valid body or query about objects of this kind as another version has it. */
  convertBody(object: string, body: JsonObject, from: string, to: string): JsonObject {
    return convertMembers(body, this.#way(from, to).get(object));
  }

  /** What another version calls a member of these objects: a parameter, a filter, a path to expand. `name[inner]` is called as `name` is. */
  convertName(object: string, name: string, from: string, to: string): string {
    const steps = this.#way(from, to).get(object);
    if (!steps) return name;
    const bracket = name.indexOf('[');
    const [outer, inner] = bracket === -1 ? [name, ''] : [name.slice(0, bracket), name.slice(bracket)];
    return steps.reduce((known, { names }) => names.get(known) ?? known, outer) + inner;
  }

  /** The schemas of an object's members, of a body's or of a query's parameters, as this version has them. */
  propertiesIn(version: string, object: string, properties: Record<string, TSchema>): Record<string, TSchema> {
    const way = this.#way(this.newest, version).get(object);
    if (!way) return properties;
    const older = ([name, schema]: [string, TSchema]): [string, TSchema] =>
      way.reduce(
        ([known, was], { names, schemas }) => [names.get(known) ?? known, schemas.get(known) ?? was],
        [name, schema],
      );
    return Object.fromEntries(Object.entries(properties).map(older));
  }

  /** The schema of an object or a body as this version has it; the very same if nothing in it is different. */
  schemaIn(version: string, object: string, schema: TObject): TObject {
    const properties = this.propertiesIn(version, object, schema.properties);
    if (properties === schema.properties) return schema;
    const required = schema.required?.map((name) => this.convertName(object, name, this.newest, version));
    return { ...schema, properties, ...(required && { required }) } as TObject;
  }

  /** The steps from one version to another, by the kind of object: what is not in it looks the same in both. */
  #way(from: string, to: string): Way {
    const key = `${from} ${to}`;
    let way = this.#ways.get(key);
    if (!way) this.#ways.set(key, (way = this.#makeWay(from, to)));
    return way;
  }

  #makeWay(from: string, to: string): Way {
    for (const date of [from, to]) if (!this.dates.includes(date)) throw new UnknownVersionError(date);
    const [earlier, later] = from < to ? [from, to] : [to, from];
    const between = this.all.filter(({ date }) => date > earlier && date <= later);
    const way = new Map<string, Step[]>();
    const changes = between.flatMap((version) => version.changes);
    for (const change of from < to ? changes.toReversed() : changes) {
      const step = from < to ? stepUp(change) : stepDown(change);
      way.set(change.object, [...(way.get(change.object) ?? []), step]);
    }
    return way;
  }
}

/** A date that this process does not know: a newer release has written it, so a process of that release must answer. */
export class UnknownVersionError extends Error {
  constructor(version: string) {
    super(`This process does not know the API version ${version}: a newer release of Tenure runs beside it.`);
  }
}

type Way = ReadonlyMap<string, readonly Step[]>;

/** One change, in one direction. Members are named as they are before the step. */
interface Step {
  names: ReadonlyMap<string, string>;
  values: ReadonlyMap<string, (value: Json) => Json>;
  schemas: ReadonlyMap<string, TSchema>;
}

function stepDown({ renamed = {}, reshaped = {} }: ShapeChange): Step {
  return {
    names: new Map(Object.entries(renamed)),
    values: new Map(Object.entries(reshaped).map(([name, { older }]) => [name, older])),
    schemas: new Map(Object.entries(reshaped).map(([name, { schema }]) => [name, schema])),
  };
}

function stepUp({ renamed = {}, reshaped = {} }: ShapeChange): Step {
  return {
    names: new Map(Object.entries(renamed).map(([name, older]) => [older, name])),
    values: new Map(Object.entries(reshaped).map(([name, { newer }]) => [renamed[name] ?? name, newer])),
    // Nobody asks for them: every schema is written in its newest form.
    schemas: new Map(),
  };
}

function convertObject(object: JsonObject, way: Way): JsonObject {
  const whole = object.object === 'event' ? convertEventData(object, way) : convertNested(object, way);
  return convertMembers(whole, way.get(object.object as string));
}

/** Each step in its turn, on an object that may have only some of its members. Their order stays. */
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

/** The items of a list and expanded records. `metadata` is the client's own, whatever it looks like. */
function convertNested(object: JsonObject, way: Way): JsonObject {
  let converted = object;
  for (const name of Object.keys(object)) {
    const value = object[name]!;
    const nested = name === 'metadata' ? value : convertValue(value, way);
    if (nested === value) continue;
    if (converted === object) converted = { ...object };
    converted[name] = nested;
  }
  return converted;
}

function convertValue(value: Json, way: Way): Json {
  if (isApiObject(value)) return convertObject(value, way);
  if (!Array.isArray(value) || !value.some(isApiObject)) return value;
  return value.map((item) => convertValue(item, way));
}

/** The record as it was, and those of its members that were different before. */
function convertEventData(event: JsonObject, way: Way): JsonObject {
  const { object, previous_attributes: previous, ...rest } = event.data as JsonObject;
  const record = object as JsonObject;
  const data = {
    object: convertObject(record, way),
    previous_attributes: previous ? convertMembers(previous as JsonObject, way.get(record.object as string)) : null,
    ...rest,
  };
  return { ...event, data };
}

function isApiObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value.object === 'string';
}

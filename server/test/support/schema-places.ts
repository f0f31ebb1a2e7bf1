import * as fc from 'fast-check';
import { setMember, type Json, type JsonObject } from '../../src/core/json-diff.ts';
import { formats } from '../../src/core/formats.ts';
import type { JsonSchema } from './any-value.ts';

/** Where a value is in a body: names of members, and positions in arrays. */
export type Path = readonly (string | number)[];

/** A place in a body, and the schema of its values. */
export interface Place {
  path: Path;
  schema: JsonSchema;
}

/** Stands for all keys that a client may choose. */
const anyKey = 'key';

/** Returns every place in a body, the body itself first. An array's first item stands for all items, and one member for all free names. */
export function placesOf(schema: JsonSchema, path: Path = []): Place[] {
  const { properties = {}, items, additionalProperties } = schema;
  return [
    { path, schema },
    ...Object.entries(properties).flatMap(([name, member]) => placesOf(member, [...path, name])),
    ...(items ? placesOf(items, [...path, 0]) : []),
    ...(typeof additionalProperties === 'object' ? placesOf(additionalProperties, [...path, anyKey]) : []),
  ];
}

/** Returns the name of a place in `param`: `addresses[0][country]`. */
export function paramOf([first = '', ...rest]: Path): string {
  return first + rest.map((step) => `[${step}]`).join('');
}

/** Whether any text is valid there. Only its length is limited, and what no line of text may contain. */
export function takesAnyText({ schema: { type, enum: values, pattern, format = 'single-line' } }: Place): boolean {
  return [type].flat().includes('string') && !values && pattern === undefined && format === 'single-line';
}

export function valueAt(value: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(
    (inner, step) => (inner as Record<string | number, Json> | null | undefined)?.[step],
    value,
  );
}

/** Returns the body with this value at a place. Makes missing parents as the schema requires. */
export function withValueAt(schema: JsonSchema, body: JsonObject, path: Path, value: Json): JsonObject {
  return set(schema, structuredClone(body), path, value) as JsonObject;
}

function set(schema: JsonSchema, container: Json | undefined, [step, ...rest]: Path, value: Json): Json {
  if (step === undefined) return value;
  // A value that may be a list, and is none in this body.
  const isNewList = typeof step === 'number' && !Array.isArray(container);
  const parent = isNewList ? [] : (container ?? exampleOf(schema));
  if (Array.isArray(parent)) parent[Number(step)] = set(schema.items!, parent[Number(step)], rest, value);
  else {
    const members = parent as JsonObject;
    const known = Object.hasOwn(schema.properties ?? {}, step) ? schema.properties![step]! : additional(schema);
    setMember(members, String(step), set(known, Object.hasOwn(members, step) ? members[step] : undefined, rest, value));
  }
  return parent;
}

/** Returns the body without the member at a place. */
export function withoutValueAt(schema: JsonSchema, body: JsonObject, path: Path): JsonObject {
  const whole = path.length > 1 ? withValueAt(schema, body, path, null) : structuredClone(body);
  const parent = path
    .slice(0, -1)
    .reduce<Json>((inner, step) => (inner as Record<string | number, Json>)[step]!, whole);
  delete (parent as JsonObject)[path.at(-1)!];
  return whole;
}

function additional({ additionalProperties }: JsonSchema): JsonSchema {
  return typeof additionalProperties === 'object' ? additionalProperties : {};
}

/** Returns one of the smallest values that a schema allows; null only if nothing else is allowed. */
export function exampleOf(schema: JsonSchema): Json {
  if (schema.enum) return schema.enum[0]!;
  switch ([schema.type].flat()[0]) {
    case 'object': {
      const { properties = {}, required = [] } = schema;
      return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name]!)]));
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => exampleOf(schema.items!));
    case 'string':
      return exampleText(schema);
    case 'integer':
    case 'number':
      // A whole number that most rules allow, such as an amount that may be negative.
      return Math.max(schema.minimum ?? 0, 0);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

const ofBanks = ['20-00-00', '55779911', 'GB33BUKB20201555555555', 'BUKBGB22'];
const usualTexts = ['x', 'a.b', 'a@b', 'GB', '1990-12-31', 'reference', '200', 'a@b.cc', 'gbp', 'UTC', ...ofBanks];

/** The examples by their schema: making one from a pattern takes milliseconds. */
const exampleTexts = new WeakMap<JsonSchema, string>();

/** Returns one of the shortest texts that a schema allows. */
export function exampleText(schema: JsonSchema): string {
  const known = exampleTexts.get(schema) ?? newExampleText(schema);
  exampleTexts.set(schema, known);
  return known;
}

function newExampleText(schema: JsonSchema): string {
  const { pattern, minLength = 0, maxLength = Infinity } = schema;
  const made =
    pattern === undefined
      ? ['x'.repeat(minLength)]
      : fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { seed: 1, numRuns: 100 });
  const fit = [...usualTexts, ...made].find(
    (text) => text.length >= minLength && text.length <= maxLength && fitsForm(schema, text),
  );
  if (fit === undefined) throw new Error(`No text is known yet that fits ${JSON.stringify(schema)}.`);
  return fit;
}

/** Whether a text matches the pattern and the format, at any length. */
export function fitsForm({ pattern, format }: JsonSchema, text: string): boolean {
  if (format !== undefined) {
    if (!Object.hasOwn(formats, format)) throw new Error(`The format ${format} is not known here yet.`);
    if (formats[format as keyof typeof formats](text) !== null) return false;
  }
  return pattern === undefined || new RegExp(pattern, 'u').test(text);
}

import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../src/core/json-diff.ts';
import type { JsonSchema } from './any-value.ts';
import {
  exampleOf,
  exampleText,
  fitsForm,
  paramOf,
  placesOf,
  withValueAt,
  withoutValueAt,
  type Place,
} from './schema-places.ts';

/** A body that breaks one rule of a schema at one place, and what its refusal must say. */
export interface Breach {
  keyword: string;
  code: 'parameter_missing' | 'parameter_unknown' | 'parameter_invalid';
  param: string;
  /** The value at the place; absent if the breach is a missing member. */
  value?: Json;
  body: JsonObject;
}

/** A body at the limit of a rule of its schema. */
export interface Edge {
  keyword: string;
  param: string;
  value: Json;
  body: JsonObject;
}

/** Keywords that describe or allow, and forbid nothing. Items and members have rules of their own. */
const noRules = new Set([
  'properties',
  'items',
  'title',
  'definition',
  'description',
  'default',
  'examples',
  'deprecated',
  'writeOnly',
]);

/** Names that no schema defines. Every object has some of them. */
const unknownNames = ['no_such_parameter', '__proto__', 'constructor'];

/**
 * Returns bodies that break one rule at one place and are good otherwise: for every rule, at every place.
 * @param base a good body.
 * @throws for an unknown rule, which must then be added here.
 */
export function breachesOf(schema: JsonSchema, base: JsonObject): Breach[] {
  return placesOf(schema).flatMap((place) => {
    const { path } = place;
    const invalid = (keyword: string, value: Json): Breach => ({
      keyword,
      code: 'parameter_invalid',
      param: paramOf(path),
      value,
      body: withValueAt(schema, base, path, value),
    });
    const member = (keyword: string, code: Breach['code'], name: string, body: JsonObject): Breach => ({
      keyword,
      code,
      param: paramOf([...path, name]),
      body,
    });
    return Object.keys(place.schema)
      .filter((keyword) => !noRules.has(keyword))
      .flatMap((keyword): Breach[] => {
        switch (keyword) {
          case 'required':
            return place.schema.required!.map((name) =>
              member(keyword, 'parameter_missing', name, withoutValueAt(schema, base, [...path, name])),
            );
          case 'additionalProperties':
            // If a client chooses the names, their values are a place of their own.
            if (place.schema.additionalProperties !== false) return [];
            return unknownNames.map((name) =>
              member(keyword, 'parameter_unknown', name, withValueAt(schema, base, [...path, name], 'x')),
            );
          case 'propertyNames':
            return Object.keys(place.schema.propertyNames!)
              .flatMap((rule) => valuesBreaking({ path, schema: place.schema.propertyNames! }, rule))
              .filter((name) => typeof name === 'string')
              .map((name) =>
                member(keyword, 'parameter_invalid', name, withValueAt(schema, base, [...path, name], 'x')),
              );
          default:
            // A body must be an object, so the body itself has no other values to try.
            return path.length === 0 ? [] : valuesBreaking(place, keyword).map((value) => invalid(keyword, value));
        }
      });
  });
}

/** Returns values that break this rule of a place, and no other rule if possible. */
function valuesBreaking({ path, schema }: Pick<Place, 'path' | 'schema'>, keyword: string): Json[] {
  const { minLength = 0, maxLength = Infinity, minItems = 0, maxItems = 0, maxProperties = 0 } = schema;
  switch (keyword) {
    case 'type':
      return [null, true, 1, 0.5, 'x', [], {}].filter((value) => !isOfType(schema, value));
    case 'enum':
      return ['no such word', ...schema.enum!.filter((word) => typeof word === 'string').map((word) => `${word} `)];
    case 'pattern':
      return [textBeyondPattern(schema)];
    case 'format':
      return textsBreaking(schema.format!);
    case 'minLength':
      return minLength === 0 ? [] : [textOf({}, minLength - 1)];
    case 'maxLength':
      return [textOf(schema, maxLength + 1)];
    case 'minimum':
      return [schema.minimum! - 1];
    case 'maximum':
      return [schema.maximum! + 1];
    case 'minItems':
      return minItems === 0 ? [] : [itemsOf(schema, minItems - 1)];
    case 'maxItems':
      return [itemsOf(schema, maxItems + 1)];
    case 'uniqueItems':
      return [[exampleOf(schema.items!), exampleOf(schema.items!)]];
    case 'maxProperties':
      return [membersOf(maxProperties + 1)];
    default:
      throw new Error(`No request breaks the rule ${keyword} of JSON Schema yet (at ${paramOf(path)}).`);
  }
}

const textsOfNoFormat: Record<string, string[]> = {
  date: ['1990-02-30', '1990-13-01', '1990-1-1', '90-01-01', '1990-01-01T00:00:00Z', 'x'],
  'single-line': [' ', '\u00a0\u200b', 'x\ny', '\tx', 'x\u0085', 'x\u2028', '\u202ex'],
  email: ['ada@localhost', 'ada@.example.org', 'ada@example.', 'ada.@example.org', 'ada\u0007@example.org'],
  country: ['XX', 'UK', 'ZZ'],
  currency: ['xxx', 'abc', 'xau'],
  credential: ['key\n', ' key', 'key ', 'k\u007fy', '…', 'key…'],
  'sort-code': ['', '20-00-0', '20-00-000', '20_00_00', '2000OO', ' '.repeat(60)],
  'account-number': ['', '12/345', 'x'.repeat(35), '１２３４５６７８', '-'.repeat(60)],
  iban: [
    '',
    'GB33BUKB20201555555556',
    'GB33',
    // One digit too few, whose check digits are right.
    'gb33bukb2020155555555',
    'XX',
    `GB33BUKB20201555555555${' '.repeat(60)}`,
  ],
  bic: ['', 'BUKBGB2', 'BUKBGB22XX', '1UKB', 'BUKB1122'],
  'time-zone': ['', 'London', '+01:00', 'Europe/Londn', 'Europe/London '],
  'header-credential': ['key\n', ' key', 'a key', 'schlüssel', '\u200bkey', '…'],
};

function textsBreaking(format: string): string[] {
  const texts = textsOfNoFormat[format];
  if (!texts) throw new Error(`No text breaks the format ${format} yet.`);
  return texts;
}

/** Returns a body just within the limit, for every rule with a limit, at every place. */
export function edgesOf(schema: JsonSchema, base: JsonObject): Edge[] {
  const places = placesOf(schema).filter(({ path }) => path.length > 0);
  return places
    .flatMap(({ path, schema: rules }) => [
      ...edgeValues(rules).map(([keyword, value]) => ({ path, keyword, value })),
      ...edgeValues(rules.propertyNames ?? {}).map(([, name]) => ({
        path: [...path, name as string],
        keyword: 'propertyNames',
        value: 'x',
      })),
    ])
    .map(({ path, keyword, value }) => ({
      keyword,
      param: paramOf(path),
      value,
      body: withValueAt(schema, base, path, value),
    }));
}

/** Returns the values at the limits of each rule. */
function edgeValues(rules: JsonSchema): [keyword: string, value: Json][] {
  const { type, minLength, maxLength, minimum, maximum, minItems, maxItems, maxProperties } = rules;
  const isFree = rules.pattern === undefined && (rules.format ?? 'single-line') === 'single-line';
  const most = itemsOf(rules, maxItems ?? 0);
  const edges: [keyword: string, value: Json | undefined][] = [
    ['type', [type].flat().includes('null') ? null : undefined],
    ['enum', rules.enum?.[0]],
    ['minLength', minLength ? textOf(rules, minLength) : undefined],
    ['maxLength', maxLength ? textOf(rules, maxLength) : undefined],
    // Characters, not bytes or halves of characters.
    ['maxLength', maxLength && isFree ? '😀'.repeat(maxLength) : undefined],
    ['minimum', minimum],
    ['maximum', maximum],
    ['minItems', minItems ? itemsOf(rules, minItems) : undefined],
    ['maxItems', maxItems && areDistinct(most, rules) ? most : undefined],
    ['maxProperties', maxProperties ? membersOf(maxProperties) : undefined],
  ];
  return edges.filter((edge): edge is [string, Json] => edge[1] !== undefined);
}

/** As JSON Schema defines it, a whole number is an integer in any spelling. */
function isOfType({ type }: JsonSchema, value: Json): boolean {
  const types = new Set([type].flat());
  if (value === null) return types.has('null');
  if (Array.isArray(value)) return types.has('array');
  if (typeof value === 'number') return types.has('number') || (types.has('integer') && Number.isInteger(value));
  return types.has(typeof value);
}

/** Returns a text of this many characters. It matches the pattern if a text of this length can. */
function textOf(schema: JsonSchema, length: number): string {
  const example = length === 0 ? '' : exampleText({ ...schema, minLength: 0, maxLength: length });
  const missing = length - example.length;
  const padded = ['x', 'a', '1', '_'].flatMap((filler) => [
    example + filler.repeat(missing),
    filler.repeat(missing) + example,
  ]);
  const fit = padded.find((text) => fitsForm(schema, text));
  if (fit === undefined) throw new Error(`No text of ${length} characters is known yet for ${JSON.stringify(schema)}.`);
  return fit;
}

/** Returns a text of a valid length that does not match the pattern. */
function textBeyondPattern(schema: JsonSchema): string {
  const { minLength = 0, maxLength = Infinity } = schema;
  const example = exampleText(schema);
  const odd = ['!', ' ', '[', 'é', '\n', 'A', '9'].flatMap((text) => [text, example + text, text + example]);
  const fit = odd.find((text) => text.length >= minLength && text.length <= maxLength && !fitsForm(schema, text));
  if (fit === undefined) throw new Error(`No text is known yet that breaks ${JSON.stringify(schema)}.`);
  return fit;
}

/** Returns this many items, all different if the schema has enough values. */
function itemsOf({ items = {}, uniqueItems }: JsonSchema, count: number): Json[] {
  const short = uniqueItems ? shortTextsOf(items, count) : null;
  if (short) return short;
  return Array.from({ length: count }, (_, index) => {
    if (!uniqueItems) return exampleOf(items);
    if (items.enum) return items.enum[index % items.enum.length]!;
    const [example, letters] = [exampleText(items), lettersOf(index)];
    return [example + letters, letters + example].find((text) => fitsForm(items, text)) ?? example + letters;
  });
}

/** Returns different texts of a pattern that texts of any length do not fit. Returns null for another schema. */
function shortTextsOf({ pattern, enum: choice, ...items }: JsonSchema, count: number): string[] | null {
  if (pattern === undefined || choice || items.format !== undefined || /[*+]|\{\d+,\}/.test(pattern)) return null;
  const texts = new Set(fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { seed: 1, numRuns: 50 * count }));
  return texts.size < count ? null : [...texts].slice(0, count);
}

function areDistinct(items: Json[], { uniqueItems }: JsonSchema): boolean {
  return !uniqueItems || new Set(items).size === items.length;
}

function lettersOf(number: number): string {
  return Array.from(number.toString(26), (digit) => String.fromCodePoint(97 + Number.parseInt(digit, 26))).join('');
}

/** Returns this many pairs. Half are empty, and a merge keeps no empty pair. */
function membersOf(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, index % 2 ? 'x' : '']));
}

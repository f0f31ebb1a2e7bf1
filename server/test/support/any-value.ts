import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../src/core/json-diff.ts';
import { formats } from '../../src/core/formats.ts';
import { countryCodes, currencyCodes } from '../../src/core/vocabulary/iso-codes.ts';
import { anyCodePoint } from './any-code-point.ts';

/** The rules of JSON Schema that our schemas use. */
export interface JsonSchema {
  /** Informs readers and sets no rule. */
  description?: string;
  type?: string | string[];
  enum?: Json[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  maxProperties?: number;
}

// oxfmt-ignore
const known = new Set([
  'type', 'enum', 'pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum',
  'items', 'minItems', 'maxItems', 'uniqueItems',
  'properties', 'required', 'additionalProperties', 'propertyNames', 'maxProperties',
  // Describes a value, and allows and forbids none.
  'definition',
  'description',
  'examples',
  'writeOnly',
]);

/** Keys that a client may choose, and that a server could mistake for its own. */
const trickyKeys = [
  'reference_pdf',
  'pdf',
  'count',
  'total_count',
  'object',
  'request',
  'data',
  '__proto__',
  'toString',
];
const trickyTexts = ['reference', 'event', 'list', ''];

/**
 * Makes any value that a schema allows.
 * @throws for an unknown rule, which must then be added here.
 */
export function anyValue(schema: JsonSchema): fc.Arbitrary<Json> {
  const unknown = Object.keys(schema).find((name) => !known.has(name));
  if (unknown !== undefined) throw new Error(`No values are made for the rule ${unknown} of JSON Schema yet.`);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  return fc.oneof(...[schema.type ?? []].flat().map((type) => anyOfType(type, schema)));
}

/** Makes an object with all of these members, or with some of them. */
export function anyObject(properties: Record<string, JsonSchema>, required: string[]): fc.Arbitrary<JsonObject> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, anyValue(schema)]));
  return fc.record(members, { requiredKeys: required, noNullPrototype: true });
}

function anyOfType(type: string, schema: JsonSchema): fc.Arbitrary<Json> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000_000, max: Math.min(schema.maximum ?? Infinity, 2 ** 31 - 1) });
    case 'number':
      return anyNumber(schema);
    case 'string':
      return anyText(schema);
    case 'array':
      return anyArray(schema);
    case 'object':
      return anyObjectOf(schema);
    default:
      throw new Error(`No values are made for the type ${type} of JSON Schema yet.`);
  }
}

function anyNumber({ minimum: min, maximum: max }: JsonSchema): fc.Arbitrary<number> {
  const bounds = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  return fc
    .double({ ...bounds, noNaN: true, noDefaultInfinity: true })
    .map((number) => (Object.is(number, -0) ? 0 : number));
}

function anyText({ format, pattern, minLength = 0, maxLength = Infinity }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date')
    return fc.date({ noInvalidDate: true, ...years }).map((date) => date.toISOString().slice(0, 10));
  // JSON Schema counts code points, not the halves of a pair.
  const fits = (text: string): boolean => {
    const { length } = Array.from(text);
    return length >= minLength && length <= maxLength;
  };
  if (format !== undefined) {
    const any = textsOf[format];
    if (!any) throw new Error(`No values are made for the format ${format} of JSON Schema yet.`);
    return any.filter((text) => fits(text) && formats[format as keyof typeof formats](text) === null);
  }
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u')).filter(fits);
  const any = fc.string({ unit: anyCodePoint, minLength, maxLength: Math.min(maxLength, 20) });
  return fc.oneof(
    { weight: 4, arbitrary: any },
    { weight: 1, arbitrary: fc.constantFrom(...trickyTexts).filter(fits) },
  );
}

const textsOf: Record<string, fc.Arbitrary<string>> = {
  'single-line': fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  email: fc.emailAddress(),
  country: fc.constantFrom(...countryCodes),
  currency: fc.constantFrom(...currencyCodes),
  credential: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  'time-zone': fc.constantFrom('Europe/London', 'America/New_York', 'UTC', 'Pacific/Kiritimati'),
  'sort-code': fc.constantFrom('20-00-00', '200000', '20 00 00'),
  'account-number': fc.constantFrom('55779911', '5577 9911'),
  iban: fc.constantFrom('GB33BUKB20201555555555', 'gb33 bukb 2020 1555 5555 55', 'NO9386011117947'),
  bic: fc.constantFrom('BUKBGB22', 'DEUTDEFF500'),
  'header-credential': fc.string({ minLength: 1, maxLength: 20 }),
};

const years = { min: new Date('1900-01-01'), max: new Date('2099-12-31') };

/** Items without a schema can be any plain value. */
const anyItem: JsonSchema = { type: ['string', 'number', 'boolean', 'null'] };

function anyArray({
  items = anyItem,
  minItems = 0,
  maxItems = Infinity,
  uniqueItems,
}: JsonSchema): fc.Arbitrary<Json[]> {
  const lengths = { minLength: minItems, maxLength: Math.min(maxItems, Math.max(3, minItems)) };
  return uniqueItems ? fc.uniqueArray(anyValue(items), lengths) : fc.array(anyValue(items), lengths);
}

function anyObjectOf({ properties, required = [], ...rest }: JsonSchema): fc.Arbitrary<JsonObject> {
  const { additionalProperties, propertyNames, maxProperties = Infinity } = rest;
  if (typeof additionalProperties !== 'object') return anyObject(properties ?? {}, required);
  const chosen = fc.constantFrom(...trickyKeys);
  const key = propertyNames ? fc.oneof(anyText(propertyNames), chosen) : fc.oneof(fc.string({ maxLength: 10 }), chosen);
  return fc.dictionary(key, anyValue(additionalProperties), {
    maxKeys: Math.min(maxProperties, 5),
    noNullPrototype: true,
  });
}

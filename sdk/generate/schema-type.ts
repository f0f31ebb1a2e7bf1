import { findSchema, refName, type OpenApiDocument, type Schema } from './document.ts';
import { docComment } from './doc-comment.ts';

/** Keywords that decide the type. */
const typeKeywords = [
  '$ref',
  'type',
  'const',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  'contentMediaType',
  'deprecated',
  'description',
];

/** Keywords that TypeScript cannot express, or that repeat what another keyword says. */
const otherKeywords = [
  'default',
  'discriminator',
  'examples',
  'format',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
  'propertyNames',
  'uniqueItems',
  'writeOnly',
];

const knownKeywords = new Set([...typeKeywords, ...otherKeywords]);

/**
 * The use of a schema. Clients may set an optional member of a request to `undefined`, as the SDK leaves it out. A member of a response is
 * never `undefined`.
 */
export type Use = 'request' | 'response';

/** Where a schema is converted. */
export interface Place {
  document: OpenApiDocument;
  use: Use;
  /** Gets the name of each component that the type refers to. */
  refs: Set<string>;
  /** The path of the schema, for messages. */
  at: string;
}

/** Converts a schema to a TypeScript type. Throws if the schema has a keyword or a value that the generator does not know. */
export function typeOf(schema: Schema, place: Place): string {
  for (const keyword of Object.keys(schema)) {
    if (!knownKeywords.has(keyword))
      throw new Error(
        `The generator does not know the keyword "${keyword}" of ${place.at}. Teach it in schema-type.ts first.`,
      );
  }
  const name = refName(schema);
  if (name !== null) {
    findSchema(place.document, name);
    place.refs.add(name);
    return name;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return unionOf(choices, place);
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return union(schema.enum.map(literal));
  if (schema.type === undefined) return 'unknown';
  return union([schema.type].flat().map((type) => plainType(type, schema, place)));
}

/** Converts an object with these members to the body of an interface or of a type. */
export function objectBody({ properties = {}, required = [] }: Schema, place: Place): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    const type = typeOf(schema, { ...place, at: `${place.at}.${name}` });
    const allowed = !isRequired && place.use === 'request' ? union([type, 'undefined']) : type;
    return `${docComment(schema)}${memberName(name)}${isRequired ? '' : '?'}: ${allowed};\n`;
  });
  return `{\n${members.join('')}}`;
}

/** Joins types. A type that is there already is left out. */
export function union(types: string[]): string {
  return [...new Set(types)].join(' | ') || 'never';
}

function plainType(type: string, schema: Schema, place: Place): string {
  switch (type) {
    case 'string':
      return schema.contentMediaType !== undefined && place.use === 'request' ? 'Blob' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      return `Array<${typeOf(schema.items ?? {}, { ...place, at: `${place.at}[]` })}>`;
    case 'object':
      return objectType(schema, place);
    default:
      throw new Error(
        `The generator does not know the type "${type}" of ${place.at}. Teach it in schema-type.ts first.`,
      );
  }
}

function objectType(schema: Schema, place: Place): string {
  const { properties = {}, additionalProperties } = schema;
  const isOpen = typeof additionalProperties === 'object';
  if (Object.keys(properties).length === 0) {
    if (isOpen) return `Record<string, ${typeOf(additionalProperties, { ...place, at: `${place.at}.*` })}>`;
    return additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>';
  }
  if (isOpen)
    throw new Error(
      `${place.at} has named members and a schema for all others. TypeScript cannot express both: leave one out.`,
    );
  return objectBody(schema, place);
}

/**
 * Converts alternatives. An open enum is a choice of known values and of any string. Its `string & {}` keeps the known values in
 * completions. `string` would absorb them.
 */
function unionOf(choices: Schema[], place: Place): string {
  const hasWords = choices.some((choice) => isEnum(choice, place.document));
  const types = choices.map((choice) =>
    hasWords && isAnyString(choice) ? '(string & {})' : typeOf(choice, { ...place, at: `${place.at}|` }),
  );
  return union(types);
}

function isEnum(schema: Schema, document: OpenApiDocument): boolean {
  const name = refName(schema);
  const { enum: values, const: value } = name === null ? schema : findSchema(document, name);
  return values !== undefined || typeof value === 'string';
}

function isAnyString(schema: Schema): boolean {
  return schema.type === 'string' && schema.enum === undefined && schema.const === undefined;
}

function literal(value: unknown): string {
  return JSON.stringify(value);
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

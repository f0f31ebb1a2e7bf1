import type { Definition } from '../../model/schemas/make.ts';

/** A piece of a document. It becomes plain JSON. */
export type Piece = Record<string, unknown>;

/**
 * The use of a schema. Requests are closed, so that a misspelt member is refused. Responses are open: later releases add members and values
 * without a new version. A client that was generated from an earlier document must accept them.
 */
export type Use = 'request' | 'response';

/** Makes a component of a schema, and returns a `$ref` to it. */
export type Define = (name: string, schema: Piece) => Piece;

/** Keywords whose values are data, not schemas. */
const dataKeywords = new Set(['const', 'default', 'enum', 'example', 'examples']);

/** Keywords that belong to the place of a schema, and not to the component that it refers to. */
const placeKeywords = new Set(['default', 'deprecated', 'description', 'example', 'examples']);

/** Returns a schema as documents show it: its named parts as components, and open if it is of a response. */
export function published(schema: object, use: Use, define: Define): Piece {
  const { definition, ...keywords } = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, publishedValue(keyword, value, use, define)]),
  ) as Piece & { definition?: Definition };
  if (use === 'response' && keywords.additionalProperties === false) delete keywords.additionalProperties;
  const { isNullable, rest } = withoutNull(keywords);
  const isOpen = use === 'response' && Array.isArray(rest.enum);
  if (!definition && !isOpen) return keywords;

  const ofPlace = Object.entries(rest).filter(([keyword]) => placeKeywords.has(keyword));
  const own = Object.fromEntries(Object.entries(rest).filter(([keyword]) => !placeKeywords.has(keyword)));
  const known = definition
    ? define(nameOf(definition, own, use), { ...own, description: definition.description })
    : own;
  const choices = [known, ...(isOpen ? [{ type: 'string' }] : []), ...(isNullable ? [{ type: 'null' }] : [])];
  return { ...(choices.length === 1 ? known : { anyOf: choices }), ...Object.fromEntries(ofPlace) };
}

function publishedValue(keyword: string, value: unknown, use: Use, define: Define): unknown {
  if (dataKeywords.has(keyword) || keyword === 'definition') return value;
  if (keyword === 'properties') {
    const members = Object.entries(value as Record<string, object>);
    return Object.fromEntries(members.map(([name, schema]) => [name, published(schema, use, define)]));
  }
  if (Array.isArray(value)) return value.map((one) => (isSchema(one) ? published(one, use, define) : one));
  return isSchema(value) ? published(value, use, define) : value;
}

function isSchema(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schema of an object for requests differs from that for responses, so it has another name. */
function nameOf({ name }: Definition, { type }: Piece, use: Use): string {
  return use === 'request' && type === 'object' && !name.endsWith('Input') ? `${name}Input` : name;
}

/** Separates null from the other values of a schema. */
function withoutNull({ type, enum: values, ...others }: Piece): { isNullable: boolean; rest: Piece } {
  const isNullable = Array.isArray(type) && type.includes('null');
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type];
  const rest = {
    ...(type !== undefined && { type: types.length === 1 ? types[0] : types }),
    ...others,
    ...(Array.isArray(values) && { enum: values.filter((value) => value !== null) }),
  };
  return { isNullable, rest };
}

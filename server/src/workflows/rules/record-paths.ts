import type { TSchema } from 'typebox';
import type { Json } from '../../core/json-diff.ts';
import { nearestName } from '../../core/nearest.ts';

/** The parts of a JSON schema that tell which paths exist. */
interface Shape {
  type?: string | string[];
  anyOf?: TSchema[];
  properties?: Record<string, TSchema>;
  additionalProperties?: boolean | TSchema;
  items?: TSchema;
  enum?: Json[];
  const?: Json;
}

/** What a path leads to: schemas, of which one fits each value. Or a sentence that says why it leads nowhere. */
type Found = { schemas: readonly Shape[] } | { fault: string };

/**
 * Returns why no record of a schema has a path, in sentences. Null if a record can have it.
 *
 * @param shown is the path of the record, for the sentences.
 */
export function faultOfPath(schema: TSchema, path: readonly string[], shown: string): string | null {
  const found = schemasAt(schema, path, shown);
  return 'fault' in found ? found.fault : null;
}

/** Returns all values that a path can have. Null if they are no closed list. */
export function valuesAt(schema: TSchema, path: readonly string[]): readonly Json[] | null {
  const found = schemasAt(schema, path, '');
  if ('fault' in found) return null;
  const lists = found.schemas.map(valuesOf);
  return lists.includes(null) ? null : lists.flatMap((values) => values ?? []);
}

function valuesOf({ type, enum: values, const: value }: Shape): readonly Json[] | null {
  if (values !== undefined) return values;
  if (value !== undefined) return [value];
  return type === 'null' ? [null] : null;
}

function schemasAt(schema: TSchema, path: readonly string[], shown: string): Found {
  const variants = variantsOf(schema);
  const [name, ...rest] = path;
  if (name === undefined) return { schemas: variants };
  const found = variants.map((variant) => memberOf(variant, name, rest, shown));
  const schemas = found.flatMap((each) => ('fault' in each ? [] : each.schemas));
  if (schemas.length > 0) return { schemas };
  // The fault within an object says more than that of the text beside it.
  return found.find((_, at) => variants[at]!.properties !== undefined) ?? found[0] ?? { schemas: [{}] };
}

function variantsOf(schema: TSchema): Shape[] {
  const { anyOf } = schema as Shape;
  return anyOf === undefined ? [schema] : anyOf.flatMap(variantsOf);
}

function memberOf(shape: Shape, name: string, rest: readonly string[], shown: string): Found {
  const { type, properties, additionalProperties = true, items } = shape;
  const own = `${shown}.${name}`;
  const types = type === undefined ? [] : [type].flat();
  if (types.includes('array')) {
    if (/^\d+$/.test(name)) return schemasAt(items ?? {}, rest, own);
    return { fault: `\`${shown}\` is a list. Name a position in it, such as \`${shown}.0\`.` };
  }
  if (types.length > 0 && !types.includes('object'))
    return { fault: `\`${shown}\` has no \`${name}\`, because it is no object. A link is an id.` };
  const member = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (member !== undefined) return schemasAt(member, rest, own);
  if (additionalProperties === true) return { schemas: [{}] };
  if (additionalProperties !== false) return schemasAt(additionalProperties, rest, own);
  const nearest = nearestName(name, Object.keys(properties ?? {}));
  return {
    fault: `\`${shown}\` has no \`${name}\`. ${nearest === null ? 'The API docs list its members.' : `Did you mean \`${nearest}\`?`}`,
  };
}

import { Type, type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';

/** Returns the schema of an object without unknown members, so that a misspelt member is refused. */
export function closedObject<Properties extends TProperties>(properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false });
}

/** Returns a schema that allows null too. With a `type` list instead of `anyOf`, error messages are about the value, not about branches. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  const { type, enum: values, ...rest } = schema as unknown as { type: string | string[]; enum?: unknown[] };
  if (Array.isArray(type)) return Type.Unsafe<Static<Schema> | null>(schema);
  return Type.Unsafe<Static<Schema> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values && { enum: [...values, null] }),
  });
}

/** Returns the schema with a description for the API docs. */
export function described<Schema extends TSchema>(schema: Schema, description: string): TUnsafe<Static<Schema>> {
  return Type.Unsafe<Static<Schema>>({ ...schema, description });
}

/** The name of a schema in the API docs, and what all of its values are. */
export interface Definition {
  name: string;
  description: string;
}

/**
 * Names a schema, so that the API docs have it once, and SDKs make one type of it. The name of an object for input ends with `Input`. A
 * schema for input and output gets this end by itself.
 */
export function named<Schema extends TSchema>(
  name: string,
  description: string,
  schema: Schema,
): TUnsafe<Static<Schema>> {
  const definition: Definition = { name, description };
  return Type.Unsafe<Static<Schema>>({ ...schema, definition });
}

/** Returns the schema of a string from a closed list of words. */
export function oneOf<const Word extends string>(...words: Word[]): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: words });
}

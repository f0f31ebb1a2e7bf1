import { Type, type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';

/** Returns an object that refuses members it does not know, so that a misspelt one is noticed. */
export function closedObject<Properties extends TProperties>(properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false });
}

/** Returns the same schema, or null. One `type` list instead of `anyOf` keeps error messages about the value, not about branches. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  const { type, enum: values, ...rest } = schema as unknown as { type: string | string[]; enum?: unknown[] };
  if (Array.isArray(type)) return Type.Unsafe<Static<Schema> | null>(schema);
  return Type.Unsafe<Static<Schema> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values && { enum: [...values, null] }),
  });
}

/** Returns the same schema with what it means here, for the API docs. */
export function described<Schema extends TSchema>(schema: Schema, description: string): TUnsafe<Static<Schema>> {
  return Type.Unsafe<Static<Schema>>({ ...schema, description });
}

/** Returns a string out of a closed list of words. */
export function oneOf<const Word extends string>(...words: Word[]): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: words });
}

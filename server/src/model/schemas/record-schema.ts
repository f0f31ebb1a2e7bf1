import { Type, type TSchema } from 'typebox';
import type { Resource } from '../resource.ts';
import { closedObject } from './make.ts';

/** Returns the schema of a kind of record as its events have it in the newest version. Links are ids there. */
export function eventRecordSchemaOf({ object, fields }: Resource): TSchema {
  const shown = Object.entries(fields).filter(([, field]) => field.shown === undefined);
  return closedObject({
    id: Type.String(),
    object: Type.Literal(object),
    created: Type.Integer(),
    ...Object.fromEntries(shown.map(([name, { schema }]) => [name, schema])),
    // The events of connected accounts and of erasures have these.
    account: Type.Optional(Type.String()),
    deleted: Type.Optional(Type.Boolean()),
  });
}

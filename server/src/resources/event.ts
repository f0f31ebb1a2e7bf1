import { Type } from 'typebox';
import { idLengthMax, idPattern } from '../core/ids.ts';
import { defineResource } from '../core/resource.ts';

const AnyId = Type.String({ minLength: 1, maxLength: idLengthMax, pattern: idPattern });
const JsonObject = Type.Object({});

/** What happened to a record, as it was then (spec, event). The committer makes events; nobody else can. */
export const event = defineResource({
  object: 'event',
  prefix: 'evt',
  path: 'events',
  table: 'events',
  appendOnly: true,
  fields: {
    type: { column: 'text', schema: Type.String() },
    data: { column: 'json', schema: JsonObject },
    request: { column: 'json', schema: JsonObject },
    // The version of the API whose shape it is kept in.
    shape_version: { column: 'text', schema: Type.String(), shown: 'never' },
  },
  filters: {
    object_id: { column: 'object_id', match: 'exact', schema: AnyId },
    related_object: { column: 'mentions', match: 'contains', schema: AnyId },
    type: {
      column: 'type',
      match: 'prefix',
      schema: Type.String({ minLength: 1, maxLength: 100, pattern: '^[a-z0-9_.]*\\*?$' }),
    },
  },
  counted: ['type'],
});

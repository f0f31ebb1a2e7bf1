import { Type } from 'typebox';
import { createFromFields, updateFromFields } from '../../src/model/inputs.ts';
import type { Fields, RecordOf } from '../../src/model/record.ts';
import { defineResource, exactly } from '../../src/model/resource.ts';
import { oneOf } from '../../src/model/schemas/make.ts';

const Visitor = Type.String({ minLength: 1, maxLength: 255, pattern: '^[a-zA-Z0-9_]+$' });
const Minutes = Type.Integer({ minimum: 0, maximum: 600 });
const Place = oneOf('at_home', 'online');

const fields = {
  visitor: { column: 'text', schema: Visitor, input: { on: 'create', required: true } },
  minutes: { column: 'bigint', schema: Minutes, input: { on: 'both', required: true } },
  place: { column: 'text', schema: Place, input: { on: 'create', required: true } },
} satisfies Fields;

/** The whole cost of a new kind of record, with a line in the list of kinds and a table. */
export const viewing = defineResource<RecordOf<typeof fields>>({
  object: 'viewing',
  prefix: 'vwg',
  path: 'viewings',
  table: 'viewings',
  metadata: true,
  fields,
  links: { visitor: 'customers' },
  filters: exactly({ visitor: Visitor, place: Place }),
  counted: ['place'],
  create: createFromFields(fields),
  update: updateFromFields(fields),
  delete: 'removes',
});

export const viewingsTable = `
  create table viewings (
    account_id text collate "C" not null,
    id text collate "C" not null,
    created bigint not null,
    revision bigint not null,
    visitor text collate "C" not null,
    minutes bigint not null,
    place text collate "C" not null,
    metadata text not null,
    primary key (account_id, id)
  );

  create index viewings_visitor on viewings (account_id, visitor, id)`;

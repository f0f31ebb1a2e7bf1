import { Type } from 'typebox';
import { createFromFields, updateFromFields } from '../../src/model/inputs.ts';
import type { Fields, RecordOf } from '../../src/model/record.ts';
import { defineResource, exactly } from '../../src/model/resource.ts';
import { oneOf } from '../../src/model/schemas.ts';

const Holder = Type.String({ minLength: 1, maxLength: 255, pattern: '^[a-zA-Z0-9_]+$' });
const Amount = Type.Integer({ minimum: 0, maximum: 9_999_999_999 });
const Scheme = oneOf('custodial', 'insured');

const fields = {
  holder: { column: 'text', schema: Holder, input: { on: 'create', required: true } },
  amount: { column: 'bigint', schema: Amount, input: { on: 'both', required: true } },
  scheme: { column: 'text', schema: Scheme, input: { on: 'create', required: true } },
} satisfies Fields;

/** The whole cost of a new kind of record, with a line in the list of kinds and a table. */
export const deposit = defineResource<RecordOf<typeof fields>>({
  object: 'deposit',
  prefix: 'dep',
  path: 'deposits',
  table: 'deposits',
  metadata: true,
  fields,
  links: { holder: 'customers' },
  filters: exactly({ holder: Holder, scheme: Scheme }),
  counted: ['scheme'],
  create: createFromFields(fields),
  update: updateFromFields(fields),
  delete: 'removes',
});

export const depositsTable = `
  create table deposits (
    account_id text collate "C" not null,
    id text collate "C" not null,
    created bigint not null,
    revision bigint not null,
    holder text collate "C" not null,
    amount bigint not null,
    scheme text collate "C" not null,
    metadata text not null,
    primary key (account_id, id)
  );

  create index deposits_holder on deposits (account_id, holder, id)`;

import { Type } from 'typebox';
import { createFrom, defineResource, exactly, oneOf, updateFrom, type StoredRecord } from '../../src/model/resource.ts';

type DepositRecord = StoredRecord & { holder: string; amount: number; scheme: string };

const Holder = Type.String({ minLength: 1, maxLength: 255, pattern: '^[a-zA-Z0-9_]+$' });
const Amount = Type.Integer({ minimum: 0, maximum: 9_999_999_999 });
const Scheme = oneOf('custodial', 'insured');

/** All that a new kind of record costs: this, a line in the list of kinds, and its table. */
export const deposit = defineResource<DepositRecord>({
  object: 'deposit',
  prefix: 'dep',
  path: 'deposits',
  table: 'deposits',
  metadata: true,
  fields: {
    holder: { column: 'text', schema: Holder },
    amount: { column: 'bigint', schema: Amount },
    scheme: { column: 'text', schema: Scheme },
  },
  links: { holder: 'customers' },
  filters: exactly({ holder: Holder, scheme: Scheme }),
  counted: ['scheme'],
  create: createFrom({ holder: Holder, amount: Amount, scheme: Scheme }, ({ holder, amount, scheme }) => ({
    holder,
    amount,
    scheme,
  })),
  update: updateFrom({ amount: Type.Optional(Amount) }, (current, { amount }) => ({
    after: { ...current, amount: amount ?? current.amount },
  })),
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
  )`;

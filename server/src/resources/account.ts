import { Type } from 'typebox';
import { defineResource, nullable, oneOf, type StoredRecord } from '../core/resource.ts';

export type AccountRecord = StoredRecord & {
  name: string;
  api_version: string | null;
  default_provider: string | null;
  linked_records: 'open' | 'strict';
};

/** A letting agent or a platform: whoever has keys and records here. */
export const account = defineResource<AccountRecord>({
  object: 'account',
  prefix: 'acct',
  path: 'accounts',
  table: 'accounts',
  fields: {
    name: { column: 'text', schema: Type.String() },
    api_version: { column: 'text', schema: nullable(Type.String()) },
    default_provider: { column: 'text', schema: nullable(Type.String()) },
    linked_records: { column: 'text', schema: oneOf('open', 'strict') },
  },
});

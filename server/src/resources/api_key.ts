import { Type } from 'typebox';
import type { KeyType } from '../core/api-keys.ts';
import { defineResource, nullable, oneOf, type StoredRecord } from '../core/resource.ts';

export type ApiKeyRecord = StoredRecord & {
  hash: string;
  type: KeyType;
  name: string | null;
  permissions: string[];
  last_four: string;
  expires_at: number | null;
  revoked_at: number | null;
};

/** What opens the API. The key's text is never kept, only its hash. */
export const apiKey = defineResource<ApiKeyRecord>({
  object: 'api_key',
  prefix: 'key',
  path: 'api_keys',
  table: 'api_keys',
  fields: {
    hash: { column: 'text', schema: Type.String(), shown: 'never' },
    type: { column: 'text', schema: oneOf('secret') },
    name: { column: 'text', schema: nullable(Type.String()) },
    permissions: { column: 'text[]', schema: Type.Array(Type.String()) },
    last_four: { column: 'text', schema: Type.String() },
    expires_at: { column: 'bigint', schema: nullable(Type.Integer()) },
    revoked_at: { column: 'bigint', schema: nullable(Type.Integer()), shown: 'never' },
  },
});

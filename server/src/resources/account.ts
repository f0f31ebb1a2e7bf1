import { Type } from 'typebox';
import { providers, type Provider } from '../core/providers.ts';
import { createFrom, defineResource, nullable, oneOf, updateFrom, type StoredRecord } from '../core/resource.ts';

const Name = Type.String({ minLength: 1, maxLength: 500 });
const DefaultProvider = oneOf(...providers);
const LinkedRecords = oneOf('open', 'strict');

export type AccountRecord = StoredRecord & {
  name: string;
  api_version: string | null;
  default_provider: Provider | null;
  linked_records: 'open' | 'strict';
  parent: string | null;
};

/** A letting agent or a platform: whoever has keys and records here. A platform has connected accounts and acts for them. */
export const account = defineResource<AccountRecord>({
  object: 'account',
  prefix: 'acct',
  path: 'accounts',
  table: 'accounts',
  links: { parent: 'accounts' },
  ownedBy: { column: 'parent', ownPath: 'account' },
  // For so long a process goes on with what it knows of an account.
  staleForMs: 1_000,
  fields: {
    name: { column: 'text', schema: Name },
    api_version: { column: 'text', schema: nullable(Type.String()) },
    default_provider: { column: 'text', schema: nullable(DefaultProvider) },
    linked_records: { column: 'text', schema: LinkedRecords },
    parent: { column: 'text', schema: nullable(Type.String()) },
  },
  create: createFrom(
    {
      name: Name,
      default_provider: Type.Optional(nullable(DefaultProvider)),
      linked_records: Type.Optional(nullable(LinkedRecords)),
    },
    (input) => ({
      name: input.name,
      api_version: null,
      default_provider: input.default_provider ?? null,
      linked_records: input.linked_records ?? 'open',
      // Whoever makes it.
      parent: null,
    }),
  ),
  update: updateFrom(
    {
      name: Type.Optional(Name),
      default_provider: Type.Optional(nullable(DefaultProvider)),
      linked_records: Type.Optional(LinkedRecords),
    },
    (current, input) => ({
      after: {
        ...current,
        name: input.name ?? current.name,
        default_provider: input.default_provider === undefined ? current.default_provider : input.default_provider,
        linked_records: input.linked_records ?? current.linked_records,
      },
    }),
  ),
});

import { Type } from 'typebox';
import { providers, type Provider } from '../core/providers.ts';
import { ApiError, invalidParameter } from '../core/errors.ts';
import {
  closedObject,
  createFrom,
  defineResource,
  nullable,
  oneOf,
  updateFrom,
  type Caller,
  type Decided,
  type StoredRecord,
} from '../core/resource.ts';

const Name = Type.String({ minLength: 1, maxLength: 500 });
const DefaultProvider = oneOf(...providers);
const LinkedRecords = oneOf('open', 'strict');

/** For so long an upgrade to a newer version of the API can be taken back (spec, limits). */
const rollbackSeconds = 72 * 3600;

export type AccountRecord = StoredRecord & {
  name: string;
  api_version: string | null;
  api_version_previous: string | null;
  rollback_until: number | null;
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
  ownedBy: {
    column: 'parent',
    ownPath: 'account',
    pin: (current, version) => (current.api_version === null ? { ...current, api_version: version } : current),
    actions: {
      api_version: { body: closedObject({ api_version: Type.String({ maxLength: 40 }) }), decide: upgrade },
      'api_version/rollback': { decide: rollBack },
    },
  },
  // For so long a process goes on with what it knows of an account.
  staleForMs: 1_000,
  fields: {
    name: { column: 'text', schema: Name },
    api_version: { column: 'text', schema: nullable(Type.String()) },
    api_version_previous: { column: 'text', schema: nullable(Type.String()) },
    rollback_until: { column: 'bigint', schema: nullable(Type.Integer()) },
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
      // The first request settles it.
      api_version: null,
      api_version_previous: null,
      rollback_until: null,
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

/** `POST /v1/account/api_version`: requests that name no version are answered in this one from now on. */
function upgrade(current: AccountRecord, caller: Caller, input: object): Decided<AccountRecord> {
  const { api_version: wanted } = input as { api_version: string };
  const newer = caller.apiVersions.filter((version) => version > current.api_version!);
  if (!newer.includes(wanted)) {
    const choice = newer.length === 0 ? 'which is the latest' : `newer ones are ${newer.join(', ')}`;
    throw invalidParameter(
      'api_version',
      `An account upgrades to a newer version of this API only. This one is at ${current.api_version}, ${choice}.`,
    );
  }
  return {
    after: {
      ...current,
      api_version: wanted,
      api_version_previous: current.api_version,
      rollback_until: caller.nowSeconds + rollbackSeconds,
    },
  };
}

/** `POST /v1/account/api_version/rollback`: takes the last upgrade back, as long as that is possible. */
function rollBack(current: AccountRecord, { nowSeconds }: Caller): Decided<AccountRecord> {
  const { api_version_previous: previous, rollback_until: until } = current;
  if (previous === null || until === null) {
    throw new ApiError(
      'status_transition_invalid',
      `The account is at ${current.api_version} and has no upgrade that could be taken back.`,
    );
  }
  if (nowSeconds >= until) {
    throw new ApiError(
      'rollback_expired',
      `The upgrade from ${previous} to ${current.api_version} could be taken back until ${until} (Unix time), and is final now. A single request can still name its version, with the header \`Service-Version: ${previous}\`.`,
    );
  }
  return { after: { ...current, api_version: previous, api_version_previous: null, rollback_until: null } };
}

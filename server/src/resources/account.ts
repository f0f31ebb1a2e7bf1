import { Type } from 'typebox';
import { credentialNames, headerCredentials, notSetUp, providers, type Provider } from '../core/providers.ts';
import { ApiError, invalidParameter } from '../core/errors.ts';
import { SingleLine } from '../model/fields.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Caller } from '../model/caller.ts';
import { createFrom, defineResource, updateFrom, type Change } from '../model/resource.ts';
import { closedObject, described, nullable, oneOf } from '../model/schemas.ts';
import { cached } from '../model/traits/cached.ts';
import { ownAccount } from '../model/traits/own-account.ts';

const Name = Type.String({ minLength: 1, maxLength: 500 });
const DefaultProvider = oneOf(...providers);

const credential = {
  minLength: 1,
  maxLength: 500,
  writeOnly: true,
  description: 'As the service has given it to the account, without spaces or line breaks around it.',
};
const Credential = Type.String({ ...credential, format: 'credential' });
const HeaderCredential = Type.String({ ...credential, format: 'header-credential' });
/** What the account asks each service with; it can be set, and not be read. */
const ProviderCredentials = described(
  closedObject(
    Object.fromEntries(
      providers.map((provider) => {
        const members = credentialNames[provider].map((name) => [
          name,
          headerCredentials.includes(name) ? HeaderCredential : Credential,
        ]);
        const description = `What it asks \`${provider}\` with; null takes it away.`;
        const schema = described(nullable(closedObject(Object.fromEntries(members))), description);
        return [provider, Type.Optional(schema)];
      }),
    ),
  ),
  'What the account asks the referencing providers with. It can be set, and is never shown.',
);
const LinkedRecords = oneOf('open', 'strict');

/** For so long an upgrade to a newer version of the API can be taken back (spec, limits). */
const rollbackSeconds = 72 * 3600;

export type AccountRecord = StoredRecord & {
  name: string;
  api_version: string | null;
  api_version_previous: string | null;
  rollback_until: number | null;
  default_provider: Provider | null;
  /** By provider: what it takes to ask it, as JSON, sealed, in base64. */
  provider_credentials: Record<string, string> | null;
  linked_records: 'open' | 'strict';
  parent: string | null;
};

/** A letting agent or a platform: whoever has keys and records here. A platform has connected accounts and acts for them. */
export const account = defineResource<AccountRecord>(
  {
    object: 'account',
    prefix: 'acct',
    path: 'accounts',
    table: 'accounts',
    docs: {
      description:
        'A letting agent or a platform: whoever has keys and records here. A platform has connected accounts and acts for them, with the header `Service-Context`.',
      example: {
        record: {
          name: 'Northern Homes',
          api_version: '2026-11-01',
          api_version_previous: null,
          rollback_until: null,
          default_provider: 'provider_a',
          linked_records: 'open',
          parent: null,
        },
        before: { default_provider: null },
      },
    },
    links: { parent: 'accounts' },
    verbs: { credentials_changed: 'What it asks a referencing provider with was changed.' },
    fields: {
      name: { column: 'text', schema: Name, description: 'What it is called.' },
      api_version: {
        column: 'text',
        schema: nullable(Type.String()),
        description:
          'The version that its requests get if they name none; null until its first request, which pins it to the latest.',
      },
      api_version_previous: {
        column: 'text',
        schema: nullable(Type.String()),
        description: 'The version it had before its last upgrade; null if it has made none, or has taken it back.',
      },
      rollback_until: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        derive: (record, nowSeconds) => rollbackUntil(record as AccountRecord, nowSeconds),
        description:
          'Until when its last upgrade can be taken back, in seconds since the Unix epoch; null if there is none, and once that time has passed.',
      },
      default_provider: {
        column: 'text',
        schema: nullable(DefaultProvider),
        description: 'The referencing provider that is asked where a reference names none; null if none is set.',
      },
      provider_credentials: { column: 'json', schema: nullable(Type.Object({})), shown: 'never' },
      linked_records: {
        column: 'text',
        schema: LinkedRecords,
        description:
          '`open`: ids in its records are taken as they are, because the linked records may live in a system of your own. `strict`: a link to a record that is not here is refused.',
      },
      parent: {
        column: 'text',
        schema: nullable(Type.String()),
        description: 'The id of the account it is connected to; null if it is a deployment’s first account.',
      },
    },
    create: createFrom(
      {
        name: SingleLine,
        default_provider: Type.Optional(nullable(DefaultProvider)),
        linked_records: Type.Optional(nullable(LinkedRecords)),
      },
      (input, caller) => ({
        name: input.name,
        // The first request settles it.
        api_version: null,
        api_version_previous: null,
        rollback_until: null,
        default_provider: askableProvider(input.default_provider ?? null, caller),
        provider_credentials: null,
        linked_records: input.linked_records ?? 'open',
        // Whoever makes it.
        parent: null,
      }),
      {
        summary: 'Create a connected account',
        description:
          'Makes an account that is connected to your own. It has no keys: act for it with `Service-Context`. While that header names a connected account, no account is made: your key could not act on it.',
        example: { name: 'Ouse Lettings' },
      },
    ),
    update: updateFrom(
      {
        name: Type.Optional(SingleLine),
        default_provider: Type.Optional(nullable(DefaultProvider)),
        linked_records: Type.Optional(LinkedRecords),
        provider_credentials: Type.Optional(ProviderCredentials),
      },
      (current, input, caller) => ({
        after: {
          ...current,
          name: input.name ?? current.name,
          default_provider:
            input.default_provider === undefined
              ? current.default_provider
              : askableProvider(input.default_provider, caller),
          linked_records: input.linked_records ?? current.linked_records,
          provider_credentials: changeCredentials(
            current.provider_credentials,
            input.provider_credentials ?? {},
            caller,
          ),
        },
        ...(input.provider_credentials && { verb: 'credentials_changed' }),
      }),
      {
        description:
          '`provider_credentials` is kept encrypted, and is in no answer, event or log: what is sent for a provider takes the place of what it had, null takes it away, and the others keep theirs.',
        example: { default_provider: 'provider_a' },
        secrets: ['provider_credentials'],
      },
    ),
  },
  ownAccount({
    column: 'parent',
    ownPath: 'account',
    pin: (current: AccountRecord, version) =>
      current.api_version === null ? { ...current, api_version: version } : current,
    actions: {
      api_version: {
        summary: 'Upgrade the account to a newer version',
        description:
          'From now on, requests that name no version are answered in this one. Only newer ones than the account’s are taken. It can be taken back for 72 hours. The answer takes a second: then it holds in every process. Webhook endpoints keep their own versions.',
        example: { api_version: '2026-11-01' },
        body: closedObject({
          api_version: Type.String({ maxLength: 40, description: 'The date of a newer version.' }),
        }),
        decide: upgrade,
      },
      'api_version/rollback': {
        summary: 'Take an upgrade back',
        description: 'Returns the account to the version it had before its last upgrade, until `rollback_until`.',
        refusals: ['status_transition_invalid', 'rollback_expired'],
        decide: rollBack,
      },
    },
  }),
  // A process goes on for so long with what it knows of an account.
  cached(1_000),
);

/** @throws {ApiError} `parameter_invalid` for a service that no reference could be sent to. */
function askableProvider(provider: Provider | null, { referencingServices }: Caller): Provider | null {
  const fault = provider === null ? null : notSetUp(provider, referencingServices);
  if (fault !== null) throw invalidParameter('default_provider', fault);
  return provider;
}

/** Each provider's are sealed together; null takes them away. */
function changeCredentials(
  current: AccountRecord['provider_credentials'],
  changes: Record<string, unknown>,
  caller: Caller,
): AccountRecord['provider_credentials'] {
  const credentials = { ...current };
  for (const [provider, members] of Object.entries(changes)) {
    if (members === null) {
      delete credentials[provider];
      continue;
    }
    const fault = notSetUp(provider as Provider, caller.referencingServices);
    if (fault !== null) throw invalidParameter(`provider_credentials[${provider}]`, fault);
    credentials[provider] = caller.seal(JSON.stringify(members)).toString('base64');
  }
  return Object.keys(credentials).length === 0 ? null : credentials;
}

/** `POST /v1/account/api_version`: requests that name no version are answered in this one from now on. */
function upgrade(current: AccountRecord, caller: Caller, input: object): Change<AccountRecord> {
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
/** Null as soon as it has passed, because a time in the past would look like an offer. `api_version_previous` stays: it is history. */
function rollbackUntil({ rollback_until: until }: AccountRecord, nowSeconds: number): number | null {
  return until !== null && nowSeconds < until ? until : null;
}

function rollBack(current: AccountRecord, { nowSeconds }: Caller): Change<AccountRecord> {
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

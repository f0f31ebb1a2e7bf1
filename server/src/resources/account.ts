import { Type, type Static, type TOptional, type TSchema, type TUnsafe } from 'typebox';
import { gatewayFault, type Gateway } from '../core/gateways.ts';
import type { Moment } from '../core/clock.ts';
import { credentialNames, headerCredentials, notSetUp, providers, type Provider } from '../core/providers.ts';
import { ApiError, invalidParameter } from '../core/errors.ts';
import {
  defaultInvoicePrefix,
  defaultRules,
  defaultTimeZone,
  defaultYearEnd,
  rulesetIds,
  severities,
  type Rules,
} from '../core/law-rules.ts';
import { rulesets } from '../law/index.ts';
import { GatewayName, ProviderName, SingleLine } from '../model/fields.ts';
import { Letterhead, LetterheadInput, letterheadFrom } from '../model/letterhead.ts';
import { askOwner } from '../model/permissions.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Caller } from '../model/caller.ts';
import { actionFrom, createFrom, defineResource, updateFrom, type Change } from '../model/resource.ts';
import { closedObject, described, named, nullable, oneOf } from '../model/schemas.ts';
import { cached } from '../model/traits/cached.ts';
import { judgesLinks, ofFileType } from '../model/traits/judges-links.ts';
import { linksHere } from '../model/traits/links-here.ts';
import { ownAccount } from '../model/traits/own-account.ts';

const Name = Type.String({ minLength: 1, maxLength: 500 });

const credential = {
  minLength: 1,
  maxLength: 500,
  writeOnly: true,
  description: 'The credential from the service, without spaces or line breaks around it.',
};
const Credential = Type.String({ ...credential, format: 'credential' });
const HeaderCredential = Type.String({ ...credential, format: 'header-credential' });
/** The account's credentials for each service. They can be set, but not read. */
const ProviderCredentials = described(
  named(
    'ProviderCredentials',
    'Credentials for referencing providers.',
    closedObject(
      Object.fromEntries(
        providers.map((provider) => {
          const members = credentialNames[provider].map((name) => [
            name,
            headerCredentials.includes(name) ? HeaderCredential : Credential,
          ]);
          const description = `The credentials for \`${provider}\`. Null removes them.`;
          const schema = described(nullable(closedObject(Object.fromEntries(members))), description);
          return [provider, Type.Optional(schema)];
        }),
      ),
    ),
  ),
  'The account’s credentials for referencing providers. You can set them, and they are never shown.',
);
const LinkedRecords = named('LinkedRecords', 'The check of ids in links.', oneOf('open', 'strict'));

const TimeZone = Type.String({ examples: ['Europe/London'] });
const TimeZoneInput = Type.Unsafe<string>({ ...TimeZone, format: 'time-zone' });

const InvoicePrefixInput = Type.String({
  pattern: '^[A-Z][A-Z0-9]{0,11}$',
  description: 'Up to 12 capital letters and digits, the first a letter.',
});

/** A year may have no 29 February. */
const YearEndInput = Type.String({
  pattern:
    '^(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))$',
  description: 'The last day of the accounting year, as month and day: `03-31`. For the end of February, send `02-28`.',
});

const Ruleset = named('RulesetId', 'A ruleset.', oneOf(...rulesetIds));
const Severity = named('CheckSeverity', 'What a failed check does.', oneOf(...severities));

function severityOfEach<Schema extends TSchema>(schema: Schema) {
  const members = rulesets.england.map(({ id, description }) => [id, Type.Optional(described(schema, description))]);
  return closedObject(Object.fromEntries(members) as Record<string, TOptional<TUnsafe<Static<Schema>>>>);
}

const AccountRules = named(
  'AccountRules',
  'The rules of an account.',
  closedObject({
    ruleset: described(Ruleset, 'The ruleset of the account. `none` has no checks.'),
    checks: described(
      severityOfEach(Severity),
      'Other severities, by the id of a check: `error` refuses, `warn` keeps a warning, `off` does not judge.',
    ),
  }),
);
const RulesInput = named(
  'AccountRulesInput',
  'A change of the rules of an account.',
  closedObject({
    ruleset: Type.Optional(described(Ruleset, 'The ruleset of the account. `none` has no checks.')),
    checks: Type.Optional(
      described(
        severityOfEach(nullable(Severity)),
        'Other severities, by the id of a check. Null returns a check to its own severity. Checks that you leave out stay.',
      ),
    ),
  }),
);
type RulesChange = Static<typeof RulesInput>;

const WantedVersion = Type.String({ maxLength: 40, description: 'The date of a newer version.' });

/** The time in which an upgrade of the API version can be rolled back (spec, limits). */
const rollbackSeconds = 72 * 3600;

export type AccountRecord = StoredRecord & {
  name: string;
  api_version: string | null;
  api_version_previous: string | null;
  rollback_until: number | null;
  default_provider: Provider | null;
  /** Credentials by provider: as JSON, encrypted, in base64. */
  provider_credentials: Record<string, string> | null;
  linked_records: 'open' | 'strict';
  require_second_factor: boolean | null;
  time_zone: string;
  rules: Rules;
  invoice_prefix: string;
  year_end: string;
  letterhead: Letterhead | null;
  payment_provider: Gateway | null;
  parent: string | null;
};

/** A letting agent or a platform, with its own keys and records. A platform has connected accounts and acts for them. */
export const account = defineResource<AccountRecord>(
  {
    object: 'account',
    prefix: 'acct',
    path: 'accounts',
    table: 'accounts',
    docs: {
      description:
        'A letting agent or a platform, with its own keys and records. A platform has connected accounts, and acts for them with the header `Service-Context`.',
      example: {
        record: {
          name: 'Northern Homes',
          api_version: '2026-11-01',
          api_version_previous: null,
          rollback_until: null,
          default_provider: 'provider_a',
          linked_records: 'open',
          require_second_factor: null,
          time_zone: 'Europe/London',
          rules: { ruleset: 'england', checks: {} },
          invoice_prefix: 'INV',
          year_end: '03-31',
          letterhead: {
            name: 'Northern Homes Ltd',
            address: { line1: '4 Stonegate', line2: null, city: 'York', postal_code: 'YO1 8AS', country: 'GB' },
            email: 'rent@northern.example',
            phone: '+44 1904 555 0100',
            registration: 'Registered in England, no. 01234567',
            bank: {
              account_name: 'Northern Homes Client Account',
              bank_name: null,
              sort_code: '200000',
              account_number: '55779911',
              iban: null,
              bic: null,
            },
            logo: 'file_0VbZrD2W00aY9fTmLp4Kc7',
            brand_color: '#1d4ed8',
          },
          payment_provider: null,
          parent: null,
        },
        before: { default_provider: null },
      },
    },
    links: { parent: 'accounts', 'letterhead.logo': 'files' },
    verbs: { credentials_changed: 'Its credentials for a referencing provider were changed.' },
    fields: {
      name: { column: 'text', schema: Name, description: 'The name of the account.' },
      api_version: {
        column: 'text',
        schema: nullable(Type.String()),
        description:
          'The version of its requests without `Service-Version`. Null until its first request, which pins it to the latest.',
      },
      api_version_previous: {
        column: 'text',
        schema: nullable(Type.String()),
        description: 'The version before its last upgrade. Null if there was none, or if it was rolled back.',
      },
      rollback_until: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        derive: rollbackUntil,
        description:
          'Until when you can roll back its last upgrade, in seconds since the Unix epoch. Null if there is none, and after that time.',
      },
      default_provider: {
        column: 'text',
        schema: nullable(ProviderName),
        description: 'The referencing provider of references that name none. Null if none is set.',
      },
      provider_credentials: { column: 'json', schema: nullable(Type.Object({})), shown: 'never' },
      linked_records: {
        column: 'text',
        schema: LinkedRecords,
        description:
          '`open`: links can have ids of your own system, which are not checked. `strict`: a link to a record that does not exist here is refused.',
      },
      require_second_factor: {
        column: 'boolean',
        schema: nullable(Type.Boolean()),
        description:
          'Whether its team members need a second factor to use the dashboard. Null means: in live mode, but not in a sandbox.',
      },
      time_zone: {
        column: 'text',
        schema: TimeZone,
        description:
          'The time zone (IANA) whose calendar its days follow, such as today, due dates and notices. The default is `Europe/London`.',
      },
      rules: {
        column: 'json',
        schema: Type.Unsafe<Rules>(AccountRules),
        description:
          'The rules of law by which its lets are judged. `GET /v1/rulesets/{id}` lists the checks. The default is `england`, with the severities of the law.',
      },
      invoice_prefix: {
        column: 'text',
        schema: Type.String({ examples: [defaultInvoicePrefix] }),
        description: 'The first part of the numbers of new invoices: `INV` in `INV-000001`, which is the default.',
      },
      year_end: {
        column: 'text',
        schema: Type.String({ examples: [defaultYearEnd] }),
        description:
          'The last day of its accounting year, as month and day. Records of rent are kept for six years after it when a person is erased. The default is `03-31`.',
      },
      letterhead: {
        column: 'json',
        schema: nullable(Letterhead),
        description:
          'The sender that its invoices, statements and reports show as a PDF. Invoices and statements have its bank account to pay to. Null if none is set: they show `name`.',
      },
      payment_provider: {
        column: 'text',
        schema: nullable(GatewayName),
        description:
          'The payment gateway of new payments of tenancies by direct debit or card that name none. Null if you collect them yourself.',
      },
      parent: {
        column: 'text',
        schema: nullable(Type.String()),
        description: 'The id of the account that it is connected to. Null for a deployment’s first account.',
      },
    },
    create: createFrom(
      {
        name: SingleLine,
        default_provider: Type.Optional(nullable(ProviderName)),
        linked_records: Type.Optional(nullable(LinkedRecords)),
        time_zone: Type.Optional(nullable(TimeZoneInput)),
        rules: Type.Optional(nullable(RulesInput)),
        invoice_prefix: Type.Optional(nullable(InvoicePrefixInput)),
        year_end: Type.Optional(nullable(YearEndInput)),
        letterhead: Type.Optional(nullable(LetterheadInput)),
        payment_provider: Type.Optional(nullable(GatewayName)),
      },
      (input, caller) => ({
        name: input.name,
        // The first request pins it.
        api_version: null,
        api_version_previous: null,
        rollback_until: null,
        default_provider: askableProvider(input.default_provider ?? null, caller),
        provider_credentials: null,
        linked_records: input.linked_records ?? 'open',
        require_second_factor: null,
        time_zone: input.time_zone ?? defaultTimeZone,
        rules: changeRules(defaultRules, input.rules ?? {}),
        invoice_prefix: input.invoice_prefix ?? defaultInvoicePrefix,
        year_end: input.year_end ?? defaultYearEnd,
        letterhead: input.letterhead ? withoutLogo(letterheadFrom(input.letterhead)) : null,
        payment_provider: usableGateway(input.payment_provider ?? null, caller),
        // Replaced by the account that makes it.
        parent: null,
      }),
      {
        summary: 'Create a connected account',
        description:
          'Creates an account that is connected to your own. It has no keys: act for it with `Service-Context`. You cannot create an account while that header names a connected one, because your key could not act on the new account.',
        example: { name: 'Ouse Lettings' },
      },
    ),
    update: updateFrom(
      {
        name: Type.Optional(SingleLine),
        default_provider: Type.Optional(nullable(ProviderName)),
        linked_records: Type.Optional(LinkedRecords),
        time_zone: Type.Optional(TimeZoneInput),
        rules: Type.Optional(RulesInput),
        invoice_prefix: Type.Optional(InvoicePrefixInput),
        year_end: Type.Optional(YearEndInput),
        letterhead: Type.Optional(nullable(LetterheadInput)),
        payment_provider: Type.Optional(nullable(GatewayName)),
        require_second_factor: Type.Optional(nullable(Type.Boolean())),
        provider_credentials: Type.Optional(ProviderCredentials),
      },
      (current, input, caller) => {
        const { require_second_factor: isRequired = current.require_second_factor } = input;
        if (isRequired !== current.require_second_factor) requireManager(caller);
        // Another bank account on invoices would divert the rent.
        const guarded = [input.provider_credentials, input.require_second_factor, input.letterhead];
        if (guarded.some((value) => value !== undefined)) caller.requireConfirmation();
        return {
          after: {
            ...current,
            name: input.name ?? current.name,
            default_provider:
              input.default_provider === undefined
                ? current.default_provider
                : askableProvider(input.default_provider, caller),
            linked_records: input.linked_records ?? current.linked_records,
            time_zone: input.time_zone ?? current.time_zone,
            rules: changeRules(current.rules, input.rules ?? {}),
            invoice_prefix: input.invoice_prefix ?? current.invoice_prefix,
            year_end: input.year_end ?? current.year_end,
            letterhead: changedLetterhead(current, input.letterhead, caller),
            payment_provider:
              input.payment_provider === undefined
                ? current.payment_provider
                : usableGateway(input.payment_provider, caller),
            require_second_factor: isRequired,
            provider_credentials: changeCredentials(
              current.provider_credentials,
              input.provider_credentials ?? {},
              caller,
            ),
          },
          ...(input.provider_credentials && { verbs: ['credentials_changed'] }),
        };
      },
      {
        description:
          '`provider_credentials` is stored encrypted, and no response, event or log shows it. The credentials that you send for a provider replace its earlier ones, and null removes them. Those of other providers stay. A `letterhead` replaces the earlier one as a whole, and null removes it. A new `logo` needs the permission `file_contents.read`, because invoices and pages show the picture. Only an owner or an admin changes `require_second_factor`, in the dashboard. No API key does.',
        example: { default_provider: 'provider_a' },
        refusals: ['person_required'],
        secrets: ['provider_credentials'],
      },
    ),
  },
  judgesLinks({
    'letterhead.logo': ofFileType(
      ['image/jpeg', 'image/png'],
      'A logo is a picture, and this file is a PDF. Upload the logo as a JPEG or PNG, and send the id of that file.',
    ),
  }),
  linksHere(['letterhead.logo']),
  ownAccount({
    column: 'parent',
    ownPath: 'account',
    pin: (current: AccountRecord, version) =>
      current.api_version === null ? { ...current, api_version: version } : current,
    actions: {
      api_version: actionFrom({ api_version: WantedVersion }, upgrade, {
        summary: 'Upgrade the account to a newer version',
        description:
          'From now on, requests without `Service-Version` have this version. It must be newer than the account’s. You can roll the upgrade back within 72 hours. The response takes a second, so that the upgrade is effective in every process. Webhook endpoints keep their own versions.',
        example: { api_version: '2026-11-01' },
      }),
      'api_version/rollback': {
        summary: 'Roll back an upgrade',
        description: 'Returns the account to the version it had before its last upgrade, until `rollback_until`.',
        refusals: ['status_transition_invalid', 'rollback_expired'],
        decide: rollBack,
      },
    },
  }),
  // In milliseconds, as in `account-context.ts`.
  cached(1_000),
);

/**
 * Requires a person that manages the team. The rule about second factors shuts out the members without one, also owners.
 *
 * @throws {ApiError} `person_required` or `permission_denied`.
 */
function requireManager({ person }: Caller): void {
  if (!person)
    throw new ApiError(
      'person_required',
      'No API key may change `require_second_factor`. An owner or an admin of the account changes it in the dashboard, in its settings. Leave it out.',
      { param: 'require_second_factor' },
    );
  if (person.role === 'owner' || person.role === 'admin') return;
  throw new ApiError(
    'permission_denied',
    `Your role, ${person.role}, may not change \`require_second_factor\`. ${askOwner}`,
    { param: 'require_second_factor' },
  );
}

/** @throws {ApiError} `parameter_invalid` if the service is not set up. */
function askableProvider(provider: Provider | null, { referencingServices }: Caller): Provider | null {
  const fault = provider === null ? null : notSetUp(provider, referencingServices);
  if (fault !== null) throw invalidParameter('default_provider', fault);
  return provider;
}

/** @throws {ApiError} `parameter_invalid` if the gateway is not set up. */
function usableGateway(gateway: Gateway | null, { mode }: Caller): Gateway | null {
  const fault = gateway === null ? null : gatewayFault(gateway, mode);
  if (fault !== null) throw invalidParameter('payment_provider', fault);
  return gateway;
}

/** Encrypts the credentials of each provider together. Null removes them. */
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
    credentials[provider] = caller.encrypt(JSON.stringify(members)).toString('base64');
  }
  return Object.keys(credentials).length === 0 ? null : credentials;
}

/** A new account has no files, and those of another account are not its own. */
function withoutLogo(letterhead: Letterhead): Letterhead {
  if (letterhead.logo === null) return letterhead;
  throw invalidParameter(
    'letterhead[logo]',
    'A new account has no files. Create it without a logo, upload the picture with its `Service-Context`, and set the logo then.',
  );
}

/** @throws {ApiError} `permission_denied` if the caller chooses a picture that it may not see. */
function changedLetterhead(
  current: AccountRecord,
  sent: Static<typeof LetterheadInput> | null | undefined,
  { permissions }: Caller,
): Letterhead | null {
  if (sent === undefined) return current.letterhead;
  const letterhead = sent && letterheadFrom(sent);
  const logo = letterhead?.logo ?? null;
  // A logo is printed for people without this permission. A passport could be made one to see it.
  if (logo !== null && logo !== (current.letterhead?.logo ?? null) && !permissions.has('file_contents.read'))
    throw new ApiError(
      'permission_denied',
      'To choose a `logo`, your key needs `file_contents.read`, because invoices and pages show the picture. Leave `letterhead[logo]` as it is, or use a key with this permission.',
      { param: 'letterhead[logo]' },
    );
  return letterhead;
}

/** Changes the sent members. Null returns a check to its own severity. */
function changeRules(current: Rules, { ruleset, checks = {} }: RulesChange): Rules {
  const changed = Object.entries({ ...current.checks, ...checks }).filter(([, severity]) => severity !== null);
  // In one order, so that the same rules are no change.
  changed.sort(([one], [other]) => (one < other ? -1 : 1));
  return { ruleset: ruleset ?? current.ruleset, checks: Object.fromEntries(changed) as Rules['checks'] };
}

/** `POST /v1/account/api_version`: sets the version of responses to requests without `Service-Version`. */
function upgrade(
  current: AccountRecord,
  caller: Caller,
  { api_version: wanted }: { api_version: string },
): Change<AccountRecord> {
  const newer = caller.apiVersions.filter((version) => current.api_version !== null && version > current.api_version);
  if (!newer.includes(wanted)) {
    const choice = newer.length === 0 ? 'which is the latest' : `newer ones are ${newer.join(', ')}`;
    throw invalidParameter(
      'api_version',
      `You can only upgrade to a newer version of this API. The account is at ${current.api_version}, ${choice}.`,
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

/**
 * Returns the end of the rollback period, or null after it. A past time would look like an offer. The field `api_version_previous` stays.
 */
function rollbackUntil({ rollback_until: until }: AccountRecord, { nowSeconds }: Moment): number | null {
  return until !== null && nowSeconds < until ? until : null;
}

/** `POST /v1/account/api_version/rollback`: rolls the last upgrade back within 72 hours. */
function rollBack(current: AccountRecord, { nowSeconds }: Caller): Change<AccountRecord> {
  const { api_version_previous: previous, rollback_until: until } = current;
  if (previous === null || until === null) {
    throw new ApiError(
      'status_transition_invalid',
      `The account is at ${current.api_version} and has no upgrade to roll back.`,
    );
  }
  if (nowSeconds >= until) {
    throw new ApiError(
      'rollback_expired',
      `The upgrade from ${previous} to ${current.api_version} could be rolled back until ${until} (Unix time), and is final now. To use the older version in a single request, send \`Service-Version: ${previous}\`.`,
    );
  }
  return { after: { ...current, api_version: previous, api_version_previous: null, rollback_until: null } };
}

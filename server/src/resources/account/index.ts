import { Type } from 'typebox';
import {
  defaultInvoicePrefix,
  defaultRules,
  defaultTimeZone,
  defaultYearEnd,
  type Rules,
} from '../../core/vocabulary/law-rules.ts';
import { GatewayName, ProviderName, SingleLine } from '../../model/schemas/fields.ts';
import { Letterhead, LetterheadInput, letterheadFrom } from '../../model/schemas/letterhead.ts';
import { actionFrom, createFrom, defineResource, updateFrom } from '../../model/resource.ts';
import { nullable } from '../../model/schemas/make.ts';
import { cached } from '../../model/traits/cached.ts';
import { judgesLinks, ofFileType } from '../../model/traits/judges-links.ts';
import { linksHere } from '../../model/traits/links-here.ts';
import { ownAccount } from '../../model/traits/own-account.ts';
import { rollBack, rollbackUntil, upgrade, WantedVersion } from './api-version.ts';
import {
  AccountRules,
  InvoicePrefixInput,
  LinkedRecords,
  Name,
  ProviderCredentials,
  RulesInput,
  TimeZone,
  TimeZoneInput,
  YearEndInput,
  type AccountRecord,
} from './fields.ts';
import {
  askableProvider,
  changeCredentials,
  changedLetterhead,
  changeRules,
  requireManager,
  usableGateway,
  withoutLogo,
} from './settings.ts';

export type { AccountRecord } from './fields.ts';

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
          'The law that Tenure checks the lets of the account against. `GET /v1/rulesets/{id}` lists the checks. The default is `england`, with the severities of the law.',
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
        description:
          'The id of the account that it is connected to. Null for a root account, such as a deployment’s first one.',
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
          'Creates an account that is connected to your own. It has no keys: act for it with `Service-Context`. If this header names a connected account, the creation fails, because your key could not act on the new account.',
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

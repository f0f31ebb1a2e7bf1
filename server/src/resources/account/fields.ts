import { Type, type Static, type TOptional, type TSchema, type TUnsafe } from 'typebox';
import type { Gateway } from '../../core/vocabulary/gateways.ts';
import { rulesetIds, severities, type Rules } from '../../core/vocabulary/law-rules.ts';
import { credentialNames, headerCredentials, providers, type Provider } from '../../core/vocabulary/providers.ts';
import { rulesets } from '../../law/index.ts';
import type { Letterhead } from '../../model/schemas/letterhead.ts';
import type { StoredRecord } from '../../model/record.ts';
import { closedObject, described, named, nullable, oneOf } from '../../model/schemas/make.ts';

export const Name = Type.String({ minLength: 1, maxLength: 500 });

const credential = {
  minLength: 1,
  maxLength: 500,
  writeOnly: true,
  description: 'The credential from the service, without spaces or line breaks around it.',
};
const Credential = Type.String({ ...credential, format: 'credential' });
const HeaderCredential = Type.String({ ...credential, format: 'header-credential' });
/** The account's credentials for each service. They can be set, but not read. */
export const ProviderCredentials = described(
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
export const LinkedRecords = named('LinkedRecords', 'The check of ids in links.', oneOf('open', 'strict'));

export const TimeZone = Type.String({ examples: ['Europe/London'] });
export const TimeZoneInput = Type.Unsafe<string>({ ...TimeZone, format: 'time-zone' });

export const InvoicePrefixInput = Type.String({
  pattern: '^[A-Z][A-Z0-9]{0,11}$',
  description: 'Up to 12 capital letters and digits, the first a letter.',
});

/** A year may have no 29 February. */
export const YearEndInput = Type.String({
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

export const AccountRules = named(
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
export const RulesInput = named(
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
export type RulesChange = Static<typeof RulesInput>;

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

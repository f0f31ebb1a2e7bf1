import type { Static } from 'typebox';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { gatewayFault, type Gateway } from '../../core/vocabulary/gateways.ts';
import type { Rules } from '../../core/vocabulary/law-rules.ts';
import { notSetUp, type Provider } from '../../core/vocabulary/providers.ts';
import type { Caller } from '../../model/callers/caller.ts';
import { letterheadFrom, type Letterhead, type LetterheadInput } from '../../model/schemas/letterhead.ts';
import { askOwner } from '../../model/callers/permissions.ts';
import type { AccountRecord, RulesChange } from './fields.ts';

/**
 * Requires a person that manages the team. The rule about second factors shuts out the members without one, also owners.
 *
 * @throws {ApiError} `person_required` or `permission_denied`.
 */
export function requireManager({ person }: Caller): void {
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
export function askableProvider(provider: Provider | null, { referencingServices }: Caller): Provider | null {
  const fault = provider === null ? null : notSetUp(provider, referencingServices);
  if (fault !== null) throw invalidParameter('default_provider', fault);
  return provider;
}

/** @throws {ApiError} `parameter_invalid` if the gateway is not set up. */
export function usableGateway(gateway: Gateway | null, { mode }: Caller): Gateway | null {
  const fault = gateway === null ? null : gatewayFault(gateway, mode);
  if (fault !== null) throw invalidParameter('payment_provider', fault);
  return gateway;
}

/** Encrypts the credentials of each provider together. Null removes them. */
export function changeCredentials(
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
export function withoutLogo(letterhead: Letterhead): Letterhead {
  if (letterhead.logo === null) return letterhead;
  throw invalidParameter(
    'letterhead[logo]',
    'A new account has no files. Create it without a logo, upload the picture with its `Service-Context`, and set the logo then.',
  );
}

/** @throws {ApiError} `permission_denied` if the caller chooses a picture that it may not see. */
export function changedLetterhead(
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
export function changeRules(current: Rules, { ruleset, checks = {} }: RulesChange): Rules {
  const changed = Object.entries({ ...current.checks, ...checks }).filter(([, severity]) => severity !== null);
  // In one order, so that the same rules are no change.
  changed.sort(([one], [other]) => (one < other ? -1 : 1));
  return { ruleset: ruleset ?? current.ruleset, checks: Object.fromEntries(changed) as Rules['checks'] };
}

import { Type, type Static } from 'typebox';
import type { Json, JsonObject } from '../../core/diff.ts';
import { invalidParameter } from '../../core/errors.ts';
import { providers } from '../../core/providers.ts';
import { closedObject, nullable, oneOf, type Caller } from '../../core/resource.ts';

export const Status = oneOf('pending', 'processing', 'complete', 'canceled');
export const Outcome = oneOf('accept', 'consider', 'high_risk');
export const ReferenceType = oneOf('customer');

const Provider = oneOf(...providers);

/** What the first service reports beyond its verdict (spec, provider_data). */
const ProviderData = closedObject({
  type: oneOf('provider_a'),
  provider_a: closedObject({
    affordability: closedObject({
      percentage: nullable(Type.Number()),
      status: nullable(Type.String()),
    }),
    credit_score: nullable(Type.Number()),
    notes: nullable(Type.Array(closedObject({ created: Type.Number(), message: Type.String() }))),
    progress: nullable(Type.Number()),
    sanctions_passed: nullable(Type.Boolean()),
  }),
});

/** How an outside service is asked, and what it has said so far (spec, automatic_reference). */
export const AutomaticReference = closedObject({
  enabled: Type.Boolean(),
  last_error: nullable(Type.String()),
  outcome: nullable(Type.String()),
  provider: nullable(Provider),
  status: nullable(Type.String()),
  provider_data: nullable(ProviderData),
});

/** The two settings that are the client's; all else in `automatic_reference` is the server's own. */
export const AutomaticReferenceInput = closedObject({
  enabled: Type.Optional(Type.Boolean()),
  provider: Type.Optional(nullable(Provider)),
});

/** What is left of it, or of those of its members that are there, when the person is erased: the verdict, and not what led to it. */
export function withoutFindings(automaticReference: Json): Json {
  if (automaticReference === null) return null;
  const members = automaticReference as JsonObject;
  const emptied = ['last_error', 'provider_data'].filter((name) => Object.hasOwn(members, name));
  return { ...members, ...Object.fromEntries(emptied.map((name) => [name, null])) };
}

/** Settles which service will be asked. A sandbox always has one: its simulators. */
export function decideAutomaticReference(
  input: Static<typeof AutomaticReferenceInput> | null,
  caller: Caller,
): Static<typeof AutomaticReference> | null {
  if (!input) return null;
  const enabled = input.enabled ?? true;
  const fallback = caller.account.default_provider ?? (caller.mode === 'sandbox' ? 'provider_a' : null);
  const provider = input.provider ?? (enabled ? fallback : null);
  if (enabled && !provider) {
    throw invalidParameter(
      'automatic_reference[provider]',
      'No referencing provider is set: send `automatic_reference[provider]`, or set a default provider for the account.',
    );
  }
  return { enabled, last_error: null, outcome: null, provider, status: enabled ? 'queued' : null, provider_data: null };
}

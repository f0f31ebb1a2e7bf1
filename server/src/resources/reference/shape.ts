import { Type } from 'typebox';
import type { Json, JsonObject } from '../../core/json-diff.ts';
import { providers } from '../../core/providers.ts';
import { closedObject, described, nullable, oneOf } from '../../model/schemas.ts';

export const Status = oneOf('pending', 'processing', 'complete', 'canceled');
export const Outcome = oneOf('accept', 'consider', 'high_risk');
export const ReferenceType = oneOf('customer');

const Provider = oneOf(...providers);

/** What the first service reports beyond its verdict (spec, provider_data). */
const ProviderData = closedObject({
  type: described(oneOf('provider_a'), 'The provider that it is from, and the name of the member that has it.'),
  provider_a: described(
    closedObject({
      affordability: described(
        closedObject({
          percentage: nullable(
            Type.Number({
              description: 'The rent as a share of verified gross income, in percent; null if it is not known.',
            }),
          ),
          status: nullable(Type.String({ description: 'The provider’s word for it; null if it has none yet.' })),
        }),
        'Whether the person can afford the rent.',
      ),
      credit_score: nullable(Type.Number({ description: 'On the provider’s scale; null if there is no credit file.' })),
      notes: nullable(
        Type.Array(
          closedObject({
            created: Type.Number({ description: 'When it was written, in seconds since the Unix epoch.' }),
            message: Type.String({ description: 'What the provider’s people wrote.' }),
          }),
          { description: 'Remarks made along the way, the oldest first; null if the provider sends none.' },
        ),
      ),
      progress: nullable(
        Type.Number({ description: 'How far the check has come, in percent; null if it is not told.' }),
      ),
      sanctions_passed: nullable(
        Type.Boolean({ description: 'Whether the person is on no sanctions list; null until that was checked.' }),
      ),
    }),
    'What `provider_a` reports.',
  ),
});

/** How an outside service is asked, and what it has said so far (spec, automatic_reference). */
export const AutomaticReference = closedObject({
  enabled: Type.Boolean({ description: 'Whether a provider carries the reference out.' }),
  last_error: nullable(
    Type.String({ description: 'What went wrong when the provider was last asked; null if nothing did.' }),
  ),
  outcome: nullable(Type.String({ description: 'The verdict in the provider’s own words; null until there is one.' })),
  provider: described(nullable(Provider), 'The provider that is asked; null if it is not enabled and none was named.'),
  status: nullable(
    Type.String({
      description:
        'Where the provider stands: `queued`, `invited`, `in_progress`, `awaiting_referee`, `in_review`, `done`, `failed` or `canceled`. Null if it is not enabled.',
    }),
  ),
  provider_data: described(
    nullable(ProviderData),
    'What the provider reports beyond its verdict; null if that is nothing.',
  ),
});

/** The two settings that are the client's; all else in `automatic_reference` is the server's own. */
export const AutomaticReferenceInput = closedObject({
  enabled: Type.Optional(
    Type.Boolean({ description: 'Whether a provider shall carry it out: true unless you say otherwise.' }),
  ),
  provider: Type.Optional(
    described(
      nullable(Provider),
      'The provider to ask. Null or left out: the account’s `default_provider`; in a sandbox without one, `provider_a`.',
    ),
  ),
});

/** What is left of it, or of those of its members that are there, when the person is erased: the verdict, and not what led to it. */
export function withoutFindings(automaticReference: Json): Json {
  if (automaticReference === null) return null;
  const members = automaticReference as JsonObject;
  const emptied = ['last_error', 'provider_data'].filter((name) => Object.hasOwn(members, name));
  return { ...members, ...Object.fromEntries(emptied.map((name) => [name, null])) };
}
